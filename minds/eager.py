"""PyNative mode: an op call runs at once.

bind → promote → infer → prepare the kernel → launch → record on the active tapes. What a call
resolved to is kept by the core (`csrc/python/op.cc`), which runs the next one like it without
Python. The kernels and gradient rules are those of graph mode, so the numbers
are too.
"""

from __future__ import annotations

import inspect
from contextlib import contextmanager, nullcontext

import numpy as np

from . import _core, eager_views
from .ad import tape
from .base import devices, tree
from .base import dtype as dt
from .base.errors import InternalError, class_of, complain, is_named, locate, user_loc
from .base.loc import Loc
from .base.options import get_context, tf32
from .ir.abstract import NONE, AbstractScalar, AbstractTuple
from .ir.node import Node
from .lower.kernels import attributes, has_kernel, has_own_kernel, is_the_hosts, selecting
from .ops import autocast, define, inplace_methods, methods
from .ops.define import ATTR, OPTIONAL, TENSOR, TENSORS, Op, P, is_of_library
from .ops.promotion import ALONE, NUMBERS, is_uniform, promote
from .ops.rules import filled, fitted
from .tensor import Parameter, Tensor, scalar_tensor

_wrap = Tensor._wrap
_HOST = _core.device("cpu")
_HERE = nullcontext()


def _launch(op: Op, seen: list, device: _core.Device) -> _core.Launch:
    """What a call of ``op`` with these abstract values and attributes resolves to."""
    result, normal = op.infer(seen)
    params = [None if k != ATTR else v for v, k in zip(normal, op.kinds)]
    has_rule = op.bprop_rule is not None or op.decompose_rule is not None
    plain = op.bprop_rule is not None and TENSORS not in op.kinds and OPTIONAL not in op.kinds
    view = result.shape if op.kernel == "view" else None
    kernel = None
    inputs, results = _operand_types(op, seen), _types(result)
    if view is None and (
        op.host is None or has_own_kernel(op, device.name, selecting(inputs, results))
    ):
        kernel = _kernel(op, seen, normal, inputs, results, device)
    pure = not op.has_effect and is_of_library(op)
    launch = _core.Launch(kernel, view, result, params, has_rule, plain, pure)
    launch.takes = bool(op.inplace) and op.inplace["out"] == op.names[0] and result == seen[0]
    if op.views:
        launch.ways = eager_views.ways(op, normal)
    return launch


def _types(result) -> tuple:
    return result.items if isinstance(result, AbstractTuple) else (result,)


def _operand_types(op: Op, seen: list) -> list:
    return [
        a
        for v, k in zip(seen, op.kinds)
        if k != ATTR and v is not None
        for a in (v if k == TENSORS else (v,))
    ]


def _kernel(
    op: Op, seen: list, normal: list, inputs: list, results: tuple, device: _core.Device
) -> _core.Kernel | None:
    """The kernel that runs ``op`` on a device, or the host's where that may; None if ``op`` is made of
    others there.
    """
    first = selecting(inputs, results)
    if not has_kernel(op.kernel, device.name, first):
        if op.decomposes(first):
            return None
        if not has_kernel(op.kernel, "cpu", first) or not (op.draws or _falls_back()):
            raise _without(op, first, device)
        device = _HOST
    return _core.Kernel(
        op.kernel,
        device,
        [(a.shape, a.dtype.code) for a in inputs],
        [(a.shape, a.dtype.code) for a in results],
        attributes(
            op,
            [v if k == ATTR else a for v, k, a in zip(normal, op.kinds, seen)],
            () if device.is_host else tf32(),
        ),
    )


def _falls_back() -> bool:
    """Whether the host may run what a device cannot."""
    return get_context("host_fallback")


def _without(op: Op, dtype: dt.DType, device: _core.Device) -> Exception:
    """The error of an op that the device has no kernel for."""
    cure = "cast the operands to a supported dtype"
    if has_kernel(op.kernel, "cpu", dtype):
        cure += ", or set_context(host_fallback=True) lets the host run it"
    where = devices.shown(device).partition(":")[0]
    return complain(TypeError, f"{op.name}: has no {where} kernel for {dtype.name}", cure=cure)


