"""Optimisers that scale each element's step by the history of its gradients, and proximal ones."""

from __future__ import annotations

from ... import ops
from ..layer import checks
from .optimizer import Optimizer
from .rules import update


class Adagrad(Optimizer):
    r"""Gradient descent with steps scaled by all gradients so far: :math:`a = a + g^2`,
    :math:`p = p - \eta g/\sqrt a`.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        accum (float): the first a, at least 0. Default 0.1.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): η; see `Optimizer`.
            Default 0.001.
        update_slots (bool): whether a changes. Default True.
        loss_scale (float): gradients are divided by it. Default 1.
        weight_decay (float, int, Cell): λ of the decay λp that is added to the gradients; for which
            parameters see `Optimizer`. Default 0.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``accum`` is negative; and as `Optimizer`.

    Source: Duchi et al., Adaptive Subgradient Methods, 2011.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.Adagrad([w], accum=0.0, learning_rate=0.5)((ms.Tensor([3.0]),))
        >>> print(w.value())
        [0.5]
    """

    def __init__(
        self,
        params,
        accum=0.1,
        learning_rate=0.001,
        update_slots=True,
        loss_scale=1.0,
        weight_decay=0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        checks.float_in("Adagrad", "accum", accum, 0, float("inf"))
        self.update_slots = checks.boolean("Adagrad", "update_slots", update_slots)
        self.accum = self._state("accum", accum)

    def construct(self, gradients):
        gradients, rates = self._prepare(gradients), self._rates()
        self._advance()
        for p, g, a, lr in zip(self.parameters, gradients, self.accum, rates):
            total = a
            if self.update_slots:
                total = a + g * g
                update(a, total)
            update(p, p - g * lr / ops.sqrt(total))
        return True


class Adadelta(Optimizer):
    r"""Gradient descent with steps of the size of the last ones: :math:`a = \rho a + (1-\rho) g^2`,
    :math:`d = g\sqrt{u + \epsilon}/\sqrt{a + \epsilon}`, :math:`u = \rho u + (1-\rho) d^2`,
    :math:`p = p - \eta d`.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): η; see `Optimizer`.
            Default 1.
        rho (float): in [0, 1]. Default 0.9.
        epsilon (float): at least 0. Default 1e-6.
        loss_scale (float): gradients are divided by it. Default 1.
        weight_decay (float, int, Cell): λ of the decay λp that is added to the gradients; for which
            parameters see `Optimizer`. Default 0.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a coefficient is out of range; and as `Optimizer`.

    Source: Zeiler, ADADELTA, 2012.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.Adadelta([w], rho=0.0, epsilon=1.0)((ms.Tensor([1.0]),))
        >>> print(w.value())
        [0.29289323]
    """

    def __init__(
        self, params, learning_rate=1.0, rho=0.9, epsilon=1e-6, loss_scale=1.0, weight_decay=0.0
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = float(checks.float_in("Adadelta", "rho", rho, 0, 1))
        self.epsilon = float(checks.float_in("Adadelta", "epsilon", epsilon, 0, float("inf")))
        self.accum, self.accum_update = self._state("accum"), self._state("accum_update")

    def construct(self, gradients):
        gradients, rates = self._prepare(gradients), self._rates()
        self._advance()
        for p, g, a, u, lr in zip(self.parameters, gradients, self.accum, self.accum_update, rates):
            total = a * self.rho + g * g * (1.0 - self.rho)
            step = ops.sqrt(u + self.epsilon) / ops.sqrt(total + self.epsilon) * g
            update(a, total)
            update(u, u * self.rho + step * step * (1.0 - self.rho))
            update(p, p - step * lr)
        return True


class RMSProp(Optimizer):
    r"""Gradient descent scaled by a moving average of squares: :math:`s = \rho s + (1-\rho) g^2`,
    :math:`v = \mu v + \eta g/\sqrt{s + \epsilon}`, :math:`p = p - v`.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): η; see `Optimizer`.
            Default 0.1.
        decay (float): ρ, at least 0. Default 0.9.
        momentum (float): μ, at least 0. Default 0.
        epsilon (float): above 0. Default 1e-10.
        use_locking (bool): without effect.
        centered (bool): divide by the root of the variance, s less the squared mean, instead.
            Default False.
        loss_scale (float): gradients are divided by it. Default 1.
        weight_decay (float, int, Cell): λ of the decay λp that is added to the gradients; for which
            parameters see `Optimizer`. Default 0.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a coefficient is out of range; and as `Optimizer`.

    Source: Hinton, lecture 6e of Neural Networks for Machine Learning, 2012.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.RMSProp([w], learning_rate=0.5)((ms.Tensor([1.0]),))
        >>> print(w.value())
        [0.5]
    """

    def __init__(
        self,
        params,
        learning_rate=0.1,
        decay=0.9,
        momentum=0.0,
        epsilon=1e-10,
        use_locking=False,
        centered=False,
        loss_scale=1.0,
        weight_decay=0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = float(checks.float_in("RMSProp", "decay", decay, 0, float("inf")))
        self.mu = float(checks.float_in("RMSProp", "momentum", momentum, 0, float("inf")))
        self.epsilon = float(checks.float_in("RMSProp", "epsilon", epsilon, 0, float("inf"), "()"))
        self.centered = checks.boolean("RMSProp", "centered", centered)
        self.mg = self._state("mean_grad") if centered else self.parameters
        self.ms, self.moment = self._state("mean_square", "ones"), self._state("moment")

    def construct(self, gradients):
        gradients, rates = self._prepare(gradients), self._rates()
        self._advance()
        for p, g, mean, s, v, lr in zip(
            self.parameters, gradients, self.mg, self.ms, self.moment, rates
        ):
            square = s * self.rho + g * g * (1.0 - self.rho)
            update(s, square)
            spread = square
            if self.centered:
                average = mean * self.rho + g * (1.0 - self.rho)
                update(mean, average)
                spread = square - average * average
            step = v * self.mu + g * lr / ops.sqrt(spread + self.epsilon)
            update(v, step)
            update(p, p - step)
        return True


class ProximalAdagrad(Optimizer):
    """`Adagrad` followed by the proximal step of :math:`l_1 |p| + l_2 p^2/2`.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        accum (float): the first sum of squares, at least 0. Default 0.1.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): η; see `Optimizer`.
            Default 0.001.
        l1 (float), l2 (float): at least 0. Default 0.
        use_locking (bool): without effect.
        loss_scale (float): gradients are divided by it. Default 1.
        weight_decay (float, int, Cell): λ of the decay λp that is added to the gradients; for which
            parameters see `Optimizer`. Default 0.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a coefficient is negative; and as `Optimizer`.

    Source: Duchi and Singer, Efficient Online and Batch Learning Using Forward Backward Splitting,
        2009.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.ProximalAdagrad([w], accum=0.0, learning_rate=0.5, l2=2.0)((ms.Tensor([1.0]),))
        >>> print(w.value())
        [0.25]
    """

    def __init__(
        self,
        params,
        accum=0.1,
        learning_rate=0.001,
        l1=0.0,
        l2=0.0,
        use_locking=False,
        loss_scale=1.0,
        weight_decay=0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        checks.float_in("ProximalAdagrad", "accum", accum, 0, float("inf"))
        self.l1 = float(checks.float_in("ProximalAdagrad", "l1", l1, 0, float("inf")))
        self.l2 = float(checks.float_in("ProximalAdagrad", "l2", l2, 0, float("inf")))
        self.accum = self._state("accum", accum)

    def construct(self, gradients):
        gradients, rates = self._prepare(gradients), self._rates()
        self._advance()
        for p, g, a, lr in zip(self.parameters, gradients, self.accum, rates):
            total = a + g * g
            update(a, total)
            rate = lr / ops.sqrt(total)
            moved = p - g * rate
            shrunk = ops.sign(moved) * ops.maximum(ops.abs(moved) - rate * self.l1, 0)
            update(p, shrunk / (1.0 + rate * self.l2))
        return True


class FTRL(Optimizer):
    """Follow the regularised leader, with :math:`l_1` and :math:`l_2` regularisation.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        initial_accum (float): the first sum of squares, at least 0. Default 0.1.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): η; see `Optimizer`.
            Default 0.001.
        lr_power (float): at most 0. Default -0.5.
        l1 (float), l2 (float): at least 0. Default 0.
        use_locking (bool): without effect.
        loss_scale (float): gradients are divided by it. Default 1.
        weight_decay (float, int, Cell): λ of the decay λp that is added to the gradients; for which
            parameters see `Optimizer`. Default 0.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a coefficient is out of range; and as `Optimizer`.

    Source: McMahan et al., Ad Click Prediction: a View from the Trenches, 2013.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.FTRL([w], initial_accum=0.0, learning_rate=0.5)((ms.Tensor([2.0]),))
        >>> print(w.value())
        [0.5]
    """

    def __init__(
        self,
        params,
        initial_accum=0.1,
        learning_rate=0.001,
        lr_power=-0.5,
        l1=0.0,
        l2=0.0,
        use_locking=False,
        loss_scale=1.0,
        weight_decay=0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        checks.float_in("FTRL", "initial_accum", initial_accum, 0, float("inf"))
        self.lr_power = float(checks.float_in("FTRL", "lr_power", lr_power, -float("inf"), 0))
        self.l1 = float(checks.float_in("FTRL", "l1", l1, 0, float("inf")))
        self.l2 = float(checks.float_in("FTRL", "l2", l2, 0, float("inf")))
        self.moments, self.linear = self._state("moments", initial_accum), self._state("linear")

    def construct(self, gradients):
        gradients, rates = self._prepare(gradients), self._rates()
        self._advance()
        for p, g, a, z, lr in zip(self.parameters, gradients, self.moments, self.linear, rates):
            total = a + g * g
            before, after = a**-self.lr_power, total**-self.lr_power
            linear = z + g - (after - before) / lr * p
            update(a, total)
            update(z, linear)
            pull = ops.sign(linear) * self.l1 - linear
            moved = pull / (after / lr + 2.0 * self.l2)
            update(p, ops.select(ops.abs(linear) > self.l1, moved, ops.zeros_like(moved)))
        return True


__all__ = ["Adadelta", "Adagrad", "FTRL", "ProximalAdagrad", "RMSProp"]
