"""Adam and its relatives: first and second moments of the gradients."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...tensor import Parameter
from ..layer import checks
from .optimizer import Optimizer
from .rules import adam, adam_weight_decay, check_gradients, update


def _check(name: str, beta1, beta2, eps) -> tuple[float, float, float]:
    for called, v in (("beta1", beta1), ("beta2", beta2)):
        checks.float_in(name, called, v, 0, 1, "()")
    checks.float_in(name, "eps", eps, 0, float("inf"), "()")
    return float(beta1), float(beta2), float(eps)


def _kinds(use_amsgrad, use_lazy=False, use_offload=False, **others) -> tuple[bool, bool]:
    """MindSpore's kinds of Adam, which are one here."""
    if others:
        what = f"Adam: unknown keyword {next(iter(others))!r}"
        raise complain(KeyError, what, expected="use_lazy or use_offload")
    checks.boolean("Adam", "use_lazy", use_lazy)
    checks.boolean("Adam", "use_offload", use_offload)
    if use_lazy and use_offload:
        what = "For 'Adam', 'use_lazy' and 'use_offload' can not both be True."
        raise complain(ValueError, what, cure="pass one of them")
    if use_amsgrad and (use_lazy or use_offload):
        what = "For lazy Adam and Adam with offload, there is no parameter named 'use_amsgrad'."
        raise complain(ValueError, what, cure="leave use_amsgrad out")
    return use_lazy, use_offload


def power(name: str, shape: tuple = ()) -> Parameter:
    """A parameter that is multiplied with β at each step: β to the number of steps."""
    return Parameter(ops.ones(shape, dt.float32), name=name)


