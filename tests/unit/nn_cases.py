"""What `minds.nn` computes, written so that MindSpore 2.10 runs it too: a case takes the module and
returns NumPy arrays.

`record_nn.py` runs the cases under MindSpore and writes `nn_reference.json`; `test_nn_reference.py`
runs them under minds and compares. A case uses only what both offer.
"""

from __future__ import annotations

import numpy as np

CASES = {}
NOT_AS_MINDSPORE = {
    "activation_SeLU": "its CPU gradient is not that of its forward function",
    "activation_RReLU": "it draws slopes outside of training too",
    "optimiser_04_Momentum": "its CPU kernel ignores use_nesterov",
    "optimiser_12_Adagrad": "its CPU kernel ignores update_slots",
    "optimiser_21_FTRL": "its CPU kernel takes l1 with the wrong sign for negative sums",
    "optimiser_centralised": "it ignores grad_centralization on CPU",
}
"""Cases in which minds does what MindSpore documents and MindSpore does not, and why;
`test_nn_optim` has formulas.
"""


def case(fn):
    """Register a case under its function's name."""
    CASES[fn.__name__] = fn
    return fn


def draw(*shape, seed=0, dtype=np.float32, low=-1.0, high=1.0):
    """Uniform numbers that every machine and module agrees on."""
    return np.random.RandomState(seed).uniform(low, high, shape).astype(dtype)


def fill(net):
    """Give the parameters of ``net`` reproducible values; returns ``net``."""
    for i, p in enumerate(net.get_parameters()):
        if "moving" not in p.name and "mean" not in p.name and "variance" not in p.name:
            p.set_data(type(p.value())(draw(*p.shape, seed=100 + i)))
    return net


def run(ms, net, *inputs, train=True, grads=True, wrt=None):
    """Outputs, gradients of the inputs (those in ``wrt``) and of the weights, and untrained
    parameters after a run.
    """
    inputs = [ms.Tensor(x) for x in inputs]
    net.set_train(train)
    out = net(*inputs)
    outs = list(out) if isinstance(out, (tuple, list)) else [out]
    found = [o.asnumpy() for o in outs]
    weight = ms.Tensor(draw(*found[0].shape, seed=77))
    if grads:
        floats = tuple(
            i for i, x in enumerate(inputs) if x.dtype == ms.float32 and (wrt is None or i in wrt)
        )
        weights = list(net.trainable_params())

        def total(*args):
            result = net(*args)
            result = result[0] if isinstance(result, (tuple, list)) else result
            return (result * weight).sum()

        if not floats:
            d = list(ms.grad(total, None, weights)(*inputs))
        elif weights:
            d = ms.grad(total, floats if len(floats) > 1 else floats[0], weights)(*inputs)
            d = [*(d[0] if len(floats) > 1 else d[:1]), *d[1]]
        else:
            d = ms.grad(total, floats if len(floats) > 1 else floats[0])(*inputs)
            d = list(d) if isinstance(d, tuple) else [d]
        found += [g.asnumpy() for g in d]
    found += [p.asnumpy() for p in net.untrainable_params()]
    return [np.array(a) for a in found]


# ---- layers


@case
def dense(ms):
    return run(ms, fill(ms.nn.Dense(3, 4, activation="tanh")), draw(2, 5, 3))


@case
def dense_without_bias(ms):
    return run(ms, fill(ms.nn.Dense(3, 4, has_bias=False)), draw(2, 3))


@case
def bidense(ms):
    return run(ms, fill(ms.nn.BiDense(3, 4, 5)), draw(2, 3), draw(2, 4, seed=1))


@case
def conv2d_same(ms):
    return run(ms, fill(ms.nn.Conv2d(3, 4, 3, stride=2, has_bias=True)), draw(2, 3, 6, 7))


@case
def conv2d_pad(ms):
    net = ms.nn.Conv2d(
        4, 6, (3, 2), stride=(1, 2), pad_mode="pad", padding=(1, 2, 0, 1), dilation=(2, 1), group=2
    )
    return run(ms, fill(net), draw(2, 4, 7, 6))


