"""Layers with int8 weights, for inference: what `minds.quantize` puts in the place of others."""

from __future__ import annotations

import numpy as np

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...ops.define import P
from ...tensor import Parameter, Tensor
from ..cell import Cell
from .basic import Dense
from .conv import Conv2d

LEVELS = 127
"""Weights are whole multiples of their scale, from -LEVELS to LEVELS."""


def _rounded(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int8 weights, and the scale of each of dimension 0."""
    most = np.abs(weight).max(axis=tuple(range(1, weight.ndim)), initial=0)
    scale = np.where(most > 0, most / LEVELS, 1).astype(np.float32)
    wide = scale.reshape(-1, *[1] * (weight.ndim - 1))
    return np.clip(np.rint(weight / wide), -LEVELS, LEVELS).astype(np.int8), scale


class _Quantized(Cell):
    """int8 weights, their scales and a bias, under the names that the layer's parameters had."""

    def _take(self, layer, weight: np.ndarray) -> None:
        if not np.isfinite(weight).all():
            raise complain(
                ValueError,
                f"{self.cls_name}: {layer.weight.name} holds numbers that are not finite",
                expected="finite weights",
            )
        levels, scale = _rounded(weight)
        bias = np.zeros(len(scale)) if layer.bias is None else layer.bias.float().asnumpy()
        before = layer.weight.name.removesuffix("weight")
        for name, value in (("weight", levels), ("scale", scale), ("bias", np.float32(bias))):
            setattr(self, name, Parameter(Tensor(value), before + name, requires_grad=False))


class QuantizedDense(_Quantized):
    r"""A fully connected layer with int8 weights, one scale for each output. Its input is rounded to 256
    levels between the least and the largest element of each row; sums are of integers, and exact.

    Args:
        layer (Dense): the layer that it stands for.

    Inputs:
        - **x** (Tensor[(..., in_channels), float])

    Outputs:
        Tensor[(..., out_channels)], of the dtype of ``x``.

    Raises:
        ValueError: a weight is not finite.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> layer = nn.QuantizedDense(nn.Dense(3, 2, weight_init="ones", bias_init="zeros"))
        >>> layer(ms.Tensor([[1.0, 0.0, 3.0]])).asnumpy().tolist()
        [[4.0, 4.0]]
    """

    def __init__(self, layer: Dense):
        super().__init__()
        self.in_channels, self.out_channels = layer.in_channels, layer.out_channels
        self._take(layer, layer.weight.float().asnumpy())
        self.activation = layer.activation

    def construct(self, x):
        rows = ops.reshape(P.cast(x, dt.float32), (-1, x.shape[-1]))
        out = P.quantized_matmul(rows, self.weight, self.scale, self.bias)
        if self.activation is not None:
            out = self.activation(out)
        return P.cast(ops.reshape(out, (*x.shape[:-1], self.out_channels)), x.dtype)

    def extend_repr(self):
        return f"input_channels={self.in_channels}, output_channels={self.out_channels}"


class QuantizedConv2d(_Quantized):
    r"""Two-dimensional convolution over ``(N, C, H, W)`` with int8 weights, one scale for each
    output channel. Its input is rounded to 256 levels between the least and the largest element of
    each image; sums are of integers, and exact.

    Args:
        layer (Conv2d): the layer that it stands for, of one group and of format NCHW.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float])

    Outputs:
        Tensor[(N, out_channels, H', W')], of the dtype of ``x``.

    Raises:
        ValueError: a weight is not finite, or ``layer`` has groups or another format.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> layer = nn.QuantizedConv2d(nn.Conv2d(3, 8, 5, stride=2))
        >>> layer(ms.ops.ones((1, 3, 9, 9))).shape
        (1, 8, 5, 5)
    """

    def __init__(self, layer: Conv2d):
        super().__init__()
        if layer.group != 1 or layer.data_format != "NCHW":
            raise complain(
                ValueError,
                f"QuantizedConv2d: a layer of {layer.group} groups and format {layer.data_format}",
                expected="one group and NCHW",
            )
        self.in_channels, self.out_channels = layer.in_channels, layer.out_channels
        self.stride, self.dilation = layer.stride, layer.dilation
        self._pads_for = layer._pads_for
        self._take(layer, layer.weight.float().asnumpy().transpose(0, 2, 3, 1).copy())

    def construct(self, x):
        pads = self._pads_for(x.shape[2], x.shape[3])
        operands = (P.cast(x, dt.float32), self.weight, self.scale, self.bias)
        return P.cast(P.quantized_conv2d(*operands, self.stride, pads, self.dilation), x.dtype)

    def extend_repr(self):
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.weight.shape[1:3]}, stride={self.stride}, dilation={self.dilation}"
        )
