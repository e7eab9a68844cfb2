"""Lists of which only the run knows how many elements they have.

Where paths meet on which a list has different lengths, and in a loop whose length data decide, the
elements become the rows of tensors: one for each leaf of an element (`value_types.Rows`), all of
one type. What is done with the list is done with these rows. An element and the tensor that was
appended are one object in Python, but not here: neither can be changed in place from then on.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

from ..base import dtype as dt
from ..base.errors import CompileTimeError, ParseError, complain, no_index, refuse
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ir.dim import Dim
from ..ir.node import Node
from ..ops.define import P
from ..ops.unbacked import filled_like, size_of, up_to
from ..tensor import Tensor
from .conditions import require, runtime_if
from .describe import describe, no_place
from .list_types import form
from .rows import apart, column, leaves_at, tensor_of
from .store import clock
from .value_types import (
    TUPLE,
    Column,
    Entry,
    Leaf,
    LocalList,
    Rows,
    RunList,
    Same,
    Window,
    abstract,
)
from .values import Mismatch, extract, leaf_abstracts, leaves_of, unflatten

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
    kind: object = None

    @staticmethod
    def _parts(v) -> tuple:
        head = v.skeleton, v.kind
        return head, v.columns, lambda items: Listed(v.skeleton, items, v.kind)

    def elements(self, columns: list) -> list | tuple:
        """The elements of which these are the rows."""
        kinds = leaf_abstracts(self.skeleton, [])
        rows = [
            list(c) if isinstance(a, AbstractTensor) else c.asnumpy().tolist()
            for c, a in zip(columns, kinds)
        ]
        found = [unflatten(self.skeleton, iter(leaves)) for leaves in zip(*rows)]
        return found if self.kind is None else self.kind.made(found)


# ---- rows


def is_open(v) -> bool:
    """Whether ``v`` is a list of which only the run knows how many elements it has."""
    return type(v) is RunList and v.size is None


def element(ip, rows: Rows, at):
    """The element whose place is ``at``: its leaves are rows."""
    leaves = leaves_at(ip, rows, at)
    if rows.alike is None:
        hold(ip, leaves)
    else:
        for v, alike in zip(leaves, rows.alike):
            if is_tensor(v):
                ip.tensors.may_be(v, list(filter(is_tensor, alike)))
                ip.parameters.chosen.note_place(v, alike, at)
    return unflatten(rows.skeleton, iter(leaves))


def hold(ip, leaves, together=()) -> None:
    """These are in a list, or come from one."""
    tensors = filter(is_tensor, leaves)
    ip.tensors.held.update((id(v), (v, *HELD, together)) for v in tensors)


def put(ip, leaves: list) -> None:
    """These come into a list together. One that is in a list already, or that a loop puts there
    again and again, may be two elements.
    """
    together = tuple(map(id, leaves))
    for v in filter(is_tensor, leaves):
        known = ip.tensors.held.get(id(v))
        again = together.count(id(v)) > 1 or known is not None and known[-1] != together
        if again or len(leaves) == 1 and any(a.is_before(v) for a in ip.flow.attempts):
            ip.flow.twice.add(v.abstract)
    hold(ip, leaves, together)
    if ip.flow.twice & ip.flow.in_place:
        raise _in_place()


def expect_apart(ip, abstract) -> None:
    """Raise where an element of this type, which is changed in place, may be two elements."""
    ip.flow.in_place.add(abstract)
    if abstract in ip.flow.twice:
        raise _in_place()


def _in_place() -> Exception:
    what = "an element is changed in place of a list that may hold it twice"
    return complain(ParseError, what, cure="copy what you put in it: ys[i] = x.copy()")


def lose(ip, abstract) -> None:
    """An element of this type was changed in place: what may be the same cannot be read."""
    why = f"line {ip.here().line} changes an element of a list that may be the same"
    for v, *_ in ip.tensors.held.values():
        if v.abstract is abstract:
            ip.tensors.written[id(v)] = (None, clock(), why)


def holds_lists(v: RunList) -> bool:
    """Whether the elements of a list are lists."""
    return type(v.held) is Window and len(v.held.dims) > 1


def holds_tensors(v: RunList) -> bool:
    """Whether the elements of a list are tensors with items."""
    if holds_lists(v):
        return False
    skeleton = (v.held.of if type(v.held) is Window else v).rows.skeleton
    return type(skeleton) is Leaf and bool(getattr(skeleton.abstract, "shape", ()))


def is_tensor(v) -> bool:
    """Whether ``v`` is a tensor, which might be changed in place."""
    return isinstance(v, (Node, Tensor)) and isinstance(v.abstract, AbstractTensor)


def elements_of(ip, v: RunList) -> LocalList:
    """The elements of a list of known length."""
    held = v.held
    if holds_lists(v):
        return LocalList(held.lists or [part(ip, held, k) for k in range(held.size)])
    rows = rows_of(ip, v)
    found = LocalList(apart(ip, rows.skeleton, exact(ip, rows), rows.count))
    hold(ip, leaves_of(found))
    return found


def part(ip, w: Window, k) -> RunList:
    """The list at a place of a list of lists."""
    dims = w.dims[1:]
    if w.lists and type(k) is int:
        return w.lists[k]
    return RunList([Window(ip, w.of, _start(ip, w.start, k, math.prod(dims)), dims)])


def _start(ip, start, k, size: int):
    """``start + k * size``."""
    if isinstance(k, Node) and size != 1:
        k = ip.native(P.mul, k, size)
    elif not isinstance(k, Node):
        k = k * size
    return binary_sum(ip, k, start) if isinstance(k, Node) else binary_sum(ip, start, k)


def rows_of(ip, v: RunList) -> Rows:
    """The elements of a list as rows of their own."""
    w = v.held
    if type(w) is Rows:
        return w
    if holds_lists(v):
        raise refusal("its elements are lists")
    rows = ip.usable(w.of).rows
    if type(w.start) is int:
        bounds = slice(w.start, w.start + w.size)
        columns = [ip.native(Tensor.__getitem__, ip.node(c), bounds) for c in rows.columns]
    else:
        at = ip.native(P.add, tensor_of(ip, w.start), Tensor(list(range(w.size)), dt.int64))
        columns = [ip.native(P.gather, ip.node(c), at, 0) for c in rows.columns]
    return Rows(ip, rows.skeleton, w.size, columns)


def made(ip, v: Column | Entry) -> Node:
    """A column of a list, or an entry of one, as a node."""
    if type(v) is Entry:
        leaf = leaves_at(ip, v.rows, v.place)[v.at]
        hold(ip, [leaf])
        return leaf
    wanted = leaf_abstracts(v.skeleton, [])[v.at]
    if type(v.of) is RunList:
        rows = rows_of(ip, v.of)
        have = leaf_abstracts(rows.skeleton, [])[v.at]
        node = ip.node(rows.columns[v.at])
        return node if have is wanted else ip.native(P.cast, node, wanted.dtype)
    leaves = [extract(v.skeleton, e, [])[v.at] for e in v.of]
    put(ip, leaves)
    if not leaves:
        return ip.native(P.full, (0, *wanted.shape), 0, wanted.dtype)
    return column(ip, leaves, wanted)


def to_rows(ip, v, skeleton=None) -> Rows:
    """A list as rows, of elements of ``skeleton``."""
    rows = rows_of(ip, v) if type(v) is RunList else None
    if rows is not None and skeleton in (None, rows.skeleton):
        return rows
    skeleton = skeleton or form(list(v))
    count = len(v) if rows is None else rows.count
    numbers = range(len(leaf_abstracts(skeleton, [])))
    own = v if rows is None else RunList([rows])
    return Rows(ip, skeleton, count, [made(ip, Column(skeleton, own, k)) for k in numbers])


def exact(ip, rows: Rows) -> list:
    """The columns without the rows that are no elements."""
    if type(rows.count) is int and rows.count == rows.columns[0].shape[0]:
        return list(map(ip.node, rows.columns))
    at = ip.native(up_to, tensor_of(ip, rows.count))
    return [ip.native(P.gather, ip.node(c), at, 0) for c in rows.columns]


def _of(ip, skeleton, columns: list, kind=None) -> RunList:
    """The list of all these rows."""
    size = columns[0].shape[0]
    count = size if type(size) is int else _size(ip, columns)
    return RunList([Rows(ip, skeleton, count, columns)], kind)


def opened(ip, v) -> RunList:
    """A list or tuple as one of which only the run knows the length.

    Raises:
        Mismatch: its elements are not of one type, or there are none.
    """
    if is_open(v):
        return v
    if not len(v):
        raise Mismatch("it has no elements")
    rows = to_rows(ip, v if isinstance(v, list) else LocalList(v))
    count = ip.node(rows.count)
    return RunList([Rows(ip, rows.skeleton, count, rows.columns)], kind_of(v))


def with_leaves(ip, v: RunList) -> RunList:
    """The skeleton of a list whose leaves are its columns alone."""
    rows = v.rows
    leaves = [Leaf(abstract(c)) for c in rows.columns]
    return RunList([Rows(ip, rows.skeleton, Same(rows.count), leaves)], v.kind)


def kind_of(v):
    """Which kind of list of the run a list or tuple is."""
    return TUPLE if type(v) is tuple else v.kind


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
    columns = stored(ip, columns, tensor_of(ip, rows.count), new.columns)
    return Rows(ip, rows.skeleton, binary_sum(ip, rows.count, 1), columns)


def stored(ip, columns: list, at, new: list) -> list:
    """The columns with one row set."""
    at = ip.native(P.reshape, ip.node(at), (1, 1))
    return [ip.native(P.tensor_scatter, ip.node(c), at, n, "update") for c, n in zip(columns, new)]


def binary_sum(ip, a, b: int):
    """The sum of two numbers, of which the run knows one perhaps."""
    return ip.native(P.add, a, b) if isinstance(a, Node) else a + b


# ---- what is done with a list


def length(ip, v: RunList):
    """How many elements a list has."""
    return v.rows.count if v.size is None else v.size


def item(ip, v: RunList, index):
    """``v[index]`` of an index; see `list_places.sliced`."""
    w = v.held
    at = place(ip, v, index)
    if type(w) is Rows:
        return element(ip, w, at)
    if holds_lists(v):
        return part(ip, w, at)
    return element(ip, ip.usable(w.of).rows, _start(ip, w.start, at, 1))


def place(ip, v: RunList, index):
    """The place that ``index`` means: the program checks the range."""
    index = as_index(ip, index)
    size = length(ip, v)
    if not isinstance(index, Node) and type(size) is int:
        return _known_place(index, size)
    at, size = ip.node(index), ip.node(size)
    behind = ip.native(P.add, at, size)  # of a negative one
    fits = ip.native(lambda: P.logical_and(P.less(at, size), P.greater_equal(behind, 0)))
    require(ip, fits, IndexError("list index out of range"))
    if not isinstance(index, Node):
        return behind if index < 0 else index
    return ip.native(lambda: P.select(P.less(at, 0), behind, at))


def as_index(ip, v):
    """``v`` as Python's ``operator.index`` takes it: of a tensor and an open size, a number."""
    if isinstance(v, Tensor):
        return operator.index(v)
    if type(v) is Dim:
        return ip.node(v)
    a = getattr(v, "abstract", None)
    if isinstance(a, AbstractTensor):
        several = all(type(d) is int for d in a.shape) and math.prod(a.shape) != 1
        if several or not (a.dtype.is_int or a.dtype.is_bool):
            raise no_index(a)
        return ip.native(P.item, v, "int")
    if type(v) is float or isinstance(a, AbstractScalar) and a.kind is float:
        what = "a float cannot be interpreted as an integer"
        raise complain(TypeError, what, cure="convert it with int()")
    return v


