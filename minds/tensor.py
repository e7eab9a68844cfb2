"""`Tensor` and `Parameter`: thin handles over a native array.

A change in place exchanges the array of a Tensor; a Parameter is a box whose content `assign` and
`set_data` exchange. The array is in the slot ``_holds`` and read as ``_array``: that of a view that is
out of date is computed then (`eager_views`), and what lies in parts on several processes is gathered
(`sharding.parts`). Methods and operators are ordinary functions over ops, from `minds.ops.methods`.
"""

from __future__ import annotations

import numpy as np

from . import _core
from .arrays.constants import AlwaysSo, DescribesItself, check_const_arg
from .arrays.host import OnHost, array_of
from .arrays.shown import shown_values
from .arrays.stored import Stored
from .base import dtype as dt
from .base import outlines
from .base.errors import NoValues, complain
from .ir.abstract import AbstractTensor
from .ir.dim import Dim


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


def element_dtype(dtype) -> dt.DType | None:
    """The dtype that `Tensor` is told, which is none of NumPy's."""
    if isinstance(dtype, np.dtype) or isinstance(dtype, type) and issubclass(dtype, np.generic):
        raise complain(
            TypeError,
            f"Tensor: dtype is NumPy's {np.dtype(dtype).name}",
            expected="one of minds",
            cure=f"pass ms.{np.dtype(dtype).name}",
        )
    return None if dtype is None else dt.of(dtype)


def _read_by(get):
    """A property that the core reads; the decorated function documents it."""
    return lambda documented: property(get, doc=documented.__doc__)


