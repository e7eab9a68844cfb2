"""The parameters that compiled code reads and writes."""

from __future__ import annotations

from ..base.errors import complain
from ..ir.abstract import AbstractRef, AbstractScalar, AbstractTensor
from ..ir.node import Node
from ..ops.control import expect_to_hold
from ..ops.define import P
from ..tensor import Parameter
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
        stand_ins: those that a gradient is taken of, with the node that stands for them inside.
        writes: whether the program writes some.
        hooks: the functions that see the gradient of an argument, by the identity of its node.
        made: the nodes of those that the source makes.
    """

    __slots__ = ("found", "hooks", "ip", "loaded", "made", "refs", "stand_ins", "writes")

    def __init__(self, ip):
        self.ip, self.loaded, self.writes = ip, Bindings(ip.store), False
        self.found: list[Parameter] = []
        self.refs: dict[int, Node] = {}
        self.stand_ins: dict[int, Node] = {}
        self.hooks: dict[int, tuple] = {}
        self.made: set[Node] = set()

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
        node = self.loaded.get(id(p), self.stand_ins.get(id(p)))
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
        self.loaded.pop(id(p), None)
        self.stand_ins.pop(id(p), None)
        builder, tensors = self.ip.builder, self.ip.tensors
        self.writes = True
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
