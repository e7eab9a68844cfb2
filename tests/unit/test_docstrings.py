"""Public names say what they take, return and raise, with an example: the share that does grows."""

import doctest
import importlib.util
import os
import sys

import pytest

import minds as ms
from minds.ops import inplace_methods

TOOL = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "docstrings.py")
RECORDED = 95.0
"""Per cent of the public names that have been complete; raise it when docstrings are added."""

GOAL = 95.0
NAMES = {"ms": ms, "ops": ms.ops, "Tensor": ms.Tensor}


def load():
    spec = importlib.util.spec_from_file_location("docstrings", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look up annotations
    spec.loader.exec_module(module)
    return module


docstrings = load()


def test_complete_docstrings_do_not_become_fewer():
    share = docstrings.percentage()
    assert share >= RECORDED, (
        f"{share:.1f} % of the public names have complete docstrings, {RECORDED} % had: "
        "python tools/docstrings.py --missing minds shows which do not"
    )
    assert RECORDED <= GOAL


def test_what_a_docstring_lacks():
    def scale(x, factor=2.0):
        if factor == 0:
            raise ValueError("factor is 0")
        return x * factor

    assert docstrings.missing(scale) == ["summary", "Args", "Returns", "Raises", "Examples"]
    scale.__doc__ = """A multiple.

    Args:
        x (Tensor): a tensor of any shape.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        >>> 1 + 1
        2
    """
    assert docstrings.missing(scale) == ["Args: factor", "Raises"]


def test_a_function_that_returns_nothing_needs_no_returns():
    def note(value):
        """Keep a value.

        Args:
            value (int): the value.

        Examples:
            >>> 1 + 1
            2
        """

    assert docstrings.missing(note) == []


@pytest.mark.parametrize("name", sorted(inplace_methods.TABLE))
def test_the_example_of_an_in_place_method(name):
    text = getattr(ms.Tensor, name).__doc__
    case = doctest.DocTestParser().get_doctest(text, dict(NAMES), name, None, 0)
    assert case.examples and doctest.DocTestRunner().run(case).failed == 0
