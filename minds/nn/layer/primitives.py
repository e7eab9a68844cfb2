"""The primitives of layers, by MindSpore's names, and how layers compute by them."""

from __future__ import annotations

from ... import ops
from ...ops.define import P
from ..inner import made_of, told, told_result
from . import activation, rectifier
from .arithmetic import normalise_batch
from .basic import Dense, Dropout, OneHot
from .batch_norm import BatchNorm1d, BatchNorm2d
from .conv import Conv1d, Conv2d, Conv2dTranspose
from .embedding import Embedding, EmbeddingLookup
from .norm import LayerNorm
from .pooling import AvgPool2d, MaxPool2d
from .softmax import LogSoftmax, Softmax, Softmax2d, Softmin


def _by_one(name: str, make, *classes: type) -> None:
    """Layers that are one primitive of one operand."""

    def construct(self, x):
        return getattr(self, name)(x)

    made_of(*classes, **{name: make})(construct)


def _around(*classes: type, **makers) -> None:
    """Layers whose first op takes the operand: they compute as they do, with it as a primitive asks."""
    names = tuple(makers)

    def construct(self, x):
        for name in names:
            (x,) = told(getattr(self, name), x)
        x = type(self).construct(self, x)
        for name in names:
            x = told_result(getattr(self, name), x)
        return x

    made_of(*classes, **makers)(construct)


_by_one("sigmoid", lambda self: ops.Sigmoid(), activation.Sigmoid)
_by_one("tanh", lambda self: ops.Tanh(), activation.Tanh)
_by_one("fast_gelu", lambda self: ops.FastGeLU(), activation.FastGelu)
_by_one("hswish", lambda self: ops.HSwish(), activation.HSwish)
_by_one("hsigmoid", lambda self: ops.HSigmoid(), activation.HSigmoid)
_by_one("softsign", lambda self: ops.Softsign(), activation.Softsign)
_by_one("silu", lambda self: ops.SiLU(), activation.SiLU)
_by_one("relu", lambda self: ops.ReLU(), rectifier.ReLU)
_by_one("relu6", lambda self: ops.ReLU6(), rectifier.ReLU6)
_by_one("selu", lambda self: ops.SeLU(), rectifier.SeLU)
_by_one("softmax", lambda self: ops.Softmax((self.axis,)), Softmax)
_by_one("softmax", lambda self: ops.Softmax(-3), Softmax2d)
_by_one("log_softmax", lambda self: ops.LogSoftmax(self.axis), LogSoftmax)
_around(activation.GELU, gelu=lambda self: ops.GeLU())
_around(rectifier.ELU, elu=lambda self: ops.Elu())
_around(
    Dropout,
    dropout=lambda self: ops.Dropout(self.keep_prob if self.p is None else 1 - self.p),
    dropout_gen_mask=lambda self: ops.DropoutGenMask(),
    dropout_do_mask=lambda self: ops.DropoutDoMask(),
)
_around(MaxPool2d, max_pool=lambda self: ops.MaxPool(self.kernel_size, self.stride))
_around(AvgPool2d, avg_pool=lambda self: ops.AvgPool(self.kernel_size, self.stride))


@made_of(Softmin, softmax=lambda self: ops.Softmax((self.axis,)))
def _(self, x):
    return self.softmax(-x)


@made_of(rectifier.PReLU, prelu=lambda self: ops.PReLU())
def _(self, x):
    return self.prelu(x, self.w)


@made_of(OneHot, onehot=lambda self: ops.OneHot(self.axis))
def _(self, indices):
    return self.onehot(indices, self.depth, self.on_value, self.off_value)


@made_of(
    Dense,
    matmul=lambda self: ops.MatMul(transpose_b=True),
    bias_add=lambda self: ops.BiasAdd(),
    reshape=lambda self: ops.Reshape(),
    shape_op=lambda self: ops.Shape(),
)
def _(self, x):
    lead = x.shape[:-1]
    if len(lead) != 1:
        x = self.reshape(x, (-1, x.shape[-1]))
    x = self.matmul(x, self.weight)
    if self.has_bias:
        x = self.bias_add(x, self.bias)
    if self.activation is not None:
        x = self.activation(x)
    return x if len(lead) == 1 else self.reshape(x, lead + (self.out_channels,))


