"""How values are split into run-time leaves and a static skeleton, and how values of two paths are joined.

`flatten` splits a value, `join` finds the skeleton that the values of two paths share, `extract` the parts of
a value where a skeleton has leaves, `unflatten` puts leaves into a skeleton. A value that lives while
compiling, such as a function, a string, an object or None, and is another one on each path becomes a `Choice`
of both: its leaves are its place among them and what each of them holds; on a path that took one of them,
`Filler`s stand for what the others hold.
"""
from __future__ import annotations

import types
from dataclasses import dataclass

from ..ir.abstract import AbstractFunction, AbstractScalar, AbstractTensor
from ..ir.dim import Dim
from ..ir.node import Node
from ..tensor import Parameter, Tensor
from .kinds import (
    CONTAINERS,
    LOCAL,
    NUMBERS,
    Bound,
    Choice,
    Closure,
    Frame,
    Leaf,
    LocalDict,
    LocalList,
    LocalSet,
    Missing,
    Same,
    Sometimes,
    View,
    abstract,
    attributes_of,
    births,
    containers_of,
    describe,
    described,
    is_made,
    need_static,
    record,
)
from .parts import Inner, Parts, parts


def flatten(v, leaves: list):
    """The skeleton of ``v``; its run-time leaves (nodes and tensors) are appended to ``leaves``."""
    if isinstance(v, Node):
        leaves.append(v)
        return Leaf(v.abstract)
    if isinstance(v, Tensor):
        if isinstance(v, Parameter):
            return v
        leaves.append(v)
        return Leaf(v.abstract)
    p = parts(v)
    if p is None:
        return v
    before = len(leaves)
    items = [flatten(e, leaves) for e in p.items]
    return v if len(leaves) == before and not isinstance(v, (list, dict, set)) else p.remake(items)


def unflatten(skeleton, leaves):
    """The inverse of `flatten`; ``leaves`` is an iterator."""
    if isinstance(skeleton, Leaf):
        return next(leaves)
    if isinstance(skeleton, Same):
        return skeleton.value
    p = parts(skeleton)
    if p is None:
        return skeleton
    items = [unflatten(e, leaves) for e in p.items]
    if _is_function(skeleton) and all(a is b for a, b in zip(items, p.items)):
        return skeleton
    return p.remake(items)


def _is_function(v) -> bool:
    return isinstance(v, (Closure, types.MethodType)) or hasattr(type(v), "_parts")


class Mismatch(Exception):
    """Two values have no common form; the text says why."""


def same_function(a, b) -> bool:
    """Whether two functions are one: from one `def` in one activation, so that they see the same variables,
    or one method of one object.
    """
    if isinstance(a, types.MethodType):
        return isinstance(b, types.MethodType) and a.__self__ is b.__self__ and a.__func__ is b.__func__
    return (isinstance(a, Closure) and isinstance(b, Closure) and a is not b and a.frame is b.frame
            and a.source.tree is b.source.tree
            and all(x is y for x, y in zip((*a.defaults, *a.kw_defaults), (*b.defaults, *b.kw_defaults))))


def join(a, b):
    """The skeleton that two values share: what is the same stays, run-time places become a `Leaf`.

    Raises:
        Mismatch: they have no common form.
    """
    a, b = [v.value if isinstance(v, Same) else v for v in (a, b)]
    for v in (a, b):
        if isinstance(v, Missing) and a is not b:
            raise Mismatch(v.text)
    plain = _join_plain(a, b)
    if plain is not _APART:
        return plain
    if isinstance(a, Sometimes) is not isinstance(b, Sometimes):
        return join_unset(
            [a.value if isinstance(a, Sometimes) else a, b.value if isinstance(b, Sometimes) else b]
        )
    p, q = parts(a), parts(b)
    if p is None or q is None or p.head != q.head or type(a) is Choice or _is_function(a):
        ours, theirs = _options(a), _options(b)
        if None in ours or None in theirs:
            ours, theirs = ours or (a,), theirs or (b,)     # something or None
        if ours and theirs:
            return _join_options(a, b, ours, theirs)
    if p is None or q is None:
        raise Mismatch(f"{_with_place(a)} on one path, {_with_place(b)} on the other")
    return _join_parts(a, b, p, q)


def _join_plain(a, b):
    """The skeleton of two values that are one, or are data of the run; `_APART` for others."""
    if a is b or same_function(a, b):
        return a if parts(a) is None else Same(a)
    kind = type(a)
    if kind is type(b) and kind in NUMBERS and a == b and str(a) == str(b):
        return a
    x, y = abstract(a), abstract(b)
    if isinstance(x, (AbstractTensor, AbstractScalar)) and isinstance(y, (AbstractTensor, AbstractScalar)):
        both = join_abstract(x, y)
        if both is not None:
            return Leaf(both)
    if isinstance(x, AbstractFunction) and x is y:
        return Leaf(x)
    if kind is type(b) and kind in (str, bytes, type, range, slice) and a == b:
        return a
    return _APART


