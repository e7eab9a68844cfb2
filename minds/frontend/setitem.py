"""Setting items: ``x[i] = v`` of lists, dicts, arrays and tensors.

A tensor of compiled code never changes: setting items makes a new one, and whatever names or holds
the old one then names or holds the new one, as CPython's aliases do. What may be the same tensor,
depending on run-time data, cannot be read any more.
"""

from __future__ import annotations

from ..base.errors import ParseError, complain
from ..ir.node import Node
from ..ops import inplace_methods, methods
from ..tensor import Parameter, Tensor
from . import chosen, foreign, masks, special
from .access import known_slice
from .compare import as_key
from .iterators import sequence
from .own_gradient import hooked
from .region import renamed
from .values import (
    CONTAINERS,
    Choice,
    Closure,
    LocalDict,
    LocalList,
    Missing,
    describe,
    need_static,
    parts,
)


def store(ip, assign, owner, index, value) -> None:
    """``owner[index] = value``; ``assign`` binds the target that ``owner`` came from to a new
    tensor or array.
    """
    if type(index) is Choice:
        chosen.each(ip, index, lambda at: store(ip, assign, owner, at, value))
        return
    if isinstance(owner, (LocalList, LocalDict)):
        ip.touch(owner)
        if isinstance(owner, LocalDict):
            owner[as_key(ip, index)] = value
        elif isinstance(index, slice):
            owner[known_slice(index)] = sequence(ip, value) if _is_iterable(value) else value
        else:
            owner[need_static(index, "the index")] = value
    elif isinstance(owner, (list, dict)):
        ip.touch(owner)
    elif foreign.is_array(owner):
        new = foreign.stored(owner, index, value)
        assign(new)
        rename(ip, owner, new)
    elif isinstance(owner, (Node, Tensor)):
        if masks.has_mask(owner, index):
            masked = masks.Masked(ip, ip.node(owner), index)
            new = masked.stored(masked.spread(value))
        else:
            new = ip.native(methods.setitem, ip.node(owner), index, value)
        exchange(ip, assign, owner, new)
    elif special.call(ip, owner, "__setitem__", index, value) is NotImplemented:
        raise complain(TypeError, f"{describe(owner)} does not support item assignment")


def delete(ip, owner, index) -> None:
    """``del owner[index]``."""
    if special.call(ip, owner, "__delitem__", index) is not NotImplemented:
        return
    ip.touch(owner)
    if isinstance(owner, dict):
        index = as_key(ip, index)
    else:
        index = known_slice(index) if isinstance(index, slice) else need_static(index, "the index")
    try:
        del owner[index]
    except KeyError:
        known = f"one of {list(owner)}"
        raise complain(KeyError, f"key {index!r} is not in the dict", expected=known) from None
    except IndexError:
        what = f"index {index} is out of range for a list of {len(owner)} elements"
        raise complain(IndexError, what) from None


def exchange(ip, assign, owner, new) -> None:
    """``new`` is what the tensor ``owner`` is from now on."""
    if isinstance(owner, Parameter):
        ip.write(owner, new)
    else:
        assign(new)
        _changed(ip, owner, new)


def _is_iterable(v) -> bool:
    return isinstance(v, (Node, Tensor)) or hasattr(v, "items") or hasattr(type(v), "__iter__")


def _changed(ip, old, new) -> None:
    """A tensor was changed in place: ``new`` is what it is now.

    Raises:
        ParseError: a function that is a value of the run holds it, or got it.
    """
    if ip.held and not ip.held.keys().isdisjoint(ip.tensors_of(old)):
        raise complain(
            ParseError,
            "the tensor changed here is held by a function that holds others like it without end, "
            "or was "
            "passed to it",
            cure="copy it first: x = x.copy()",
        )
    rename(ip, old, new)
    replaced(ip, ip.arguments, old, new)
    _spoil(ip, old, new)


def rename(ip, old, new) -> None:
    """Whatever names or holds ``old`` now does so with ``new``.

    Raises:
        ParseError: a caller under a condition names it, whose variables other paths share.
    """
    for frame in ip.frames:
        for name, value in list(frame.vars.items()):
            now = replaced(ip, value, old, new)
            if now is not value:
                if ip.journal and frame is not ip.frames[-1]:
                    raise complain(
                        ParseError,
                        f"a tensor that {_holder(name)} is changed under a run-time condition",
                        cure="return the changed tensor instead",
                    )
                if frame is not ip.frames[-1]:
                    renamed(ip, frame, name)
                frame.vars[name] = now
    for held in ip.imports.attributes.values():
        replaced(ip, held, old, new)


