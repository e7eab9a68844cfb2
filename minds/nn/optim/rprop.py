"""Resilient propagation, and averaged stochastic gradient descent."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...parameters import ParameterTuple
from ...tensor import Parameter, Tensor
from ..layer import checks
from .optimizer import Optimizer
from .rules import update


class Rprop(Optimizer):
    """Steps whose sizes grow while a gradient keeps its sign and shrink where it changes; only the
    sign counts.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): the first step; see
            `Optimizer`. Default 0.1.
        etas (tuple[float, float]): by how much steps shrink and grow. Default (0.5, 1.2).
        step_sizes (tuple[float, float]): smallest and largest step. Default (1e-6, 50).
        weight_decay (float, int, Cell): see `Optimizer`. Default 0.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: ``etas`` or ``step_sizes`` is no tuple; and as `Optimizer`.
        ValueError: they are not two increasing numbers of these ranges; and as `Optimizer`.

    Source: Riedmiller and Braun, The RPROP algorithm, 1993.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.Rprop([w], learning_rate=0.5)((ms.Tensor([7.0]),))
        >>> print(w.value())
        [0.5]
    """

    def __init__(
        self, params, learning_rate=0.1, etas=(0.5, 1.2), step_sizes=(1e-6, 50.0), weight_decay=0.0
    ):
        super().__init__(learning_rate, params, weight_decay)
        for name, v in (("etas", etas), ("step_sizes", step_sizes)):
            if not isinstance(v, tuple):
                raise complain(
                    TypeError,
                    f"Rprop: {name} has type {type(v).__name__}",
                    expected="a tuple of two numbers",
                )
            if len(v) != 2:
                raise complain(ValueError, f"Rprop: {name} has {len(v)} elements", expected="2")
            for i, size in enumerate(v):
                checks.float_in("Rprop", f"{name}[{i}]", size, -float("inf"), float("inf"))
        if not 0 < etas[0] < 1 < etas[1]:
            raise complain(
                ValueError, f"Rprop: etas is {etas}", expected="0 < etas[0] < 1 < etas[1]"
            )
        if not 0 < step_sizes[0] < step_sizes[1]:
            raise complain(
                ValueError, f"Rprop: step_sizes is {step_sizes}", expected="0 < least < largest"
            )
        self.shrink, self.grow = map(float, etas)
        self.least, self.largest = map(float, step_sizes)
        self.prev, self.step_size = self._state("prev"), self._state("step_size")

    def construct(self, gradients):
        gradients, rates = self._prepare(gradients), self._rates()
        first = ops.reshape(self.global_step == 0, ())
        for p, g, before, size, lr in zip(
            self.parameters, gradients, self.prev, self.step_size, rates
        ):
            agree = ops.sign(g * before)
            ones = ops.ones_like(g)
            factor = ops.select(
                agree > 0, ones * self.grow, ops.select(agree < 0, ones * self.shrink, ones)
            )
            step = ops.select(first, ones * lr, size) * factor
            step = ops.minimum(ops.maximum(step, self.least), self.largest)
            g = ops.select(agree < 0, ops.zeros_like(g), g)
            update(p, p - ops.sign(g) * step)
            update(before, g)
            update(size, step)
        self._advance()
        return True


class ASGD(Optimizer):
    """Gradient descent that also keeps the average of the parameters, from step t0 on.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): see `Optimizer`. Default
            0.1.
        lambd (float): decay of the parameters. Default 1e-4.
        alpha (float): power of the learning rate's decay. Default 0.75.
        t0 (float): from when on is averaged. Default 1e6.
        weight_decay (float, int, Cell): see `Optimizer`. Default 0.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Attributes:
        ax (ParameterTuple): the averages.

    Raises:
        TypeError: a coefficient is no number; and as `Optimizer`.
        ValueError: as `Optimizer`.

    Source: Polyak and Juditsky, Acceleration of stochastic approximation by averaging, 1992.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.ASGD([w], learning_rate=0.5, lambd=0.0)((ms.Tensor([1.0]),))
        >>> print(w.value())
        [0.5]
    """

    def __init__(self, params, learning_rate=0.1, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        for name, v in (("lambd", lambd), ("alpha", alpha), ("t0", t0)):
            checks.float_in("ASGD", name, v, -float("inf"), float("inf"))
        self.lambd, self.alpha, self.t0 = float(lambd), float(alpha), float(t0)
        names = [p.name for p in self.parameters]
        self.mu = ParameterTuple(Parameter(Tensor(1.0, dt.float32), name=f"mu_{n}") for n in names)
        self.eta = ParameterTuple(
            Parameter(Tensor(0.0, dt.float32), name=f"eta_{n}") for n in names
        )
        self.ax = self._state("ax_")

    def construct(self, gradients):
        gradients, rates = self._prepare(gradients), self._rates()
        first = ops.reshape(self.global_step == 0, ())
        self._advance()
        step = ops.reshape(ops.cast(self.global_step, dt.float32), ())
        for p, g, mu, eta, ax, lr in zip(
            self.parameters, gradients, self.mu, self.eta, self.ax, rates
        ):
            rate = ops.select(first, lr, eta)
            moved = p * (1.0 - self.lambd * rate) - g * rate
            update(p, moved)
            update(ax, ax + (moved - ax) * mu)
            update(eta, lr / (1.0 + self.lambd * lr * step) ** self.alpha)
            update(mu, 1.0 / ops.maximum(step - self.t0, 1.0))
        return True


__all__ = ["ASGD", "Rprop"]
