"""Two-dimensional convolution and its two gradients, each the adjoint of the others.

Images are NCHW, weights OIHW. ``pad`` is (top, bottom, left, right).
"""

from __future__ import annotations

import functools

from ..base.errors import complain, expect
from ..ir.abstract import AbstractTensor
from ..ir.dim import is_size
from ..tensor import Tensor
from .batching import merged
from .define import P, op
from .rules import dims_of, floating, pair_of
from .sharding import Rule
from .windows import adjoint, divided, padded, sliding


def pads_of(pad) -> tuple:
    """``pad`` (an int, two for height and width, or four) as (top, bottom, left, right).

    Raises:
        TypeError, ValueError: it is none of these, or negative.
    """
    pad = (pad,) * 4 if is_size(pad) else tuple(pad) if isinstance(pad, (tuple, list)) else ()
    if len(pad) == 2:
        pad = (pad[0], pad[0], pad[1], pad[1])
    expect(
        len(pad) == 4 and all(map(is_size, pad)),
        "pad",
        "an int, two ints or four",
        TypeError,
        got=pad,
    )
    expect(all(n >= 0 for n in pad), "pad", "at least 0", got=pad)
    return pad


def window_shape(shape: tuple, kernel: tuple, stride: tuple, pad: tuple, dilation: tuple) -> tuple:
    """Height and width of what a sliding window gives.

    Raises:
        ValueError: the window is larger than the padded image.
    """
    out = []
    for i, name in enumerate(("height", "width")):
        padded, reach = shape[i] + pad[2 * i] + pad[2 * i + 1], (kernel[i] - 1) * dilation[i] + 1
        if padded < reach:
            raise complain(
                ValueError,
                f"the window's {name} {reach} is larger than the padded image's, {padded}",
                cure="pad more, or use a smaller window",
            )
        out.append((padded - reach) // stride[i] + 1)
    return tuple(out)


def _attributes(stride, pad, dilation, group) -> dict:
    expect(type(group) is int and group > 0, "group", "a positive int", got=group)
    return {
        "stride": pair_of(stride, "stride"),
        "pad": pads_of(pad),
        "dilation": pair_of(dilation, "dilation"),
        "group": group,
    }


def _result(x_shape: tuple, w_shape: tuple, stride, pad, dilation, group) -> tuple:
    """The shape of a convolution, after checking that image and weights fit."""
    expect(len(x_shape) == 4, "x", "of rank 4 (NCHW)", got=f"shape {x_shape}")
    expect(len(w_shape) == 4, "w", "of rank 4 (OIHW)", got=f"shape {w_shape}")
    (n, c, *image), (o, i, *kernel) = x_shape, w_shape
    if c != i * group:
        raise complain(
            ValueError,
            f"channels differ: the image has {c}, the weights take {i} in {group} group(s)",
            expected=f"{i * group} channels",
        )
    expect(o % group == 0, "the number of output channels", f"a multiple of group={group}", got=o)
    return (n, o, *window_shape(tuple(image), tuple(kernel), stride, pad, dilation))


@op(promote="x w")
def conv2d(
    x: Tensor,
    w: Tensor,
    stride: tuple = (1, 1),
    pad: tuple = (0, 0, 0, 0),
    dilation: tuple = (1, 1),
    group: int = 1,
) -> Tensor:
    r"""Two-dimensional cross-correlation.

    .. math:: y_{n,o,i,j} = \sum_{c,p,q} x_{n,c,\,s i + d p - t,\,s j + d q - l}\; w_{o,c,p,q}

    Args:
        x (Tensor[(N, C, H, W), float]): the images.
        w (Tensor[(O, C / group, KH, KW), float]): the weights.
        stride (tuple[int]): the step of the window, down and right. Default: (1, 1).
        pad (tuple[int]): zeros added above, below, left and right. Default: none.
        dilation (tuple[int]): the distance of the window's elements. Default: (1, 1).
        group (int): into how many independent parts the channels are divided. Default: 1.

    Returns:
        Tensor[(N, O, OH, OW)]: of the common dtype.

    Raises:
        TypeError: an operand is not floating point.
        ValueError: shapes do not fit, or the window is larger than the padded image.

    Examples:
        >>> x, w = ops.ones((1, 1, 3, 3)), ops.ones((1, 1, 2, 2))
        >>> print(ops.conv2d(x, w))
        [[[[4. 4.]
           [4. 4.]]]]
    """
    floating(x, "x")
    return AbstractTensor(_result(x.shape, w.shape, stride, pad, dilation, group), x.dtype)


@conv2d.normalize
def _(x, w, stride, pad, dilation, group):
    return _attributes(stride, pad, dilation, group)


@conv2d.bprop
def _(x, w, stride, pad, dilation, group, out, dout, need):
    return (
        P.conv2d_dx(dout, w, x.shape, stride, pad, dilation, group) if need[0] else None,
        P.conv2d_dw(x, dout, w.shape, stride, pad, dilation, group) if need[1] else None,
    )


def _expect_dout(dout, x_shape, w_shape, stride, pad, dilation, group) -> None:
    shape = _result(x_shape, w_shape, stride, pad, dilation, group)
    expect(dout.shape == shape, "dout", f"of shape {shape}", got=dout.shape)


def _rule(
    notation: str, image, kernel, stride, pad, dilation, group: int, compute, back=False
) -> Rule:
    """Groups of channels are not divided. ``compute`` gets the windows before what `Rule.compute` gets."""
    if group != 1:
        notation = notation.replace("c", ".").replace("o", ".")
    count = window_shape(image, kernel, stride, pad, dilation)
    slides = sliding(image, count, kernel, stride, pad, dilation)
    return divided(notation, slides, (0,), functools.partial(compute, slides), back)


@conv2d.shard
def _(x, w, stride, pad, dilation, group):
    notation = "n c h w, o c . . -> n o h w"
    about = x.shape[2:], w.shape[2:], stride, pad, dilation, group
    return _rule(notation, *about, _conv2d_part)


def _conv2d_part(slides, x, w, stride, pad, dilation, group, places):
    return P.conv2d(x, w, stride, padded(slides, pad, places), dilation, group)


@conv2d.batch
def _(b, x, w, stride, pad, dilation, group):
    if not b.mask[1]:
        return P.conv2d(merged(x, 0), w, stride, pad, dilation, group)
    return P.each_conv2d(*b.every(x, w), stride, pad, dilation, group)


@op(promote="dout w")
def conv2d_dx(
    dout: Tensor, w: Tensor, in_shape: tuple, stride: tuple, pad: tuple, dilation: tuple, group: int
) -> Tensor:
    """The gradient of `conv2d` with respect to its images; also the transposed convolution.

    Args:
        dout (Tensor[(N, O, OH, OW), float]): the cotangent of the convolution's result.
        w (Tensor[(O, C / group, KH, KW), float]): the weights.
        in_shape (tuple[int]): the shape of the images.
        stride, pad, dilation, group: as for `conv2d`.

    Returns:
        Tensor[in_shape]: of the common dtype.

    Raises:
        ValueError: ``dout`` has not the shape that a convolution of such images has.
    """
    _expect_dout(dout, in_shape, w.shape, stride, pad, dilation, group)
    return AbstractTensor(in_shape, dout.dtype)


@conv2d_dx.normalize
def _(dout, w, in_shape, stride, pad, dilation, group):
    return {"in_shape": dims_of(in_shape, "in_shape"), **_attributes(stride, pad, dilation, group)}


@conv2d_dx.bprop
def _(d, w, in_shape, stride, pad, dilation, group, out, dout, need):
    return (
        P.conv2d(dout, w, stride, pad, dilation, group) if need[0] else None,
        P.conv2d_dw(dout, d, w.shape, stride, pad, dilation, group) if need[1] else None,
    )


@conv2d_dx.shard
def _(d, w, in_shape, stride, pad, dilation, group):
    notation = "n o h w, o c . ., in_shape: n c h w -> n c h w"
    about = in_shape[2:], w.shape[2:], stride, pad, dilation, group
    return _rule(notation, *about, _conv2d_dx_part, back=True)


def _conv2d_dx_part(slides, d, w, in_shape, stride, pad, dilation, group, places):
    def run(d, shape, pads):
        return P.conv2d_dx(d, w, shape, stride, pads, dilation, group)

    return adjoint(slides, d, in_shape, pad, places, run)


@conv2d_dx.batch
def _(b, d, w, in_shape, stride, pad, dilation, group):
    samples, channels, *image = in_shape
    if not b.mask[1]:
        return P.conv2d_dx(
            merged(d, 0), w, (b.n * samples, channels, *image), stride, pad, dilation, group
        )
    shape = (b.n, *in_shape)
    return P.each_conv2d_dx(*b.every(d, w), shape, stride, pad, dilation, group)


@op(promote="x dout")
def conv2d_dw(
    x: Tensor, dout: Tensor, w_shape: tuple, stride: tuple, pad: tuple, dilation: tuple, group: int
) -> Tensor:
    """The gradient of `conv2d` with respect to its weights.

    Args:
        x (Tensor[(N, C, H, W), float]): the images.
        dout (Tensor[(N, O, OH, OW), float]): the cotangent of the convolution's result.
        w_shape (tuple[int]): the shape of the weights.
        stride, pad, dilation, group: as for `conv2d`.

    Returns:
        Tensor[w_shape]: of the common dtype.

    Raises:
        ValueError: ``dout`` has not the shape that a convolution with such weights has.
    """
    _expect_dout(dout, x.shape, w_shape, stride, pad, dilation, group)
    return AbstractTensor(w_shape, x.dtype)


@conv2d_dw.normalize
def _(x, dout, w_shape, stride, pad, dilation, group):
    return {"w_shape": dims_of(w_shape, "w_shape"), **_attributes(stride, pad, dilation, group)}


@conv2d_dw.bprop
def _(x, d, w_shape, stride, pad, dilation, group, out, dout, need):
    return (
        P.conv2d_dx(d, dout, x.shape, stride, pad, dilation, group) if need[0] else None,
        P.conv2d(x, dout, stride, pad, dilation, group) if need[1] else None,
    )


@conv2d_dw.shard
def _(x, d, w_shape, stride, pad, dilation, group):
    notation = "n c h w, n o h w, w_shape: o c . . -> o c . ."
    about = x.shape[2:], w_shape[2:], stride, pad, dilation, group
    return _rule(notation, *about, _conv2d_dw_part)


def _conv2d_dw_part(slides, x, d, w_shape, stride, pad, dilation, group, places):
    return P.conv2d_dw(x, d, w_shape, stride, padded(slides, pad, places), dilation, group)


@conv2d_dw.batch
def _(b, x, d, w_shape, stride, pad, dilation, group):
    return P.each_conv2d_dw(*b.every(x, d), (b.n, *w_shape), stride, pad, dilation, group)
