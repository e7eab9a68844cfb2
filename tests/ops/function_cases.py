"""Public functions that are composites: what each gives, by NumPy and SciPy."""

import numpy as np
import scipy.special as special
from scipy.spatial.distance import cdist

from minds import Tensor, ops

RNG = np.random.default_rng(5)
A, B, C = (RNG.standard_normal(s) for s in ((2, 3, 4), (3, 4), (4, 5)))
POSITIVE, UNIT, V = (
    RNG.uniform(0.5, 2, (3, 4)),
    RNG.uniform(0.1, 0.9, (3, 4)),
    RNG.standard_normal(4),
)
IDS, IMAGE = np.array([1, 0, 3]), RNG.standard_normal((2, 3, 5, 6))
SPREAD = np.array([-4.3, -3.2, -1.1, -0.4, 0.3, 0.7, 1.6, 3.4, 6.5])


def sigmoid(x):
    return special.expit(x)


def softplus(x):
    return np.logaddexp(x, 0)


def logp(x, axis=-1):
    return special.log_softmax(x, axis)


def smooth_l1(x, t, beta):
    e = np.abs(x - t)
    return np.where(e < beta, 0.5 * e * e / beta, e - 0.5 * beta)


def pad_mode(x, padding, mode, **k):
    return np.pad(x, ((0, 0), (0, 0), padding[2:], padding[:2]), mode, **k)