def run(op: Op, bound: list):
    """The eager reading of ``op(*bound)``.

    Raises:
        TypeError, ValueError, IndexError: what inference or the kernel refuses, at the user's line.
    """
    try:
        return _run(op, bound)
    except InternalError:
        raise
    except (TypeError, ValueError, IndexError, RuntimeError, MemoryError, OverflowError) as e:
        complaint = getattr(e, "complaint", None)
        if (
            complaint is None
            and op.host is not None
            or complaint is not None
            and complaint.loc is not None
        ):
            raise  # what a user's function raises, or what is complete
        located = locate(e, user_loc(), _operand_texts(op, bound))
        head, inner = located.complaint.head, getattr(define.LIBRARY, op.name, None) is op
        if not (is_named(head) if inner else head.startswith(op.name + ":")):
            located.complaint.head = f"{op.name}: {located.complaint.head}"
        raise located from None


def _told_later(error: _core.Error) -> Exception:
    """What a device found wrong with a launch, at the line that launched it."""
    op = next((op for op in P if op.kernel == error.op), None)
    name, operands, loc = error.op, [], None
    if op is not None:
        name, named = op.name, [op.names[i] for i in op.tensor_at]
        if len(named) == len(error.operands):
            operands = list(zip(named, error.operands, strict=True))
    if error.site is not None:
        file, line, function = error.site
        loc = Loc(file, line, 0, line, 0, function)
    located = locate(error, loc, operands)
    located.complaint.head = f"{name}: {located.complaint.head}"
    return located


def _operand_texts(op: Op, bound: list) -> list:
    return [(n, repr(v.abstract)) for n, v in zip(op.names, bound) if isinstance(v, Tensor)]


def _run(op: Op, bound: list):
    """A call that the core did not know: what it does is kept for the next one like it."""
    given = list(bound)
    if op.promote_at and not is_uniform(op, bound):
        promote(op, bound, _abstract, _converted)
    arrays, leaves, seen = [], [], []
    for i, kind in enumerate(op.kinds):
        v = bound[i]
        if kind == TENSOR or (kind == OPTIONAL and v is not None):
            if not isinstance(v, Tensor):
                v = bound[i] = _operand(op, i, v)
            seen.append(v.abstract)
            leaves.append(v)
            arrays.append(v._array)
        elif kind == TENSORS:
            v = bound[i] = _several(op, i, v)
            seen.append(tuple(e.abstract for e in v))
            leaves += v
            arrays += [e._array for e in v]
        else:
            seen.append(v)
    device = home = _HOST
    if devices.used:
        home, arrays = _placed(op, bound, leaves, arrays)
        dtypes = [leaf.dtype for leaf in leaves] or [v for v in bound if isinstance(v, dt.DType)]
        first = dtypes[0] if dtypes else None
        if op.host is not None or not is_the_hosts(op, home.name, first):
            device = home
    on = None if device is _HOST else (device.label, tf32(), _falls_back())
    launch = _core.found_launch(op, bound, on)
    if launch is None:
        launch = _launch(op, seen, device)
        _core.keep_launch(op, bound, on, launch)
    _keep_casts(op, given, bound)
    if launch.native and home is not _HOST and (launch.on_host or device is _HOST):
        out = _run_by_host(launch, arrays, home)
    elif launch.native:
        out = launch.run(arrays)
    else:
        out = _without_kernel(op, launch, bound, leaves, device)
        if op.host is None and op.bprop_rule is None and not op.nondiff:
            return out  # the ops that it is made of are on the tapes
    if launch.ways and home is device:
        eager_views.note(launch, bound, out)
    tapes = tape.active()
    if tapes and not op.nondiff:
        params = [v if k != ATTR else p for v, k, p in zip(bound, op.kinds, launch.params)]
        loc = None if op.bprop_rule or op.decompose_rule else user_loc()
        for t in tapes:
            t.record(op, params, leaves, out, loc)
    return out


def _run_by_host(launch: _core.Launch, arrays: list, device: _core.Device):
    """What a kernel of the host's gives for operands that are on a device, there."""
    out = launch.run([a.to(_HOST) for a in arrays])
    if launch.many:
        return tuple(_wrap(o._array.to(device)) for o in out)
    return _wrap(out._array.to(device))


