"""How many operations of floating point the large products of a program take."""

from __future__ import annotations

from math import prod

from ..ir.abstract import AbstractTensor
from ..ir.node import Apply
from ..ops.define import Op

_WINDOWS = {"conv2d": (1, -1), "conv2d_dx": (1, 0), "conv2d_dw": (-1, 1)}
"""By op, where among the arguments the weights are, and the result of the convolution or its cotangent; -1
is the op's own result.
"""
_EACH = {"each_" + name: places for name, places in _WINDOWS.items()}
"""The same of several convolutions, stacked."""


def flops(n: Apply) -> int:
    """The operations of a product of matrices, a convolution or an attention, or of its gradient; 0 for
    any other op, whose time is the memory's.
    """
    count = _COUNTS.get(n.fn.name) if isinstance(n.fn, Op) else None
    return 0 if count is None else count(n)


def _shape(n: Apply, at: int) -> tuple:
    a = n.abstract if at < 0 else n.args[at].abstract
    return a.shape if isinstance(a, AbstractTensor) else ()


def _matmul(n: Apply) -> int:
    x, flipped = _shape(n, 0), getattr(n.args[2], "value", False)
    return 2 * prod(_shape(n, -1)) * x[-2 if flipped else -1]


def _window(n: Apply) -> int:
    weights, image = (_shape(n, at) for at in _WINDOWS[n.fn.name])
    return 2 * prod(image) * prod(weights[1:])


def _windows(n: Apply) -> int:
    weights, images = (_shape(n, at) for at in _EACH[n.fn.name])
    return 2 * prod(images) * prod(weights[2:])


def _attention(n: Apply) -> int:
    # Two products of matrices; its gradient has five, as it computes the scores again.
    products, at = (2, 0) if n.fn.name == "attention" else (5, 1)
    query, key = _shape(n, at), _shape(n, at + 1)
    return 2 * products * prod(query) * key[-2]


_COUNTS = {
    "matmul": _matmul,
    **dict.fromkeys(_WINDOWS, _window),
    **dict.fromkeys(_EACH, _windows),
    "attention": _attention,
    "attention_dx": _attention,
}
