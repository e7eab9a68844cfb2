"""Kinds of arguments, as docstrings write them: ``int | tuple[int]``, ``Tensor[(N, C), float]``,
``list[Parameter], optional``.

`fits` says whether a value is of a kind. Loosely it may also be what many functions take in its
place: a number for a Tensor, a tensor of one element for a number, a dtype by its name. What a
docstring says in other words fits anything: an error names only what is known to be wrong.
"""

from __future__ import annotations

import functools
import numbers
import re
from collections.abc import Callable

import numpy as np

from .errors import NoValues

_PARTS = re.compile(r"\s*(?:\||,| or )\s*")
_GENERIC = re.compile(r"(\w+)\[(.*)\]$")
_SEQUENCES = ("tuple", "list", "Iterable", "iterable")
_DTYPES = {"float": "f", "int": "iu", "number": "iufc", "complex": "c", "bool": "b"}


def fits(text: str, value, loosely: bool = False) -> bool:
    """Whether ``value`` is of the kind that ``text`` describes."""
    seen = _seen(value)
    tests = _tests(text)
    return any(test(seen, loosely) for test in tests) or (
        seen is not value and any(test(value, loosely) for test in tests)
    )


def _seen(value):
    """What stands for a value that has dtype and shape; itself for others, and for what declares them."""
    try:
        return getattr(value, "abstract", value)
    except NoValues:
        return value


def shown(value, depth: int = 4) -> str:
    """A value in a message: its type, of numbers and strings also what they are, of containers what
    they hold, so many levels ``depth``.
    """
    seen = _seen(value)
    if seen is not value and seen is not None and not callable(seen):
        return repr(seen)
    if value is None:
        return "None"
    name = type(value).__name__
    if isinstance(value, np.ndarray):
        return f"{name}[{value.shape}, {value.dtype}]"
    if isinstance(value, (str, numbers.Number)):
        return f"{name} {value!r}" if _short(value) else name
    if isinstance(value, (tuple, list)) and len(value) < 9:
        text = ", ".join([shown(v, depth - 1) for v in value]) if depth else "…"
        return f"[{text}]" if isinstance(value, list) else f"({text})"
    return name


def _short(v) -> bool:
    return len(v) < 60 if isinstance(v, str) else not isinstance(v, int) or v.bit_length() < 130


@functools.cache
def _tests(text: str) -> list[Callable]:
    """The tests of the alternatives of a kind: each of a value and ``loosely``."""
    return [_test(a) for a in _split(text)]


def _split(text: str) -> list[str]:
    """The alternatives: what ``|``, commas and ``or`` part outside of brackets."""
    parts, depth, start, at = [], 0, 0, 0
    while at < len(text):
        depth += (text[at] in "[(") - (text[at] in "])")
        m = None if depth else _PARTS.match(text, at)
        if m is not None and m.end() > at:
            parts.append(text[start:at])
            start = at = m.end()
        else:
            at += 1
    return [p.strip().removesuffix("...").strip() for p in (*parts, text[start:]) if p.strip()]


def _test(word: str) -> Callable:
    """The test of one alternative."""
    if word in _PLAIN:
        return _PLAIN[word]
    generic = _GENERIC.match(word)
    outer = generic[1] if generic else word
    if outer == "Tensor":
        return functools.partial(_is_tensor, *_declared(generic[2] if generic else ""))
    if outer in _SEQUENCES:
        return functools.partial(_is_sequence, generic[2] if generic else "object")
    if outer == "Callable":
        return _PLAIN["Callable"]
    if re.fullmatch(r"[A-Z]\w+", outer):
        return functools.partial(_is_of_class, outer)
    return lambda v, loosely: True


# ---- tensors


def _declared(text: str) -> tuple[tuple, str]:
    """The shapes that a tensor may have, as (least rank, whether it may be more), and the kinds of
    its dtype; empty where all will do.
    """
    groups, rest, depth, start = [], "", 0, 0
    for i, c in enumerate(text):
        if c == "(" and (depth := depth + 1) == 1:
            start = i + 1
        elif c == ")" and (depth := depth - 1) == 0:
            groups.append(text[start:i])
        elif not depth:
            rest += c
    dtype = rest.rpartition(",")[2] if groups else rest.partition(",")[2] or rest
    words = dtype.split(" or ") if dtype else []
    kinds = "".join(_DTYPES.get(w.strip(), "*") for w in words)
    return tuple(map(_rank, groups)), "" if "*" in kinds else kinds


