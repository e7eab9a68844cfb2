"""Class spellings of optimisers' steps: `operations` continued.

A step is a pure rule, ``rule(*states, *settings, gradient) -> new states``. Its class writes the
new states into the parameters it is given. A sparse step is the dense one on the rows that
``indices`` name; gradients of one row are
summed first.
"""

from __future__ import annotations

from ...base import dtype as dt
from .. import functional as F
from ..define import P
from ..faces import face, primitive
from ..states import written


def _mix(old, new, decay):
    """The moving average ``decay old + (1 - decay) new``."""
    return old * decay + new * (1.0 - decay)


def _adam(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient, nesterov=False):
    m, v = _mix(m, gradient, beta1), _mix(v, P.square(gradient), beta2)
    rate = lr * P.sqrt(1.0 - beta2_power) / (1.0 - beta1_power)
    ahead = _mix(m, gradient, beta1) if nesterov else m
    return var - rate * ahead / (P.sqrt(v) + epsilon), m, v


def _adam_weight_decay(var, m, v, lr, beta1, beta2, epsilon, decay, gradient):
    m, v = _mix(m, gradient, beta1), _mix(v, P.square(gradient), beta2)
    return var - lr * (m / (P.sqrt(v) + epsilon) + decay * var), m, v


def _amsgrad(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad):
    m, v = _mix(m, grad, beta1), _mix(v, P.square(grad), beta2)
    vhat = P.maximum(vhat, v)
    rate = lr * P.sqrt(1.0 - beta2_power) / (1.0 - beta1_power)
    return var - rate * m / (P.sqrt(vhat) + epsilon), m, v, vhat


def _adamax(var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad):
    m, v = _mix(m, grad, beta1), P.maximum(v * beta2, P.abs(grad))
    return var - lr / (1.0 - beta1_power) * m / (v + epsilon), m, v


def _adadelta(var, accum, accum_update, lr, rho, epsilon, grad):
    accum = _mix(accum, P.square(grad), rho)
    update = P.sqrt(accum_update + epsilon) * P.rsqrt(accum + epsilon) * grad
    return var - lr * update, accum, _mix(accum_update, P.square(update), rho)


def _adagrad(var, accum, lr, epsilon, grad, update_slots=True):
    accum = accum + P.square(grad) if update_slots else accum
    return var - lr * grad / (P.sqrt(accum) + epsilon), accum


def _adagrad_da(var, accum, squares, grad, lr, l1, l2, global_step):
    accum, squares = accum + grad, squares + P.square(grad)
    shrunk = P.sign(accum) * P.maximum(P.abs(accum) - l1 * global_step, 0)
    return -lr * shrunk / (l2 * global_step * lr + P.sqrt(squares)), accum, squares


def _add_sign(var, m, lr, alpha, sign_decay, beta, grad):
    m = _mix(m, grad, beta)
    return var - lr * (alpha + sign_decay * P.sign(grad) * P.sign(m)) * grad, m


def _power_sign(var, m, lr, logbase, sign_decay, beta, grad):
    m = _mix(m, grad, beta)
    return var - lr * P.exp(logbase * sign_decay * P.sign(grad) * P.sign(m)) * grad, m


def _rms_prop(var, mean_square, moment, lr, grad, decay, momentum, epsilon):
    mean_square = _mix(mean_square, P.square(grad), decay)
    moment = moment * momentum + lr * grad * P.rsqrt(mean_square + epsilon)
    return var - moment, mean_square, moment


def _centered_rms_prop(var, mean, mean_square, moment, grad, lr, rho, momentum, epsilon):
    mean, mean_square = _mix(mean, grad, rho), _mix(mean_square, P.square(grad), rho)
    spread = mean_square - P.square(mean) + epsilon
    positive = P.greater(spread, 0)  # rounding may make it negative: no step then
    moved = moment * momentum + lr * grad * P.rsqrt(P.select(positive, spread, 1))
    return (
        P.select(positive, var - moved, var),
        mean,
        mean_square,
        P.select(positive, moved, moment),
    )


def _ftrl(var, accum, linear, grad, lr, l1, l2, lr_power, l2_shrinkage=0.0):
    grown = accum + P.square(grad)
    shrunk = grad + 2 * l2_shrinkage * var if l2_shrinkage else grad
    linear = linear + shrunk - (P.pow(grown, -lr_power) - P.pow(accum, -lr_power)) / lr * var
    var = (P.sign(linear) * l1 - linear) / (P.pow(grown, -lr_power) / lr + 2 * l2)
    return P.select(P.greater(P.abs(linear), l1), var, 0), grown, linear


def _proximal(var, step, l1, l2):
    """``var`` shrunk towards 0 after a step of that length."""
    return P.sign(var) / (1 + step * l2) * P.maximum(P.abs(var) - step * l1, 0)


