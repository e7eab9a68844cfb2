"""Calls with wrong arguments, and of what cannot be called."""
# The programs are wrong on purpose;
# pyproject.toml says what is not checked in them.

import time

import numpy as np
from harness import F, K, wrong

from minds import float32, grad, host, nn, ops


def scaled(x, factor):
    return x * factor


def scaled_by_shape(x, y):
    return deeper(x, y)


def deeper(x, y):
    return ops.matmul(x, y)


@wrong(
    F(
        3,
    )
)
def missing_argument(x):
    return scaled(x)


@wrong(
    F(
        3,
    )
)
def surplus_argument(x):
    return scaled(x, 2, 3)


@wrong(
    F(
        3,
    )
)
def unknown_keyword(x):
    return scaled(x, factr=2)


@wrong(
    F(
        3,
    )
)
def doubled_argument(x):
    return scaled(x, 2, factor=3)


@wrong(
    F(
        3,
    )
)
def op_missing_argument(x):
    return ops.matmul(x)


@wrong(
    F(
        3,
    )
)
def op_unknown_keyword(x):
    return ops.softmax(x, dim=0)


@wrong(
    F(
        3,
    )
)
def method_unknown_keyword(x):
    return x.sum(dims=0)


@wrong(
    F(
        3,
    ),
    F(
        3,
    ),
)
class ConstructArguments(nn.Cell):
    def construct(self, x):
        return x


@wrong(
    F(
        3,
    )
)
class InnerCellArguments(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 4)

    def construct(self, x):
        return self.fc(x, x)


@wrong(
    F(
        3,
    )
)
def call_of_tensor(x):
    return x(0)


@wrong(
    F(
        3,
    )
)
def call_of_number(x):
    scale = 2
    return scale(x)


@wrong(
    F(
        3,
    )
)
def call_of_none(x, activation=None):
    return activation(x)


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def numpy_function(x):
    return np.unique(x)


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def library_function(x):
    return x * time.perf_counter()


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def builtin_function(x):
    return open("weights.bin")


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def asnumpy(x):
    a = x.asnumpy()
    a += 1
    return a


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def bytes_of_data(x):
    return x.get_bytes()


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def object_made_inside(x):
    return nn.Dense(3, 4)(x)


@wrong(F(2, 3), F(2, 3))
def call_chain(x, y):
    z = scaled(x, 2)
    return scaled_by_shape(z, y)


@wrong(F(2, 3))
def recursion_without_end(x):
    return recursion_without_end(x) + 1


def again(x, n):
    return again(x, n + 1)


@wrong(F(2, 3), modes="graph")
def recursion_over_growing_number(x):
    return again(x, 0)


@wrong(F(2, 3))
def star_argument(x):
    return scaled(*x.shape, 1, 2)


@wrong(F(2, 3))
def double_star_argument(x):
    return scaled(x, **[1])


@wrong(
    F(
        3,
    )
)
def lambda_arguments(x):
    f = lambda a, b: a + b
    return f(x)


CHOICES = (ops.sin, ops.cos)


@wrong(
    F(
        3,
    ),
    2,
)
def function_index_out_of_range(x, n):
    return CHOICES[n](x)


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def function_returned(x):
    return lambda v: v * x


@wrong(
    F(
        3,
    ),
    K(5),
    modes="graph",
)
def function_wrapped_in_a_loop(x, n):
    def wrapped(f):
        return lambda v: f(v) * 0.5

    f = ops.sin
    while n > 0:
        f, n = wrapped(f), n - 1
    return f(x).sum() + f(x[:2]).sum()


@wrong(
    F(
        3,
    )
)
def scan_without_a_pair(x):
    return ops.scan(lambda carry, e: carry, x.sum(), x)


@wrong(
    F(
        3,
    )
)
def promise_of_a_host_function_broken(x):
    return HALF_OF(x) + 1.0


@wrong(
    F(
        3,
    )
)
def host_function_without_a_gradient(x):
    return grad(lambda v: WHOLE(v).sum())(x)


HALF_OF = host(lambda x: x.asnumpy()[:1], out=((3,), float32))
WHOLE = host(lambda x: x.asnumpy(), out=lambda x: x)
