"""Padding cells."""

from __future__ import annotations

from ...base.errors import complain
from ...ops.define import P
from ..cell import Cell
from . import checks


class Pad(Cell):
    """Adds elements around the input.

    Args:
        paddings (tuple[tuple[int, int]]): how many before and after, for each dimension.
        mode (str): ``CONSTANT`` (zeros), ``REFLECT`` (mirrored at the edge element) or
            ``SYMMETRIC`` (mirrored behind it). Default CONSTANT.

    Inputs:
        - **x** (Tensor)

    Outputs:
        Tensor, larger by the paddings.

    Raises:
        TypeError: ``paddings`` is no tuple of pairs of ints.
        ValueError: the mode is unknown, ``paddings`` is for another number of dimensions, or there
            is no such number of elements to mirror.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Pad(((1, 1),), "REFLECT")(ms.Tensor([1.0, 2.0, 3.0])).asnumpy().tolist()
        [2.0, 1.0, 2.0, 3.0, 2.0]
    """

    def __init__(self, paddings, mode="CONSTANT"):
        super().__init__()
        self.mode = checks.one_of("Pad", "mode", mode, ("CONSTANT", "REFLECT", "SYMMETRIC"))
        if not isinstance(paddings, (tuple, list)) or not all(
            isinstance(p, (tuple, list)) for p in paddings
        ):
            raise complain(
                TypeError, f"Pad: paddings is {paddings!r}", expected="a tuple of pairs of ints"
            )
        self.paddings = tuple(checks.ints("Pad", "paddings", p, 2, 0) for p in paddings)

    def construct(self, x):
        if len(self.paddings) != x.ndim:
            raise ValueError(
                f"Pad: paddings are for {len(self.paddings)} dimensions, the input has {x.ndim}"
            )
        if self.mode == "CONSTANT":
            return constant_pad(x, self.paddings, 0)
        for axis in range(x.ndim):
            x = mirror(
                x,
                axis,
                self.paddings[axis][0],
                self.paddings[axis][1],
                1 if self.mode == "REFLECT" else 0,
            )
        return x


def constant_pad(x, paddings, value):
    """``x`` with ``value`` around it; negative paddings cut."""
    if any(low < 0 or high < 0 for low, high in paddings):
        begin = tuple(max(-low, 0) for low, high in paddings)
        end = tuple(n - max(-high, 0) for n, (low, high) in zip(x.shape, paddings))
        x = P.strided_slice(x, begin, end, (1,) * x.ndim)
    return P.pad(x, tuple((max(low, 0), max(high, 0)) for low, high in paddings), value)


def _part(x, axis, begin, end):
    """Elements ``begin`` to ``end`` along ``axis``."""
    rest = x.ndim - axis - 1
    return P.strided_slice(
        x,
        (0,) * axis + (begin,) + (0,) * rest,
        x.shape[:axis] + (end,) + x.shape[axis + 1 :],
        (1,) * x.ndim,
    )


def mirror(x, axis, before, after, skip):
    """``x`` continued on both sides by its mirror image, leaving out ``skip`` elements at the
    mirror.
    """
    size = x.shape[axis]
    if max(before, after) + skip > size:
        raise ValueError(
            f"Pad: {max(before, after)} elements cannot be mirrored along a dimension of {size}"
        )
    parts = (x,)
    if before > 0:
        parts = (P.flip(_part(x, axis, skip, skip + before), (axis,)),) + parts
    if after > 0:
        parts = parts + (P.flip(_part(x, axis, size - skip - after, size - skip), (axis,)),)
    return P.concat(parts, axis) if len(parts) > 1 else x


def _repeat_edge(x, axis, before, after):
    """``x`` with its first and last element along ``axis`` repeated."""
    size, parts = x.shape[axis], (x,)
    if before > 0:
        first = _part(x, axis, 0, 1)
        parts = (P.broadcast_to(first, x.shape[:axis] + (before,) + x.shape[axis + 1 :]),) + parts
    if after > 0:
        last = _part(x, axis, size - 1, size)
        parts = parts + (P.broadcast_to(last, x.shape[:axis] + (after,) + x.shape[axis + 1 :]),)
    return P.concat(parts, axis) if len(parts) > 1 else x