def _keep_casts(op: Op, given: list, bound: list) -> None:
    """Let the core know to which dtypes the operands that were given have been cast."""
    changed = [a is not b for a, b in zip(given, bound)]
    kinds = [k for k, c in zip(op.kinds, changed) if c]
    if any(changed) and TENSORS not in kinds:
        casts = tuple(b.dtype if c else None for b, c in zip(bound, changed))
        _core.keep_launch(op, given, None, casts)


def _several(op: Op, i: int, v) -> tuple:
    """The Tensors given where a list of them is expected."""
    if not isinstance(v, (tuple, list)):
        raise complain(
            TypeError,
            f"{op.name}: {op.names[i]} has type {class_of(v)}",
            expected="a tuple or list of Tensors",
        )
    return tuple(e if isinstance(e, Tensor) else _operand(op, i, e) for e in v)


def _without_kernel(op: Op, launch: _core.Launch, bound: list, leaves: list, device: _core.Device):
    """What a Python function, or the ops that ``op`` is made of, give on a device."""
    with _HERE if device is _HOST else _working_on(device):
        if op.host is not None:
            return _run_host(op, launch, bound)
        params = [v if k != ATTR else p for v, k, p in zip(bound, op.kinds, launch.params)]
        if op.bprop_rule is None and not op.nondiff:
            return op.decompose_rule(*params)
        if device is _HOST:
            return launch.make(leaves, op.decompose_rule, params)
        with tape.suspended():
            return op.decompose_rule(*params)


def _placed(op: Op, bound: list, leaves: list, arrays: list) -> tuple:
    """The device that runs an op, where its operands are; and their arrays there. Tensors on the
    CPU follow the others to the device of the context, since they may be older than its choice; a
    parameter stays there.

    Raises:
        ValueError: the operands are on different devices.
    """
    current = _core.current_device()
    found = {a.device.label: a.device for a in arrays}
    if not found:
        return current, arrays
    away = [d for d in found.values() if not d.is_host]
    if not away or len(found) == 1:
        return away[0] if away else _HOST, arrays
    moving = any(a.shape and a.is_host for a in arrays)  # a number may be taken from the CPU
    if len(away) > 1 or moving and away[0].label != current.label:
        raise _apart(op, bound, found.values(), away[0])
    home = away[0]
    for leaf in leaves:
        if isinstance(leaf, Parameter):
            leaf._array.assign(_at(leaf._array, home), force=True)
    return home, [_at(leaf._array, home) for leaf in leaves]


def _apart(op: Op, bound: list, found, home: _core.Device) -> Exception:
    """The error of operands on different devices; those in lists have no names."""
    on = {n: v.device for n, v in zip(op.names, bound) if isinstance(v, Tensor)}
    shown = [f"{n} is on {d}" for n, d in on.items()] or map(devices.shown, found)
    return complain(
        ValueError,
        f"{op.name}: the operands are on different devices: {', '.join(shown)}",
        cure=f"move one: {next(iter(on), 'x')}.to({devices.shown(home)!r})",
    )


def _at(array: _core.Array, device: _core.Device) -> _core.Array:
    return array if array.device.label == device.label else array.to(device)


@contextmanager
def _working_on(device: _core.Device):
    """New arrays are made on ``device`` for a while."""
    before = _core.use_device(device)
    try:
        yield
    finally:
        _core.use_device(before)


def _run_host(op: Op, launch: _core.Launch, bound: list):
    """A primitive whose kernel is a Python function on NumPy arrays; its results are checked
    against its inference.
    """
    raw = op.host(*[_on_host(v) for v in bound])
    if launch.abstract is NONE:
        return None
    results = raw if launch.many else (raw,)
    wanted = launch.abstract.items if launch.many else (launch.abstract,)
    outs = []
    for r, w in zip(results, wanted):
        t = Tensor(r, w.dtype)
        if not _is_of(t.shape, w.shape):
            raise complain(
                ValueError,
                f"{op.name}: its kernel returned shape {t.shape}, its infer_shape says {w.shape}",
            )
        outs.append(t)
    return tuple(outs) if launch.many else outs[0]


def _is_of(shape: tuple, inferred: tuple) -> bool:
    """Whether a shape is the inferred one, of which the kernel may have found sizes: these are not
    compared, which would be a question to the program that is compiled.
    """
    sizes = zip(shape, inferred)
    return len(shape) == len(inferred) and all(type(d) is not int or d == k for k, d in sizes)


