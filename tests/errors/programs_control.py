"""Conditions, loops and branches of different types."""

# The programs are wrong on purpose;
# pyproject.toml says what is not checked in them.
from harness import F, K, wrong

from minds import ops


@wrong(
    F(
        3,
    )
)
def truth_of_tensor(x):
    if x > 0:
        return x
    return -x


@wrong(
    F(
        3,
    )
)
def truth_in_while(x):
    while x:
        x = x - 1
    return x


@wrong(
    F(
        3,
    )
)
def truth_with_and(x):
    return x if x > 0 and x < 2 else -x


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def returns_of_different_type(x):
    if x.sum() > 0:
        return x
    return x, x


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def returns_a_pair_on_one_path(x):
    if x.sum() > 0:
        return x
    return x, x


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def conditional_expression(x):
    return x if x.sum() > 0 else (x, x[None])


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def loop_broadcasts_its_variable(x):
    total, left = ops.zeros((1,)), 3.0
    while left > x[0]:
        total, left = total + x, left - 1.0
    return total


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def loop_changes_rank(x):
    while x.sum() < 100:
        x = ops.stack((x, x))
    return x


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def list_grows_in_loop(x):
    out = []
    while x.sum() < 10:
        out.append("step")
        x = x + 1
    return len(out)


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def list_changed_on_one_path(x):
    out = ["a"]
    if x.sum() > 0:
        out.append("b")
    return out[-1]


@wrong(
    F(
        3,
    )
)
def iterate_number(x):
    for v in 3:
        x = x + v
    return x


@wrong(
    F(
        3,
    )
)
def iterate_scalar_tensor(x):
    for v in x.sum():
        x = x + v
    return x


@wrong(
    F(
        3,
    ),
    3,
    modes="graph",
)
def size_at_run_time(x, n):
    return ops.zeros((x.sum().item(), 2))


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def axis_at_run_time(x):
    axis = 0
    while x.sum() < 3:
        x = ops.softmax(x, axis)
        axis = axis + 1
    return x


@wrong(
    F(
        3,
    )
)
def range_step_zero(x):
    for i in range(0, 5, 0):
        x = x + i
    return x
