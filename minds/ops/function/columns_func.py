"""Windows of images as columns, and back."""

from __future__ import annotations

from ...base import dtype as dt
from ...base.limits import times
from ..define import P
from ..faces import face
from ..rules import expect, pair_of
from .common import cut
from .join_func import stack


def _columns(size, kernel, dilation, padding, stride):
    """How often windows fit in each direction."""
    return tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, d, p, s in zip(size, kernel, dilation, padding, stride, strict=True)
    )


@face(method=True, mint="nn.functional.unfold nn.Unfold")
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The windows of images, one column each.

    Args:
        input (Tensor[(N, C, H, W)]): the images.
        kernel_size, dilation, padding, stride (int, tuple[int]): of the windows, as in `conv2d`.

    Returns:
        Tensor: of shape (N, C * kh * kw, windows).

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> ops.unfold(ops.ones((1, 2, 4, 4)), 2).shape
        (1, 8, 9)
    """
    kernel, dilation, stride = (
        pair_of(v, n)
        for v, n in ((kernel_size, "kernel_size"), (dilation, "dilation"), (stride, "stride"))
    )
    pads = pair_of(padding, "padding", 0)
    n, c, h, w = input.shape
    times(kernel[0] * kernel[1], "the size of the kernel")
    oh, ow = _columns((h, w), kernel, dilation, pads, stride)
    x = P.pad(input, ((0, 0), (0, 0), (pads[0],) * 2, (pads[1],) * 2), 0)
    parts = [
        cut(
            cut(x, 2, i * dilation[0], i * dilation[0] + (oh - 1) * stride[0] + 1, stride[0]),
            3,
            j * dilation[1],
            j * dilation[1] + (ow - 1) * stride[1] + 1,
            stride[1],
        )
        for i in range(kernel[0])
        for j in range(kernel[1])
    ]
    return P.reshape(stack(parts, 2), (n, c * kernel[0] * kernel[1], oh * ow))


@face(method=True, mint="nn.functional.fold nn.Fold")
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Images as the sums of their windows: the adjoint of `unfold`.

    Args:
        input (Tensor[(N, C * kh * kw, windows)]): the columns.
        output_size (tuple[int]): height and width of the images.
        kernel_size, dilation, padding, stride (int, tuple[int]): of the windows.

    Returns:
        Tensor[(N, C, H, W)]: the images.

    Raises:
        ValueError: ``input`` has a rank that does not fit.
        ValueError: ``output_size`` is not positive.

    Examples:
        >>> ops.fold(ops.ones((1, 8, 9)), (4, 4), 2).shape
        (1, 2, 4, 4)
    """
    size = (
        tuple(output_size.tolist())
        if hasattr(output_size, "tolist")
        else pair_of(output_size, "output_size")
    )
    expect(all(n > 0 for n in size), "output_size", "positive", got=size)
    kernel, dilation, stride = (
        pair_of(v, n)
        for v, n in ((kernel_size, "kernel_size"), (dilation, "dilation"), (stride, "stride"))
    )
    pads = pair_of(padding, "padding", 0)
    oh, ow = _columns(size, kernel, dilation, pads, stride)
    n, c = input.shape[0], input.shape[1] // (kernel[0] * kernel[1])
    h, w = size[0] + 2 * pads[0], size[1] + 2 * pads[1]
    place = unfold(
        P.reshape(P.arange(0, h * w, 1, dt.int64), (1, 1, h, w)), kernel, dilation, 0, stride
    )
    rows = P.transpose(P.reshape(input, (n * c, kernel[0] * kernel[1] * oh * ow)), (1, 0))
    out = P.gather_dx(rows, P.reshape(place, (-1,)), (h * w, n * c), 0)
    out = P.reshape(P.transpose(out, (1, 0)), (n, c, h, w))
    return cut(cut(out, 2, pads[0], pads[0] + size[0]), 3, pads[1], pads[1] + size[1])