def join_unset(values: list):
    """The skeleton of a variable that has ``values`` on some paths and none on others.

    Raises:
        Mismatch: they have no common form.
    """
    skeleton = flatten(values[0], [])
    for v in values[1:]:
        skeleton = join(skeleton, v)
    return skeleton if isinstance(skeleton, Sometimes) else Sometimes(Leaf(AbstractScalar(bool)), skeleton)


def _join_parts(a, b, p: Parts, q: Parts):
    """The skeleton of two values of the same head."""
    if p.head != q.head:
        raise Mismatch(difference(a, b))
    return p.remake([x if isinstance(x, Missing) else y if isinstance(y, Missing) else join(x, y)
                     for x, y in zip(p.items, q.items)])


def difference(a, b) -> str:
    """How two values differ that hold values."""
    if isinstance(a, (tuple, list)) and isinstance(b, type(a)) and len(a) != len(b):
        return f"a {_noun(a)} of {len(a)} elements on one path, of {len(b)} on the other"
    if isinstance(a, dict) and isinstance(b, dict):
        return f"dicts with different keys: {list(a)} and {list(b)}"
    if isinstance(a, set) and isinstance(b, set):
        return f"sets with different elements: {set(a)} and {set(b)}"
    return f"{_with_place(a)} on one path, {_with_place(b)} on the other"


# ---- values that are chosen at run time

STRINGS = 20
"""The most strings among which run-time data may choose."""

WRAPPED = 16
"""A function of one `def` may hold so many calls of it; more are taken for a loop that wraps without end."""


@dataclass(eq=False)
class Filler:
    """What stands for a leaf that is not used on this path."""

    abstract: object


@dataclass(eq=False)
class Renumbered:
    """A place among functions in terms of another order: ``table[selector]``."""

    selector: Node
    table: tuple
    abstract = AbstractScalar(int)


def _options(v) -> tuple:
    """The values that ``v`` may be; () for what cannot be chosen at run time: data of the run, and
    containers.
    """
    if isinstance(v, Choice):
        return v.options
    return () if isinstance(v, _NO_OPTION) and not hasattr(v, "_fields") else (v,)


_NO_OPTION = (Node, Tensor, Leaf, Dim, bool, int, float, complex, tuple, list, dict, set, frozenset, range,
              slice, Inner, Missing, Sometimes)


def _join_options(a, b, ours: tuple, theirs: tuple):
    """One value with joined parts where both paths have one of the same form, else a choice."""
    if len(ours) == len(theirs) == 1 and not isinstance(a, Choice) and not isinstance(b, Choice):
        joined = _joined(a, b)
        if joined is not _APART:
            return joined
    merged = list(ours)
    free = [True] * len(ours)
    for v in theirs:
        at, joined = _place(merged, free, v)
        if at is None:
            merged.append(v)
            _check_finite(v)
        else:
            merged[at], free[at] = joined, False
    if sum(isinstance(v, (str, bytes)) for v in merged) > STRINGS:
        raise Mismatch(f"one of more than {STRINGS} strings, as if a loop made new ones without end")
    for v in merged:
        if any(isinstance(t, AbstractFunction) for t in leaf_abstracts(_skeleton(v), [])):
            raise Mismatch(f"{describe(a)} on one path, {describe(b)} on the other")
    return Choice(tuple(map(_skeleton, merged)), Leaf(AbstractScalar(int)))


def _skeleton(v):
    return flatten(v, [])


_APART = object()


def _joined(a, b):
    """The skeleton of two values if they are of one form, else `_APART`."""
    if isinstance(a, Same):
        a = a.value
    plain = _join_plain(a, b)
    if plain is not _APART:
        return plain
    p, q = parts(a), parts(b)
    if p is None or q is None or p.head != q.head:
        return _APART
    try:
        return _join_parts(a, b, p, q)
    except Mismatch:
        return _APART


def _place(options: list, free: list, v) -> tuple:
    """The first free one among ``options`` that can be ``v``, and their common skeleton; (None, None) if
    there is none.
    """
    for exact in (True, False):
        for i, option in enumerate(options[:len(free)]):
            known = option.value if isinstance(option, Same) else option
            if free[i] and (not exact or known is v or same_function(known, v)):
                joined = _joined(option, v)
                if joined is not _APART:
                    return i, joined
    return None, None


