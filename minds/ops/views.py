"""Views: results of ops that are other ways to see the elements of their first operand.

Indexing by ints and slices, `reshape`, `transpose` and what is made of them give tensors that share
their elements with what they were taken from, as in MindSpore, PyTorch and NumPy: ``y = x[0]; y[1] =
9`` changes ``x``, and a change of ``x`` is seen in ``y``. Tensors have no storage that two of them
share; a view is a way (`Way`) from a *root*, and each mode knows which tensors are views of which
roots: `eager_views`, `frontend.views`. What a view holds is `seen` from its root; a change of a view
is `written` into its root. Both are ordinary ops, so gradients follow.

A `reshape` whose elements do not lie apart evenly in the root, such as that of a transposed tensor, is
a copy, as there.
"""

from __future__ import annotations

from threading import get_ident

from ..base.errors import CompileTimeError, complain
from ..ir.dim import Dim, decided
from .define import Op, P
from .function.indexing import ELEMENT, setitem

DEEP = 4
"""Ways of more steps are not kept for other tensors."""


class Way:
    """One step of the way from a root to a view of it.

    Attributes:
        before: the steps before it; None if it starts at the root.
        op, params: the op, and what it gets besides the tensor.
        shape: of what it is done to.
        after: ways that lead on from here, for PyNative mode; None if there are many steps before.
    """

    __slots__ = ("_strides", "after", "before", "depth", "op", "params", "shape")

    def __init__(self, before: Way | None, op: Op, params: tuple, shape: tuple):
        self.before, self.op, self.params, self.shape = before, op, params, shape
        self._strides = None
        self.depth = 0 if before is None else before.depth + 1
        self.after = {} if self.depth < DEEP else None

    @property
    def strides(self) -> tuple:
        """How many elements of the root lie between neighbours in each dimension."""
        if self._strides is None:
            own = _dense(self.shape) if self.before is None else self.before.strides
            self._strides = _STRIDES[self.op](self.shape, own, *self.params)
        return self._strides


def step(before: Way | None, op: Op, params: tuple, shape: tuple, result: tuple) -> Way | None:
    """The way to what ``op`` gives of a tensor of ``shape``, to which ``before`` leads; None if that
    is a copy.
    """
    if op is P.reshape and before is not None and not _alike(shape, result):
        if any(type(d) is Dim for d in (*shape, *result)):
            return Way(before, op, (*params, None), shape)
        if _reshaped(shape, before.strides, result) is None:
            return None
    elif op in POSITIONED and get_ident() not in ELEMENT:
        return None
    return Way(before, op, params, shape)


def pieces(shape: tuple, sizes: tuple, axis: int) -> list:
    """The slices that `split` gives, as parameters of `strided_slice`."""
    found, start, one = [], 0, (1,) * len(shape)
    for n in sizes:
        begin, end = [0] * len(shape), list(shape)
        begin[axis], end[axis] = start, start + n
        found.append((tuple(begin), tuple(end), one))
        start += n
    return found


def seen(root, view: Way):
    """What ``view`` shows of ``root``."""
    steps = []
    while view is not None:
        steps.append(view)
        view = view.before
    for v in reversed(steps):
        root = v.op(root, *_known(v))
    return root


def written(root, view: Way, value):
    """``root`` where ``view`` shows ``value``."""
    while view is not None:
        _known(view)
        before = view.before
        value = _WRITTEN[view.op](
            lambda at=before: root if at is None else seen(root, at),
            view.shape,
            value,
            *view.params,
        )
        view = before
    return value


def _known(view: Way) -> tuple:
    """The parameters of a step.

    Raises:
        CompileTimeError: sizes that only the run knows decide whether it is a copy.
    """
    if view.op is P.reshape and len(view.params) > 1:
        raise complain(
            CompileTimeError,
            "a tensor and a reshaped part of it are used after one of them was changed in place, and "
            "open sizes decide whether they share their elements",
            cure="copy it: x.reshape(...).copy()",
        )
    return view.params


# ---- how the ops step


def _dense(shape: tuple) -> tuple:
    strides, n = [], 1
    for d in reversed(shape):
        strides.append(n)
        n = n * d
    return tuple(reversed(strides))


def lie_in_order(shape: tuple, strides: tuple) -> bool:
    """Whether elements that lie so apart have the order of their indices, without gaps."""
    apart = 1
    for n, step in zip(reversed(shape), reversed(strides)):
        if type(n) is not Dim and n != 1 and step != apart:
            return False
        apart = apart * n
    return True


