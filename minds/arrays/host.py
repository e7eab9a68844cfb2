"""A tensor seen from Python: numbers, NumPy arrays and bytes of the host, from and to it."""

from __future__ import annotations

import numpy as np

from .. import _core
from ..base import devices
from ..base import dtype as dt
from ..base.errors import ambiguous, class_of, complain, no_index, no_scalar

_PYTHON_NUMBERS = (bool, int, float)

MOST_DIMS = 64
"""Dimensions that an array of NumPy has at most."""


def array_of(data, dtype: dt.DType | None) -> _core.Array:
    """A native array with a copy of ``data`` (NumPy array, number, nested sequence, Tensor)."""
    if isinstance(data, OnHost):
        if dtype is None or dtype is data.dtype:
            return data._array.copy()
        data = data.asnumpy()
    elif isinstance(data, (list, tuple)):
        data, dtype = _from_sequence(data, dtype)
    elif type(data) in _PYTHON_NUMBERS:
        dtype = dtype or (dt.float32 if type(data) is float else dt.of(type(data)))
    elif not isinstance(data, (np.ndarray, np.generic, complex)):
        raise complain(
            TypeError,
            f"Tensor: input_data has type {class_of(data)}",
            expected="a Tensor, a number, a NumPy array, or a list or tuple of numbers",
            cure="convert it: Tensor(x.detach().cpu().numpy())"
            if hasattr(data, "detach")
            else None,
        )
    a = np.asarray(data)
    if dtype is dt.bfloat16:
        return _core.Array.from_numpy(_bfloat16_bits(a), dt.bfloat16.code)
    if dtype is not None:
        with np.errstate(invalid="ignore", over="ignore"):
            a = a.astype(dtype.np, copy=False)
    if a.dtype.kind not in "biufc":
        raise complain(
            TypeError,
            f"Tensor: initializing tensor by numpy array failed: elements have type {a.dtype}, "
            f"{a.dtype.type}",
            expected="numbers or booleans of one kind",
        )
    return _core.Array.from_numpy(np.ascontiguousarray(a).reshape(a.shape), dt.of(a.dtype).code)


