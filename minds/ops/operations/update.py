"""Class spellings of optimisers' steps: `operations` continued.

A step is a pure rule, ``rule(*states, *settings, gradient) -> new states``. Its class writes the
new states into the parameters it is given. A sparse step is the dense one on the rows that
``indices`` name; gradients of one row are summed first.
"""

from __future__ import annotations

import inspect

from ...base import dtype as dt
from ...base.errors import complain
from .. import docs
from ..define import P
from ..faces import face, primitive
from ..function.common import as_int64, is_tensor
from ..functional import WITHIN as F
from ..states import written

_WORDS = {
    "var": "(Parameter): the weights, which are changed.",
    "m": "(Parameter): the mean of gradients so far.",
    "v": "(Parameter): the mean of their squares so far, or the largest one.",
    "vhat": "(Parameter): the largest mean of squares so far.",
    "accum": "(Parameter): what has been accumulated of gradients.",
    "accum_update": "(Parameter): the mean of squares of updates.",
    "squares": "(Parameter): the sum of squares of gradients.",
    "linear": "(Parameter): the linear term.",
    "mean": "(Parameter): the mean of gradients so far.",
    "mean_square": "(Parameter): the mean of squares so far.",
    "moment": "(Parameter): the steps so far, fading.",
    "stat": "(Parameter): above 0 before the first step.",
    "weight": "(Tensor): the weights.",
    "gradient": "(Tensor): the gradient.",
    "grad": "(Tensor): the gradient.",
    "indices": "(Tensor[int]): the rows that ``grad`` has.",
    "update_slots": "(bool): whether what is accumulated changes.",
    "use_nesterov": "(bool): whether the step looks ahead.",
    "use_locking": docs.COMMON["use_locking"].partition(" Default")[0],
    "use_clip": "(bool): whether the ratio is at most 1.",
    "nesterov": "(bool): whether the step looks ahead.",
}


def step(summary: str, operands: str, name: str = ""):
    """Decorator: the class of a step, as `primitive`; with a docstring in terms of `_WORDS`, in
    which any other name is a number.
    """

    def enter(make):
        given = inspect.signature(make).parameters
        names = [*given, *operands.split()]
        known = {n: _WORDS.get(n, f"(float | Tensor): the setting ``{n}``.") for n in names}
        states = [n for n in operands.split() if known[n].startswith("(Parameter)")]
        values = [_EXAMPLE.get(n, "0.5") for n in operands.split()]
        called = (name or make.__name__).split()[0]
        required = ["0.5" for p in given.values() if p.default is p.empty]
        make.__doc__ = docs.joined(
            {
                "summary": summary,
                "Args": "\n".join(f"    {n} {text}" for n, text in known.items()),
                "Returns": "    Tensor or tuple[Tensor]: what was written, in order.",
                "Raises": "    ValueError: the shapes of parameters and gradient do not fit.",
                "Examples": "\n".join(
                    [f"    >>> {n} = ms.Parameter(Tensor([[1.0]]))" for n in states]
                    + [f"    >>> step = ops.{called}({', '.join(required)})"]
                    + [f"    >>> _ = step({', '.join(values)})"]
                ),
            }
        )
        return primitive(make, name=name)

    return enter


_EXAMPLE = {n: n for n, text in _WORDS.items() if text.startswith("(Parameter)")} | {
    "weight": "Tensor([[1.0]])",
    "gradient": "Tensor([[1.0]])",
    "grad": "Tensor([[1.0]])",
    "indices": "Tensor([0])",
}


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
        for name, v, right in (("grad", grad, "is_float"), ("indices", indices, "is_int")):
            if not is_tensor(v) or not getattr(v.dtype, right):
                what = f"{name} has " + (
                    f"dtype {v.dtype}" if is_tensor(v) else f"type {type(v).__name__}"
                )
                raise complain(TypeError, what, expected=f"a Tensor, {right[3:]}")
        rows = P.reshape(as_int64(indices), (-1, 1))
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


@step("Momentum.", "var accum lr gradient momentum")
def ApplyMomentum(use_nesterov=False, use_locking=False, gradient_scale=1.0):
    def call(variable, accumulation, learning_rate, gradient, momentum):
        gradient = gradient * gradient_scale
        moved = written(accumulation, accumulation * momentum + gradient)
        step = gradient + moved * momentum if use_nesterov else moved
        return written(variable, variable - step * learning_rate)

    return call


