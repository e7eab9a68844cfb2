"""Optimizers under torch's names and with torch's parameters: those of `minds.experimental.optim`."""

from __future__ import annotations

from ..base.boundary import guard as _guard
from ..experimental.optim import SGD, Adam, AdamW


class FusedAdamW(AdamW):
    """`AdamW`; one launch updates all parameters there too.

    Args:
        params (list[Parameter]): what it trains.
        lr (float): the learning rate. Default 1e-3.
        betas (tuple[float, float]): decay of the averages. Default (0.9, 0.999).
        eps (float): added to the root. Default 1e-8.
        weight_decay (float): decay of the parameters, apart from the gradient. Default 1e-2.
        amsgrad (bool): use the largest average of squares so far. Default False.
        maximize (bool): whether to climb. Default False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there are no parameters, or an option is out of range.

    Source: Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2017.

    Examples:
        >>> import minds as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.mint.optim.FusedAdamW([w], lr=0.1)((ms.Tensor([3.0]),))
        >>> print(w.asnumpy().round(3))
        [0.899]
    """


__all__ = ["Adam", "AdamW", "FusedAdamW", "SGD"]
_guard(__name__)
