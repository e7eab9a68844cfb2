"""`Tensor` and `Parameter`: thin handles over a native array.

A change in place exchanges the array of a Tensor; a Parameter is a box whose content `assign` and
`set_data` exchange. The array is in the slot ``_holds`` and read as ``_array``: that of a view that is
out of date is computed then (`eager_views`). Methods and operators are ordinary functions over ops,
installed from `minds.ops.methods`.
"""

from __future__ import annotations

import numpy as np

from . import _core
from .base import devices
from .base import dtype as dt
from .base.errors import class_of, complain
from .ir.abstract import AbstractTensor
from .ir.dim import Dim

_PYTHON_NUMBERS = (bool, int, float)


def _to_array(data, dtype: dt.DType | None) -> _core.Array:
    """A native array with a copy of ``data`` (NumPy array, number, nested sequence, Tensor)."""
    if isinstance(data, Tensor):
        if dtype is None or dtype is data.dtype:
            return data._array.copy()
        data = data.asnumpy()
    elif isinstance(data, (list, tuple)):
        data = _from_sequence(data, dtype)
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
            f"Tensor: elements have type {a.dtype}",
            expected="numbers or booleans of one kind",
        )
    return _core.Array.from_numpy(np.ascontiguousarray(a).reshape(a.shape), dt.of(a.dtype).code)


def _from_sequence(data, dtype: dt.DType | None) -> np.ndarray:
    """A nested list as an array: where no dtype is given, floats become float32, integers int64, as
    in MindSpore.
    """
    try:
        a = np.array([_plain(v) for v in data])
    except ValueError as e:
        raise complain(
            TypeError, f"Tensor: a nested sequence is ragged ({e})", expected="rows of equal length"
        ) from None
    if dtype is None and a.dtype == np.float64 and not _holds_numpy(data):
        a = a.astype(np.float32)
    return a


def _plain(v):
    return (
        v.asnumpy()
        if isinstance(v, Tensor)
        else [_plain(e) for e in v]
        if isinstance(v, (list, tuple))
        else v
    )


def _holds_numpy(v) -> bool:
    while isinstance(v, (list, tuple)) and v:
        v = v[0]
    return isinstance(v, (np.ndarray, np.generic, Tensor))


def _bfloat16_bits(a: np.ndarray) -> np.ndarray:
    """The bits of ``a`` rounded to bfloat16 (nearest even)."""
    bits = a.astype(np.float32).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype(np.uint16)
    nan = (bits & 0x7FFFFFFF) > 0x7F800000
    return np.where(nan, np.uint16(0x7FC0), rounded).astype(np.uint16)


def ambiguous(a) -> Exception:
    """The error of a truth that a tensor of abstract value ``a`` does not have."""
    count = "more than one element" if a.size else "no element"
    what = f"The truth value of an array with {count} is ambiguous. It is {a!r}"
    error = complain(ValueError, what, expected="one element", cure="use .any() or .all()")
    error.complaint.inner = error  # inside of a function of minds, it is about an argument of that
    return error


class TensorType:
    """A shape and a dtype without values: what `Tensor` makes of these alone, as for
    `Cell.set_inputs`.

    Args:
        shape (int | None | tuple | list): the dimensions; None, -1, a `Dim` or a `Symbol` for those
            that vary. None alone leaves the rank open too: there is one program per rank, and the
            shape is (-2,).
        dtype (dtype): the element type.

    Attributes:
        dims: the dimensions as given, None for those that vary; None if the rank is open.
        shape: MindSpore's view of them, with -1 for what varies and -2 for an open rank.

    Raises:
        TypeError: a dimension is none of these.
        ValueError: a dimension is negative.

    Examples:
        >>> Tensor(shape=[None, 3], dtype=ms.float32).shape
        (-1, 3)
    """

    __slots__ = ("dims", "dtype", "shape")

    def __init__(self, shape, dtype):
        self.dtype, self.dims, self.shape = dt.of(dtype), None, (-2,)
        if shape is not None:
            dims = shape if isinstance(shape, (tuple, list)) else (shape,)
            self.dims = tuple([_declared_dim(d) for d in dims])
            self.shape = tuple([d if type(d) is int else -1 for d in self.dims])

    def __repr__(self) -> str:
        shape = [-1 if d is None else d for d in self.dims or self.shape]
        return f"Tensor(shape={shape}, dtype={self.dtype}, value=\n)"


