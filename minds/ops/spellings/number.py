"""Methods of tensors, and functions of `minds.mint`, whose parameters are not those of the
function: arithmetic, comparison and casts.
"""

from __future__ import annotations

from ...base import devices
from ...base import dtype as dt
from ...base.errors import ParseError, complain, expect
from ...ir import build
from .. import define
from ..define import P
from ..faces import face, offer
from ..function.common import is_tensor, number_of
from ..functional import WITHIN as F
from ..rules import scaled_by
from ..views import lie_in_order


@face(mint="bincount", like="bincount")
def _(input, weights=None, minlength=0):
    """How often each integer occurs: int64, with weights of their dtype."""
    found = F.bincount(input, weights, minlength)
    return P.cast(found, dt.int64) if weights is None else found


@face(method="add", mint="add")
def _(input, other, *, alpha=1):
    """``input + alpha * other``."""
    return P.add(input, _term(input, other, alpha))


@face(method="sub subtract", mint="sub")
def _(input, other, *, alpha=1):
    """``input - alpha * other``."""
    return P.sub(input, _term(input, other, alpha))


def _term(input, other, alpha):
    """``alpha * other``; of integers with a fraction in the dtype that the sum has, if that holds it."""
    if isinstance(alpha, float) and is_tensor(input) and is_tensor(other):
        dtype = dt.promote(input.dtype, other.dtype)
        other = P.cast(other, dtype) if dtype.is_inexact and dtype is not other.dtype else other
    return scaled_by(other, alpha)


@face(mint="equal")
def _(input, other):
    """Whether both have the same shape and elements, as a Tensor of rank 0."""
    same = input.shape == other.shape
    return P.all(P.equal(input, other)) if same else P.full((), False, dt.bool_)


