"""Methods of tensors, and functions of `minds.mint`, whose parameters are not those of the
function: layers and losses.
"""

from __future__ import annotations

from ...base import dtype as dt
from ..define import P
from ..faces import face, offer
from ..functional import WITHIN as F


def _axis(dim, rank: int) -> int:
    """torch's choice of a dimension where none is given."""
    return dim if dim is not None else 0 if rank in (0, 1, 3) else 1


def _softmax(fn):
    def softmax(input, dim=None, dtype=None):
        x = input if dtype is None else P.cast(input, dt.of(dtype))
        return fn(x, _axis(dim, len(x.shape)))

    return softmax


@face(mint="conv2d nn.functional.conv2d")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return F.conv2d(
        input,
        weight,
        bias,
        stride,
        padding if isinstance(padding, str) else "pad",
        0 if isinstance(padding, str) else padding,
        dilation,
        groups,
    )


@face(mint="softmax")
def _(input, dim, *, dtype=None):
    return F.softmax(input, dim, dtype=dtype)


def _volume_conv(convolve, input, weight, bias, stride, padding, dilation, groups):
    word = isinstance(padding, str)
    mode, sides = (padding, 0) if word else ("pad", padding)
    return convolve(input, weight, bias, stride, mode, sides, dilation, groups)


@face(mint="nn.functional.conv1d")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _volume_conv(F.conv1d, input, weight, bias, stride, padding, dilation, groups)


@face(mint="nn.functional.conv3d")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _volume_conv(F.conv3d, input, weight, bias, stride, padding, dilation, groups)


@face(mint="conv_tbc", like="conv1d")
def _(input, weight, bias, pad=0):
    """The input is (T, B, C), the weight (K, C, O)."""
    x, kernel = P.transpose(input, (1, 2, 0)), P.transpose(weight, (2, 1, 0))
    return P.transpose(F.conv1d(x, kernel, bias, 1, "pad", pad), (2, 0, 1))


@face(mint="nn.functional.avg_pool1d nn.AvgPool1d")
def _(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    stride = kernel_size if stride is None else stride
    return F.avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad)


@face(mint="nn.functional.avg_pool3d nn.AvgPool3d")
def _(
    input,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=None,
):
    return F.avg_pool3d(
        input,
        kernel_size,
        kernel_size if stride is None else stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override or 0,
    )


