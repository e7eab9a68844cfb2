"""Pooling of NCHW images, and its gradients. ``pad`` is (top, bottom, left, right)."""

from __future__ import annotations

import functools

from ..base.dtype import int64
from ..base.errors import expect
from ..ir.abstract import AbstractTensor, AbstractTuple
from ..tensor import Tensor
from .conv import pads_of, window_shape
from .define import P, op
from .rules import dims_of, floating, integral, pair_of
from .windows import Sliding, adjoint, divided, padded, sliding


def _windows(kernel, stride, pad, dilation=1) -> dict:
    kernel = pair_of(kernel, "kernel")
    return {
        "kernel": kernel,
        "stride": kernel if stride is None else pair_of(stride, "stride"),
        "pad": pads_of(pad),
        "dilation": pair_of(dilation, "dilation"),
    }


def _images(x, name: str = "x") -> None:
    floating(x, name)
    expect(len(x.shape) == 4, name, "of rank 4 (NCHW)", got=f"shape {x.shape}")
    expect(
        0 not in x.shape[1:], name, "without images or channels of size 0", got=f"shape {x.shape}"
    )


@op(batch="fold")
def max_pool2d(
    x: Tensor,
    kernel: tuple,
    stride: tuple = None,
    pad: tuple = (0, 0, 0, 0),
    dilation: tuple = (1, 1),
) -> tuple[Tensor, Tensor]:
    """The maximum in each window, and where it was.

    Args:
        x (Tensor[(N, C, H, W), float]): the images.
        kernel (tuple[int]): height and width of the window.
        stride (tuple[int]): its step. Default: ``kernel``.
        pad (tuple[int]): how far windows may reach over the edges; nothing there is ever chosen.
            Default: not at all.
        dilation (tuple[int]): the distance of the window's elements. Default: (1, 1).

    Returns:
        tuple: the maxima (N, C, OH, OW) and their positions in the plane of H * W, int64.

    Raises:
        TypeError: ``x`` is not floating point.
        ValueError: ``x`` is not of rank 4, or the window is larger than the padded image.

    Examples:
        >>> print(ops.max_pool2d(Tensor([[[[1.0, 2.0], [4.0, 3.0]]]]), 2))
        [[[[4.]]]]
    """
    _images(x)
    reach = tuple((k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=False))
    expect(
        max(pad[:2]) < reach[0] and max(pad[2:]) < reach[1],
        "pad",
        "smaller than the window",
        got=pad,
        cure="else a window would lie outside of the image",
    )
    shape = x.shape[:2] + window_shape(x.shape[2:], kernel, stride, pad, dilation)
    return AbstractTuple((AbstractTensor(shape, x.dtype), AbstractTensor(shape, int64)))


@max_pool2d.normalize
def _(x, kernel, stride, pad, dilation):
    return _windows(kernel, stride, pad, dilation)


@max_pool2d.bprop
def _(x, kernel, stride, pad, dilation, out, dout):
    windows = [(stride[d], (kernel[d] - 1) * dilation[d] + 1, pad[2 * d]) for d in (0, 1)]
    return (P.max_pool2d_dx(dout[0], out[1], x.shape, (*windows[0], *windows[1])),)


@max_pool2d.shard
def _(x, kernel, stride, pad, dilation):
    image = x.shape[2:]
    count = window_shape(image, kernel, stride, pad, dilation)
    slides = sliding(image, count, kernel, stride, pad, dilation)
    compute = functools.partial(_max_pool2d_part, slides, image[1])
    return divided("n c h w -> n c h w, n c h w", slides, (0,), compute)


def _max_pool2d_part(slides, width, x, kernel, stride, pad, dilation, places):
    """Positions are those in the whole plane, of ``width`` columns."""
    out, index = P.max_pool2d(x, kernel, stride, padded(slides, pad, places), dilation)
    rows, columns = [slides[c].rows(*places[c])[0] if c in places else 0 for c in "hw"]
    row = P.floor_divide(index, x.shape[3])
    return out, index + (rows * width + columns) + row * (width - x.shape[3])


