"""Misuse of parameters."""

# The programs are wrong on purpose;
# pyproject.toml says what is not checked in them.
from harness import F, I, wrong

import minds as ms
from minds import Parameter, nn, ops

weight = Parameter(F(2, 3), name="weight")
count = Parameter(I(1, 2), name="count")


@wrong(
    F(
        4,
    ),
    modes="eager",
)
def set_data_shape(x):
    weight.set_data(x)


@wrong(
    F(
        3,
    ),
    modes="eager",
)
def set_data_type(x):
    weight.set_data("zeros")


@wrong(
    F(
        4,
    )
)
def assign_shape(x):
    return ops.assign(weight, x)


@wrong(
    F(
        2,
    )
)
def assign_dtype(x):
    return ops.assign(count, x)


@wrong(F(2, 3))
def assign_to_number(x):
    return ops.assign(1.0, x + 1)


@wrong(
    F(
        4,
    )
)
def assign_add_shape(x):
    return ops.assign_add(weight, x)


@wrong(
    F(
        4,
    )
)
class AttributeShape(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(
            F(
                3,
            ),
            name="w",
        )

    def construct(self, x):
        self.w = x
        return self.w


@wrong(modes="eager")
def parameter_name_type():
    return Parameter(
        F(
            3,
        ),
        name=3,
    )


@wrong(modes="eager")
def parameter_of_none():
    return Parameter(None, name="w")


@wrong(modes="eager")
def parameter_before_init():
    class Early(nn.Cell):
        def __init__(self):
            self.w = Parameter(
                F(
                    3,
                ),
                name="w",
            )

    return Early()


@wrong(modes="eager")
def cell_before_init():
    class Early(nn.Cell):
        def __init__(self):
            self.fc = nn.Dense(3, 4)

    return Early()


@wrong(modes="eager")
def tensor_of_object():
    return ms.Tensor([object()])


@wrong(modes="eager")
def tensor_of_ragged_list():
    return ms.Tensor([[1, 2], [3]])


@wrong(modes="eager")
def tensor_dtype():
    return ms.Tensor([1, 2], "int3")


@wrong(
    F(2, 3),
    F(
        4,
    ),
)
def set_item_shape(x, row):
    x[0] = row
    return x


@wrong(F(2, 3), modes="graph")
def set_data_inside(x):
    weight.set_data(x)
    return weight


@wrong(F(2, 3), modes="graph")
def parameter_made_inside(x):
    w = Parameter(x, name="w")
    return w


@wrong(modes="eager")
def initializer_name():
    return ms.common.initializer.initializer("gaussian", (2, 3)).init_data()


@wrong(modes="eager")
def dense_weight_init_shape():
    return nn.Dense(3, 4, weight_init=F(3, 4))
