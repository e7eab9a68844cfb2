"""Data types: one interned `DType` per element type, and how two of them combine.

The codes are those of `csrc/base/dtype.h`. `promote` gives the common type of two tensors,
`promote_scalar` that of a tensor and a Python number: a number never widens a tensor of its own
kind.
"""

from __future__ import annotations

import functools

import numpy as np


class DType:
    """The element type of a tensor.

    Attributes:
        name (str): as in ``float32``.
        code (int): the number that the native core uses.
        itemsize (int): bytes of one element.
        is_floating_point, is_signed, is_complex (bool): what its numbers are.
        kind (str): ``b`` bool, ``i`` signed, ``u`` unsigned, ``f`` floating point, ``c`` complex.
        np (numpy.dtype): the NumPy type; bfloat16 has none and is exchanged as its bits
            (``uint16``).

    Examples:
        >>> import minds as ms
        >>> ms.float32.itemsize, str(ms.float32)
        (4, 'Float32')
    """

    __slots__ = ("name", "code", "itemsize", "kind", "np")
    _by_code: list[DType] = []
    _by_name: dict[str, DType] = {}

    def __init__(self, name: str, itemsize: int, kind: str, np_name: str | None = None):
        self.name, self.itemsize, self.kind = name, itemsize, kind
        self.np = np.dtype(np_name or name)
        self.code = len(DType._by_code)
        DType._by_code.append(self)
        DType._by_name[name] = self

    is_float = property(lambda self: self.kind == "f")
    is_int = property(lambda self: self.kind in "iu")
    is_bool = property(lambda self: self.kind == "b")
    is_complex = property(lambda self: self.kind == "c")
    is_inexact = property(lambda self: self.kind in "fc")
    is_floating_point = is_float
    is_signed = property(lambda self: self.kind in "ifc")

    def to_real(self) -> DType:
        """The type of a number's real part: this type, but for complex ones."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    def to_complex(self) -> DType:
        """The complex type whose parts have this type.

        Raises:
            TypeError: there is none.
        """
        if self.is_complex:
            return self
        if self not in (float32, float64, bfloat16):
            raise TypeError(f"to_complex: there is no complex type of {self}")
        return complex128 if self is float64 else complex64

    def __repr__(self) -> str:
        head = 2 if self.kind == "u" or self.name[0] == "b" and self.kind == "f" else 1
        return "Bool" if self.kind == "b" else self.name[:head].upper() + self.name[head:]

    def __reduce__(self):
        return (of, (self.name,))

    def __deepcopy__(self, memo):
        return self


bool_ = DType("bool", 1, "b")
int8 = DType("int8", 1, "i")
int16 = DType("int16", 2, "i")
int32 = DType("int32", 4, "i")
int64 = DType("int64", 8, "i")
uint8 = DType("uint8", 1, "u")
uint16 = DType("uint16", 2, "u")
uint32 = DType("uint32", 4, "u")
uint64 = DType("uint64", 8, "u")
float16 = DType("float16", 2, "f")
bfloat16 = DType("bfloat16", 2, "f", "uint16")
float32 = DType("float32", 4, "f")
float64 = DType("float64", 8, "f")
complex64 = DType("complex64", 8, "c")
complex128 = DType("complex128", 16, "c")

ALL = tuple(DType._by_code)


class ElsewhereType(DType):
    """The name of a type of which there are no tensors here: MindSpore has them on Ascend devices."""

    __slots__ = ()

    def __init__(self, name: str, itemsize: int, kind: str):
        self.name, self.itemsize, self.kind = name, itemsize, kind

    def _refuse(self):
        raise TypeError(
            f"{self.name}: there are no tensors of this type here; keep the bits as uint8, or use float16 or "
            "int8"
        )

    code = np = property(_refuse)

    def __repr__(self) -> str:
        first, _, rest = self.name.partition("_")
        return first[:1].upper() + first[1:] + rest.upper()


float8_e4m3fn = ElsewhereType("float8_e4m3fn", 1, "f")
float8_e5m2 = ElsewhereType("float8_e5m2", 1, "f")
hifloat8 = ElsewhereType("hifloat8", 1, "f")
qint4x2 = ElsewhereType("qint4x2", 1, "i")
_BY_NP = {t.np: t for t in ALL if t is not bfloat16}
_PYTHON = {bool: bool_, int: int64, float: float32, complex: complex64}
_ALIASES = {
    "bool_": bool_,
    "half": float16,
    "float": float32,
    "double": float64,
    "int": int64,
    "long": int64,
}


def from_code(code: int) -> DType:
    """The dtype whose native code is ``code``."""
    return DType._by_code[code]


def of(x) -> DType:
    """The dtype meant by a DType, a name, a NumPy dtype or a Python number type.

    Raises:
        TypeError: ``x`` names no dtype of minds.
    """
    if isinstance(x, DType):
        return x
    if isinstance(x, str):
        found = DType._by_name.get(x.lower()) or _ALIASES.get(x.lower())
        if found:
            return found
    elif x in _PYTHON:
        return _PYTHON[x]
    else:
        try:
            return _BY_NP[np.dtype(x).newbyteorder("=")]
        except (TypeError, KeyError):
            pass
    raise TypeError(
        f"{x!r} is not a dtype of minds; expected one of {', '.join(t.name for t in ALL)}"
    )


def promote(a: DType, b: DType) -> DType:
    """The common dtype of two tensors: the smallest that holds both, floating point wins over
    integers.

    float16 with bfloat16 gives float32; unsigned with signed gives the next wider signed type.
    """
    if a is b:
        return a
    order = "buifc"
    if order.index(a.kind) > order.index(b.kind):
        a, b = b, a
    if a.kind == b.kind:
        if a.itemsize == b.itemsize:
            return float32
        return a if a.itemsize > b.itemsize else b
    if b.kind == "c":
        return complex128 if a is float64 else b
    if b.kind == "f" or a.kind == "b":
        return b
    wider = {1: int16, 2: int32, 4: int64}
    if a.itemsize < b.itemsize:
        return b
    if a.itemsize in wider:
        return wider[a.itemsize]
    raise TypeError(f"no integer dtype holds both {a.name} and {b.name}; cast one of them first")


def common(dtypes, kinds) -> DType:
    """The dtype of tensors of ``dtypes``, at least one, and Python numbers of ``kinds`` together."""
    found = functools.reduce(promote, sorted(dtypes, key=lambda t: t.code))
    for kind in kinds:
        found = promote_scalar(found, kind)
    return found


def promote_scalar(t: DType, kind: type) -> DType:
    """The dtype of a tensor of dtype ``t`` combined with a Python number of type ``kind``."""
    if kind is bool or t.kind in "fc" and kind is not complex:
        return t
    if kind is int:
        return int64 if t.is_bool else t
    if kind is complex:
        return complex128 if t is float64 else t if t.kind == "c" else complex64
    return float32
