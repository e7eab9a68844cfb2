"""`Tensor` and its relatives, written by tools/make_stubs.py; not to be edited."""

import builtins
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _core
from .base import dtype as dt
from .ir.abstract import AbstractTensor

class Tensor:
    """A dense, row-major array of one dtype on a device."""

    _array: _core.Array
    _abstract: AbstractTensor | None
    _shares: Any

    _part_of: str
    @property
    def has_init(self) -> builtins.bool:
        """False: data exists from the start."""
    @property
    def init(self) -> None:
        """None: data exists from the start."""
    @property
    def init_flag(self) -> builtins.bool:
        """False: data exists from the start."""
    @property
    def const_arg(self) -> builtins.bool:
        """False: contents are run-time data."""
    @property
    def virtual_flag(self) -> builtins.bool:
        """False: data exists from the start."""
    @property
    def is_meta(self) -> builtins.bool:
        """False: data exists from the start."""
    def storage_offset(self) -> builtins.int:
        """0: a tensor begins where its memory begins."""
    def set_const_arg(self, const_arg: builtins.bool = True) -> Tensor:
        """This tensor: contents are run-time data, unless a program asks for their value."""
    def is_pinned(self) -> builtins.bool:
        """False: memory of the host is not pinned."""
    def is_shared(self) -> builtins.bool:
        """False: the memory belongs to this process."""
    def data_sync(self, wait: builtins.bool = True) -> None:
        """Nothing happens: the elements are in the memory of the host."""
    def init_data(self, *args, **kwargs) -> Tensor:
        """This tensor: its data exists from the start."""
    @property
    def data(self) -> Any:
        """This tensor."""
    @property
    def delta_seed(self) -> builtins.int:
        """0: data exists from the start."""
    @property
    def init_finished(self) -> builtins.bool:
        """True: data exists from the start."""
    @property
    def param_info(self) -> Any:
        """What describes a tensor that is a parameter: a Parameter describes itself. Subclasses of Tensor may be given a `ParamInfo`; of other tensors this is None."""
    @param_info.setter
    def param_info(self, value: Any) -> None: ...
    @property
    def parent_tensor_(self) -> None:
        """None: a tensor has no other one for a parent."""
    @property
    def index_of_parent_(self) -> None:
        """None: a tensor has no other one for a parent."""
    @property
    def symbolic_shape(self) -> None:
        """None: the sizes of a tensor are known."""
    def flush_from_cache(self) -> None:
        """Nothing happens: the elements are in memory."""
    def wait_pipeline(self) -> None:
        """Nothing happens: a result is there when its call returns, or waits by itself."""
    def set_init_flag(self, flag: builtins.bool) -> None:
        """Nothing happens: data exists from the start."""
    def set_cast_dtype(self, dtype=None) -> None:
        """Nothing happens: what is kept is in the tensor's dtype."""
    _offered: bool
    def untyped_storage(self) -> Any:
        """The memory as bytes."""
    def storage(self) -> Any:
        """The memory as bytes."""
    def set_(self, source) -> Tensor:
        """Take the shape, dtype and elements of another tensor."""
    def requires_grad_(self, requires_grad: builtins.bool = True) -> Tensor:
        """Set whether a Parameter is trained; of another tensor, whose gradient `grad` takes where it is asked for, nothing changes."""
    def to_(self, to: str, non_blocking: builtins.bool = False) -> Tensor:
        """This tensor, which is on the host."""
    @staticmethod
    def from_dlpack(dlpack) -> Tensor:
        """A Tensor that shares the memory of another framework's, as `minds.from_dlpack`."""
    def to_dlpack(self) -> Any:
        """A capsule with the memory, for one consumer."""
    def index(self, indices: tuple) -> Tensor:
        """The elements at some places, as ``x[indices]``."""
    def assign_value_cpp(self, value) -> Tensor:
        """`Tensor.assign_value` under another name."""
    def pin_memory(self) -> Any:
        """Refused: memory is pinned for Ascend devices."""
    def delete_(self) -> Tensor:
        """Refused: the memory of a tensor is given back when nothing holds it."""
    def _load(self) -> None:
        """Bring what is on the host to the device: tensors are where programs run."""
    def offload(self, file_path=None, release: builtins.bool = True) -> Any:
        """Refused: tensors are kept in memory."""
    def offload_file_path(self) -> str:
        """``""``: tensors are kept in memory."""
    def _outline(self, abstract) -> None:
        """Have a shape and a dtype, and no values."""
    @property
    def ndim(self) -> builtins.int:
        """The number of dimensions."""
    @property
    def size(self) -> builtins.int:
        """The number of elements."""
    @property
    def itemsize(self) -> builtins.int:
        """Bytes of one element."""
    @property
    def nbytes(self) -> builtins.int:
        """Bytes of all elements."""
    @property
    def device(self) -> str:
        """The device that holds the elements: "CPU", or a kind and a number such as "GPU:0"."""
    @property
    def strides(self) -> tuple:
        """Bytes to step in each dimension."""
    def stride(self, dim: builtins.int | None = None) -> list | builtins.int:
        """Elements to step in each dimension, or in one; of a view, in what it is a view of."""
    def data_ptr(self) -> builtins.int:
        """The address of the first element."""
    def get_bytes(self) -> bytes:
        """The bytes of the elements, row by row."""
    @staticmethod
    def convert_bytes_to_tensor(
        bytes_data: bytes, shape: tuple, dtype: dt.DType, type_name: str = ""
    ) -> Tensor:
        """The Tensor of ``shape`` and ``dtype`` whose elements have these bytes."""
    def itemset(self, *args) -> Tensor:
        """A tensor with one element replaced: ``itemset(index, value)``, or ``itemset(value)`` of a single one."""
    def _raw(self) -> np.ndarray: ...
    def asnumpy(self) -> np.ndarray:
        """The values as a NumPy array that shares memory with this tensor."""
    def numpy(self) -> np.ndarray:
        """The values as a NumPy array that shares memory with this tensor."""
    @staticmethod
    def from_numpy(array: np.ndarray) -> Tensor:
        """A Tensor from a NumPy array."""
    def item(self, *index) -> builtins.bool:
        """The only element as a Python number, or the one at ``index``."""
    def tolist(self) -> list:
        """The values as nested Python lists."""
    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> np.ndarray: ...
    def __dlpack__(self, **kwargs: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[builtins.int, builtins.int]: ...
    @property
    def __cuda_array_interface__(self) -> dict:
        """"""
    def __bool__(self) -> builtins.bool: ...
    def __int__(self) -> builtins.int: ...
    def __float__(self) -> builtins.float: ...
    def _alone(self, kind: str) -> Any:
        """The only element, for a call of ``kind``."""
    def __index__(self) -> builtins.int: ...
    def __str__(self) -> str: ...
    def __format__(self, spec: str) -> str: ...
    def __init__(
        self, input_data=None, dtype=None, shape=None, init=None, const_arg=False
    ) -> None: ...
    def _follow(self, data) -> None:
        """``new`` was made of ``data``: a tensor, or nested sequences that hold some. What tapes track of it is found again by recorded ops, and ``new`` stands for that."""
    @classmethod
    def _wrap(cls, array: _core.Array) -> Tensor:
        """A Tensor around a native array, without a copy."""
    @property
    def abstract(self) -> AbstractTensor:
        """Shape and dtype as one interned value."""
    @property
    def shape(self) -> tuple[builtins.int, ...]:
        """The dimensions, a tuple of ints."""
    @property
    def dtype(self) -> dt.DType:
        """The element type."""
    def set_dtype(self, dtype: dt.DType) -> dt.DType:
        """Convert the elements in place."""
    def assign_value(self, value: Tensor) -> Tensor:
        """Take the value of another tensor."""
    def _hold(self, array: _core.Array) -> None:
        """Have another array, of any shape and dtype."""
    def __len__(self) -> builtins.int: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def _rows(self) -> builtins.int:
        """The size of the first dimension, which a tensor that only declares a shape may leave open."""
    def __hash__(self) -> builtins.int: ...
    def __reduce__(self) -> Any: ...
    def __copy__(self) -> Any: ...
    def __deepcopy__(self, memo) -> Any: ...
    def __repr__(self) -> str: ...
    def register_hook(self, hook: Callable) -> Any:
        """Let ``hook(grad)`` see the gradient of this tensor, and replace it unless it returns None."""
    def hooks(self) -> list:
        """The hooks that this tensor has."""
    def __add__(self, other: Operand) -> Tensor: ...
    def __radd__(self, other: Operand) -> Tensor: ...
    def __sub__(self, other: Operand) -> Tensor: ...
    def __rsub__(self, other: Operand) -> Tensor: ...
    def __mul__(self, other: Operand) -> Tensor: ...
    def __rmul__(self, other: Operand) -> Tensor: ...
    def __truediv__(self, other: Operand) -> Tensor: ...
    def __rtruediv__(self, other: Operand) -> Tensor: ...
    def __floordiv__(self, other: Operand) -> Tensor: ...
    def __rfloordiv__(self, other: Operand) -> Tensor: ...
    def __mod__(self, other: Operand) -> Tensor: ...
    def __rmod__(self, other: Operand) -> Tensor: ...
    def __divmod__(self, other: Operand) -> tuple[Tensor, Tensor]: ...
    def __rdivmod__(self, other: Operand) -> tuple[Tensor, Tensor]: ...
    def __pow__(self, other: Operand) -> Tensor: ...
    def __rpow__(self, other: Operand) -> Tensor: ...
    def __matmul__(self, other: Operand) -> Tensor: ...
    def __rmatmul__(self, other: Operand) -> Tensor: ...
    def __and__(self, other: Operand) -> Tensor: ...
    def __rand__(self, other: Operand) -> Tensor: ...
    def __or__(self, other: Operand) -> Tensor: ...
    def __ror__(self, other: Operand) -> Tensor: ...
    def __xor__(self, other: Operand) -> Tensor: ...
    def __rxor__(self, other: Operand) -> Tensor: ...
    def __lshift__(self, other: Operand) -> Tensor: ...
    def __rlshift__(self, other: Operand) -> Tensor: ...
    def __rshift__(self, other: Operand) -> Tensor: ...
    def __rrshift__(self, other: Operand) -> Tensor: ...
    def __lt__(self, other: Operand) -> Tensor: ...
    def __le__(self, other: Operand) -> Tensor: ...
    def __gt__(self, other: Operand) -> Tensor: ...
    def __ge__(self, other: Operand) -> Tensor: ...
    def __neg__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def mul(self, other: Tensor) -> Tensor:
        """:math:`x y`; of bools, whether both are true."""
    def floor_divide(self, other: Tensor) -> Tensor:
        """:math:`\\lfloor x / y \\rfloor`."""
    def fmod(self, other: Tensor) -> Tensor:
        """The remainder of truncated division, with the sign of ``input``."""
    def hypot(self, other: Tensor) -> Tensor:
        """:math:`\\sqrt{x^2 + y^2}` without overflow. Its gradient at 0 is 0."""
    def pow(self, exponent: Tensor) -> Tensor:
        """:math:`x^y`. The gradient with respect to ``exponent`` is 0 where ``input`` is 0."""
    def maximum(self, other: Tensor) -> Tensor:
        """The larger of two values; nan where either is nan. Equal values share the gradient."""
    def minimum(self, other: Tensor) -> Tensor:
        """The smaller of two values; nan where either is nan. Equal values share the gradient."""
    def erfinv(self) -> Tensor:
        """The inverse of the error function, on (-1, 1)."""
    def igamma(self, other: Tensor) -> Tensor:
        """The regularised lower incomplete gamma function of the shape ``input`` at ``other``."""
    def igammac(self, other: Tensor) -> Tensor:
        """The regularised upper incomplete gamma function of the shape ``input`` at ``other``."""
    def equal(self, other: Tensor) -> Tensor:
        """Whether ``input`` is equal to ``other``. nan equals nothing."""
    def eq(self, other: Tensor) -> Tensor:
        """Whether ``input`` is equal to ``other``. nan equals nothing."""
    def not_equal(self, other: Tensor) -> Tensor:
        """Whether ``input`` is different from ``other``."""
    def ne(self, other: Tensor) -> Tensor:
        """Whether ``input`` is different from ``other``."""
    def less(self, other: Tensor) -> Tensor:
        """Whether ``input`` is less than ``other``."""
    def lt(self, other: Tensor) -> Tensor:
        """Whether ``input`` is less than ``other``."""
    def less_equal(self, other: Tensor) -> Tensor:
        """Whether ``input`` is at most ``other``."""
    def le(self, other: Tensor) -> Tensor:
        """Whether ``input`` is at most ``other``."""
    def greater(self, other: Tensor) -> Tensor:
        """Whether ``input`` is greater than ``other``."""
    def gt(self, other: Tensor) -> Tensor:
        """Whether ``input`` is greater than ``other``."""
    def greater_equal(self, other: Tensor) -> Tensor:
        """Whether ``input`` is at least ``other``."""
    def ge(self, other: Tensor) -> Tensor:
        """Whether ``input`` is at least ``other``."""
    def logical_and(self, other: Tensor) -> Tensor:
        """Whether both operands are nonzero."""
    def logical_or(self, other: Tensor) -> Tensor:
        """Whether at least one operand is nonzero."""
    def logical_xor(self, other: Tensor) -> Tensor:
        """Whether exactly one operand is nonzero."""
    def logical_not(self) -> Tensor:
        """Whether the operand is zero."""
    def isnan(self) -> Tensor:
        """Whether the operand is not a number."""
    def isinf(self) -> Tensor:
        """Whether the operand is infinite."""
    def isfinite(self) -> Tensor:
        """Whether the operand is neither infinite nor nan."""
    def bitwise_not(self) -> Tensor:
        """Every bit inverted; for bool, the negation."""
    def bitwise_and(self, other: Tensor) -> Tensor:
        """The bits set in both operands."""
    def bitwise_or(self, other: Tensor) -> Tensor:
        """The bits set in at least one operand."""
    def bitwise_xor(self, other: Tensor) -> Tensor:
        """The bits set in exactly one operand."""
    def bitwise_left_shift(self, other: Tensor) -> Tensor:
        """``input`` shifted left by ``other`` bits."""
    def bitwise_right_shift(self, other: Tensor) -> Tensor:
        """``input`` shifted right by ``other`` bits; the sign is kept."""
    def exp(self) -> Tensor:
        """The exponential function :math:`e^x`."""
    def expm1(self) -> Tensor:
        """:math:`e^x - 1`, accurate near 0."""
    def log(self) -> Tensor:
        """The natural logarithm; -inf at 0, nan below."""
    def log1p(self) -> Tensor:
        """:math:`\\log(1 + x)`, accurate near 0."""
    def sqrt(self) -> Tensor:
        """The square root; nan below 0. Its gradient at 0 is inf."""
    def rsqrt(self) -> Tensor:
        """The reciprocal square root :math:`x^{-1/2}`."""
    def reciprocal(self) -> Tensor:
        """:math:`1 / x`."""
    def square(self) -> Tensor:
        """:math:`x^2`."""
    def neg(self) -> Tensor:
        """:math:`-x`."""
    def negative(self) -> Tensor:
        """:math:`-x`."""
    def abs(self) -> Tensor:
        """The absolute value. Its gradient at 0 is 0."""
    def absolute(self) -> Tensor:
        """The absolute value. Its gradient at 0 is 0."""
    def sign(self) -> Tensor:
        """-1, 0 or 1 by the sign of ``input``, 0 of a NaN; of complex numbers :math:`z / |z|`."""
    def floor(self) -> Tensor:
        """The greatest integer that is not above ``input``."""
    def ceil(self) -> Tensor:
        """The least integer that is not below ``input``."""
    def trunc(self) -> Tensor:
        """The integer part, rounded towards 0."""
    def tanh(self) -> Tensor:
        """The hyperbolic tangent."""
    def sigmoid(self) -> Tensor:
        """The logistic function :math:`1 / (1 + e^{-x})`."""
    def relu(self) -> Tensor:
        """The rectified linear unit :math:`\\max(x, 0)`. Its gradient at 0 is 0."""
    def gather_nd(self, indices: Tensor) -> Tensor:
        """Elements or slices of ``input_x``, each at the position that a row of ``indices`` gives."""
    def inverse(self) -> Tensor:
        """The inverses of square matrices."""
    def det(self) -> Tensor:
        """The determinants of square matrices."""
    def matrix_determinant(self) -> Tensor:
        """The determinants of square matrices."""
    def slogdet(self) -> tuple[Tensor, ...]:
        """The signs of determinants, and the logarithms of their absolute values."""
    def cholesky(self, upper: builtins.bool = False) -> Tensor:
        """The triangular factors of symmetric positive definite matrices, :math:`A = L L^T`."""
    def eigvals(self) -> Tensor:
        """The eigenvalues of square matrices, as complex numbers."""
    def cummax(self, axis: builtins.int, *, dim: builtins.int) -> tuple[Tensor, ...]:
        """The largest of all elements up to each one along a dimension, and where it was last."""
    def cummin(self, axis: builtins.int, *, dim: builtins.int) -> tuple[Tensor, ...]:
        """The smallest of all elements up to each one along a dimension, and where it was last."""
    def all(
        self,
        axis: tuple = None,
        keepdims: builtins.bool = False,
        *,
        dim: tuple = None,
        keep_dims: builtins.bool = False,
        keepdim: builtins.bool = False,
    ) -> Tensor:
        """Whether all elements along dimensions are nonzero."""
    def any(
        self,
        axis: tuple = None,
        keepdims: builtins.bool = False,
        *,
        dim: tuple = None,
        keep_dims: builtins.bool = False,
        keepdim: builtins.bool = False,
    ) -> Tensor:
        """Whether an element along dimensions is nonzero."""
    def copy(self) -> Tensor:
        """A tensor of its own with the same values; gradients flow through."""
    def log_softmax(self, axis: builtins.int = -1, *, dim: builtins.int = -1) -> Tensor:
        """The logarithm of the softmax along ``axis``: :math:`x_i - \\log\\sum_c e^{x_c}`."""
    def erf(self) -> Tensor:
        """The error function :math:`\\frac{2}{\\sqrt\\pi}\\int_0^x e^{-t^2}dt`."""
    def erfc(self) -> Tensor:
        """The complementary error function :math:`1 - \\mathrm{erf}(x)`, accurate for large arguments."""
    def lgamma(self) -> Tensor:
        """The logarithm of the absolute value of the gamma function."""
    def digamma(self) -> Tensor:
        """The derivative of `lgamma`, :math:`\\Gamma'(x)/\\Gamma(x)`."""
    def sin(self) -> Tensor:
        """The sine of an angle in radians."""
    def cos(self) -> Tensor:
        """The cosine of an angle in radians."""
    def tan(self) -> Tensor:
        """The tangent of an angle in radians."""
    def asin(self) -> Tensor:
        """The angle in :math:`[-\\pi/2, \\pi/2]` whose sine is ``input``; nan outside [-1, 1]."""
    def arcsin(self) -> Tensor:
        """The angle in :math:`[-\\pi/2, \\pi/2]` whose sine is ``input``; nan outside [-1, 1]."""
    def acos(self) -> Tensor:
        """The angle in :math:`[0, \\pi]` whose cosine is ``input``; nan outside [-1, 1]."""
    def arccos(self) -> Tensor:
        """The angle in :math:`[0, \\pi]` whose cosine is ``input``; nan outside [-1, 1]."""
    def atan(self) -> Tensor:
        """The angle in :math:`(-\\pi/2, \\pi/2)` whose tangent is ``input``."""
    def arctan(self) -> Tensor:
        """The angle in :math:`(-\\pi/2, \\pi/2)` whose tangent is ``input``."""
    def sinh(self) -> Tensor:
        """The hyperbolic sine."""
    def cosh(self) -> Tensor:
        """The hyperbolic cosine."""
    def asinh(self) -> Tensor:
        """The inverse of the hyperbolic sine."""
    def arcsinh(self) -> Tensor:
        """The inverse of the hyperbolic sine."""
    def acosh(self) -> Tensor:
        """The non-negative inverse of the hyperbolic cosine; nan below 1."""
    def arccosh(self) -> Tensor:
        """The non-negative inverse of the hyperbolic cosine; nan below 1."""
    def atanh(self) -> Tensor:
        """The inverse of the hyperbolic tangent; nan outside [-1, 1]."""
    def arctanh(self) -> Tensor:
        """The inverse of the hyperbolic tangent; nan outside [-1, 1]."""
    def atan2(self, other: Tensor) -> Tensor:
        """The angle in :math:`[-\\pi, \\pi]` of the point at height ``input`` and width ``other``."""
    def arctan2(self, other: Tensor) -> Tensor:
        """The angle in :math:`[-\\pi, \\pi]` of the point at height ``input`` and width ``other``."""
    def real(self) -> Tensor:
        """The real parts."""
    def imag(self) -> Tensor:
        """The imaginary parts."""
    def conj(self) -> Tensor:
        """The complex conjugates."""
    def hardshrink(self, lambd=0.5) -> Tensor:
        """0 where the absolute value is at most ``lambd``."""
    def logit(self, eps=None) -> Tensor:
        """:math:`\\log(x / (1 - x))`, of ``input`` limited to [``eps``, 1 - ``eps``] where that is given."""
    def swapaxes(self, axis0, axis1) -> Tensor:
        """Exchange two dimensions."""
    def moveaxis(self, source, destination) -> Tensor:
        """Move dimensions to other places; the rest keep their order."""
    def expand_dims(self, axis, *, dim) -> Tensor:
        """Insert a dimension of size 1."""
    def fliplr(self) -> Tensor:
        """Reverse the columns."""
    def flipud(self) -> Tensor:
        """Reverse the rows."""
    def roll(self, shifts, dims=None) -> Tensor:
        """Shift elements along dimensions; what leaves at one end comes in at the other."""
    def rot90(self, k, dims) -> Tensor:
        """Rotate by ``k`` right angles in the plane of two dimensions."""
    def clone(self) -> Tensor:
        """The same values in a buffer of its own."""
    def positive(self) -> Tensor:
        """The operand as it is."""
    def frac(self) -> Tensor:
        """What is left when the integer part is taken away; it has the sign of ``x``."""
    def ldexp(self, other) -> Tensor:
        """:math:`x \\cdot 2^y`."""
    def logaddexp2(self, other) -> Tensor:
        """:math:`\\log_2(2^x + 2^y)`, without overflow."""
    def fmax(self, other) -> Tensor:
        """The larger of two elements; a number wins over nan."""
    def fmin(self, other) -> Tensor:
        """The smaller of two elements; a number wins over nan."""
    def gcd(self, other) -> Tensor:
        """The greatest common divisors of integers."""
    def lcm(self, other) -> Tensor:
        """The least common multiples of integers."""
    def sgn(self) -> Tensor:
        """The sign; of complex numbers, the number of absolute value 1 in the same direction."""
    def sinc(self) -> Tensor:
        """:math:`\\sin(\\pi x) / (\\pi x)`, 1 at 0."""
    def xdivy(self, y) -> Tensor:
        """``x / y``, and 0 where ``x`` is 0."""
    def numel(self) -> builtins.int:
        """The number of elements."""
    def mvlgamma(self, p) -> Tensor:
        """The logarithm of the multivariate gamma function of dimension ``p``."""
    def ravel(self) -> Tensor:
        """All elements as a vector."""
    def diff(self, n=1, axis=-1, prepend=None, append=None, *, dim=-1) -> Tensor:
        """Differences of neighbours along a dimension, ``n`` times."""
    def floor_mod(self, y) -> Tensor:
        """The remainder of floor division, with the sign of ``y``. See `remainder`."""
    def div(self, other, *, rounding_mode=None) -> Tensor:
        """``input / other``, true, or rounded as ``rounding_mode`` says."""
    def true_divide(self, other, *, rounding_mode=None) -> Tensor:
        """``input / other``, true, or rounded as ``rounding_mode`` says."""
    def divide(self, other, *, rounding_mode=None) -> Tensor:
        """``input / other``, true, or rounded as ``rounding_mode`` says."""
    def round(self, *, decimals=0) -> Tensor:
        """The nearest number with ``decimals`` decimals; halves go to the even one."""
    def log2(self) -> Tensor:
        """The logarithm to base 2."""
    def log10(self) -> Tensor:
        """The logarithm to base 10."""
    def logaddexp(self, other) -> Tensor:
        """:math:`\\log(e^x + e^y)`, without overflow."""
    def xlogy(self, other) -> Tensor:
        """:math:`x \\log y`, and 0 where x is 0 and y is a number."""
    def lerp(self, end, weight) -> Tensor:
        """:math:`x + w (y - x)`."""
    def deg2rad(self) -> Tensor:
        """Degrees as radians."""
    def rad2deg(self) -> Tensor:
        """Radians as degrees."""
    def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor:
        """Whether :math:`|x - y| \\le atol + rtol |y|`."""
    def nan_to_num(self, nan=None, posinf=None, neginf=None) -> Tensor:
        """Replace nan and infinities."""
    def is_floating_point(self) -> builtins.bool:
        """Whether the dtype is a floating point type."""
    def signbit(self) -> Tensor:
        """Whether the sign is negative (that of -0.0 is not told from 0.0)."""
    def copysign(self, other) -> Tensor:
        """The size of ``x`` with the sign of ``other``."""
    def heaviside(self, values) -> Tensor:
        """0 below 0, 1 above, and ``values`` at 0."""
    def isposinf(self) -> Tensor:
        """Whether the operand is positive infinity."""
    def isneginf(self) -> Tensor:
        """Whether the operand is negative infinity."""
    def clamp(self, min=None, max=None) -> Tensor:
        """``input`` limited to [``min``, ``max``]. The gradient is 1 on the limits and 0 beyond."""
    def clip(self, min=None, max=None) -> Tensor:
        """``input`` limited to [``min``, ``max``]. See `clamp`."""
    def unstack(self, axis=0, *, dim=0) -> tuple[Tensor, ...]:
        """Take a tensor apart along a dimension, which goes."""
    def chunk(self, chunks, axis=0, *, dim=0) -> tuple[Tensor, ...]:
        """Cut a tensor into at most ``chunks`` parts of equal size along a dimension; the last may be smaller."""
    def tensor_split(self, indices_or_sections, axis=0, *, dim=0) -> tuple[Tensor, ...]:
        """Cut a tensor into so many parts of nearly equal size, or at the given positions, along a dimension."""
    def repeat_interleave(self, repeats, axis=None, *, output_size=None, dim=None) -> Tensor:
        """Repeat each element."""
    def unbind(self, dim=0, *, axis=0) -> tuple[Tensor, ...]:
        """Take a tensor apart along a dimension, which goes. See `unstack`."""
    def unfold(self, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
        """The windows of images, one column each."""
    def fold(self, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
        """Images as the sums of their windows: the adjoint of `unfold`."""
    def angle(self) -> Tensor:
        """The angle of complex numbers; of real ones 0, and pi where they are negative."""
    def is_complex(self) -> builtins.bool:
        """Whether the dtype is complex."""
    def isreal(self) -> Tensor:
        """Where elements have no imaginary part."""
    def tril(self, diagonal=0) -> Tensor:
        """The lower triangles of the matrices in the last two dimensions."""
    def triu(self, diagonal=0) -> Tensor:
        """The upper triangles of the matrices in the last two dimensions."""
    def norm(
        self, ord=None, dim=None, keepdim=False, *, dtype=None, axis=None, keepdims=False
    ) -> Tensor:
        """A norm of vectors, or of matrices where ``dim`` names two dimensions."""
    def logdet(self) -> Tensor:
        """The logarithms of determinants; nan where one is negative."""
    def log_matrix_determinant(self) -> tuple[Tensor, ...]:
        """The signs of determinants, and the logarithms of their absolute values. See `slogdet`."""
    def cholesky_inverse(self, upper=False) -> Tensor:
        """The inverse of a matrix from its Cholesky factor."""
    def cholesky_solve(self, input2, upper=False) -> Tensor:
        """The solutions of :math:`A X = B`, given the Cholesky factor of :math:`A`."""
    def lstsq(self, A) -> Tensor:
        """The solutions of least norm of :math:`\\min_X \\|x X - A\\|`."""
    def pinv(self, *, atol=None, rtol=None, hermitian=False) -> Tensor:
        """The Moore-Penrose pseudo-inverses of matrices."""
    def svd(self, full_matrices=False, compute_uv=True) -> Tensor:
        """The singular values of matrices, and with ``compute_uv`` the vectors. See `P.svd`."""
    def matrix_power(self, n) -> Tensor:
        """Square matrices to an integer power; a negative one inverts first."""
    def renorm(self, p, axis, maxnorm, *, dim) -> Tensor:
        """The slices along a dimension, scaled down where their norm is larger."""
    def col2im(self, output_size, kernel_size, dilation, padding_value, stride) -> Tensor:
        """Columns (N, C, K, L) summed at their places in images (N, C, H, W). See `fold`."""
    def gather_elements(self, dim, index, *, axis) -> Tensor:
        """Elements at positions along one dimension: ``out[i][j] = x[index[i][j]][j]`` for dim 0."""
    def take(self, indices=None, axis=None, mode="clip", *, index=None, dim=None) -> Tensor:
        """Elements at positions, of the flattened tensor or along one dimension."""
    def index_select(self, axis, index, *, dim) -> Tensor:
        """Slices at positions along one dimension. See `gather`."""
    def scatter_sub(self, indices, updates) -> Tensor:
        """``input_x`` with ``updates`` combined into it (mode ``sub``) at positions."""
    def scatter_mul(self, indices, updates) -> Tensor:
        """``input_x`` with ``updates`` combined into it (mode ``mul``) at positions."""
    def scatter_div(self, indices, updates) -> Tensor:
        """``input_x`` with ``updates`` combined into it (mode ``div``) at positions."""
    def scatter_max(self, indices, updates) -> Tensor:
        """``input_x`` with ``updates`` combined into it (mode ``max``) at positions."""
    def scatter_min(self, indices, updates) -> Tensor:
        """``input_x`` with ``updates`` combined into it (mode ``min``) at positions."""
    def tensor_scatter_elements(
        self, indices, updates, axis=0, reduction="none", *, dim=0
    ) -> Tensor:
        """``input_x`` with elements of ``updates`` written at positions along one dimension."""
    def geqrf(self) -> tuple[Tensor, ...]:
        """The QR factorisation with the reflectors below the diagonal and their factors apart."""
    def orgqr(self, input2) -> Tensor:
        """The orthonormal columns that `geqrf` packed."""
    def lu_solve(self, LU_data, LU_pivots) -> Tensor:
        """The solutions of A x = b, with A as a packed LU factorisation."""
    def nextafter(self, other) -> Tensor:
        """The next number towards ``other``."""
    def matmul(self, other) -> Tensor:
        """The matrix product as NumPy defines it: vectors are rows on the left and columns on the right, batches broadcast."""
    def bmm(self, mat2) -> Tensor:
        """The products of batches of matrices."""
    def mm(self, mat2) -> Any:
        """The product of two matrices."""
    def addmm(self, mat1, mat2, *, beta=1, alpha=1) -> Tensor:
        """:math:`\\beta x + \\alpha A B`."""
    def baddbmm(self, batch1, batch2, beta=1, alpha=1) -> Tensor:
        """:math:`\\beta x + \\alpha A B` for a batch of matrices."""
    def dot(self, other) -> Tensor:
        """The product over the last dimension of ``input`` and the last but one of ``other``, as NumPy's ``dot``."""
    def inner(self, other) -> Tensor:
        """The product over the last dimensions of both operands."""
    def outer(self, vec2) -> Tensor:
        """The products of each element of one vector with each of another."""
    def kron(self, other) -> Tensor:
        """The Kronecker product: each element of ``input`` times all of ``other``."""
    def addbmm(self, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
        """:math:`\\beta x + \\alpha \\sum_i A_i B_i` over a batch of products."""
    def addmv(self, mat, vec, *, beta=1, alpha=1) -> Tensor:
        """:math:`\\beta x + \\alpha A v`."""
    def addr(self, vec1, vec2, beta=1, alpha=1) -> Tensor:
        """:math:`\\beta x + \\alpha u v^T`."""
    def addcmul(self, tensor1, tensor2, value=1) -> Tensor:
        """:math:`x + v a b`, elementwise."""
    def addcdiv(self, tensor1, tensor2, value=1) -> Tensor:
        """:math:`x + v a / b`, elementwise."""
    def adjoint(self) -> Tensor:
        """The last two dimensions exchanged, and complex numbers conjugated."""
    def t(self) -> Tensor:
        """The transpose of a matrix; a vector or a scalar is returned as it is."""
    def diagflat(self, offset=0) -> Tensor:
        """A matrix with all elements of ``input`` on a diagonal."""
    def diagonal_scatter(self, src, offset=0, dim1=0, dim2=1) -> Tensor:
        """``input`` with ``src`` on a diagonal of two of its dimensions."""
    def cross(self, other, dim=None, *, axis=None) -> Tensor:
        """The cross products of vectors of 3."""
    def cov(self, *, correction=1, fweights=None, aweights=None) -> Tensor:
        """The covariance matrix of variables in rows."""
    def ger(self, vec2) -> Tensor:
        """The products of each element of one vector with each of another."""
    def fills(self, value) -> Tensor:
        """A tensor of the shape and dtype of another, filled with a number."""
    def var_mean(
        self, axis=None, ddof=0, keepdims=False, *, dim=None, keep_dims=False, keepdim=False
    ) -> tuple[Tensor, ...]:
        """The variance and the mean over dimensions. See `var` and `mean`."""
    def std_mean(
        self, axis=None, ddof=0, keepdims=False, *, dim=None, keep_dims=False, keepdim=False
    ) -> tuple[Tensor, ...]:
        """The standard deviation and the mean over dimensions. See `std` and `mean`."""
    def count_nonzero(
        self, axis=(), keep_dims=False, dtype=..., *, dim=(), keepdims=False
    ) -> Tensor:
        """How many elements along dimensions are nonzero."""
    def median(
        self, axis=-1, keepdims=False, *, dim=-1, keep_dims=False, keepdim=False
    ) -> tuple[Tensor, ...]:
        """The median along a dimension (the lower of two), and its position; nan where there is a nan."""
    def nansum(
        self, axis=None, keepdims=False, *, dtype=None, dim=None, keep_dims=False, keepdim=False
    ) -> Tensor:
        """The sum over dimensions of what is a number."""
    def masked_fill(self, mask, value) -> Tensor:
        """``input_x`` with ``value`` where ``mask`` holds."""
    def topk(self, k, dim=None, largest=True, sorted=True, *, axis=None) -> tuple[Tensor, ...]:
        """The ``k`` largest elements along a dimension, and where they were."""
    def unique_consecutive(
        self, return_inverse=False, return_counts=False, dim=None, *, axis=None
    ) -> Tensor | tuple[Tensor, ...]:
        """The elements (or slices along ``dim``) without equal neighbours."""
    def bincount(self, weights=None, minlength=0) -> Tensor:
        """How often each integer occurs."""
    def aminmax(
        self, *, axis=0, keepdims=False, dim=0, keep_dims=False, keepdim=False
    ) -> tuple[Tensor, ...]:
        """The least and the largest elements; along all dimensions where ``axis`` is None. A NaN is left out, unless all are."""
    def msort(self) -> Tensor:
        """The elements in order along the first dimension."""
    def top_k(self, k, sorted=True) -> tuple[Tensor, ...]:
        """The ``k`` largest elements of the last dimension, and where they were. See `topk`."""
    def kthvalue(self, k, dim=-1, keepdim=False, *, axis=-1, keepdims=False) -> tuple[Tensor, ...]:
        """The ``k``-th least element along a dimension, counted from 1, and where it was (int64)."""
    def argwhere(self) -> Tensor:
        """The positions of nonzero elements, one row each."""
    def logcumsumexp(self, axis, *, dim) -> Tensor:
        """The logarithms of the sums of :math:`e^x` up to each element."""
    def nanmean(
        self, axis=None, keepdims=False, *, dtype=None, dim=None, keep_dims=False, keepdim=False
    ) -> Tensor:
        """The mean over dimensions of what is a number."""
    def nanmedian(
        self, axis=-1, keepdims=False, *, dim=-1, keep_dims=False, keepdim=False
    ) -> tuple[Tensor, ...]:
        """The median along a dimension of what is a number (the lower of two), and its position."""
    def quantile(
        self, q, axis=None, keepdims=False, *, dim=None, keep_dims=False, keepdim=False
    ) -> Tensor:
        """Quantiles along a dimension, interpolated linearly; nan where there is a nan."""
    def nanquantile(
        self, q, axis=None, keepdims=False, *, dim=None, keep_dims=False, keepdim=False
    ) -> Tensor:
        """Quantiles of what is a number. See `quantile`."""
    def unique_with_pad(self, pad_num) -> tuple[Tensor, ...]:
        """As `unique`, with the distinct elements of a vector filled up to its size."""
    def histc(self, bins=100, min=0.0, max=0.0) -> Tensor:
        """How many elements fall into each of equal intervals."""
    def bernoulli(self, p=0.5, seed=None) -> Tensor:
        """1 with probability ``p``, else 0, in the shape and dtype of ``input``."""
    def multinomial(self, num_samples, replacement=True, seed=None) -> Tensor:
        """Positions drawn with probabilities in proportion to weights."""
    def hsplit(self, indices_or_sections) -> tuple[Tensor, ...]:
        """Parts along the second dimension (the first of vectors). See `tensor_split`."""
    def vsplit(self, indices_or_sections) -> tuple[Tensor, ...]:
        """Parts along the first dimension. See `tensor_split`."""
    def dsplit(self, indices_or_sections) -> tuple[Tensor, ...]:
        """Parts along the third dimension. See `tensor_split`."""
    def narrow(self, axis, start, length, *, dim) -> Tensor:
        """``length`` positions of a dimension from ``start`` on."""
    def view_as(self, other) -> Tensor:
        """The same elements in the shape of ``other``."""
    def movedim(self, source, destination) -> Tensor:
        """Dimensions moved to other places. See `moveaxis`."""
    def reverse(self, axis, *, dim) -> Tensor:
        """The elements in opposite order along dimensions. See `flip`."""
    def slice_scatter(self, src, axis=0, start=None, end=None, step=1, *, dim=0) -> Tensor:
        """``input`` with ``src`` written to a slice of a dimension."""
    def select_scatter(self, src, axis, index, *, dim) -> Tensor:
        """``input`` with ``src`` written to one position of a dimension."""
    def i0(self) -> Tensor:
        """The modified Bessel function of the first kind and order 0."""
    def swapdims(self, dim0, dim1) -> Tensor:
        """Exchange two dimensions."""
    def unsqueeze(self, dim, *, axis) -> Tensor:
        """Insert a dimension of size 1."""
    def index_fill(self, axis, index, value, *, dim) -> Tensor:
        """``x`` with one value at positions of a dimension."""
    def masked_scatter(self, mask, tensor) -> Tensor:
        """``x`` with the elements of ``tensor``, in order, where ``mask`` holds."""
    def inplace_update(self, v, indices) -> Tensor:
        """``x`` with rows replaced by those of ``v``."""
    def unsorted_segment_max(self, segment_ids, num_segments) -> Tensor:
        """The largest of the slices that belong to each segment; the least number of the dtype for an empty one."""
    def unsorted_segment_min(self, segment_ids, num_segments) -> Tensor:
        """The least of the slices that belong to each segment; the largest number of the dtype for an empty one."""
    def unsorted_segment_prod(self, segment_ids, num_segments) -> Tensor:
        """The products of the slices that belong to each segment; 1 for an empty one."""
    def random_categorical(self, num_sample, seed=0, dtype=...) -> Tensor:
        """Categories drawn with probabilities softmax(logits), after Gumbel."""
    def masked_select(self, mask) -> Tensor:
        """The elements where ``mask`` holds, as a vector."""
    def nonzero(self, *, as_tuple=False) -> Tensor | tuple[Tensor, ...]:
        """The positions of nonzero elements ."""
    def to_coo(self) -> Any:
        """The elements that are not 0, by coordinates."""
    def to_csr(self) -> Any:
        """The elements of a matrix that are not 0, by rows."""
    def split(
        self, split_size_or_sections=None, axis=0, *, split_size=None, dim=0
    ) -> tuple[Tensor, ...]:
        """Parts along ``axis``."""
    def squeeze(self, axis=None, *, dim=None) -> Tensor:
        """Without dimensions of size 1."""
    def reshape(self, *shape) -> Tensor:
        """The same elements in another shape, given as a tuple or as ints."""
    def reshape_as(self, other) -> Tensor:
        """The same elements in the shape of ``other``."""
    def transpose(self, *axes, dim0=None, dim1=None) -> Tensor:
        """Permuted dimensions, given as a tuple or as ints; reversed where none are given. Two ints of a larger rank are exchanged, and so are ``dim0`` and ``dim1``."""
    def permute(self, *axis, dim) -> Tensor:
        """Permuted dimensions, given as a tuple or as ints."""
    def flatten(self, order="C", *dims, start_dim=0, end_dim=-1) -> Tensor:
        """Dimensions merged, all by default. Also as ``flatten(start_dim, end_dim)``."""
    def expand(self, *size) -> Tensor:
        """Broadcast to a shape, given as a tuple or as ints."""
    def broadcast_to(self, *shape) -> Tensor:
        """Broadcast to a shape, given as a tuple or as ints."""
    def expand_as(self, other=None, *, x=None) -> Tensor:
        """Broadcast to the shape of ``other``, also called ``x``."""
    def tile(self, *counts, dims=(), reps=()) -> Tensor:
        """The tensor repeated along dimensions: ``counts`` times, also called ``dims`` and ``reps``."""
    def repeat(self, *counts, repeats=(), axis=None, dim=None) -> Tensor:
        """The tensor put side by side with itself, so many times along each dimension. With ``axis``, with fewer numbers than dimensions, or with a second number that is no count: each element repeated, as NumPy's ``repeat(repeats, axis)``, which older versions of MindSpore have under this name."""
    def flip(self, *axes, dims=()) -> Tensor:
        """The order of elements reversed along dimensions."""
    def view(self, *shape, dtype=None) -> Tensor:
        """The same elements in another shape, or their bits as numbers of another dtype: a copy, whose last dimension has as many bytes as before."""
    def fill(self, value) -> Tensor:
        """A tensor of the same shape and dtype filled with ``value``."""
    def trace(self, offset=0, axis1=0, axis2=1, dtype=None) -> Tensor:
        """The sum of a diagonal of the matrices along two dimensions."""
    def new_zeros(self, size, dtype=None) -> Tensor:
        """Zeros of ``size`` in the dtype of this tensor."""
    def new_ones(self, size, dtype=None) -> Tensor:
        """Ones of ``size`` in the dtype of this tensor."""
    def reverse_sequence(self, seq_lengths, seq_dim=0, batch_dim=0) -> Tensor:
        """The first elements of sequences in opposite order."""
    def new_full(self, size, fill_value, *, dtype=None) -> Tensor:
        """A tensor of ``size`` filled with ``fill_value``, in the dtype of this tensor."""
    def new_empty(self, size, *, dtype=None, device=None) -> Tensor:
        """A tensor of ``size`` in the dtype of this tensor; its elements are 0."""
    def resize(self, *new_shape) -> Tensor:
        """The first elements in another shape, filled up with zeros."""
    def diag(self, diagonal=None) -> Tensor:
        """The matrix with a vector on its diagonal, for a tensor of a rank above 1 that of its elements; with ``diagonal`` the elements on that diagonal of a matrix."""
    def where(self, condition, y) -> Tensor:
        """``self`` where ``condition`` holds, else ``y``."""
    def select(self, condition=None, y=None, *, dim=None, index=None, axis=None) -> Tensor:
        """``self`` where ``condition`` holds, else ``y``. ``select(dim, index)`` is the slice at one position."""
    def gather(
        self, input_indices=None, axis=None, batch_dims=0, *, index=None, dim=None
    ) -> Tensor:
        """Slices at positions along ``axis``. With a position tensor second, or as ``index``, ``gather(dim, index)`` of elements."""
    def sort(self, axis=-1, descending=False, *, stable=False, dim=-1) -> tuple[Tensor, ...]:
        """The elements in order, and where they were."""
    def scatter(self, dim=None, index=None, src=None, *, axis=None) -> Tensor:
        """Elements of ``src`` written at positions along ``dim``, also called ``axis``."""
    def scatter_add(self, *args, **kwargs) -> Tensor:
        """Elements added at positions: ``scatter_add(dim, index, src)`` along a dimension, ``scatter_add(indices, updates)`` as `ops.tensor_scatter_add`."""
    def searchsorted(self, v, side="left", sorter=None) -> Tensor:
        """Where values would be inserted."""
    def unique(
        self, sorted=True, return_inverse=False, return_counts=False, dim=None, *, axis=None
    ) -> tuple[Tensor, ...]:
        """The distinct elements."""
    def fill_diagonal(self, fill_value, wrap=False) -> Tensor:
        """This tensor with one number on its main diagonal."""
    def index_put(self, indices, values, accumulate=False) -> Tensor:
        """This tensor with ``values`` at positions."""
    def choose(self, choices, mode="clip") -> Tensor:
        """At each place the element of the choice that stands here; see NumPy's ``choose``."""
    def argsort(self, axis=-1, descending=False, stable=False, *, dim=-1) -> Tensor:
        """The positions of the elements in order along a dimension; equal ones stay as they are."""
    def index_add(self, *args, **kwargs) -> Tensor:
        """As the function, or ``index_add(dim, index, source, *, alpha=1)``."""
    def qr(self, some=True) -> tuple[Tensor, ...]:
        """Orthonormal columns and an upper triangle."""
    def triangular_solve(
        self, A, upper=True, transpose=False, unitriangular=False
    ) -> tuple[Tensor, ...]:
        """The solutions of :math:`A X = B` where A is triangular, of which the other half is not read."""
    def add(self, other, *, alpha=1) -> Tensor:
        """``input + alpha * other``."""
    def sub(self, other, *, alpha=1) -> Tensor:
        """``input - alpha * other``."""
    def subtract(self, other, *, alpha=1) -> Tensor:
        """``input - alpha * other``."""
    def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor:
        """Whether all elements are close: a bool in PyNative mode, in a program a Tensor."""
    def diagonal(self, offset=0, axis1=0, axis2=1) -> Tensor:
        """The diagonals of the matrices in two dimensions."""
    def float_power(self, other) -> Tensor:
        """A power, computed in float64."""
    def multiply(self, value) -> Tensor:
        """``self * value``."""
    def approximate_equal(self, other, tolerance=1e-05) -> Tensor:
        """Where both differ by less than ``tolerance``."""
    def ormqr(self, input2, input3, left=True, transpose=False) -> Tensor:
        """The product of the orthogonal matrix that `geqrf` packed, with ``input2``, and ``input3``."""
    def remainder(self, other=None, *, divisor=None) -> Tensor:
        """The remainder of floor division by ``other``, also called ``divisor``."""
    def softmax(self, axis=-1, dtype=None, *, dim=-1) -> Tensor:
        """The softmax."""
    def astype(self, dtype, copy=True) -> Tensor:
        """The elements as another type; without ``copy`` the tensor itself where nothing changes."""
    def to(self, dtype=None, non_blocking=False, copy=False, *, device=None, other=None) -> Tensor:
        """The elements as another type, or on another device ("CPU", "GPU", "GPU:1", "Ascend"). Another tensor, also called ``other``, stands for its type."""
    def move_to(self, to, blocking=True) -> Tensor:
        """The tensor on another device: "CPU", "GPU" or "Ascend"; with ``blocking`` when it is there."""
    def cpu(self) -> Tensor:
        """The tensor in the host's memory."""
    def cuda(self, device=0) -> Tensor:
        """The tensor on a GPU."""
    def type(self, dtype=None) -> Tensor:
        """The name of the element type; with ``dtype``, the elements as that type."""
    def type_as(self, other) -> Tensor:
        """The elements as the type of ``other``."""
    def contiguous(self) -> Tensor:
        """A tensor whose elements lie in the order of the indices: this one, or a copy of a view that sees them in another order."""
    def is_contiguous(self) -> builtins.bool:
        """Whether the elements lie in the order of the indices, without gaps, in what the tensor is a view of."""
    def value(self) -> Tensor:
        """This tensor."""
    def dim(self) -> builtins.int:
        """The number of dimensions."""
    def ndimension(self) -> builtins.int:
        """The number of dimensions."""
    def nelement(self) -> builtins.int:
        """The number of elements."""
    def is_signed(self) -> builtins.bool:
        """Whether the dtype has negative numbers."""
    def invert(self) -> Tensor:
        """Each bit inverted."""
    def inv(self) -> Tensor:
        """The reciprocal."""
    def soft_shrink(self, lambd=0.5) -> Tensor:
        """Numbers nearer to 0 by ``lambd``."""
    def float(self) -> Tensor:
        """The elements as float32."""
    def half(self) -> Tensor:
        """The elements as float16."""
    def double(self) -> Tensor:
        """The elements as float64."""
    def int(self) -> Tensor:
        """The elements as int32."""
    def long(self) -> Tensor:
        """The elements as int64."""
    def short(self) -> Tensor:
        """The elements as int16."""
    def byte(self) -> Tensor:
        """The elements as uint8."""
    def bool(self) -> Tensor:
        """The elements as bool."""
    def bfloat16(self) -> Tensor:
        """The elements as bfloat16."""
    def cauchy(self, median=0.0, sigma=1.0) -> Tensor:
        """Random numbers of Cauchy's distribution, in the shape of this tensor."""
    def log_normal(self, mean=1.0, std=2.0) -> Tensor:
        """Random numbers whose logarithms are of the normal distribution, in the shape of this tensor."""
    def uniform(self, from_=0.0, to=1.0, generator=None) -> Tensor:
        """Numbers uniform on [``from_``, ``to``)."""
    def argmax_with_value(
        self, axis=0, keep_dims=False, *, dim=0, keepdims=False
    ) -> tuple[Tensor, ...]:
        """The maximum along ``axis``, and its position."""
    def argmin_with_value(
        self, axis=0, keep_dims=False, *, dim=0, keepdims=False
    ) -> tuple[Tensor, ...]:
        """The minimum along ``axis``, and its position."""
    def sum(
        self,
        axis=None,
        *options,
        dtype=None,
        keepdims=False,
        initial=None,
        dim=None,
        keep_dims=False,
        keepdim=False,
    ) -> Tensor:
        """The sum over ``axis``. Behind it may stand ``keepdims``, or ``dtype``, ``keepdims`` and ``initial``."""
    def mean(
        self, axis=None, keepdims=False, *, dtype=None, dim=None, keep_dims=False, keepdim=False
    ) -> Tensor:
        """The mean over ``axis``."""
    def prod(
        self, axis=None, keepdims=False, dtype=None, *, dim=None, keep_dims=False, keepdim=False
    ) -> Tensor:
        """The product over ``axis``."""
    def max(
        self,
        dim=None,
        keepdim=False,
        *,
        axis=None,
        keepdims=False,
        initial=None,
        where=None,
        return_indices=False,
        keep_dims=False,
    ) -> tuple[Tensor, ...]:
        """The maximum over ``axis``; along ``dim``, an int, and with ``return_indices``, also its position."""
    def min(
        self,
        dim=None,
        keepdim=False,
        *,
        axis=None,
        keepdims=False,
        initial=None,
        where=None,
        return_indices=False,
        keep_dims=False,
    ) -> tuple[Tensor, ...]:
        """The minimum over ``axis``; along ``dim``, an int, and with ``return_indices``, also its position."""
    def argmax(
        self, axis=None, keepdims=False, *, dim=None, keep_dims=False, keepdim=False
    ) -> Tensor:
        """The position of the maximum."""
    def argmin(
        self, axis=None, keepdims=False, *, dim=None, keep_dims=False, keepdim=False
    ) -> Tensor:
        """The position of the minimum."""
    def var(
        self,
        axis=None,
        ddof=0,
        keepdims=False,
        *,
        correction=None,
        dim=None,
        keep_dims=False,
        keepdim=False,
    ) -> Tensor:
        """The variance over ``axis``. ``correction`` is another name of ``ddof``."""
    def std(
        self,
        axis=None,
        ddof=0,
        keepdims=False,
        *,
        correction=None,
        dim=None,
        keep_dims=False,
        keepdim=False,
    ) -> Tensor:
        """The standard deviation over ``axis``. ``correction`` is ``ddof``."""
    def amax(
        self,
        axis=None,
        keepdims=False,
        *,
        initial=None,
        where=None,
        dim=None,
        keep_dims=False,
        keepdim=False,
    ) -> Tensor:
        """The maximum over ``axis``."""
    def amin(
        self,
        axis=None,
        keepdims=False,
        *,
        initial=None,
        where=None,
        dim=None,
        keep_dims=False,
        keepdim=False,
    ) -> Tensor:
        """The minimum over ``axis``."""
    def cumsum(self, axis=None, dtype=None, *, dim=None) -> Tensor:
        """The running sums. Without ``axis`` of the flattened tensor."""
    def logsumexp(self, dim, keepdim=False, *, axis, keepdims=False) -> Tensor:
        """The logarithm of the sum of exponentials, without overflow."""
    def cumprod(self, dim, dtype=None, *, axis) -> Tensor:
        """The running products."""
    def ptp(self, axis=None, keepdims=False, *, dim=None, keep_dims=False, keepdim=False) -> Tensor:
        """The largest element less the least."""
    def sum_to_size(self, *size) -> Tensor:
        """The sum over those dimensions that were broadcast from a shape."""
    @property
    def T(self) -> Tensor:
        """The tensor with reversed dimensions."""
    @property
    def H(self) -> Tensor:
        """The tensor with reversed dimensions."""
    @property
    def mT(self) -> Tensor:
        """The tensor with its last two dimensions exchanged."""
    @property
    def mH(self) -> Tensor:
        """The last two dimensions exchanged, and complex numbers conjugated."""
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __getitem__(self, index: Any) -> Tensor: ...
    def __iadd__(self, other, **alpha) -> Any: ...
    def __isub__(self, other, **alpha) -> Any: ...
    def __imul__(self, other, **alpha) -> Any: ...
    def __itruediv__(self, other, **alpha) -> Any: ...
    def __ifloordiv__(self, other, **alpha) -> Any: ...
    def __imod__(self, other, **alpha) -> Any: ...
    def __ipow__(self, other, **alpha) -> Any: ...
    def __imatmul__(self, other, **alpha) -> Any: ...
    def __iand__(self, other, **alpha) -> Any: ...
    def __ior__(self, other, **alpha) -> Any: ...
    def __ixor__(self, other, **alpha) -> Any: ...
    def __ilshift__(self, other, **alpha) -> Any: ...
    def __irshift__(self, other, **alpha) -> Any: ...
    def __setitem__(self, index: Any, value: Operand) -> None: ...
    def add_(self, other, *, alpha=1) -> Tensor:
        """`Tensor.add` in place: the result becomes the value of this tensor."""
    def sub_(self, other, *, alpha=1) -> Tensor:
        """`Tensor.sub` in place: the result becomes the value of this tensor."""
    def copy_(self, src, non_blocking=False) -> Tensor:
        """`Tensor.copy` in place: the result becomes the value of this tensor."""
    def fill_(self, value) -> Tensor:
        """`Tensor.fill` in place: the result becomes the value of this tensor."""
    def put_(self, index, source, accumulate=False) -> Tensor:
        """`Tensor.put` in place: the result becomes the value of this tensor."""
    def index_copy_(self, dim, index, tensor, *, axis) -> Tensor:
        """`Tensor.index_copy` in place: the result becomes the value of this tensor."""
    def index_add_(self, dim, index, source, *, alpha=1, axis) -> Tensor:
        """`Tensor.index_add` in place: the result becomes the value of this tensor."""
    def scatter_(self, dim, index, src=None, *, value=None, reduce=None, axis) -> Tensor:
        """`Tensor.scatter` in place: the result becomes the value of this tensor."""
    def scatter_add_(self, dim, index, src, *, axis) -> Tensor:
        """`Tensor.scatter_add` in place: the result becomes the value of this tensor."""
    def bernoulli_(self, p=0.5, *, generator=None) -> Tensor:
        """`Tensor.bernoulli` in place: the result becomes the value of this tensor."""
    def random_(self, from_=0, to=None, *, generator=None) -> Tensor:
        """`Tensor.random` in place: the result becomes the value of this tensor."""
    def masked_fill_(self, mask, value) -> Tensor:
        """`Tensor.masked_fill` in place: the result becomes the value of this tensor."""
    def index_fill_(self, dim, index, value, *, axis) -> Tensor:
        """`Tensor.index_fill` in place: the result becomes the value of this tensor."""
    def zero_(self) -> Tensor:
        """`Tensor.zero` in place: the result becomes the value of this tensor."""
    def mul_(self, other) -> Tensor:
        """`Tensor.mul` in place: the result becomes the value of this tensor."""
    def div_(self, other, *, rounding_mode=None) -> Tensor:
        """`Tensor.div` in place: the result becomes the value of this tensor."""
    def floor_divide_(self, other) -> Tensor:
        """`Tensor.floor_divide` in place: the result becomes the value of this tensor."""
    def remainder_(self, other) -> Tensor:
        """`Tensor.remainder` in place: the result becomes the value of this tensor."""
    def pow_(self, exponent) -> Tensor:
        """`Tensor.pow` in place: the result becomes the value of this tensor."""
    def clamp_(self, min=None, max=None) -> Tensor:
        """`Tensor.clamp` in place: the result becomes the value of this tensor."""
    def addmm_(self, mat1, mat2, *, beta=1, alpha=1) -> Tensor:
        """`Tensor.addmm` in place: the result becomes the value of this tensor."""
    def fill_diagonal_(self, fill_value, wrap=False) -> Tensor:
        """`Tensor.fill_diagonal` in place: the result becomes the value of this tensor."""
    def index_put_(self, indices, values, accumulate=False) -> Tensor:
        """`Tensor.index_put` in place: the result becomes the value of this tensor."""
    def masked_scatter_(self, mask, source) -> Tensor:
        """`Tensor.masked_scatter` in place: the result becomes the value of this tensor."""
    def normal_(self, mean=0, std=1, *, generator=None) -> Tensor:
        """`Tensor.normal` in place: the result becomes the value of this tensor."""
    def uniform_(self, from_=0, to=1, *, generator=None) -> Tensor:
        """`Tensor.uniform` in place: the result becomes the value of this tensor."""
    def exponential_(self, lambd=1, *, generator=None) -> Tensor:
        """`Tensor.exponential` in place: the result becomes the value of this tensor."""
    def erfinv_(self) -> Tensor:
        """`Tensor.erfinv` in place: the result becomes the value of this tensor."""
    def exp_(self) -> Tensor:
        """`Tensor.exp` in place: the result becomes the value of this tensor."""
    def log_(self) -> Tensor:
        """`Tensor.log` in place: the result becomes the value of this tensor."""
    def sqrt_(self) -> Tensor:
        """`Tensor.sqrt` in place: the result becomes the value of this tensor."""
    def rsqrt_(self) -> Tensor:
        """`Tensor.rsqrt` in place: the result becomes the value of this tensor."""
    def reciprocal_(self) -> Tensor:
        """`Tensor.reciprocal` in place: the result becomes the value of this tensor."""
    def square_(self) -> Tensor:
        """`Tensor.square` in place: the result becomes the value of this tensor."""
    def neg_(self) -> Tensor:
        """`Tensor.neg` in place: the result becomes the value of this tensor."""
    def abs_(self) -> Tensor:
        """`Tensor.abs` in place: the result becomes the value of this tensor."""
    def sign_(self) -> Tensor:
        """`Tensor.sign` in place: the result becomes the value of this tensor."""
    def floor_(self) -> Tensor:
        """`Tensor.floor` in place: the result becomes the value of this tensor."""
    def ceil_(self) -> Tensor:
        """`Tensor.ceil` in place: the result becomes the value of this tensor."""
    def trunc_(self) -> Tensor:
        """`Tensor.trunc` in place: the result becomes the value of this tensor."""
    def tanh_(self) -> Tensor:
        """`Tensor.tanh` in place: the result becomes the value of this tensor."""
    def sigmoid_(self) -> Tensor:
        """`Tensor.sigmoid` in place: the result becomes the value of this tensor."""
    def relu_(self) -> Tensor:
        """`Tensor.relu` in place: the result becomes the value of this tensor."""
    def sin_(self) -> Tensor:
        """`Tensor.sin` in place: the result becomes the value of this tensor."""
    def cos_(self) -> Tensor:
        """`Tensor.cos` in place: the result becomes the value of this tensor."""
    def _part(self) -> None:
        """``x`` will hold something of its own; its views go on to share what it holds now."""
    def _catch_up(self) -> Any:
        """The array of a view that is out of date."""

class TensorType(Tensor):
    """A Tensor of shape and dtype alone: what `Tensor` makes of these, as for `Cell.set_inputs`."""

    dims: tuple | None
    dtype: dt.DType
    shape: tuple[builtins.int, ...]

    def __init__(
        self, input_data=None, dtype=None, shape=None, init=None, const_arg=False
    ) -> None: ...
    def _catch_up(self) -> Any:
        """The array of a view that is out of date."""
    def __deepcopy__(self, memo) -> Any: ...
    def copy(self) -> TensorType:
        """The same; what is declared does not change."""
    def __copy__(self) -> TensorType: ...
    def __reduce__(self) -> Any: ...
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...

class Parameter(Tensor):
    """A tensor that training changes."""

    _name: Any
    requires_grad: builtins.bool
    layerwise_parallel: Any
    parallel_optimizer: Any
    lies: Any

    default_name: str
    comm_fusion: int
    cache_enable: bool
    requires_aggr: bool
    sliced: bool
    from_ckpt: bool
    key: int
    cache_shape: tuple
    is_init: bool
    parallel_optimizer_comm_recompute: bool
    is_in_parallel: bool
    inited_param: None
    init_mode: None
    is_default_input_init: bool
    is_state: bool
    def __init__(
        self,
        default_input,
        name: str | None = None,
        requires_grad: builtins.bool = True,
        layerwise_parallel: builtins.bool = False,
        parallel_optimizer: builtins.bool = True,
        storage_format: str = "",
    ) -> None: ...
    @classmethod
    def _holding(cls, array: _core.Array, name: str) -> Parameter:
        """A parameter around a native array, without a copy."""
    @property
    def name(self) -> str:
        """The name, unique within a Cell; it can be set to another non-empty str."""
    @name.setter
    def name(self, value: str) -> None: ...
    @property
    def data(self) -> Parameter:
        """This parameter."""
    def value(self) -> Tensor:
        """The present value, as a Tensor that later updates do not change; gradients flow through it."""
    def set_data(self, data, slice_shape: builtins.bool = False) -> Parameter:
        """Replace the value. Views of the old value keep it; `ops.assign` changes them too."""
    def _fill(self, data, slice_shape: builtins.bool = False) -> Parameter:
        """`set_data` that views of this parameter see."""
    def _hold(self, array: _core.Array) -> None:
        """Have another array, of any shape and dtype."""
    def _catch_up(self) -> None:
        """Hold all of what lies in parts."""
    def _raw(self) -> np.ndarray: ...
    def _follow(self, data) -> None:
        """A parameter begins anew: no gradient flows to what it was made of."""
    def _exchange(self, array) -> None:
        """Exchange what a parameter holds; the tapes keep the old value, and no gradient flows through."""
    def clone(self, init: str | Tensor | builtins.float = "same") -> Parameter:
        """A new parameter of the same shape, dtype and settings."""
    def __copy__(self) -> Parameter: ...
    def __deepcopy__(self, memo) -> Any: ...
    def __reduce__(self) -> Any: ...
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    _offered: bool

def _declared_dim(d) -> Any:
    """A dimension of a declaration: an int, None, or what describes one that varies."""

def element_dtype(dtype) -> dt.DType | None:
    """The dtype that `Tensor` is told, which is none of NumPy's."""

def _read_by(get) -> Any:
    """A property that the core reads; the decorated function documents it."""

def _rebuild(cls, raw: np.ndarray, dtype: str) -> Any:
    """"""

def _rebuild_parameter(
    raw: np.ndarray, dtype: str, name: str, requires_grad: builtins.bool
) -> Parameter:
    """"""

def tensor(input_data=None, dtype=None, shape=None, init=None, const_arg=False) -> Tensor:
    """A new tensor; what `Tensor` makes of the same arguments."""

def scalar_tensor(number, dtype: dt.DType) -> Tensor:
    """A Tensor of rank 0, on the host: operations on a device take it from there."""

Number = bool | int | float | complex
Operand = Tensor | Number
