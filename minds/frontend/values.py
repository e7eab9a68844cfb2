"""How values are split into run-time leaves and a static skeleton, and how values of two paths are
joined.

`flatten` splits a value, `join` finds the skeleton that the values of two paths share, `extract`
the parts of a value where a skeleton has leaves, `unflatten` puts leaves into a skeleton. A value
that lives while compiling, such as a function, a string, an object or None, and is another one on
each path becomes a `UnionValue` of both: its leaves are its place among them and what each of them
holds; on a path that took one of them, `Filler`s stand for what the others hold.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from operator import is_

import numpy as np

from ..ir.abstract import AbstractFunction, AbstractScalar, AbstractTensor
from ..ir.dim import Dim, current
from ..ir.node import Node
from ..tensor import Parameter, Tensor
from .describe import describe
from .function_types import Bound, Carried, Closure, Missing, RecursiveClosures, UnionValue
from .nesting import chain_type, grown
from .structure import Inner, Parts, Walk, parts
from .value_types import (
    NUMBERS,
    Column,
    Leaf,
    Rows,
    RunArray,
    RunList,
    Same,
    Sometimes,
    Thrown,
    abstract,
    attributes_of,
    is_made,
)


def flatten(v, leaves: list):
    """The skeleton of ``v``; its run-time leaves (nodes and tensors) are appended to ``leaves``."""
    return _flatten(v, leaves, Walk(v))


def _flatten(v, leaves: list, walk: Walk):
    if isinstance(v, Node):
        leaves.append(v)
        return Leaf(v.abstract)
    if isinstance(v, Tensor):
        if isinstance(v, Parameter):
            return v
        leaves.append(v)
        return Leaf(v.abstract)
    p = walk.parts(v)
    if p is None:
        return v
    before = len(leaves)
    items = [_flatten(e, leaves, walk) for e in p.items]
    return v if len(leaves) == before and not isinstance(v, (list, dict, set)) else p.remake(items)


def leaves_of(v) -> list:
    """The run-time leaves of ``v``."""
    leaves: list = []
    flatten(v, leaves)
    return leaves


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
    if (_holds(skeleton) or type(skeleton) is tuple) and all(
        a is b for a, b in zip(items, p.items)
    ):
        return skeleton
    return p.remake(items)


def _holds(v) -> bool:
    return isinstance(v, (Closure, types.MethodType, BaseException)) or hasattr(type(v), "_parts")


def is_function(v) -> bool:
    """Whether ``v`` is a function that lives while compiling, or a choice among such."""
    if isinstance(v, UnionValue):
        return all(map(is_function, v.options))
    if isinstance(v, Same):
        return is_function(v.value)
    if isinstance(v, (Closure, Bound, Carried)):
        return True
    return not isinstance(v, _NO_OPTION) and callable(v)


class Mismatch(Exception):
    """Two values have no common form; the text says why."""


def same_function(a, b) -> bool:
    """Whether two functions are one: of one `def` in one activation, or one method of one object."""
    if isinstance(a, types.MethodType):
        return (
            isinstance(b, types.MethodType)
            and a.__self__ is b.__self__
            and a.__func__ is b.__func__
        )
    return (
        isinstance(a, Closure)
        and isinstance(b, Closure)
        and a is not b
        and a.frame is b.frame
        and a.source.tree is b.source.tree
        and all(
            x is y for x, y in zip((*a.defaults, *a.kw_defaults), (*b.defaults, *b.kw_defaults))
        )
    )


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
    if plain is not APART:
        return plain
    if isinstance(a, Sometimes) is not isinstance(b, Sometimes):
        return join_unset(
            [a.value if isinstance(a, Sometimes) else a, b.value if isinstance(b, Sometimes) else b]
        )
    for kind, other in ((chain_type(a), b), (chain_type(b), a)):
        if kind is not None and (chain_type(other) or is_function(other)):
            return Leaf(kind)
    p, q = parts(a), parts(b)
    if p is None or q is None or p.head != q.head or type(a) is UnionValue or _holds(a):
        ours, theirs = options(a), options(b)
        if of_other_form(a, b) or any(map(_is_beside_data, (*ours, *theirs))):
            ours, theirs = ours or (a,), theirs or (b,)  # something or None
        if ours and theirs:
            return _join_options(a, b, ours, theirs)
    if p is None or q is None:
        raise Mismatch(f"{_with_place(a)} on one path, {_with_place(b)} on the other")
    return _join_parts(a, b, p, q)


def form(v) -> tuple | None:
    """The dtype and the number of dimensions of a tensor, None for other values: what tensors must
    share to be one value of the run.
    """
    a = abstract(v)
    return (a.dtype, len(a.shape)) if isinstance(a, AbstractTensor) else None


def of_other_form(a, b) -> bool:
    """Whether two values are tensors that differ in their `form`, of which the run chooses one."""
    x, y = form(a), form(b)
    return x is not None and y is not None and x != y


def _is_beside_data(v) -> bool:
    """Whether an option may stand beside data of the run."""
    arrays = isinstance(v, (np.ndarray, np.generic, RunArray))
    return v is None or arrays or isinstance(v, Thrown) or isinstance(abstract(v), AbstractTensor)


def _join_plain(a, b):
    """The skeleton of two values that are one, or are data of the run; `APART` for others."""
    if a is b or same_function(a, b):
        return a if parts(a) is None else Same(a)
    kind = type(a)
    if kind is type(b) and kind in NUMBERS and a == b and str(a) == str(b):
        return a
    x, y = abstract(a), abstract(b)
    if isinstance(x, (AbstractTensor, AbstractScalar)) and isinstance(
        y, (AbstractTensor, AbstractScalar)
    ):
        both = join_abstract(x, y)
        if both is not None:
            return Leaf(both)
    if isinstance(x, AbstractFunction) and x is y:
        return Leaf(x)
    if {kind, type(b)} == {np.ndarray, RunArray} and of_array(a) is of_array(b) is not None:
        return RunArray(np.ndarray, Leaf(of_array(a)))
    if kind is type(b) and kind in (str, bytes, type, range, slice) and a == b:
        return a
    return APART


def join_all(values):
    """`join` of several values."""
    skeleton = flatten(values[0], [])
    for v in values[1:]:
        skeleton = join(skeleton, v)
    return skeleton


def join_unset(values: list):
    """The skeleton of a variable that has ``values`` on some paths and none on others.

    Raises:
        Mismatch: they have no common form.
    """
    skeleton = join_all(values)
    known = isinstance(skeleton, Sometimes)
    return skeleton if known else Sometimes(Leaf(AbstractScalar(bool)), skeleton)


def _join_parts(a, b, p: Parts, q: Parts):
    """The skeleton of two values of the same head."""
    if p.head != q.head:
        raise Mismatch(difference(a, b))
    return p.remake(
        [
            x if isinstance(x, Missing) else y if isinstance(y, Missing) else join(x, y)
            for x, y in zip(p.items, q.items)
        ]
    )


def difference(a, b) -> str:
    """How two values differ that hold values."""
    if type(a) is RunList or type(b) is RunList:
        return f"{describe(a)} on one path, {describe(b)} on the other"
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

WRAPPED = 3
"""So many functions of one `def` may be held in one another; more are taken for a loop that wraps
without end, and become values of the run (`recursive_closures`).
"""


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


@dataclass(eq=False)
class ChosenArray:
    """The one of several arrays of NumPy, of one type, that the run chooses, as data of the run."""

    selector: Node
    arrays: tuple
    abstract: AbstractTensor


def options(v) -> tuple:
    """The values that ``v`` may be; () for what is never chosen among: data of the run, and containers."""
    if isinstance(v, UnionValue):
        return v.options
    return () if isinstance(v, _NO_OPTION) and not hasattr(v, "_fields") else (v,)


_NO_OPTION = (
    Node,
    Tensor,
    Leaf,
    Dim,
    bool,
    int,
    float,
    complex,
    tuple,
    list,
    dict,
    set,
    frozenset,
    range,
    slice,
    Inner,
    Missing,
    Sometimes,
)


def _join_options(a, b, ours: tuple, theirs: tuple):
    """One value with joined parts where both paths have one of the same form, else a choice."""
    if (
        len(ours) == len(theirs) == 1
        and not isinstance(a, UnionValue)
        and not isinstance(b, UnionValue)
    ):
        joined = joint(a, b)
        if joined is not APART:
            return _chain(joined, [joined]) or joined
    merged = list(ours)
    free = [True] * len(ours)
    for v in theirs:
        at, joined = _place(merged, free, v)
        if at is None:
            merged.append(v)
        else:
            merged[at], free[at] = joined, False
    if sum(isinstance(v, (str, bytes)) for v in merged) > STRINGS:
        raise Mismatch(
            f"one of more than {STRINGS} strings, as if a loop made new ones without end"
        )
    for v in merged:
        chain = _chain(v, merged)
        if chain is not None:
            return chain
        if any(
            isinstance(t, AbstractFunction) and not isinstance(t.key, RecursiveClosures)
            for t in leaf_abstracts(_skeleton(v), [])
        ):
            raise Mismatch(f"{describe(a)} on one path, {describe(b)} on the other")
    return UnionValue(tuple(map(_skeleton, merged)), Leaf(AbstractScalar(int)))


def of_array(v) -> AbstractTensor | None:
    """The type of the items of an array of NumPy as data of the run; None for what is none."""
    if type(v) is RunArray:
        return v.node.abstract if v.cls is np.ndarray else None
    if type(v) is not np.ndarray or v.dtype.kind not in "buifc":
        return None
    return AbstractTensor(v.shape, Tensor(np.zeros((), v.dtype)).dtype)


def _skeleton(v):
    return flatten(v, [])


APART = object()


def joint(a, b):
    """The skeleton of two values if they are of one form, else `APART`."""
    if isinstance(a, Same):
        a = a.value
    plain = _join_plain(a, b)
    if plain is not APART:
        return plain
    p, q = parts(a), parts(b)
    if p is None or q is None or p.head != q.head:
        return APART
    try:
        return _join_parts(a, b, p, q)
    except Mismatch:
        return APART


def _place(options: list, free: list, v) -> tuple:
    """The first free one among ``options`` that can be ``v``, and their common skeleton; (None,
    None) if there is none.
    """
    for exact in (True, False):
        for i, option in enumerate(options[: len(free)]):
            known = option.value if isinstance(option, Same) else option
            if free[i] and (not exact or known is v or same_function(known, v)):
                joined = joint(option, v)
                if joined is not APART:
                    return i, joined
    return None, None


def _chain(v, options: list) -> Leaf | None:
    """The type of functions among which is ``v``, which holds too many of one kind to be part of a
    program; else None.
    """
    counts = grown(v, lambda scope: not scope.finished)
    if not any(n > WRAPPED for n in counts.values()) or not all(map(is_function, options)):
        return None
    return Leaf(RecursiveClosures(getattr(v, "name", "function"), counts).type)


def _with_place(v) -> str:
    """A value's type, and for a node the line it comes from."""
    at = getattr(v, "loc", None)
    return describe(v) if at is None else f"{describe(v)} (line {at.line})"