def _holder(name: str) -> str:
    """Who holds the variable of a caller, in words."""
    return "an expression of the caller uses" if name[0] == "<" else f"the caller names {name!r}"


def replaced(ip, value, old, new, seen=None):
    """``value`` with ``new`` for ``old``: lists and dicts are changed, a tuple that holds it is a
    new one.
    """
    if value is old:
        return new
    if isinstance(value, (Node, Tensor)):
        return value
    container = isinstance(value, (LocalList, LocalDict))
    if container:
        seen = set() if seen is None else seen
        if id(value) in seen:
            return value
        seen.add(id(value))
    if isinstance(value, Closure):
        _replace_closed(ip, value, old, new, seen)
        return value
    p = None if type(value) in (list, dict) else parts(value)  # nothing in those of outside changes
    if p is None:
        return value
    now = [replaced(ip, v, old, new, seen) for v in p.items]
    if all(a is b for a, b in zip(now, p.items)):
        return value
    if not container:
        return p.remake(now)
    ip.touch(value)
    if isinstance(value, list):
        value[:] = now
    else:
        value.update(zip(list(value), now))
    return value


def _replace_closed(ip, function: Closure, old, new, seen) -> None:
    """Put ``new`` for ``old`` into the variables of calls that are over, which ``function``
    sees.
    """
    scope = function.frame
    while scope is not None:
        if scope.finished:
            seen = set() if seen is None else seen
            if id(scope) in seen:
                return
            seen.add(id(scope))
            for name, value in scope.vars.items():
                now = replaced(ip, value, old, new, seen)
                if now is not value:
                    if ip.journal:
                        raise complain(
                            ParseError,
                            f"a tensor that a function sees as {name!r} is changed under a "
                            "run-time "
                            "condition",
                            cure="return the changed tensor instead",
                        )
                    scope.vars[name] = now
        scope = scope.outer


def _spoil(ip, old, new) -> None:
    """After items of ``old`` are set: what may be the same tensor, depending on run-time data,
    cannot be read any more.

    Raises:
        ParseError: it may be an argument, or a variable of a caller under a condition.
    """
    if not ip.chosen:
        return
    may_be = ip.tensors_of(old)

    def spoiled(v) -> bool:
        if isinstance(v, (Node, Tensor)):
            return v is not new and not may_be.isdisjoint(ip.tensors_of(v))
        p = None if type(v) in CONTAINERS else parts(v)
        return p is not None and any(map(spoiled, p.items))

    if any(map(spoiled, ip.arguments)):
        raise complain(
            ParseError,
            "the tensor changed here may be an argument of the compiled function, depending on "
            "run-time data",
            cure="copy it before the condition or loop: x = x.copy()",
        )
    why = f"line {ip.here().line} changes a tensor that may be the same"
    for frame in ip.frames:
        for name, value in frame.vars.items():
            if spoiled(value):
                if ip.journal and frame is not ip.frames[-1]:
                    raise complain(
                        ParseError,
                        f"a tensor that may be the caller's {name!r} is changed under a run-time "
                        "condition",
                        cure="return the changed tensor instead",
                    )
                frame.vars[name] = Missing(
                    ParseError,
                    f"{name!r} cannot be used any more: {why}, depending on run-time data",
                    f"copy it before the condition or loop: {name} = {name}.copy()",
                )
            elif isinstance(value, (LocalList, LocalDict)) and any(
                map(spoiled, value.values() if isinstance(value, dict) else value)
            ):
                ip.note(value)
                value.stale = why


def register_hook(ip, x, hook_fn) -> None:
    """``x.register_hook(hook_fn)`` on a value of compiled code: every name of ``x`` names the
    hooked value.
    """
    if isinstance(x, Parameter):
        raise complain(
            ValueError,
            "Register hook for Parameter inside graph is not supported.",
            cure="register it outside",
        )
    rename(ip, x, hooked(ip, ip.node(x), (hook_fn,)))


def in_place(name: str):
    """The emitter of ``x.name(...)``, a method that changes ``x``: a parameter is written, every
    name of another tensor names the new one.
    """

    def emit(ip, x, *args, **kwargs):
        new = ip.native(inplace_methods.new_value, ip.node(x), name, args, kwargs)
        if isinstance(x, Parameter):
            ip.write(x, new)
        else:
            _changed(ip, x, new)
        return new

    return emit
