"""Cotangents: their types, the values that sums of them start from, and whose they are.

The cotangent of a floating point tensor or scalar has its type, and so has that of an integer
tensor; bools, references and None have none; that of a tuple is the tuple of its elements'
cotangents; that of a function is a function without parameters that returns the cotangents of what
the function captured (boxed like this, cotangents of recursive closures have finite types). A
constant function has none. The cotangent of a stack is a stack.

Backpropagators take and return the cotangents of *leaves*: the differentiable leaves of a type in
order, tuples flattened. A leaf is a node and a path of indices into it. Tuples are seen through
(`resolve`), so an element has one sum however it is packed and unpacked, as a tensor has on the
eager tape.
"""

from __future__ import annotations

from ..ir import prim
from ..ir.abstract import (
    NONE,
    STACK,
    AbstractFunction,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
)
from ..ir.build import Builder, as_node
from ..ir.node import Apply, Constant, Node
from ..ir.sizes import is_unbacked
from ..ir.stack import empty
from ..ops import define
from ..ops.define import P
from ..ops.unbacked import filled_like


def cotangent_abstract(a):
    """The type of the cotangent of a value of type ``a``; NONE where there is none."""
    if isinstance(a, AbstractTensor):
        return NONE if a.dtype.is_bool else a
    if isinstance(a, AbstractScalar):
        return a if a.dtype.is_float else NONE
    if isinstance(a, AbstractTuple):
        items = [cotangent_abstract(i) for i in a.items]
        return NONE if all(i is NONE for i in items) else AbstractTuple(items)
    if a is STACK:
        return STACK
    if isinstance(a, AbstractFunction) and not a.constant:
        return AbstractFunction(("cotangent", a.key))
    return NONE


def dual_abstract(a):
    """The type in ▶ of what has type ``a``: a function becomes the triple (▶function, zero of
    cotangents, addition of cotangents), a constant one (▶function,).
    """
    if isinstance(a, AbstractFunction) and a is not STACK:
        names = ("dual",) if a.constant else ("dual", "zero", "add")
        return AbstractTuple([AbstractFunction((name, a.key)) for name in names])
    return AbstractTuple(map(dual_abstract, a.items)) if isinstance(a, AbstractTuple) else a


def has_function(a, stacks: bool = False) -> bool:
    """Whether values of type ``a`` contain functions, which are others in ▶; ``stacks`` count as well."""
    if isinstance(a, AbstractTuple):
        return any(has_function(i, stacks) for i in a.items)
    return isinstance(a, AbstractFunction) and (stacks or a is not STACK)


def leaves(a) -> list[tuple]:
    """The differentiable leaves of type ``a``: pairs of the path of indices that leads there and
    the cotangent's type.
    """
    if isinstance(a, AbstractTuple):
        return [((i, *path), t) for i, item in enumerate(a.items) for path, t in leaves(item)]
    t = cotangent_abstract(a)
    return [] if t is NONE else [((), t)]


def leaves_of(values) -> list[tuple]:
    """The leaves of several nodes: triples (node, path, cotangent's type)."""
    return [(v, path, t) for v in values for path, t in leaves(v.abstract)]


def named(t, v: Node, path: tuple):
    """``t``, the type of the cotangent of a leaf, with the names that the sizes of ``v`` have."""
    return cotangent_abstract(type_at(v.abstract, path)) if is_unbacked(t) else t


def resolve(v: Node, path: tuple) -> tuple:
    """Where a leaf really is: seen through tuples that are made and taken apart."""
    while v.__class__ is Apply:
        if v.fn is prim.tuple_getitem:
            v, path = v.args[0], (v.args[1].value, *path)
        elif v.fn is prim.make_tuple and path:
            v, path = v.args[path[0]], path[1:]
        else:
            break
    return v, path


def type_at(a, path: tuple):
    """The type of the element of a nested tuple type."""
    for i in path:
        a = a.items[i]
    return a


def at_path(b: Builder, v: Node, path: tuple) -> Node:
    """The element of a nested tuple."""
    for i in path:
        v = b.getitem(v, i)
    return v


def part(b: Builder, triple: Node, i: int) -> Node:
    """A function of a triple, taken where ``b`` is even if the triple was just made: what one graph
    closes over must not be mentioned by another.
    """
    return b.emit(prim.tuple_getitem, (triple, i), triple.abstract.items[i])


# ---- zeros


def zeros(a, number: float = 0.0):
    """A node of type ``a`` (tensor or floating point scalar) with ``number`` everywhere."""
    if isinstance(a, AbstractScalar):
        return as_node(number)
    one = as_node(define.constant_hook(number, a.dtype))
    return one if a.shape == () else P.broadcast_to(one, a.shape)


NEUTRAL = -0.0
"""What sums start from that go on: -0.0 + x is x also for x = -0.0, so algebra may leave it out."""


def zero(b: Builder, dual: Node, path: tuple, t, number: float = 0.0) -> Node:
    """The zero cotangent, of type ``t``, of a leaf of ``dual``: a function value brings its own,
    one whose size the run finds has that size.
    """
    if t is STACK:
        return empty()
    if isinstance(t, AbstractFunction):
        return b.emit(part(b, at_path(b, dual, path), 1), (), t)
    if is_unbacked(t):
        return b.emit(filled_like, (at_path(b, dual, path), number), t)
    return zeros(t, number)


def packed(b: Builder, a, path: tuple, parts: dict):
    """A cotangent of a value of type ``a`` as a user's function gets it: from leaves, zeros where
    they are absent and for bools and ints too.
    """
    if isinstance(a, AbstractTuple):
        return b.make_tuple([packed(b, item, (*path, i), parts) for i, item in enumerate(a.items)])
    d = parts.get(path)
    if d is not None:
        return d
    if isinstance(a, AbstractScalar):
        return as_node(a.kind(0))
    return zeros(a) if isinstance(a, AbstractTensor) else Constant(None, NONE)
