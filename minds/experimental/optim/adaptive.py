"""Optimizers that divide steps by sums or averages of squares."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...tensor import Tensor
from .optimizer import Optimizer


class Adagrad(Optimizer):
    """Steps divided by the root of the sum of all squares so far.

    Args:
        params (list[Parameter], list[dict]): the parameters, or groups of them; see `Optimizer`.
        lr (float): the learning rate. Default: 1e-2.
        lr_decay (float): the decay of the rate. Default: 0.
        weight_decay (float): L2 penalty. Default: 0.
        initial_accumulator_value (float): what the sums start with. Default: 0.
        eps (float): added to the root. Default: 1e-10.
        maximize (bool): whether to climb. Default: False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there are no parameters, or an option is out of range.

    Source: Duchi et al., Adaptive Subgradient Methods, 2011.

    Examples:
        >>> from minds.experimental import optim
        >>> w = ms.Parameter(Tensor([1.0]), name="w")
        >>> _ = optim.Adagrad([w], 0.1)((Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.9]
    """

    states = {"accum": "initial_accumulator_value", "step_t": Tensor(0, dt.int32)}

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0.0,
        weight_decay=0.0,
        initial_accumulator_value=0.0,
        eps=1e-10,
        *,
        maximize=False,
    ):
        options = {"lr": lr, "lr_decay": lr_decay, "weight_decay": weight_decay, "eps": eps}
        begin = {"initial_accumulator_value": initial_accumulator_value}
        super().__init__(params, {**options, **begin, "maximize": maximize})

    def _update(self, i, p, g, group, step):
        rate = group["lr"] / (1 + (step - 1) * group["lr_decay"])
        total = self.write(self.accum[i], self.accum[i] + ops.square(g))
        self.write(p, p - rate * g / (ops.sqrt(total) + group["eps"]))


class Adadelta(Optimizer):
    """Steps in the units of the parameters: the root of averages of squares of steps over that of gradients.

    Args:
        params (list[Parameter], list[dict]): the parameters, or groups of them; see `Optimizer`.
        lr (float): the learning rate. Default: 1.
        rho (float): decay of the averages. Default: 0.9.
        eps (float): added to the root. Default: 1e-6.
        weight_decay (float): L2 penalty. Default: 0.
        maximize (bool): whether to climb. Default: False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there are no parameters, or an option is out of range.

    Source: Zeiler, ADADELTA, 2012.

    Examples:
        >>> from minds.experimental import optim
        >>> w = ms.Parameter(Tensor([1.0]), name="w")
        >>> _ = optim.Adadelta([w], 0.1)((Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.9997]
    """

    states = {"accum": 0.0, "accum_update": 0.0}

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0.0, *, maximize=False):
        options = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**options, "maximize": maximize})

    def _update(self, i, p, g, group, step):
        rho, eps = group["rho"], group["eps"]
        square = self.average(self.accum[i], rho, ops.square(g))
        delta = ops.sqrt(self.accum_update[i] + eps) / ops.sqrt(square + eps) * g
        self.write(self.accum_update[i], rho * self.accum_update[i] + (1 - rho) * ops.square(delta))
        self.write(p, p - group["lr"] * delta)


class RMSprop(Optimizer):
    """Steps divided by the root of an average of squares.

    Args:
        params (list[Parameter], list[dict]): the parameters, or groups of them; see `Optimizer`.
        lr (float): the learning rate. Default: 1e-2.
        alpha (float): decay of the averages. Default: 0.99.
        eps (float): added to the root. Default: 1e-8.
        weight_decay (float): L2 penalty. Default: 0.
        momentum (float): what is kept of the last step. Default: 0.
        centered (bool): whether the square of the average is taken off. Default: False.
        maximize (bool): whether to climb. Default: False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there are no parameters, or an option is out of range.

    Source: Hinton, Neural Networks for Machine Learning, lecture 6e, 2012.

    Examples:
        >>> from minds.experimental import optim
        >>> w = ms.Parameter(Tensor([1.0]), name="w")
        >>> _ = optim.RMSprop([w], 0.01)((Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.9]
    """

    states = {"mean_grad": 0.0, "mean_square": 0.0, "moment": 0.0}

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0.0,
        momentum=0.0,
        centered=False,
        maximize=False,
    ):
        options = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay}
        more = {"momentum": momentum, "centered": centered, "maximize": maximize}
        super().__init__(params, {**options, **more})

    def _update(self, i, p, g, group, step):
        alpha = group["alpha"]
        square = self.average(self.mean_square[i], alpha, ops.square(g))
        if group["centered"]:
            mean = self.average(self.mean_grad[i], alpha, g)
            square = square - ops.square(mean)
        delta = g / (ops.sqrt(square) + group["eps"])
        if group["momentum"] > 0:
            delta = self.write(self.moment[i], group["momentum"] * self.moment[i] + delta)
        self.write(p, p - group["lr"] * delta)