def _on_host(v):
    """A value as a Python kernel gets it: tensors as NumPy arrays."""
    if isinstance(v, Tensor):
        return v.asnumpy()
    return tuple(map(_on_host, v)) if type(v) is tuple else v


def _operand(op: Op, i: int, v) -> Tensor:
    """A Tensor for a number given where a Tensor is expected."""
    if type(v) in ALONE:
        return scalar_tensor(v, (NUMBERS if op.tensor else ALONE)[type(v)])
    if isinstance(v, Node):
        raise complain(TypeError, f"{op.name}: a graph node met a tensor outside of compilation")
    raise complain(
        TypeError,
        f"{op.name}: {op.names[i]} has type {class_of(v)}",
        expected="a Tensor or a number",
    )


def _abstract(op: Op, bound: list, i: int):
    """The abstract value of a promotable operand; an array or a list becomes a Tensor, a number of
    NumPy one of Python.
    """
    v = bound[i]
    if isinstance(v, np.generic):
        v = bound[i] = v.item()
    if isinstance(v, (bool, int, float, complex)):
        known = type(v) in ALONE
        return AbstractScalar(type(v) if known else complex if isinstance(v, complex) else float)
    if not isinstance(v, Tensor):
        v = bound[i] = define.array_like(op, i, v)
    return v.abstract


def _converted(v, a, dtype: dt.DType) -> Tensor:
    return P.cast(v, dtype) if isinstance(v, Tensor) else scalar_tensor(v, dtype)


class CustomBackward:
    """Stands on a tape for a call with its own gradient: a cell's ``bprop``, or a function's. What
    it took and gave may hold tensors in tuples, lists and dicts.
    """

    decompose_rule = None
    bprop_rule = True
    name = "bprop"

    def __init__(self, backward, out):
        self.backward, self.out = backward, out

    def run_bprop(self, params: list, out, dout, need: tuple):
        """The user's gradients, checked to be one per input; flat, as the tape has the tensors."""
        if not isinstance(self.out, Tensor):
            out, dout = _refilled(self.out, out), _refilled(_gradients_of(self.out), tuple(dout))
        grads = self.backward(*params, out, dout)
        grads = grads if isinstance(grads, (tuple, list)) else (grads,)
        if len(grads) != len(params):
            raise complain(
                TypeError,
                f"bprop: the gradients number: {len(grads)} is not equal to the args number: "
                f"{len(params)}.",
                expected="one gradient per input of construct",
            )
        strict = get_context("check_bprop")
        flat: list = []
        for i, (g, p) in enumerate(zip(grads, params)):
            inputs = _tensors(p)
            given = [g] * len(inputs) if isinstance(p, Tensor) or g is None else tree.leaves(g)
            if len(given) != len(inputs) and inputs:
                raise complain(
                    TypeError, f"bprop: gradient {i} does not have the structure of input {i}"
                )
            flat += [self._fitted(e, t, i, strict) for e, t in zip(given, inputs)]
        return flat

    @staticmethod
    def _fitted(g, p: Tensor, i: int, strict: bool):
        if g is None:
            return None
        if type(g) in (int, float):
            return filled(g, p, i, "bprop", strict)
        if not isinstance(g, Tensor):
            raise complain(
                TypeError,
                f"bprop: gradient {i} is {type(g).__name__}",
                expected="a Tensor, a number or None",
            )
        return fitted(g, p, i, "bprop", strict)


def custom_call(forward, backward, args: tuple):
    """``forward(*args)``, whose gradient is ``backward(*args, out, dout)``."""
    tapes = list(tape.active())
    with tape.suspended():
        out = forward(*args)
    if tapes:
        fresh = _fresh(out) if isinstance(out, Tensor) else tree.map(_fresh, out)
        rule, leaves = CustomBackward(backward, fresh), _tensors(args)
        flat = fresh if isinstance(fresh, Tensor) else tuple(_tensors(fresh))
        for t in tapes:
            t.record(rule, list(args), leaves, flat)
        return fresh
    return out


def _tensors(v) -> list:
    return [v] if isinstance(v, Tensor) else tree.leaves(v, only=lambda e: isinstance(e, Tensor))


