"""What docstrings say: their sections, and the types of arguments and inputs."""

from __future__ import annotations

import functools
import inspect
import re

_HEAD = re.compile(r"^(Args|Returns|Raises|Examples|Inputs|Outputs|Source|Note|Supports):\n", re.M)
_ENTRY = re.compile(r"^ {4}(\*{0,2}\w+(?:, \*{0,2}\w+)*) (\(.*)", re.S)
_PAIR = re.compile(r"(\*{0,2}\w+) (?=\()")
_INPUT = re.compile(r"\*\*(\w+)\*\* (?=\()")


@functools.cache
def sections(doc: str | None) -> dict[str, str]:
    """A docstring by its headings; the text before the first one is ``summary``."""
    parts = _HEAD.split(inspect.cleandoc(doc or ""))
    return {
        "summary": parts[0].strip(),
        **{h: t.rstrip() for h, t in zip(parts[1::2], parts[2::2])},
    }


def entries(text: str) -> dict[str, str]:
    """The entries of an ``Args`` section by name, without the name."""
    found = {}
    for piece in re.split(r"\n(?= {4}\S)", text):
        m = _ENTRY.match(piece)
        if m is not None:
            found.update(dict.fromkeys(m[1].replace("*", "").split(", "), m[2]))
    return found


@functools.cache
def types(doc: str | None, section: str = "Args") -> dict[str, str]:
    """What stands in parentheses behind each name of a section, ``Args`` or ``Inputs``."""
    text = sections(doc).get(section, "")
    found = {n: _in_parentheses(t) for n, t in entries(text).items()}
    for m in _INPUT.finditer(text):
        found[m[1]] = _in_parentheses(text[m.end() :])
    for line in text.split("\n"):  # a (int), b (bool): the sizes.
        if line.startswith("    ") and line[4:5] != " ":
            for m in _PAIR.finditer(line.partition("): ")[0] + ")"):
                found.setdefault(m[1].replace("*", ""), _in_parentheses(line[m.end() :]))
    return found


def _in_parentheses(text: str) -> str:
    """What stands in the parentheses that a text starts with, on one line."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if not depth:
            return " ".join(text[1:i].split())
    return "object"


__all__ = ["entries", "sections", "types"]
