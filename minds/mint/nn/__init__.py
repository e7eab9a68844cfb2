"""Layers under torch's names and with torch's parameters.

A layer without weights is a face of the function that it applies (`ops.faces`): the constructor
takes the parameters of the function but its inputs.
"""

from __future__ import annotations

import inspect

from ... import nn
from ...base import dtype as dt
from ...nn import (
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    CosineEmbeddingLoss,
    Identity,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad2d,
)
from ...nn.cell import Cell
from ...ops import docs
from ..functions import functions
from . import functional


class _Functional(Cell):
    """A layer that applies a function with the options of its constructor."""

    _function = None
    inputs = 1

    def __init__(self, *args, **kwargs):
        super().__init__()
        self.options = dict(type(self).__signature__.bind(*args, **kwargs).arguments)


class _One(_Functional):
    def construct(self, input):
        return self._function(input, **self.options)


class _Two(_Functional):
    inputs = 2

    def construct(self, input, target):
        return self._function(input, target, **self.options)


def _layer(name: str, function) -> type:
    """The layer of a function; one whose name ends in ``Loss`` takes an input and a target."""
    base = _Two if name.endswith("Loss") else _One
    parts = docs.sections(function.__doc__)
    known = docs.entries(parts.get("Args", ""))
    given = inspect.signature(function)
    names = list(given.parameters)
    text = docs.joined(
        {
            "summary": parts["summary"],
            "Args": docs.picked(known, names[base.inputs :]),
            "Inputs": docs.picked(known, names[: base.inputs]),
            "Outputs": parts.get("Returns", ""),
            "Raises": parts.get("Raises", ""),
            "Examples": parts.get("Examples", ""),
        }
    )
    options = [
        given.parameters[n].replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for n in names[base.inputs :]
    ]
    fields = {"_function": staticmethod(function), "__module__": __name__, "__doc__": text}
    return type(name, (base,), {**fields, "__signature__": inspect.Signature(options)})


globals().update({name: _layer(name, fn) for name, fn in functions("nn.").items()})


class Flatten(Cell):
    """Dimensions from ``start_dim`` to ``end_dim`` as one.

    Examples:
        >>> ms.mint.nn.Flatten()(ms.ops.ones((2, 3, 4))).shape
        (2, 12)
    """

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, input):
        return functional.flatten(input, self.start_dim, self.end_dim)


class Linear(nn.Dense):
    """``x W^T + b``.

    Args:
        in_features (int), out_features (int): sizes of the last dimension of input and output.
        bias (bool): whether to add one. Default True.
        weight_init, bias_init: initialisers. Default None, torch's.
        dtype (dtype): of the weights. Default None, float32.
    """

    def __init__(
        self, in_features, out_features, bias=True, weight_init=None, bias_init=None, dtype=None
    ):
        super().__init__(
            in_features,
            out_features,
            weight_init=weight_init,
            bias_init=bias_init,
            has_bias=bias,
            dtype=dtype or dt.float32,
        )


class Conv2d(nn.Conv2d):
    """Convolution of images; `nn.Conv2d` with torch's parameters: ``padding`` ints or
    ``"same"``/``"valid"``.
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        dtype=None,
    ):
        word = isinstance(padding, str)
        sides = (
            padding
            if word or isinstance(padding, int)
            else tuple(p for p in padding for _ in range(2))
        )
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding if word else "pad",
            0 if word else sides,
            dilation,
            groups,
            bias,
            dtype=dtype or dt.float32,
        )


class Dropout(nn.Dropout):
    """`nn.Dropout` with torch's parameters."""

    def __init__(self, p=0.5, inplace=False):
        super().__init__(p=float(p))


class Dropout2d(nn.Dropout2d):
    """`nn.Dropout2d` with torch's parameters."""

    def __init__(self, p=0.5, inplace=False):
        super().__init__(p=float(p))


class Embedding(nn.EmbeddingExt):
    """Looks up rows of a table; see `nn.EmbeddingExt`."""


class PReLU(nn.PReLUExt):
    """Leaky ReLU with a learnt slope; see `nn.PReLUExt`."""


def _norm(base: type):
    """A batch normalisation with torch's parameters."""

    class TorchNorm(base):
        def __init__(
            self,
            num_features,
            eps=1e-5,
            momentum=0.1,
            affine=True,
            track_running_stats=True,
            dtype=None,
        ):
            super().__init__(
                num_features,
                eps=eps,
                momentum=1 - momentum,
                affine=affine,
                use_batch_statistics=None if track_running_stats else True,
                dtype=dtype or dt.float32,
            )

    TorchNorm.__name__ = TorchNorm.__qualname__ = base.__name__
    TorchNorm.__doc__ = f"`nn.{base.__name__}` with torch's parameters."
    return TorchNorm


BatchNorm1d, BatchNorm2d, BatchNorm3d = (
    _norm(nn.BatchNorm1d),
    _norm(nn.BatchNorm2d),
    _norm(nn.BatchNorm3d),
)


class GroupNorm(nn.GroupNorm):
    """`nn.GroupNorm` with torch's parameters and their names, ``weight`` and ``bias``; None without
    ``affine``.
    """

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, dtype=None):
        super().__init__(
            num_groups, num_channels, eps=eps, affine=affine, dtype=dtype or dt.float32
        )
        weight, bias = self.gamma, self.beta
        del self.gamma, self.beta
        weight.name, bias.name = "weight", "bias"
        self.weight, self.bias = (weight, bias) if affine else (None, None)

    def construct(self, x):
        return functional.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)


class LayerNorm(nn.LayerNormExt):
    """`nn.LayerNorm` with torch's parameters; see `nn.LayerNormExt`."""


__all__ = sorted(
    n for n, v in globals().items() if inspect.isclass(v) and not n.startswith("_")
) + ["functional"]
