"""Leaves of values: where an element of a tuple really is, what type it has, tuples from leaves."""

from __future__ import annotations

from ..ir import prim
from ..ir.abstract import NONE, AbstractScalar, AbstractTensor, AbstractTuple
from ..ir.build import Builder, as_node
from ..ir.node import Apply, Constant, Node
from .zeros import zeros


class Items:
    """The elements of a tuple in ▶, taken when asked for."""

    __slots__ = ("builder", "node", "size")

    def __init__(self, builder: Builder, node: Node, size: int):
        self.builder, self.node, self.size = builder, node, size

    def __getitem__(self, i: int) -> Node:
        if not 0 <= i < self.size:
            raise IndexError(i)
        return self.builder.getitem(self.node, i)

    def __len__(self) -> int:
        return self.size


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
    for i in path:
        a = a.items[i]
    return a


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
