"""`minds.common.dtype` (usually ``mstype``): the dtypes, their groups, and conversions to NumPy and
Python types.
"""

from __future__ import annotations

import enum

import numpy as np

from ..base.boundary import guard as _guard
from ..base.dtype import (
    ALL,
    DType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    of,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ..base.late import late

half, single, double = float16, float32, float64
byte, short, intc, intp = int8, int16, int32, int64
ubyte, ushort, uintc, uintp = uint8, uint16, uint32, uint64
int_, float_, uint = int64, float32, uint32
long, cfloat, cdouble = int64, complex64, complex128

int_type = (int8, int16, int32, int64)
uint_type = (uint8, uint16, uint32, uint64)
float_type = (float16, float32, float64, bfloat16)
complex_type = (complex64, complex128)
signed_type = int_type + float_type + complex_type
number_type = int_type + uint_type + float_type + complex_type
all_types = (bool_,) + number_type


class TypeClass(tuple):
    """Dtypes that are one class of values where types are asked for.

    Args:
        dtypes (tuple): they.
        word (str): its name in `ops.MultitypeFuncGraph.register`.

    Examples:
        >>> from minds.common import dtype as mstype
        >>> mstype.float32 in mstype.number
        True
    """

    def __new__(cls, dtypes: tuple, word: str):
        self = super().__new__(cls, dtypes)
        self.word = word
        return self


number, tensor_type = TypeClass(number_type, "Number"), TypeClass(all_types, "Tensor")


class QuantDtype(enum.Enum):
    """Types of quantised numbers, as attributes of other tools.

    Args:
        value (int): the number that stands for one in files.

    Raises:
        ValueError: there is none of this number.

    Examples:
        >>> import minds as ms
        >>> print(ms.QuantDtype.INT8, ms.QuantDtype.INT8.value())
        INT8 7
    """

    _ignore_ = ["_bits"]
    for _bits in range(1, 17):
        vars()[f"INT{_bits}"] = _bits - 1
        vars()[f"UINT{_bits}"] = _bits + 99

    def __str__(self) -> str:
        return self.name

    def value(self) -> int:
        """The number that stands for it in files.

        Returns:
            int: the number.

        Examples:
            >>> ms.QuantDtype.UINT16.value()
            115
        """
        return self._value_


class Kind:
    """What stands for values that are no tensors, among the dtypes.

    Args:
        name (str): its name.
        python (type): the Python type that it stands for.

    Examples:
        >>> import minds as ms
        >>> ms.tuple_
        tuple
    """

    def __init__(self, name: str, python: type):
        self.name, self.python = name, python

    def __repr__(self) -> str:
        return self.name


list_, tuple_, string, type_none = (Kind(t.__name__, t) for t in (list, tuple, str, type(None)))
_KINDS = {k.python: k for k in (list_, tuple_, string, type_none)}


def dtype_to_nptype(type_: DType):
    """The NumPy scalar type of a dtype; float32 for bfloat16, which NumPy lacks.

    Args:
        type_ (dtype): a dtype of minds.

    Returns:
        type: a NumPy scalar type.

    Raises:
        TypeError: ``type_`` is no dtype.

    Examples:
        >>> from minds.common import dtype as mstype
        >>> mstype.dtype_to_nptype(mstype.int8).__name__
        'int8'
    """
    return np.float32 if type_ is bfloat16 else of(type_).np.type


def dtype_to_pytype(type_: DType) -> type:
    """The Python number type of a dtype, or the type that a kind stands for.

    Args:
        type_ (dtype): a dtype of minds.

    Returns:
        type: ``bool``, ``int``, ``float`` or ``complex``.

    Raises:
        TypeError: ``type_`` is no dtype.

    Examples:
        >>> from minds.common import dtype as mstype
        >>> mstype.dtype_to_pytype(mstype.bfloat16)
        <class 'float'>
    """
    if isinstance(type_, Kind):
        return type_.python
    return {"b": bool, "i": int, "u": int, "f": float, "c": complex}[of(type_).kind]


def pytype_to_dtype(obj) -> DType:
    """The dtype of a Python number type, a NumPy dtype or a dtype.

    Args:
        obj (type): such as ``float`` or ``numpy.int8``.
    Returns:
        dtype: float32 for ``float``, int64 for ``int``.
    Raises:
        NotImplementedError: no dtype corresponds.

    Examples:
        >>> from minds.common import dtype as mstype
        >>> mstype.pytype_to_dtype(int)
        Int64
    """
    try:
        return of(obj)
    except TypeError as e:
        raise NotImplementedError(str(e)) from None


def get_py_obj_dtype(obj):
    """The dtype, or kind, of a Python value or type.

    Args:
        obj (Any): a number, str, list, tuple, None, Tensor, or a type of these.

    Returns:
        dtype: float64 for a ``float``.

    Raises:
        NotImplementedError: no dtype corresponds.

    Examples:
        >>> from minds.common import dtype as mstype
        >>> mstype.get_py_obj_dtype(1.5), mstype.get_py_obj_dtype((1, 2))
        (Float64, tuple)
    """
    dtype = getattr(obj, "dtype", None)
    if isinstance(dtype, DType):
        return dtype
    kind = obj if isinstance(obj, type) else type(obj)
    if kind in (float, complex):  # as wide as Python's
        return float64 if kind is float else complex128
    return _KINDS[kind] if kind in _KINDS else pytype_to_dtype(kind)


_dtype_to_nptype, _dtype_to_pytype = dtype_to_nptype, dtype_to_pytype
_get_py_obj_dtype, _pytype_to_dtype = get_py_obj_dtype, pytype_to_dtype


_ELSEWHERE = "float8_e4m3fn float8_e5m2 hifloat8 qint4x2"
_late, _ = late(
    __name__,
    {
        "compat.native_types": "Bool Float Int TensorType Type type_size_in_bytes",
        "base.dtype": _ELSEWHERE,
    },
)


def __getattr__(name: str):
    # Not in the module's own namespace: its code means Python's types by these names.
    found = {"bool": bool_, "int": int32, "float": float32}.get(name)
    return _late(name) if found is None else found


__all__ = [
    "ALL",
    "all_types",
    "bfloat16",
    "bool_",
    "byte",
    "cdouble",
    "cfloat",
    "complex128",
    "complex64",
    "complex_type",
    "double",
    "dtype_to_nptype",
    "dtype_to_pytype",
    "float16",
    "float32",
    "float64",
    "float_",
    "float_type",
    "half",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_",
    "int_type",
    "intc",
    "intp",
    "get_py_obj_dtype",
    "list_",
    "long",
    "number",
    "number_type",
    "pytype_to_dtype",
    "short",
    "signed_type",
    "single",
    "string",
    "tensor_type",
    "tuple_",
    "type_none",
    "ubyte",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uint_type",
    "uintc",
    "uintp",
    "ushort",
]
_guard(__name__)