def _proximal_adagrad(var, accum, lr, l1, l2, grad):
    accum = accum + P.square(grad)
    step = lr * P.rsqrt(accum)
    return _proximal(var - step * grad, step, l1, l2), accum


def _keras_momentum(var, accum, lr, grad, momentum, use_nesterov=False):
    accum = accum * momentum - grad * lr
    return var + (accum * momentum - grad * lr if use_nesterov else accum), accum


def _lars(
    weight,
    gradient,
    norm_weight,
    norm_gradient,
    weight_decay,
    learning_rate,
    epsilon,
    hyperpara,
    use_clip,
):
    """The gradient scaled by the trust ratio of layer-wise adaptive rates."""
    weight_norm, gradient_norm = P.sqrt(norm_weight), P.sqrt(norm_gradient)
    ratio = hyperpara * weight_norm / (gradient_norm + weight_decay * weight_norm + epsilon)
    if use_clip:
        ratio = P.minimum(ratio / learning_rate, 1.0)
    return ratio * (gradient + weight_decay * weight)


def _written(states, new):
    """The new values, written into the states."""
    return tuple(map(written, states, new))


def _step(count: int, rule, first_only: bool = False, **fixed):
    """A call of a dense step whose first ``count`` operands are parameters."""

    def call(*args):
        out = _written(args[:count], rule(*args, **fixed))
        return out[0] if first_only or len(out) == 1 else out

    return call


def _by_row(rule, lazy: bool = True):
    """A dense step on the rows that were touched, or with ``lazy`` unset on all of them."""

    def call(states, settings, grad, indices):
        rows = P.reshape(P.cast(indices, dt.int64), (-1, 1))
        dense = P.tensor_scatter(P.cast(F.zeros_like(states[0]), grad.dtype), rows, grad, "add")
        new = rule(*states, *settings, dense)
        if lazy:
            count = P.tensor_scatter(
                F.zeros(states[0].shape[:1], dt.float32), rows, F.ones(rows.shape[:1]), "add"
            )
            hit = P.reshape(
                P.greater(count, 0), states[0].shape[:1] + (1,) * (len(states[0].shape) - 1)
            )
            new = tuple(P.select(hit, n, s) for n, s in zip(new, states))
        return _written(states, new)

    return call


def _sparse_adam(lazy):
    def make(use_locking=False, use_nesterov=False):
        def rule(*args):
            return _adam(*args, nesterov=use_nesterov)

        return lambda var, m, v, b1p, b2p, lr, b1, b2, eps, grad, indices: _by_row(rule, lazy)(
            (var, m, v), (b1p, b2p, lr, b1, b2, eps), grad, indices
        )

    return make


@primitive
def ApplyMomentum(use_nesterov=False, use_locking=False, gradient_scale=1.0):
    def call(variable, accumulation, learning_rate, gradient, momentum):
        gradient = gradient * gradient_scale
        moved = written(accumulation, accumulation * momentum + gradient)
        step = gradient + moved * momentum if use_nesterov else moved
        return written(variable, variable - step * learning_rate)

    return call


@primitive
def SGD(dampening=0.0, weight_decay=0.0, nesterov=False):
    """The first step takes the gradient itself as the accumulation; ``stat`` tells, and is 0
    afterwards.
    """

    def call(parameters, gradient, learning_rate, accum, momentum, stat):
        gradient = gradient + parameters * weight_decay if weight_decay else gradient
        later = accum * momentum + gradient * (1.0 - dampening)
        moved = written(accum, P.select(P.greater(stat, 0), gradient, later))
        written(stat, stat * 0)
        step = gradient + moved * momentum if nesterov else moved
        return written(parameters, parameters - step * learning_rate)

    return call


@primitive
def Adam(use_locking=False, use_nesterov=False):
    return _step(3, _adam, nesterov=use_nesterov)


@primitive
def AdamNoUpdateParam(use_locking=False, use_nesterov=False):
    def call(m, v, b1p, b2p, lr, b1, b2, eps, gradient):
        out = _adam(F.zeros_like(gradient), m, v, b1p, b2p, lr, b1, b2, eps, gradient, use_nesterov)
        _written((m, v), out[1:])
        return out[0]

    return call


@primitive
def AdamWeightDecay(use_locking=False):
    return _step(3, _adam_weight_decay)


@primitive
def ApplyAdaMax():
    return _step(3, _adamax)


@primitive
def ApplyAdadelta():
    return _step(3, _adadelta)


@primitive
def ApplyAdagrad(update_slots=True):
    return lambda var, accum, lr, grad: _step(2, _adagrad, update_slots=update_slots)(
        var, accum, lr, 0.0, grad
    )