@face(method="allclose", mint="allclose", like="isclose")
def _(input, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether all elements are close: a bool in PyNative mode, in a program a Tensor."""
    found = P.all(F.isclose(input, other, rtol, atol, equal_nan))
    return found if build.current() is not None else bool(found)


@face(method="diagonal")
def _(self, offset=0, axis1=0, axis2=1):
    """The diagonals of the matrices in two dimensions."""
    return F.diagonal(self, offset, axis1, axis2)


@face(method="float_power")
def _(self, other):
    """A power, computed in float64."""
    return F.float_power(self, other)


@face(method="multiply", like="mul")
def _(self, value):
    """``self * value``."""
    return P.mul(self, value)


@face(method="approximate_equal")
def _(self, other, tolerance=1e-5):
    """Where both differ by less than ``tolerance``."""
    return F.approximate_equal(self, other, tolerance)


@face(method="ormqr")
def _(self, input2, input3, left=True, transpose=False):
    """The product of the orthogonal matrix that `geqrf` packed, with ``input2``, and ``input3``."""
    return F.ormqr(self, input2, input3, left, transpose)


@face(mint="frac")
def _(input):
    """What is left when the integer part is taken away."""
    return F.frac(input)


@face(mint="sqrt")
def _(input):
    """The square root."""
    return P.sqrt(input)


@face(mint="isnan")
def _(tensor):
    """Whether the operand is not a number."""
    return P.isnan(tensor)


@face(mint="nn.functional.max_unpool2d")
def _(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """The maxima of a pool of (N, C, H, W) at their places, zeros elsewhere."""
    return F.max_unpool2d(input, indices, kernel_size, stride, padding, output_size)


@face(method="remainder")
def _(self, other=None, *, divisor=None):
    """The remainder of floor division by ``other``, also called ``divisor``."""
    return F.remainder(self, divisor if other is None else other)


@face(method="softmax")
def _(self, axis=-1, dtype=None):
    """The softmax."""
    return F.softmax(self, axis, dtype=dtype)


@face(method="astype", like="cast")
def astype(self, dtype, copy=True):
    """The elements as another type; without ``copy`` the tensor itself where nothing changes."""
    dtype = dt.of(dtype)
    if self.dtype is dtype:
        return P.copy(self) if copy and build.current() is None else self
    return P.cast(self, dtype)


@face(method="to", like="cast")
def _(self, dtype=None, non_blocking=False, copy=False, *, device=None, other=None):
    """The elements as another type, or on another device ("CPU", "GPU", "GPU:1", "Ascend").
    Another tensor, also called ``other``, stands for its type.
    """
    dtype = other if dtype is None else dtype
    if isinstance(dtype, str) and not _names_dtype(dtype):
        dtype, device = None, dtype
    if isinstance(non_blocking, dt.DType):
        dtype = non_blocking
    moved = self if device is None else _on(self, device, "to")
    return astype(moved, getattr(dtype, "dtype", dtype) or self.dtype, copy)


def _names_dtype(name: str) -> bool:
    try:
        return dt.of(name) is not None
    except (TypeError, ValueError):
        return False


def _on(x, device: str, what: str):
    """``x`` on a device, by a user's name."""
    found = devices.find(device, what=f"{what}: device")
    if build.current() is None:
        return define.moved_hook(x, found)
    if found.label != devices.current().label:
        raise complain(
            ParseError,
            f"{what}: a program runs on one device, here {devices.shown(devices.current())}",
            cure="move the tensor before the call, or choose the device by set_context",
        )
    return x


@face(method="move_to", like="cast")
def _(self, to, blocking=True):
    """The tensor on another device: "CPU", "GPU" or "Ascend"; with ``blocking`` when it is there."""
    moved = _on(self, to, "move_to")
    if blocking and build.current() is None:
        devices.find(to).synchronize()
    return moved


@face(method="cpu", like="cast")
def _(self):
    """The tensor in the host's memory."""
    return _on(self, "CPU", "cpu")


@face(method="cuda", like="cast")
def _(self, device=0):
    """The tensor on a GPU."""
    return _on(self, device if isinstance(device, str) else f"GPU:{device}", "cuda")


@face(method="type", like="cast")
def _(self, dtype=None):
    """The name of the element type; with ``dtype``, the elements as that type."""
    return str(self.dtype) if dtype is None else F.cast(self, dtype)


@face(method="type_as", like="cast")
def _(self, other):
    """The elements as the type of ``other``."""
    return F.cast(self, other.dtype)


def _lies_in_order(x) -> bool:
    return build.current() is not None or lie_in_order(x.shape, x.stride())


@face(method="contiguous")
def _(self):
    """A tensor whose elements lie in the order of the indices: this one, or a copy of a view that
    sees them in another order.

    Returns:
        Tensor: of the same values.

    Examples:
        >>> print(Tensor([1, 2]).contiguous())
        [1 2]
    """
    return self if _lies_in_order(self) else P.copy(self)


@face(method="is_contiguous")
def _(self):
    """Whether the elements lie in the order of the indices, without gaps, in what the tensor is a
    view of.

    Returns:
        bool: False of a transposed tensor, say.

    Examples:
        >>> print(Tensor([[1, 2]]).is_contiguous(), ops.zeros((2, 3)).T.is_contiguous())
        True False
    """
    return _lies_in_order(self)


@face(method="value")
def _(self):
    """This tensor.

    Returns:
        Tensor: this tensor.

    Examples:
        >>> print(Tensor([1, 2]).value())
        [1 2]
    """
    return self


@face(method="init_data")
def _(self, *args, **kwargs):
    """This tensor: its data exists from the start."""
    return self


@face(method="dim ndimension", like="rank")
def _(self):
    """The number of dimensions."""
    return len(self.shape)


@face(method="nelement", like="numel")
def _(self):
    """The number of elements."""
    return self.size


@face(method="is_signed")
def _(self):
    """Whether the dtype has negative numbers.

    Returns:
        bool: of the dtype.

    Examples:
        >>> print(Tensor([1, 2]).is_signed())
        True
    """
    return self.dtype.kind in "if"


@face(method="invert", like="bitwise_not")
def _(self):
    """Each bit inverted."""
    return P.logical_not(self) if self.dtype.is_bool else P.bitwise_not(self)


@face(method="inv", like="reciprocal")
def _(self):
    """The reciprocal."""
    return P.reciprocal(self)


@face(method="soft_shrink", like="softshrink")
def _(self, lambd=0.5):
    """Numbers nearer to 0 by ``lambd``."""
    return F.softshrink(self, lambd)


@face(mint="addcdiv")
def _(input, tensor1, tensor2, *, value=1):
    return F.addcdiv(input, tensor1, tensor2, value)


@face(mint="addcmul")
def _(input, tensor1, tensor2, *, value=1):
    return F.addcmul(input, tensor1, tensor2, value)


@face(mint="diff")
def _(input, n=1, dim=-1, prepend=None, append=None):
    return F.diff(input, n, dim, prepend, append)


@face(mint="fix", like="trunc")
def _(input):
    return P.trunc(input)


@face(mint="item")
def _(input):
    """The number that a tensor of one element holds.

    Args:
        input (Tensor[one element]): the operand.

    Returns:
        number: a Python number.

    Raises:
        ValueError: there are more elements, or none.

    Examples:
        >>> ms.mint.item(Tensor([2.0]))
        2.0
    """
    expect(input.size == 1, "input", "of one element", got=f"shape {input.shape}")
    return number_of(input)


def _as(name: str, dtype):
    def method(self):
        return F.cast(self, dtype)

    method.__doc__ = f"""The elements as {dtype.name}."""
    method.__name__ = method.__qualname__ = name
    offer(method, name, like="cast", method=True)


for _name, _dtype in {
    "float": dt.float32,
    "half": dt.float16,
    "double": dt.float64,
    "int": dt.int32,
    "long": dt.int64,
    "short": dt.int16,
    "byte": dt.uint8,
    "bool": dt.bool_,
    "bfloat16": dt.bfloat16,
}.items():
    _as(_name, _dtype)