@op(batch="fold")
def max_pool2d_dx(dout: Tensor, index: Tensor, in_shape: tuple, windows: tuple = ()) -> Tensor:
    """The gradient of `max_pool2d`: each cotangent is added where its maximum was.

    Args:
        dout (Tensor[(N, C, OH, OW), float]): the cotangent of the maxima.
        index (Tensor[(N, C, OH, OW), int64]): their positions.
        in_shape (tuple[int]): the shape of the images.
        windows (tuple[int]): for height, then width: stride, reach and first padding of the windows, by
            which images can be divided. Default: not known.

    Returns:
        Tensor[in_shape]: of the dtype of ``dout``.

    Raises:
        ValueError: ``index`` has another shape than ``dout``.
    """
    _images(dout, "dout")
    expect(index.shape == dout.shape, "index", f"of shape {dout.shape}", got=index.shape)
    return AbstractTensor(in_shape, dout.dtype)


@max_pool2d_dx.normalize
def _(dout, index, in_shape, windows):
    return {"in_shape": dims_of(in_shape, "in_shape"), "windows": tuple(windows)}


@max_pool2d_dx.bprop
def _(d, index, in_shape, windows, out, dout):
    return P.pool_gather(dout, index), None


@max_pool2d_dx.shard
def _(d, index, in_shape, windows):
    slides = {
        c: Sliding(in_shape[i + 2], d.shape[i + 2], *windows[3 * i : 3 * i + 3])
        for i, c in enumerate("hw" if windows else "")
    }
    notation = "n c h w, n c h w, in_shape: n c h w -> n c h w"
    compute = functools.partial(_max_pool2d_dx_part, in_shape[3])
    return divided(notation, slides, (0, 1), compute, back=True)


def _max_pool2d_dx_part(width, d, index, in_shape, windows, places):
    """Of the positions in the whole plane, of ``width`` columns, those of a part."""
    if 0 in d.shape:
        return P.full(in_shape, 0, d.dtype)
    first = [places[c][0] * in_shape[i + 2] if c in places else 0 for i, c in enumerate("hw")]
    row = P.floor_divide(index, width)
    column = index - row * width - first[1]
    row = row - first[0]
    mine = P.logical_and(row >= 0, row < in_shape[2])
    mine = P.logical_and(mine, P.logical_and(column >= 0, column < in_shape[3]))
    at = P.select(mine, row * in_shape[3] + column, P.full((), 0, index.dtype))
    return P.max_pool2d_dx(P.select(mine, d, P.full((), 0, d.dtype)), at, in_shape)


@op(batch="fold")
def pool_gather(x: Tensor, index: Tensor) -> Tensor:
    """The elements at given positions of each plane: the adjoint of `max_pool2d_dx`.

    Args:
        x (Tensor[(N, C, H, W), float]): the images.
        index (Tensor[(N, C, OH, OW), int64]): positions in the plane of H * W.

    Returns:
        Tensor[(N, C, OH, OW)]: of the dtype of ``x``.

    Raises:
        TypeError: ``index`` holds no integers.
        ValueError: the operands differ in batch or channels.
    """
    _images(x)
    integral(index, "index")
    expect(
        index.shape[:2] == x.shape[:2],
        "index",
        f"of shape {x.shape[:2]} + (OH, OW)",
        got=index.shape,
    )
    return AbstractTensor(index.shape, x.dtype)


@pool_gather.bprop
def _(x, index, out, dout):
    return P.max_pool2d_dx(dout, index, x.shape), None


pool_gather.shard("n c . ., n c . . -> n c . .")


