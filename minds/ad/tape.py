"""The eager tape: what ran, in order, and the walk back over it.

A tape records an application if one of its tensors is tracked: a watched input, or a result of a
recorded application. Several tapes may be active (nested `grad`); each tracks its own set, so
derivatives of different levels are never confused. The walk back sums contributions in reverse
program order. Both are the core's (`csrc/python/tape.cc`).
"""

from __future__ import annotations

import threading
from contextlib import ContextDecorator, contextmanager

from .. import _core
from ..base.errors import complain, locate
from ..ops import tensor_hooks as hooks
from ..ops.define import OPTIONAL, TENSORS, P
from ..ops.rules import Cotangents
from ..tensor import Tensor

local = threading.local()
active = _core.active_tapes
"""The tapes of this thread that record now, outermost first."""


def recording(tapes: tuple, fn):
    """``fn()`` with these tapes recording."""
    saved = _core.swap_tapes(tapes)
    try:
        return fn()
    finally:
        _core.swap_tapes(saved)


@contextmanager
def suspended():
    """Nothing is recorded inside, on any tape."""
    saved = _core.swap_tapes(())
    try:
        yield
    finally:
        _core.swap_tapes(saved)


def may_record() -> bool:
    """Whether tapes record here: outside of `NoGrad`."""
    return not getattr(local, "off", False)


def let_record(flag: bool) -> None:
    """Let the tapes of this thread record from here on, or keep them aside."""
    if flag == may_record():
        return
    if flag:
        _core.swap_tapes(local.aside)
    else:
        local.aside = _core.swap_tapes(())
    local.off = not flag


class NoGrad(ContextDecorator):
    """Inside nothing is differentiated, in PyNative mode: results are constants for `grad` around
    it.

    Examples:
        >>> import minds as ms
        >>> ms.set_context(mode=ms.PYNATIVE_MODE)
        >>> def f(x):
        ...     with ms._no_grad():
        ...         y = x * x
        ...     return x * y
        >>> float(ms.grad(f)(ms.Tensor(3.0)))
        9.0
    """

    def __init__(self):
        self._saved: list = []

    def __enter__(self) -> NoGrad:
        self._saved.append((active(), may_record()))
        let_record(False)
        return self

    def __exit__(self, *exc) -> None:
        tapes, may = self._saved.pop()
        local.off = not may
        _core.swap_tapes(tapes)


@contextmanager
def by_way_of(make):
    """What is recorded inside is so by ``make(tape)``, which has the tape for its ``inner``."""
    before = getattr(local, "way", None)
    saved = _core.swap_tapes(tuple(map(make, active())))
    local.way = make
    try:
        yield
    finally:
        local.way = before
        _core.swap_tapes(saved)


class Tape(_core.Tape):
    """Records inside ``with tape:``; afterwards `gradients` walks back."""

    def __enter__(self) -> Tape:
        if not may_record():
            raise complain(
                RuntimeError,
                "In no_grad context, you can not calculate gradient",
                cure="take the gradient outside of it",
            )
        way = getattr(local, "way", None)
        _core.swap_tapes((*active(), self if way is None else way(self)))
        return self

    def __exit__(self, *exc) -> None:
        _core.swap_tapes(tuple(t for t in active() if getattr(t, "inner", t) is not self))

    def gradients(self, outs, douts, wanted: list[Tensor], last: bool = False) -> list:
        """The gradient of sum(out·dout) with respect to each tensor of ``wanted``; None where
        nothing flows. With ``last`` nothing more is asked of the tape: it lets go on the way.
        """
        sums: dict[int, Tensor] = {}
        self.walk(sums, outs, douts, {id(w) for w in wanted}, last)
        for g in sums.values():  # a gradient shares its elements with no other
            if type(g._shares) is tuple and not any(g is d for d in douts):
                g._shares = None
        return [sums.get(id(w)) for w in wanted]


class _Identity:
    """Stands on a tape where one tensor took the value of another."""

    name, kinds, bprop_rule, decompose_rule = "identity", None, True, None

    @staticmethod
    def run_bprop(params: list, out, dout, need: tuple):
        """The gradient goes to the tensor whose value was taken, if there is one."""
        return (dout,) if params else ()


class _Rebinding(_Identity):
    """As `_Identity`, where an existing tensor has another value from here on."""

    rebinds = True


ALIAS, REBIND = _Identity(), _Rebinding()
"""ALIAS: a new tensor stands for an old value. REBIND: an existing tensor has another value from here on."""


def before_change(x: Tensor) -> None:
    """To be called before ``x`` takes another value: what was recorded keeps the old one, under a
    new identity.
    """
    if active():
        _keep_old([x])


def before_changes(xs: list[Tensor]) -> list[Tape]:
    """`before_change` of several that get their new values later; the tapes that record now. Until
    then no gradient flows through them.
    """
    tapes = active()
    if tapes:
        _keep_old(xs)
        for x in xs:
            after_change(x, None)
    return tapes


def _keep_old(xs: list[Tensor]) -> None:
    for x in xs:
        old = Tensor._wrap(x._array.reshape(x.shape))
        for t in active():
            t.exchange(x, old)
            t.record(ALIAS, [x], [x], old)


def after_change(x: Tensor, new: Tensor | None) -> None:
    """To be called after ``x`` took the value of ``new``, from which gradients flow if it is tracked;
    else they end here, as they do where ``new`` is None.
    """
    for t in active():
        if new is not None and t.tracks(new):
            t.record(REBIND, [new], [new], x)
        else:
            t.cut(REBIND, x)


def cotangents(parts: list, outs: tuple) -> Cotangents:
    """The cotangents of an op with several results."""
    return Cotangents(parts, lambda i: P.full(outs[i].shape, 0, outs[i].dtype))


def gradients(op, params: list, out, dout, need: tuple) -> list:
    """One per tensor, in the order of the leaves."""
    return flat_gradients(op, params, op.run_bprop(params, out, dout, need))


def fail(error: TypeError, loc) -> None:
    """Raise what went wrong on the way back, at the line of the op."""
    raise locate(error, loc) from None


def flat_gradients(op, params: list, grads) -> list:
    """The rule's gradients, one per tensor, as `Tape.record` lists the leaves."""
    if not isinstance(grads, (tuple, list)):
        grads = (grads,)
    kinds = getattr(op, "kinds", None)
    if kinds is None or (TENSORS not in kinds and OPTIONAL not in kinds):
        return list(grads)
    flat = []
    for g, i in zip(grads, op.tensor_at):
        if kinds[i] == TENSORS:
            flat += [None] * len(params[i]) if g is None else list(g)
        elif params[i] is not None:
            flat.append(g)
    return flat


def install(add) -> None:
    """Tell the core what the way back needs of Python; ``add(x, y)`` sums two contributions."""
    _core.set_tape(add, hooks.registered, hooks.applied, cotangents, gradients, fail)