@made_of(
    LayerNorm,
    layer_norm=lambda self: ops.LayerNorm(
        self.begin_norm_axis, self.begin_params_axis, self.epsilon
    ),
)
def _(self, x):
    return self.layer_norm(x, self.gamma, self.beta)[0]


@made_of(
    Embedding,
    gather=lambda self: ops.Gather(),
    expand=lambda self: ops.ExpandDims(),
    one_hot=lambda self: ops.OneHot(),
    array_mul=lambda self: ops.MatMul(),
)
def _(self, x):
    ids = ops.reshape(self.expand(x, -1), (-1,))
    if self.use_one_hot:
        table = self.embedding_table
        rows = self.array_mul(
            ops.cast(self.one_hot(ids, self.vocab_size, 1, 0), table.dtype), table
        )
    else:
        rows = self.gather(self.embedding_table, ids, 0)
    return ops.reshape(rows, x.shape + (self.embedding_size,))


@made_of(
    EmbeddingLookup,
    gatherv2=lambda self: ops.Gather(),
    embeddinglookup=lambda self: ops.EmbeddingLookup(),
)
def _(self, input_indices):
    of = self.gatherv2 if self.target == "DEVICE" else self.embeddinglookup
    out = of(self.embedding_table, input_indices, 0)
    if self.max_norm is None:
        return out
    norm = ops.sqrt(ops.sum(out * out, -1, True))
    return out * (self.max_norm / ops.maximum(norm, self.max_norm))


def _windows(self) -> dict:
    return {
        "kernel_size": self.kernel_size,
        "pad_mode": self.pad_mode,
        "pad": self.pads,
        "stride": self.stride,
        "dilation": self.dilation,
        "group": self.group,
    }


def _conv2d(self):
    return ops.Conv2D(self.out_channels, data_format=self.data_format, **_windows(self))


def _conv2d_transpose(self):
    return ops.Conv2DTranspose(self.in_channels, **_windows(self))


@made_of(Conv2d, conv2d=_conv2d, bias_add=lambda self: ops.BiasAdd())
def _(self, x):
    out = self.conv2d(x, self.weight)
    return self.bias_add(out, self.bias) if self.has_bias else out


@made_of(
    Conv1d,
    conv2d=_conv2d,
    bias_add=lambda self: ops.BiasAdd(),
    expand_dims=lambda self: ops.ExpandDims(),
    squeeze=lambda self: ops.Squeeze(2),
)
def _(self, x):
    out = self.conv2d(self.expand_dims(x, 2), self.weight)
    if self.has_bias:
        out = self.bias_add(out, self.bias)
    return self.squeeze(out)


@made_of(Conv2dTranspose, conv2d_transpose=_conv2d_transpose, bias_add=lambda self: ops.BiasAdd())
def _(self, x):
    size = (self._out_size(x.shape[2], 0), self._out_size(x.shape[3], 1))
    out = self.conv2d_transpose(x, self.weight, (x.shape[0], self.out_channels) + size)
    return self.bias_add(out, self.bias) if self.has_bias else out


@made_of(
    BatchNorm1d,
    BatchNorm2d,
    bn_train=lambda self: ops.BatchNorm(True, self.eps, self.momentum, self.format),
    bn_infer=lambda self: ops.BatchNorm(False, self.eps, self.momentum, self.format),
)
def _(self, x):
    own = self.training if self.use_batch_statistics is None else self.use_batch_statistics
    held = self.gamma, self.beta, self.moving_mean, self.moving_variance
    if not own:
        x, gamma, beta, mean, variance = told(self.bn_infer, x, *held)
        return P.batch_norm_infer(x, gamma, beta, mean, variance, self.eps)
    x, gamma, beta, mean, variance = told(self.bn_train, x, *held)
    count, add = x.size // self.num_features, 1.0 - self.momentum
    scale = count / (count - 1) if count > 1 else 1.0
    return normalise_batch(
        x,
        gamma,
        beta,
        self.eps,
        self.moving_mean,
        self.moving_variance,
        self.momentum,
        (add, scale * add),
    )