def _alike(shape: tuple, result: tuple) -> bool:
    """Whether shapes differ in dimensions of size 1 alone. Nothing is assumed of open sizes."""
    old, new = ([d for d in s if type(d) is Dim or d != 1] for s in (shape, result))
    return len(old) == len(new) and all(map(_equal, old, new))


def _equal(a, b) -> bool:
    return a is b or (decided("eq", a - b) is True if Dim in (type(a), type(b)) else a == b)


def _reshaped(shape: tuple, strides: tuple, result: tuple) -> tuple | None:
    """The strides of a reshaped tensor; None if it must be a copy. Dimensions are merged in groups
    of equal size on both sides, whose elements must lie apart evenly.
    """
    if 0 in result:
        return _dense(result)
    old = [(n, s) for n, s in zip(shape, strides) if n != 1]
    found, i = [], 0
    for n in result:
        if n == 1:
            found.append(0)
            continue
        size, apart = old[i]
        while size % n:  # the sizes do not divide: take the next dimension in
            i += 1
            more, finer = old[i]
            if apart != more * finer:
                return None
            size, apart = size * more, finer
        rest = size // n
        found.append(apart * rest)
        old[i] = (rest, apart)
        i += rest == 1
    return tuple(found)


def _of_reshape(shape, strides, result, *_):
    if any(type(d) is Dim for d in (*shape, *result)):
        return _dense(result)  # asked for only where it is the truth, or `_known` raises
    return _reshaped(shape, strides, result)


def _of_broadcast(shape, strides, result):
    lead = len(result) - len(shape)
    return (0,) * lead + tuple(
        [s if n == m else 0 for n, s, m in zip(shape, strides, result[lead:])]
    )


def _put_slice(base, shape, value, begin, end, step):
    """The leading dimensions in which one position is taken are indices: that costs what the value
    costs.
    """
    if begin == (0,) * len(shape) and end == shape and step == (1,) * len(shape):
        return value
    ones = 0
    while ones < len(shape) and type(begin[ones]) is int and end[ones] == begin[ones] + 1:
        ones += 1
    value = P.reshape(value, value.shape[ones:])
    spans = [slice(b, None if e == -1 else e, s) for b, e, s in zip(begin, end, step)]
    return setitem(base(), (*begin[:ones], *spans[ones:]), value)


def _put_broadcast(base, shape, value, result):
    if value.shape[len(value.shape) - len(shape) :] != shape or value.size != _size(shape):
        raise complain(
            RuntimeError,
            "a tensor that was broadcast cannot be changed in place: several of its elements are one "
            "element of what it was made of",
            cure="copy it first: x = x.copy()",
        )
    return P.reshape(value, shape)


def _size(shape: tuple):
    n = 1
    for d in shape:
        n = n * d
    return n


def _put_position(base, shape, value, index, axis):
    return setitem(base(), (*[slice(None)] * axis, index), value)


def _put_point(base, shape, value, point):
    return P.tensor_scatter(
        base(), P.reshape(point, (1, *point.shape)), P.reshape(value, (1, *value.shape)), "update"
    )


def _inverse(perm: tuple) -> tuple:
    return tuple(sorted(range(len(perm)), key=perm.__getitem__))


_STRIDES = {
    P.reshape: _of_reshape,
    P.transpose: lambda shape, strides, perm: tuple([strides[p] for p in perm]),
    P.strided_slice: lambda shape, strides, begin, end, step: tuple(
        [s * k for s, k in zip(strides, step)]
    ),
    P.broadcast_to: _of_broadcast,
    P.gather: lambda shape, strides, index, axis: strides[:axis] + strides[axis + 1 :],
    P.gather_nd: lambda shape, strides, point: strides[point.shape[0] :],
}
"""By op: (shape, strides, *params) → strides of the result."""

_WRITTEN = {
    P.reshape: lambda base, shape, value, *_: P.reshape(value, shape),
    P.transpose: lambda base, shape, value, perm: P.transpose(value, _inverse(perm)),
    P.strided_slice: _put_slice,
    P.broadcast_to: _put_broadcast,
    P.gather: _put_position,
    P.gather_nd: _put_point,
}
"""By op: (what gives the operand, its shape, the new result, *params) → the new operand."""

POSITIONED = (P.gather, P.gather_nd)
"""What chooses by positions: parts are views where indexing calls it."""

for _op in (*_WRITTEN, P.split):
    _op.views = True

__all__ = ["POSITIONED", "Way", "pieces", "seen", "step", "written"]