def _declared_dim(d):
    """A dimension of a declaration: an int, None, or what describes one that varies."""
    if d is None or type(d) is Dim or hasattr(d, "dim"):
        return d
    if isinstance(d, bool) or not hasattr(d, "__index__"):
        raise complain(
            TypeError, f"Tensor: a dimension is {d!r}", expected="an int, None, a Dim or a Symbol"
        )
    if int(d) < -1:
        raise complain(
            ValueError,
            f"Tensor: a dimension is {d}",
            expected="at least 0, or None for one that varies",
        )
    return None if d == -1 else int(d)


def _read_by(get):
    """A property that the core reads; the decorated function documents it."""
    return lambda documented: property(get, doc=documented.__doc__)


class Tensor:
    """A dense, row-major array of one dtype on a device.

    Args:
        input_data (Tensor, number, numpy.ndarray, list, tuple): the values, copied. Default None.
        dtype (dtype): the element type. Default None, which keeps NumPy's, and gives float32, int64
            or bool for Python values.
        shape (tuple[int]): with ``init``, the shape; alone with ``dtype`` it makes a `TensorType`.
            Default None.
        init (Initializer): fills a tensor of ``shape`` and ``dtype``. Default None.
        const_arg (bool): without effect. Default False.

    Raises:
        TypeError: ``input_data`` holds no numbers, or a nested sequence is ragged; ``dtype`` is
            NumPy's.
        ValueError: ``shape`` does not fit ``input_data``.

    Examples:
        >>> import minds as ms
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> x.shape, x.dtype
        ((2, 2), Float32)
    """

    __slots__ = ("_holds", "_abstract", "_shares", "__weakref__")

    def __new__(cls, input_data=None, dtype=None, shape=None, init=None, *args, **kwargs):
        if (
            cls is Tensor
            and input_data is None
            and init is None
            and isinstance(dtype, (dt.DType, str))
        ):
            return TensorType(shape, dtype)
        return object.__new__(cls)

    def __init__(self, input_data=None, dtype=None, shape=None, init=None, const_arg=False):
        if isinstance(dtype, np.dtype) or isinstance(dtype, type) and issubclass(dtype, np.generic):
            raise complain(
                TypeError,
                f"Tensor: dtype is NumPy's {np.dtype(dtype).name}",
                expected="one of minds",
                cure=f"pass ms.{np.dtype(dtype).name}",
            )
        dtype = None if dtype is None else dt.of(dtype)
        if init is not None:
            if shape is None or dtype is None:
                raise complain(ValueError, "Tensor: init needs shape and dtype")
            filled = np.zeros(
                (shape,) if isinstance(shape, int) else tuple(shape),
                np.float32 if dtype is dt.bfloat16 else dtype.np,
            )
            init(filled)
            self._array = _to_array(filled, dtype)
        elif input_data is None:
            raise complain(TypeError, "Tensor: neither input_data nor init is given")
        else:
            self._array = _to_array(input_data, dtype)
        self._abstract = self._shares = None
        if init is None and shape is not None:
            self._array = _core.Array.from_numpy(
                np.broadcast_to(self._raw(), shape), self._array.dtype
            )

    @classmethod
    def _wrap(cls, array: _core.Array) -> Tensor:
        """A Tensor around a native array, without a copy."""
        return _core.wrap(array)

    @_read_by(_core.abstract_of)
    def abstract(self) -> AbstractTensor:
        """Shape and dtype as one interned value.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0, 2.0]).abstract
            Tensor[(2,), float32]
        """

    @_read_by(_core.shape_of)
    def shape(self) -> tuple:
        """The dimensions, a tuple of ints.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([[1.0, 2.0, 3.0]]).shape
            (1, 3)
        """

    @_read_by(_core.dtype_of)
    def dtype(self) -> dt.DType:
        """The element type.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).dtype, ms.Tensor([1]).dtype
            (Float32, Int64)
        """

    @property
    def ndim(self) -> int:
        """The number of dimensions.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([[1.0, 2.0, 3.0]]).ndim
            2
        """
        return len(self._array.shape)

    @property
    def size(self) -> int:
        """The number of elements.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([[1.0, 2.0, 3.0]]).size
            3
        """
        return self._array.size

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
        return self._array.nbytes

    @property
    def has_init(self) -> bool:
        """False: data exists from the start.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).has_init
            False
        """
        return False

    @property
    def init(self) -> None:
        """None: data exists from the start.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).init is None
            True
        """
        return None

    @property
    def init_flag(self) -> bool:
        """False: data exists from the start.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).init_flag
            False
        """
        return False

    @property
    def const_arg(self) -> bool:
        """False: contents are run-time data.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).const_arg
            False
        """
        return False

    @property
    def virtual_flag(self) -> bool:
        """False: data exists from the start.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).virtual_flag
            False
        """
        return False

    @property
    def is_meta(self) -> bool:
        """False: data exists from the start.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).is_meta
            False
        """
        return False

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
        else:
            steps = [n // max(self.itemsize, 1) for n in self.strides]
        return steps if dim is None else steps[dim]

    def storage_offset(self) -> int:
        """0: a tensor begins where its memory begins.

        Returns:
            int: 0.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).storage_offset()
            0
        """
        return 0

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
    ) -> Tensor:
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
        return _rebuild(Tensor, np.frombuffer(bytes_data, dtype.np).reshape(shape), dtype.name)

    def itemset(self, *args) -> Tensor:
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
        raw[index[0] if index else (0,) * raw.ndim] = _to_array(value, self.dtype).numpy()
        return _rebuild(Tensor, raw, self.dtype.name)

    def set_const_arg(self, const_arg: bool = True) -> Tensor:
        """This tensor: contents are run-time data, unless a program asks for their value.

        Args:
            const_arg (bool): without effect.

        Returns:
            Tensor: this one.

        Examples:
            >>> import minds as ms
            >>> print(ms.Tensor([1.0]).set_const_arg())
            [1.]
        """
        return self

    def set_dtype(self, dtype: dt.DType) -> dt.DType:
        """Convert the elements in place.

        Args:
            dtype (dtype): the new element type.

        Returns:
            dtype: the same.

        Raises:
            TypeError: ``dtype`` is none.

        Examples:
            >>> import minds as ms
            >>> x = ms.Tensor([1.5])
            >>> x.set_dtype(ms.int32), x.tolist()
            (Int32, [1])
        """
        dtype = dt.of(dtype)
        if dtype is not self.dtype:
            if self._shares is not None:
                self._part()
            self._array, self._abstract = _to_array(self, dtype), None
        return dtype

    def is_pinned(self) -> bool:
        """False: memory of the host is not pinned.

        Returns:
            bool: False.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).is_pinned()
            False
        """
        return False

    def is_shared(self) -> bool:
        """False: the memory belongs to this process.

        Returns:
            bool: False.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).is_shared()
            False
        """
        return False

    def data_sync(self, wait: bool = True) -> None:
        """Nothing happens: the elements are in the memory of the host.

        Args:
            wait (bool): without effect.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).data_sync()
        """

    def assign_value(self, value: Tensor) -> Tensor:
        """Take the value of another tensor.

        Args:
            value (Tensor): of any shape and dtype, copied.

        Returns:
            Tensor: this one.

        Examples:
            >>> import minds as ms
            >>> x = ms.Tensor([1.0])
            >>> _ = x.assign_value(ms.Tensor([2, 3]))
            >>> print(x)
            [2 3]
        """
        if self._shares is not None:
            self._part()
        self._array, self._abstract = value._array.copy(), None
        return self

    @property
    def data(self) -> Tensor:
        """This tensor.

        Examples:
            >>> import minds as ms
            >>> x = ms.Tensor([1.0])
            >>> x.data is x
            True
        """
        return self

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
    def from_numpy(array: np.ndarray) -> Tensor:
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
        return Tensor._wrap(_core.Array.from_numpy(array, dt.of(array.dtype).code, copy=False))

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

    def copy(self) -> Tensor:
        """A tensor of its own with the same values.

        Returns:
            Tensor: of the same shape and dtype.

        Examples:
            >>> import minds as ms
            >>> x = ms.Tensor([1.0])
            >>> y = x.copy()
            >>> x.asnumpy()[0] = 5.0
            >>> print(y)
            [1.]
        """
        return Tensor._wrap(self._array.copy())

    def init_data(self, *args, **kwargs) -> Tensor:
        """This tensor: its data exists from the start.

        Args:
            args (Any), kwargs (Any): without effect.

        Returns:
            Tensor: this one.

        Examples:
            >>> import minds as ms
            >>> print(ms.Tensor([1.0]).init_data())
            [1.]
        """
        return self

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
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __index__(self) -> int:
        if not (self.dtype.is_int and self.size == 1):
            raise complain(
                TypeError, f"{self.abstract!r} cannot be an index", expected="one integer"
            )
        return int(self.item())

    def __len__(self) -> int:
        if not self.shape:
            raise complain(TypeError, "Not support len of a 0-D tensor.")
        return self.shape[0]

    def __iter__(self):
        if not self.shape:
            raise complain(TypeError, "Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(self.shape[0]))

    __hash__ = object.__hash__

    def __reduce__(self):
        return (_rebuild, (Tensor, np.array(self._raw()), self.dtype.name))

    def __deepcopy__(self, memo):
        return self.copy()

    def __repr__(self) -> str:
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value={_value_text(self)})"

    def __str__(self) -> str:
        return str(self.asnumpy())

    def __format__(self, spec: str) -> str:
        return format(self.item() if spec and self.size == 1 else str(self), spec)


