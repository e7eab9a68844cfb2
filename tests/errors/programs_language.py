"""Statements and expressions that are not compiled. All of them run eagerly."""

from harness import F, wrong

from minds import nn, ops


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def context_that_is_no_object(x):
    y = x
    with x:
        y = x / 0
    return y


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def with_statement(x):
    with open("log.txt") as f:
        f.write("x")
    return x


@wrong(
    F(
        3,
    ),
    modes="graph",
)
async def async_function(x):
    return x


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def async_inside(x):
    async def f(v):
        return await v

    return f(x)


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def match_statement(x):
    match x.ndim:
        case int(a, b):
            return x
        case _:
            return x.sum()


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def delete_attribute(x):
    del x.name
    return x


@wrong(
    F(
        3,
    ),
    modes="graph",
)
class SetsAttribute(nn.Cell):
    """A condition decides whether the attribute exists."""

    def construct(self, x):
        maximum = x.max()
        if x.sum() > 0:
            self.largest = maximum
        return x * maximum


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def raise_again(x):
    if x.sum() > -1:
        raise
    return x


@wrong(
    F(
        3,
    ),
    0.5,
    modes="graph",
)
def f_string_of_run_time_value(x, p):
    return ops.softmax(x, axis=f"{x.sum()}")


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def comprehension_of_unknown_length(x):
    return {i: v for i, v in enumerate(x) if v > 0}


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def set_of_tensors(x):
    return {x.sum(), x.mean()}


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def unpack_run_time_number(x):
    a, b = x.sum().item()
    return a + b


made = eval("lambda x: x + 1")


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def source_cannot_be_read(x):
    return made(x)