# ---- skeletons


def same_object(a, b) -> bool:
    """Whether two values are one object; one that compiled code made is its attributes."""
    if is_made(a) and is_made(b):
        return attributes_of(a) is attributes_of(b)
    return a is b


def same(a, b, types=is_) -> bool:
    """Whether skeletons are equal: static parts by identity, plain data by value, types as ``types`` says."""
    if a is b or same_function(a, b):
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, Leaf):
        return types(a.abstract, b.abstract)
    if isinstance(a, Same):
        return same_object(a.value, b.value)
    p, q = parts(a), parts(b)
    if p is not None:
        return (
            q is not None
            and p.head == q.head
            and all(same(x, y, types) for x, y in zip(p.items, q.items, strict=True))
        )
    return type(a) in (bool, int, float, str, bytes, range, slice) and a == b


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
    elif isinstance(skeleton, UnionValue) and isinstance(skeleton.selector, Leaf):
        _extract_choice(skeleton, value, out)
    elif type(skeleton) is RunArray and type(value) is np.ndarray:
        out.append(Tensor(value))
    elif type(skeleton) is RunArray and type(value) is UnionValue:
        kind, kinds = skeleton.node.abstract, set(map(of_array, value.options))
        alike = len(kinds) == 1 and None not in kinds  # else of a header that none assumes
        out.append(ChosenArray(value.selector, value.options, *kinds) if alike else Filler(kind))
    elif type(skeleton) is RunList and type(skeleton.held) is Rows:
        rows = skeleton.rows
        known = type(value) is RunList
        held = [value.rows.count if known else len(value)]
        if known and value.rows.skeleton == rows.skeleton:
            held += value.rows.columns
        else:
            held += [Column(rows.skeleton, value.copy(), k) for k in range(len(rows.columns))]
        for s, v in zip((rows.count, *rows.columns), held, strict=True):
            extract(s, v, out)
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
        if p is not None and (not _holds(skeleton) or leaf_abstracts(skeleton, [])):
            for s, v in zip(p.items, parts(value).items, strict=True):
                extract(s, v, out)
    return out


