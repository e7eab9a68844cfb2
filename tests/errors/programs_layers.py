"""Cells made with wrong arguments."""

from harness import F, wrong

from minds import nn, ops


@wrong(modes="eager")
def conv_pad_mode():
    return nn.Conv2d(3, 4, 3, pad_mode="full")


@wrong(modes="eager")
def conv_padding_with_same():
    return nn.Conv2d(3, 4, 3, pad_mode="same", padding=1)


@wrong(modes="eager")
def conv_kernel_zero():
    return nn.Conv2d(3, 4, 0)


@wrong(modes="eager")
def conv_stride_zero():
    return nn.Conv2d(3, 4, 3, stride=0)


@wrong(modes="eager")
def conv_group():
    return nn.Conv2d(3, 4, 3, group=2)


@wrong(modes="eager")
def conv_channels_type():
    return nn.Conv2d("3", 4, 3)


@wrong(modes="eager")
def dense_negative():
    return nn.Dense(3, -4)


@wrong(modes="eager")
def dense_type():
    return nn.Dense(3.5, 4)


@wrong(modes="eager")
def dense_activation():
    return nn.Dense(3, 4, activation="swoosh")


@wrong(modes="eager")
def dropout_rate():
    return nn.Dropout(p=1.5)


@wrong(modes="eager")
def batch_norm_momentum():
    return nn.BatchNorm2d(3, momentum=2)


@wrong(modes="eager")
def pool_mode():
    return nn.MaxPool2d(2, pad_mode="full")


@wrong(modes="eager")
def sequential_of_number():
    return nn.SequentialCell([nn.Dense(3, 4), 5])


@wrong(modes="eager")
def cell_list_of_function():
    return nn.CellList([ops.relu])


@wrong(modes="eager")
def loss_reduction():
    return nn.MSELoss(reduction="total")


@wrong(F(2, 3))
class NoConstruct(nn.Cell):
    pass


@wrong(F(2, 4))
class DenseInput(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(9, 2))

    def construct(self, x):
        return self.body(x)


@wrong(F(2, 3, 4, 4), F(4, 3, 5, 5))
def conv_window_too_large(x, w):
    return ops.conv2d(x, w)


@wrong(modes="eager")
def embedding_size():
    return nn.Embedding(0, 4)


@wrong(modes="eager")
def layer_norm_shape():
    return nn.LayerNorm(3)


LAYERS = nn.CellList([nn.ReLU()])


@wrong(modes="graph")
def cells_added_in_compiled_code():
    LAYERS.append(nn.Tanh())