@case
def conv2d_valid(ms):
    return run(ms, fill(ms.nn.Conv2d(2, 3, 2, pad_mode="valid")), draw(1, 2, 4, 4))


@case
def conv1d_same(ms):
    return run(ms, fill(ms.nn.Conv1d(3, 4, 4, stride=2, has_bias=True)), draw(2, 3, 9))


@case
def conv2d_transpose_same(ms):
    return run(ms, fill(ms.nn.Conv2dTranspose(3, 4, 3, stride=2, has_bias=True)), draw(2, 3, 4, 5))


@case
def conv2d_transpose_pad(ms):
    net = ms.nn.Conv2dTranspose(
        3, 4, 3, stride=2, pad_mode="pad", padding=1, output_padding=1, has_bias=True
    )
    return run(ms, fill(net), draw(2, 3, 4, 5))


@case
def conv2d_transpose_valid(ms):
    return run(
        ms, fill(ms.nn.Conv2dTranspose(3, 4, 2, stride=3, pad_mode="valid")), draw(2, 3, 4, 5)
    )


@case
def conv1d_transpose(ms):
    return run(
        ms, fill(ms.nn.Conv1dTranspose(3, 4, 4, stride=2, pad_mode="pad", padding=1)), draw(2, 3, 9)
    )


@case
def batch_norm2d_train(ms):
    return run(ms, fill(ms.nn.BatchNorm2d(3)), draw(4, 3, 2, 2))


@case
def batch_norm2d_eval(ms):
    net = ms.nn.BatchNorm2d(3, moving_mean_init="ones", momentum=0.7, eps=1e-3)
    return run(ms, fill(net), draw(4, 3, 2, 2), train=False)


@case
def layer_norm(ms):
    return run(ms, fill(ms.nn.LayerNorm((5,))), draw(2, 3, 5))


@case
def layer_norm_of_images(ms):
    return run(ms, fill(ms.nn.LayerNorm((3, 2, 2), 1, 1)), draw(2, 3, 2, 2))


@case
def group_norm(ms):
    return run(ms, fill(ms.nn.GroupNorm(2, 4)), draw(2, 4, 3, 3))


@case
def max_pool2d(ms):
    return run(ms, ms.nn.MaxPool2d(3, 2), draw(2, 2, 7, 6))


@case
def max_pool2d_same(ms):
    return run(ms, ms.nn.MaxPool2d(3, 2, "same"), draw(2, 2, 6, 6))


@case
def avg_pool2d(ms):
    return run(ms, ms.nn.AvgPool2d((3, 2), 2), draw(2, 2, 7, 6))


@case
def avg_pool2d_same(ms):
    return run(ms, ms.nn.AvgPool2d(3, 2, "same"), draw(2, 2, 6, 6))


@case
def max_pool2d_ceiled(ms):
    return run(ms, ms.nn.MaxPool2d(3, 2, "pad", padding=1, ceil_mode=True), draw(2, 2, 6, 7))


@case
def avg_pool2d_ceiled(ms):
    return run(ms, ms.nn.AvgPool2d(3, 2, "pad", padding=1, ceil_mode=True), draw(2, 2, 6, 7))


@case
def avg_pool2d_padded(ms):
    return run(
        ms, ms.nn.AvgPool2d(3, 2, "pad", padding=1, count_include_pad=False), draw(2, 2, 6, 7)
    )


@case
def max_pool1d(ms):
    return run(ms, ms.nn.MaxPool1d(3, 2), draw(2, 2, 7))


@case
def avg_pool1d(ms):
    return run(ms, ms.nn.AvgPool1d(3, 2), draw(2, 2, 7))


@case
def adaptive_avg_pool2d(ms):
    return run(ms, ms.nn.AdaptiveAvgPool2d((2, 3)), draw(2, 2, 7, 6))


@case
def adaptive_avg_pool2d_even(ms):
    return run(ms, ms.nn.AdaptiveAvgPool2d((2, None)), draw(2, 2, 4, 3))


