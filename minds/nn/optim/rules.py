"""The updates of all parameters by the usual rules, as library code.

A training step that is compiled runs these functions as they are: interpreting them once more for
each parameter would take most of the time of its compilation. The states, rates and other sequences
run parallel, one entry per parameter.
"""

from __future__ import annotations

from ... import ops
from ...base.errors import NotGradients, complain
from ...ops.function.common import is_tensor


def update(param, value):
    """Assign ``value``, in the parameter's dtype."""
    ops.assign(param, value if value.dtype == param.dtype else ops.cast(value, param.dtype))


def check_gradients(name: str, parameters, gradients) -> None:
    """Raise unless there is one gradient per parameter, of its shape and a dtype that it can take."""
    if not isinstance(gradients, (tuple, list)):
        raise complain(
            NotGradients,
            f"{name}: gradients has type {type(gradients).__name__}",
            expected="a tuple of Tensors",
        )
    if len(gradients) != len(parameters):
        raise complain(
            ValueError, f"{name}: got {len(gradients)} gradients for {len(parameters)} parameters"
        )
    for p, g in zip(parameters, gradients):
        if not is_tensor(g):
            raise complain(
                TypeError,
                f"{name}: the gradient of {p.name} has type {type(g).__name__}",
                expected="a Tensor",
            )
        if p.shape != g.shape:
            raise complain(
                ValueError,
                f"{name}: parameter {p.name} has shape {p.shape}, its gradient {g.shape}",
            )
        if p.dtype.kind not in "fc" or p.dtype.kind == "f" and g.dtype.kind == "c":
            raise complain(
                TypeError,
                f"{name}: parameter {p.name} has dtype {p.dtype.name}, its gradient {g.dtype.name}",
                expected="parameters of floats, and no complex gradient of real ones",
            )


def decayed(parameters, gradients, decay, flags) -> tuple:
    """The gradients with the decay of their parameters added where the flag is set."""
    return tuple(
        [g + p * d if flag else g for g, p, d, flag in zip(gradients, parameters, decay, flags)]
    )


def centralised(gradients, flags) -> tuple:
    """The gradients less their mean over all but the first dimension where the flag is set."""
    return tuple(
        [
            g - ops.mean(g, tuple(range(1, g.ndim)), True) if flag and g.ndim > 1 else g
            for g, flag in zip(gradients, flags)
        ]
    )


def descend(parameters, gradients, rates) -> None:
    """Gradient descent: p - η g."""
    for p, g, lr in zip(parameters, gradients, rates):
        update(p, p - g * lr)


def momentum(parameters, gradients, moments, rates, mu, share, nesterov: bool) -> None:
    """v = μ v + share g, where a share of None is 1; p - η v, or p - η (g + μ v) after Nesterov."""
    for p, g, v, lr in zip(parameters, gradients, moments, rates):
        moment = v * mu + (g if share is None else g * share)
        update(v, moment)
        update(p, p - (g + moment * mu if nesterov else moment) * lr)


def adam(
    parameters, gradients, firsts, seconds, largest, rates, correction, betas, eps, nesterov: bool
) -> None:
    """Adam, whose rates are multiplied with ``correction``; by AMSGrad where there is ``largest``."""
    beta1, beta2 = betas
    for i, (p, g, m, v, lr) in enumerate(zip(parameters, gradients, firsts, seconds, rates)):
        first = m + (g - m) * (1.0 - beta1)
        second = v + (g * g - v) * (1.0 - beta2)
        update(m, first)
        update(v, second)
        if largest is not None:
            second = ops.maximum(largest[i], second)
            update(largest[i], second)
        if nesterov:
            first = first * beta1 + g * (1.0 - beta1)
        update(p, p - first * (lr * correction) / (ops.sqrt(second) + eps))


def adam_weight_decay(
    parameters, gradients, firsts, seconds, rates, decay, flags, betas, eps
) -> None:
    """Adam without bias correction, with the decay added to the step where the flag is set."""
    beta1, beta2 = betas
    for p, g, m, v, lr, d, flag in zip(parameters, gradients, firsts, seconds, rates, decay, flags):
        first = m * beta1 + g * (1.0 - beta1)
        second = v * beta2 + g * g * (1.0 - beta2)
        update(m, first)
        update(v, second)
        step = first / (ops.sqrt(second) + eps)
        if flag:
            step = step + p * d
        update(p, p - step * lr)
