"""Rows of ops on shapes, positions and order."""

import numpy as np
from rows import FLOATS, INTS, Row, normal, several

from minds.ops import P

EVERY = FLOATS + INTS
A = normal(2, 3, 4)


def _one_hot(i, depth, axis=-1):
    return np.moveaxis((np.arange(depth) == i[..., None]).astype(np.int64) * 5 - 1, -1, axis)


def _scatter_nd(index, updates, shape):
    out = np.zeros(shape, updates.dtype)
    np.add.at(out, tuple(np.moveaxis(index, -1, 0)), updates)
    return out


def _tensor_scatter(how, x, index, updates):
    out = x.copy()
    at = tuple(np.moveaxis(index, -1, 0))
    {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "div": np.divide,
        "max": np.maximum,
        "min": np.minimum,
    }[how].at(out, at, updates)
    return out


def _put(x, index, updates):
    out = x.copy()
    out[tuple(np.moveaxis(index, -1, 0))] = updates
    return out


def _gather_dx(dout, index):
    out = np.zeros((2, 3, 4))
    np.add.at(out, (slice(None), index), dout)
    return out


def _scatter_add_d(x, index, src):
    out = x.copy()
    for i, j in np.ndindex(index.shape):
        out[index[i, j], j] += src[i, j]
    return out


def _slice_dx(dout):
    out = np.zeros((4, 5))
    out[1:4:2, 4:1:-1] = dout
    return out