@op(batch="fold")
def avg_pool2d(
    x: Tensor,
    kernel: tuple,
    stride: tuple = None,
    pad: tuple = (0, 0, 0, 0),
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window.

    Args:
        x (Tensor[(N, C, H, W), float]): the images.
        kernel (tuple[int]): height and width of the window.
        stride (tuple[int]): its step. Default: ``kernel``.
        pad (tuple[int]): zeros added above, below, left and right. Default: none.
        count_include_pad (bool): whether these zeros count in the mean. Default: True.

    Returns:
        Tensor[(N, C, OH, OW)]: of the same dtype.

    Raises:
        TypeError: ``x`` is not floating point.
        ValueError: ``x`` is not of rank 4, or the window is larger than the padded image.

    Examples:
        >>> print(ops.avg_pool2d(Tensor([[[[1.0, 2.0], [4.0, 3.0]]]]), 2))
        [[[[2.5]]]]
    """
    _images(x)
    return AbstractTensor(
        x.shape[:2] + window_shape(x.shape[2:], kernel, stride, pad, (1, 1)), x.dtype
    )


@avg_pool2d.normalize
def _(x, kernel, stride, pad, count_include_pad):
    return {**_windows(kernel, stride, pad), "count_include_pad": bool(count_include_pad)}


@avg_pool2d.bprop
def _(x, kernel, stride, pad, count_include_pad, out, dout):
    return (P.avg_pool2d_dx(dout, x.shape, kernel, stride, pad, count_include_pad),)


@avg_pool2d.shard
def _(x, kernel, stride, pad, count_include_pad):
    image = x.shape[2:]
    count = window_shape(image, kernel, stride, pad, (1, 1))
    slides = sliding(image, count, kernel, stride, pad, (1, 1))
    compute = functools.partial(_avg_pool2d_part, slides)
    return divided("n c h w -> n c h w", slides, (0,), compute)


def _avg_pool2d_part(slides, x, kernel, stride, pad, count_include_pad, places):
    return P.avg_pool2d(x, kernel, stride, padded(slides, pad, places), count_include_pad)


@op(batch="fold")
def avg_pool2d_dx(
    dout: Tensor, in_shape: tuple, kernel: tuple, stride: tuple, pad: tuple, count_include_pad: bool
) -> Tensor:
    """The gradient of `avg_pool2d`: each cotangent is spread evenly over its window.

    Args:
        dout (Tensor[(N, C, OH, OW), float]): the cotangent of the means.
        in_shape (tuple[int]): the shape of the images.
        kernel, stride, pad, count_include_pad: as for `avg_pool2d`.

    Returns:
        Tensor[in_shape]: of the dtype of ``dout``.

    Raises:
        ValueError: ``dout`` has not the shape that pooling such images gives.
    """
    _images(dout, "dout")
    shape = in_shape[:2] + window_shape(in_shape[2:], kernel, stride, pad, (1, 1))
    expect(dout.shape == shape, "dout", f"of shape {shape}", got=dout.shape)
    return AbstractTensor(in_shape, dout.dtype)


@avg_pool2d_dx.normalize
def _(dout, in_shape, kernel, stride, pad, count_include_pad):
    return {"in_shape": dims_of(in_shape, "in_shape"), **_windows(kernel, stride, pad)}


@avg_pool2d_dx.bprop
def _(d, in_shape, kernel, stride, pad, count_include_pad, out, dout):
    return (P.avg_pool2d(dout, kernel, stride, pad, count_include_pad),)


@avg_pool2d_dx.shard
def _(d, in_shape, kernel, stride, pad, count_include_pad):
    slides = sliding(in_shape[2:], d.shape[2:], kernel, stride, pad, (1, 1))
    compute = functools.partial(_avg_pool2d_dx_part, slides)
    return divided("n c h w, in_shape: n c h w -> n c h w", slides, (0,), compute, back=True)


def _avg_pool2d_dx_part(slides, d, in_shape, kernel, stride, pad, count_include_pad, places):
    def run(d, shape, pads):
        return P.avg_pool2d_dx(d, shape, kernel, stride, pads, count_include_pad)

    return adjoint(slides, d, in_shape, pad, places, run)