class _EdgePad(Cell):
    """Pads the last dimensions, ``dims`` at most; ``padding`` lists (before, after) from the last
    dimension on.
    """

    dims = 1

    def __init__(self, padding):
        super().__init__()
        low = None if isinstance(self, _ConstantPad) else 0
        if checks.is_int(padding):
            padding = (padding,) * (2 * self.dims)
        if not isinstance(padding, tuple) or not all(checks.is_int(p) for p in padding):
            raise complain(
                TypeError,
                f"{self.cls_name}: padding is {padding!r}",
                expected="an int or a tuple of ints",
            )
        paired = len(padding) % 2 == 0 and 0 < len(padding) <= 2 * self.dims
        if not paired or low is not None and min(padding) < low:
            raise complain(
                ValueError,
                f"{self.cls_name}: padding is {padding}",
                expected=f"pairs of ints, {self.dims} at most"
                + ("" if low is None else ", none negative"),
            )
        self.padding = padding

    def _pairs(self, ndim):
        """``(before, after)`` of every dimension."""
        count = len(self.padding) // 2
        last = tuple(
            (self.padding[2 * i], self.padding[2 * i + 1]) for i in range(count - 1, -1, -1)
        )
        return ((0, 0),) * (ndim - count) + last

    def extend_repr(self):
        return f"padding={self.padding}"


