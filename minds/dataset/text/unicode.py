"""Unicode as ICU knows it: white space, case folding, normal forms, and its regular expressions in
Python's."""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from enum import IntEnum

from .base import fault
from .scripts import ranges_of

WHITE = frozenset(
    "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
    + "".join(map(chr, range(0x2000, 0x200B)))
)

_IGNORABLE = (  # the code points with the property Default_Ignorable_Code_Point
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip


class NormalizeForm(IntEnum):
    """The normal forms of Unicode.

    Examples:
        >>> from minds.dataset import text
        >>> text.NormalizeForm.NFC.name
        'NFC'
    """

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


def normalize(s: str, form: NormalizeForm) -> str:
    """``s`` in a normal form."""
    return s if form == NormalizeForm.NONE else unicodedata.normalize(form.name, s)


@functools.cache
def _ignorable() -> re.Pattern:
    return re.compile(_class_of(_IGNORABLE))


def casefold(s: str) -> str:
    """``s`` folded for comparison without regard to case: the mapping NFKC_Casefold."""
    if s.isascii():
        return s.lower()
    was = None
    while was != s:
        was, s = s, unicodedata.normalize("NFKC", unicodedata.normalize("NFD", s).casefold())
        s = unicodedata.normalize("NFC", _ignorable().sub("", s))
    return s


def _class_of(ranges) -> str:
    """A character class of Python's regular expressions for ranges of code points."""
    return "[" + _members(ranges) + "]"


def _members(ranges) -> str:
    return "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in ranges)


@functools.cache
def _by_category() -> dict[str, list[tuple[int, int]]]:
    """The ranges of code points of each general category."""
    found, begin, last = {}, 0, unicodedata.category("\0")
    for code in range(1, sys.maxunicode + 2):
        here = unicodedata.category(chr(code)) if code <= sys.maxunicode else None
        if here != last:
            found.setdefault(last, []).append((begin, code - 1))
            begin, last = code, here
    return found


def _property(name: str) -> str:
    r"""The members of a class for what ``\p{name}`` matches: a general category or a script."""
    plain = name.removeprefix("Script=").removeprefix("sc=").removeprefix("gc=")
    ranges = [r for c, rs in _by_category().items() if c.startswith(plain) for r in rs]
    ranges = ranges or ranges_of(plain)
    if not ranges:
        raise ValueError(f"there is no property {name!r}")
    return _members(sorted(ranges))


def _rest(members: str) -> str:
    """The members of the class of everything else."""
    codes = [int(c, 16) for c in re.findall(r"\\U([0-9a-f]{8})", members)]
    ends = [0, *codes, sys.maxunicode + 1]
    gaps = [(a + (i > 0), b - 1) for i, (a, b) in enumerate(zip(ends[::2], ends[1::2]))]
    return _members([(a, b) for a, b in gaps if a <= b])


_ICU = re.compile(r"\\p\{\^?([^}]*)\}|\\P\{([^}]*)\}|\\x\{([0-9A-Fa-f]+)\}|\\h|\\.|\[\^?|\]", re.S)


@functools.lru_cache(maxsize=256)
def pattern(icu: str) -> re.Pattern:
    """A regular expression in ICU's syntax, compiled.

    Raises:
        ValueError: it is none, or uses what Python's have not.
    """
    depth = 0

    def python(m: re.Match) -> str:
        nonlocal depth
        said = m.group()
        if said.startswith("["):
            depth += 1
            if depth > 1:
                raise ValueError("a set inside of a set")
            return said
        if said == "]":
            depth = max(depth - 1, 0)
            return said
        if m[3]:
            return re.escape(chr(int(m[3], 16)))
        if m[1] is None and m[2] is None:
            return said if said != r"\h" else r"\t\x20\xa0" if depth else r"[\t\x20\xa0]"
        members = _property(m[1] if m[1] is not None else m[2])
        if m[2] is not None or said.startswith(r"\p{^"):
            members = _rest(members)
        return members if depth else f"[{members}]"

    try:
        return re.compile(_ICU.sub(python, icu))
    except (re.error, OverflowError) as e:
        raise ValueError(str(e)) from None


def compiled(icu: str, who: str) -> re.Pattern:
    """`pattern`, whose error is about the data of the transform ``who``.

    Raises:
        RuntimeError: it is no regular expression.
    """
    try:
        return pattern(icu)
    except ValueError as e:
        why = (
            f"{who}: create icu RegexMatcher failed, you may input one error pattern {icu!r}: {e}."
        )
        raise fault(why) from None


_REPLACING = re.compile(r"\\(.)|\$(\d)|\$\{(\w+)\}|\\$|\$", re.S)


def replacement(icu: str, groups: int):
    """A function of a match that gives the text that ICU's replacement ``icu`` stands for.

    Args:
        icu (str): ``$1`` is a group, ``\\`` takes the next character as it is.
        groups (int): how many groups the regular expression has.

    Raises:
        ValueError: it names a group that there is none of.
    """
    parts = []
    at = 0
    for m in _REPLACING.finditer(icu):
        parts.append(icu[at : m.start()])
        at = m.end()
        group = m[2] or m[3]
        if group is None:
            parts.append(m[1] or "")
            continue
        group = int(group) if group.isdigit() else group
        if isinstance(group, int) and group > groups:
            raise ValueError(f"there is no group {group}")
        parts.append((group,))
    parts.append(icu[at:])
    return lambda m: "".join(p if isinstance(p, str) else m.group(p[0]) or "" for p in parts)