_core.set_tensor(Tensor, dt.DType, lambda shape, code: AbstractTensor(shape, dt.from_code(code)))


def _rebuild(cls, raw: np.ndarray, dtype: str):
    return Tensor._wrap(_core.Array.from_numpy(raw, dt.of(dtype).code))


def _value_text(t: Tensor) -> str:
    a = t.asnumpy()
    if a.ndim == 0 and a.dtype.kind == "f":
        return f" {a.item():.6g}"
    if a.ndim == 0 and a.dtype.kind == "c":
        return f" {a.real.item():.6g}{a.imag.item():+.6g}j"
    if a.ndim == 0:
        return f" {a}"
    if not a.size:
        return "\n" if a.ndim > 1 else " "
    text = np.array2string(
        a,
        separator=", ",
        threshold=100,
        formatter=({"float_kind": lambda v: f"{v: .8e}"} if a.dtype.kind == "f" else None),
    )
    return "\n" + text if a.ndim > 1 else " " + text


class Parameter(Tensor):
    """A tensor that training changes.

    Args:
        default_input (Tensor, number, numpy.ndarray, list): the first value, copied; an int is
            int32 where it fits.
        name (str): its name; a Cell gives the attribute's name where this is None. Default None.
        requires_grad (bool): whether `trainable_params` lists it. Default True.
        layerwise_parallel (bool): not to be averaged over devices. Default False.
        parallel_optimizer (bool): may be split by the parallel optimiser. Default True.
        storage_format (str): without effect.

    Raises:
        TypeError: ``name`` is no str, or ``requires_grad`` no bool.

    Examples:
        >>> import minds as ms
        >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
        >>> w.name, w.requires_grad
        ('w', True)
    """

    __slots__ = ("_name", "requires_grad", "layerwise_parallel", "parallel_optimizer", "__dict__")
    default_name = "Parameter"
    # How MindSpore spreads it over devices: attributes that are kept, and have no effect on one.
    comm_fusion, cache_enable, requires_aggr, sliced = 1, False, True, False
    from_ckpt, key, cache_shape = False, -1, ()

    def __init__(
        self,
        default_input,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
        storage_format: str = "",
    ):
        small = type(default_input) is int and -(2**31) <= default_input < 2**31
        super().__init__(default_input, dt.int32 if small else None)
        if name is not None and not isinstance(name, str):
            raise complain(
                TypeError,
                f"Parameter: name has type {type(name).__name__}",
                expected="a str or None",
            )
        if not isinstance(requires_grad, (bool, np.bool_)):
            raise complain(
                TypeError, f"Parameter: requires_grad is {requires_grad!r}", expected="a bool"
            )
        self._name = name or self.default_name
        self.requires_grad, self.layerwise_parallel = bool(requires_grad), layerwise_parallel
        self.parallel_optimizer = parallel_optimizer

    @classmethod
    def _holding(cls, array: _core.Array, name: str) -> Parameter:
        """A parameter around a native array, without a copy."""
        self = cls(0, name)
        self._array, self._abstract, self._shares = array, None, None
        return self

    @property
    def name(self) -> str:
        """The name, unique within a Cell; it can be set to another non-empty str.

        Examples:
            >>> import minds as ms
            >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
            >>> w.name = "v"
            >>> w.name
            'v'
        """
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        if not isinstance(value, str) or not value.strip():
            raise complain(ValueError, f"Parameter: name is {value!r}", expected="a non-empty str")
        self._name = value

    @property
    def data(self) -> Parameter:
        """This parameter.

        Examples:
            >>> import minds as ms
            >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
            >>> w.data is w
            True
        """
        return self

    def value(self) -> Tensor:
        """The present value, as a Tensor that later updates do not change.

        Returns:
            Tensor: of the same shape and dtype.

        Examples:
            >>> import minds as ms
            >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
            >>> before = w.value()
            >>> _ = w.set_data(ms.Tensor([2.0]))
            >>> print(before, w.value())
            [1.] [2.]
        """
        return Tensor._wrap(self._array.reshape(self.shape))

    def set_data(self, data, slice_shape: bool = False) -> Parameter:
        """Replace the value. Views of the old value keep it; `ops.assign` changes them too.

        Args:
            data (Tensor, number, numpy.ndarray): the new value, copied; cast to this dtype.
            slice_shape (bool): whether the shape may change. Default False.

        Returns:
            Parameter: this one.

        Raises:
            TypeError: ``data`` has a dtype that does not convert without loss of kind.
            ValueError: the shape differs and ``slice_shape`` is False.

        Examples:
            >>> import minds as ms
            >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
            >>> print(w.set_data(ms.Tensor([2.0])).value())
            [2.]
        """
        if self._shares is not None:
            self._part()
        return self._fill(data, slice_shape)

    def _fill(self, data, slice_shape: bool = False) -> Parameter:
        """`set_data` that views of this parameter see."""
        if not isinstance(data, (Tensor, bool, int, float, np.ndarray)):
            raise complain(
                TypeError,
                f"set_data: data has type {type(data).__name__}",
                expected="a Tensor or a number",
            )
        if not isinstance(data, Tensor):
            data = Tensor(data, self.dtype)
        if data.shape != self.shape and not slice_shape:
            raise complain(
                ValueError,
                f"set_data: Parameter {self.name!r} has shape {self.shape}, data {data.shape}",
                cure="pass slice_shape=True to change the shape",
            )
        if "buif".index(data.dtype.kind) > "buif".index(self.dtype.kind):
            raise complain(
                TypeError,
                f"set_data: Parameter {self.name!r} is {self.dtype.name}, data {data.dtype.name}",
                cure="cast the data first",
            )
        self._exchange(_to_array(data, self.dtype))
        self._abstract = None
        return self

    def _exchange(self, array: _core.Array) -> None:
        """Hold another array; `eager.py` replaces this by what also tells the tapes."""
        self._array.assign(array, force=True)

    def clone(self, init: str | Tensor | float = "same") -> Parameter:
        """A new parameter of the same shape, dtype and settings.

        Args:
            init (str, Tensor, number): ``"same"`` copies the values, ``"zeros"``, ``"ones"`` or a
                number fills, a Tensor gives them. Default "same".

        Returns:
            Parameter: of the same name.

        Examples:
            >>> import minds as ms
            >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
            >>> print(w.clone("zeros").value())
            [0. 0.]
        """
        if isinstance(init, str) and init == "same":
            data = self
        elif isinstance(init, Tensor):
            data = init
        else:
            number = {"zeros": 0, "ones": 1}.get(init, init)
            data = Tensor._wrap(_core.Array.full(self.shape, self.dtype.code, number))
        return Parameter(
            data, self.name, self.requires_grad, self.layerwise_parallel, self.parallel_optimizer
        )

    def __deepcopy__(self, memo):
        made = memo[id(self)] = self.clone()
        made.__dict__.update(self.__dict__)
        return made

    def __reduce__(self):
        return (
            _rebuild_parameter,
            (np.array(self._raw()), self.dtype.name, self.name, self.requires_grad),
        )

    def __repr__(self) -> str:
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, "
            f"requires_grad={self.requires_grad})"
        )

    __str__ = __repr__


