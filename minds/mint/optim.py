"""Optimizers under torch's names and with torch's parameters."""

from __future__ import annotations

from .. import nn
from ..base.errors import expect


class Adam(nn.Adam):
    """`nn.Adam` with torch's parameters.

    Args:
        params (list[Parameter]): what it trains.
        lr (float): the learning rate. Default 1e-3.
        betas (tuple[float]): decay of the averages. Default (0.9, 0.999).
        eps (float): added to the root. Default 1e-8.
        weight_decay (float): L2 penalty. Default 0.
        amsgrad (bool): use the largest average of squares so far. Default False.
        maximize (bool): must be False.
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0.0,
        amsgrad=False,
        *,
        maximize=False,
    ):
        expect(not maximize, "maximize", "False")
        super().__init__(
            list(params),
            lr,
            beta1=betas[0],
            beta2=betas[1],
            eps=eps,
            weight_decay=weight_decay,
            use_amsgrad=amsgrad,
        )


class AdamW(nn.AdamWeightDecay):
    """`nn.AdamWeightDecay` with torch's parameters; see `Adam`."""

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=1e-2,
        amsgrad=False,
        *,
        maximize=False,
    ):
        expect(not maximize and not amsgrad, "maximize and amsgrad", "False")
        super().__init__(
            list(params), lr, beta1=betas[0], beta2=betas[1], eps=eps, weight_decay=weight_decay
        )


class SGD(nn.SGD):
    """`nn.SGD` with torch's parameters."""

    def __init__(
        self,
        params,
        lr=1e-3,
        momentum=0.0,
        dampening=0.0,
        weight_decay=0.0,
        nesterov=False,
        *,
        maximize=False,
    ):
        expect(not maximize, "maximize", "False")
        super().__init__(list(params), lr, momentum, dampening, weight_decay, nesterov)


__all__ = ["Adam", "AdamW", "SGD"]
