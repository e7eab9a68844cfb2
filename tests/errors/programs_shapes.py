"""Shapes that do not fit, axes and sizes that do not exist."""

from harness import F, I, wrong

import minds as ms
from minds import nn, ops


@wrong(F(32, 512), F(10, 512))
def matmul_inner(x, w):
    return ops.matmul(x, w)


@wrong(F(4, 5), F(4, 5))
def matmul_operator(x, w):
    y = x * 2
    return y @ w


@wrong(
    F(2, 3),
    F(
        4,
    ),
)
def add_broadcast(x, b):
    return x * 2 + b


@wrong(F(2, 3), F(2, 4))
def maximum_broadcast(x, y):
    return ops.maximum(x, y)


@wrong(F(2, 3), F(3, 4))
def concat_sizes(x, y):
    return ops.concat((x, y), 1)


@wrong(F(2, 3), F(2, 4))
def stack_shapes(x, y):
    return ops.stack((x, y))


@wrong(F(2, 3))
def reshape_elements(x):
    return x.reshape(4, 2)


@wrong(F(2, 3))
def reshape_two_unknown(x):
    return ops.reshape(x, (-1, -1))


@wrong(F(2, 3))
def sum_axis(x):
    return x.sum(axis=2)


@wrong(F(2, 3))
def softmax_axis(x):
    return ops.softmax(x, axis=-3)


@wrong(F(2, 3))
def transpose_perm(x):
    return ops.transpose(x, (0, 0))


@wrong(F(2, 3))
def squeeze_axis(x):
    return ops.squeeze(x, 4)


@wrong(F(2, 3))
def expand_dims_axis(x):
    return ops.expand_dims(x, 4)


@wrong(F(5, 2))
def split_sizes(x):
    return ops.split(x, (2, 2), 0)


@wrong(F(2, 3))
def broadcast_to_shape(x):
    return ops.broadcast_to(x, (4, 3))


@wrong(F(2, 3), F(2, 3))
def where_condition_shape(x, y):
    return ops.where(ops.ones((4,), ms.bool_), x, y)


@wrong()
def zeros_negative():
    return ops.zeros((2, -3))


@wrong()
def ones_huge():
    return ops.ones((2**40, 2**40))


@wrong(F(2, 3))
def tile_negative(x):
    return ops.tile(x, (-1, 2))


@wrong(F(2, 3, 8, 8), F(4, 5, 3, 3))
def conv_channels(x, w):
    return ops.conv2d(x, w)


@wrong(F(3, 8, 8))
class ConvRank(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, weight_init="ones")

    def construct(self, x):
        return self.conv(x)


@wrong(F(2, 1, 28, 28))
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.fc = nn.Dense(6 * 14 * 14, 10)

    def construct(self, x):
        x = self.pool(ops.relu(self.conv(x)))
        return self.head(x)

    def head(self, x):
        return self.fc(self.flatten(x))


@wrong(F(2, 3, 8, 8))
class BatchNormChannels(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(4)

    def construct(self, x):
        return self.norm(x)


@wrong(F(2, 3, 4, 4))
def pool_window(x):
    return ops.max_pool2d(x, 5)


@wrong(F(4, 3), I(0, 1))
def cross_entropy_labels(logits, labels):
    return ops.cross_entropy(logits, labels)


@wrong(F(4, 3), F(4, 2))
class MseShapes(nn.Cell):
    def __init__(self):
        super().__init__()
        self.loss = nn.MSELoss()

    def construct(self, x, y):
        return self.loss(x, y)