def _known_place(index, size: int) -> int:
    try:
        return range(size)[index]
    except IndexError:
        raise no_place(index, size) from None
    except TypeError:
        what = f"list indices must be integers or slices, not {describe(index)}"
        raise complain(TypeError, what) from None


def change(ip, v, rows: Rows) -> None:
    ip.touch(v)
    ip.store.set(v, RunList([rows]))


def store(ip, v: RunList, index, value) -> None:
    """``v[index] = value``."""
    if v.kind is TUPLE:
        raise complain(TypeError, "'tuple' object does not support item assignment")
    at, w = place(ip, v, index), v.held
    if type(w) is Window:
        if holds_lists(v):
            raise complain(
                CompileTimeError,
                "a list cannot be replaced in a list of lists whose items are set at places "
                "that the run finds",
                cure="set its items: for j, v in enumerate(row): D[i][j] = v",
            )
        v, at = ip.usable(w.of), _start(ip, w.start, at, 1)
    rows = _of_form(ip, v, [value])
    new = to_rows(ip, LocalList([value]), rows.skeleton)
    columns = stored(ip, rows.columns, tensor_of(ip, at), new.columns)
    change(ip, v, Rows(ip, rows.skeleton, rows.count, columns))


def _of_form(ip, v, values: list) -> Rows:
    """The rows of ``v``, wide enough for ``values``."""
    skeleton = rows_of(ip, v).skeleton
    try:
        return to_rows(ip, v, form([skeleton, *values]))
    except Mismatch as e:
        raise refuse(
            TypeError,
            f"the type of this list's elements is not same with the new added item: {e}",
            cure="keep one type, dtype and shape of its elements, or make a list for each",
        ) from None


