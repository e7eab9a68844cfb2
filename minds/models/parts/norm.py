"""Normalisation by the root of the mean square."""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import initializer
from ...tensor import Parameter


class RMSNorm(nn.Cell):
    """x / √(mean(x²) + epsilon) · weight along the last dimension.

    Args:
        size (int): of the last dimension.
        epsilon (float): Default 1e-6.

    Inputs:
        - **x** (Tensor[(..., size), float])

    Outputs:
        Tensor, as ``x``.

    Source: Zhang and Sennrich, Root Mean Square Layer Normalization, 2019.

    Examples:
        >>> import minds as ms
        >>> from minds.models.parts.norm import RMSNorm
        >>> RMSNorm(2)(ms.Tensor([[3.0, 3.0]])).asnumpy().round(4).tolist()
        [[1.0, 1.0]]
    """

    def __init__(self, size: int, epsilon: float = 1e-6):
        super().__init__()
        self.weight = Parameter(initializer("ones", [size]), name="weight")
        self.epsilon = epsilon

    def construct(self, x):
        return x * ops.rsqrt(ops.mean(x * x, -1, True) + self.epsilon) * self.weight
