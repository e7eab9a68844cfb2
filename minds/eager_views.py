"""Views in PyNative mode: which tensors share their elements, and what changes when one does.

A tensor that is a view, or has some, refers to their `Sharing` in its slot ``_shares``, which others
leave empty. A change of a view is a change of the root, by a recorded op. The other views are then
out of date: they hold no array, and are computed, by recorded ops, when somebody asks for it
(`catch_up`). So what nobody reads costs nothing, and reading costs no check.

What leads from a root to a view is the same for all calls that one launch serves, and so is what leads
on from there: a view costs two small objects.
"""

from __future__ import annotations

from threading import get_ident
from weakref import ref

from .ad import tape
from .ops import views
from .ops.define import Op, P
from .ops.function.indexing import ELEMENT
from .ops.views import Way
from .tensor import Tensor

_EACH = (None,)
"""The ways of an op that are known from its operands' items alone."""

_quiet: set = set()
"""The threads in which results are no views: they take the place of views."""


class Sharing:
    """Tensors that share elements.

    Attributes:
        root: all of them are views of it.
        views: weak references to these. Those that are gone are left out when there are ``many``.
    """

    __slots__ = ("many", "root", "views")

    def __init__(self, root: Tensor):
        self.root, self.views, self.many = root, [], 32

    def add(self, view: Tensor, way: Way) -> None:
        """``way`` leads from the root to ``view``."""
        view._shares = (self, way, None)
        self.views.append(ref(view))
        if len(self.views) > self.many:
            self.views = [r for r in self.views if r() is not None]
            self.many = 2 * len(self.views) + 32

    def outdate(self, but: Tensor | None = None) -> None:
        """The root has changed: its views, ``but`` for one, are out of date."""
        found = [r() for r in self.views]
        found = [v for v in found if v is not None and v is not but and self._has(v)]
        if found:
            tapes = tape.before_changes(found)
            for v in found:
                v._shares = (*v._shares[:2], tapes)
                del v._array

    def _has(self, v: Tensor) -> bool:
        """Whether ``v`` is still a view here, and up to date."""
        shares = v._shares
        return type(shares) is tuple and shares[0] is self and shares[2] is None


def ways(op: Op, params: list) -> tuple:
    """The ways that lead from the first of these parameters to the results of ``op``, for which
    ``op.views`` holds. Of tensors the parameters are abstract values.
    """
    x, *params = params
    if op is P.split:
        return tuple(
            [Way(None, P.strided_slice, p, x.shape) for p in views.pieces(x.shape, *params)]
        )
    if op in views.POSITIONED:
        return _EACH if len(params[0].shape) == (op is P.gather_nd) else ()
    return (Way(None, op, tuple(params), x.shape),)


def note(launch, bound: list, out) -> None:
    """A launch gave ``out``, whose parts are views of the first parameter."""
    if _quiet and get_ident() in _quiet:
        return
    found, x = launch.ways, bound[0]
    if found is _EACH:
        if get_ident() not in ELEMENT:
            return
        index, *rest = bound[1:]
        op = P.gather if rest else P.gather_nd
        found = (Way(None, op, (Tensor._wrap(index._array), *rest), x.shape),)
    shares = x._shares
    if shares is None:
        shares = x._shares = Sharing(x)
    for o, way in zip(out, found) if type(out) is tuple else ((out, found[0]),):
        if type(shares) is Sharing:
            shares.add(o, way)
        else:
            way = _further(shares[1], way, o)
            if way is not None:
                shares[0].add(o, way)


def _further(before: Way, way: Way, out: Tensor) -> Way | None:
    """The way that goes on from the end of ``before`` as ``way`` does from a root; None if that gives
    a copy.
    """
    known = before.after
    if known is None:
        return views.step(before, way.op, way.params, way.shape, out.shape)
    found = known.get(way, known)
    if found is known:
        found = known[way] = views.step(before, way.op, way.params, way.shape, out.shape)
    return found


def of(x: Tensor) -> Tensor:
    """The tensor whose elements ``x`` shares: itself, if it is no view."""
    return x._shares[0].root if type(x._shares) is tuple else x


def change(x: Tensor, new: Tensor, take) -> None:
    """``x``, which is a view or has some, takes the value of ``new``, and with it all that share its
    elements; ``take(t, value)`` changes one tensor.
    """
    if type(x._shares) is Sharing:
        take(x, new)
        x._shares.outdate()
        return
    group, way, _ = x._shares
    with _quietly():
        whole = views.written(group.root, way, new)
    take(group.root, whole)
    take(x, new)
    group.outdate(x)


def catch_up(view: Tensor):
    """The array of a view that is out of date."""
    group, way, tapes = view._shares
    view._shares = (group, way, None)
    with _quietly(), tape.recording(tapes):
        new = views.seen(group.root, way)
        view._array = new._array
        tape.after_change(view, new)
    return view._array


def leave(x: Tensor) -> None:
    """``x`` will hold something of its own; its views go on to share what it holds now."""
    if type(x._shares) is Sharing:
        x._shares.root = Tensor._wrap(x._array.reshape(x.shape))
        x._shares.root._shares = x._shares
    x._shares = None


def part(tensors) -> None:
    """These tensors, which are results of minds, share their elements with no others."""
    for t in tensors:
        if type(t._shares) is tuple:
            t._shares = None


class _quietly:
    """What is computed inside is no view. Not to be nested."""

    def __enter__(self):
        _quiet.add(get_ident())

    def __exit__(self, *_):
        _quiet.discard(get_ident())


__all__ = ["catch_up", "change", "leave", "note", "of", "part", "ways"]