CASES = {
    # arithmetic
    "log2": (ops.log2, [POSITIVE], np.log2),
    "log10": (ops.log10, [POSITIVE], np.log10),
    "exp2": (ops.exp2, [B], np.exp2),
    "logaddexp": (ops.logaddexp, [B, V], np.logaddexp),
    "hypot": (ops.hypot, [B, V], np.hypot),
    "xlogy": (ops.xlogy, [np.array([0.0, 2.0]), np.array([0.5, 3.0])], special.xlogy),
    "lerp": (lambda x, y: ops.lerp(x, y, 0.3), [B, V], lambda x, y: x + 0.3 * (y - x)),
    "deg2rad": (ops.deg2rad, [B], np.deg2rad),
    "rad2deg": (ops.rad2deg, [B], np.rad2deg),
    "addn": (lambda x, y, z: ops.addn((x, y, z)), [B, V, POSITIVE], lambda x, y, z: x + y + z),
    "div floor": (
        lambda x: ops.div(x, 0.7, rounding_mode="floor"),
        [B],
        lambda x: np.floor(x / 0.7),
    ),
    "div trunc": (
        lambda x: ops.div(x, 0.7, rounding_mode="trunc"),
        [B],
        lambda x: np.trunc(x / 0.7),
    ),
    "round 2": (lambda x: ops.round(x, decimals=2), [B], lambda x: np.round(x, 2)),
    "clamp": (lambda x: ops.clamp(x, -0.5, 0.6), [B], lambda x: np.clip(x, -0.5, 0.6)),
    "clip tensor": (lambda x, lo: ops.clip(x, lo), [B, V], np.maximum),
    "clip_by_value": (
        lambda x: ops.clip_by_value(x, -0.5, 0.6),
        [B],
        lambda x: np.clip(x, -0.5, 0.6),
    ),
    "clip_by_norm": (
        lambda x: ops.clip_by_norm(x, 1.0),
        [B],
        lambda x: x / (np.linalg.norm(x) + 1e-6),
    ),
    "clip_by_global_norm": (
        lambda x, y: ops.clip_by_global_norm((x, y), 1.5),
        [B, V],
        lambda x, y: tuple(t * 1.5 / np.sqrt((x * x).sum() + (y * y).sum()) for t in (x, y)),
    ),
    "nan_to_num": (ops.nan_to_num, [np.array([np.nan, np.inf, -np.inf, 1.0])], np.nan_to_num),
    # statistics
    "mean": (lambda x: ops.mean(x, (0, 2)), [A], lambda x: x.mean((0, 2))),
    "mean kept": (lambda x: ops.mean(x, 1, True), [A], lambda x: x.mean(1, keepdims=True)),
    "var": (lambda x: ops.var(x, 1, 1), [A], lambda x: x.var(1, ddof=1)),
    "std": (lambda x: ops.std(x, (0, 1), 0, True), [A], lambda x: x.std((0, 1), keepdims=True)),
    "max": (lambda x: ops.max(x, 1), [A], lambda x: (x.max(1), x.argmax(1))),
    "min kept": (
        lambda x: ops.min(x, -1, True),
        [A],
        lambda x: (x.min(-1, keepdims=True), x.argmin(-1)[..., None]),
    ),
    "amax initial": (
        lambda x: ops.amax(x, 0, initial=0.2),
        [A],
        lambda x: np.max(x, 0, initial=0.2),
    ),
    "argmax": (ops.argmax, [A], np.argmax),
    "median": (lambda x: ops.median(x, 1)[0], [A], lambda x: np.median(x, 1)),
    "logsumexp": (lambda x: ops.logsumexp(x, (0, 1)), [A], lambda x: special.logsumexp(x, (0, 1))),
    "count_nonzero": (
        lambda x: ops.count_nonzero(x > 0, 1),
        [A],
        lambda x: np.count_nonzero(x > 0, 1).astype(np.int32),
    ),
    "norm": (ops.norm, [A], lambda x: np.sqrt((x * x).sum())),
    "norm 1": (lambda x: ops.norm(x, 1, 1), [B], lambda x: np.linalg.norm(x, 1, 1)),
    "norm 3": (lambda x: ops.norm(x, 3, 0), [B], lambda x: np.linalg.norm(x, 3, 0)),
    "norm inf": (lambda x: ops.norm(x, np.inf, 0), [B], lambda x: np.linalg.norm(x, np.inf, 0)),
    "norm fro": (
        lambda x: ops.norm(x, "fro", (0, 2)),
        [A],
        lambda x: np.linalg.norm(x, "fro", (0, 2)),
    ),
    "norm matrix 1": (lambda x: ops.norm(x, 1), [B], lambda x: np.linalg.norm(x, 1)),
    "norm matrix inf": (
        lambda x: ops.norm(x, np.inf, (0, 1), True),
        [B],
        lambda x: np.linalg.norm(x, np.inf, keepdims=True),
    ),
    "cumsum": (lambda x: ops.cumsum(x, 0), [B], lambda x: x.cumsum(0)),
    # shapes
    "swapaxes": (lambda x: ops.swapaxes(x, 0, -1), [A], lambda x: x.swapaxes(0, -1)),
    "moveaxis": (
        lambda x: ops.moveaxis(x, (0, 1), (-1, 0)),
        [A],
        lambda x: np.moveaxis(x, (0, 1), (-1, 0)),
    ),
    "expand_dims": (lambda x: ops.expand_dims(x, -2), [B], lambda x: np.expand_dims(x, -2)),
    "squeeze": (
        lambda x: ops.squeeze(ops.reshape(x, (3, 1, 4, 1)), 1),
        [B],
        lambda x: x[..., None],
    ),
    "flatten": (lambda x: ops.flatten(x, start_dim=0, end_dim=1), [A], lambda x: x.reshape(6, 4)),
    "flatten F": (lambda x: ops.flatten(x, "F", start_dim=0), [A], lambda x: x.flatten("F")),
    "stack": (lambda x, y: ops.stack((x, y), -1), [B, POSITIVE], lambda x, y: np.stack((x, y), -1)),
    "hstack": (lambda x, y: ops.hstack((x, y)), [B, POSITIVE], lambda x, y: np.hstack((x, y))),
    "vstack": (lambda x, y: ops.vstack((x, y)), [B, V], lambda x, y: np.vstack((x, y))),
    "unstack": (lambda x: ops.unstack(x, 1), [B], lambda x: tuple(np.moveaxis(x, 1, 0))),
    "split": (lambda x: ops.split(x, 3, -1), [A], lambda x: tuple(np.split(x, [3], -1))),
    "chunk": (lambda x: ops.chunk(x, 2, 1), [A], lambda x: tuple(np.split(x, [2], 1))),
    "tensor_split": (
        lambda x: ops.tensor_split(x, (1, 3), 2),
        [A],
        lambda x: tuple(np.split(x, (1, 3), 2)),
    ),
    "tile": (lambda x: ops.tile(x, (2, 1, 3)), [B], lambda x: np.tile(x, (2, 1, 3))),
    "repeat": (lambda x: ops.repeat_interleave(x, 3, 1), [A], lambda x: x.repeat(3, 1)),
    "repeat each": (
        lambda x: ops.repeat_interleave(x, (2, 0, 1), 0),
        [B],
        lambda x: x.repeat((2, 0, 1), 0),
    ),
    "roll": (lambda x: ops.roll(x, (1, -2), (0, 1)), [B], lambda x: np.roll(x, (1, -2), (0, 1))),
    "rot90": (lambda x: ops.rot90(x, 3, (0, 1)), [B], lambda x: np.rot90(x, 3)),
    "meshgrid": (lambda x, y: ops.meshgrid(x, y), [V, B[0]], lambda x, y: tuple(np.meshgrid(x, y))),
    "meshgrid ij": (
        lambda x, y: ops.meshgrid(x, y, indexing="ij"),
        [V, B[0]],
        lambda x, y: tuple(np.meshgrid(x, y, indexing="ij")),
    ),
    "diag": (ops.diag, [V], np.diag),
    "trace": (ops.trace, [B], np.trace),
    "diagonal": (lambda x: ops.diagonal(x, -1, 2, 0), [A], lambda x: np.diagonal(x, -1, 2, 0)),
    # positions
    "gather batch": (
        lambda x, i: ops.gather(x, i, 2, 1),
        [A, np.array([[0, 3], [2, -1]])],
        lambda x, i: np.stack([x[k][:, i[k]] for k in range(2)]),
    ),
    "take wrap": (
        lambda x: ops.take(x, Tensor([5, -1]), 1, "wrap"),
        [B],
        lambda x: x.take([5, -1], 1, mode="wrap"),
    ),
    "masked_fill": (
        lambda x: ops.masked_fill(x, x > 0, 2.5),
        [B],
        lambda x: np.where(x > 0, 2.5, x),
    ),
    "tensor_scatter_elements": (
        lambda x, i, u: ops.tensor_scatter_elements(x, i, u, 1),
        [B, np.array([[1], [3], [0]]), RNG.standard_normal((3, 1))],
        lambda x, i, u: (np.put_along_axis(y := x.copy(), i, u, 1), y)[1],
    ),
    "index_add": (
        lambda x, y: ops.index_add(x, Tensor([2, 0, 2]), y, 1),
        [B, B[:, :3]],
        lambda x, y: np.stack(
            [x[:, 0] + y[:, 1], x[:, 1], x[:, 2] + y[:, 0] + y[:, 2], x[:, 3]], 1
        ),
    ),
    "unsorted_segment_sum": (
        lambda x: ops.unsorted_segment_sum(x, Tensor([1, 0, 1]), 3),
        [B],
        lambda x: np.stack([x[1], x[0] + x[2], 0 * x[0]]),
    ),
    "embedding": (lambda w: ops.embedding(Tensor([[2, 0]]), w), [B], lambda w: w[[[2, 0]]]),
    # products
    "matmul vectors": (ops.matmul, [V, V[::-1].copy()], np.matmul),
    "matmul left": (ops.matmul, [V, C], np.matmul),
    "matmul right": (ops.matmul, [A, V], np.matmul),
    "dot": (ops.dot, [A, C], np.dot),
    "inner": (ops.inner, [A, B], np.inner),
    "outer": (ops.outer, [V, B[0]], np.outer),
    "kron": (ops.kron, [B, V], np.kron),
    "addmm": (
        lambda x, y, z: ops.addmm(x, y, z, beta=2, alpha=3),
        [np.ones((3, 5)), B, C],
        lambda x, y, z: 2 * x + 3 * y @ z,
    ),
    "tensor_dot": (
        lambda x, y: ops.tensor_dot(x, y, ((1, 2), (0, 1))),
        [A, B],
        lambda x, y: np.tensordot(x, y, 2),
    ),
    **{
        f"einsum {e}": (
            lambda *x, e=e: ops.einsum(e, *x),
            list(x),
            lambda *x, e=e: np.einsum(e, *x),
        )
        for e, x in {
            "bij,jk->bik": (A, C),
            "ij,kj": (B, POSITIVE),
            "ij->ji": (B,),
            "bij->j": (A,),
            "i,j,k->kji": (V, V, B[0]),
            "...j,jk->...k": (A, C),
            "ii->i": (B[:, :3],),
            "ij,ij->": (B, POSITIVE),
            "bij,bkj->bik": (A, A),
        }.items()
    },
    # activations
    "relu6": (ops.relu6, [SPREAD], lambda x: np.clip(x, 0, 6)),
    "leaky_relu": (
        lambda x: ops.leaky_relu(x, 0.1),
        [SPREAD],
        lambda x: np.where(x > 0, x, 0.1 * x),
    ),
    "prelu": (
        ops.prelu,
        [A, np.array([0.1, 0.2, 0.3])],
        lambda x, w: np.where(x > 0, x, x * w[:, None]),
    ),
    "elu": (
        lambda x: ops.elu(x, 0.7),
        [SPREAD],
        lambda x: np.where(x > 0, x, 0.7 * np.expm1(np.minimum(x, 0))),
    ),
    "selu": (
        ops.selu,
        [SPREAD],
        lambda x: (
            1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0)))
        ),
    ),
    "celu": (
        lambda x: ops.celu(x, 2.0),
        [SPREAD],
        lambda x: np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0) / 2)),
    ),
    "silu": (ops.silu, [SPREAD], lambda x: x * sigmoid(x)),
    "softplus": (ops.softplus, [SPREAD], softplus),
    "softplus beta": (
        lambda x: ops.softplus(x, 2, 5),
        [SPREAD],
        lambda x: np.where(2 * x > 5, x, softplus(2 * x) / 2),
    ),
    "logsigmoid": (ops.logsigmoid, [SPREAD], lambda x: np.log(sigmoid(x))),
    "mish": (ops.mish, [SPREAD], lambda x: x * np.tanh(softplus(x))),
    "hardsigmoid": (ops.hardsigmoid, [SPREAD], lambda x: np.clip((x + 3) / 6, 0, 1)),
    "hardswish": (ops.hardswish, [SPREAD], lambda x: x * np.clip((x + 3) / 6, 0, 1)),
    "gelu": (ops.gelu, [SPREAD], lambda x: x * special.ndtr(x)),
    "gelu tanh": (
        lambda x: ops.gelu(x, "tanh"),
        [SPREAD],
        lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    ),
    "softsign": (ops.softsign, [SPREAD], lambda x: x / (1 + np.abs(x))),
    "hardtanh": (ops.hardtanh, [SPREAD], lambda x: np.clip(x, -1, 1)),
    "softshrink": (ops.softshrink, [SPREAD], lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
    "hardshrink": (ops.hardshrink, [SPREAD], lambda x: np.where(np.abs(x) > 0.5, x, 0)),
    "logit": (ops.logit, [UNIT], special.logit),
    "glu": (lambda x: ops.glu(x), [B], lambda x: x[:, :2] * sigmoid(x[:, 2:])),
    # layers
    "dense": (ops.dense, [A, C.T.copy(), RNG.standard_normal(5)], lambda x, w, b: x @ w.T + b),
    "bias_add": (ops.bias_add, [A, V[:3]], lambda x, b: x + b[:, None]),
    "pad": (
        lambda x: ops.pad(x, (1, 2, 0, 1), value=3),
        [IMAGE],
        lambda x: pad_mode(x, (1, 2, 0, 1), "constant", constant_values=3),
    ),
    "pad cut": (
        lambda x: ops.pad(x, (-1, 2)),
        [IMAGE],
        lambda x: np.pad(x[..., 1:], [(0, 0)] * 3 + [(0, 2)]),
    ),
    "pad reflect": (
        lambda x: ops.pad(x, (2, 3, 1, 4), "reflect"),
        [IMAGE],
        lambda x: pad_mode(x, (2, 3, 1, 4), "reflect"),
    ),
    "pad replicate": (
        lambda x: ops.pad(x, (2, 1, 1, 3), "replicate"),
        [IMAGE],
        lambda x: pad_mode(x, (2, 1, 1, 3), "edge"),
    ),
    "pad circular": (
        lambda x: ops.pad(x, (2, 1, 1, 3), "circular"),
        [IMAGE],
        lambda x: pad_mode(x, (2, 1, 1, 3), "wrap"),
    ),
    "adaptive_avg_pool2d": (
        lambda x: ops.adaptive_avg_pool2d(x, (2, 4)),
        [IMAGE],
        lambda x: np.stack(
            [
                np.stack(
                    [x[:, :, a:b, c:d].mean((2, 3)) for c, d in ((0, 2), (1, 3), (3, 5), (4, 6))],
                    -1,
                )
                for a, b in ((0, 3), (2, 5))
            ],
            2,
        ),
    ),
    "adaptive_avg_pool2d even": (
        lambda x: ops.adaptive_avg_pool2d(x, (1, 3)),
        [IMAGE],
        lambda x: x.reshape(2, 3, 1, 5, 3, 2).mean((3, 5)),
    ),
    "group_norm": (
        lambda x: ops.group_norm(x, 3),
        [IMAGE],
        lambda x: (
            (x - x.mean((2, 3), keepdims=True)) / np.sqrt(x.var((2, 3), keepdims=True) + 1e-5)
        ),
    ),
    "layer_norm": (
        lambda x: ops.layer_norm(x, (4,)),
        [A],
        lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5),
    ),
    "rms_norm": (
        lambda x, g: ops.rms_norm(x, g)[0],
        [A, V],
        lambda x, g: x * g / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6),
    ),
    "cosine_similarity": (
        ops.cosine_similarity,
        [B, POSITIVE],
        lambda x, y: (x * y).sum(1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1),
    ),
    "cdist": (ops.cdist, [B, POSITIVE[:2]], cdist),
    "conv1d": (
        lambda x, w: ops.conv1d(x, w, stride=2, pad_mode="pad", padding=1),
        [A, np.ones((1, 3, 2))],
        lambda x, w: np.pad(x.sum(1), ((0, 0), (1, 1))).reshape(2, 3, 2).sum(2)[:, None],
    ),
    # losses
    "cross_entropy": (ops.cross_entropy, [B, IDS], lambda x, t: -logp(x)[range(3), t].mean()),
    "cross_entropy smooth": (
        lambda x, t: ops.cross_entropy(x, t, label_smoothing=0.1, reduction="sum"),
        [B, IDS],
        lambda x, t: -(0.9 * logp(x)[range(3), t] + 0.1 * logp(x).mean(1)).sum(),
    ),
    "cross_entropy weight": (
        lambda x, t: ops.cross_entropy(x, t, Tensor([1.0, 2.0, 3.0, 4.0], "float64")),
        [B, IDS],
        lambda x, t: -(logp(x)[range(3), t] * (t + 1)).sum() / (t + 1).sum(),
    ),
    "cross_entropy ignore": (
        lambda x, t: ops.cross_entropy(x, t, ignore_index=0),
        [B, IDS],
        lambda x, t: -(logp(x)[[0, 2], t[[0, 2]]]).mean(),
    ),
    "cross_entropy soft": (
        ops.cross_entropy,
        [B, special.softmax(POSITIVE, 1)],
        lambda x, t: -(logp(x) * t).sum(1).mean(),
    ),
    "cross_entropy image": (
        lambda x, t: ops.cross_entropy(x, t, reduction="none"),
        [A, np.array([[0, 1, 2, 0], [2, 2, 1, 0]])],
        lambda x, t: -np.take_along_axis(logp(x, 1), t[:, None], 1)[:, 0],
    ),
    "mse_loss": (ops.mse_loss, [B, POSITIVE], lambda x, t: ((x - t) ** 2).mean()),
    "l1_loss": (
        lambda x, t: ops.l1_loss(x, t, "sum"),
        [B, POSITIVE],
        lambda x, t: np.abs(x - t).sum(),
    ),
    "smooth_l1_loss": (
        lambda x, t: ops.smooth_l1_loss(x, t, 0.6),
        [B, POSITIVE],
        lambda x, t: smooth_l1(x, t, 0.6),
    ),
    "huber_loss": (
        lambda x, t: ops.huber_loss(x, t, "none", 0.6),
        [B, POSITIVE],
        lambda x, t: 0.6 * smooth_l1(x, t, 0.6),
    ),
    "binary_cross_entropy": (
        ops.binary_cross_entropy,
        [UNIT, POSITIVE / 2],
        lambda p, t: -(t * np.log(p) + (1 - t) * np.log1p(-p)).mean(),
    ),
    "bce_with_logits": (
        lambda x, t, w: ops.binary_cross_entropy_with_logits(x, t, pos_weight=w, reduction="none"),
        [B, UNIT, POSITIVE],
        lambda x, t, w: -(w * t * np.log(sigmoid(x)) + (1 - t) * np.log(sigmoid(-x))),
    ),
    "kl_div": (
        lambda x, t: ops.kl_div(x, t, "batchmean"),
        [B, UNIT],
        lambda x, t: (t * (np.log(t) - x)).sum() / 3,
    ),
    "soft_margin_loss": (
        ops.soft_margin_loss,
        [B, np.sign(POSITIVE - 1)],
        lambda x, t: np.log1p(np.exp(-t * x)).mean(),
    ),
    "margin_ranking_loss": (
        lambda x, y: ops.margin_ranking_loss(x, y, ops.ones_like(x), 0.3),
        [B, POSITIVE],
        lambda x, y: np.maximum(0, y - x + 0.3).mean(),
    ),
    "triplet_margin_loss": (
        ops.triplet_margin_loss,
        [B, POSITIVE, UNIT],
        lambda a, p, n: np.maximum(
            0, np.linalg.norm(a - p + 1e-6, axis=1) - np.linalg.norm(a - n + 1e-6, axis=1) + 1
        ).mean(),
    ),
}
FLAT = {"div floor", "div trunc", "round 2", "argmax", "count_nonzero", "nan_to_num"}
