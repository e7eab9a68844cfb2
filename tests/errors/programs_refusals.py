"""What compiled code refuses: operands that do not fit, numbers out of range, values that must be known."""

# The programs are wrong on purpose;
# pyproject.toml says what is not checked in them.
import math

import numpy as np
from harness import F, K, wrong

import minds as ms
from minds import Tensor, ops


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def dict_key_at_run_time(x):
    d = {}
    i = x.sum()
    while i < 3:
        d[i.item()] = x
        i = i + 1
    return d


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def list_as_key(x):
    return {[1]: x}


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def set_element_at_run_time(x):
    return len({x.sum().item(), 2})


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def filter_by_data(x):
    return list(filter(lambda v: v > 0, x))


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def slice_bound_at_run_time(x):
    k = x.sum().astype("int32").item()
    return ["a", 1, None][:k]


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def string_repeated_by_data(x):
    return ops.softmax(x, axis=len("a" * x.sum().astype("int32").item()))


@wrong(
    F(
        3,
    ),
    2.5,
    modes="graph",
)
def float_as_range(x, p):
    for i in range(p):
        x = x + i
    return x


@wrong(
    F(
        3,
    ),
    2.5,
    modes="graph",
)
def float_as_index(x, p):
    return (1, 2, 3)[p]


@wrong(
    F(
        3,
    ),
    2.5,
    modes="graph",
)
def bits_of_a_float(x, p):
    return p & 1


@wrong(
    F(
        3,
    ),
    2.5,
    modes="graph",
)
def inverted_float(x, p):
    return ~p


@wrong(
    F(
        3,
    ),
    K(2),
    modes="graph",
)
def int_to_a_run_time_power(x, n):
    k = 0
    while k < n:
        k = k + 2**k
    return k


@wrong(
    F(
        3,
    ),
    2,
    modes="graph",
)
def number_plus_list(x, n):
    return [1, 2] + n


@wrong(
    F(
        3,
    ),
    2,
    modes="graph",
)
def number_plus_string(x, n):
    return "a" + n


@wrong(
    F(
        3,
    ),
    2,
    modes="graph",
)
def number_is_called(x, n):
    return n(x)


@wrong(
    F(
        3,
    ),
    2,
    modes="graph",
)
def number_is_indexed(x, n):
    return n[0]


@wrong(
    F(
        3,
    ),
    2,
    modes="graph",
)
def number_is_unpacked(x, n):
    a, b = n
    return a


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def starred_too_short(x):
    a, *b, c = (x,)
    return a


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def compared_with_a_string(x):
    return "abc" < x


@wrong(
    F(
        3,
    ),
    0.0,
    modes="graph",
)
def float_division_by_zero(x, p):
    return x * (1.0 / p)


@wrong(
    F(
        3,
    ),
    0.0,
    modes="graph",
)
def float_modulo_by_zero(x, p):
    return divmod(1.0, p)


@wrong(
    F(
        3,
    ),
    -1.0,
    modes="graph",
)
def root_of_a_negative_number(x, p):
    return math.sqrt(p)


@wrong(
    F(
        3,
    ),
    0.0,
    modes="graph",
)
def logarithm_of_zero(x, p):
    return math.log(p)


@wrong(
    F(
        3,
    ),
    1000.0,
    modes="graph",
)
def exponential_out_of_range(x, p):
    return math.exp(p)


@wrong(
    F(
        3,
    ),
    math.nan,
    modes="graph",
)
def int_of_nan(x, p):
    return int(p)


@wrong(
    F(
        3,
    ),
    math.inf,
    modes="graph",
)
def floor_of_infinity(x, p):
    return math.floor(p)


@wrong(
    F(
        3,
    ),
    2**62,
    modes="graph",
)
def int_out_of_64_bits(x, n):
    return n * 4


@wrong(
    F(
        3,
    ),
    -2,
    modes="graph",
)
def negative_shift(x, n):
    return 1 << n


@wrong(
    F(
        3,
    ),
    -8.0,
    modes="graph",
)
def complex_power(x, p):
    return p**0.5


@wrong(
    F(
        3,
    ),
    F(2, 3),
    modes="graph",
)
def mask_of_another_shape(x, y):
    x[y > 0] = 0.0
    return x


@wrong(F(3, 2), Tensor([True, True, False]), modes="graph")
def masks_of_other_sizes(x, m):
    yes = x[m]
    no = x[~m]
    return yes * no


@wrong(
    F(
        3,
    ),
    F(
        2,
    ),
    modes="graph",
)
def mask_with_another_number_of_values(x, v):
    y = x * 1
    y[x > 1000] = v
    return y


@wrong(F(3, 4))
def index_tensors_that_do_not_fit(x):
    return x[Tensor([0, 1, 2]), Tensor([0, 1])]


@wrong(
    F(
        3,
    )
)
def two_ellipses(x):
    return x[..., ...]


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def numpy_of_data(x):
    return np.nonzero(x)


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def random_of_numpy(x):
    return x + Tensor(np.random.rand(3))


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def format_as_argument(x):
    return getattr(ops, f"{x.sum()}")(x)


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def deleted_twice(x):
    y = x + 1
    del y
    del y
    return x


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def with_in_a_loop(x):
    for _ in range(3):
        with open("log.txt"):
            x = x + 1
    return x


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def caught_outside_of_a_derivative(x):
    y, scale = x, 2.0
    try:
        y = ms.grad(lambda v: v.sum() if v[0] < 9.0 else [v][1])(x)
    except IndexError:
        scale = 3.0

    return y * scale
