"""The elements of an array as MindSpore prints them: of more than six along a dimension the first and
the last three, of a vector up to a thousand.
"""

from __future__ import annotations

import numpy as np

_ROWS, _VECTOR, _ENDS = 6, 1000, 3


def shown_values(a: np.ndarray, brief: bool = False) -> str:
    """What stands behind ``value=``.

    Args:
        a: the elements.
        brief: floating point numbers in as few digits as say them, as those of bfloat16 are shown.

    Examples:
        >>> import numpy as np
        >>> from minds.arrays.shown import shown_values
        >>> shown_values(np.array([1, 20]))
        ' [ 1, 20]'
        >>> shown_values(np.arange(8).reshape(1, 8))
        '\\n[[0, 1, 2 ... 5, 6, 7]]'
    """
    if a.ndim == 0:
        number = a.dtype.kind == "f" or brief
        return f" {a.item():.6g}" if number else " " + _text(a)(a.item())
    if not a.size:
        return "\n" if a.ndim > 1 else " "
    most = _VECTOR if a.ndim == 1 else _ROWS
    ends = [*range(_ENDS), *range(-_ENDS, 0)]
    seen = a[np.ix_(*(ends if n > most else range(n) for n in a.shape))]
    cut = [n > most for n in a.shape]
    texts = np.vectorize(_text(a, brief), otypes=[object])(seen)
    fixed = {"c": 0, "b": 5}
    width = fixed[a.dtype.kind] if a.dtype.kind in fixed else max(map(len, texts.flat))
    parts = np.vectorize(lambda text: text.rjust(width), otypes=[object])(texts)
    if a.ndim > 1:
        return "\n" + _nested(parts, cut, 1)
    return " " + (_nested(parts, cut, 1) if cut[0] else _lines(list(parts), a.dtype.kind))


def _text(a: np.ndarray, brief: bool = False):
    """The function that shows an element of ``a``."""
    kind, digits = a.dtype.kind, 4 if a.dtype.itemsize == 2 else 8
    if brief:
        return lambda v: f"{v:.6g}"
    if kind == "c":
        return lambda v: f"{v.real:.6g}{v.imag:+.6g}j"
    return (lambda v: f"{v: .{digits}e}") if kind == "f" else str


def _lines(parts: list, kind: str) -> str:
    """A vector, some elements on each line."""
    most = 12 if kind in "fb" else 24
    lines = [", ".join(parts[i : i + most]) for i in range(0, len(parts), most)]
    return "[" + ", \n ".join(lines) + "]"


def _nested(parts, cut: list, depth: int) -> str:
    if parts.ndim > 1:
        rows = [_nested(row, cut[1:], depth + 1) for row in parts]
        between = ",\n" + " " * depth
        gap = f"{between}...\n" + " " * depth
    else:
        rows, between, gap = list(parts), ", ", " ... "
    halves = [rows[:_ENDS], rows[_ENDS:]] if cut[0] else [rows]
    return "[" + gap.join(between.join(half) for half in halves) + "]"


__all__ = ["shown_values"]