def extended(ip, v, more) -> Rows:
    """The rows of ``v`` and those of ``more``, two lists of which one at least is of the run."""
    others = [rows_of(ip, more).skeleton] if type(more) is RunList else list(more)
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


def added(ip, a, b) -> RunList:
    """``a + b``."""
    names = [kind_of(v) for v in (a, b)]
    if names[0] != names[1]:
        raise complain(TypeError, f"unsupported operand types: {describe(a)} and {describe(b)}")
    return RunList([extended(ip, a, b)], names[0])


def _append(ip, v, value):
    change(ip, v, extended(ip, v, LocalList([value])))


def extend(ip, v, values) -> None:
    """``v += values``."""
    change(ip, v, extended(ip, v, values))


def _reverse(ip, v):
    columns = [ip.native(P.flip, c, (0,)) for c in exact(ip, v.rows)]
    change(ip, v, Rows(ip, v.rows.skeleton, v.rows.count, columns))


def _clear(ip, v):
    ip.touch(v)
    ip.store.set(v, LocalList())


def copied(ip, v) -> LocalList:
    """``v.copy()``, which is a list."""
    return RunList([v.held]) if type(v.held) is Rows else elements_of(ip, v)


METHODS = {
    "append": _append,
    "extend": extend,
    "reverse": _reverse,
    "clear": _clear,
    "copy": copied,
}


