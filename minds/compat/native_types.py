"""`_c_expression.typing`: dtypes by MindSpore's numbers, and its families of types, which tell dtypes
from one another by ``isinstance``.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import complain
from ..base.late import late
from ..common import dtype as _dtypes
from ..ir.node import Node
from ..ops.function.common import is_tensor

_IDS = {
    30: dt.bool_,
    32: dt.int8,
    33: dt.int16,
    34: dt.int32,
    35: dt.int64,
    37: dt.uint8,
    38: dt.uint16,
    39: dt.uint32,
    40: dt.uint64,
    42: dt.float16,
    43: dt.float32,
    44: dt.float64,
    45: dt.bfloat16,
    51: dt.complex64,
    52: dt.complex128,
}


def type_id_to_type(number: int) -> dt.DType:
    """The dtype that MindSpore's kernels know by a number.

    Args:
        number (int): such as 43 for float32.

    Raises:
        ValueError: it is no dtype's.

    Examples:
        >>> from minds.compat.native_types import type_id_to_type
        >>> type_id_to_type(43)
        Float32
    """
    if isinstance(number, dt.DType):
        return number
    if number not in _IDS:
        raise complain(ValueError, f"type_id_to_type: {number!r} is the number of no dtype")
    return _IDS[number]


class _Family(type):
    """The class of the families. A family called with a number of bits is the dtype of that size."""

    kinds = ""

    def __call__(cls, bits: int = 0, **unknown):
        for name in unknown:
            raise complain(
                TypeError, f"{cls.__name__}: there is no argument {name!r}", expected="bits"
            )
        if not bits:
            return super().__call__()
        found = [d for d in _IDS.values() if isinstance(d, cls) and d.itemsize * 8 == bits]
        if not found or len(cls.kinds) > 1:
            raise complain(RuntimeError, f"{cls.__name__} type: there is none of {bits!r} bits")
        return found[0]

    def __instancecheck__(cls, v) -> bool:
        return isinstance(v, dt.DType) and v.kind in cls.kinds


def _family(name: str, kinds: str) -> _Family:
    shown = {"__doc__": f"The dtypes of {name.lower()}.", "__repr__": lambda self: name}
    made = _Family(name, (), shown)
    made.kinds = kinds
    return made


Bool, Int, UInt = _family("Bool", "b"), _family("Int", "i"), _family("UInt", "u")
Float, Complex = _family("Float", "f"), _family("Complex", "c")
Number, Type = _family("Number", "biufc"), _family("Type", "biufc")


class TypeOfTensors:
    """The type of tensors of a dtype.

    Args:
        element (DType): the dtype. Default: None, of any.

    Examples:
        >>> from minds.compat.native_types import TensorType
        >>> TensorType(ms.float32).element_type()
        Float32
    """

    def __init__(self, element=None):
        self._element = element

    def element_type(self):
        """The dtype."""
        return self._element

    def __eq__(self, other) -> bool:
        return isinstance(other, TypeOfTensors) and other._element is self._element

    def __hash__(self) -> int:
        return hash((TypeOfTensors, self._element))

    def __repr__(self) -> str:
        return "Tensor" if self._element is None else f"Tensor[{self._element!r}]"


def typeof(value):
    """The type of a value, as compiled code sees it.

    Args:
        value (Tensor | number | str | None | tuple | list): the value.

    Returns:
        DType or TypeOfTensors: that of a tensor names its dtype; ints are int64 and floats float32.
        Of None it is None, of a str ``"String"``, of a sequence the tuple of its elements' types.

    Raises:
        TypeError: it is nothing of that.

    Examples:
        >>> from minds import ops
        >>> ops.typeof(Tensor([1.0])), ops.typeof(3)
        (Tensor[Float32], Int64)
    """
    if is_tensor(value):
        return TypeOfTensors(value.dtype)
    if value is None or isinstance(value, str):
        return None if value is None else "String"
    if isinstance(value, (tuple, list)):
        return tuple([typeof(v) for v in value])
    scalar = value.abstract.kind if isinstance(value, Node) else None
    for kind, found in ((bool, dt.bool_), (int, dt.int64), (float, dt.float32)):
        if isinstance(value, kind) or scalar is kind:
            return found
    raise complain(TypeError, f"typeof: {value!r} has no type in compiled code")


def type_size_in_bytes(dtype: dt.DType) -> int:
    """The bytes of an element.

    Args:
        dtype (DType): of the element.

    Returns:
        int: their number.

    Raises:
        TypeError: it is no dtype.

    Examples:
        >>> from minds.common.dtype import type_size_in_bytes
        >>> type_size_in_bytes(ms.float16)
        2
    """
    if not isinstance(dtype, dt.DType):
        raise complain(TypeError, f"type_size_in_bytes: dtype is {dtype!r}", expected="a dtype")
    return dtype.itemsize


class _BFloats(_Family):
    """The class of the family of bfloat16."""

    def __instancecheck__(cls, v) -> bool:
        return v is dt.bfloat16


BFloat = _BFloats("BFloat", (), {"__doc__": "The dtype bfloat16."})
TensorType = TypeOfTensors


__getattr__, __dir__ = late(__name__, {}, (), lambda name: getattr(_dtypes, name, None))


__all__ = [
    "BFloat",
    "Bool",
    "Complex",
    "Float",
    "Int",
    "Number",
    "TensorType",
    "Type",
    "UInt",
    "type_id_to_type",
    "type_size_in_bytes",
    "typeof",
]