def _rank(group: str) -> tuple[int, bool]:
    dims = [d.strip() for d in re.split(r",(?![^(]*\))", group) if d.strip()]
    fixed = [d for d in dims if d != "..." and not d.startswith("*")]
    return len(fixed), len(fixed) < len(dims)


def _is_tensor(ranks: tuple, kinds: str, v, loosely: bool) -> bool:
    if not _has_shape(v) or _is_scalar(v):
        number = _is_scalar(v) or isinstance(v, numbers.Number)
        return loosely and (number or isinstance(v, (np.ndarray, np.generic, tuple, list, range)))
    if loosely:
        return True
    rank = len(v.shape)
    if ranks and not any(rank >= n if more else rank == n for n, more in ranks):
        return False
    return not kinds or v.dtype.kind in kinds


def _has_shape(v) -> bool:
    """Whether a value is the abstract value of a tensor (or of a number of a program)."""
    return not isinstance(v, (np.ndarray, np.generic, type)) and (
        hasattr(v, "shape") and hasattr(v, "dtype")
    )


def _is_scalar(v) -> bool:
    """Whether a value is the abstract value of a number of a program."""
    return hasattr(v, "dtype") and isinstance(getattr(v, "kind", None), type)


def _is_one(v) -> bool:
    """Whether a value is a tensor or array of one element, which stands for a number."""
    if isinstance(v, (np.ndarray, np.generic)) and v.dtype.kind not in "biufc":
        return False
    return not isinstance(v, type) and getattr(v, "shape", None) in ((), (1,))


# ---- others


def _number(*classes) -> Callable:
    def test(v, loosely: bool) -> bool:
        if _is_scalar(v):
            return issubclass(v.kind, classes)
        if isinstance(v, (bool, np.bool_)):
            return loosely or bool in classes
        return (
            isinstance(v, classes)
            or any(c.__name__ == "Dim" for c in type(v).__mro__)
            or loosely
            and _is_one(v)
        )

    return test


def _is_dtype(v, loosely: bool) -> bool:
    known = isinstance(v, (type, np.dtype)) or _is_of_class("DType", v, loosely)
    return known or isinstance(v, str)  # which names there are is said elsewhere


def _is_sequence(of: str, v, loosely: bool) -> bool:
    items = getattr(v, "items", v)
    if isinstance(items, (tuple, list)):
        return all(fits(of, e, loosely) for e in items)
    if v is not None and loosely and of != "object" and fits(of, v):
        return True  # one alone
    if isinstance(v, (str, bytes, dict, numbers.Number, type(None))):
        return False
    return loosely and (_has_shape(v) or hasattr(v, "__iter__"))


def _is_of_class(name: str, v, loosely: bool) -> bool:
    return any(c.__name__ == name for c in type(v).__mro__)


def _is_callable(v, loosely: bool) -> bool:
    return callable(v) or type(v).__module__.startswith("minds.frontend")


_INT, _REAL, _ANY = numbers.Integral, numbers.Real, (numbers.Number, bool)
_PLAIN: dict[str, Callable] = {
    "int": _number(_INT),
    "float": _number(_REAL),
    "number": _number(*_ANY),
    "bool": lambda v, loosely: isinstance(v, (bool, np.bool_)) or _number(*_ANY)(v, loosely),
    "str": lambda v, loosely: isinstance(v, str) or type(v).__name__ == "Text",
    "bytes": lambda v, loosely: isinstance(v, bytes),
    "dict": lambda v, loosely: isinstance(v, dict),
    "set": lambda v, loosely: isinstance(v, (set, frozenset)),
    "slice": lambda v, loosely: isinstance(v, slice),
    "dtype": _is_dtype,
    "type": lambda v, loosely: isinstance(v, type) or loosely,
    "None": lambda v, loosely: v is None,
    "optional": lambda v, loosely: v is None,
    "Ellipsis": lambda v, loosely: v is ...,
    "Any": lambda v, loosely: True,
    "numpy.ndarray": lambda v, loosely: isinstance(v, np.ndarray) or loosely and _has_shape(v),
    **dict.fromkeys(("Callable", "callable", "function"), _is_callable),
}


__all__ = ["fits", "shown"]
