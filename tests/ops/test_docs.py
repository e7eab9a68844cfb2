"""Every op and every public function has a docstring in house style, and its examples run."""

import doctest
import inspect

import pytest

import minds as ms
from minds import Tensor, ops
from minds.ops import P
from minds.ops.define import ATTR

NAMESPACE = {"ms": ms, "ops": ops, "Tensor": Tensor}
PUBLIC = {
    name: getattr(ops, name)
    for name in ops.__all__
    if name not in ("GradOperation", *ops.operations.__all__)
}


def _run_examples(doc: str, name: str) -> int:
    """How many examples the docstring has, after running them."""
    found = doctest.DocTestParser().get_doctest(doc, dict(NAMESPACE), name, None, 0)
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(found).failed == 0
    return len(found.examples)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_examples_of_public_functions(name):
    fn = PUBLIC[name]
    doc = inspect.getdoc(fn)
    assert doc, f"ops.{name} has no docstring"
    if not callable(fn) or isinstance(fn, dict):
        return
    assert _run_examples(doc, name), f"ops.{name} has no example"


@pytest.mark.parametrize("op", list(P), ids=lambda o: o.name)
def test_ops_are_documented(op):
    doc = inspect.getdoc(op)
    for name, *_ in op.params:
        assert name in doc, f"P.{op.name}: {name} is not documented"
    assert "Returns:" in doc or op.has_effect
    if any(k == ATTR for k in op.kinds) or op.promote:
        assert "Args:" in doc
    _run_examples(doc, op.name)
