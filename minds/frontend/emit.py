"""The builder of interpreted code, and the exceptions that steer the interpreter."""

from __future__ import annotations

from ..base.errors import complain
from ..ir import build
from ..ir.dim import Dim
from ..ir.node import Apply, Node
from ..ir.shape_env import finding
from ..ops.define import Op, P
from ..ops.unbacked import sized_by
from ..tensor import Parameter, Tensor
from . import size_witnesses
from .value_types import NUMBERS


class EmitBuilder(build.Builder):
    """A builder whose nodes take the place of the expression being interpreted."""

    __slots__ = ("ip",)

    def __init__(self, ip, graph):
        super().__init__(graph)
        self.ip = ip

    def emit(self, fn, args, abstract):
        ip = self.ip
        self.loc = loc = ip.here()
        ip.flow.emitted += 1
        # An op has made nodes of its operands, and the rest are attributes.
        number = build.as_node if isinstance(fn, Op) else self.constant
        nodes = [a if isinstance(a, Node) else number(a) for a in args]
        tensors = ip.tensors
        if tensors.changing:
            nodes = list(map(tensors.present, nodes))
        if tensors.numbers and fn is P.cast:
            nodes[0] = tensors.numbers.get(nodes[0], nodes[0])
        made = self.graph.insert(Apply(fn, nodes, abstract, loc), self.before)
        if tensors.views.open:
            tensors.views.emitted(made, fn, args)
        if not finding() or not isinstance(fn, Op) or fn is sized_by:
            return made
        if not fn.finds:
            return size_witnesses.witnessed(self.ip.parameters.loaded, made, self)
        size_witnesses.note(self.ip.parameters.loaded, made)
        return made

    def constant(self, value) -> Node:
        """A node for a compile-time value: a parameter is read, a size that the run finds is a
        number of the run, anything else is a Constant.
        """
        if isinstance(value, Parameter):
            return self.ip.read(value)
        return (
            size_witnesses.number(self.ip.parameters.loaded, value, self)
            if type(value) is Dim
            else self.ip.tensors.present(build.as_node(value))
        )

    def write(self, parameter: Parameter, value) -> Node:
        """What `ops.assign` does while compiling. A number fills only a parameter of rank 0, as at once."""
        if type(value) in NUMBERS and parameter.shape:
            what = f"assign: Parameter {parameter.name!r} has shape {parameter.shape}, the value ()"
            raise complain(ValueError, what)
        return self.ip.write(parameter, value)

    def may_be_parameter(self, node) -> bool:
        return self.ip.tensors.may_be_parameter(node)

    def change(self, tensor, value) -> Node:
        """Change a tensor in place: what `ops.assign` does while compiling to what is no parameter."""
        tensors = self.ip.tensors
        if self.may_be_parameter(tensor):
            tensors.chosen.expect_known()
        if id(tensor) in tensors.chosen.of:
            return tensors.chosen.each(tensor, lambda p: self.write(p, value))
        return self.ip.call(Tensor.copy_, [tensor, value], {})


class Control(Exception):
    """Base of exceptions that steer the interpreter and are never the user's."""


class Bottom(Control):
    """The value of a recursive call whose result type is not known yet: its path is abandoned."""


class Raised(Control):
    """An exception of the source that the interpreter waits for: the StopIteration of ``__next__``."""

    def __init__(self, error: Exception):
        super().__init__(error)
        self.error = error


REQUIRED = object()
"""The default of a keyword-only parameter that has none."""

CALLEE = "<callee>"
"""Among the arguments of an activation: the function that is called, where what it holds is part of them."""
