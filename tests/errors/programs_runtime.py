"""What is found only while the program runs."""

# The programs are wrong on purpose;
# pyproject.toml says what is not checked in them.
from harness import F, I, wrong

from minds import ops


@wrong(F(3, 2), I(0, 3))
def gather_out_of_range(x, i):
    y = ops.gather(x, i, 0)
    return y * 2


@wrong(F(3, 2), I(5))
def tensor_index_out_of_range(x, i):
    return x[i]


@wrong(F(2, 3), I(0, 3))
def class_id_out_of_range(logits, labels):
    return ops.cross_entropy(logits, labels)


@wrong(F(2, 3), I(0, -1))
def class_id_negative(logits, labels):
    return ops.nll_loss(ops.log_softmax(logits), labels)


@wrong(7, 0)
def integer_division_by_zero(a, b):
    return a // b


@wrong(7, 0)
def modulo_by_zero(a, b):
    return a % b


@wrong(I(1, 2), I(1, 0), modes="graph")
def tensor_division_by_zero(a, b):
    return a // b


@wrong(
    F(
        3,
    )
)
def raises(x):
    if x.sum() > -1:
        raise ValueError("the sum must be negative")
    return x


@wrong(
    F(
        3,
    )
)
def raises_always(x):
    raise NotImplementedError("a later version")


@wrong(
    F(
        3,
    )
)
def asserts(x):
    assert x.sum() < 0, "the sum must be negative"
    return x


@wrong(
    F(
        3,
    )
)
def asserts_shape(x):
    assert x.shape == (4,), "a vector of 4"
    return x


@wrong(
    F(
        3,
    )
)
def raises_no_exception(x):
    raise "wrong"


def countdown(x, n):
    if n < 0.5:
        return x
    return countdown(x, n + 1) * 2


@wrong(
    F(
        3,
    ),
    1.0,
    modes="graph",
)
def recursion_at_run_time(x, n):
    return countdown(x, n)


@wrong(F(2, 3), I(0, 5))
def scatter_out_of_range(x, i):
    return ops.tensor_scatter_update(x, ops.expand_dims(i, 1), x * 2)


@wrong(F(2, 3), I([0, 1], [2, 9]))
def gather_elements_out_of_range(x, i):
    return ops.gather_d(x, 1, i)


@wrong(F(3, 2), I(4), modes="graph")
def in_called_function(x, i):
    y = ops.relu(x)
    return pick(y, i)


def pick(table, i):
    return table[i] + 1


@wrong(2**70, modes="graph")
def int_too_large(n):
    return n + 1
