"""The rewrites that bring Python to fewer forms: source before and after."""

import ast
import re
import textwrap

import gast
import pytest

from minds.frontend.desugar import loops
from minds.frontend.source import core_forms


def shown(*statements) -> str:
    """The source of statements; functions that rewrites call are shown by name."""
    text = "\n".join(map(gast.unparse, statements))
    return re.sub(r"<(?:function|class) '?(\w+)'?(?: at \w+)?>", r"\1", text).replace("\n\n", "\n")


def core(source: str) -> list:
    return core_forms(ast.parse(textwrap.dedent(source))).body


CASES = {
    "assert": (
        "assert a, b",
        """
        if a:
            pass
        else:
            raise AssertionError(b)
        """,
    ),
    "assert_without_message": (
        "assert a",
        """
        if a:
            pass
        else:
            raise AssertionError()
        """,
    ),
    "annotated": ("a: int = b", "a = b"),
    "annotated_only": ("a: int", "pass"),
}


@pytest.mark.parametrize("name", CASES)
def test_statement(name):
    before, after = CASES[name]
    assert shown(*core(before)).strip() == textwrap.dedent(after).strip()


COMPREHENSIONS = {
    "[a for b in c if d if e for f in g]": """
        for b in c:
            if d:
                if e:
                    for f in g:
                        yield a
        """,
    "{a: b for c, d in e}": """
        for c, d in e:
            yield (a, b)
        """,
}


@pytest.mark.parametrize("before", COMPREHENSIONS)
def test_comprehension(before):
    (statement,) = core(before)
    assert shown(*loops(statement.value)).strip() == textwrap.dedent(COMPREHENSIONS[before]).strip()


def test_places_are_those_of_the_source():
    (statement,) = core("assert f(a), b")
    (error,) = statement.orelse
    assert (error.lineno, error.col_offset, error.end_col_offset) == (1, 0, 14)
    assert (error.exc.args[0].col_offset, statement.test.col_offset) == (13, 7)
