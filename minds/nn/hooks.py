"""What a call of a cell does besides `construct`: hooks, casts of mixed precision, and a custom
``bprop``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

from ..base.errors import complain
from ..eager import custom_call
from ..frontend.emit import EmitBuilder
from ..ir.abstract import AbstractScalar
from ..ir.node import Node, set_args
from ..ops.define import P
from ..ops.tensor_hooks import changed
from ..tensor import Tensor
from ..transforms import saved_tensors
from ..transforms.recompute import emit as emit_again
from ..transforms.recompute import run as run_again
from . import precision


class Hook(NamedTuple):
    """A function to call, and how."""

    fn: Callable
    with_kwargs: bool
    always: bool


class HookHandle:
    """What registering a hook returns.

    Examples:
        >>> from minds import nn
        >>> handle = nn.ReLU().register_forward_hook(lambda cell, inputs, output: None)
        >>> handle.remove()
    """

    def __init__(self, cell, kind: str, hook: Hook):
        self._cell, self._kind, self._hook = cell, kind, hook

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        found = self._cell._hooks[self._kind]
        kept = tuple(h for h in found if h is not self._hook)
        if len(kept) < len(found):
            self._cell._hooks[self._kind] = kept
            changed()


def register(
    cell, kind: str, fn: Callable, prepend=False, with_kwargs=False, always=False
) -> HookHandle:
    """Add ``fn`` to the hooks of ``kind`` of ``cell``.

    Raises:
        TypeError: ``fn`` cannot be called.
    """
    compiled = hasattr(fn, "_compiled_from")
    if compiled or not callable(fn):
        what = "compiled" if compiled else f"of type {type(fn).__name__}"
        raise complain(
            TypeError,
            f"register_{kind}_hook: hook_fn is {what}",
            expected="a function that is not; it is compiled with the cell in graph mode",
        )
    if "_hooks" not in vars(cell):
        cell._hooks = {}
    found, hook = cell._hooks.get(kind, ()), Hook(fn, with_kwargs, always)
    cell._hooks[kind] = (hook, *found) if prepend else (*found, hook)
    cell._plain = False
    changed()
    return HookHandle(cell, kind, hook)


def call(cell, args: tuple, kwargs: dict):
    """Run ``cell`` eagerly with all that it asks for, in the order: pre hooks, casts, construct or
    bprop, hooks.
    """
    hooks = vars(cell).get("_hooks", {})
    args, kwargs = _before(hooks, _call, cell, args, kwargs)
    douts: list = []
    if hooks.get("backward"):
        args = _watch_inputs(cell, hooks["backward"], args, douts)
    try:
        out = _construct(cell, args, kwargs)
    except Exception:
        for h in hooks.get("forward", ()):
            if h.always:
                h.fn(cell, args, *([kwargs] if h.with_kwargs else []), None)
        raise
    out = _after(hooks, _call, cell, args, kwargs, out)
    if hooks.get("backward_pre") or hooks.get("backward"):
        out = _watch_outputs(cell, hooks.get("backward_pre", ()), out, douts)
    return out


def emit_watched(cell, watcher: Callable, around: Callable | None):
    """What the compiler calls for a cell that `minds.summary` watches; ``around`` is what it would else."""

    def watched(ip, args, kwargs):
        inside = around or ip.differentiable_cell
        call = functools.partial(inside, *((ip,) if around else (cell,)), args, kwargs)
        return watcher(ip, cell, args, kwargs, call)

    return watched


def emit(cell):
    """What the compiler calls for a cell with hooks: as `call`, with the hooks compiled."""

    def around(ip, args, kwargs):
        def run(fn, *values):
            return ip.call(fn, list(values), {})

        hooks = cell._hooks
        args, kwargs = _before(hooks, run, cell, tuple(args), kwargs)
        fns = hooks.get("backward", ()), hooks.get("backward_pre", ())
        marks = []
        if fns[0]:
            marks = [ip.native(P.reshape, a, a.shape) if _flows(a) else None for a in args]
            args = tuple(a if m is None else m for a, m in zip(args, marks))
        if cell._recomputed:
            out = emit_recomputed(cell)(ip, list(args), kwargs)
        else:
            out = ip.construct_cell(cell, list(args), kwargs)
        out = _after(hooks, run, cell, args, kwargs, out)
        return (
            _emit_watch(ip, cell, fns, [m for m in marks if m is not None], out)
            if any(fns)
            else out
        )

    return around


def _call(fn, *values):
    return fn(*values)


def _before(hooks: dict, run, cell, args: tuple, kwargs: dict) -> tuple:
    """What the pre hooks make of the arguments."""
    for h in hooks.get("forward_pre", ()):
        changed = run(h.fn, cell, args, kwargs) if h.with_kwargs else run(h.fn, cell, args)
        if changed is not None and h.with_kwargs:
            args, kwargs = changed
        elif changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    return args, kwargs


def _after(hooks: dict, run, cell, args: tuple, kwargs: dict, out):
    """What the forward hooks make of the output."""
    for h in hooks.get("forward", ()):
        changed = (
            run(h.fn, cell, args, kwargs, out) if h.with_kwargs else run(h.fn, cell, args, out)
        )
        out = out if changed is None else changed
    return out


def recompute(cell, mode: bool) -> None:
    """Let ``cell`` be recomputed for its gradient, or not."""
    cell._recomputed = mode
    if mode:
        cell._plain = False
    changed()


def emit_recomputed(cell):
    """What the compiler calls for a cell that is recomputed."""
    return lambda ip, args, kwargs: emit_again(ip, lambda: ip.construct_cell(cell, args, kwargs))


def _construct(cell, args: tuple, kwargs: dict):
    """`construct` and what belongs to it, all of which is run again where the cell is
    recomputed.
    """
    kept = vars(cell).get("_kept_by")
    if kept is not None:
        with saved_tensors.saving(kept):
            return _run(cell, args, kwargs)
    if cell._recomputed:
        return run_again(lambda *a: _run(cell, a, kwargs), args)
    return _run(cell, args, kwargs)


def keep_by(cell, pack_hook, unpack_hook) -> None:
    """Let hooks keep what gradients read of the tensors of ``cell``."""
    of = "register_saved_tensors_hooks"
    cell.__dict__["_kept_by"] = saved_tensors.Hooks(pack_hook, unpack_hook, of)
    cell._plain = False
    changed()


def emit_kept(cell, around: Callable | None):
    """What the compiler calls for a cell whose tensors hooks keep; ``around`` is what it would else."""

    def kept(ip, args, kwargs):
        inside = around or ip.differentiable_cell
        call = functools.partial(inside, *((ip,) if around else (cell,)), args, kwargs)
        return saved_tensors.emit(ip, cell._kept_by, call)

    return kept


def _run(cell, args: tuple, kwargs: dict):
    run = functools.partial(_differentiable, cell)
    return run(args, kwargs) if cell._precision is None else precision.run(cell, run, args, kwargs)


def _differentiable(cell, args: tuple, kwargs: dict):
    if getattr(type(cell), "bprop", None) is None:
        return cell.construct(*args, **kwargs)
    inputs, weights = len(args), tuple(getattr(cell, "internal_params", ()))
    used = getattr(cell, "used_bprop_inputs", None)

    def backward(*given):
        *given, dout = (*given[:inputs], *given[-2:])  # without the weights
        if used is not None:
            given = [v if i in used else None for i, v in enumerate(given)]
        grads = cell.bprop(*given, dout)
        if not weights:
            return grads
        of_inputs, of_weights = grads
        return (*of_inputs, *map(of_weights.get, weights))

    return custom_call(
        lambda *given: cell.construct(*given[:inputs], **kwargs), backward, (*args, *weights)
    )


class HookedInputs:
    """An identity on the inputs of a cell that also gives zeros like its outputs. `HookedOutputs`
    takes these in, and lets their cotangents be those of the outputs, so that the backward hooks
    see both in one place.
    """

    def __init__(self, cell, fns, count: int, shapes: list):
        self.cell, self.fns, self.count, self.shapes = cell, tuple(h.fn for h in fns), count, shapes

    def construct(self, *inputs):
        return (*inputs, *[P.full(shape, 0, dtype) for shape, dtype in self.shapes])

    def bprop(self, *values):
        dout = values[-1]
        grads, douts = dout[: self.count], dout[self.count :]
        for fn in self.fns:
            changed = fn(self.cell, grads, douts)
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
        return grads


class HookedOutputs:
    """An identity on the outputs of a cell whose gradient the backward pre hooks make; the rest of
    its inputs gets the same cotangents.
    """

    def __init__(self, cell, fns, count: int):
        self.cell, self.fns, self.count = cell, tuple(h.fn for h in fns), count

    def construct(self, *values):
        return values[: self.count]

    def bprop(self, *values):
        grads = values[-1]
        for fn in self.fns:
            changed = fn(self.cell, grads)
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
        return grads + grads[: len(values) - 2 - self.count]


def _flows(v) -> bool:
    return (
        isinstance(v, (Node, Tensor))
        and not isinstance(v.abstract, AbstractScalar)
        and v.dtype.is_float
    )


def _emit_watch(ip, cell, fns: tuple, inputs: list, out):
    """``out`` with gradients that pass through the backward hooks ``fns[0]`` and pre hooks
    ``fns[1]``.

    ``inputs`` are applies that stand for the inputs; behind them is put what calls the hooks.
    """
    single = not isinstance(out, tuple)
    outs, taps = [out] if single else list(out), []
    places = [i for i, v in enumerate(outs) if _flows(v)]
    if inputs:
        users = [list(m.uses) for m in inputs]
        shapes = [(outs[i].shape, outs[i].dtype) for i in places]
        with ip.inside(EmitBuilder(ip, inputs[-1].graph)) as builder:
            builder.before = inputs[-1].next
            seen = ip.construct_cell(HookedInputs(cell, fns[0], len(inputs), shapes), inputs, {})
        taps = seen[len(inputs) :]
        for m, by, new in zip(inputs, users, seen):
            outs = [new if v is m else v for v in outs]
            for user in by:
                set_args(user, [new if a is m else a for a in user.args])
    if not places:
        return out
    given = [*[outs[i] for i in places], *taps]
    found = ip.construct_cell(HookedOutputs(cell, fns[1], len(places)), given, {})
    for i, v in zip(places, found):
        outs[i] = v
    return outs[0] if single else tuple(outs)


def _watch_inputs(cell, fns: tuple, args: tuple, douts: list) -> tuple:
    """``args`` passed through an identity whose gradient calls the backward hooks."""
    places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]

    def backward(*params):
        grads = tuple(params[-1])
        for h in fns:
            changed = h.fn(cell, grads, douts[-1] if douts else ())
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
        return grads

    seen = custom_call(lambda *tensors: tensors, backward, tuple(args[i] for i in places))
    args = list(args)
    for i, t in zip(places, seen):
        args[i] = t
    return tuple(args)


def _watch_outputs(cell, fns, out, douts: list):
    """``out`` passed through an identity whose gradient calls the backward pre hooks and notes what
    arrives.
    """
    single = isinstance(out, Tensor)

    def backward(*params):
        grads = (params[-1],) if single else tuple(params[-1])
        for h in fns:
            changed = h.fn(cell, grads)
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
        douts.append(grads)
        return grads

    if single:
        return custom_call(lambda t: t, backward, (out,))
    return custom_call(lambda *tensors: tensors, backward, tuple(out))


__all__ = [
    "HookHandle",
    "call",
    "emit",
    "emit_kept",
    "emit_recomputed",
    "keep_by",
    "recompute",
    "register",
]
