"""`while_loop`, `fori_loop`, `scan`, `cond` and choices in compiled code.

What they say in Python is compiled as it stands; so a loop is one of the program where its length
is known only at run time, or is long. A `scan` over more than a few alike elements is one loop too:
the elements are rows of tensors, and so are its results.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import refuse
from ..ir.abstract import AbstractScalar
from ..ir.node import Node
from ..ops.define import P
from ..ops.function import loop_func as functions
from ..ops.function.common import scan_length, scan_pair
from ..tensor import Tensor
from . import region
from .registry import emits
from .rows import apart, leaves_at, row, stack, tensor_of
from .run_lists import stored
from .value_types import LocalList, Rows
from .values import Mismatch, extract, join, leaf_abstracts, unflatten, widen

for _fn in (
    functions.while_loop,
    functions.fori_loop,
    functions.cond,
    functions.switch,
    functions.switch_layer,
):
    emits(_fn)(lambda ip, *args, _fn=_fn, **kwargs: ip.call_function(_fn, list(args), kwargs))


@emits(functions.scan)
def _scan(ip, loop_func, init, xs, length=None, unroll=True):
    count = ip.native(scan_length, xs, length)
    long = type(count) is not int or count > ip.options.unroll
    rows = stack(ip, xs) if long and xs is not None else None
    if rows is None and not (long and xs is None):
        return ip.call_function(functions.scan, [loop_func, init, xs, length, unroll], {})
    results = _Results(count)
    carry, buffers = ip.call_function(
        _over_rows, [loop_func, init, count, _Taken(rows), results], {}
    )
    as_list = not isinstance(xs, (Node, Tensor))
    return carry, results.listed(ip, buffers) if as_list else results.stacked(ip, buffers)


class _Taken:
    """``taken(i)`` is the value at a place of rows; None where there are none."""

    def __init__(self, rows: Rows | None):
        self.rows = rows

    def _emit(self, ip, args, kwargs):
        if self.rows is None:
            return None
        return unflatten(self.rows.skeleton, iter(leaves_at(ip, self.rows, *args)))


def _over_rows(function, init, count, rows, results):
    """`scan` of a long sequence. The first step gives the types of the results."""
    i = 0
    carry, y = scan_pair(function(init, rows(0)))
    ys = results(None, y, 0)
    for i in range(1, count):
        carry, y = scan_pair(function(carry, rows(i)))
        ys = results(ys, y, i)
    return carry, ys


class _Results:
    """Results of one skeleton, written into rows of tensors: ``results(tensors, y, i)`` gives the
    new tensors."""

    def __init__(self, count: int):
        self.count, self.skeleton = count, None

    def _emit(self, ip, args, kwargs):
        tensors, y, i = args
        if tensors is None:
            self.skeleton = widen(y)
            self.wanted = leaf_abstracts(self.skeleton, [])
            tensors = [ip.native(P.full, (self.count, *a.shape), 0, a.dtype) for a in self.wanted]
        rows = [ip.native(row, v) for v in self._leaves(ip, y)]
        return tuple(stored(ip, tensors, tensor_of(ip, i), rows))

    def _leaves(self, ip, y) -> list:
        try:
            join(self.skeleton, y)
            return [
                region.convert(ip, v, a)
                for v, a in zip(extract(self.skeleton, y, []), self.wanted, strict=True)
            ]
        except Mismatch as e:
            raise refuse(
                TypeError,
                f"scan: results have no common type: {e}",
                cure="give the same structure, dtype and shape for each element",
            ) from None

    def stacked(self, ip, tensors):
        """The results with a new first dimension."""
        leaves = [
            ip.native(P.cast, t, dt.float32)
            if isinstance(a, AbstractScalar) and a.kind is float
            else t
            for t, a in zip(tensors, self.wanted, strict=True)
        ]
        return unflatten(self.skeleton, iter(leaves))

    def listed(self, ip, tensors) -> LocalList:
        """The results as a list."""
        return LocalList(apart(ip, self.skeleton, tensors, self.count))
