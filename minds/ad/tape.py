"""The eager tape: what ran, in order, and the walk back over it.

A tape records an application if one of its tensors is tracked: a watched input, or a result of a
recorded application. Several tapes may be active (nested `grad`); each tracks its own set, so
derivatives of different levels are never confused. The walk back sums contributions in reverse
program order, exactly as the graph's J does.
"""

from __future__ import annotations

import threading
from contextlib import ContextDecorator, contextmanager

from ..base.errors import complain, locate, user_loc
from ..ops import tensor_hooks as hooks
from ..ops.define import OPTIONAL, TENSORS, P
from ..ops.rules import Cotangents
from ..tensor import Tensor

local = threading.local()


def active() -> list[Tape]:
    """The tapes of this thread that record now, outermost first."""
    tapes = getattr(local, "tapes", None)
    if tapes is None:
        tapes = local.tapes = []
    return tapes


@contextmanager
def suspended():
    """Nothing is recorded inside, on any tape."""
    saved, local.tapes = active(), []
    try:
        yield
    finally:
        local.tapes = saved


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
        self._saved.append((active(), getattr(local, "off", False)))
        local.tapes, local.off = [], True
        return self

    def __exit__(self, *exc) -> None:
        local.tapes, local.off = self._saved.pop()


class Tape:
    """Records inside ``with tape:``; afterwards `gradients` walks back."""

    def __init__(self):
        self.records: list[tuple] = []
        self.tracked: dict[int, object] = {}

    def __enter__(self) -> Tape:
        if getattr(local, "off", False):
            raise complain(
                RuntimeError,
                "In no_grad context, you can not calculate gradient",
                cure="take the gradient outside of it",
            )
        active().append(self)
        return self

    def __exit__(self, *exc) -> None:
        active().remove(self)

    def watch(self, t: Tensor) -> None:
        """Gradients with respect to ``t`` will be asked for."""
        self.tracked[id(t)] = t

    def record(self, op, params: list, leaves: list, out) -> None:
        """Note that ``op`` on ``params`` gave ``out``; ``leaves`` are the tensors among the params,
        None where absent.
        """
        tracked = self.tracked
        need = tuple(id(t) in tracked and t.abstract.dtype.kind != "b" for t in leaves)
        if True not in need:
            return
        outs = out if type(out) is tuple else (out,)
        for o in outs:
            if isinstance(o, Tensor) and o.abstract.dtype.kind != "b":
                tracked[id(o)] = o
        loc = None if op.bprop_rule or op.decompose_rule else user_loc()
        out_ids = tuple(map(id, outs))
        self.records.append((op, list(params), [id(t) for t in leaves], need, out, out_ids, loc))

    def gradients(self, outs, douts, wanted: list[Tensor]) -> list:
        """The gradient of sum(out·dout) with respect to each tensor of ``wanted``; None where
        nothing flows.
        """
        sums: dict[int, Tensor] = {}
        self.walk(sums, outs, douts, {id(w) for w in wanted})
        for g in sums.values():  # a gradient shares its elements with no other
            if type(g._shares) is tuple and not any(g is d for d in douts):
                g._shares = None
        return [sums.get(id(w)) for w in wanted]

    def walk(self, sums: dict, outs, douts, keep: set) -> None:
        """Add to ``sums``, by identity, what flows from ``outs``; those of ``keep`` are asked for
        later.
        """
        for o, d in zip(outs, douts):
            if d is not None and id(o) in self.tracked:
                _accumulate(sums, id(o), d)
        for op, params, ids, need, out, out_ids, loc in reversed(self.records):
            # Before a rebinding the tensor had another value, to which the sum so far does not
            # belong.
            parts = [
                sums.get(i) if i in keep and op is not REBIND else sums.pop(i, None)
                for i in out_ids
            ]
            if all(p is None for p in parts):
                continue
            if op.name == "recompute":
                op.pull(params, ids, need, parts, sums)
                continue
            if hooks.registered:
                outs_now = out if type(out) is tuple else (out,)
                parts = [
                    p if p is None or i in keep else hooks.applied(o, p)
                    for p, i, o in zip(parts, out_ids, outs_now)
                ]
            dout = Cotangents(parts, _zero_of(out)) if type(out) is tuple else parts[0]
            try:
                grads = op.run_bprop(params, out, dout, need)
            except TypeError as e:
                raise locate(e, loc) from None
            for i, flag, g in zip(ids, need, flat_gradients(op, params, grads)):
                if flag and g is not None:
                    _accumulate(sums, i, g)


class _Identity:
    """Stands on a tape where one tensor took the value of another."""

    name, kinds, bprop_rule, decompose_rule = "identity", None, True, None

    @staticmethod
    def run_bprop(params: list, out, dout, need: tuple):
        """The gradient goes to the tensor whose value was taken, if there is one."""
        return (dout,) if params else ()


ALIAS, REBIND = _Identity(), _Identity()
"""ALIAS: a new tensor stands for an old value. REBIND: an existing tensor has another value from
here on.
"""


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
    return list(tapes)


def _keep_old(xs: list[Tensor]) -> None:
    olds = {id(x): (x, Tensor._wrap(x._array.reshape(x.shape))) for x in xs}
    for t in active():
        for i, (op, params, ids, need, out, out_ids, loc) in enumerate(t.records):
            params[:] = [_exchanged(p, olds) for p in params]
            if not olds.keys().isdisjoint(out_ids):
                t.records[i] = (op, params, ids, need, _exchanged(out, olds), out_ids, loc)
        for x, old in olds.values():
            t.record(ALIAS, [x], [x], old)


@contextmanager
def recording(tapes: list[Tape]):
    """These tapes record too."""
    saved = active()
    local.tapes = [*tapes, *[t for t in saved if t not in tapes]]
    try:
        yield
    finally:
        local.tapes = saved


def after_change(x: Tensor, new: Tensor | None) -> None:
    """To be called after ``x`` took the value of ``new``, from which gradients flow if it is tracked;
    else they end here, as they do where ``new`` is None.
    """
    for t in active():
        if new is not None and id(new) in t.tracked:
            t.record(REBIND, [new], [new], x)
        elif id(x) in t.tracked:
            t.records.append((REBIND, [], [], (), x, (id(x),), None))


def _exchanged(p, olds: dict):
    if type(p) in (tuple, list):
        return tuple([_exchanged(e, olds) for e in p])
    return olds[id(p)][1] if id(p) in olds else p


def _zero_of(outs: tuple):
    return lambda i: P.full(outs[i].shape, 0, outs[i].dtype)


def _accumulate(sums: dict, key: int, g: Tensor) -> None:
    old = sums.get(key)
    sums[key] = g if old is None else P.add(old, g)


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
