"""Optimizers by averages of gradients and of their squares."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...tensor import Tensor
from .optimizer import Optimizer


class Adam(Optimizer):
    """Averages of gradients and of their squares, both corrected for their start.

    Args:
        params (list[Parameter], list[dict]): the parameters, or groups of them; see `Optimizer`.
        lr (float): the learning rate. Default: 1e-3.
        betas (tuple[float, float]): decay of the averages. Default: (0.9, 0.999).
        eps (float): added to the root. Default: 1e-8.
        weight_decay (float): L2 penalty. Default: 0.
        amsgrad (bool): use the largest average of squares so far. Default: False.
        maximize (bool): whether to climb. Default: False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there are no parameters, or an option is out of range.

    Source: Kingma and Ba, Adam, 2014.

    Examples:
        >>> from minds.experimental import optim
        >>> w = ms.Parameter(Tensor([1.0]), name="w")
        >>> _ = optim.Adam([w], 0.1)((Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.9]
    """

    states = {
        "exp_avg": 0.0,
        "exp_avg_sq": 0.0,
        "max_exp_avg_sq": 0.0,
        "state_step": Tensor(0, dt.int32),
    }

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
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**options, "amsgrad": amsgrad, "maximize": maximize})

    def _update(self, i, p, g, group, step):
        beta1, beta2 = group["betas"]
        mean = self.average(self.exp_avg[i], beta1, g)
        square = self.average(self.exp_avg_sq[i], beta2, ops.square(g))
        if group["amsgrad"]:
            square = self.write(self.max_exp_avg_sq[i], ops.maximum(self.max_exp_avg_sq[i], square))
        below = ops.sqrt(square / (1 - beta2**step)) + group["eps"]
        self.write(p, p - group["lr"] / (1 - beta1**step) * mean / below)


class AdamW(Adam):
    """`Adam` whose weight decay is apart from the gradient.

    Args:
        params (list[Parameter], list[dict]): the parameters, or groups of them; see `Optimizer`.
        lr (float): the learning rate. Default: 1e-3.
        betas (tuple[float, float]): decay of the averages. Default: (0.9, 0.999).
        eps (float): added to the root. Default: 1e-8.
        weight_decay (float): the share of a parameter that a step of rate 1 takes away. Default: 1e-2.
        amsgrad (bool): use the largest average of squares so far. Default: False.
        maximize (bool): whether to climb. Default: False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there are no parameters, or an option is out of range.

    Source: Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2017.

    Examples:
        >>> from minds.experimental import optim
        >>> w = ms.Parameter(Tensor([1.0]), name="w")
        >>> _ = optim.AdamW([w], 0.1)((Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.899]
    """

    decays = False

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
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)

    def _update(self, i, p, g, group, step):
        self.write(p, p * (1 - group["lr"] * group["weight_decay"]))
        super()._update(i, p, g, group, step)


class Adamax(Optimizer):
    """`Adam` with the largest gradient so far in place of the average of squares.

    Args:
        params (list[Parameter], list[dict]): the parameters, or groups of them; see `Optimizer`.
        lr (float): the learning rate. Default: 2e-3.
        betas (tuple[float, float]): decay of the averages. Default: (0.9, 0.999).
        eps (float): added to the root. Default: 1e-8.
        weight_decay (float): L2 penalty. Default: 0.
        maximize (bool): whether to climb. Default: False.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there are no parameters, or an option is out of range.

    Source: Kingma and Ba, Adam, 2014.

    Examples:
        >>> from minds.experimental import optim
        >>> w = ms.Parameter(Tensor([1.0]), name="w")
        >>> _ = optim.Adamax([w], 0.1)((Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.9]
    """

    states = {"step_t": Tensor(0, dt.int32), "exp_avg": 0.0, "exp_inf": 0.0}

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0.0,
        *,
        maximize=False,
    ):
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**options, "maximize": maximize})

    def _update(self, i, p, g, group, step):
        beta1, beta2 = group["betas"]
        mean = self.average(self.exp_avg[i], beta1, g)
        top = self.write(
            self.exp_inf[i], ops.maximum(beta2 * self.exp_inf[i], ops.abs(g) + group["eps"])
        )
        self.write(p, p - group["lr"] / (1 - beta1**step) * mean / top)


class NAdam(Optimizer):
    """`Adam` with Nesterov's momentum.

    Args:
        params (list[Parameter], list[dict]): the parameters, or groups of them; see `Optimizer`.
        lr (float): the learning rate. Default: 2e-3.
        betas (tuple[float, float]): decay of the averages. Default: (0.9, 0.999).
        eps (float): added to the root. Default: 1e-8.
        weight_decay (float): L2 penalty. Default: 0.
        momentum_decay (float): how fast the momentum grows to its full size. Default: 4e-3.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there are no parameters, or an option is out of range.

    Source: Dozat, Incorporating Nesterov Momentum into Adam, 2016.

    Examples:
        >>> from minds.experimental import optim
        >>> w = ms.Parameter(Tensor([1.0]), name="w")
        >>> _ = optim.NAdam([w], 0.1)((Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.8944]
    """

    states = {
        "step_t": Tensor(0, dt.int32),
        "exp_avg": 0.0,
        "exp_avg_sq": 0.0,
        "mu_product": (1.0,),
    }

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0.0,
        momentum_decay=4e-3,
    ):
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**options, "momentum_decay": momentum_decay})

    def _update(self, i, p, g, group, step):
        beta1, beta2 = group["betas"]
        decay = group["momentum_decay"]
        mu = beta1 * (1 - 0.5 * 0.96 ** (step * decay))
        following = beta1 * (1 - 0.5 * 0.96 ** ((step + 1) * decay))
        product = self.write(self.mu_product[i], self.mu_product[i] * mu)
        mean = self.average(self.exp_avg[i], beta1, g)
        square = self.average(self.exp_avg_sq[i], beta2, ops.square(g))
        below = ops.sqrt(square / (1 - beta2**step)) + group["eps"]
        now = (1 - mu) / (1 - product) * g
        self.write(
            p, p - group["lr"] * (now + following / (1 - product * following) * mean) / below
        )


class RAdam(Optimizer):
    """`Adam` whose steps are corrected for the variance of their size at the start.

    Args:
        params (list[Parameter], list[dict]): the parameters, or groups of them; see `Optimizer`.
        lr (float): the learning rate. Default: 1e-3.
        betas (tuple[float, float]): decay of the averages. Default: (0.9, 0.999).
        eps (float): added to the root. Default: 1e-8.
        weight_decay (float): L2 penalty. Default: 0.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there are no parameters, or an option is out of range.

    Source: Liu et al., On the Variance of the Adaptive Learning Rate and Beyond, 2019.

    Examples:
        >>> from minds.experimental import optim
        >>> w = ms.Parameter(Tensor([1.0]), name="w")
        >>> _ = optim.RAdam([w], 0.1)((Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.7]
    """

    states = {"step_t": Tensor(0, dt.int32), "exp_avg": 0.0, "exp_avg_sq": 0.0}

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, options)

    def _update(self, i, p, g, group, step):
        beta1, beta2 = group["betas"]
        mean = self.average(self.exp_avg[i], beta1, g)
        square = self.average(self.exp_avg_sq[i], beta2, ops.square(g))
        left = 1 - beta2**step
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / left
        # Below a length of 5 the variance is not known, and the step is that of the average.
        safe = ops.maximum(length, Tensor(5.0))
        variance = (safe - 4) * (safe - 2) * longest / ((longest - 4) * (longest - 2) * safe)
        rectified = ops.sqrt(variance * left) / (ops.sqrt(square) + group["eps"])
        factor = ops.where(length > 5.0, rectified, 1.0)
        self.write(p, p - group["lr"] / (1 - beta1**step) * mean * factor)