@step("Stochastic gradient descent with momentum.", "var gradient lr accum momentum stat")
def SGD(dampening=0.0, weight_decay=0.0, nesterov=False):
    """The first step takes the gradient itself as the accumulation, where ``stat`` is positive; that is 0
    afterwards.
    """

    def call(parameters, gradient, learning_rate, accum, momentum, stat):
        gradient = gradient + parameters * weight_decay if weight_decay else gradient
        later = accum * momentum + gradient * (1.0 - dampening)
        moved = written(accum, P.select(P.greater(stat, 0), gradient, later))
        written(stat, P.select(P.greater(stat, 0), 0, stat))
        step = gradient + moved * momentum if nesterov else moved
        return written(parameters, parameters - step * learning_rate)

    return call


@step(
    "Adam: a step along the mean of gradients, by the root of the mean of their squares.",
    "var m v beta1_power beta2_power lr beta1 beta2 epsilon gradient",
)
def Adam(use_locking=False, use_nesterov=False):
    return _step(3, _adam, nesterov=use_nesterov)


@step(
    "The step of `Adam`, which is returned and not taken.",
    "m v beta1_power beta2_power lr beta1 beta2 epsilon gradient",
)
def AdamNoUpdateParam(use_locking=False, use_nesterov=False):
    def call(m, v, b1p, b2p, lr, b1, b2, eps, gradient):
        out = _adam(F.zeros_like(gradient), m, v, b1p, b2p, lr, b1, b2, eps, gradient, use_nesterov)
        _written((m, v), out[1:])
        return out[0]

    return call


@step(
    "Adam without bias correction, with weights that decay.",
    "var m v lr beta1 beta2 epsilon decay gradient",
)
def AdamWeightDecay(use_locking=False):
    return _step(3, _adam_weight_decay)


@step(
    "Adam with the largest gradient in place of the mean of squares.",
    "var m v beta1_power lr beta1 beta2 epsilon grad",
)
def ApplyAdaMax():
    return _step(3, _adamax)


@step(
    "Adadelta: steps by the ratio of mean squares of updates and gradients.",
    "var accum accum_update lr rho epsilon grad",
)
def ApplyAdadelta():
    return _step(3, _adadelta)


@step("Adagrad: a step by the root of the sum of squares.", "var accum lr grad")
def ApplyAdagrad(update_slots=True):
    return lambda var, accum, lr, grad: _step(2, _adagrad, update_slots=update_slots)(
        var, accum, lr, 0.0, grad
    )


@step("`ApplyAdagrad` with ``epsilon`` added to the root.", "var accum lr grad")
def ApplyAdagradV2(epsilon, update_slots=True):
    return lambda var, accum, lr, grad: _step(2, _adagrad, update_slots=update_slots)(
        var, accum, lr, epsilon, grad
    )


@step(
    "Adagrad by dual averaging, with l1 and l2 penalties.",
    "var accum squares grad lr l1 l2 global_step",
)
def ApplyAdagradDA(use_locking=False):
    return _step(3, _adagrad_da, True)


@step("Adam by the largest mean of squares so far.", "var m v vhat beta1_power beta2_power lr grad")
def ApplyAdamWithAmsgrad(beta1=0.9, beta2=0.999, epsilon=1e-08, use_locking=False):
    return lambda var, m, v, vhat, b1p, b2p, lr, grad: _step(4, _amsgrad)(
        var, m, v, vhat, b1p, b2p, lr, beta1, beta2, epsilon, grad
    )


@step(
    "`ApplyAdamWithAmsgrad` with its settings as operands.",
    "var m v vhat beta1_power beta2_power lr beta1 beta2 epsilon grad",
)
def ApplyAdamWithAmsgradV2(use_locking=False):
    return _step(4, _amsgrad)


@step(
    "A step that is longer where gradient and mean agree in sign.",
    "var m lr alpha sign_decay beta grad",
)
def ApplyAddSign():
    return _step(2, _add_sign)


@step(
    "A step by a power that gains where gradient and mean agree in sign.",
    "var m lr logbase sign_decay beta grad",
)
def ApplyPowerSign():
    return _step(2, _power_sign)


@step(
    "RMSProp by the variance of gradients.",
    "var mean mean_square moment grad lr rho momentum epsilon",
)
def ApplyCenteredRMSProp(use_locking=False):
    return _step(4, _centered_rms_prop, True)


@step(
    "RMSProp: a step by the root of the mean of squares, with momentum.",
    "var mean_square moment lr grad decay momentum epsilon",
)
def ApplyRMSProp(use_locking=False):
    return _step(3, _rms_prop, True)