class Adam(Optimizer):
    r"""Adam: :math:`m = \beta_1 m + (1-\beta_1) g`, :math:`v = \beta_2 v + (1-\beta_2) g^2`,
    :math:`p = p - \eta\frac{\sqrt{1-\beta_2^t}}{1-\beta_1^t}\,\frac{m}{\sqrt v + \epsilon}`.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): η; see `Optimizer`.
            Default 0.001.
        beta1 (float), beta2 (float): in (0, 1). Default 0.9 and 0.999.
        eps (float): ε, above 0. Default 1e-8.
        use_locking (bool): without effect.
        use_nesterov (bool): step by :math:`\beta_1 m + (1-\beta_1) g` instead of m. Default False.
        weight_decay (float, int, Cell): see `Optimizer`. Default 0.
        loss_scale (float): gradients are divided by it. Default 1.
        use_amsgrad (bool): divide by the largest v so far. Default False.
        kwargs (bool): ``use_lazy`` and ``use_offload``, one of which may be True, without
            ``use_amsgrad``; both without effect, for gradients are never sparse and states stay where
            the parameters are.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        KeyError: another keyword is given.
        TypeError: an argument has a wrong type.
        ValueError: a coefficient is out of range, or two settings exclude each other; and as
            `Optimizer`.

    Source: Kingma and Ba, Adam, 2014; Reddi et al., On the Convergence of Adam and Beyond, 2018.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.Adam([w], learning_rate=0.1)((ms.Tensor([3.0]),))
        >>> w.asnumpy().round(4).tolist()
        [0.8999999761581421]
    """

    _power_shape: tuple = ()

    def __init__(
        self,
        params,
        learning_rate=1e-3,
        beta1=0.9,
        beta2=0.999,
        eps=1e-8,
        use_locking=False,
        use_nesterov=False,
        weight_decay=0.0,
        loss_scale=1.0,
        use_amsgrad=False,
        **kwargs,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.use_lazy, self.use_offload = _kinds(use_amsgrad, **kwargs)
        self.beta1, self.beta2, self.eps = _check(self.cls_name, beta1, beta2, eps)
        self.use_nesterov = checks.boolean(self.cls_name, "use_nesterov", use_nesterov)
        self.use_amsgrad = checks.boolean(self.cls_name, "use_amsgrad", use_amsgrad)
        names = "beta1_power", "beta2_power"
        self.beta1_power, self.beta2_power = (power(n, self._power_shape) for n in names)
        self.moment1, self.moment2 = self._state("moment1"), self._state("moment2")
        self.vhat = self._state("vhat") if use_amsgrad else self.moment2

    def construct(self, gradients):
        gradients, rates = self._prepare(gradients), self._rates()
        self._advance()
        power1, power2 = self.beta1_power * self.beta1, self.beta2_power * self.beta2
        ops.assign(self.beta1_power, power1)
        ops.assign(self.beta2_power, power2)
        correction = ops.reshape(ops.sqrt(1.0 - power2) / (1.0 - power1), ())
        adam(
            self.parameters,
            gradients,
            self.moment1,
            self.moment2,
            self.vhat if self.use_amsgrad else None,
            rates,
            correction,
            (self.beta1, self.beta2),
            self.eps,
            self.use_nesterov,
        )
        return True


class LazyAdam(Adam):
    """`Adam`; gradients are never sparse here, so nothing is left out.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): η; see `Optimizer`.
            Default 0.001.
        beta1 (float), beta2 (float): in (0, 1). Default 0.9 and 0.999.
        eps (float): ε, above 0. Default 1e-8.
        use_locking (bool): without effect.
        use_nesterov (bool): as in `Adam`. Default False.
        weight_decay (float, int, Cell): see `Optimizer`. Default 0.
        loss_scale (float): gradients are divided by it. Default 1.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a coefficient is out of range; and as `Optimizer`.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.LazyAdam([w], learning_rate=0.1)((ms.Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.9]
    """

    _power_shape = (1,)

    def __init__(
        self,
        params,
        learning_rate=1e-3,
        beta1=0.9,
        beta2=0.999,
        eps=1e-8,
        use_locking=False,
        use_nesterov=False,
        weight_decay=0.0,
        loss_scale=1.0,
    ):
        super().__init__(
            params,
            learning_rate,
            beta1,
            beta2,
            eps,
            use_locking,
            use_nesterov,
            weight_decay,
            loss_scale,
        )


class AdamOffload(LazyAdam):
    """The update of `Adam`, whose states MindSpore keeps on the host; here it is the same.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): η; see `Optimizer`.
            Default 0.001.
        beta1 (float), beta2 (float): in (0, 1). Default 0.9 and 0.999.
        eps (float): ε, above 0. Default 1e-8.
        use_locking (bool): without effect.
        use_nesterov (bool): as in `Adam`. Default False.
        weight_decay (float, int, Cell): see `Optimizer`. Default 0.
        loss_scale (float): gradients are divided by it. Default 1.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a coefficient is out of range; and as `Optimizer`.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.AdamOffload([w], learning_rate=0.1)((ms.Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.9]
    """


class AdamWeightDecay(Optimizer):
    r"""Adam without bias correction, and with decay apart from the gradient:
    :math:`p = p - \eta\,(m/(\sqrt v + \epsilon) + \lambda p)`.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): η; see `Optimizer`.
            Default 0.001.
        beta1 (float), beta2 (float): in (0, 1). Default 0.9 and 0.999.
        eps (float): ε, above 0. Default 1e-6.
        weight_decay (float, int, Cell): λ; for which parameters see `Optimizer`. Default 0.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a coefficient is out of range; and as `Optimizer`.

    Source: Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2017.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.AdamWeightDecay([w], 0.1, weight_decay=0.5)((ms.Tensor([0.0]),))
        >>> w.asnumpy().round(4).tolist()
        [0.949999988079071]
    """

    def __init__(
        self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0
    ):
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = _check(self.cls_name, beta1, beta2, eps)
        self.moments1, self.moments2 = self._state("adam_m"), self._state("adam_v")

    def construct(self, gradients):
        check_gradients(self.cls_name, self.parameters, gradients)
        gradients = self.gradients_centralization(gradients)
        rates, decay = self._rates(), self._decays()
        self._advance()
        adam_weight_decay(
            self.parameters,
            gradients,
            self.moments1,
            self.moments2,
            rates,
            decay,
            self.decay_flags,
            (self.beta1, self.beta2),
            self.eps,
        )
        return True


class AdaMax(Optimizer):
    r"""Adam with the infinity norm: :math:`v = \max(\beta_2 v, |g|)`,
    :math:`p = p - \frac{\eta}{1-\beta_1^t}\frac{m}{v+\epsilon}`.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): η; see `Optimizer`.
            Default 0.001.
        beta1 (float), beta2 (float): in (0, 1). Default 0.9 and 0.999.
        eps (float): ε, above 0. Default 1e-8.
        weight_decay (float, int, Cell): see `Optimizer`. Default 0.
        loss_scale (float): gradients are divided by it. Default 1.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a coefficient is out of range; and as `Optimizer`.

    Source: Kingma and Ba, Adam, 2014.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.AdaMax([w], learning_rate=0.1)((ms.Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.9]
    """

    def __init__(
        self,
        params,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        eps=1e-8,
        weight_decay=0.0,
        loss_scale=1.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = _check("AdaMax", beta1, beta2, eps)
        self.beta1_power = power("beta1_power", (1,))
        self.moment1, self.moment2 = self._state("moment1"), self._state("moment2")

    def construct(self, gradients):
        gradients, rates = self._prepare(gradients), self._rates()
        self._advance()
        power1 = self.beta1_power * self.beta1
        ops.assign(self.beta1_power, power1)
        correction = ops.reshape(1.0 / (1.0 - power1), ())
        for p, g, m, v, lr in zip(self.parameters, gradients, self.moment1, self.moment2, rates):
            first = m * self.beta1 + g * (1.0 - self.beta1)
            second = ops.maximum(v * self.beta2, ops.abs(g))
            update(m, first)
            update(v, second)
            update(p, p - first * (lr * correction) / (second + self.eps))
        return True


class Lamb(Optimizer):
    r"""Adam whose step of each parameter is scaled by :math:`\|p\|/\|step\|`, so that large batches
    train.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): η; see `Optimizer`.
        beta1 (float), beta2 (float): in (0, 1). Default 0.9 and 0.999.
        eps (float): above 0. Default 1e-6.
        weight_decay (float, int, Cell): λ; added to the step as λp. Default 0.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a coefficient is out of range; and as `Optimizer`.

    Source: You et al., Large Batch Optimization for Deep Learning, 2019.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([2.0]), name="w")
        >>> _ = nn.Lamb([w], 0.1)((ms.Tensor([1.0]),))
        >>> w.asnumpy().round(4).tolist()
        [1.7999999523162842]
    """

    def __init__(self, params, learning_rate, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = _check("Lamb", beta1, beta2, eps)
        self.moments1, self.moments2 = self._state("lamb_m"), self._state("lamb_v")

    def construct(self, gradients):
        check_gradients(self.cls_name, self.parameters, gradients)
        gradients = self.gradients_centralization(gradients)
        rates, decay = self._rates(), self._decays()
        self._advance()
        steps = ops.reshape(ops.cast(self.global_step, dt.float32), ())
        power1, power2 = ops.pow(self.beta1, steps), ops.pow(self.beta2, steps)
        for p, g, m, v, lr, d, flag in zip(
            self.parameters, gradients, self.moments1, self.moments2, rates, decay, self.decay_flags
        ):
            first = m * self.beta1 + g * (1.0 - self.beta1)
            second = v * self.beta2 + g * g * (1.0 - self.beta2)
            update(m, first)
            update(v, second)
            step = first / (1.0 - power1) / (ops.sqrt(second / (1.0 - power2)) + self.eps)
            if flag:
                step = step + p * d
            update(p, p - step * (lr * trust(p, step)))
        return True


def trust(p, step):
    """‖p‖/‖step‖; 1 where either is 0."""
    size, length = ops.sqrt(ops.sum(p * p)), ops.sqrt(ops.sum(step * step))
    one = ops.ones_like(size)
    both = ops.logical_and(size > 0, length > 0)
    return ops.select(both, size / ops.select(both, length, one), one)


__all__ = ["AdaMax", "Adam", "AdamOffload", "AdamWeightDecay", "Lamb", "LazyAdam"]
