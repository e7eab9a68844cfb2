"""Operands of a wrong type."""

from harness import F, I, K, wrong

import minds as ms
from minds import ops


@wrong(
    F(2, 3),
    F(
        3,
    ),
)
def gather_float_indices(x, i):
    return ops.gather(x, i, 0)


@wrong(I(1, 2, 3))
def softmax_of_ints(x):
    return ops.softmax(x)


@wrong(
    F(
        3,
    )
)
def shift_of_floats(x):
    return x << 1


@wrong(F(2, 3))
def add_string(x):
    return x + "bias"


@wrong(F(2, 3))
def add_none(x, bias=None):
    return x + bias


@wrong(F(2, 3))
def multiply_by_function(x):
    return x * ops.relu


@wrong(F(2, 3))
def matmul_number(x):
    return x @ 2.0


@wrong(F(2, 3))
def cast_unknown(x):
    return x.astype("float99")


@wrong(F(2, 3))
def sum_axis_string(x):
    return x.sum(axis="rows")


@wrong(F(2, 3))
def reshape_float_size(x):
    return x.reshape(3.0, 2)


@wrong(F(2, 3))
def relu_none(x):
    return ops.relu(None)


@wrong(F(2, 3))
def concat_of_tensor(x):
    return ops.concat(3, 0)


@wrong(F(2, 3))
def index_float(x):
    return x[0.5]


@wrong(F(2, 3))
def one_hot_float(x):
    return ops.one_hot(x, 3)


@wrong(
    F(4, 3),
    F(
        4,
    ),
)
def nll_float_labels(logits, labels):
    return ops.nll_loss(ops.log_softmax(logits), labels)


@wrong(F(2, 3), I(1, 2).astype(ms.int8), modes="graph eager")
def conv_rank_and_dtype(x, w):
    return ops.conv2d(x, w)


@wrong(I([[1, 2], [3, 4]]).astype(ms.uint8))
def sqrt_kernel_dtype(x):
    return ops.layer_norm(x, (2,))


@wrong(2, 0.5, modes="graph")
def bits_of_run_time_float(n, p):
    return n & p


@wrong(K(3), modes="graph")
def run_time_power(n):
    return 2 ** int(n)


@wrong(
    F(
        3,
    ),
    1.5,
    modes="graph eager",
)
def range_of_float(x, n):
    for _ in range(n):
        x = x + 1
    return x
