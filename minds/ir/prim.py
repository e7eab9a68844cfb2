"""Structural primitives: what the graph itself needs, as opposed to ops that compute with tensors.

return_(x)               the result of a graph
make_tuple(*xs), tuple_getitem(t, i)     i is a Constant int
switch(cond, f, g)       the function f if cond else g; cond is a bool scalar or a bool tensor of
one element partial(f, *xs)          the function f with its first arguments given
J(f)                     the function that returns (f(*args), backpropagator); gone after the step
``j`` vmap(f, n, shared)       f for n examples at once; gone after the step ``vmap``
load(p), assign(p, v)    read and write a parameter; assign returns v
"""

from __future__ import annotations


class Structural:
    """A structural primitive; compared by identity."""

    __slots__ = ("name", "has_effect")

    def __init__(self, name: str, has_effect: bool = False):
        self.name, self.has_effect = name, has_effect

    def __repr__(self) -> str:
        return self.name


return_ = Structural("return")
make_tuple = Structural("make_tuple")
tuple_getitem = Structural("tuple_getitem")
switch = Structural("switch")
partial = Structural("partial")
J = Structural("J")
vmap = Structural("vmap")
load = Structural("load")
assign = Structural("assign", has_effect=True)

ALL = {
    p.name: p for p in (return_, make_tuple, tuple_getitem, switch, partial, J, vmap, load, assign)
}