TWICE = np.array([[0], [2], [0]])  # two updates of one element
ROWS = [
    Row(
        "reshape",
        several(A),
        lambda x: x.reshape(4, 6),
        call=lambda x: P.reshape(x, (4, -1)),
        dtypes=EVERY,
    ),
    Row(
        "transpose",
        several(A),
        lambda x: x.transpose(2, 0, 1),
        call=lambda x: P.transpose(x, (2, 0, -2)),
    ),
    Row(
        "broadcast_to",
        several(normal(3, 1)),
        lambda x: np.broadcast_to(x, (2, 3, 4)),
        call=lambda x: P.broadcast_to(x, (2, -1, 4)),
    ),
    Row(
        "concat",
        several(normal(2, 3), normal(2, 1), normal(2, 2)),
        lambda *x: np.concatenate(x, 1),
        call=lambda *x: P.concat(x, -1),
    ),
    Row(
        "split",
        several(A),
        lambda x: tuple(np.split(x, [1, 3], 2)),
        call=lambda x: P.split(x, (1, 2, 1), -1),
    ),
    Row(
        "pad",
        several(normal(2, 3)),
        lambda x: np.pad(x, ((1, 0), (2, 3)), constant_values=1.5),
        call=lambda x: P.pad(x, ((1, 0), (2, 3)), 1.5),
    ),
    Row("flip", several(A), lambda x: np.flip(x, (0, 2)), call=lambda x: P.flip(x, (0, -1))),
    Row("tril", several(normal(2, 3, 4)), lambda x: np.tril(x, 1), call=lambda x: P.tril(x, 1)),
    Row("triu", several(normal(2, 3, 4)), lambda x: np.triu(x, -1), call=lambda x: P.triu(x, -1)),
    Row(
        "strided_slice",
        several(normal(4, 5)),
        lambda x: x[1:4:2, 4:1:-1],
        call=lambda x: P.strided_slice(x, (1, 4), (4, 1), (2, -1)),
    ),
    Row(
        "strided_slice",
        several(normal(4, 5)),
        lambda x: x[::-1, 2:2],
        call=lambda x: P.strided_slice(x, (3, 2), (-1, 2), (-1, 1)),
        note="empty",
    ),
    Row(
        "strided_slice_dx",
        several(normal(2, 3)),
        _slice_dx,
        call=lambda d: P.strided_slice_dx(d, (4, 5), (1, 4), (4, 1), (2, -1)),
    ),
    Row(
        "gather",
        several(A, np.array([[2, 0], [-1, 1]])),
        lambda x, i: np.take(x, i, 1),
        call=lambda x, i: P.gather(x, i, 1),
    ),
    Row(
        "gather_dx",
        several(normal(2, 4, 4), np.array([2, 0, 2, -1])),
        _gather_dx,
        call=lambda d, i: P.gather_dx(d, i, (2, 3, 4), 1),
    ),
    Row(
        "gather_d",
        several(normal(3, 4), np.array([[0, 2, -1], [1, 1, 0]])),
        lambda x, i: np.take_along_axis(x[:, :3], i, 0),
        call=lambda x, i: P.gather_d(x, 0, i),
    ),
    Row(
        "scatter_add_d",
        several(normal(3, 4), np.array([[0, 2, 2], [0, 1, 0]]), normal(2, 3)),
        _scatter_add_d,
        call=lambda x, i, s: P.scatter_add_d(x, 0, i, s),
    ),
    Row("gather_nd", several(A, np.array([[0, 2], [1, -1]])), lambda x, i: x[i[:, 0], i[:, 1]]),
    Row(
        "scatter_nd",
        several(np.array([[0, 2], [1, 1], [0, 2]]), normal(3, 4)),
        lambda i, u: _scatter_nd(i, u, (2, 3, 4)),
        call=lambda i, u: P.scatter_nd(i, u, (2, 3, 4)),
    ),
    Row(
        "tensor_scatter",
        several(normal(4, 2), np.array([[0], [2]]), normal(2, 2)),
        _put,
        call=lambda x, i, u: P.tensor_scatter(x, i, u, "update"),
        note="update",
    ),
    *[
        Row(
            "tensor_scatter",
            several(normal(4, 2, offset=3), TWICE, normal(3, 2, offset=3)),
            lambda x, i, u, m=m: _tensor_scatter(m, x, i, u),
            call=lambda x, i, u, m=m: P.tensor_scatter(x, i, u, m),
            note=m,
            slack=4,
        )
        for m in ("add", "sub", "mul", "div", "max", "min")
    ],
    Row(
        "one_hot",
        several(np.array([[0, 2], [5, 1]])),
        lambda i: _one_hot(i, 4, 1),
        call=lambda i: P.one_hot(i, 4, 4, -1, 1),
        dtypes=("int64",),
        grad=False,
    ),
    Row(
        "sort",
        several(normal(3, 5)),
        lambda x: (np.sort(x, 0), np.argsort(x, 0)),
        call=lambda x: P.sort(x, 0),
    ),
    Row(
        "sort",
        several(normal(3, 5)),
        lambda x: (-np.sort(-x, 1), np.argsort(-x, 1)),
        call=lambda x: P.sort(x, -1, True),
        note="descending",
        dtypes=("float64",),
    ),
    Row(
        "topk",
        several(normal(3, 5)),
        lambda x: (-np.sort(-x, 1)[:, :2], np.argsort(-x, 1)[:, :2]),
        call=lambda x: P.topk(x, 2),
        dtypes=("float64",),
    ),
    Row(
        "topk",
        several(normal(3, 5)),
        lambda x: (np.sort(x, 0)[:2], np.argsort(x, 0)[:2]),
        call=lambda x: P.topk(x, 2, 0, False),
        note="smallest",
        dtypes=("float64",),
    ),
    Row(
        "full",
        several(),
        lambda: np.full((2, 3), 1.5),
        call=lambda: P.full((2, 3), 1.5, "float64"),
        grad=False,
        dtypes=("float64",),
    ),
    Row(
        "arange",
        several(),
        lambda: np.arange(1, 8, 3),
        call=lambda: P.arange(1, 8, 3, "int64"),
        grad=False,
        dtypes=("int64",),
    ),
    Row(
        "arange",
        several(),
        lambda: np.arange(2.0, -1.0, -0.7),
        call=lambda: P.arange(2.0, -1.0, -0.7, "float64"),
        grad=False,
        dtypes=("float64",),
        note="down",
    ),
    Row(
        "eye",
        several(),
        lambda: np.eye(3, 4),
        call=lambda: P.eye(3, 4, "float64"),
        grad=False,
        dtypes=("float64",),
    ),
]