def _check_finite(v) -> None:
    """Raise unless the functions that ``v`` holds can be those of a program: a loop that wraps a function in
    each iteration has no end of them.
    """
    p = parts(v) if isinstance(v, Closure) else None
    if p is None or p.head[0] is not Closure or type(p.head[1]) is not tuple:
        return
    trees = [tree for tree, _ in p.head[1]]
    if any(trees.count(t) > WRAPPED for t in set(trees)):
        raise Mismatch(f"{describe(v)} holds a function that holds one like it, and so on without end")


def _with_place(v) -> str:
    """A value's type, and for a node the line it comes from."""
    at = getattr(v, "loc", None)
    return describe(v) if at is None else f"{describe(v)} (line {at.line})"


# ---- skeletons


def leaf_abstracts(skeleton, out: list) -> list:
    """The abstract values of the leaves of a skeleton, in order."""
    if isinstance(skeleton, Leaf):
        out.append(skeleton.abstract)
    else:
        p = parts(skeleton)
        if p is not None:
            for e in p.items:
                leaf_abstracts(e, out)
    return out


def extract(skeleton, value, out: list) -> list:
    """The parts of ``value`` that stand where ``skeleton`` has leaves."""
    if isinstance(skeleton, Leaf):
        out.append(value)
    elif isinstance(skeleton, Choice) and isinstance(skeleton.selector, Leaf):
        _extract_choice(skeleton, value, out)
    elif isinstance(skeleton, dict):
        for k, s in skeleton.items():
            extract(s, value[k], out)
    elif isinstance(skeleton, Sometimes) and not isinstance(value, Sometimes):
        known = value is not None or skeleton.value is None
        out.append(known)
        if known:
            extract(skeleton.value, value, out)
        else:
            out += map(Filler, leaf_abstracts(skeleton.value, []))
    else:
        p = parts(skeleton)
        if p is not None and (leaf_abstracts(skeleton, []) or not _is_function(skeleton)):
            for s, v in zip(p.items, parts(value).items, strict=True):
                extract(s, v, out)
    return out


def _extract_choice(skeleton: Choice, value, out: list) -> None:
    chosen = value.options if isinstance(value, Choice) else (value,)
    free = [True] * len(skeleton.options)
    table = []
    for v in chosen:
        at, _ = _place(skeleton.options, free, v)
        assert at is not None, f"{describe(v)} is none of {list(map(describe, skeleton.options))}"
        free[at] = False
        table.append(at)
    if not isinstance(value, Choice):
        out.append(table[0])
    else:
        identity = table == list(range(len(table)))
        out.append(value.selector if identity else Renumbered(value.selector, tuple(table)))
    held = dict(zip(table, chosen))
    for i, option in enumerate(skeleton.options):
        if i in held:
            extract(option, held[i], out)
        else:
            out += map(Filler, leaf_abstracts(option, []))


def widen(v, deep: bool = False):
    """The skeleton of a value that a loop changes: numbers become run-time scalars, those that functions hold
    only if ``deep``.
    """
    if (
        isinstance(v, (Node, Leaf, Dim))
        or type(v) in NUMBERS
        or isinstance(v, Tensor)
        and not isinstance(v, Parameter)
    ):
        return Leaf(abstract(v))
    p = parts(v)
    if p is None:
        return v
    if not _is_function(v):
        return p.remake([widen(e, deep) for e in p.items])
    items = [widen(e, True) if deep else flatten(e, []) for e in p.items]
    return v if all(a is b for a, b in zip(items, p.items)) else p.remake(items)


def _noun(v) -> str:
    return "list" if isinstance(v, list) else "tuple"


def join_abstract(x, y):
    """The abstract value that holds both, or None: a number fits a rank-0 tensor and a wider number."""
    if x is y:
        return x
    if isinstance(x, AbstractScalar) and isinstance(y, AbstractScalar):
        return AbstractScalar(float if float in (x.kind, y.kind) else int)
    if isinstance(x, AbstractScalar):
        x, y = y, x
    if isinstance(y, AbstractScalar) and x.shape == () and (x.dtype.is_float or y.kind is not float):
        return x
    return None


__all__ = [
    "CONTAINERS",
    "LOCAL",
    "NUMBERS",
    "Bound",
    "Choice",
    "Closure",
    "Filler",
    "Frame",
    "Leaf",
    "LocalDict",
    "LocalList",
    "LocalSet",
    "Mismatch",
    "Missing",
    "Renumbered",
    "Same",
    "Sometimes",
    "View",
    "abstract",
    "attributes_of",
    "births",
    "containers_of",
    "describe",
    "described",
    "extract",
    "flatten",
    "is_made",
    "difference",
    "join_unset",
    "join",
    "join_abstract",
    "leaf_abstracts",
    "need_static",
    "parts",
    "record",
    "same_function",
    "unflatten",
    "widen",
]
