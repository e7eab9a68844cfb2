"""Several ops as one, where a device has a kernel for them: what `passes.join` makes, and their gradients.
Elsewhere each is made of the ops that it joins.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import expect
from ..ir.abstract import AbstractTensor, AbstractTuple
from ..tensor import Tensor
from .batching import apart, beside, merged
from .define import P, op
from .norm import _channels, of_statistics
from .rules import floating, integral, same

# ---- the loss of class ids


def _wide(dtype):
    """What the sums of exponentials are computed in."""
    return dtype if dtype is dt.float64 else dt.float32


def _check_labels(logits, target) -> None:
    floating(logits, "logits")
    integral(target, "target")
    expect(logits.ndim == 2, "logits", "of rank 2 (samples, classes)", got=f"shape {logits.shape}")
    rows = logits.shape[:1]
    expect(target.shape == rows, "target", f"of shape {rows}", got=target.shape)


@op(batch="fold")
def softmax_nll(logits: Tensor, target: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    r"""The negative log-likelihood of each row's class, :math:`\log\sum_c e^{x_c} - x_t`.

    Args:
        logits (Tensor[(N, C), float]): unnormalised log-probabilities.
        target (Tensor[(N,), int]): class ids in [0, C).

    Returns:
        tuple: the losses, of the dtype of ``logits``; and each row's largest logit, and the logarithm of the
        sum of the exponentials of what the others are below it: float32, or float64 if ``logits`` are.

    Raises:
        TypeError: ``logits`` is not floating point, or ``target`` holds no integers.
        ValueError: the shapes do not fit, or a class id is out of range.
    """
    _check_labels(logits, target)
    row = AbstractTensor(target.shape, _wide(logits.dtype))
    return AbstractTuple((AbstractTensor(target.shape, logits.dtype), row, row))


@softmax_nll.decompose
def _(logits, target):
    wide = P.cast(logits, _wide(logits.dtype))
    logp = P.log_softmax(wide, 1)
    loss = P.cast(P.nll(logp, target), logits.dtype)
    return loss, P.amax(wide, (1,), False), -P.amax(logp, (1,), False)


@softmax_nll.bprop
def _(logits, target, out, dout):
    tops, logs = out[1], out[2]
    dx = P.softmax_nll_dx(dout[0], logits, target, tops, logs)
    if dout.get(1) is None and dout.get(2) is None:
        return dx, None
    zeros = P.full(tops.shape, 0, tops.dtype)
    dtops, dlogs = (dout[i] if dout.get(i) is not None else zeros for i in (1, 2))
    largest = P.cast(P.equal(P.cast(logits, tops.dtype), P.reshape(tops, (-1, 1))), tops.dtype)
    largest = largest / P.sum(largest, (1,), True)
    more = largest * P.reshape(dtops - dlogs, (-1, 1))
    more = more + _probabilities(logits, tops, logs) * P.reshape(dlogs, (-1, 1))
    return dx + P.cast(more, dx.dtype), None


@op(batch="fold")
def softmax_nll_dx(
    dout: Tensor, logits: Tensor, target: Tensor, tops: Tensor, logs: Tensor
) -> Tensor:
    """The gradient of the first result of `softmax_nll`.

    Args:
        dout (Tensor[(N,), float]): the cotangents.
        logits, target: as for `softmax_nll`.
        tops, logs (Tensor[(N,), float]): its other results.

    Returns:
        Tensor[(N, C)]: of the dtype of ``logits``.

    Raises:
        ValueError: the shapes do not fit, or a class id is out of range.
    """
    _check_labels(logits, target)
    for name, v in (("dout", dout), ("tops", tops), ("logs", logs)):
        expect(v.shape == target.shape, name, f"of shape {target.shape}", got=v.shape)
    return same(logits)


def _probabilities(logits, tops, logs):
    wide = P.cast(logits, _wide(logits.dtype))
    return P.exp((wide - P.reshape(tops, (-1, 1))) - P.reshape(logs, (-1, 1)))


@softmax_nll_dx.decompose
def _(dout, logits, target, tops, logs):
    d = P.cast(dout, _wide(logits.dtype))
    hits = P.nll_dx(d, target, logits.shape[1])
    dx = hits + _probabilities(logits, tops, logs) * P.reshape(d, (-1, 1))
    return P.cast(dx, logits.dtype)


@softmax_nll_dx.bprop
def _(dout, logits, target, tops, logs, out, dd):
    """Of d (p - hits), with p the softmax: its derivative along dd is d p (dd - sum(p dd))."""
    wide = _wide(logits.dtype)
    p, d, e = _probabilities(logits, tops, logs), P.cast(dout, wide), P.cast(dd, wide)
    mean = P.sum(p * e, (1,), True)
    ddout = P.reshape(mean, target.shape) + P.nll(e, target)
    dx = P.reshape(d, (-1, 1)) * p * (e - mean)
    return P.cast(ddout, dout.dtype), P.cast(dx, logits.dtype), None, None, None


# ---- batch normalisation that is rectified


def _check_residual(x, residual) -> None:
    if residual is not None:
        fits = residual.shape == x.shape and residual.dtype is x.dtype
        expect(fits, "residual", "of the shape and dtype of x", got=residual)


@op(promote="x gamma beta")
def batch_norm_relu(
    x: Tensor, gamma: Tensor, beta: Tensor, residual: Tensor | None, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    r"""`batch_norm`, to which something may be added, and `relu` of it.

    .. math:: y = \max(\gamma \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta + r, 0)

    Args:
        x, gamma, beta, eps: as for `batch_norm`.
        residual (Tensor[(N, C, ...), float] | None): what is added.

    Returns:
        tuple: the result, the mean (C,) and the biased variance (C,).

    Raises:
        TypeError: ``x`` is not floating point.
        ValueError: the shapes do not fit.
    """
    _channels(x, gamma=gamma, beta=beta)
    _check_residual(x, residual)
    channel = AbstractTensor(x.shape[1:2], x.dtype)
    return AbstractTuple((same(x), channel, channel))


@batch_norm_relu.decompose
def _(x, gamma, beta, residual, eps):
    out = P.batch_norm(x, gamma, beta, eps)
    y = out[0] if residual is None else out[0] + residual
    return P.relu(y), out[1], out[2]


@batch_norm_relu.bprop
def _(x, gamma, beta, residual, eps, out, dout):
    added = residual is not None
    grads = P.batch_norm_relu_dx(dout[0], out[0], x, out[1], out[2], gamma, eps, added)
    dx = of_statistics(grads[0], x, out[1], dout)
    return dx, grads[1], grads[2], grads[3] if added else None


def _wide_images(b, images: int, *operands) -> list:
    """The operands with the examples as more channels; the first ``images`` have samples."""
    return [beside(v) if i < images else merged(v, 0) for i, v in enumerate(b.every(*operands))]


@batch_norm_relu.batch
def _(b, x, gamma, beta, residual, eps):
    if residual is None:
        wide = [*_wide_images(b, 1, x, gamma, beta), None]
    else:
        x, gamma, beta, residual = b.every(x, gamma, beta, residual)
        wide = [beside(x), merged(gamma, 0), merged(beta, 0), beside(residual)]
    out = P.batch_norm_relu(*wide, eps)
    return apart(out[0], b.n), out[1], out[2]


@op(promote="dout y x mean var gamma")
def batch_norm_relu_dx(
    dout: Tensor,
    y: Tensor,
    x: Tensor,
    mean: Tensor,
    var: Tensor,
    gamma: Tensor,
    eps: float,
    added: bool,
) -> tuple[Tensor, ...]:
    """The gradients of the first result of `batch_norm_relu`.

    Args:
        dout (Tensor[(N, C, ...), float]): the cotangent of the result.
        y (Tensor[(N, C, ...), float]): the result.
        x, mean, var, gamma, eps: as for `batch_norm_dx`.
        added (bool): whether there was something added.

    Returns:
        tuple: the gradients of the batch, of the scale, of the offset, and of what was added.

    Raises:
        ValueError: the shapes do not fit.
    """
    _channels(x, mean=mean, var=var, gamma=gamma)
    for name, v in (("dout", dout), ("y", y)):
        expect(v.shape == x.shape, name, f"of shape {x.shape}", got=v.shape)
    channel = AbstractTensor(gamma.shape, x.dtype)
    return AbstractTuple((same(x), channel, channel, *[same(x)] * added))


@batch_norm_relu_dx.decompose
def _(dout, y, x, mean, var, gamma, eps, added):
    d = P.select(y > 0, dout, 0)
    grads = P.batch_norm_dx(d, x, mean, var, gamma, eps)
    return (grads[0], grads[1], grads[2], *[d] * added)


@batch_norm_relu_dx.batch
def _(b, dout, y, x, mean, var, gamma, eps, added):
    wide = _wide_images(b, 3, dout, y, x, mean, var, gamma)
    out = P.batch_norm_relu_dx(*wide, eps, added)
    return (apart(out[0], b.n), out[1], out[2], *([apart(out[3], b.n)] if added else []))


@batch_norm_relu_dx.bprop
def _(dout, y, x, mean, var, gamma, eps, added, out, dd):
    passes = y > 0
    d = P.select(passes, dout, 0)
    dd_d, *rest = P.batch_norm_dx.bprop_rule(d, x, mean, var, gamma, eps, None, dd)
    if added:
        dd_d = dd_d + dd[3]
    return P.select(passes, dd_d, 0), None, *rest
