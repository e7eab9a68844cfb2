"""Functions of layers under torch's names, over `minds.ops`."""

from __future__ import annotations

from ...base import dtype as dt
from ...ops import functional as F
from ...ops.define import P
from ...ops.faces import offered
from ..functions import FUNCTIONS, named


def _axis(dim, rank: int) -> int:
    """torch's choice of a dimension where none is given."""
    return dim if dim is not None else 0 if rank in (0, 1, 3) else 1


def _softmax(fn):
    def softmax(input, dim=None, dtype=None):
        x = input if dtype is None else P.cast(input, dt.of(dtype))
        return fn(x, _axis(dim, len(x.shape)))

    return softmax


def _one_hot(tensor, num_classes=-1):
    n = int(tensor.asnumpy().max()) + 1 if num_classes == -1 else num_classes
    return F.one_hot(tensor, n, 1, 0)


def _kl_div(input, target, reduction="mean", log_target=False):
    point = (
        P.exp(target) * (target - input) if log_target else F.xlogy(target, target) - target * input
    )
    if reduction == "batchmean":
        return P.sum(point) / input.shape[0]
    return point if reduction == "none" else P.sum(point) if reduction == "sum" else F.mean(point)


OTHER = {
    "avg_pool2d": lambda input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None: (
        F.avg_pool2d(
            input,
            kernel_size,
            kernel_size if stride is None else stride,
            padding,
            ceil_mode,
            count_include_pad,
            divisor_override or 0,
        )
    ),
    "batch_norm": lambda input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05: (
        F.batch_norm(
            input,
            running_mean,
            running_var,
            F.ones((input.shape[1],), input.dtype) if weight is None else weight,
            F.zeros((input.shape[1],), input.dtype) if bias is None else bias,
            training,
            momentum,
            eps,
        )
    ),
    "binary_cross_entropy": lambda input, target, weight=None, reduction="mean": (
        F.binary_cross_entropy(input, target, weight, reduction)
    ),
    "binary_cross_entropy_with_logits": lambda input, target, weight=None, reduction="mean", pos_weight=None: (
        F.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)
    ),
    "conv2d": FUNCTIONS["conv2d"],
    "dropout": lambda input, p=0.5, training=True, inplace=False: F.dropout(input, p, training),
    "dropout2d": lambda input, p=0.5, training=True, inplace=False: F.dropout2d(input, p, training),
    "elu": lambda input, alpha=1.0, inplace=False: F.elu(input, alpha),
    "flatten": FUNCTIONS["flatten"],
    "glu": lambda input, dim=-1: F.glu(input, dim),
    "hardtanh": lambda input, min_val=-1.0, max_val=1.0, inplace=False: F.hardtanh(
        input, min_val, max_val
    ),
    "kl_div": _kl_div,
    "leaky_relu": lambda input, negative_slope=0.01: F.leaky_relu(input, negative_slope),
    "log_softmax": _softmax(P.log_softmax),
    "logsigmoid": lambda input: F.logsigmoid(input),
    "max_pool2d": lambda input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False: (
        F.max_pool2d(input, kernel_size, stride, padding, dilation, return_indices, ceil_mode)
    ),
    "mish": lambda input: F.mish(input),
    "nll_loss": lambda input, target, weight=None, ignore_index=-100, reduction="mean": F.nll_loss(
        input, target, weight, ignore_index, reduction
    ),
    "normalize": lambda input, p=2.0, dim=1, eps=1e-12: P.div(
        input, P.maximum(F.norm(input, p, dim, True), eps)
    ),
    "one_hot": _one_hot,
    "pad": lambda input, pad, mode="constant", value=None: F.pad(input, pad, mode, value),
    "relu": lambda input, inplace=False: P.relu(input),
    "relu6": lambda input, inplace=False: F.relu6(input),
    "silu": lambda input, inplace=False: F.silu(input),
    "smooth_l1_loss": lambda input, target, reduction="mean", beta=1.0: F.smooth_l1_loss(
        input, target, beta, reduction
    ),
    "softmax": _softmax(P.softmax),
    "threshold": lambda input, threshold, value, inplace=False: F.threshold(
        input, threshold, value
    ),
}

_HERE = "nn.functional."
NAMES = {
    **{n[len(_HERE) :]: f.target for n, f in offered("mint").items() if n.startswith(_HERE)},
    **named(OTHER),
}
globals().update(NAMES)
__all__ = sorted(NAMES)
