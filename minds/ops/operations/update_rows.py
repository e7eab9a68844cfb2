"""Class spellings of optimisers' steps on some rows: `update` continued."""

from __future__ import annotations

from .update import _adagrad_da, _by_row, _centered_rms_prop, _proximal, step


@step("Momentum on some rows.", "var accum lr grad indices momentum")
def SparseApplyMomentum(use_locking=False, use_nesterov=False):
    def rule(var, accum, lr, momentum, grad):
        accum = accum * momentum + grad
        ahead = grad + accum * momentum if use_nesterov else accum
        return var - lr * ahead, accum

    return lambda var, accum, lr, grad, indices, momentum: _by_row(rule)(
        (var, accum), (lr, momentum), grad, indices
    )[0]


@step("`ApplyAdagradDA` on some rows.", "var accum squares grad indices lr l1 l2 global_step")
def SparseApplyAdagradDA(use_locking=False):
    def rule(var, accum, squares, lr, l1, l2, global_step, grad):
        return _adagrad_da(var, accum, squares, grad, lr, l1, l2, global_step)

    return lambda var, accum, squares, grad, indices, lr, l1, l2, global_step: _by_row(rule)(
        (var, accum, squares), (lr, l1, l2, global_step), grad, indices
    )[0]


@step(
    "`ApplyCenteredRMSProp` on some rows.",
    "var mean mean_square moment lr rho momentum epsilon grad indices",
)
def SparseApplyCenteredRMSProp(use_locking=False):
    def rule(var, mean, mean_square, moment, lr, rho, momentum, epsilon, grad):
        return _centered_rms_prop(var, mean, mean_square, moment, grad, lr, rho, momentum, epsilon)

    def call(var, mean, mean_square, moment, lr, rho, momentum, epsilon, grad, indices):
        states, settings = (var, mean, mean_square, moment), (lr, rho, momentum, epsilon)
        return _by_row(rule)(states, settings, grad, indices)[0]

    return call


@step("`ApplyProximalGradientDescent` on some rows.", "var alpha l1 l2 grad indices")
def SparseApplyProximalGradientDescent(use_locking=False):
    def rule(var, alpha, l1, l2, grad):
        return (_proximal(var - alpha * grad, alpha, l1, l2),)

    return lambda var, alpha, l1, l2, grad, indices: _by_row(rule)(
        (var,), (alpha, l1, l2), grad, indices
    )[0]
