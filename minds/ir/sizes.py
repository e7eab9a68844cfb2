"""What sizes are: variables solved from given sizes, and abstract values with sizes filled in."""

from __future__ import annotations

from .abstract import AbstractRef, AbstractTensor, AbstractTuple
from .dim import Dim, Unbacked, Var, evaluate, replaced, solved, variables


def sizes_of(pairs: list) -> tuple:
    """What the variables of dimensions are, if dimensions have given sizes.

    Args:
        pairs (list): (dimension, size).
    Returns:
        (dict of `Var` to int, place of the first pair that does not hold or None).
    """
    env: dict[Var, int] = {}
    for d, n in pairs:
        free = [x for x in variables(d) if x not in env] if type(d) is Dim else ()
        if len(free) == 1:
            found = solved(replaced(d, env), n)
            if found is not None and type(found[1]) is int:
                env[found[0]] = found[1]
    for i, (d, n) in enumerate(pairs):
        if (
            any(x not in env or not x.low <= env[x] <= x.high for x in variables(d))
            or evaluate(d, env) != n
        ):
            return env, i
    return env, None


def bound(a, env: dict):
    """An abstract value, or an attribute, with the sizes of ``env``; others stay."""
    kind = type(a)
    if kind is Dim:
        return replaced(a, env)
    if kind is AbstractTensor:
        return AbstractTensor([replaced(d, env) for d in a.shape], a.dtype)
    if kind is AbstractTuple:
        return AbstractTuple(bound(i, env) for i in a.items)
    if kind is AbstractRef:
        return AbstractRef(bound(a.value, env))
    if kind is tuple or kind is list:
        return kind([bound(i, env) for i in a])
    return a


def open_(a) -> bool:
    """Whether an abstract value or an attribute contains a `Dim`."""
    kind = type(a)
    if kind is AbstractTensor:
        return any(type(d) is Dim for d in a.shape)
    if kind is AbstractTuple:
        return any(map(open_, a.items))
    if kind is tuple or kind is list:
        return any(map(open_, a))
    return kind is Dim


def mentioned(v) -> list:
    """The variables of the sizes in abstract values and attributes."""
    if type(v) is Dim:
        return variables(v)
    if type(v) is AbstractTensor:
        v = v.shape
    elif type(v) is AbstractTuple:
        v = v.items
    return [x for item in v for x in mentioned(item)] if isinstance(v, (tuple, list)) else []


def is_unbacked(a) -> bool:
    """Whether an abstract value or an attribute has a size that the run finds."""
    return open_(a) and any(type(x) is Unbacked for x in mentioned(a))


def alike(a, b) -> bool:
    """Whether two abstract values differ at most in sizes that the run finds."""
    if a is b:
        return True
    if not (
        is_unbacked(a)
        and is_unbacked(b)
        and type(a) is type(b) is AbstractTensor
        and a.dtype is b.dtype
    ):
        return False
    return a.ndim == b.ndim and all(
        p is q or is_unbacked(p) and is_unbacked(q) or type(p) is type(q) is int and p == q
        for p, q in zip(a.shape, b.shape)
    )


__all__ = ["alike", "bound", "is_unbacked", "mentioned", "open_", "sizes_of"]
