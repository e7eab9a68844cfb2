"""docs/language.md is current, complete, and true: every example compiles, or is refused with its
message.
"""

import sys
import textwrap

import gast
import language_table as table
import pytest
from agreement import agree
from random_programs import load

import minds as ms
from minds import Tensor
from minds.frontend.desugar import REWRITES
from minds.frontend.registry import EXPR, STMT
from minds.frontend.syntax import REFUSED

X = Tensor([0.5, -1.25, 2.0])
ABSENT = {"Exec", "Print", "Repr", "TypeAlias", "Interpolation", "TemplateStr"}
"""Syntax of gast that Python 3.10 and 3.11 do not have."""


def function(name, directory):
    return load(
        "def f(x, n):\n" + textwrap.indent(table.EXAMPLES[name][0], "    ") + "\n",
        str(directory),
        f"row_{name}",
    ).f


@pytest.mark.parametrize("name", table.supported())
def test_supported(name, tmp_path):
    fn = function(name, tmp_path)
    for n in (1, 3, 5):
        agree(fn, X, n)


@pytest.mark.parametrize("name", table.FORMS)
def test_forms(name, tmp_path):
    body = textwrap.indent(table.FORMS[name][0], "    ")
    fn = load(
        f"{table.PREAMBLE}\n\ndef f(x, n):\n{body}\n",
        str(tmp_path),
        f"form_{list(table.FORMS).index(name)}",
    ).f
    for n in (1, 3, 5):
        agree(fn, X, n)


@pytest.mark.parametrize("name", table.refused())
def test_refused(name, tmp_path):
    if name == "TryStar" and sys.version_info < (3, 11):
        pytest.skip("except* is new in Python 3.11")
    fn = function(name, tmp_path)
    called, cure = table.refused()[table.INSIDE.get(name, name)]
    with pytest.raises(SyntaxError) as e:
        ms.jit(fn)(X, 3)
    text = str(e.value)
    assert (
        f"'{called}' is not supported in compiled code" in text
        and cure in text
        and f"row_{name}.py" in text
    )


def test_every_syntax_has_a_row():
    known = {c.__name__ for c in (*STMT, *REWRITES, *EXPR, *REFUSED)} | set(table.PART_OF)
    for base in (gast.stmt, gast.expr):
        assert {c.__name__ for c in base.__subclasses__()} - known - ABSENT == set()
    assert set(table.EXAMPLES) == known | set(table.refused())


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="the page lists what Python 3.11's library has"
)
def test_the_page_is_current():
    with open(table.PAGE) as f:
        assert f.read() == table.page(), "run python tests/lang/language_table.py"
