"""Names and attributes that do not exist."""

# The programs are wrong on purpose;
# pyproject.toml says what is not checked in them.
from harness import F, wrong

from minds import nn, ops


@wrong(
    F(
        3,
    )
)
def undefined_name(x):
    return x + bais


@wrong(
    F(
        3,
    )
)
def unbound_local(x):
    y = x + z
    z = 1
    return y + z


@wrong(
    F(
        3,
    )
)
def assigned_on_one_path(x):
    if x.sum() > 100:
        y = x * 2
    return y


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def assigned_in_loop_only(x):
    while x.sum() > 100:
        y = x * 2
        x = x + 1
    return y


@wrong(
    F(
        3,
    )
)
def deleted(x):
    y = x + 1
    del y
    return y


@wrong(
    F(
        3,
    )
)
def tensor_attribute(x):
    return x.relux()


@wrong(
    F(
        3,
    )
)
def module_attribute(x):
    return ops.softmaxx(x)


@wrong(
    F(
        3,
    )
)
class CellAttribute(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 4)

    def construct(self, x):
        return self.fc1(x)


@wrong(
    F(
        3,
    )
)
def shape_attribute(x):
    return x.shape.rank


@wrong(
    F(
        3,
    )
)
def list_attribute(x):
    values = [x]
    values.push(x)
    return values


@wrong(
    F(
        3,
    )
)
def number_attribute(x):
    n = 3
    return x * n.value


@wrong(
    F(
        3,
    ),
    2,
    modes="graph",
)
def run_time_number_attribute(x, n):
    return x * n.value


@wrong(
    F(
        3,
    )
)
def free_name_without_value(x):
    def inner(v):
        return v + later

    y = inner(x)
    later = 1
    return y + later


@wrong(
    F(
        3,
    ),
    F(
        4,
    ),
)
def größe(x, y):
    änderung = "ä" and (x + y)
    return änderung


@wrong(
    F(
        3,
    )
)
def assigned_on_the_other_path(x):
    if x.sum() < 100:
        x = x + 1
    else:
        y = x * 2
    return y
