"""The parameters that compiled code reads and writes."""

from __future__ import annotations

from ..base.errors import complain
from ..ir.abstract import AbstractRef, AbstractScalar, AbstractTensor
from ..ir.node import Node
from ..ops.control import expect_to_hold
from ..ops.define import P
from ..tensor import Parameter, Tensor
from .chosen import Chosen
from .describe import describe
from .store import Bindings
from .value_types import NUMBERS


class Parameters:
    """Those of one compilation.

    Attributes:
        found, refs: the parameters in the order in which the program takes them, and by their
            identity their nodes in the root graph.
        loaded: those read since they were last written, with the node of the value; and by size
            that the run finds, what has it here (`size_witnesses`): per path.
        stand_ins: those that a gradient is taken of, with the node that stands for them inside: a
            tensor that holds what the parameter does.
        written: the identities of those that the program writes.
        hooks: the functions that see the gradient of an argument, by the identity of its node.
        made: the nodes of those that the source makes.
        own: by identity, those of cells that the source makes, each with its node.
        chosen: values of which the run finds which parameter they are.
        cast: the nodes that stand for parameters in cells that compute in another precision.
    """

    def __init__(self, ip):
        self.ip, self.loaded = ip, Bindings(ip.store)
        self.written: set[int] = set()
        self.found: list[Parameter] = []
        self.refs: dict[int, Node] = {}
        self.stand_ins: dict[int, Node] = {}
        self.hooks: dict[int, tuple] = {}
        self.made: set[Node] = set()
        self.own: dict[int, tuple] = {}
        self.chosen = Chosen(ip)
        self.cast: list[Node] = []

    def make(self, value: Node) -> Node:
        """A parameter that one call alone has: a tensor of its own, to which no gradient flows."""
        node = self.ip.native(P.copy, self.ip.native(P.stop_gradient, value))
        self.made.add(node)
        return node

    def keep(self, p: Parameter) -> None:
        """Let ``p``, of a cell that the source makes, start anew at each call."""
        self.own[id(p)] = p, self.make(self.ip.node(Tensor(p.asnumpy(), p.dtype)))

    def ref(self, p: Parameter) -> Node:
        """The root graph's node for a parameter."""
        node = self.refs.get(id(p))
        if node is None:
            root = self.ip.root
            node = self.refs[id(p)] = root.add_param(p.name, AbstractRef(p.abstract), root.loc)
            node.default = p
            self.found.append(p)
        return node

    def read(self, p: Parameter) -> Node:
        """The present value of a parameter; one load serves until something may have written it."""
        if id(p) in self.own:
            return self.ip.tensors.present(self.own[id(p)][1])
        stand_in = self.stand_ins.get(id(p))
        node = self.loaded.get(id(p)) if stand_in is None else self.ip.tensors.present(stand_in)
        if node is None:
            ref, builder = self.ref(p), self.ip.builder
            builder.loc = self.ip.here()
            node = self.loaded[id(p)] = builder.load(ref)
        self.ip.tensors.views.contents[id(node)] = (node, p)
        return node

    def write(self, p: Parameter, value) -> Node:
        """Assign to a parameter a value of its shape, cast to its dtype; a number fills it.

        Raises:
            TypeError: the value's dtype does not convert without loss of kind.
            ValueError: the shapes differ.
        """
        node = self._fitted(p, value)
        if id(p) in self.own:
            self.ip.tensors.change(self.ip, self.own[id(p)][1], node)
            return node
        builder, tensors = self.ip.builder, self.ip.tensors
        self.loaded.pop(id(p), None)
        if id(p) in self.stand_ins:
            tensors.set(self.stand_ins[id(p)], self.ip.native(P.stop_gradient, node))
        self.chosen.forget(p)
        self.written.add(id(p))
        tensors.changing |= id(p) in tensors.views.parameters
        tensors.note_written(self.ip, p, (id(p),))
        builder.loc = self.ip.here()
        return builder.assign(self.ref(p), node)

    def _fitted(self, p: Parameter, value) -> Node:
        """``value`` as a node that the parameter can hold."""
        ip = self.ip
        if type(value) in NUMBERS:
            return ip.native(P.full, p.shape, value, p.dtype)
        node = ip.node(value)
        have = node.abstract
        if not isinstance(have, (AbstractTensor, AbstractScalar)):
            what = f"assign: Parameter {p.name!r} cannot hold {describe(value)}"
            raise complain(TypeError, what, expected="a Tensor or a number")
        if have.shape != p.shape:
            what = f"assign: Parameter {p.name!r} has shape {p.shape}, the value {have.shape}"
            raise complain(ValueError, what)
        scalar = isinstance(have, AbstractScalar)
        expect_to_hold(p, have.dtype, by_kind=scalar)
        if have is p.abstract:
            return node
        return ip.native(P.scalar_to_tensor if scalar else P.cast, node, p.dtype)
