"""Wrong programs give exactly the messages in ``golden/``, of builtin types, at the user's line."""

import builtins
import os
import re
import sys

import harness
import pytest

PROGRAMS = harness.load()


def comparable(text: str) -> dict[str, str]:
    """The message of each mode. Python's versions place carets differently, so eager ones differ; before
    3.11 a frame knows neither columns nor qualified names.
    """
    found = {}
    for modes, message in re.findall(r"^\[(.*)\]\n((?:(?!\[).*\n)*)", text, flags=re.M):
        if sys.version_info[:2] != (3, 11):
            message = re.sub(r"^ +\^+\n", "", message, flags=re.M)
        if sys.version_info < (3, 11):
            message = re.sub(r"(, in(?: the gradient of)?|\.py:\d+) [\w.<>]+", r"\1", message)
        found.update(dict.fromkeys(modes.split(" and "), message))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_message(name):
    with open(harness.golden(name)) as f:
        expected = f.read()
    assert comparable(PROGRAMS[name].messages()) == comparable(expected), (
        f"python tests/errors/regenerate.py {name}"
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_form(name):
    program = PROGRAMS[name]
    for mode in program.modes:
        error = program.error(mode)
        kinds = [c for c in type(error).__mro__ if vars(builtins).get(c.__name__) is c]
        assert kinds and kinds[0] not in (Exception, BaseException), type(error).__mro__
        if not hasattr(error, "complaint"):
            assert mode == "eager", error
            continue
        head, *rest = str(error).splitlines()
        assert head.strip()
        places = [line for line in rest if line.startswith('  File "')]
        assert len(places) == 1, str(error)
        assert any(file in places[0] for file in ("programs_", "harness.py", "copy.py")), places
        assert sys.version_info < (3, 11) or any(set(line.strip()) == {"^"} for line in rest), str(
            error
        )


def test_golden_files_belong_to_programs():
    assert {f.removesuffix(".txt") for f in os.listdir(harness.GOLDEN)} == set(PROGRAMS)