@step("Follow the regularised leader.", "var accum linear grad lr l1 l2 lr_power")
def ApplyFtrl(use_locking=False):
    return _step(3, _ftrl, True)


@step("Gradient descent.", "var lr grad")
def ApplyGradientDescent():
    return _step(1, lambda var, alpha, delta: (var - alpha * delta,))


@step("Gradient descent with l1 and l2 penalties.", "var lr l1 l2 grad")
def ApplyProximalGradientDescent():
    return _step(
        1, lambda var, alpha, l1, l2, delta: (_proximal(var - alpha * delta, alpha, l1, l2),)
    )


@step("Adagrad with l1 and l2 penalties.", "var accum lr l1 l2 grad")
def ApplyProximalAdagrad(use_locking=False):
    return _step(2, _proximal_adagrad)


@step("Momentum as Keras has it.", "var accum lr grad momentum")
def ApplyKerasMomentum(use_locking=False, use_nesterov=False):
    return _step(2, _keras_momentum, use_nesterov=use_nesterov)


step(
    "`Adam`; rows that ``indices`` leave out have gradient 0.",
    "var m v beta1_power beta2_power lr beta1 beta2 epsilon gradient indices",
    name="FusedSparseAdam",
)(_sparse_adam(False))
step(
    "`Adam` on some rows.",
    "var m v beta1_power beta2_power lr beta1 beta2 epsilon gradient indices",
    name="FusedSparseLazyAdam",
)(_sparse_adam(True))


@step(
    "`ApplyProximalAdagrad` on some rows.",
    "var accum lr l1 l2 grad indices",
    name="FusedSparseProximalAdagrad SparseApplyProximalAdagrad",
)
def FusedSparseProximalAdagrad(use_locking=False):
    return lambda var, accum, lr, l1, l2, grad, indices: _by_row(_proximal_adagrad)(
        (var, accum), (lr, l1, l2), grad, indices
    )


@face(cls="FusedWeightScaleApplyMomentum")
def _(weight_decay, loss_scale, var, accum, lr, gradient, momentum):
    moved = written(accum, accum * momentum + (gradient * loss_scale + var * weight_decay))
    return written(var, var - moved * lr)


@step(
    "The gradient scaled by layer-wise adaptive rates.",
    "weight gradient norm_weight norm_gradient weight_decay lr",
)
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


@step("`ApplyAdadelta` on some rows.", "var accum accum_update lr rho grad indices")
def SparseApplyAdadelta(epsilon, use_locking=False):
    return lambda var, accum, accum_update, lr, rho, grad, indices: _by_row(_adadelta)(
        (var, accum, accum_update), (lr, rho, epsilon), grad, indices
    )


@step("`ApplyAdagrad` on some rows.", "var accum grad indices")
def SparseApplyAdagrad(lr, update_slots=True, use_locking=False):
    return SparseApplyAdagradV2.make(lr, 0.0, use_locking, update_slots)


@step("`ApplyAdagradV2` on some rows.", "var accum grad indices")
def SparseApplyAdagradV2(lr, epsilon=0.0, use_locking=False, update_slots=True):
    def rule(var, accum, grad):
        return _adagrad(var, accum, lr, epsilon, grad, update_slots)

    return lambda var, accum, grad, indices: _by_row(rule)((var, accum), (), grad, indices)


@step(
    "`ApplyFtrl` on some rows.",
    "var accum linear grad indices",
    name="SparseApplyFtrl FusedSparseFtrl",
)
def SparseApplyFtrl(lr, l1, l2, lr_power, use_locking=False, l2_shrinkage=0.0):
    def rule(var, accum, linear, grad):
        return _ftrl(var, accum, linear, grad, lr, l1, l2, lr_power, l2_shrinkage)

    return lambda var, accum, linear, grad, indices: _by_row(rule)(
        (var, accum, linear), (), grad, indices
    )


@step("`ApplyFtrl` on some rows, with ``l2_shrinkage``.", "var accum linear grad indices")
def SparseApplyFtrlV2(lr, l1, l2, l2_shrinkage, lr_power, use_locking=False):
    return SparseApplyFtrl.make(lr, l1, l2, lr_power, use_locking, l2_shrinkage)


@step("`ApplyRMSProp` on some rows.", "var mean_square moment lr grad indices")
def SparseApplyRMSProp(rho, momentum, epsilon, use_locking=False):
    return lambda var, ms, mom, lr, grad, indices: _by_row(
        lambda var, ms, mom, grad: _rms_prop(var, ms, mom, lr, grad, rho, momentum, epsilon)
    )((var, ms, mom), (), grad, indices)
