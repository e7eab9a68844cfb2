"""Batches that do not fit."""

from harness import F, wrong

import minds as ms
from minds import nn, ops


@wrong(F(4, 3), F(5, 3))
def batch_lengths(x, y):
    return ms.vmap(ops.add)(x, y)


@wrong(F(4, 3))
def batch_axis(x):
    return ms.vmap(ops.sin, in_axes=2)(x)


@wrong(F(4, 3))
def batch_axis_of_result(x):
    return ms.vmap(lambda r: r.sum(), out_axes=1)(x)


@wrong(F(4, 3))
def batch_axis_type(x):
    return ms.vmap(ops.sin, in_axes="rows")(x)


@wrong(F(4, 3), F(4, 3))
def batch_axes_count(x, y):
    return ms.vmap(ops.add, in_axes=(0, 0, None))(x, y)


@wrong(F(4, 3), F(4, 3))
def batch_axes_structure(x, y):
    return ms.vmap(lambda pair: pair[0] + pair[1], in_axes=((0, 0, 0),))((x, y))


@wrong(F(4, 3))
def batch_of_nothing(x):
    return ms.vmap(ops.sin, in_axes=None)(x)


@wrong(F(4, 3))
def batch_of_number(x):
    return ms.vmap(ops.mul)(x, 2.0)


@wrong(F(0, 3))
def batch_is_empty(x):
    return ms.vmap(ops.sin)(x)


@wrong(F(4, 3))
def batch_of_no_function(x):
    return ms.vmap(x)(x)


@wrong(F(4, 3))
def wrong_inside_batch(x):
    return ms.vmap(lambda r: ops.matmul(r, ops.ones((2, 2))))(x)


class CellsForExamples(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cells = nn.CellList([nn.Dense(3, 2) for _ in range(2)])

    def construct(self, x):
        return ms.vmap(self.cells)(x)


wrong(F(4, 3))(CellsForExamples)


@wrong(F(4, 3))
def result_shared_by_none(x):
    return ms.vmap(lambda r: r * 2.0, out_axes=None)(x)


@wrong(F(4, 3))
def batch_without_axis(x):
    return ms.vmap(lambda r, k: r * k)(x, x.sum())
