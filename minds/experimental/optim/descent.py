"""Optimizers by the gradient alone, or by its sign."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...tensor import Tensor
from .optimizer import Optimizer


class SGD(Optimizer):
    """Steepest descent, with momentum.

    Args:
        params (list[Parameter], list[dict]): the parameters, or groups of them; see `Optimizer`.
        lr (float): the learning rate.
        momentum (float): what is kept of the last step. Default: 0.
        dampening (float): what a gradient loses before it is added to that. Default: 0.
        weight_decay (float): L2 penalty. Default: 0.
        nesterov (bool): Nesterov's momentum. Default: False.
        maximize (bool): whether to climb. Default: False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there are no parameters, or an option is out of range.

    Source: Sutskever et al., On the importance of initialization and momentum, 2013.

    Examples:
        >>> from minds.experimental import optim
        >>> w = ms.Parameter(Tensor([1.0]), name="w")
        >>> _ = optim.SGD([w], 0.1)((Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.7]
    """

    states = {"accum": 0.0, "stat": 1.0}

    def __init__(
        self,
        params,
        lr,
        momentum=0,
        dampening=0,
        weight_decay=0.0,
        nesterov=False,
        *,
        maximize=False,
    ):
        options = {"lr": lr, "momentum": momentum, "dampening": dampening, "nesterov": nesterov}
        super().__init__(params, {**options, "weight_decay": weight_decay, "maximize": maximize})

    def check(self, group):
        super().check(group)
        if group["nesterov"] and (group["momentum"] <= 0 or group["dampening"] != 0):
            raise complain(ValueError, "SGD: nesterov needs a momentum and no dampening")

    def _update(self, i, p, g, group, step):
        if group["momentum"] != 0:
            kept = self._kept(i, g, group, step)
            g = g + group["momentum"] * kept if group["nesterov"] else kept
        self.write(p, p - group["lr"] * g)

    def _kept(self, i, g, group, step):
        """What is kept of this step: at the first one, which ``stat`` marks, the gradient."""
        kept = group["momentum"] * self.accum[i] + (1 - group["dampening"]) * g
        kept = self.write(self.accum[i], ops.where(self.stat[i] > 0, g, kept))
        self.write(self.stat[i], ops.zeros_like(g))
        return kept


class ASGD(Optimizer):
    """Steepest descent whose steps shrink; ``ax`` is the average of the parameters.

    Args:
        params (list[Parameter], list[dict]): the parameters, or groups of them; see `Optimizer`.
        lr (float): the learning rate. Default: 1e-2.
        lambd (float): the decay. Default: 1e-4.
        alpha (float): the power of the decay. Default: 0.75.
        t0 (float): where averaging begins. Default: 1e6.
        weight_decay (float): L2 penalty. Default: 0.
        maximize (bool): whether to climb. Default: False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there are no parameters, or an option is out of range.

    Source: Polyak and Juditsky, Acceleration of Stochastic Approximation by Averaging, 1992.

    Examples:
        >>> from minds.experimental import optim
        >>> w = ms.Parameter(Tensor([1.0]), name="w")
        >>> _ = optim.ASGD([w], 0.1)((Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.7]
    """

    states = {"mu": (1.0,), "eta": (0.0,), "ax": 0.0, "step_t": Tensor(0, dt.int32)}

    def __init__(
        self,
        params,
        lr=1e-2,
        lambd=1e-4,
        alpha=0.75,
        t0=1e6,
        weight_decay=0.0,
        maximize=False,
    ):
        options = {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0}
        super().__init__(params, {**options, "weight_decay": weight_decay, "maximize": maximize})

    def _update(self, i, p, g, group, step):
        mu, lr = self.mu[i], group["lr"]
        eta = ops.where(step > 1, self.eta[i], lr)
        new = self.write(p, p * (1 - group["lambd"] * eta) - eta * g)
        self.write(self.ax[i], ops.where(mu == 1, new, self.ax[i] + (new - self.ax[i]) * mu))
        shrunk = lr / (1 + group["lambd"] * lr * step) ** group["alpha"]
        self.write(self.eta[i], shrunk)
        self.write(mu, 1 / ops.maximum(step - group["t0"], Tensor(1.0)))


class Rprop(Optimizer):
    """Steps that grow while a gradient keeps its sign, whatever its size.

    Args:
        params (list[Parameter], list[dict]): the parameters, or groups of them; see `Optimizer`.
        lr (float): the size of the first step. Default: 1e-2.
        etas (tuple[float, float]): the factors of a step after a change of sign, and without. Default:
            (0.5, 1.2).
        step_sizes (tuple[float, float]): the least and the largest step. Default: (1e-6, 50).
        maximize (bool): whether to climb. Default: False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there are no parameters, or an option is out of range.

    Source: Riedmiller and Braun, A Direct Adaptive Method for Faster Backpropagation Learning, 1993.

    Examples:
        >>> from minds.experimental import optim
        >>> w = ms.Parameter(Tensor([1.0]), name="w")
        >>> _ = optim.Rprop([w], 0.1)((Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.9]
    """

    states = {"prev": 0.0, "step_size": 0.0, "step_t": Tensor(0, dt.int32)}

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, maximize=False):
        super().__init__(
            params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize}
        )

    def check(self, group):
        super().check(group)
        less, more = group["etas"]
        if not 0 < less < 1 < more:
            raise complain(ValueError, f"Rprop: etas is {group['etas']}", expected="0 < a < 1 < b")

    def _update(self, i, p, g, group, step):
        turned = ops.sign(g * self.prev[i])
        less, more = group["etas"]
        factor = ops.where(turned > 0, more, ops.where(turned < 0, less, 1.0))
        least, most = group["step_sizes"]
        last = ops.where(step > 1, self.step_size[i], group["lr"])
        size = self.write(self.step_size[i], ops.clamp(last * factor, least, most))
        g = self.write(self.prev[i], ops.where(turned < 0, 0.0, g))
        self.write(p, p - ops.sign(g) * size)