def _cut(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"


def _from_sequence(data, dtype: dt.DType | None) -> tuple:
    """A nested list as an array, and the dtype that it is to have: where none is given, floats become
    float32, integers int64, as in MindSpore; beside tensors numbers are weak.
    """
    tensors: list = []
    plain = _plain(data, tensors)
    try:
        a = np.array(plain)
    except ValueError as e:
        raise complain(
            TypeError,
            f"Tensor: a nested sequence is ragged ({e}). For Tensor, the input_data is "
            f"{_cut(repr(data))} that contain unsupported element.",
            expected="rows of equal length",
        ) from None
    if dtype is None and tensors:
        dtype = _common(data)
    elif dtype is None and a.dtype == np.float64 and not _holds_numpy(data):
        a = a.astype(np.float32)
    return a, dtype


def nested_too_deep() -> Exception:
    """The error of a sequence that no array holds, perhaps one that holds itself."""
    what = f"Tensor: a sequence is nested more than {MOST_DIMS} deep, or holds itself"
    return complain(TypeError, what, expected="rows of numbers")


def _plain(v, tensors: list, depth: int = 0):
    if isinstance(v, OnHost):
        tensors.append(v)
        return v.asnumpy()
    if not isinstance(v, (list, tuple)):
        return v
    if depth == MOST_DIMS:
        raise nested_too_deep()
    return [_plain(e, tensors, depth + 1) for e in v]


def _common(data) -> dt.DType | None:
    """The dtype of a sequence that holds tensors; None where it holds what is no number."""
    dtypes, kinds = set(), set()

    def look(v) -> None:
        if isinstance(v, (list, tuple)):
            for e in v:
                look(e)
        elif isinstance(v, (OnHost, np.ndarray, np.generic)):
            dtypes.add(dt.of(v.dtype))
        else:
            kinds.add(type(v))

    look(data)
    return dt.common(dtypes, kinds) if kinds <= {bool, int, float, complex} else None


def _holds_numpy(v) -> bool:
    while isinstance(v, (list, tuple)) and v:
        v = v[0]
    return isinstance(v, (np.ndarray, np.generic))


def _bfloat16_bits(a: np.ndarray) -> np.ndarray:
    """The bits of ``a`` rounded to bfloat16 (nearest even)."""
    bits = a.astype(np.float32).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype(np.uint16)
    nan = (bits & 0x7FFFFFFF) > 0x7F800000
    return np.where(nan, np.uint16(0x7FC0), rounded).astype(np.uint16)


class OnHost:
    """What a tensor is to Python and NumPy: its elements and how they lie in memory."""

    __slots__ = ()
    _part_of = "Tensor"

    def _outline(self, abstract) -> None:
        """Have a shape and a dtype, and no values."""
        self._abstract, self._shares = abstract, None

    @property
    def ndim(self) -> int:
        """The number of dimensions.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([[1.0, 2.0, 3.0]]).ndim
            2
        """
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([[1.0, 2.0, 3.0]]).size
            3
        """
        return self.abstract.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0], ms.float16).itemsize
            2
        """
        return self.abstract.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0, 2.0]).nbytes
            8
        """
        return self.size * self.itemsize

    @property
    def device(self) -> str:
        """The device that holds the elements: "CPU", or a kind and a number such as "GPU:0".

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).device
            'CPU'
        """
        return devices.shown(self._array.device)

    @property
    def strides(self) -> tuple:
        """Bytes to step in each dimension.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([[1.0, 2.0, 3.0]]).strides
            (12, 4)
        """
        return self._raw().strides

    def stride(self, dim: int | None = None) -> list | int:
        """Elements to step in each dimension, or in one; of a view, in what it is a view of.

        Args:
            dim (int): the dimension. Default None, all.

        Returns:
            list[int]: one number per dimension; or the number of one.

        Examples:
            >>> Tensor([[1, 2, 3], [4, 5, 6]]).stride()
            [3, 1]
        """
        if type(self._shares) is tuple:
            steps = list(self._shares[1].strides)
            for i in reversed(range(len(steps))):  # a view notes no step where there is one place
                if self.shape[i] == 1 and steps[i] == 0:
                    last = i + 1 == len(steps)
                    steps[i] = 1 if last else steps[i + 1] * max(self.shape[i + 1], 1)
        else:
            steps = [n // max(self.itemsize, 1) for n in self.strides]
        return steps if dim is None else steps[dim]

    def data_ptr(self) -> int:
        """The address of the first element.

        Returns:
            int: the address in the host's memory.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).data_ptr() > 0
            True
        """
        return self._array.data_ptr

    def get_bytes(self) -> bytes:
        r"""The bytes of the elements, row by row.

        Returns:
            bytes: ``nbytes`` of them.

        Examples:
            >>> Tensor([1], ms.int16).get_bytes()
            b'\x01\x00'
        """
        return self._raw().tobytes()

    @staticmethod
    def convert_bytes_to_tensor(
        bytes_data: bytes, shape: tuple, dtype: dt.DType, type_name: str = ""
    ):
        r"""The Tensor of ``shape`` and ``dtype`` whose elements have these bytes.

        Args:
            bytes_data (bytes): the elements, row by row.
            shape (tuple[int]): the shape.
            dtype (dtype): the element type.
            type_name (str): without effect.

        Returns:
            Tensor: with a copy of the bytes.

        Raises:
            ValueError: there are more or fewer bytes.

        Examples:
            >>> Tensor.convert_bytes_to_tensor(b"\x01\x00", (1,), ms.int16).tolist()
            [1]
        """
        dtype = dt.of(dtype)
        raw = np.frombuffer(bytes_data, dtype.np).reshape(shape)
        return _core.wrap(_core.Array.from_numpy(raw, dtype.code))

    def itemset(self, *args):
        """A tensor with one element replaced: ``itemset(index, value)``, or ``itemset(value)`` of a
        single one.

        Args:
            args (int | tuple[int], number): the index, an int counts the elements row by row, and
                the value; or the value alone.

        Returns:
            Tensor: a new one.

        Raises:
            IndexError: the index is out of range.

        Examples:
            >>> Tensor([[1, 2], [3, 4]]).itemset((0, 1), 9).tolist()
            [[1, 9], [3, 4]]
        """
        raw = np.array(self._raw())
        *index, value = args
        if index and not isinstance(index[0], tuple):
            index = [np.unravel_index(int(index[0]), raw.shape)]
        raw[index[0] if index else (0,) * raw.ndim] = array_of(value, self.dtype).numpy()
        return _core.wrap(_core.Array.from_numpy(raw, self.dtype.code))

    def _raw(self) -> np.ndarray:
        return self._array.numpy()

    def asnumpy(self) -> np.ndarray:
        """The values as a NumPy array that shares memory with this tensor.

        A bfloat16 tensor is converted to float32, which is a copy. What is written to the array
        is seen by the tensor; an update of a Parameter by a compiled program is not seen by
        arrays taken before it.

        Returns:
            numpy.ndarray: of the shape of the tensor.

        Examples:
            >>> import minds as ms
            >>> x = ms.Tensor([1.0, 2.0])
            >>> x.asnumpy()[0] = 5.0
            >>> print(x)
            [5. 2.]
        """
        a = self._raw()
        if self.dtype is dt.bfloat16:
            return (a.astype(np.uint32) << 16).view(np.float32)
        return a

    numpy = asnumpy

    @staticmethod
    def from_numpy(array: np.ndarray):
        """A Tensor from a NumPy array.

        It shares memory with an array that is contiguous, writeable and aligned to 64 bytes, and
        has a copy of any other.

        Args:
            array (numpy.ndarray): the values.

        Returns:
            Tensor: of the array's shape and dtype.

        Raises:
            TypeError: ``array`` is no NumPy array or has a dtype that minds lacks.

        Examples:
            >>> import minds as ms
            >>> import numpy as np
            >>> print(ms.Tensor.from_numpy(np.array([1.0, 2.0])))
            [1. 2.]
        """
        if not isinstance(array, np.ndarray):
            raise complain(
                TypeError,
                f"from_numpy: array has type {type(array).__name__}",
                expected="a numpy.ndarray",
            )
        return _core.wrap(_core.Array.from_numpy(array, dt.of(array.dtype).code, copy=False))

    def item(self, *index):
        """The only element as a Python number, or the one at ``index``.

        Args:
            index (int ..., tuple[int]): one int per dimension, or one that counts the elements row
                by row. Default none, for the only element.

        Returns:
            bool, int, float, complex: the element.

        Raises:
            ValueError: there is more than one element and no index.
            IndexError: the index is out of range.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([[1.0, 2.0]]).item(0, 1), ms.Tensor(3).item()
            (2.0, 3)
        """
        if index:
            return self.asnumpy().item(*index)
        if self.size != 1:
            raise complain(
                ValueError,
                f"item: the tensor has {self.size} elements",
                expected="exactly one",
                cure="give an index",
            )
        return self._array.item()

    def tolist(self) -> list:
        """The values as nested Python lists.

        Returns:
            list: as deep as the tensor has dimensions; a number for rank 0.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([[1, 2], [3, 4]]).tolist()
            [[1, 2], [3, 4]]
        """
        return self.asnumpy().tolist()

    def __array__(self, dtype=None, copy=None):
        a = self.asnumpy()
        return a if dtype is None else a.astype(dtype)

    def __dlpack__(self, **kwargs):
        return self._array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()

    @property
    def __cuda_array_interface__(self) -> dict:
        return self._array.__cuda_array_interface__

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ambiguous(self.abstract)
        return bool(self.item())

    def __int__(self) -> int:
        return int(self._alone("int"))

    def __float__(self) -> float:
        return float(self._alone("float"))

    def _alone(self, kind: str):
        """The only element, for a call of ``kind``."""
        if self.size != 1:
            raise no_scalar(self.abstract, kind)
        return self.item()

    def __index__(self) -> int:
        if not ((self.dtype.is_int or self.dtype.is_bool) and self.size == 1):
            raise no_index(self.abstract)
        return int(self.item())

    def __str__(self) -> str:
        return str(self.asnumpy())

    def __format__(self, spec: str) -> str:
        return format(self.item() if spec and self.size == 1 else str(self), spec)
