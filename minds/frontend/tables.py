"""Lists of known length whose elements are read and set at places that only the run finds, in loops.

Where an iteration of a rolled loop sets ``D[i][j]``, the elements of all lists in ``D`` become the
rows of tensors before the loop; the lists become windows of that table (`value_types.Window`), so
an access costs one element, and every name of every list sees the change. What only reads makes such
rows beside the list, which stays as it is (`snapshot`).

Rows are made before the outermost loop that has the list: the interpretation of an iteration that
needs them is given up (`Wanted`), and the loop is interpreted again.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..ir.node import Constant, Node
from ..tensor import Tensor
from .emit import Control
from .flow import at
from .imports import is_outside
from .list_types import form
from .rows import stack
from .run_lists import to_rows
from .structure import parts
from .value_types import NUMBERS, LocalList, Rows, RunList, Window
from .values import Mismatch, extract, flatten, same

FEW = 8
"""One of so many elements is chosen by conditions, one of more from rows."""


class Wanted(Control):
    """Rows are wanted before a loop.

    Attributes:
        attempt: the interpretation of the loop.
        make: ``make(ip)`` makes them there.
    """

    def __init__(self, attempt, make):
        super().__init__(attempt)
        self.attempt, self.make = attempt, make


@dataclass(eq=False)
class _Table:
    """The lists of a list of lists, or of a list.

    Attributes:
        lists: (list, its first element in the table, its sizes).
        dims: the sizes of the outermost list.
        elements: all of them in order.
    """

    lists: list
    dims: tuple
    elements: list


def _table(v, start: int = 0) -> _Table | None:
    """``v`` as a table; None where its lists have different lengths, or are no lists of their own."""
    if type(v) not in (LocalList, RunList) or getattr(v, "size", 0) is None or not len(v):
        return None
    if type(v) is RunList and type(v.held) is Window:
        return None
    held, tables, at_ = list(v), [], start
    if not all(isinstance(e, list) for e in held):
        return _Table([(v, start, (len(held),))], (len(held),), held)
    for e in held:
        one = _table(e, at_)
        if one is None or tables and one.dims != tables[0].dims:
            return None
        tables.append(one)
        at_ += len(one.elements)
    dims = (len(held), *tables[0].dims)
    lists = [(v, start, dims), *[e for t in tables for e in t.lists]]
    return _Table(lists, dims, [e for t in tables for e in t.elements])


def _is_own(ip, v) -> bool:
    """Whether a list is one that nothing else may be."""
    known = ip.aliases.groups.get(id(v), ())
    plain = v.stale is None and v.fixed is None and v.kind is None and v.origins is None
    return plain and not is_outside(v) and all(c is v for c in known)


# ---- set at a place of the run


def to_set(ip, v) -> bool:
    """Whether ``v``, of which an element is to be set, has become rows.

    Raises:
        Wanted: it will before a loop around.
    """
    if not ip.flow.stacking or not ip.flow.attempts:
        return False
    if type(v) is not LocalList or not all(isinstance(e, list) for e in v):
        table = _table(v)
        return _stack(ip, v) if table is not None and len(table.dims) == 1 else False
    for attempt in ip.flow.attempts:
        if v.born < attempt.born and id(v) not in attempt.assumed.entries:
            with at(ip, attempt.entry):
                fits = _stackable(ip, v) is not None
            if fits:
                raise Wanted(attempt, lambda ip: _stack(ip, v))
    return False


def _stackable(ip, v) -> tuple | None:
    """(the table, the skeleton of its elements) of a list whose elements can be rows."""
    table = _table(v)
    if table is None or not all(_is_own(ip, e) for e, _, _ in table.lists):
        return None
    if len({id(e) for e, _, _ in table.lists}) < len(table.lists):
        return None
    try:
        return table, form(table.elements)
    except Mismatch:
        return None


def _stack(ip, v) -> bool:
    """The elements of a list, and of those in it, become rows."""
    found = _stackable(ip, v)
    if found is None:
        return False
    ip.flow.stacked += 1
    table, skeleton = found
    rows = to_rows(ip, LocalList(table.elements), skeleton)
    if len(table.dims) == 1:
        ip.touch(v)
        ip.store.set(v, RunList([rows]))
        return True
    of = RunList([rows])
    held = [tuple(e) if len(dims) > 1 else () for e, _, dims in table.lists]
    for (part, start, dims), lists in zip(table.lists, held):
        ip.touch(part)
        ip.store.set(part, RunList([Window(ip, of, start, dims, lists)]))
    return True


# ---- read at a place of the run


def snapshot(ip, v) -> RunList | None:
    """Rows of the elements of ``v`` as they are now; None where there are few, or they are not alike.

    Raises:
        Wanted: there will be before a loop around.
    """
    if not ip.flow.stacking:
        return None
    table = _read_table(v)
    if table is None or len(table.elements) <= FEW:
        return None
    if all(type(e) in NUMBERS for e in table.elements):
        rows = stack(ip, table.elements)
    else:
        rows = _kept(ip, v, table)
    if rows is None:
        return None
    of = RunList([rows])
    return of if len(table.dims) == 1 else RunList([Window(ip, of, 0, table.dims)])


def _read_table(v) -> _Table | None:
    return _Table([], (len(v),), list(v)) if type(v) is tuple else _table(v)


def _kept(ip, v, table: _Table) -> Rows | None:
    """Rows that were made before, if they are still the elements."""
    leaves = _leaves(ip, table)
    made = ip.flow.snapshots.get(id(v))
    if made is not None and _are(made[1], leaves):
        return made[2]
    try:
        form(table.elements)
    except Mismatch:
        return None
    for attempt in ip.flow.attempts:
        if _is_before(attempt, v) and all(_is_before(attempt, e) for e in leaves):
            with at(ip, attempt.entry):
                before = _read_table(v)
                same = before is not None and _are(_leaves(ip, before), leaves)
            if same:
                raise Wanted(attempt, lambda ip: _keep(ip, v, table, leaves))
    return _keep(ip, v, table, leaves)


def _is_before(attempt, v) -> bool:
    """Whether a list, or a leaf, is there before a loop."""
    if isinstance(v, list):
        return v.born < attempt.born
    return attempt.is_before(v)


def _keep(ip, v, table: _Table, leaves: list) -> Rows:
    skeleton = form(table.elements)
    rows = to_rows(ip, LocalList(table.elements), skeleton)
    alike = zip(*[extract(skeleton, e, []) for e in table.elements])
    rows = Rows(ip, rows.skeleton, rows.count, rows.columns, list(map(list, alike)))
    ip.flow.snapshots[id(v)] = (v, leaves, rows)
    return rows


def _leaves(ip, table: _Table) -> list:
    """What the elements are now: nodes, or numbers. Parameters are themselves: what they hold matters
    where the program writes one (`Chosen.forget`).
    """
    tensors: list = []
    flat = [flatten(e, tensors) for e in table.elements]
    if ip.parameters.chosen.known:
        for e in table.elements:
            _tensors(e, tensors)
    return [*flat, *map(ip.node, tensors)]


def _tensors(v, found: list) -> None:
    """Append the tensors and parameters of which a value consists."""
    p = None if isinstance(v, (Node, Tensor)) else parts(v)
    for e in p.items if p is not None else ():
        _tensors(e, found)
    if isinstance(v, (Node, Tensor)):
        found.append(v)


def _are(a: list, b: list) -> bool:
    return len(a) == len(b) and all(
        x is y
        or isinstance(x, Constant)
        and isinstance(y, Constant)
        and x.value is y.value
        or not isinstance(x, Node)
        and not isinstance(y, Node)
        and same(x, y)
        for x, y in zip(a, b)
    )