def _extract_choice(skeleton: UnionValue, value, out: list) -> None:
    chosen = value.options if isinstance(value, UnionValue) else (value,)
    free = [True] * len(skeleton.options)
    table = []
    for v in chosen:
        at, _ = _place(skeleton.options, free, v)
        assert at is not None, f"{describe(v)} is none of {list(map(describe, skeleton.options))}"
        free[at] = False
        table.append(at)
    if not isinstance(value, UnionValue):
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
    """The skeleton of a value that a loop changes: numbers are of the run, in functions only if ``deep``."""
    return _widen(v, deep, Walk(v))


def _widen(v, deep: bool, walk: Walk):
    if (
        isinstance(v, (Node, Leaf, Dim))
        or type(v) in NUMBERS
        or isinstance(v, Tensor)
        and not isinstance(v, Parameter)
    ):
        return Leaf(abstract(v))
    p = walk.parts(v)
    if p is None:
        return v
    if not _holds(v):
        return p.remake([_widen(e, deep, walk) for e in p.items])
    items = [_widen(e, True, walk) if deep else _flatten(e, [], walk) for e in p.items]
    return v if all(a is b for a, b in zip(items, p.items)) else p.remake(items)


def _noun(v) -> str:
    return "list" if isinstance(v, list) else "tuple"


def join_abstract(x, y):
    """The abstract value that holds both, or None: a number fits a rank-0 tensor and a wider
    number; sizes that the run finds may differ.
    """
    if x is y:
        return x
    if isinstance(x, AbstractScalar) and isinstance(y, AbstractScalar):
        return AbstractScalar(float if float in (x.kind, y.kind) else int)
    if isinstance(x, AbstractScalar):
        x, y = y, x
    if isinstance(y, AbstractScalar):
        return x if x.shape == () and (x.dtype.is_float or y.kind is not float) else None
    if current() is not None and x.dtype is y.dtype and x.ndim == y.ndim:
        sizes = [current().join(p, q) for p, q in zip(x.shape, y.shape)]
        return None if None in sizes else AbstractTensor(sizes, x.dtype)
    return None