class _ConstantPad(_EdgePad):
    """Pads with one value."""

    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = checks.any_number(type(self).__name__, "value", value)

    def construct(self, x):
        return constant_pad(x, self._pairs(x.ndim), self.value)

    def extend_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Pads the last dimension with a value.

    Args:
        padding (int, tuple[int]): (left, right); negative numbers cut.
        value (number): the new elements.

    Inputs:
        - **x** (Tensor[(..., L)])

    Outputs:
        Tensor[(..., left + L + right)].

    Raises:
        TypeError: ``padding`` is neither an int nor a tuple of ints.
        ValueError: it does not hold one pair.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.ConstantPad1d((1, 0), 9.0)(ms.Tensor([[1.0, 2.0]])).asnumpy().tolist()
        [[9.0, 1.0, 2.0]]
    """


class ConstantPad2d(_ConstantPad):
    """Pads the last two dimensions with a value.

    Args:
        padding (int, tuple[int]): (left, right, top, bottom); negative numbers cut.
        value (number): the new elements.

    Inputs:
        - **x** (Tensor[(..., H, W)])

    Outputs:
        Tensor[(..., top + H + bottom, left + W + right)].

    Raises:
        TypeError: ``padding`` is neither an int nor a tuple of ints.
        ValueError: it does not hold one or two pairs.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.ConstantPad2d((1, 0, 0, 1), 9.0)(ms.Tensor([[1.0, 2.0]])))
        [[9. 1. 2.]
         [9. 9. 9.]]
    """

    dims = 2


class ConstantPad3d(_ConstantPad):
    """Pads the last three dimensions with a value.

    Args:
        padding (int, tuple[int]): (left, right, top, bottom, front, back); negative numbers cut.
        value (number): the new elements.

    Inputs:
        - **x** (Tensor[(..., D, H, W)])

    Outputs:
        Tensor[(..., front + D + back, top + H + bottom, left + W + right)].

    Raises:
        TypeError: ``padding`` is neither an int nor a tuple of ints.
        ValueError: it does not hold one to three pairs.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> nn.ConstantPad3d(1, 0.0)(ops.ones((2, 3, 4, 5))).shape
        (2, 5, 6, 7)
    """

    dims = 3


class ZeroPad2d(_ConstantPad):
    """Pads the last two dimensions with zeros.

    Args:
        padding (int, tuple[int]): (left, right, top, bottom); negative numbers cut.

    Inputs:
        - **x** (Tensor[(..., H, W)])

    Outputs:
        Tensor[(..., top + H + bottom, left + W + right)].

    Raises:
        TypeError: ``padding`` is neither an int nor a tuple of ints.
        ValueError: it does not hold one or two pairs.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.ZeroPad2d((1, 0, 0, 1))(ms.Tensor([[1.0, 2.0]])))
        [[0. 1. 2.]
         [0. 0. 0.]]
    """

    dims = 2

    def __init__(self, padding):
        super().__init__(padding, 0)


class ReflectionPad1d(_EdgePad):
    """Pads the last dimension with its mirror image at the edge element.

    Args:
        padding (int, tuple[int]): (left, right), each below the size.

    Inputs:
        - **x** (Tensor[(..., L)])

    Outputs:
        Tensor[(..., left + L + right)].

    Raises:
        TypeError: ``padding`` is neither an int nor a tuple of ints.
        ValueError: it does not hold one pair, is negative, or there are too few elements.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.ReflectionPad1d((2, 0))(ms.Tensor([[1.0, 2.0, 3.0]])))
        [[3. 2. 1. 2. 3.]]
    """

    def construct(self, x):
        pairs = self._pairs(x.ndim)
        for axis in range(x.ndim):
            x = mirror(x, axis, pairs[axis][0], pairs[axis][1], 1)
        return x


class ReflectionPad2d(ReflectionPad1d):
    """Pads the last two dimensions with their mirror images at the edge elements.

    Args:
        padding (int, tuple[int]): (left, right, top, bottom), each below the size.

    Inputs:
        - **x** (Tensor[(..., H, W)])

    Outputs:
        Tensor[(..., top + H + bottom, left + W + right)].

    Raises:
        TypeError: ``padding`` is neither an int nor a tuple of ints.
        ValueError: it does not hold one or two pairs, is negative, or there are too few elements.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.ReflectionPad2d((1, 0, 0, 1))(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[2. 1. 2.]
         [4. 3. 4.]
         [2. 1. 2.]]
    """

    dims = 2


class ReflectionPad3d(ReflectionPad1d):
    """Pads the last three dimensions with their mirror images at the edge elements.

    Args:
        padding (int, tuple[int]): (left, right, top, bottom, front, back), each below the size.

    Inputs:
        - **x** (Tensor[(..., D, H, W)])

    Outputs:
        Tensor[(..., front + D + back, top + H + bottom, left + W + right)].

    Raises:
        TypeError: ``padding`` is neither an int nor a tuple of ints.
        ValueError: it does not hold one to three pairs, is negative, or there are too few elements.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> nn.ReflectionPad3d(1)(ops.ones((2, 3, 4, 5))).shape
        (2, 5, 6, 7)
    """

    dims = 3


class ReplicationPad1d(_EdgePad):
    """Pads the last dimension by repeating its edge elements.

    Args:
        padding (int, tuple[int]): (left, right).

    Inputs:
        - **x** (Tensor[(..., L)])

    Outputs:
        Tensor[(..., left + L + right)].

    Raises:
        TypeError: ``padding`` is neither an int nor a tuple of ints.
        ValueError: it does not hold one pair, or is negative.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.ReplicationPad1d((2, 0))(ms.Tensor([[1.0, 2.0, 3.0]])))
        [[1. 1. 1. 2. 3.]]
    """

    def construct(self, x):
        pairs = self._pairs(x.ndim)
        for axis in range(x.ndim):
            x = _repeat_edge(x, axis, pairs[axis][0], pairs[axis][1])
        return x


class ReplicationPad2d(ReplicationPad1d):
    """Pads the last two dimensions by repeating their edge elements.

    Args:
        padding (int, tuple[int]): (left, right, top, bottom).

    Inputs:
        - **x** (Tensor[(..., H, W)])

    Outputs:
        Tensor[(..., top + H + bottom, left + W + right)].

    Raises:
        TypeError: ``padding`` is neither an int nor a tuple of ints.
        ValueError: it does not hold one or two pairs, or is negative.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.ReplicationPad2d((1, 0, 0, 1))(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[1. 1. 2.]
         [3. 3. 4.]
         [3. 3. 4.]]
    """

    dims = 2


class ReplicationPad3d(ReplicationPad1d):
    """Pads the last three dimensions by repeating their edge elements.

    Args:
        padding (int, tuple[int]): (left, right, top, bottom, front, back).

    Inputs:
        - **x** (Tensor[(..., D, H, W)])

    Outputs:
        Tensor[(..., front + D + back, top + H + bottom, left + W + right)].

    Raises:
        TypeError: ``padding`` is neither an int nor a tuple of ints.
        ValueError: it does not hold one to three pairs, or is negative.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> nn.ReplicationPad3d(1)(ops.ones((2, 3, 4, 5))).shape
        (2, 5, 6, 7)
    """

    dims = 3


__all__ = [
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Pad",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad2d",
]