@face(mint="nn.functional.grid_sample")
def _(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    return F.grid_sample(input, grid, mode, padding_mode, bool(align_corners))


@face(mint="nn.functional.upsample")
def _(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    return F.interpolate(input, size, scale_factor, mode, align_corners)


@face(mint="nn.UpsamplingNearest2d", like="interpolate")
def _(input, size=None, scale_factor=None):
    return F.interpolate(input, size, scale_factor, "nearest")


@face(mint="nn.UpsamplingBilinear2d", like="interpolate")
def _(input, size=None, scale_factor=None):
    return F.interpolate(input, size, scale_factor, "bilinear", True)


def _into(input, result, inplace: bool):
    """``result``, as the value of ``input`` where that is asked for."""
    return F.assign(input, result) if inplace else result


@face(mint="nn.functional.elu_", like="elu")
def _(input, alpha=1.0):
    return F.assign(input, F.elu(input, alpha))


@face(mint="nn.functional.hardtanh_", like="hardtanh")
def _(input, min_val=-1.0, max_val=1.0):
    return F.assign(input, F.hardtanh(input, min_val, max_val))


@face(mint="nn.functional.relu_", like="relu")
def _(input):
    return F.assign(input, P.relu(input))


@face(mint="nn.functional.sigmoid_", like="sigmoid")
def _(input):
    return F.assign(input, P.sigmoid(input))


@face(mint="nn.functional.threshold_", like="threshold")
def _(input, threshold, value):
    return F.assign(input, F.threshold(input, threshold, value))


@face(mint="nn.functional.avg_pool2d nn.AvgPool2d")
def _(
    input,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=None,
):
    return F.avg_pool2d(
        input,
        kernel_size,
        kernel_size if stride is None else stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override or 0,
    )


@face(mint="nn.functional.batch_norm")
def _(
    input,
    running_mean,
    running_var,
    weight=None,
    bias=None,
    training=False,
    momentum=0.1,
    eps=1e-05,
):
    return F.batch_norm(
        input,
        running_mean,
        running_var,
        F.ones((input.shape[1],), input.dtype) if weight is None else weight,
        F.zeros((input.shape[1],), input.dtype) if bias is None else bias,
        training,
        momentum,
        eps,
    )


@face(mint="nn.functional.binary_cross_entropy nn.BCELoss")
def _(input, target, weight=None, reduction="mean"):
    return F.binary_cross_entropy(input, target, weight, reduction)


@face(mint="nn.functional.binary_cross_entropy_with_logits nn.BCEWithLogitsLoss")
def _(input, target, weight=None, reduction="mean", pos_weight=None):
    return F.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


@face(mint="nn.functional.dropout")
def _(input, p=0.5, training=True, inplace=False):
    return _into(input, F.dropout(input, p, training), inplace)


@face(mint="nn.functional.dropout2d")
def _(input, p=0.5, training=True, inplace=False):
    return _into(input, F.dropout2d(input, p, training), inplace)


@face(mint="nn.functional.elu nn.ELU")
def _(input, alpha=1.0, inplace=False):
    return _into(input, F.elu(input, alpha), inplace)


@face(mint="nn.functional.glu nn.GLU")
def _(input, dim=-1):
    return F.glu(input, dim)


@face(mint="nn.functional.hardtanh nn.Hardtanh")
def _(input, min_val=-1.0, max_val=1.0, inplace=False):
    return _into(input, F.hardtanh(input, min_val, max_val), inplace)


@face(mint="nn.functional.kl_div nn.KLDivLoss")
def _(input, target, reduction="mean", log_target=False):
    point = (
        P.exp(target) * (target - input) if log_target else F.xlogy(target, target) - target * input
    )
    if reduction == "batchmean":
        return P.sum(point) / input.shape[0]
    return point if reduction == "none" else P.sum(point) if reduction == "sum" else F.mean(point)


@face(mint="nn.functional.leaky_relu")
def _(input, negative_slope=0.01):
    return F.leaky_relu(input, negative_slope)


offer(
    _softmax(P.log_softmax),
    "log_softmax",
    like="log_softmax",
    mint="nn.functional.log_softmax nn.LogSoftmax special.log_softmax",
)


@face(mint="nn.functional.logsigmoid nn.LogSigmoid")
def _(input):
    return F.logsigmoid(input)


@face(mint="nn.functional.max_pool2d nn.MaxPool2d")
def _(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    return F.max_pool2d(input, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


@face(mint="nn.functional.mish nn.Mish")
def _(input):
    return F.mish(input)


@face(mint="nn.functional.nll_loss nn.NLLLoss")
def _(input, target, weight=None, ignore_index=-100, reduction="mean"):
    return F.nll_loss(input, target, weight, ignore_index, reduction)


@face(mint="nn.functional.normalize")
def _(input, p=2.0, dim=1, eps=1e-12):
    return P.div(input, P.maximum(F.norm(input, p, dim, True), eps))


@face(mint="nn.functional.one_hot")
def _(tensor, num_classes=-1):
    n = int(tensor.asnumpy().max()) + 1 if num_classes == -1 else num_classes
    return F.one_hot(tensor, n, 1, 0)


@face(mint="nn.functional.pad")
def _(input, pad, mode="constant", value=None):
    return F.pad(input, pad, mode, value)


@face(mint="nn.functional.relu nn.ReLU")
def _(input, inplace=False):
    return _into(input, P.relu(input), inplace)


@face(mint="nn.functional.selu nn.SELU")
def _(input):
    return F.selu(input)


@face(mint="nn.functional.relu6 nn.ReLU6")
def _(input, inplace=False):
    return _into(input, F.relu6(input), inplace)


@face(mint="nn.functional.silu nn.SiLU")
def _(input, inplace=False):
    return _into(input, F.silu(input), inplace)


@face(mint="nn.functional.smooth_l1_loss nn.SmoothL1Loss")
def _(input, target, reduction="mean", beta=1.0):
    return F.smooth_l1_loss(input, target, beta, reduction)


offer(_softmax(P.softmax), "softmax", like="softmax", mint="nn.functional.softmax nn.Softmax")


@face(mint="nn.functional.threshold nn.Threshold")
def _(input, threshold, value, inplace=False):
    return _into(input, F.threshold(input, threshold, value), inplace)
