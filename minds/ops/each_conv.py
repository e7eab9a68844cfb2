"""Convolutions of one shape, each with its own images and its own weights, stacked along dimension 0: what
`vmap` makes of a convolution whose weights are an example's own. A device without a kernel for them
takes groups of channels of one convolution.
"""

from __future__ import annotations

from ..base.errors import expect
from ..ir.abstract import AbstractTensor
from ..tensor import Tensor
from .batching import apart, beside, merged
from .conv import _attributes, _result
from .define import P, op
from .rules import dims_of, floating


def _stacked(x_shape: tuple, w_shape: tuple, *window) -> tuple:
    """The shape of the results."""
    for name, shape in (("x", x_shape), ("w", w_shape)):
        expect(len(shape) == 5, name, "of rank 5", got=f"shape {shape}")
    expect(w_shape[0] == x_shape[0], "w", f"of size {x_shape[0]} in front", got=f"shape {w_shape}")
    return (x_shape[0], *_result(x_shape[1:], w_shape[1:], *window))


def _expect_dout(dout, *shapes) -> None:
    shape = _stacked(*shapes)
    expect(dout.shape == shape, "dout", f"of shape {shape}", got=dout.shape)


@op(promote="x w")
def each_conv2d(
    x: Tensor, w: Tensor, stride: tuple, pad: tuple, dilation: tuple, group: int
) -> Tensor:
    """A `conv2d` for each element of dimension 0.

    Args:
        x (Tensor[(E, N, C, H, W), float]): the images.
        w (Tensor[(E, O, C / group, KH, KW), float]): the weights.
        stride, pad, dilation, group: as for `conv2d`.

    Returns:
        Tensor[(E, N, O, OH, OW)]: of the common dtype.

    Raises:
        TypeError: an operand is not floating point.
        ValueError: shapes do not fit, or the window is larger than the padded image.
    """
    floating(x, "x")
    return AbstractTensor(_stacked(x.shape, w.shape, stride, pad, dilation, group), x.dtype)


@each_conv2d.normalize
def _(x, w, stride, pad, dilation, group):
    return _attributes(stride, pad, dilation, group)


@each_conv2d.decompose
def _(x, w, stride, pad, dilation, group):
    n = x.shape[0]
    return apart(P.conv2d(beside(x), merged(w, 0), stride, pad, dilation, n * group), n)


@each_conv2d.bprop
def _(x, w, stride, pad, dilation, group, out, dout, need):
    window = stride, pad, dilation, group
    return (
        P.each_conv2d_dx(dout, w, x.shape, *window) if need[0] else None,
        P.each_conv2d_dw(x, dout, w.shape, *window) if need[1] else None,
    )


@each_conv2d.batch
def _(b, x, w, stride, pad, dilation, group):
    x, w = b.every(x, w)
    return P.each_conv2d(merged(x, 0), merged(w, 0), stride, pad, dilation, group)


@op(promote="dout w")
def each_conv2d_dx(
    dout: Tensor, w: Tensor, in_shape: tuple, stride: tuple, pad: tuple, dilation: tuple, group: int
) -> Tensor:
    """A `conv2d_dx` for each element of dimension 0.

    Args:
        dout (Tensor[(E, N, O, OH, OW), float]): the cotangents of the convolutions' results.
        w (Tensor[(E, O, C / group, KH, KW), float]): the weights.
        in_shape (tuple[int]): the shape of the images, with E in front.
        stride, pad, dilation, group: as for `conv2d`.

    Returns:
        Tensor[in_shape]: of the common dtype.

    Raises:
        ValueError: ``dout`` has not the shape that convolutions of such images have.
    """
    _expect_dout(dout, in_shape, w.shape, stride, pad, dilation, group)
    return AbstractTensor(in_shape, dout.dtype)


@each_conv2d_dx.normalize
def _(dout, w, in_shape, stride, pad, dilation, group):
    return {"in_shape": dims_of(in_shape, "in_shape"), **_attributes(stride, pad, dilation, group)}


@each_conv2d_dx.decompose
def _(dout, w, in_shape, stride, pad, dilation, group):
    n, samples, channels, *image = in_shape
    wide = (samples, n * channels, *image)
    dx = P.conv2d_dx(beside(dout), merged(w, 0), wide, stride, pad, dilation, n * group)
    return apart(dx, n)


@each_conv2d_dx.bprop
def _(d, w, in_shape, stride, pad, dilation, group, out, dout, need):
    window = stride, pad, dilation, group
    return (
        P.each_conv2d(dout, w, *window) if need[0] else None,
        P.each_conv2d_dw(dout, d, w.shape, *window) if need[1] else None,
    )


@each_conv2d_dx.batch
def _(b, d, w, in_shape, stride, pad, dilation, group):
    d, w = b.every(d, w)
    shape = (b.n * in_shape[0], *in_shape[1:])
    return P.each_conv2d_dx(merged(d, 0), merged(w, 0), shape, stride, pad, dilation, group)


@op(promote="x dout")
def each_conv2d_dw(
    x: Tensor, dout: Tensor, w_shape: tuple, stride: tuple, pad: tuple, dilation: tuple, group: int
) -> Tensor:
    """A `conv2d_dw` for each element of dimension 0.

    Args:
        x (Tensor[(E, N, C, H, W), float]): the images.
        dout (Tensor[(E, N, O, OH, OW), float]): the cotangents of the convolutions' results.
        w_shape (tuple[int]): the shape of the weights, with E in front.
        stride, pad, dilation, group: as for `conv2d`.

    Returns:
        Tensor[w_shape]: of the common dtype.

    Raises:
        ValueError: ``dout`` has not the shape that convolutions with such weights have.
    """
    _expect_dout(dout, x.shape, w_shape, stride, pad, dilation, group)
    return AbstractTensor(w_shape, x.dtype)


@each_conv2d_dw.normalize
def _(x, dout, w_shape, stride, pad, dilation, group):
    return {"w_shape": dims_of(w_shape, "w_shape"), **_attributes(stride, pad, dilation, group)}


@each_conv2d_dw.decompose
def _(x, dout, w_shape, stride, pad, dilation, group):
    n, rows, *filters = w_shape
    wide = (n * rows, *filters)
    dw = P.conv2d_dw(beside(x), beside(dout), wide, stride, pad, dilation, n * group)
    return P.reshape(dw, w_shape)


@each_conv2d_dw.bprop
def _(x, d, w_shape, stride, pad, dilation, group, out, dout, need):
    window = stride, pad, dilation, group
    return (
        P.each_conv2d_dx(d, dout, x.shape, *window) if need[0] else None,
        P.each_conv2d(x, dout, *window) if need[1] else None,
    )


@each_conv2d_dw.batch
def _(b, x, d, w_shape, stride, pad, dilation, group):
    x, d = b.every(x, d)
    shape = (b.n * w_shape[0], *w_shape[1:])
    return P.each_conv2d_dw(merged(x, 0), merged(d, 0), shape, stride, pad, dilation, group)


each_conv2d.shard("e . . . ., e . . . . -> e . . . .")
each_conv2d_dx.shard("e . . . ., e . . . ., in_shape: e . . . . -> e . . . .")
each_conv2d_dw.shard("e . . . ., e . . . ., w_shape: e . . . . -> e . . . .")
