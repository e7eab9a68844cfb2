"""Random programs: CPython = compiled to the bit, tape = compiled gradient but for the order of sums.

``MINDS_PROGRAMS`` is how many (default 2000), ``MINDS_SEED`` the first seed (default 0). More,
outside of pytest: ``python tests/lang/random_programs.py 2000``.
"""

import os

import pytest
import random_classes
import random_flows
import random_programs

COUNT, FIRST = int(os.environ.get("MINDS_PROGRAMS", "2000")), int(os.environ.get("MINDS_SEED", "0"))
PART = 50


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT, PART))
def test_programs_from_seed(seed, tmp_path):
    failed = {}
    for k in range(seed, min(seed + PART, FIRST + COUNT)):
        print("seed", k)
        try:
            random_programs.check(k, str(tmp_path))
        except Exception as e:
            failed[k] = f"{type(e).__name__}: {e}"
    assert not failed, "\n".join(
        f"seed {k}: {text}\n{random_programs.write(k)}" for k, text in failed.items()
    )


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT, 2 * PART))
def test_second_order(seed, tmp_path):
    random_programs.check_second_order(seed, str(tmp_path))


@pytest.mark.parametrize("seed", range(0, 400, PART))
def test_programs_that_raise_from_seed(seed, tmp_path):
    failed = {}
    for k in range(seed, seed + PART):
        try:
            random_programs.check(k, str(tmp_path), raising=True)
        except Exception as e:
            failed[k] = f"{type(e).__name__}: {e}"
    assert not failed, "\n".join(
        f"seed {k}: {text}\n{random_programs.write(k, True)}" for k, text in failed.items()
    )


@pytest.mark.parametrize("seed", range(FIRST, FIRST + 48))
def test_programs_of_classes(seed, tmp_path):
    random_classes.check(seed, str(tmp_path))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + 48))
def test_programs_of_flows(seed, tmp_path):
    assert random_flows.check(seed, str(tmp_path), True) == []


def test_the_grammar_is_covered():
    text = "\n".join(map(random_programs.write, range(1200)))
    for part in (
        "if ",
        "elif ",
        "else:",
        "while ",
        "for ",
        "break",
        "continue",
        "return ",
        "lambda ",
        "def ",
        "range(",
        "zip(",
        "enumerate(",
        "reversed(",
        "map(",
        ":=",
        ", *",
        " and ",
        " or ",
        "not ",
        " in ",
        ".append(",
        "+=",
        '["t"] =',
        "v[0] =",
        "[::2]",
        "[::-1][0] ",
        "[1:][0] ",
        ".zero_()",
        "reshape(3, 1)[:, 0]",
        "**more",
        "*, ",
        "State(",
        "Record(",
        ".step(",
        "scaled(",
        "functools.partial(",
        "ms.grad(",
        "ms.jvp(",
        "ms.vjp(",
        "ms.vmap(",
        "divmod(",
        "sorted(",
        "filter(",
        ".items()",
        " > p] ",
    ):
        assert part in text, part


def test_a_seed_gives_the_same_program():
    assert random_programs.write(5) == random_programs.write(5) != random_programs.write(6)