@case
def adaptive_max_pool2d(ms):
    return run(ms, ms.nn.AdaptiveMaxPool2d((2, 3)), draw(2, 2, 7, 6))


@case
def embedding(ms):
    return run(ms, fill(ms.nn.Embedding(5, 3)), np.array([[0, 4], [2, 2]], np.int32))


@case
def one_hot(ms):
    return run(
        ms, ms.nn.OneHot(depth=4, axis=-1, on_value=2.0), np.array([1, 3], np.int32), grads=False
    )


@case
def flatten(ms):
    return run(ms, ms.nn.Flatten(), draw(2, 3, 4))


@case
def pad_constant(ms):
    return run(ms, ms.nn.Pad(((1, 2), (0, 1))), draw(2, 3))


@case
def pad_reflect(ms):
    return run(ms, ms.nn.Pad(((1, 0), (2, 1)), "REFLECT"), draw(3, 4), grads=False)


@case
def pad_symmetric(ms):
    return run(ms, ms.nn.Pad(((1, 0), (2, 1)), "SYMMETRIC"), draw(3, 4), grads=False)


@case
def constant_pad2d(ms):
    return run(ms, ms.nn.ConstantPad2d((1, -1, 0, 2), 3.5), draw(1, 2, 3, 4))


@case
def reflection_pad1d(ms):
    return run(ms, ms.nn.ReflectionPad1d((2, 1)), draw(1, 2, 4))


@case
def lstm_cell(ms):
    return run(
        ms,
        _Pair(ms, fill(ms.nn.LSTMCell(3, 4))),
        draw(2, 3),
        draw(2, 4, seed=1),
        draw(2, 4, seed=2),
    )


@case
def gru_cell(ms):
    return run(ms, fill(ms.nn.GRUCell(3, 4)), draw(2, 3), draw(2, 4, seed=1))


@case
def rnn_cell(ms):
    return run(ms, fill(ms.nn.RNNCell(3, 4, nonlinearity="relu")), draw(2, 3), draw(2, 4, seed=1))


