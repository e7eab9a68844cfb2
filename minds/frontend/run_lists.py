"""Lists of which only the run knows how many elements they have.

Where paths meet on which a list has different lengths, and in a loop whose length data decide, the
elements become the rows of tensors: one for each leaf of an element (`value_types.Rows`), all of
one type. What is done with the list is done with these rows. An element and the tensor that was
appended are one object in Python, but not here: neither can be changed in place from then on.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..base import dtype as dt
from ..base.errors import CompileTimeError, complain, refuse
from ..ir.abstract import AbstractTensor
from ..ir.dim import Dim
from ..ir.node import Node
from ..ops.define import P
from ..ops.found import filled_like, size_of, up_to
from ..tensor import Tensor
from .list_types import form
from .region import require, runtime_if
from .rows import column, leaves_at
from .value_types import Column, Rows, RunList, need_static
from .values import (
    Leaf,
    LocalList,
    Mismatch,
    extract,
    leaf_abstracts,
    unflatten,
)

ROOM = 8
"""Where a list grows, the run makes room for as many elements as it has and so many more."""

FEW = 4
"""So many elements are added one by one."""

HELD = (
    "is, or was put in, a list of which only the run knows how many elements it has",
    "copy it: x.copy(), or set the element: ys[i] = …",
)
"""Why a tensor cannot be changed in place, and the cure."""


@dataclass(eq=False)
class Listed:
    """A list among the results of a program: for each run, one of the elements that it gave."""

    skeleton: object
    columns: list

    @staticmethod
    def _parts(v) -> tuple:
        return (v.skeleton,), v.columns, lambda items: Listed(v.skeleton, items)

    def elements(self, columns: list) -> list:
        """The elements of which these are the rows."""
        kinds = leaf_abstracts(self.skeleton, [])
        rows = [
            list(c) if isinstance(a, AbstractTensor) else c.asnumpy().tolist()
            for c, a in zip(columns, kinds)
        ]
        return [unflatten(self.skeleton, iter(leaves)) for leaves in zip(*rows)]


# ---- rows


def element(ip, rows: Rows, at):
    """The element whose place is ``at``, a tensor: its leaves are rows."""
    leaves = leaves_at(ip, rows.skeleton, rows.columns, at)
    hold(ip, leaves)
    return unflatten(rows.skeleton, iter(leaves))


def hold(ip, leaves) -> None:
    """These are in a list, or come from one."""
    ip.tensors.held.update((id(v), (v, *HELD)) for v in leaves if isinstance(v, (Node, Tensor)))


def made(ip, v: Column) -> Node:
    """A column of a list, as a node."""
    wanted = leaf_abstracts(v.skeleton, [])[v.at]
    if type(v.of) is RunList:
        have = leaf_abstracts(v.of.rows.skeleton, [])[v.at]
        node = ip.node(v.of.rows.columns[v.at])
        return node if have is wanted else ip.native(P.cast, node, wanted.dtype)
    leaves = [extract(v.skeleton, e, [])[v.at] for e in v.of]
    hold(ip, leaves)
    if not leaves:
        return ip.native(P.full, (0, *wanted.shape), 0, wanted.dtype)
    return column(ip, leaves, wanted)


def to_rows(ip, v, skeleton=None) -> Rows:
    """A list as rows, of elements of ``skeleton``."""
    if type(v) is RunList and skeleton in (None, v.rows.skeleton):
        return v.rows
    skeleton = skeleton or form(list(v))
    numbers = range(len(leaf_abstracts(skeleton, [])))
    count = v.rows.count if type(v) is RunList else len(v)
    return Rows(skeleton, count, [made(ip, Column(skeleton, v, k)) for k in numbers])


def exact(ip, rows: Rows) -> list:
    """The columns without the rows that are no elements."""
    if type(rows.count) is int and rows.count == rows.columns[0].shape[0]:
        return list(map(ip.node, rows.columns))
    at = ip.native(up_to, tensor_of(ip, rows.count))
    return [ip.native(P.gather, ip.node(c), at, 0) for c in rows.columns]


def _of(ip, skeleton, columns: list) -> RunList:
    """The list of all these rows."""
    size = columns[0].shape[0]
    return RunList([Rows(skeleton, size if type(size) is int else _size(ip, columns), columns)])


def _size(ip, columns: list):
    return ip.native(size_of, ip.node(columns[0]), 0)


def _with_room(ip, rows: Rows) -> list:
    """The columns with a row for one more element; where there is none, with twice as many."""

    def more(c):
        own, shape = ip.node(c), (ROOM, *c.shape[1:])
        return ip.native(
            lambda: P.concat((own, filled_like(own, 0), P.full(shape, 0, own.dtype)), 0)
        )

    def grown() -> tuple:
        return tuple(map(more, rows.columns))

    size = rows.columns[0].shape[0]
    if type(rows.count) is int and type(size) is int:
        return grown() if rows.count == size else rows.columns
    full = ip.native(P.equal, rows.count, _size(ip, rows.columns))
    return list(runtime_if(ip, full, grown, lambda: tuple(rows.columns), "grow"))


def _pushed(ip, rows: Rows, value) -> Rows:
    """The rows with those of one more element."""
    columns = _with_room(ip, rows)
    new = to_rows(ip, LocalList([value]), rows.skeleton)
    columns = _stored(ip, columns, tensor_of(ip, rows.count), new.columns)
    return Rows(rows.skeleton, binary_sum(ip, rows.count, 1), columns)


def _stored(ip, columns: list, at, new: list) -> list:
    """The columns with one row set."""
    at = ip.native(P.reshape, ip.node(at), (1, 1))
    return [ip.native(P.tensor_scatter, ip.node(c), at, n, "update") for c, n in zip(columns, new)]


def binary_sum(ip, a, b: int):
    """The sum of two numbers, of which the run knows one perhaps."""
    return ip.native(P.add, a, b) if isinstance(a, Node) else a + b


# ---- what is done with a list


def length(ip, v: RunList):
    """How many elements a list has."""
    return v.rows.count


def item(ip, v: RunList, index):
    """``v[index]``."""
    if isinstance(index, slice):
        parts = (index.start, index.stop, index.step)
        bounds = slice(*[need_static(b, "the bounds of a slice") for b in parts])
        columns = exact(ip, v.rows)
        return _of(ip, v.rows.skeleton, [ip.native(Tensor.__getitem__, c, bounds) for c in columns])
    return element(ip, v.rows, place(ip, v, index))


def place(ip, v: RunList, index):
    """The place that ``index`` means: the program checks the range."""
    if isinstance(index, Node) and isinstance(index.abstract, AbstractTensor):
        index = ip.native(P.item, index, "int")
    elif type(index) is Dim:
        index = ip.node(index)
    size = length(ip, v)
    fits = ip.native(
        lambda: P.logical_and(
            P.less(index, size) if isinstance(index, Node) else P.greater(size, index),
            P.greater_equal(P.add(size, index), 0),
        )
    )
    require(ip, fits, IndexError("list index out of range"))
    at = (
        ip.native(lambda: P.select(P.less(index, 0), P.add(index, size), index))
        if isinstance(index, Node)
        else ip.native(P.add, size, index)
        if index < 0
        else index
    )
    return tensor_of(ip, at)


def tensor_of(ip, i):
    """An index as a tensor."""
    return (
        ip.native(P.scalar_to_tensor, i, dt.int64) if isinstance(i, Node) else Tensor(i, dt.int64)
    )


def _change(ip, v, rows: Rows) -> None:
    ip.touch(v)
    ip.store.set(v, RunList([rows]))


def store(ip, v: RunList, index, value) -> None:
    """``v[index] = value``."""
    if isinstance(index, slice):
        raise refusal("a slice of it cannot be set")
    at, rows = place(ip, v, index), _of_form(ip, v, [value])
    new = to_rows(ip, LocalList([value]), rows.skeleton)
    columns = _stored(ip, rows.columns, at, new.columns)
    _change(ip, v, Rows(rows.skeleton, rows.count, columns))


def _of_form(ip, v, values: list) -> Rows:
    """The rows of ``v``, wide enough for ``values``."""
    skeleton = v.rows.skeleton
    try:
        return to_rows(ip, v, form([skeleton, *values]))
    except Mismatch as e:
        raise refuse(
            TypeError,
            f"this list holds elements of one type, and gets another: {e}",
            cure="keep one type, dtype and shape of its elements, or make a list for each",
        ) from None


def extended(ip, v, more) -> Rows:
    """The rows of ``v`` and those of ``more``, two lists of which one at least is of the run."""
    others = [more.rows.skeleton] if type(more) is RunList else list(more)
    if type(v) is RunList:
        rows = _of_form(ip, v, others)
    else:
        rows = to_rows(ip, v, _of_form(ip, more, list(v)).skeleton)
    if type(more) is not RunList and len(more) <= FEW:
        for value in more:
            rows = _pushed(ip, rows, value)
        return rows
    both = zip(exact(ip, rows), exact(ip, to_rows(ip, more, rows.skeleton)))
    columns = [ip.native(P.concat, (a, b), 0) for a, b in both]
    return _of(ip, rows.skeleton, columns).rows


def _append(ip, v, value):
    _change(ip, v, extended(ip, v, LocalList([value])))


def extend(ip, v, values) -> None:
    """``v += values``."""
    _change(ip, v, extended(ip, v, values))


def _pop(ip, v, index=-1):
    need_static(index, "the index")
    if index not in (0, -1):
        raise refusal("only its first or last element can be removed")
    found = item(ip, v, index)
    if index == 0:
        _change(ip, v, item(ip, v, slice(1, None)).rows)
    else:
        _change(ip, v, Rows(v.rows.skeleton, binary_sum(ip, v.rows.count, -1), v.rows.columns))
    return found


def _insert(ip, v, index, value):
    if need_static(index, "the index") != 0:
        raise refusal("an element can only be inserted at its start")
    _change(ip, v, extended(ip, LocalList([value]), v))


def _reverse(ip, v):
    columns = [ip.native(P.flip, c, (0,)) for c in exact(ip, v.rows)]
    _change(ip, v, Rows(v.rows.skeleton, v.rows.count, columns))


def _clear(ip, v):
    ip.touch(v)
    ip.store.set(v, LocalList())


METHODS = {
    "append": _append,
    "extend": extend,
    "pop": _pop,
    "insert": _insert,
    "reverse": _reverse,
    "clear": _clear,
    "copy": lambda ip, v: v.copy(),
}


def method(ip, v: RunList, name: str, args: tuple):
    """``v.name(*args)``."""
    known = METHODS.get(name)
    if known is None or type(v) is not RunList and name != "extend":
        raise refusal(f"{name} is not compiled")
    return known(ip, v, *args)


def refusal(what: str) -> Exception:
    """The error for what cannot be done."""
    return complain(
        CompileTimeError,
        f"only the run knows how many elements this list has, and {what}",
        cure="use append, pop, len, an index, a for loop, ops.stack or ops.concat",
    )


def stacked(ip, v: RunList, axis: int = 0) -> Node:
    """The elements along a new dimension."""
    found = tensor(ip, v, ValueError("stack: tensors must be at least one tensor"))
    return _moved(ip, found, axis)


def _moved(ip, found: Node, axis: int) -> Node:
    """``found`` with its first dimension at ``axis``."""
    rank = found.ndim
    order = list(range(1, rank))
    order.insert(axis + rank if axis < 0 else axis, 0)
    return found if axis in (0, -rank) else ip.native(P.transpose, found, tuple(order))


def concatenated(ip, v: RunList, axis: int = 0) -> Node:
    """The elements one behind the other."""
    found = tensor(ip, v, ValueError("concat: tensors must be at least one tensor"))
    shape = found.shape[1:]
    axis = axis + len(shape) if axis < 0 else axis
    return ip.native(
        P.reshape,
        _moved(ip, found, axis),
        (*shape[:axis], found.shape[0] * shape[axis], *shape[axis + 1 :]),
    )


def tensor(ip, v: RunList, empty: Exception | None = None) -> Node:
    """The elements as rows of one tensor. The program raises ``empty`` where there are none."""
    if type(v.rows.skeleton) is not Leaf:
        raise refusal("its elements are no tensors")
    if empty is not None and isinstance(v.rows.count, Node):
        require(ip, ip.native(P.greater, v.rows.count, 0), empty)
    return exact(ip, v.rows)[0]


def turns(ip, v: RunList) -> tuple:
    """(length, item(i)) for a loop over the elements."""
    rows = v.rows

    def picked(i):
        if type(v) is not RunList or v.rows is not rows:
            raise refusal("it is changed in a loop over it: loop over a copy, list(…)")
        return element(ip, rows, tensor_of(ip, i))

    return length(ip, v), picked


def is_one(*values) -> bool:
    """Whether there is one among lists."""
    return any(type(v) is RunList for v in values) and all(
        isinstance(v, (list, tuple)) for v in values
    )


def library(ip, name: str, values, *args, **kwargs):
    """A function of the library of such a list."""
    known = _LIBRARY.get(name)
    if known is None or type(values) is not RunList or set(kwargs) - {"axis", "dim"}:
        raise refusal(f"{name} is not compiled")
    return known(ip, values, *args, *kwargs.values())


_LIBRARY = {"stack": stacked, **dict.fromkeys(("concat", "concatenate", "cat"), concatenated)}
