"""The builder of interpreted code, and the exceptions that steer the interpreter."""
from __future__ import annotations

from ..ir import build
from ..ir.node import Apply, Node
from ..tensor import Parameter, Tensor


class EmitBuilder(build.Builder):
    """A builder whose nodes take the place of the expression being interpreted."""

    __slots__ = ("ip",)

    def __init__(self, ip, graph):
        super().__init__(graph)
        self.ip = ip

    def emit(self, fn, args, abstract):
        self.loc = loc = self.ip.here()
        nodes = [a if isinstance(a, Node) else self.constant(a) for a in args]
        return self.graph.insert(Apply(fn, nodes, abstract, loc), self.before)

    def constant(self, value) -> Node:
        """A node for a compile-time value: a parameter is read, anything else is a Constant."""
        return self.ip.read(value) if isinstance(value, Parameter) else build.as_node(value)

    def write(self, parameter: Parameter, value) -> Node:
        """Assign to a parameter; what `ops.assign` does while compiling."""
        return self.ip.write(parameter, value)

    def change(self, tensor, value) -> Node:
        """Change a tensor in place: what `ops.assign` does while compiling to what is no parameter."""
        return self.ip.call(Tensor.copy_, [tensor, value], {})


class Control(Exception):
    """Base of exceptions that steer the interpreter and are never the user's."""


class Bottom(Control):
    """The value of a recursive call whose result type is not known yet: its path is abandoned."""


REQUIRED = object()
"""The default of a keyword-only parameter that has none."""

CALLEE = "<callee>"
"""Among the arguments of an activation: the function that is called, where what it holds is part of them."""