class Tensor(OnHost, Stored, AlwaysSo):
    """A dense, row-major array of one dtype on a device.

    Args:
        input_data (Tensor, number, numpy.ndarray, list, tuple): the values, copied. Gradients flow
            to the tensors among them; `ops.stop_gradient` is how to detach one. Default None.
        dtype (dtype): the element type. Default None, which keeps NumPy's, and gives float32, int64
            or bool for Python values.
        shape (tuple[int]): with ``init``, the shape; alone with ``dtype`` it makes a `TensorType`.
            Default None.
        init (Initializer): fills a tensor of ``shape`` and ``dtype``. Default None.
        const_arg (bool): without effect. Default False.

    Raises:
        TypeError: ``input_data`` holds no numbers, or a nested sequence is ragged; ``dtype`` is
            NumPy's; ``const_arg`` is no bool.
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
            return object.__new__(TensorType)
        return object.__new__(cls)

    def __init__(self, input_data=None, dtype=None, shape=None, init=None, const_arg=False):
        if const_arg is not False:
            check_const_arg("Tensor", const_arg)
        dtype = element_dtype(dtype)
        if init is not None:
            if shape is None or dtype is None:
                raise complain(ValueError, "Tensor: init needs shape and dtype")
            shape = (shape,) if isinstance(shape, int) else tuple(shape)
            if outlines.is_on():
                self._outline(AbstractTensor(shape, dtype))
                return
            filled = np.zeros(shape, np.float32 if dtype is dt.bfloat16 else dtype.np)
            init(filled)
            self._array = array_of(filled, dtype)
        elif input_data is None:
            raise complain(TypeError, "Tensor: neither input_data nor init is given")
        elif outlines.is_on() and isinstance(input_data, Tensor):
            self._outline(AbstractTensor(input_data.shape, dtype or input_data.dtype))
            return
        else:
            self._array = array_of(input_data, dtype)
        self._abstract = self._shares = None
        if init is None and shape is not None:
            wide = np.broadcast_to(self._raw(), shape)
            self._array = _core.Array.from_numpy(wide, self._array.dtype)
        if isinstance(input_data, (Tensor, list, tuple)) and _core.active_tapes():
            self._follow(input_data)

    def _follow(self, data) -> None:
        """Tell the tapes of what tensors this is made; `eager.py` replaces this."""

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
            self._hold(array_of(self, dtype))
        return dtype

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
        self._hold(value._array.copy())
        return self

    def _hold(self, array: _core.Array) -> None:
        """Have another array, of any shape and dtype."""
        self._array, self._abstract = array, None

    def __len__(self) -> int:
        if not self.shape:
            raise complain(TypeError, "Not support len of a 0-D tensor.")
        return self._rows()

    def __iter__(self):
        if not self.shape:
            raise complain(TypeError, "Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(self._rows()))

    def _rows(self) -> int:
        """The size of the first dimension, which a tensor that only declares a shape may leave open."""
        if self.shape[0] < 0:
            raise complain(
                TypeError, f"Tensor(shape={self.shape}): the number of rows is left open"
            )
        return self.shape[0]

    __hash__ = object.__hash__

    def __reduce__(self):
        return (_rebuild, (Tensor, np.array(self._raw()), self.dtype.name))

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __repr__(self) -> str:
        shown = shown_values(self.asnumpy(), self.dtype is dt.bfloat16)
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value={shown})"


_core.set_tensor(Tensor, dt.DType, lambda shape, code: AbstractTensor(shape, dt.from_code(code)))


class TensorType(Tensor):
    """A Tensor of shape and dtype alone: what `Tensor` makes of these, as for `Cell.set_inputs`.

    Args:
        input_data, init, const_arg: those of `Tensor`, without effect.
        dtype (dtype): the element type.
        shape (int | None | tuple | list): the dimensions; None, -1, a `Dim` or a `Symbol` for those
            that vary. None alone leaves the rank open too: there is one program per rank, and the
            shape is (-2,).

    Attributes:
        dims: the dimensions as given, None for those that vary; None if the rank is open.
        shape: MindSpore's view of them, with -1 for what varies and -2 for an open rank.

    Raises:
        TypeError: a dimension is none of these; or, later, its values are asked for.
        ValueError: a dimension is negative.

    Examples:
        >>> Tensor(shape=[None, 3], dtype=ms.float32).shape
        (-1, 3)
    """

    __slots__ = ("dims", "dtype", "shape")

    def __init__(self, input_data=None, dtype=None, shape=None, init=None, const_arg=False):
        self._shares = ()  # so that the core asks for the values by `_catch_up`
        self.dtype, self.dims, self.shape = dt.of(dtype), None, (-2,)
        if shape is not None:
            dims = shape if isinstance(shape, (tuple, list)) else (shape,)
            self.dims = tuple([_declared_dim(d) for d in dims])
            self.shape = tuple([d if type(d) is int else -1 for d in self.dims])

    def _catch_up(self):
        raise complain(
            NoValues,
            f"{' '.join(repr(self).split())} has no values",
            cure="pass a tensor; this one declares a shape and a dtype, as for set_inputs",
        )

    def __deepcopy__(self, memo):
        return self

    def copy(self) -> TensorType:
        """The same; what is declared does not change.

        Returns:
            TensorType: this one.

        Examples:
            >>> declared = Tensor(shape=[None], dtype=ms.float32)
            >>> declared.copy() is declared
            True
        """
        return self

    __copy__ = copy

    def __reduce__(self):
        return (TensorType, (None, self.dtype, self.dims))

    def __repr__(self) -> str:
        shape = [-1 if d is None else d for d in self.dims or self.shape]
        return f"Tensor(shape={shape}, dtype={self.dtype}, value=\n)"

    __str__ = __repr__


def _rebuild(cls, raw: np.ndarray, dtype: str):
    return Tensor._wrap(_core.Array.from_numpy(raw, dt.of(dtype).code))


class Parameter(DescribesItself, Tensor):
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
        TypeError: ``requires_grad`` or ``layerwise_parallel`` is no bool.
        ValueError: ``name`` is no str, as MindSpore says.

    Examples:
        >>> import minds as ms
        >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
        >>> w.name, w.requires_grad
        ('w', True)
    """

    __slots__ = (
        "_name",
        "requires_grad",
        "layerwise_parallel",
        "parallel_optimizer",
        "lies",
        "__dict__",
    )
    default_name = "Parameter"
    # How MindSpore spreads it over devices: attributes that are kept, and have no effect on one.
    comm_fusion, cache_enable, requires_aggr, sliced = 1, False, True, False
    from_ckpt, key, cache_shape = False, -1, ()
    is_init, parallel_optimizer_comm_recompute, is_in_parallel = False, False, False
    # A parameter holds its data from the start, so that no other takes its place later.
    inited_param, init_mode, is_default_input_init = None, None, False
    is_state = False
    """Whether it is what an optimiser keeps of another one, and so no weight."""

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
                ValueError,
                f"Parameter: name has type {type(name).__name__}",
                expected="a str or None",
            )
        flags = ("requires_grad", requires_grad), ("layerwise_parallel", layerwise_parallel)
        for flag, given in flags:
            if not isinstance(given, (bool, np.bool_)):
                raise complain(TypeError, f"Parameter: {flag} is {given!r}", expected="a bool")
        self.lies = None  # its `sharding.parts.InParts`, if it lies in parts
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
        same = data.shape == self.shape
        if not same:
            self._hold(self._array)
        self._exchange(array_of(data, self.dtype))
        if not same:
            self._abstract = None
        return self

    def _hold(self, array: _core.Array) -> None:
        self.lies = None
        super()._hold(array)

    def _catch_up(self) -> None:
        """Hold all of what lies in parts."""
        if self.lies is None:
            super()._catch_up()
        else:
            self._array = self.lies.gathered(self)

    def _raw(self) -> np.ndarray:
        return (self._array if self.lies is None else self.lies.gathered(self)).numpy()

    def _follow(self, data) -> None:
        """A parameter begins anew: no gradient flows to what it was made of."""

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
        if isinstance(init, str) and init == "same" or outlines.is_on():
            data = self
        elif isinstance(init, Tensor):
            data = init
        else:
            number = {"zeros": 0, "ones": 1}.get(init, init)
            data = Tensor._wrap(_core.Array.full(self.shape, self.dtype.code, number))
        return Parameter(
            data, self.name, self.requires_grad, self.layerwise_parallel, self.parallel_optimizer
        )

    def __copy__(self) -> Parameter:
        return _rebuild_parameter(*self.__reduce__()[1])

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


def scalar_tensor(number, dtype: dt.DType) -> Tensor:
    """A Tensor of rank 0, on the host: operations on a device take it from there."""
    if dtype.is_complex:
        return Tensor._wrap(
            _core.Array.from_numpy(np.array(number, dtype.np), dtype.code, device="cpu")
        )
    return Tensor._wrap(_core.Array.full((), dtype.code, number, "cpu"))
