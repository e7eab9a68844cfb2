"""Whether a file of MATLAB, of version 5, is what it says: SciPy's reader, which is C, believes the sizes
in it, and a damaged file may end the process.

A file is a header of 128 bytes and elements: a tag (type, bytes), data, padding to 8 bytes; up to
four bytes may stand in the tag. An element is a matrix, or a compressed one. A matrix consists of
elements: flags with its class, dimensions, name, and what its class has.

Source: MAT-File Format, The MathWorks, 2019.
"""

from __future__ import annotations

import math
import zlib
from typing import NamedTuple

import numpy as np

HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_CELL, _STRUCT, _OBJECT, _CHAR, _SPARSE = 1, 2, 3, 4, 5
_NUMBERS = range(6, 16)  # classes: double, single, integers
_SIZES = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8}
"""Bytes of a number by type of element."""
_TEXT = {1: 1, 2: 1, 4: 2, 16: 1, 17: 2, 18: 4}
"""Bytes of a character, at least, by type of element."""
_COMPLEX, _LOGICAL = 1 << 11, 1 << 9
_DEEPEST = 100


class _Element(NamedTuple):
    type: int
    data: memoryview


class _Elements:
    """The elements in ``data``, one after another."""

    def __init__(self, data: memoryview, order: str):
        self.data, self.order, self.at = data, order, 0

    def ints(self, at: int, count: int) -> list[int]:
        _need(at + 4 * count <= len(self.data), "it ends within an element")
        return np.frombuffer(self.data[at : at + 4 * count], self.order + "u4").tolist()

    def next(self, padded: bool = True) -> _Element:
        kind, size = self.ints(self.at, 2)
        first, short = self.at + 8, kind >> 16
        if short:
            kind, size, first = kind & 0xFFFF, short, self.at + 4
            _need(size <= 4, "a small element has more than four bytes")
        data = self.data[first : first + size]
        _need(len(data) == size, f"an element of {size} bytes has {len(data)}")
        self.at = self.at + 8 if short else first + (-(-size // 8) * 8 if padded else size)
        return _Element(kind, data)

    def of(self, types, what: str) -> memoryview:
        found = self.next()
        _need(found.type in types, f"the {what} of a matrix is of type {found.type}")
        return found.data


def check_mat(content: bytes) -> None:
    """Raise a ValueError if ``content`` is a file of version 5, and damaged."""
    data = memoryview(content)
    if len(data) < HEADER or 0 in data[:4]:
        return  # of version 4, or none: SciPy reads those in Python
    order = {b"IM": "<", b"MI": ">"}.get(bytes(data[126:128]))
    version = data[125 if order == "<" else 124]
    _need(order is not None and version in (1, 2), "its header is of no known version")
    if version == 2:
        return  # HDF5, which SciPy refuses
    elements = _Elements(data[HEADER:], order)
    while elements.at < len(elements.data):
        found = elements.next(padded=False)
        if found.type == _COMPRESSED:
            inside = _Elements(memoryview(_decompressed(found.data)), order)
            found = inside.next()
        _need(found.type == _MATRIX, f"a variable is of type {found.type}")
        _check_matrix(found.data, order, 0)


def _decompressed(data: memoryview) -> bytes:
    try:
        return zlib.decompress(data)
    except zlib.error as e:
        raise ValueError(f"a compressed variable: {e}") from e


def _check_matrix(data: memoryview, order: str, depth: int) -> None:
    _need(depth < _DEEPEST, f"cells are nested more than {_DEEPEST} deep")
    if not len(data):
        return  # an empty element of a cell
    parts = _Elements(data, order)
    flags = parts.of((6,), "first part")
    _need(len(flags) == 8, "the flags of a matrix are not eight bytes")
    word = int(np.frombuffer(flags[:4], order + "u4")[0])
    dims = parts.of((5, 6), "dimensions")
    _need(len(dims) >= 8 and len(dims) % 4 == 0, "a matrix has fewer than two dimensions")
    shape = np.frombuffer(dims, order + "i4").tolist()
    _need(min(shape) >= 0, f"a matrix has the shape {tuple(shape)}")
    parts.of((1, 16), "name")
    if word & 0xFF == _SPARSE:
        _check_sparse(parts, word, shape, order)
    else:
        _check_contents(parts, word, math.prod(shape), order, depth)


def _check_contents(parts: _Elements, word: int, count: int, order: str, depth: int) -> None:
    """Check what follows the name of a matrix of ``count`` elements; ``word`` has its class."""
    kind = word & 0xFF
    if kind in _NUMBERS:
        for _ in range(2 if word & _COMPLEX else 1):
            _check_numbers(parts.next(), count, _SIZES, exact=True)
    elif kind == _CHAR:
        _check_numbers(parts.next(), count, _TEXT, exact=False)
    else:
        _need(kind in (_CELL, _STRUCT, _OBJECT), f"a matrix of class {kind} is not read")
        if kind == _OBJECT:
            parts.of((1,), "class name")
        fields = 1 if kind == _CELL else _fields(parts, order)
        _need(count * fields * 8 <= len(parts.data), f"a matrix claims {count} elements")
        for _ in range(count * fields):
            _check_matrix(parts.of((_MATRIX,), "element"), order, depth + 1)


def _check_sparse(parts: _Elements, word: int, shape: list[int], order: str) -> None:
    """Check the rows of the elements of each column, where each column begins, and the elements."""
    rows, ends = (
        np.frombuffer(_whole(parts.of((5,), "rows"), 4), order + "i4"),
        np.frombuffer(_whole(parts.of((5,), "columns"), 4), order + "i4"),
    )
    fits = len(shape) == 2 and len(ends) == shape[1] + 1 and ends[0] == 0
    _need(fits and bool((np.diff(ends) >= 0).all()), "the columns of a sparse matrix do not fit")
    count = int(ends[-1])
    inside = bool(((rows[:count] >= 0) & (rows[:count] < shape[0])).all())
    _need(count <= len(rows) and inside, "the rows of a sparse matrix do not fit")
    for _ in range(2 if word & _COMPLEX else 1):
        found = parts.next()
        size = 1 if word & _LOGICAL else _SIZES.get(found.type)
        fits = size is not None and len(_whole(found.data, size)) >= count * size
        _need(fits, f"a sparse matrix of {count} elements has {len(found.data)} bytes")


def _whole(data: memoryview, size: int) -> memoryview:
    _need(len(data) % size == 0, f"{len(data)} bytes are no numbers of {size}")
    return data


def _fields(parts: _Elements, order: str) -> int:
    """How many fields a struct has."""
    length = parts.of((5,), "length of field names")
    _need(len(length) == 4, "the length of field names is no number")
    size, names = int(np.frombuffer(length, order + "i4")[0]), parts.of((1,), "field names")
    _need(size > 0 and len(names) % size == 0, f"field names of {size} bytes in {len(names)}")
    return len(names) // size


def _check_numbers(found: _Element, count: int, sizes: dict, exact: bool) -> None:
    size = sizes.get(found.type)
    _need(size is not None, f"the elements of a matrix are of type {found.type}")
    fits = len(found.data) == count * size if exact else len(found.data) <= 4 * count
    _need(fits, f"a matrix of {count} elements has {len(found.data)} bytes of type {found.type}")


def _need(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)
