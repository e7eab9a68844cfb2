"""Optimizers under torch's names and with torch's parameters: those of `minds.experimental.optim`, with the
states that MindSpore's checkpoints of these have.
"""

from __future__ import annotations

from .. import ops
from ..base import dtype as dt
from ..base.boundary import guard as _guard
from ..experimental import optim as _optim
from ..tensor import Tensor


class SGD(_optim.SGD):
    __doc__ = _optim.SGD.__doc__
    states = {"momentum_buf": 0.0, "step_t": Tensor(0, dt.int32)}

    def _kept(self, i, g, group, step):
        kept = group["momentum"] * self.momentum_buf[i] + (1 - group["dampening"]) * g
        return self.write(self.momentum_buf[i], ops.where(step > 1, kept, g))


def _states(self) -> dict:
    """The largest averages of squares are kept only where a group asks for them."""
    asked = any(group["amsgrad"] for group in self.param_groups)
    return {**self.states, "max_exp_avg_sq": 0.0} if asked else self.states


class Adam(_optim.Adam):
    __doc__ = _optim.Adam.__doc__
    states = {"exp_avg": 0.0, "exp_avg_sq": 0.0, "state_step": Tensor([0], dt.float32)}
    _states = _states


class AdamW(_optim.AdamW):
    __doc__ = _optim.AdamW.__doc__
    states = {"exp_avg": 0.0, "exp_avg_sq": 0.0, "state_step": Tensor([-1], dt.float32)}
    _states = _states


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
