"""Indices, keys, unpacking."""

from collections import namedtuple

from harness import F, I, wrong

from minds import ops

Pair = namedtuple("Pair", "left right")


@wrong(F(2, 3))
def index_of_tensor(x):
    return x[2]


@wrong(F(2, 3))
def too_many_indices(x):
    return x[0, 1, 2]


@wrong(F(2, 3))
def index_string(x):
    return x["rows"]


@wrong(F(2, 3))
def index_of_list(x):
    values = [x, x]
    return values[2]


@wrong(F(2, 3))
def index_of_shape(x):
    return x.shape[2]


@wrong(F(2, 3))
def missing_key(x):
    weights = {"left": x, "right": x}
    return weights["middle"]


@wrong(F(2, 3))
def unpack_too_few(x):
    a, b, c = x.shape
    return a + b + c


@wrong(F(2, 3))
def unpack_too_many(x):
    a, b = x, x, x
    return a + b


@wrong(F(2, 3))
def unpack_tensor_rows(x):
    a, b, c = x
    return a + b + c


@wrong(F(2, 3))
def pop_of_empty(x):
    values = [x]
    values.pop()
    values.pop()
    return x


@wrong(F(2, 3))
def tuple_item_assignment(x):
    values = (x, x)
    values[0] = x + 1
    return values


@wrong(F(2, 3))
def named_tuple_field(x):
    pair = Pair(x, x + 1)
    return pair.middle


@wrong(F(2, 3), modes="graph")
def list_index_at_run_time(x):
    values = [x, x.sum()]
    i = x.argmax()
    return values[i]


@wrong(F(2, 3), modes="graph")
def a_list_of_a_found_size(x):
    return ops.unstack(x[x > 0])


@wrong(F(2, 3))
def list_remove_missing(x):
    values = [1, 2]
    values.remove(3)
    return x * values[0]


@wrong(F(2, 3))
def zip_strict(x):
    return [a + b for a, b in zip([x, x], [x], strict=True)]


@wrong(F(2, 3))
def length_of_number(x):
    return x * len(3)


@wrong(F(2, 3))
def length_of_scalar_tensor(x):
    return x * len(x.sum())


@wrong(F(2, 3))
def maximum_of_nothing(x):
    return x * max([])


@wrong(F(2, 3))
def slice_step_zero(x):
    return ops.relu(x[::0])
