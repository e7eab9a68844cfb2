"""Gradient descent, plain and with momentum."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...tensor import Parameter, Tensor
from ..cell import Cell
from ..layer import checks
from .optimizer import Optimizer
from .rules import descend, momentum


class Momentum(Optimizer):
    r"""Gradient descent with momentum: :math:`v = \mu v + g`, :math:`p = p - \eta v`.

    Args:
        params (list[Parameter], list[dict]): parameters or groups; see `Optimizer`.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): see `Optimizer`.
        momentum (float): μ, at least 0.
        weight_decay (float, int, Cell): see `Optimizer`. Default 0.
        loss_scale (float): gradients are divided by it. Default 1.
        use_nesterov (bool): step by :math:`g + \mu v` instead. Default False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``momentum`` is negative; and as `Optimizer`.

    Source: Sutskever et al., On the importance of initialization and momentum in deep learning,
        2013.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> opt = nn.Momentum([w], learning_rate=0.5, momentum=0.9)
        >>> _ = opt((ms.Tensor([1.0]),))
        >>> w.asnumpy().tolist()
        [0.5]
    """

    def __init__(
        self, params, learning_rate, momentum, weight_decay=0.0, loss_scale=1.0, use_nesterov=False
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        checks.float_in("Momentum", "momentum", momentum, 0, float("inf"))
        self.momentum = Parameter(Tensor(momentum, dt.float32), name="momentum")
        self.use_nesterov = checks.boolean("Momentum", "use_nesterov", use_nesterov)
        self.moments = self._state("moments")

    def construct(self, gradients):
        gradients, rates = self._prepare(gradients), self._rates()
        self._advance()
        nesterov = self.use_nesterov
        momentum(self.parameters, gradients, self.moments, rates, self.momentum, None, nesterov)
        return True


class SGD(Optimizer):
    r"""Gradient descent: :math:`v = \mu v + (1 - \tau) g`, :math:`p = p - \eta v`, where the first v
    is g.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): η; see `Optimizer`.
            Default 0.1.
        momentum (float): μ, at least 0. Default 0.
        dampening (float): τ, at least 0. Default 0.
        weight_decay (float, int, Cell): see `Optimizer`. Default 0.
        nesterov (bool): step by :math:`g + \mu v` instead; needs momentum and no dampening. Default
            False.
        loss_scale (float): gradients are divided by it. Default 1.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``nesterov`` without momentum or with dampening; and as `Optimizer`.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.SGD([w], learning_rate=0.5)((ms.Tensor([1.0]),))
        >>> w.asnumpy().tolist()
        [0.5]
    """

    def __init__(
        self,
        params,
        learning_rate=0.1,
        momentum=0.0,
        dampening=0.0,
        weight_decay=0.0,
        nesterov=False,
        loss_scale=1.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if any(isinstance(d, Cell) for d in self.decay):
            what = "For 'SGD', dynamic weight decay is currently not supported, the argument "
            what += "'weight_decay' or 'weight_decay' set in grouped 'params' must be float or int type."
            raise complain(TypeError, what, cure="use nn.Momentum")
        checks.number_in("SGD", "momentum", momentum, 0, float("inf"))
        checks.number_in("SGD", "dampening", dampening, 0, float("inf"))
        if checks.boolean("SGD", "nesterov", nesterov) and (momentum == 0 or dampening != 0):
            raise complain(
                ValueError,
                f"SGD: nesterov with momentum {momentum} and dampening {dampening}",
                expected="momentum above 0 and dampening 0",
            )
        self.mu, self.dampening, self.nesterov = float(momentum), float(dampening), nesterov
        self.momentum = Parameter(Tensor(momentum, dt.float32), name="momentum")
        self.accum = self._state("accum")
        # As in MindSpore's checkpoints: 1 where no step was made, since the first is not damped. Without
        # dampening it is like the others, as v starts at zero, and need not be written at each step.
        self.stat = self._state("stat", "ones" if dampening or not momentum else "zeros")

    def construct(self, gradients):
        gradients, rates = self._prepare(gradients), self._rates()
        if self.mu == 0:
            descend(self.parameters, gradients, rates)
        else:
            share = None
            if self.dampening != 0:
                first = ops.reshape(self.global_step == 0, ())
                share = ops.select(first, Tensor(1.0), Tensor(1.0 - self.dampening))
                for stat in self.stat:
                    ops.assign(stat, ops.zeros_like(stat))
            momentum(
                self.parameters,
                gradients,
                self.accum,
                rates,
                self.momentum,
                share,
                self.nesterov,
            )
        self._advance()
        return True


__all__ = ["Momentum", "SGD"]