def _Pair(ms, cell):
    """`LSTMCell` with its state as two inputs."""

    class Pair(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.cell = cell

        def construct(self, x, h, c):
            return self.cell(x, (h, c))

    return Pair()


def _recurrent(ms, make, states):
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.rnn = make()

        def construct(self, x, *states):
            return self.rnn(x, states if len(states) > 1 else states[0])[0]

    net = fill(Net())
    return run(ms, net, draw(5, 2, 3), *states)


@case
def lstm(ms):
    return _recurrent(
        ms,
        lambda: ms.nn.LSTM(3, 4, num_layers=2, bidirectional=True),
        (draw(4, 2, 4, seed=1), draw(4, 2, 4, seed=2)),
    )


@case
def gru(ms):
    return _recurrent(ms, lambda: ms.nn.GRU(3, 4), (draw(1, 2, 4, seed=1),))


@case
def rnn(ms):
    return _recurrent(ms, lambda: ms.nn.RNN(3, 4), (draw(1, 2, 4, seed=1),))


@case
def multihead_attention(ms):
    net = fill(ms.nn.MultiheadAttention(8, 2))

    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.attend = net

        def construct(self, q, k, v):
            return self.attend(q, k, v)

    return run(ms, Net(), draw(3, 2, 8), draw(4, 2, 8, seed=1), draw(4, 2, 8, seed=2), train=False)


# ---- volumes


@case
def conv3d_same(ms):
    return run(
        ms,
        fill(ms.nn.Conv3d(2, 3, (2, 3, 3), stride=(1, 2, 1), has_bias=True)),
        draw(2, 2, 4, 5, 4),
    )


@case
def conv3d_pad(ms):
    net = ms.nn.Conv3d(
        2, 4, 2, stride=2, pad_mode="pad", padding=(1, 0, 1, 1, 0, 1), dilation=1, group=1
    )
    return run(ms, fill(net), draw(1, 2, 4, 5, 4))


@case
def max_pool3d(ms):
    return run(ms, ms.nn.MaxPool3d((2, 3, 2), (2, 1, 2)), draw(2, 2, 4, 5, 4))


@case
def max_pool3d_indices(ms):
    return run(
        ms, ms.nn.MaxPool3d(2, 2, "pad", 1, return_indices=True), draw(1, 2, 4, 5, 4), grads=False
    )


@case
def avg_pool3d(ms):
    return run(ms, ms.nn.AvgPool3d((2, 3, 2), (2, 1, 2)), draw(2, 2, 4, 5, 4))


@case
def avg_pool3d_pad(ms):
    return run(ms, ms.nn.AvgPool3d(2, 2, "pad", 1, count_include_pad=False), draw(1, 2, 4, 5, 4))


# ---- whole blocks


@case
def batch_norm1d(ms):
    return run(ms, fill(ms.nn.BatchNorm1d(3)), draw(6, 3))


@case
def batch_norm3d(ms):
    return run(ms, fill(ms.nn.BatchNorm3d(2)), draw(3, 2, 2, 2, 2))


@case
def transformer_encoder_layer(ms):
    return run(ms, fill(ms.nn.TransformerEncoderLayer(8, 2, 12, 0.0)), draw(4, 2, 8))


@case
def transformer_encoder_layer_norm_first(ms):
    return run(
        ms,
        fill(
            ms.nn.TransformerEncoderLayer(8, 2, 12, 0.0, "gelu", norm_first=True, batch_first=True)
        ),
        draw(2, 4, 8),
    )


@case
def transformer_decoder_layer(ms):
    return run(
        ms, fill(ms.nn.TransformerDecoderLayer(8, 2, 12, 0.0)), draw(3, 2, 8), draw(4, 2, 8, seed=1)
    )


@case
def transformer(ms):
    return run(
        ms, fill(ms.nn.Transformer(8, 2, 1, 1, 12, 0.0)), draw(4, 2, 8), draw(3, 2, 8, seed=1)
    )


@case
def multihead_attention_masked(ms):
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.attend = ms.nn.MultiheadAttention(6, 2, kdim=5, vdim=4, batch_first=True)
            self.mask = ms.Tensor(np.triu(np.ones((3, 4), bool), 2))
            self.padding = ms.Tensor(
                np.array([[False, False, False, True], [False, True, False, False]])
            )

        def construct(self, q, k, v):
            return self.attend(q, k, v, key_padding_mask=self.padding, attn_mask=self.mask)

    return run(
        ms, fill(Net()), draw(2, 3, 6), draw(2, 4, 5, seed=1), draw(2, 4, 4, seed=2), train=False
    )


@case
def lstm_of_lengths(ms):
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.rnn = ms.nn.LSTM(3, 4, bidirectional=True, batch_first=True)

        def construct(self, x, lengths):
            out, (h, c) = self.rnn(x, None, lengths)
            return out, h, c

    return run(ms, fill(Net()), draw(2, 5, 3), np.array([5, 3], np.int32))


@case
def conv2d_bn_act(ms):
    net = ms.nn.Conv2dBnAct(2, 3, 3, has_bn=True, activation="relu")
    return run(ms, fill(net), draw(2, 2, 4, 4))


@case
def dense_bn_act(ms):
    return run(ms, fill(ms.nn.DenseBnAct(3, 4, has_bn=True, activation="sigmoid")), draw(5, 3))


@case
def max_unpool2d(ms):
    index = np.array([[[[5, 3], [10, 12]]]], np.int64)
    return run(ms, ms.nn.MaxUnpool2d(2, 2), draw(1, 1, 2, 2), index, wrt=(0,))


@case
def time_distributed(ms):
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.over = ms.nn.TimeDistributed(
                fill(ms.nn.Dense(3, 4)), time_axis=1, reshape_with_axis=0
            )

        def construct(self, x):
            return self.over(x)

    return run(ms, Net(), draw(2, 5, 3))