def _rebuild_parameter(raw: np.ndarray, dtype: str, name: str, requires_grad: bool) -> Parameter:
    return Parameter(_rebuild(Tensor, raw, dtype), name, requires_grad)


def check_names(parameters) -> None:
    """Raise ValueError where two of these parameters have one name, which was given to them."""
    named: dict[str, Parameter] = {}
    for p in parameters:
        if named.setdefault(p.name, p) is not p and p.name != "Parameter":
            raise complain(
                ValueError,
                f"The value {p} , its name {p.name!r} already exists.",
                cure="give one of them another name",
            )


class ParameterTuple(tuple):
    """A tuple of parameters, usually `Cell.trainable_params()`.

    Args:
        iterable (Iterable[Parameter]): the parameters. Default ().

    Raises:
        TypeError: an element is no Parameter.
        ValueError: two of them have one name, which was given to them.

    Examples:
        >>> import minds as ms
        >>> [p.name for p in ms.ParameterTuple([ms.Parameter([1.0], name="w")])]
        ['w']
    """

    __slots__ = ()

    def __new__(cls, iterable=()):
        try:
            items = tuple(iterable)
        except TypeError:
            what = f"ParameterTuple: iterable has type {type(iterable).__name__}"
            raise complain(TypeError, what, expected="Parameters") from None
        for p in items:
            if not isinstance(p, Parameter):
                raise complain(
                    TypeError,
                    f"ParameterTuple: an element has type {type(p).__name__}",
                    expected="Parameters",
                )
        check_names(items)
        return tuple.__new__(cls, items)

    def clone(self, prefix: str, init: str | float = "same") -> ParameterTuple:
        """New parameters, named ``prefix.name``.

        Args:
            prefix (str): stands before each name.
            init (str, number): ``same`` for the same values, ``zeros``, ``ones`` or a number.
                Default ``same``.

        Returns:
            ParameterTuple: the new ones.

        Examples:
            >>> import minds as ms
            >>> made = ms.ParameterTuple([ms.Parameter([1.0], name="w")]).clone("old", "zeros")
            >>> made[0].name, made[0].asnumpy().tolist()
            ('old.w', [0.0])
        """
        made = ParameterTuple(p.clone(init) for p in self)
        for new, old in zip(made, self):
            new.name = f"{prefix}.{old.name}"
        return made

    def __deepcopy__(self, memo):
        return ParameterTuple(p.__deepcopy__(memo) for p in self)


