"""Optimizers under torch's names and with torch's parameters."""

from __future__ import annotations

from .. import nn
from ..base.boundary import guard as _guard
from ..base.errors import expect
from ..tensor import Tensor


def _listed(params):
    """Parameters or groups as a list; a tensor as it is, which the optimizer refuses."""
    return params if isinstance(params, Tensor) else list(params)


class Adam(nn.Adam):
    """The optimizer `nn.Adam` with torch's parameters.

    Args:
        params (list[Parameter]): what it trains.
        lr (float): the learning rate. Default 1e-3.
        betas (tuple[float, float]): decay of the averages. Default (0.9, 0.999).
        eps (float): added to the root. Default 1e-8.
        weight_decay (float): L2 penalty. Default 0.
        amsgrad (bool): use the largest average of squares so far. Default False.
        maximize (bool): must be False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        ValueError: ``maximize`` is True, or a coefficient is out of range.

    Source: Kingma and Ba, Adam, 2014.

    Examples:
        >>> import minds as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.mint.optim.Adam([w], lr=0.1)((ms.Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.9]
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
            _listed(params),
            lr,
            beta1=betas[0],
            beta2=betas[1],
            eps=eps,
            weight_decay=weight_decay,
            use_amsgrad=amsgrad,
        )


class AdamW(nn.AdamWeightDecay):
    """The optimizer `nn.AdamWeightDecay` with torch's parameters.

    Args:
        params (list[Parameter]): what it trains.
        lr (float): the learning rate. Default 1e-3.
        betas (tuple[float, float]): decay of the averages. Default (0.9, 0.999).
        eps (float): added to the root. Default 1e-8.
        weight_decay (float): decay of the parameters, apart from the gradient. Default 1e-2.
        amsgrad (bool), maximize (bool): must be False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        ValueError: ``amsgrad`` or ``maximize`` is True, or a coefficient is out of range.

    Source: Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2017.

    Examples:
        >>> import minds as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.mint.optim.AdamW([w], lr=0.1, weight_decay=0.5)((ms.Tensor([0.0]),))
        >>> print(w.asnumpy().round(4))
        [0.95]
    """

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
            _listed(params), lr, beta1=betas[0], beta2=betas[1], eps=eps, weight_decay=weight_decay
        )


class FusedAdamW(AdamW):
    """`AdamW`; one launch updates all parameters there too.

    Args:
        params (list[Parameter]): what it trains.
        lr (float): the learning rate. Default 1e-3.
        betas (tuple[float, float]): decay of the averages. Default (0.9, 0.999).
        eps (float): added to the root. Default 1e-8.
        weight_decay (float): decay of the parameters, apart from the gradient. Default 1e-2.
        amsgrad (bool), maximize (bool): must be False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        ValueError: ``amsgrad`` or ``maximize`` is True, or a coefficient is out of range.

    Source: Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2017.

    Examples:
        >>> import minds as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.mint.optim.FusedAdamW([w], lr=0.1)((ms.Tensor([3.0]),))
        >>> print(w.asnumpy().round(3))
        [0.899]
    """


class SGD(nn.SGD):
    """The optimizer `nn.SGD` with torch's parameters.

    Args:
        params (list[Parameter]): what it trains.
        lr (float): the learning rate. Default 1e-3.
        momentum (float): weight of the past steps, at least 0. Default 0.
        dampening (float): of the gradient in the momentum. Default 0.
        weight_decay (float): L2 penalty. Default 0.
        nesterov (bool): look ahead; needs momentum and no dampening. Default False.
        maximize (bool): must be False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        ValueError: ``maximize`` is True, or a coefficient is out of range.

    Examples:
        >>> import minds as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.mint.optim.SGD([w], lr=0.5)((ms.Tensor([1.0]),))
        >>> print(w.value())
        [0.5]
    """

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
        super().__init__(_listed(params), lr, momentum, dampening, weight_decay, nesterov)


__all__ = ["Adam", "AdamW", "FusedAdamW", "SGD"]
_guard(__name__)
