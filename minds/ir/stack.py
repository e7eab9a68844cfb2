"""Stacks of records: what ▶ leaves for ◀ where they are not one graph, in branches, loops and recursion.

A stack is a function value of type `STACK` without parameters: called, it gives the stack below its
topmost record, and the values of that record. To push is to apply a graph that returns its params
partially (flag ``record``); to pop is to call a graph that calls the stack (flag ``pop``). Both flags
hold the *key* of the record: whatever pops a record with a key finds one that was pushed with it.

The cotangent of a stack is a stack that holds the cotangents of its records: ◀ of a push pops, ◀ of a
pop pushes. So derivatives of all orders are loops over stacks, and no function is made in them.
"""

from __future__ import annotations

from itertools import count

from . import prim
from .abstract import STACK, AbstractTuple
from .build import Builder, as_node
from .node import Apply, Constant, Graph, Node

new_key = count(1).__next__


def empty() -> Node:
    """A stack without records. As a cotangent it is zero: a function without results gives zeros for
    whatever is expected of it.
    """
    g = Graph("zeros")
    g.flags["record"] = 0
    g.output = Builder(g).make_tuple(())
    return Constant(g, STACK)


def push(b: Builder, stack: Node, values: list, key: int) -> Node:
    """``stack`` with a record of ``values`` on top."""
    g = Graph("record", b.loc)
    params = [g.add_param(f"v{i}", v.abstract) for i, v in enumerate((stack, *values))]
    g.flags["record"] = key
    g.output = Builder(g).make_tuple(params)
    return b.emit(prim.partial, (as_node(g), stack, *values), STACK)


def pop(b: Builder, stack: Node, types: list, key: int) -> Node:
    """The tuple of the stack below the topmost record and its values, which have these types."""
    g = Graph("pop", b.loc)
    kind = AbstractTuple((STACK, *types))
    g.output = Builder(g).emit(g.add_param("stack", STACK), (), kind)
    g.flags["pop"] = key
    return b.emit(g, (stack,), kind)


def pushed(n: Apply) -> int | None:
    """The key of the record that ``n`` pushes; None if it does not."""
    return n.args[0].value.flags["record"] if n.fn is prim.partial and n.abstract is STACK else None


def popped(n: Node) -> int | None:
    """The key of the record that ``n`` pops; None if it does not."""
    is_call = n.__class__ is Apply and n.fn.__class__ is Graph
    return n.fn.flags.get("pop") if is_call else None