def tensor(input_data=None, dtype=None, shape=None, init=None, const_arg=False) -> Tensor:
    """A new tensor; what `Tensor` makes of the same arguments.

    Args:
        input_data (Tensor, number, numpy.ndarray, list, tuple): the values, copied.
        dtype (dtype): the element type. Default None, that of the values.
        shape (tuple[int]): with ``init``, the shape. Default None.
        init (Initializer): fills a tensor of ``shape`` and ``dtype``. Default None.
        const_arg (bool): without effect.

    Returns:
        Tensor: the tensor.

    Examples:
        >>> import minds as ms
        >>> ms.tensor([1, 2]).dtype
        Int64
    """
    return Tensor(input_data, dtype, shape, init, const_arg)


def expect_to_hold(variable, dtype: dt.DType, by_kind: bool = False) -> None:
    """Raise unless a tensor of this dtype may be assigned to a parameter or tensor: the two
    together have its dtype. Of a number only its kind counts.

    Raises:
        TypeError: it may not.
    """
    held = variable.abstract.dtype
    if by_kind:
        fits = "buif".index(dtype.kind) <= "buif".index(held.kind)
    else:
        fits = dt.promote(held, dtype) is held
    if not fits:
        what = f"Parameter {variable.name!r}" if isinstance(variable, Parameter) else "variable"
        raise complain(
            TypeError,
            f"assign: {what} is {held.name}, the value {dtype.name}",
            expected="a dtype that converts to that of the Parameter or Tensor",
            cure="cast the value first",
        )


def scalar_tensor(number, dtype: dt.DType) -> Tensor:
    """A Tensor of rank 0, on the host: operations on a device take it from there."""
    if dtype.is_complex:
        return Tensor._wrap(
            _core.Array.from_numpy(np.array(number, dtype.np), dtype.code, device="cpu")
        )
    return Tensor._wrap(_core.Array.full((), dtype.code, number, "cpu"))
