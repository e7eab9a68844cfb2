"""`while_loop`, `fori_loop`, `scan`, `cond` and choices in compiled code.

What they say in Python is compiled as it stands; so a loop is one of the program where its length
is known only at run time, or is long. A `scan` over more than a few alike elements is one loop too:
the elements are rows of tensors, and so are its results.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import refuse
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ir.node import Node
from ..ops.define import P
from ..ops.function import loop_func
from ..tensor import Tensor
from . import region
from .registry import emits
from .values import (
    NUMBERS,
    Leaf,
    LocalList,
    Mismatch,
    extract,
    flatten,
    join,
    leaf_abstracts,
    unflatten,
    widen,
)

for _fn in (
    loop_func.while_loop,
    loop_func.fori_loop,
    loop_func.cond,
    loop_func.switch,
    loop_func.switch_layer,
):
    emits(_fn)(lambda ip, *args, _fn=_fn, **kwargs: ip.call_function(_fn, list(args), kwargs))


@emits(loop_func.scan)
def _scan(ip, function, init, xs, length=None, unroll=True):
    count = ip.native(loop_func._length, xs, length)
    rows = _Rows.of(ip, xs, count) if count > ip.options.unroll else None
    if rows is None:
        return ip.call_function(loop_func.scan, [function, init, xs, length, unroll], {})
    results = _Results(count)
    carry, buffers = ip.call_function(_over_rows, [function, init, count, rows, results], {})
    as_list = not isinstance(xs, (Node, Tensor))
    return carry, results.listed(ip, buffers) if as_list else results.stacked(ip, buffers)


def _over_rows(function, init, count, rows, results):
    """`scan` of a long sequence. The first step gives the types of the results."""
    i = 0
    carry, y = loop_func._pair(function(init, rows(0)))
    ys = results(None, y, 0)
    for i in range(1, count):
        carry, y = loop_func._pair(function(carry, rows(i)))
        ys = results(ys, y, i)
    return carry, ys


class _Rows:
    """Elements of one skeleton, as rows of tensors: called with an index, it gives that element."""

    def __init__(self, skeleton, columns: list):
        self.skeleton, self.columns = skeleton, columns

    @staticmethod
    def of(ip, xs, count: int):
        """The elements of ``xs``, or None where they are not alike."""
        if xs is None:
            return _Rows(None, [])
        if isinstance(xs, (Node, Tensor)):
            x = ip.node(xs)
            return _Rows(Leaf(AbstractTensor(x.shape[1:], x.dtype)), [x])
        skeleton = flatten(xs[0], [])
        try:
            for x in xs[1:]:
                skeleton = join(skeleton, x)
        except Mismatch:
            return None
        wanted = leaf_abstracts(skeleton, [])
        if not all(isinstance(a, (AbstractTensor, AbstractScalar)) for a in wanted):
            return None
        elements = [extract(skeleton, x, []) for x in xs]
        return _Rows(
            skeleton, [_column(ip, [e[k] for e in elements], a) for k, a in enumerate(wanted)]
        )

    def _emit(self, ip, args, kwargs):
        (i,) = args
        at = (
            ip.native(P.scalar_to_tensor, i, dt.int64)
            if isinstance(i, Node)
            else Tensor(i, dt.int64)
        )
        wanted = leaf_abstracts(self.skeleton, [])
        return unflatten(
            self.skeleton,
            iter(
                [
                    _as(ip, ip.native(P.gather, c, at, 0), a)
                    for c, a in zip(self.columns, wanted, strict=True)
                ]
            ),
        )


def _column(ip, leaves: list, a) -> Node:
    """Leaves of one type as rows of a tensor."""
    if all(type(v) in NUMBERS for v in leaves):
        return ip.node(Tensor(leaves, a.dtype))
    rows = [ip.native(_row, region.convert(ip, v, a)) for v in leaves]
    return ip.native(P.concat, tuple(rows), 0)


def _row(node):
    """A tensor or number as a tensor of one row."""
    if isinstance(node.abstract, AbstractScalar):
        node = P.scalar_to_tensor(node, node.abstract.dtype)
    return P.reshape(node, (1, *node.shape))


def _as(ip, node, a):
    """A row as the tensor or the number that it was."""
    return ip.native(P.item, node, a.kind.__name__) if isinstance(a, AbstractScalar) else node


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
        at = (
            ip.native(lambda: P.reshape(P.scalar_to_tensor(i, dt.int64), (1, 1)))
            if isinstance(i, Node)
            else Tensor([[i]])
        )
        return tuple(
            [
                ip.native(P.tensor_scatter, t, at, ip.native(_row, v), "update")
                for t, v in zip(tensors, self._leaves(ip, y), strict=True)
            ]
        )

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
        return unflatten(
            self.skeleton,
            iter(
                [
                    ip.native(P.cast, t, dt.float32)
                    if isinstance(a, AbstractScalar) and a.kind is float
                    else t
                    for t, a in zip(tensors, self.wanted, strict=True)
                ]
            ),
        )

    def listed(self, ip, tensors) -> LocalList:
        """The results as a list."""
        columns = []
        for t, a in zip(tensors, self.wanted, strict=True):
            rows = ip.native(P.split, t, (1,) * self.count, 0)
            columns.append([_as(ip, ip.native(P.reshape, r, a.shape), a) for r in rows])
        return LocalList(
            [unflatten(self.skeleton, iter([c[i] for c in columns])) for i in range(self.count)]
        )