@primitive
def ApplyAdagradV2(epsilon, update_slots=True):
    return lambda var, accum, lr, grad: _step(2, _adagrad, update_slots=update_slots)(
        var, accum, lr, epsilon, grad
    )


@primitive
def ApplyAdagradDA(use_locking=False):
    return _step(3, _adagrad_da, True)


@primitive
def ApplyAdamWithAmsgrad(beta1=0.9, beta2=0.999, epsilon=1e-08, use_locking=False):
    return lambda var, m, v, vhat, b1p, b2p, lr, grad: _step(4, _amsgrad)(
        var, m, v, vhat, b1p, b2p, lr, beta1, beta2, epsilon, grad
    )


@primitive
def ApplyAdamWithAmsgradV2(use_locking=False):
    return _step(4, _amsgrad)


@primitive
def ApplyAddSign():
    return _step(2, _add_sign)


@primitive
def ApplyPowerSign():
    return _step(2, _power_sign)


@primitive
def ApplyCenteredRMSProp(use_locking=False):
    return _step(4, _centered_rms_prop, True)


@primitive
def ApplyRMSProp(use_locking=False):
    return _step(3, _rms_prop, True)


@primitive
def ApplyFtrl(use_locking=False):
    return _step(3, _ftrl, True)


@primitive
def ApplyGradientDescent():
    return _step(1, lambda var, alpha, delta: (var - alpha * delta,))


@primitive
def ApplyProximalGradientDescent():
    return _step(
        1, lambda var, alpha, l1, l2, delta: (_proximal(var - alpha * delta, alpha, l1, l2),)
    )


@primitive
def ApplyProximalAdagrad(use_locking=False):
    return _step(2, _proximal_adagrad)


@primitive
def ApplyKerasMomentum(use_locking=False, use_nesterov=False):
    return _step(2, _keras_momentum, use_nesterov=use_nesterov)


primitive(name="FusedSparseAdam")(_sparse_adam(False))
primitive(name="FusedSparseLazyAdam")(_sparse_adam(True))


@primitive(name="FusedSparseProximalAdagrad SparseApplyProximalAdagrad")
def FusedSparseProximalAdagrad(use_locking=False):
    return lambda var, accum, lr, l1, l2, grad, indices: _by_row(_proximal_adagrad)(
        (var, accum), (lr, l1, l2), grad, indices
    )


@face(cls="FusedWeightScaleApplyMomentum")
def _(weight_decay, loss_scale, var, accum, lr, gradient, momentum):
    moved = written(accum, accum * momentum + (gradient * loss_scale + var * weight_decay))
    return written(var, var - moved * lr)


@primitive
def LARSUpdate(epsilon=1e-05, hyperpara=0.001, use_clip=False):
    return lambda weight, gradient, norm_weight, norm_gradient, weight_decay, learning_rate: _lars(
        weight,
        gradient,
        norm_weight,
        norm_gradient,
        weight_decay,
        learning_rate,
        epsilon,
        hyperpara,
        use_clip,
    )


@primitive
def SparseApplyAdadelta(epsilon, use_locking=False):
    return lambda var, accum, accum_update, lr, rho, grad, indices: _by_row(_adadelta)(
        (var, accum, accum_update), (lr, rho, epsilon), grad, indices
    )


@primitive
def SparseApplyAdagrad(lr, update_slots=True, use_locking=False):
    return SparseApplyAdagradV2.make(lr, 0.0, use_locking, update_slots)


@primitive
def SparseApplyAdagradV2(lr, epsilon=0.0, use_locking=False, update_slots=True):
    def rule(var, accum, grad):
        return _adagrad(var, accum, lr, epsilon, grad, update_slots)

    return lambda var, accum, grad, indices: _by_row(rule)((var, accum), (), grad, indices)


@primitive(name="SparseApplyFtrl FusedSparseFtrl")
def SparseApplyFtrl(lr, l1, l2, lr_power, use_locking=False, l2_shrinkage=0.0):
    def rule(var, accum, linear, grad):
        return _ftrl(var, accum, linear, grad, lr, l1, l2, lr_power, l2_shrinkage)

    return lambda var, accum, linear, grad, indices: _by_row(rule)(
        (var, accum, linear), (), grad, indices
    )


@primitive
def SparseApplyFtrlV2(lr, l1, l2, l2_shrinkage, lr_power, use_locking=False):
    return SparseApplyFtrl.make(lr, l1, l2, lr_power, use_locking, l2_shrinkage)


@primitive
def SparseApplyRMSProp(rho, momentum, epsilon, use_locking=False):
    return lambda var, ms, mom, lr, grad, indices: _by_row(
        lambda var, ms, mom, grad: _rms_prop(var, ms, mom, lr, grad, rho, momentum, epsilon)
    )((var, ms, mom), (), grad, indices)
