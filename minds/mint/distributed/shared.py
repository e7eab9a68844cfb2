"""What the functions of this package share."""

from __future__ import annotations

import pickle

import numpy as np

from ...base import dtype as dt
from ...base.errors import complain
from ...base.world import place_in, ranks_of, world
from ...communication import handles
from ...ir import build
from ...ops.define import P
from ...ops.operations.comm import (
    expect_tensor,
    listed,
)
from ...tensor import Tensor


def ranks_for(what: str, group, *tensors) -> tuple:
    """The ranks of a group, for a call that changes tensors, which compiled code may not."""
    if build.current() is not None:
        cure = "use the primitives of ops, or communication.comm_func"
        raise complain(TypeError, f"{what}: is for eager code", cure=cure)
    for x in tensors:
        expect_tensor(x, what)
    ranks = ranks_of(group, what)
    place_in(ranks, what)
    return ranks


def expect_like(what: str, place, shape: tuple, dtype) -> None:
    """Raise an error unless a result of this shape and dtype fits ``place``."""
    if tuple(place.shape) != tuple(shape):
        raise complain(
            ValueError, f"{what}: the result has the shape {place.shape}", expected=tuple(shape)
        )
    if place.dtype is not dtype:
        raise complain(TypeError, f"{what}: the result is {place.dtype.name}", expected=dtype.name)


def into(places: list, work, async_op: bool):
    """Write the tensors that ``work()`` gives to ``places``."""

    def settle(results):
        for place, value in zip(places, results):
            place.copy_(value)

    if async_op:
        return handles.begin(work, settle)
    settle(work())
    return None


def expect_count(what: str, values, ranks: tuple) -> None:
    """Raise ValueError unless there is one value for each rank."""
    if len(values) != len(ranks):
        raise complain(
            ValueError, f"{what}: a list of {len(values)}", expected=f"{len(ranks)}, one for each"
        )


def reduced_rows(x, rows: list, op: str, ranks: tuple):
    """Of the reduction, this process's rows."""
    here = ranks.index(world.rank)
    before = sum(rows[:here])
    return P.all_reduce(x, op, ranks)[before : before + rows[here]]


def objects(values: list, to: tuple, source: tuple, ranks: tuple) -> list:
    """Objects to some ranks and from some, by their pickled bytes: first how many, then these."""
    sent = [np.frombuffer(pickle.dumps(v), np.uint8) for v in values]
    sizes = [Tensor([len(b)], dt.int64) for b in sent]
    counts = P.exchange(tuple(sizes), to, source, ((1,),) * len(source), dt.int64, 1, ranks)
    shapes = tuple([(int(n.asnumpy()[0]),) for n in listed(counts, len(source))])
    got = P.exchange(tuple(map(Tensor, sent)), to, source, shapes, dt.uint8, 2, ranks)
    return [pickle.loads(b.asnumpy().tobytes()) for b in listed(got, len(source))]