def make_plain(ip, v) -> None:
    """A list of known length is one of its elements again."""
    if type(v) is RunList and v.size is not None:
        if type(v.held) is Window:
            raise refuse(
                TypeError,
                "this list is in a list of lists whose items are set at places that the run finds: "
                "its length and order cannot change",
                cure="copy it: list(…)",
            )
        elements = elements_of(ip, v)
        ip.touch(v)
        ip.store.set(v, elements)


def method(ip, v: RunList, name: str, args: tuple):
    """``v.name(*args)``."""
    if type(v) is RunList and v.size is not None:
        if name == "copy":
            return copied(ip, v)
        if type(v.held) is Window:
            return NotImplemented
        if name not in ("append", "extend") and (name, args) not in (("pop", ()), ("pop", (-1,))):
            return NotImplemented
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
    return _moved(ip, tensor(ip, v, ValueError("stack: tensors must be at least one tensor")), axis)


def _moved(ip, found: Node, axis: int) -> Node:
    """``found`` with its first dimension at ``axis``."""
    rank = found.ndim
    axis = axis + rank if axis < 0 else axis
    order = (*range(1, axis + 1), 0, *range(axis + 1, rank))
    return found if axis == 0 else ip.native(P.transpose, found, order)


def concatenated(ip, v: RunList, axis: int = 0) -> Node:
    """The elements one behind the other."""
    found = tensor(ip, v, ValueError("concat: tensors must be at least one tensor"))
    shape = found.shape[1:]
    axis = axis + len(shape) if axis < 0 else axis
    joined = (*shape[:axis], found.shape[0] * shape[axis], *shape[axis + 1 :])
    return ip.native(P.reshape, _moved(ip, found, axis), joined)


def tensor(ip, v: RunList, empty: Exception | None = None) -> Node:
    """The elements as rows of one tensor. The program raises ``empty`` where there are none."""
    rows = rows_of(ip, v)
    if type(rows.skeleton) is not Leaf:
        raise refusal("its elements are no tensors")
    if empty is not None and isinstance(rows.count, Node):
        require(ip, ip.native(P.greater, rows.count, 0), empty)
    return exact(ip, rows)[0]


def like_elements(ip, v: RunList, found):
    """What was computed of the elements of a list: a number if they are numbers."""
    a = v.rows.skeleton.abstract
    if not isinstance(a, AbstractScalar):
        return found
    return ip.native(P.item, found, "float" if a.kind is float else "int")


def turns(ip, v: RunList) -> tuple:
    """(length, item(i)) for a loop over the elements."""
    rows = v.held

    def picked(i):
        if type(v) is not RunList or v.size is None and v.held is not rows:
            raise refusal("it is changed in a loop over it: loop over a copy, list(…)")
        return item(ip, v, i) if v.size is not None else element(ip, rows, i)

    return length(ip, v), picked


def is_one(*values) -> bool:
    """Whether there is one among lists."""
    return any(map(is_open, values)) and all(isinstance(v, (list, tuple)) for v in values)


def library(ip, name: str, values, *args, **kwargs):
    """A function of the library of such a list."""
    known = _LIBRARY.get(name)
    if known is None or type(values) is not RunList or set(kwargs) - {"axis", "dim"}:
        raise refusal(f"{name} is not compiled")
    return known(ip, values, *args, *kwargs.values())


_LIBRARY = {
    "stack": stacked,
    **dict.fromkeys(("concat", "concatenate", "cat"), concatenated),
    "isconstant": lambda ip, v: False,
    "is_sequence_value_unknown": lambda ip, v: True,
    "is_sequence_shape_unknown": lambda ip, v: v.size is None,
}
"""What functions of the library do with a list of the run as their first argument."""
