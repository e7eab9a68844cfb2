"""Batch and layer normalisation and their gradients.

Batch normalisation reduces over all dimensions but the second (channels), layer normalisation over
those from ``begin_axis`` on. The gradient kernels have hand-written gradients of elementary ops, so
derivatives of any order exist.
"""

from __future__ import annotations

from ..base.errors import expect
from ..ir.abstract import AbstractTensor, AbstractTuple
from ..tensor import Tensor
from .batching import apart, beside, merged, raised
from .define import P, op
from .rules import axis_of, floating, same
from .sharding import Rule, names


def _channels(x, **vectors) -> None:
    floating(x, "x")
    expect(x.ndim >= 2, "x", "of rank 2 or more", got=f"shape {x.shape}")
    for name, v in vectors.items():
        expect(
            v.shape == x.shape[1:2],
            name,
            f"of shape {x.shape[1:2]}, one value per channel",
            got=v.shape,
        )


def _wide(v, x):
    """One value per channel, shaped to broadcast against ``x``."""
    return P.reshape(v, (1, v.shape[0]) + (1,) * (len(x.shape) - 2))


def _batch_axes(x) -> tuple:
    return (0, *range(2, len(x.shape)))


def _count(x, axes) -> int:
    n = 1
    for a in axes:
        n *= x.shape[a]
    return max(n, 1)


