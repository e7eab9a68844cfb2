"""The types of lists of which only the run knows how many elements they have (`run_lists`)."""

from __future__ import annotations

from ..ir.abstract import INT, AbstractScalar, AbstractTensor
from ..ir.shape_env import current
from .value_types import TUPLE, Entry, Leaf, LocalList, Rows, RunList, Window
from .values import Mismatch, join, leaf_abstracts, unflatten, widen


def form(elements: list):
    """The skeleton of all of ``elements``, as skeletons or values.

    Raises:
        Mismatch: there is none that is data of the run with sizes that are known.
    """
    skeleton = widen(elements[0])
    for v in elements[1:]:
        skeleton = widen(join(skeleton, v))
    _expect_data(skeleton)
    return skeleton


def _expect_data(s) -> None:
    """Raise unless a skeleton is made of tuples and data of the run."""
    if type(s) is tuple:
        for e in s:
            _expect_data(e)
        return
    a = s.abstract if type(s) is Leaf else None
    if isinstance(a, AbstractScalar) and a.kind is not complex:
        return
    if not isinstance(a, AbstractTensor) or not all(type(d) is int for d in a.shape):
        raise Mismatch("only tensors and numbers, each of one size, can be so")


def plain(held, heap: dict):
    """What a list holds at the end of a path, on which ``heap`` has changed, as a list of its
    elements.

    Raises:
        Mismatch: that is not known.
    """
    w = held.held if type(held) is RunList else None
    if type(w) is not Window:
        return held
    if len(w.dims) > 1:
        if not w.lists:
            raise Mismatch("part of a table")
        return LocalList(w.lists)
    rows = heap.get(id(w.of), w.of).rows
    kinds = list(enumerate(leaf_abstracts(rows.skeleton, [])))
    if type(w.start) is not int:
        raise Mismatch("part of a table")
    places = range(w.start, w.start + w.size)
    return LocalList(
        [unflatten(rows.skeleton, iter([Entry(a, rows, k, at) for k, a in kinds])) for at in places]
    )


def joined(ip, held: list) -> RunList:
    """The skeleton of what a list holds on several paths.

    Raises:
        Mismatch: its elements are not all of one type.
    """
    scope, elements, size = current(), [], None
    if any(type(h) is RunList and type(h.held) is Window for h in held):
        raise Mismatch("part of a table")
    for h in held:
        elements += [h.rows.skeleton] if type(h) is RunList else list(h)
    kinds = {getattr(h, "kind", None) for h in held}
    if scope is None or len(kinds) > 1 or kinds - {None, TUPLE}:
        raise Mismatch("only a list")
    counts = {h.size if type(h) is RunList else len(h) for h in held}
    skeleton = form(elements)
    for h in held:
        n = h.rows.columns[0].shape[0] if type(h) is RunList else len(h)
        size = n if size is None else scope.join(size, n)
    known = len(counts) == 1 and None not in counts
    types = leaf_abstracts(skeleton, [])
    columns = [Leaf(AbstractTensor((size, *a.shape), a.dtype)) for a in types]
    return RunList([Rows(ip, skeleton, counts.pop() if known else Leaf(INT), columns)], kinds.pop())
