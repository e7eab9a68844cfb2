"""Views in PyNative mode: which tensors share their elements, and what changes when one does.

A root has a list of weak references to its views in its slot ``_shares``, a view a tuple: its root, the
way that leads there, and None. A change of a view is a change of the root, by a recorded op. The
other views are then out of date: they hold no array, and are computed, by recorded ops, when somebody
asks for it (`catch_up`). So what nobody reads costs nothing, and reading costs no check.

What leads from a root to a view is the same for all calls that one launch serves, and so is what leads
on from there. So the core notes views (`csrc/python/views.cc`), and asks `note` about the first of a kind.
"""

from __future__ import annotations

from threading import get_ident
from weakref import ref

from . import _core
from .ad import tape
from .base.errors import complain, user_loc
from .ops import views
from .ops.define import Op, P
from .ops.function.indexing import ELEMENT
from .ops.views import Way
from .tensor import Tensor

MANY = 32
"""A root forgets views that are gone when it has twice as many as lived then, and so many more. The
first entry of its list says when that is.
"""

_EACH = (None,)
"""The ways of an op that are known from its operands' items alone."""

_quiet: set = set()
"""The threads in which results are no views: they take the place of views."""


def ways(op: Op, params: list) -> tuple:
    """The ways that lead from the first of these parameters to the results of ``op``, for which
    ``op.views`` holds. Of tensors the parameters are abstract values.
    """
    x, *params = params
    if op is P.split:
        parts = views.pieces(x.shape, *params)
        return tuple([Way(None, P.strided_slice, p, x.shape) for p in parts])
    if op in views.POSITIONED:
        return _EACH if len(params[0].shape) == (op is P.gather_nd) else ()
    return (Way(None, op, tuple(params), x.shape),)


def note(launch, params: list, out) -> None:
    """A launch gave ``out``, whose parts are views of the first parameter."""
    if _quiet and get_ident() in _quiet:
        return
    found, x = launch.ways, params[0]
    if found == _EACH:
        if get_ident() not in ELEMENT:
            return
        index, *rest = params[1:]
        op = P.gather if rest else P.gather_nd
        found = (Way(None, op, (Tensor._wrap(index._array), *rest), x.shape),)
    for o, way in zip(out, found) if type(out) is tuple else ((out, found[0]),):
        _note(x, way, o)


def _note(x: Tensor, way: Way, out: Tensor) -> None:
    if x._shares is None:
        x._shares = [MANY]
    if type(x._shares) is tuple:
        x, before, _ = x._shares
        way = _further(before, way, out)
        if way is None:
            return
    known = x._shares
    if len(known) > known[0]:
        alive = [r for r in known[1:] if r() is not None]
        known[:] = [2 * len(alive) + MANY, *alive]
    out._shares = (x, way, None)
    known.append(ref(out))


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
    return x._shares[0] if type(x._shares) is tuple else x


def change(x: Tensor, new: Tensor, take) -> None:
    """``x``, which is a view or has some, takes the value of ``new``, and with it all that share its
    elements; ``take(t, value)`` changes one tensor.
    """
    if type(x._shares) is list:
        take(x, new)
        outdate(x)
        return
    root, way, _ = x._shares
    with _quietly():
        whole = views.written(root, way, new)
    take(root, whole)
    take(x, new)
    outdate(root, x)


def outdate(root: Tensor, but: Tensor | None = None) -> None:
    """``root``, which may have views, has changed: these, ``but`` for one, are out of date."""
    if len(root._shares) == 1:
        return
    alive = _views(root)
    if not alive:
        del root._shares[1:]
        return
    found = [v for v in alive if v is not but and v._shares[2] is None]
    if found:
        tapes = tape.before_changes(found)
        for v in found:
            v._shares = (*v._shares[:2], tapes)
            del v._array


def catch_up(view: Tensor):
    """The array of a view that is out of date."""
    if view._shares is None:
        raise complain(
            RuntimeError,
            f"a tensor of shape {view.shape} has no values: it was made of its shape alone",
            loc=user_loc(),
            cure="make it outside of minds.parallel.shapes_alone()",
        )
    root, way, tapes = view._shares
    view._shares = (root, way, None)
    new = tape.recording(
        (*tapes, *[t for t in tape.active() if t not in tapes]), lambda: _seen(view)
    )
    return new._array


def _seen(view: Tensor) -> Tensor:
    root, way, _ = view._shares
    with _quietly():
        new = views.seen(root, way)
    view._array = new._array
    tape.after_change(view, new)
    return new


def leave(x: Tensor) -> None:
    """``x`` will hold something of its own; its views go on to share what it holds now."""
    if type(x._shares) is list and (known := _views(x)):
        old = Tensor._wrap(x._array.reshape(x.shape))
        old._shares = x._shares
        for v in known:
            v._shares = (old, *v._shares[1:])
    x._shares = None


def part(tensors) -> None:
    """These tensors, which are results of minds, share their elements with no others."""
    for t in tensors:
        if type(t._shares) is tuple:
            t._shares = None


def own(t: Tensor) -> Tensor:
    """A tensor of its own that holds what ``t`` holds; gradients flow through it."""
    if not tape.active():
        return Tensor._wrap(t._array.reshape(t.shape))
    new = P.reshape(t, t.shape)
    new._shares = None
    return new


def apart(found: list, given) -> list:
    """What is ``found``, where each tensor is one of its own: none of those ``given``, no other that
    is found, and no view.
    """
    taken = set(map(id, given))
    for i, t in enumerate(found):
        if not isinstance(t, Tensor):
            continue
        if id(t) in taken:
            found[i] = own(t)
        else:
            taken.add(id(t))
            part([t])
    return found


def _views(root: Tensor) -> list:
    """Those that live."""
    found = [r() for r in root._shares[1:]]
    return [v for v in found if v is not None and type(v._shares) is tuple and v._shares[0] is root]


class _quietly:
    """What is computed inside is no view. Not to be nested."""

    def __enter__(self):
        _quiet.add(get_ident())

    def __exit__(self, *_):
        _quiet.discard(get_ident())


_core.set_views(_quiet, note, MANY)

__all__ = [
    "apart",
    "catch_up",
    "change",
    "leave",
    "note",
    "of",
    "outdate",
    "own",
    "part",
    "ways",
]