@op(promote="x gamma beta")
def batch_norm(
    x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Normalise each channel by the batch's own mean and variance.

    .. math:: y = \gamma \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta

    Args:
        x (Tensor[(N, C, ...), float]): the batch.
        gamma (Tensor[(C,), float]): the scale of each channel.
        beta (Tensor[(C,), float]): the offset of each channel.
        eps (float): added to the variance. Default: 1e-5.

    Returns:
        tuple: the result, the mean (C,) and the biased variance (C,).

    Raises:
        TypeError: ``x`` is not floating point.
        ValueError: the shapes do not fit.

    Source: Ioffe and Szegedy, Batch Normalization, https://arxiv.org/abs/1502.03167.
    """
    _channels(x, gamma=gamma, beta=beta)
    channel = AbstractTensor(x.shape[1:2], x.dtype)
    return AbstractTuple((same(x), channel, channel))


@batch_norm.bprop
def _(x, gamma, beta, eps, out, dout):
    mean, var = out[1], out[2]
    grads = P.batch_norm_dx(dout[0], x, mean, var, gamma, eps)
    return of_statistics(grads[0], x, mean, dout), grads[1], grads[2]


def of_statistics(dx, x, mean, dout):
    """``dx`` with what the batch gets of the cotangents of its mean and its variance."""
    count = _count(x, _batch_axes(x))
    if dout.get(1) is not None:
        dx = dx + _wide(dout[1], x) / count
    if dout.get(2) is not None:
        dx = dx + _wide(dout[2], x) * (x - _wide(mean, x)) * (2 / count)
    return dx


def _by_channel(op, images: int, b, operands, eps):
    """A batch norm op with the examples as more channels; the first ``images`` operands have
    samples.
    """
    wide = [beside(x) if i < images else merged(x, 0) for i, x in enumerate(b.every(*operands))]
    return op(*wide, eps)


def _channels_apart(x, operands: int, same: tuple) -> Rule:
    """Channels see nothing of each other: the operands ``same`` and the first of three results have the
    shape of ``x``, the others one number each.
    """
    wide = (None, "c") + (None,) * (len(x.shape) - 2)
    return Rule(
        tuple([wide if i in same else ("c",) for i in range(operands)]),
        (wide, ("c",), ("c",)),
        decomposes=True,
    )


@batch_norm.decompose
def _(x, gamma, beta, eps):
    axes = _batch_axes(x)
    count = _count(x, axes)
    mean = P.sum(x, axes, False) / count
    centred = x - _wide(mean, x)
    var = P.sum(P.square(centred), axes, False) / count
    return centred * _wide(gamma * P.rsqrt(var + eps), x) + _wide(beta, x), mean, var


@batch_norm.shard
def _(x, gamma, beta, eps):
    return _channels_apart(x, 3, (0,))


@batch_norm.batch
def _(b, x, gamma, beta, eps):
    out = _by_channel(P.batch_norm, 1, b, (x, gamma, beta), eps)
    return apart(out[0], b.n), out[1], out[2]


@op(promote="dout x mean var gamma")
def batch_norm_dx(
    dout: Tensor, x: Tensor, mean: Tensor, var: Tensor, gamma: Tensor, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of the first result of `batch_norm`.

    Args:
        dout (Tensor[(N, C, ...), float]): the cotangent of the normalised batch.
        x (Tensor[(N, C, ...), float]): the batch.
        mean, var, gamma (Tensor[(C,), float]): its mean, its biased variance, and the scale.
        eps (float): as for `batch_norm`.

    Returns:
        tuple: the gradients of the batch, of the scale and of the offset.

    Raises:
        ValueError: the shapes do not fit.
    """
    _channels(x, mean=mean, var=var, gamma=gamma)
    expect(dout.shape == x.shape, "dout", f"of shape {x.shape}", got=dout.shape)
    channel = AbstractTensor(gamma.shape, x.dtype)
    return AbstractTuple((same(x), channel, channel))


@batch_norm_dx.decompose
def _(dout, x, mean, var, gamma, eps):
    axes = _batch_axes(x)
    r = _wide(P.rsqrt(var + eps), x)
    xhat = (x - _wide(mean, x)) * r
    dgamma, dbeta = P.sum(dout * xhat, axes, False), P.sum(dout, axes, False)
    count = _count(x, axes)
    centred = dout - _wide(dbeta, x) / count - xhat * (_wide(dgamma, x) / count)
    return _wide(gamma, x) * r * centred, dgamma, dbeta


@batch_norm_dx.bprop
def _(d, x, mean, var, gamma, eps, out, dout):
    axes = _batch_axes(x)
    count = _count(x, axes)
    g, rc = _wide(gamma, x), P.rsqrt(var + eps)
    offset = x - _wide(mean, x)
    dd, dxhat, scaled = _second(
        dout[0], _wide(dout[1], x), _wide(dout[2], x), d, offset, _wide(rc, x), g, axes, count
    )
    # r enters twice: in xhat = (x - mean) r and in the factor gamma r.
    dscale = P.sum(scaled, axes, False)
    drc = P.sum(dxhat * offset, axes, False) + gamma * dscale
    dx = dxhat * _wide(rc, x)
    return dd, dx, -P.sum(dx, axes, False), drc * P.square(rc) * rc * -0.5, rc * dscale


def _second(a, b, c, d, offset, r, g, axes, count):
    """Shared by both second-order rules: L = sum(a dx) + b sum(d xhat) + c sum(d), dx = g r (d -
    m(d) - xhat m(d xhat)).

    Returns dL/dd, dL/dxhat (g r held fixed), and the summands of dL/d(g r).
    """
    xhat = offset * r
    u = g * r * a
    md, mdx = P.sum(d, axes, True) / count, P.sum(d * xhat, axes, True) / count
    mu, mux = P.sum(u, axes, True) / count, P.sum(u * xhat, axes, True) / count
    dd = u - mu - xhat * mux + b * xhat + c
    dxhat = b * d - u * mdx - d * mux
    return dd, dxhat, a * (d - md - xhat * mdx)


@batch_norm_dx.shard
def _(dout, x, mean, var, gamma, eps):
    return _channels_apart(x, 5, (0, 1))


@batch_norm_dx.batch
def _(b, dout, x, mean, var, gamma, eps):
    out = _by_channel(P.batch_norm_dx, 2, b, (dout, x, mean, var, gamma), eps)
    return apart(out[0], b.n), out[1], out[2]


@op(promote="x gamma beta mean var")
def batch_norm_infer(
    x: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, var: Tensor, eps: float = 1e-5
) -> Tensor:
    r"""Normalise each channel by a given mean and variance.

    Args:
        x (Tensor[(N, C, ...), float]): the batch.
        gamma, beta (Tensor[(C,), float]): the scale and the offset of each channel.
        mean, var (Tensor[(C,), float]): the mean and the variance of each channel.
        eps (float): added to the variance. Default: 1e-5.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is not floating point.
        ValueError: the shapes do not fit.
    """
    _channels(x, gamma=gamma, beta=beta, mean=mean, var=var)
    return same(x)


@batch_norm_infer.decompose
def _(x, gamma, beta, mean, var, eps):
    return (x - _wide(mean, x)) * _wide(gamma * P.rsqrt(var + eps), x) + _wide(beta, x)


@batch_norm_infer.bprop
def _(x, gamma, beta, mean, var, eps, out, dout):
    axes, r = _batch_axes(x), P.rsqrt(var + eps)
    dbeta = P.sum(dout, axes, False)
    moment = P.sum(dout * (x - _wide(mean, x)), axes, False)
    scale = gamma * r
    return (
        dout * _wide(scale, x),
        moment * r,
        dbeta,
        -(dbeta * scale),
        moment * gamma * r * P.square(r) * -0.5,
    )


@batch_norm_infer.shard
def _(x, gamma, beta, mean, var, eps):
    letters = names(len(x.shape))
    letters[1] = "c"
    return Rule((tuple(letters), *(("c",),) * 4), (tuple(letters),))


@batch_norm_infer.batch
def _(b, x, gamma, beta, mean, var, eps):
    if b.mask == (True, False, False, False, False):
        return P.batch_norm_infer(merged(x, 0), gamma, beta, mean, var, eps)
    return apart(_by_channel(P.batch_norm_infer, 1, b, (x, gamma, beta, mean, var), eps), b.n)


def _normalised(x, begin: int, **weights) -> None:
    floating(x, "x")
    for name, v in weights.items():
        expect(v.shape == x.shape[begin:], name, f"of shape {x.shape[begin:]}", got=v.shape)


def _statistic(x, begin: int) -> AbstractTensor:
    return AbstractTensor(x.shape[:begin] + (1,) * (len(x.shape) - begin), x.dtype)


@op(promote="x gamma beta")
def layer_norm(
    x: Tensor, gamma: Tensor, beta: Tensor, begin_axis: int = -1, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Normalise over the dimensions from ``begin_axis`` on, then scale and shift.

    .. math:: y = \gamma \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta

    Args:
        x (Tensor[any shape, float]): the operand.
        gamma, beta (Tensor, float): scale and offset, of shape ``x.shape[begin_axis:]``.
        begin_axis (int): the first normalised dimension. Default: -1.
        eps (float): added to the variance. Default: 1e-5.

    Returns:
        tuple: the result, the mean and the reciprocal standard deviation, the last two with 1 for
        each normalised dimension.

    Raises:
        TypeError: ``x`` is not floating point.
        ValueError: the shapes do not fit, or ``begin_axis`` is out of range.

    Source: Ba, Kiros and Hinton, Layer Normalization, https://arxiv.org/abs/1607.06450.
    """
    _normalised(x, begin_axis, gamma=gamma, beta=beta)
    return AbstractTuple((same(x), _statistic(x, begin_axis), _statistic(x, begin_axis)))


@layer_norm.normalize
def _(x, gamma, beta, begin_axis, eps):
    return {"begin_axis": axis_of(begin_axis, x.ndim, "begin_axis")}


@layer_norm.bprop
def _(x, gamma, beta, begin, eps, out, dout):
    mean, rstd = out[1], out[2]
    grads = P.layer_norm_dx(dout[0], x, mean, rstd, gamma, begin)
    dx = grads[0]
    count = _count(x, range(begin, len(x.shape)))
    if dout.get(1) is not None:
        dx = dx + dout[1] / count
    if dout.get(2) is not None:
        dx = dx - dout[2] * rstd * P.square(rstd) * (x - mean) / count
    return dx, grads[1], grads[2]


def _rows(x, begin: int) -> tuple:
    """The letters of ``x`` and of what there is once for each row."""
    front = names(begin % len(x.shape))
    rest = (None,) * (len(x.shape) - len(front))
    return (*front, *rest), rest


@layer_norm.decompose
def _(x, gamma, beta, begin, eps):
    inner = tuple(range(begin, len(x.shape)))
    count = _count(x, inner)
    mean = P.sum(x, inner, True) / count
    centred = x - mean
    rstd = P.rsqrt(P.sum(P.square(centred), inner, True) / count + eps)
    return centred * rstd * gamma + beta, mean, rstd


@layer_norm.shard
def _(x, gamma, beta, begin, eps):
    wide, rest = _rows(x, begin)
    return Rule((wide, rest, rest), (wide, wide, wide), decomposes=True)


@layer_norm.batch
def _(b, x, gamma, beta, begin, eps):
    if not (b.mask[1] or b.mask[2]):
        return P.layer_norm(x, gamma, beta, begin + 1, eps)
    x, gamma, beta = b.every(x, gamma, beta)
    shape, rank = x.shape[begin + 1 :], len(x.shape) - 1
    out = P.layer_norm(x, P.full(shape, 1, x.dtype), P.full(shape, 0, x.dtype), begin + 1, eps)
    return out[0] * raised(gamma, rank) + raised(beta, rank), out[1], out[2]


@op(promote="dout x mean rstd gamma")
def layer_norm_dx(
    dout: Tensor, x: Tensor, mean: Tensor, rstd: Tensor, gamma: Tensor, begin_axis: int
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of the first result of `layer_norm`.

    Args:
        dout (Tensor[any shape, float]): the cotangent of the result.
        x (Tensor): the operand, of the same shape.
        mean, rstd (Tensor): the other two results of `layer_norm`.
        gamma (Tensor): the scale.
        begin_axis (int): the first normalised dimension.

    Returns:
        tuple: the gradients of the operand, of the scale and of the offset.

    Raises:
        ValueError: the shapes do not fit.
    """
    _normalised(x, begin_axis, gamma=gamma)
    expect(dout.shape == x.shape, "dout", f"of shape {x.shape}", got=dout.shape)
    statistic = _statistic(x, begin_axis).shape
    expect(mean.shape == statistic, "mean", f"of shape {statistic}", got=mean.shape)
    expect(rstd.shape == statistic, "rstd", f"of shape {statistic}", got=rstd.shape)
    return AbstractTuple((same(x), same(gamma), same(gamma)))


@layer_norm_dx.normalize
def _(dout, x, mean, rstd, gamma, begin_axis):
    return {"begin_axis": axis_of(begin_axis, x.ndim, "begin_axis")}


@layer_norm_dx.decompose
def _(dout, x, mean, rstd, gamma, begin):
    inner, outer = tuple(range(begin, len(x.shape))), tuple(range(begin))
    xhat, d = (x - mean) * rstd, dout * gamma
    count = _count(x, inner)
    centred = d - P.sum(d, inner, True) / count - xhat * (P.sum(d * xhat, inner, True) / count)
    if not outer:
        return rstd * centred, dout * xhat, dout
    return rstd * centred, P.sum(dout * xhat, outer, False), P.sum(dout, outer, False)


@layer_norm_dx.shard
def _(dout, x, mean, rstd, gamma, begin):
    wide, rest = _rows(x, begin)
    return Rule((wide, wide, wide, wide, rest), (wide, rest, rest), decomposes=True)


@layer_norm_dx.batch
def _(b, dout, x, mean, rstd, gamma, begin):
    dout, x, mean, rstd = b.every(dout, x, mean, rstd)
    outer, scaled = tuple(range(1, begin + 1)), dout
    if b.mask[4]:
        scaled, gamma = (
            dout * raised(gamma, len(x.shape) - 1),
            P.full(x.shape[begin + 1 :], 1, x.dtype),
        )
    dx = P.layer_norm_dx(scaled, x, mean, rstd, gamma, begin + 1)[0]
    dgamma = dout * ((x - mean) * rstd)
    if not outer:
        return dx, dgamma, dout
    return dx, P.sum(dgamma, outer, False), P.sum(dout, outer, False)


@layer_norm_dx.bprop
def _(dout_, x, mean, rstd, gamma, begin, out, dout):
    inner, outer = tuple(range(begin, len(x.shape))), tuple(range(begin))
    count = _count(x, inner)
    zero = P.full((), 0, x.dtype)
    offset, d = x - mean, dout_ * gamma
    dd, dxhat, scaled = _second(dout[0], zero, zero, d, offset, rstd, 1, inner, count)
    xhat = offset * rstd
    # dgamma = sum(dout xhat) and dbeta = sum(dout) run over the outer dimensions; both cotangents
    # broadcast back.
    ddout = dd * gamma + dout[1] * xhat + dout[2]
    dxhat = dxhat + dout[1] * dout_
    dgamma = P.sum(dd * dout_, outer, False) if outer else dd * dout_
    drstd = P.sum(dxhat * offset + scaled, inner, True)
    dx = dxhat * rstd
    return ddout, dx, -P.sum(dx, inner, True), drstd, dgamma
