"""Elements of lists of known length whose place only the run knows: ``D[i][j]``, read and set.

In loops the elements become rows of tensors (`tables`). Elsewhere, and where they cannot, a list or
tensor that is one of several, ``D[i]``, is never made: `Among` says when it is which. So setting an
element changes every one that it may be, and all names of these see it.
"""

from __future__ import annotations

from dataclasses import dataclass

import gast

from ..ir.abstract import INT, AbstractTensor
from ..ir.node import Node
from ..ops import methods
from ..ops.define import P
from ..tensor import Tensor
from . import access, run_lists, setitem, tables
from .conditions import require, runtime_if
from .region import convert
from .value_types import LocalList, Rows, RunList, containers_of
from .values import Mismatch, extract, join, leaf_abstracts, unflatten, widen


@dataclass(eq=False)
class Among:
    """One of several lists or tensors.

    Attributes:
        cases: (whether it is this one, the list or tensor).
    """

    cases: list


@dataclass(eq=False)
class Row:
    """A tensor that is an element of a list whose elements are rows."""

    of: RunList
    place: object


def owner(ip, node, sets: bool = False):
    """The value of an expression of which an element is read, or ``sets``."""
    if not isinstance(node, gast.Subscript):
        return ip.eval(node)
    outer, index = owner(ip, node.value, sets), ip.eval(node.slice)
    if isinstance(outer, Row):
        return access.subscript(ip, read(ip, outer.of, outer.place), index)
    if not isinstance(outer, Among):
        if not isinstance(index, Node) or not isinstance(outer, LocalList):
            return access.subscript(ip, outer, index)
        if _holds(outer, (LocalList, RunList)):
            rows = _rows(ip, outer, sets)
            if rows is not None:
                return access.subscript(ip, rows, index)
        elif not sets:
            return read(ip, outer, index)
        elif type(outer) is RunList:
            return Row(outer, index) if run_lists.holds_tensors(outer) else read(ip, outer, index)
        elif not _holds(outer, (Node, Tensor)):
            return access.subscript(ip, outer, index)
        elif tables.to_set(ip, outer):
            return Row(outer, index)
        outer = Among([(None, outer)])
    cases = _elements(ip, outer, index)
    kept = (LocalList, Node, Tensor) if sets else LocalList
    return Among(cases) if all(isinstance(v, kept) for _, v in cases) else _chosen(ip, cases)


def _rows(ip, v, sets: bool):
    """A list of lists as a table; None where it is none."""
    if type(v) is RunList or sets and tables.to_set(ip, v):
        return v
    return None if sets else tables.snapshot(ip, v)


def _holds(v, kinds: tuple) -> bool:
    return type(v) is LocalList and v != [] and all(isinstance(e, kinds) for e in v)


def _elements(ip, among: Among, index) -> list:
    """(whether it is this one, the element) of the elements at a place."""
    return [
        (_both(ip, test, here), access.subscript(ip, held, k))
        for test, held in among.cases
        for here, k in _places(ip, held, index, test)
    ]


def _places(ip, held, index, chosen) -> list:
    """(whether the index is this place, the place) of a list or tensor, if it is ``chosen``; None: it is."""
    ip.usable(held)
    if not isinstance(held, LocalList):
        return [(None, index)]
    count = len(held)
    if isinstance(index, Node):
        if not count:
            require(ip, ip.native(P.logical_not, chosen), IndexError("list index out of range"))
            return []
        at = access.place_in(ip, index, count, "elements", chosen)
        return [(ip.native(P.equal, at, k), k) for k in range(count)]
    if chosen is not None and type(index) is int and not -count <= index < count:
        require(ip, ip.native(P.logical_not, chosen), IndexError("list index out of range"))
        return []
    access.subscript(ip, held, index)
    return [(None, index)]


def _both(ip, a, b):
    if a is None or b is None:
        return b if a is None else a
    return ip.native(P.logical_and, a, b)


def _chosen(ip, cases: list):
    """The element of the case that holds."""
    value = cases[-1][1]
    for test, v in reversed(cases[:-1]):
        value = v if test is None else selected(ip, test, v, value)
    ip.aliases.choose(_choices(value, [v for _, v in cases]))
    return value


def _choices(value, options: list) -> list:
    """(container, what it may be) of the lists and dicts that ``value`` consists of."""
    of = [containers_of(v, []) for v in options]
    return [
        (c, others)
        for c, *others in zip(containers_of(value, []), *of)
        if all(c is not v for v in others)
    ]


def selected(ip, test, a, b):
    """``a`` where ``test`` holds, a bool of the run, else ``b``. A tensor may be either."""
    try:
        skeleton = widen(join(a, b))
    except Mismatch:
        skeleton = None
    wanted = leaf_abstracts(skeleton, []) if skeleton is not None else []
    if skeleton is None or type(a) is not type(b) and not wanted:
        return runtime_if(ip, test, lambda: a, lambda: b, "choice")
    leaves, chosen = [], ip.parameters.chosen
    for x, y, t in zip(extract(skeleton, a, []), extract(skeleton, b, []), wanted):
        if x is not y:
            node = ip.native(P.select, test, convert(ip, x, t), convert(ip, y, t))
            if isinstance(t, AbstractTensor):
                ip.tensors.may_be(node, [v for v in (x, y) if isinstance(v, (Node, Tensor))])
                params = chosen.joined((x, y))
                if params:
                    numbers = [convert(ip, chosen.number(v), INT) for v in (x, y)]
                    chosen.note(node, ip.native(P.select, test, *numbers), params)
            x = node
        leaves.append(x)
    return unflatten(skeleton, iter(leaves))


def store(ip, among: Among, index, value) -> None:
    """``v[index] = value`` of one of several lists."""
    choices = []
    for test, held in among.cases:
        for here, k in _places(ip, held, index, test):
            both = _both(ip, test, here)
            if not isinstance(held, LocalList):
                new = ip.native(methods.setitem, ip.node(held), k, value)
                setitem.change(ip, held, ip.native(P.select, both, new, ip.node(held)))
                continue
            old = access.subscript(ip, held, k)
            new = value if both is None else selected(ip, both, value, old)
            choices += _choices(new, [value, old])
            setitem.store(ip, held, k, new)
    ip.aliases.choose(choices)


def _store_in_row(ip, row: Row, index, value) -> None:
    """``v[i][index] = value`` of a list ``v`` of tensors."""
    old = ip.node(access.subscript(ip, row.of, row.place))
    run_lists.expect_apart(ip, old.abstract)
    new = ip.native(methods.setitem, old, index, value)
    run_lists.store(ip, row.of, row.place, new)
    run_lists.lose(ip, old.abstract)


def assign(ip, v, index, value) -> None:
    """``v[index] = value``."""
    if type(v) is LocalList and isinstance(index, Node) and not tables.to_set(ip, v):
        v = Among([(None, v)])
    if isinstance(v, Row):
        _store_in_row(ip, v, index, value)
    elif isinstance(v, Among):
        store(ip, v, index, value)
    else:
        setitem.store(ip, v, index, value)


def read(ip, v, index):
    """``v[index]``."""
    if isinstance(v, Row):
        return access.subscript(ip, access.subscript(ip, v.of, v.place), index)
    if isinstance(v, (LocalList, tuple)) and isinstance(index, Node):
        rows = tables.snapshot(ip, v) if type(v) in (LocalList, tuple) else None
        if rows is not None and type(rows.held) is Rows:
            return access.subscript(ip, rows, index)
    if not isinstance(v, Among):
        return access.subscript(ip, v, index)
    return _chosen(ip, _elements(ip, v, index))