def _refilled(v, new: tuple):
    """``v`` with its tensors replaced in order."""
    left = iter(new)
    return tree.map(lambda e: next(left) if isinstance(e, Tensor) else e, v)


def _gradients_of(v):
    """``v`` with zeros in place of its numbers, which have no gradient."""
    return tree.map(lambda e: 0 if type(e) in NUMBERS else e, v)


def moved(x: Tensor, device: _core.Device) -> Tensor:
    """``x`` on a device; gradients come back to where it is."""
    if x._array.device.label == device.label:
        return x
    return custom_call(
        lambda t: _wrap(t._array.to(device)),
        lambda t, out, dout: moved(dout, t._array.device),
        (x,),
    )


def _value(self) -> Tensor:
    """The present value, as a Tensor that later updates do not change; gradients flow through
    it.
    """
    return eager_views.own(self)


Parameter.value = _value


def _fresh(t):
    """The same values under a new identity, so that a result that is an input is told from it."""
    return _wrap(t._array.reshape(t.shape)) if isinstance(t, Tensor) else t


def set_item(x: Tensor, index, value) -> None:
    """``x[index] = value``: the tensor takes a new value, cast to its dtype; gradients flow through
    it.

    Raises:
        IndexError, TypeError, ValueError: what the index or the value's shape is refused for.
    """
    if type(value) in ALONE and not isinstance(index, Tensor):
        value = P.cast(value, x.dtype)  # else what is kept of a call would be for this number alone
    change(x, _with_item(x, index, value))


_with_item = _core.memo(methods.setitem, changes=True)


def change(x: Tensor, new: Tensor) -> None:
    """``x`` takes the value of ``new``, which has its shape and dtype; gradients flow through
    it.
    """
    if x._shares is None:
        _take(x, new)
    else:
        eager_views.change(x, new, _take)


def _take(x: Tensor, new: Tensor) -> None:
    """`change` of one tensor."""
    if isinstance(x, Parameter):
        x._fill(new)
    else:
        tape.before_change(x)
        x._array = new._array
        tape.after_change(x, new)


def _in_place(name: str):
    """The method ``x.name(...)`` that changes ``x`` and returns it."""

    def method(self, *args, **kwargs):
        change(self, inplace_methods.new_value(self, name, args, kwargs))
        return self

    method.__name__ = method.__qualname__ = name
    method.__doc__ = inplace_methods.doc(name)
    method.__signature__ = inspect.signature(inplace_methods.TABLE[name])
    method.changes = name
    return method


def _change_parameter(p: Parameter, array) -> None:
    """Exchange what a parameter holds; the tapes keep the old value, and no gradient flows
    through.
    """
    tape.before_change(p)
    if p.lies is not None:
        p.lies.take(p, array)
    elif devices.used:  # a parameter stays where it is
        p._array.assign(_at(array, p._array.device), force=True)
    else:
        p._array.assign(array, force=True)
    tape.after_change(p, None)
    if p._shares is not None:
        eager_views.outdate(p)


def _follow(new: Tensor, data) -> None:
    """``new`` was made of ``data``: a tensor, or nested sequences that hold some. What tapes track of it
    is found again by recorded ops, and ``new`` stands for that.
    """
    found = _tensors(data)
    tapes = [t for t in tape.active() if any(t.tracks(x) for x in found)]
    if tapes:
        value = data if isinstance(data, Tensor) else define.stacked(data, new.dtype)
        if value.dtype is not new.dtype:
            value = P.cast(value, new.dtype)
        if value.shape != new.shape:
            value = P.broadcast_to(value, new.shape)
            eager_views.part([value])
        for t in tapes:
            if t.tracks(value):
                t.record(tape.ALIAS, [value], [value], new)


methods.install(Tensor, Node)
Tensor.__setitem__ = set_item
for _name in inplace_methods.TABLE:
    setattr(Tensor, _name, _in_place(_name))
Parameter._exchange, Tensor._part = _change_parameter, eager_views.leave
Tensor._catch_up, Tensor._follow = eager_views.catch_up, _follow
define.install_eager(run)
define.install_constant(scalar_tensor)
define.install_moved(moved)
_core.set_explain(_told_later)
_core.set_eager(autocast.regions, devices.used, P.cast, scalar_tensor)
tape.install(P.add)
