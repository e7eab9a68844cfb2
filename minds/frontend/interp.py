"""The interpreter's state.

`Interp` holds what one compilation shares: the root graph, the current builder (where nodes go),
the frames, the journal of container changes, the parameters found. Calls are in `calls`;
expressions, statements and control flow in `expr`, `stmt`, `control`.
"""

from __future__ import annotations

import re
from contextlib import contextmanager

import gast

from ..base.deep import TOO_DEEP
from ..base.errors import ParseError, complain, is_frontend_fault, is_library, locate
from ..base.loc import Loc
from ..ir import build
from ..ir.abstract import AbstractRef, AbstractScalar, AbstractTensor, AbstractTuple
from ..ir.node import Graph, Node
from ..ir.shape_env import finding
from ..ops.define import P
from ..tensor import Parameter, Tensor
from . import region, size_witnesses, values
from .calls import EMITTERS, Calls
from .emit import Bottom, Control, EmitBuilder
from .imports import Imports, is_outside
from .merge import OUTSIDE
from .source import loc_of, text_of
from .store import Bindings, Store
from .syntax import refusal
from .tensors import Tensors
from .values import Frame, described

EXPR: dict = {}
STMT: dict = {}
"""Handlers by gast node type: filled by the modules beside this one."""


class Interp(Calls):
    """One compilation of a function to a root graph.

    Attributes:
        root, builder: the program, and where nodes go now.
        frames: the activations being interpreted; `active` groups them by function, to notice
            recursion.
        refs, parameters: the parameters found, and their nodes in the root graph.
        loaded: parameters read since they were last written, with the node of the value; and by
            size that the run finds, what has it here (`size_witnesses`).
        stand_ins: parameters that a gradient is taken of, with the node that stands for them
            inside.
        guards: attributes of cells that were read, with their values.
        outside: variables of enclosing functions and modules, and attributes, that were read:
            (holder, name, value).
        imports: the lists and dicts found there.
        store: what containers and variables hold, in versions; `nested` counts the open branches.
        aliases: by the identity of a list or dict, those that may be the same, depending on
            run-time data.
        tensors: those that are changed in place.
        given: (number, skeleton of what it holds at the end) of the lists and dicts that were
            changed, among those of the arguments and the imports behind them; None if there are no
            such.
        customs: the cells with their own gradient that are being interpreted.
        chains: the chains of functions that are values of the run; `turns` what is interpreted that
            may be interpreted again.
        catches: (class, open branches, graph) of exceptions that the interpreter waits for.
        hooks: the functions that see the gradient of an argument, by the identity of its node.
        derived: the functions being differentiated around the present position, outermost first.
        live: whether the present position can be reached.
        unrolled: how often the present position is interpreted because of loops around it that are
            unrolled.
        fails: the ways out of the whole program, where all of them raise.
        tails: the regions around the present position.
        calling: the syntax of the call being made, and (syntax or keyword, value) of its operands,
            for messages.
    """

    def __init__(self, name: str, options):
        self.options = options
        self.root = Graph(name)
        self.builder = EmitBuilder(self, self.root)
        self.frames: list[Frame] = []
        self.refs: dict[int, Node] = {}
        self.parameters: list[Parameter] = []
        self.store = Store()
        self.nested = 0
        self.loaded = Bindings(self.store)
        self.stand_ins: dict[int, Node] = {}
        self.guards: dict = {}
        self.outside: dict = {}
        self.imports = Imports()
        self.aliases: dict[int, list] = {}
        self.tensors = Tensors(self.store)
        self.given: list | None = None
        self.stored: list = []
        self.graphs: list[Graph] = []
        self.active: dict = {}
        self.calling = None
        self.customs: list = []
        self.chains: list = []
        self.turns: list = []
        self.catches: list = []
        self.hooks: dict[int, tuple] = {}
        self.derived: list[Graph] = []
        self.live = True
        self.unrolled = 1
        self.fails: region.Region | None = None
        self.tails: list = []

    # ---- places

    def here(self) -> Loc | None:
        """The place being interpreted, in the user's code: inside minds' own cells it is that of
        the call.
        """
        for frame in reversed(self.frames):
            if not is_library(frame.source.file):
                node = frame.node or frame.source.tree
                if frame.placed is not node:
                    frame.placed, frame.place = node, loc_of(node, frame.source, frame.caller)
                return frame.place
        return self.root.loc

    def graph(self, name: str) -> Graph:
        """A new graph, known to this compilation."""
        g = Graph(name, self.here())
        self.graphs.append(g)
        return g

    @contextmanager
    def inside(self, builder: EmitBuilder):
        """Emit into another graph for a while."""
        saved, self.builder = self.builder, builder
        try:
            yield builder
        finally:
            self.builder = saved

    @contextmanager
    def apart(self, builder: EmitBuilder):
        """Emit into another graph, where parameters are read anew and whose reads serve nobody
        else.
        """
        saved = dict(self.loaded)
        self.loaded.clear()
        try:
            with self.inside(builder):
                yield builder
        finally:
            self.loaded.replace(saved)

    def native(self, fn, *args, **kwargs):
        """Run library code on values: the ops it calls emit here. Several results are a Python
        tuple of nodes.
        """
        if finding():
            for a in args:
                size_witnesses.note(self.loaded, a)
        with build.building(self.builder):
            result = fn(*args, **kwargs)
        if isinstance(result, Node) and isinstance(result.abstract, AbstractTuple):
            return tuple(
                [self.builder.getitem(result, i) for i in range(len(result.abstract.items))]
            )
        return result

    def seen(self, holder, name: str, value):
        """``value``, noted as what stood outside of the source under a name, with the cells that it
        lists.
        """
        self.outside[id(holder), name] = (holder, name, value)
        if "cell_list" in getattr(value, "__dict__", ()):
            self.guards[id(value), "cell_list"] = (value, "cell_list", value.cell_list)
        return self.imports.of(value)

    # ---- parameters

    def ref(self, p: Parameter) -> Node:
        """The root graph's node for a parameter."""
        node = self.refs.get(id(p))
        if node is None:
            node = self.root.add_param(p.name, AbstractRef(p.abstract), self.root.loc)
            node.default = p
            self.refs[id(p)] = node
            self.parameters.append(p)
        return node

    def read(self, p: Parameter) -> Node:
        """The present value of a parameter; one load serves until something may have written it."""
        node = self.loaded.get(id(p), self.stand_ins.get(id(p)))
        if node is None:
            ref = self.ref(p)
            self.builder.loc = self.here()
            node = self.loaded[id(p)] = self.builder.load(ref)
        return node

    def write(self, p: Parameter, value) -> Node:
        """Assign to a parameter a value of its shape, cast to its dtype; a number fills it.

        Raises:
            TypeError: the value's dtype does not convert without loss of kind.
            ValueError: the shapes differ.
        """
        if type(value) in values.NUMBERS:
            node = self.native(P.full, p.shape, value, p.dtype)
        else:
            node = self.node(value)
            have = node.abstract
            if not isinstance(have, (AbstractTensor, AbstractScalar)):
                raise complain(
                    TypeError,
                    f"assign: Parameter {p.name!r} cannot hold {values.describe(value)}",
                    expected="a Tensor or a number",
                )
            if have.shape != p.shape:
                raise complain(
                    ValueError,
                    f"assign: Parameter {p.name!r} has shape {p.shape}, the value {have.shape}",
                )
            if "buif".index(have.dtype.kind) > "buif".index(p.dtype.kind):
                raise complain(
                    TypeError,
                    f"assign: Parameter {p.name!r} is {p.dtype.name}, the value {have.dtype.name}",
                    cure="cast the value first",
                )
            if have is not p.abstract:
                scalar = isinstance(have, AbstractScalar)
                node = self.native(P.scalar_to_tensor if scalar else P.cast, node, p.dtype)
        self.loaded.pop(id(p), None)
        self.stand_ins.pop(id(p), None)
        self.builder.loc = self.here()
        return self.builder.assign(self.ref(p), node)

    def node(self, value) -> Node:
        """A node for a value that the program computes with."""
        if isinstance(value, Node):
            return self.tensors.present(value) if self.tensors.boxes else value
        return self.builder.constant(value)

    def raises(self, ends: region.Region) -> None:
        """No way out of a region gives a value: the calls in it, and its graphs that raise, end the
        region around.
        """
        if self.tails:
            self.tails[-1].pending += ends.pending
            self.tails[-1].dead += ends.dead
        else:
            self.fails = ends

    # ---- containers

    def touch(self, container) -> None:
        """To be called before interpreted code changes a container that it made: what may be an
        alias of it becomes stale.

        Raises:
            ParseError: it must not be changed.
        """
        kind = values.CONTAINERS.get(type(container))
        if kind is None:
            raise complain(TypeError, f"a {type(container).__name__} cannot be changed")
        fixed = OUTSIDE if type(container) is kind else container.fixed
        if fixed is not None:
            raise complain(
                ParseError, f"a {kind.__name__} {fixed[0]}", cure=f"{fixed[1]}: {kind.__name__}(…)"
            )
        if self.options.strict and is_outside(container):
            raise complain(
                TypeError,
                f"a {kind.__name__} {OUTSIDE[0]} with jit_syntax_level STRICT",
                cure=f"{OUTSIDE[1]}, or set jit_syntax_level to LAX",
            )
        for origin in container.origins or (id(container),):
            for other in self.aliases.get(origin, ()):
                if other is not container and other.stale is None:
                    self.store.note(other)
                    other.stale = (
                        f"line {self.here().line} changes a {kind.__name__} that may be the same"
                    )
        self.store.note(container)

    def alias(self, container, origins: set) -> None:
        """``container`` may be, when the program runs, any of those with these identities."""
        origins = frozenset(origins - {id(container)})
        if not origins:
            return
        container.origins = origins | {id(container)}
        for origin in container.origins:
            group = self.aliases.setdefault(origin, [])
            if not any(c is container for c in group):
                group.append(container)

    def usable(self, v):
        """``v``, unless it is a list or dict whose contents are not known here.

        Raises:
            ParseError: a container that may be the same was changed.
        """
        if v.__class__ in values.LOCAL and v.stale is not None:
            what = values.CONTAINERS[v.__class__].__name__
            raise complain(
                ParseError,
                f"this {what} cannot be used any more: {v.stale}, depending on run-time data",
                cure=f"copy it before the condition or loop that chooses between them: {what}(…)",
            )
        return v

    # ---- dispatch

    def eval(self, node: gast.AST):
        """The value of an expression."""
        frame = self.frames[-1]
        outer, frame.node = frame.node, node
        handler = EXPR.get(type(node))
        if handler is None:
            self.refuse(node)
        try:
            value = handler(self, node)
            if not self.live:  # no branch in it has a value
                raise Bottom
            if id(value) in self.tensors.boxes and not isinstance(value, (Node, Tensor)):
                value = self.tensors.boxes[id(value)][0]  # an array
            return self.usable(value) if self.aliases else value
        except Control:
            raise
        except Exception as e:
            raise self.located(e) from e.__cause__
        finally:
            frame.node = outer

    def block(self, statements) -> None:
        """Interpret statements until one of them leaves, or cannot be typed yet (`Bottom`)."""
        try:
            for s in statements:
                if not self.live:
                    return
                self.run(s)
        except Bottom:
            self.live = False

    def run(self, node: gast.AST) -> None:
        """Interpret one statement."""
        frame = self.frames[-1]
        outer, frame.node = frame.node, node
        handler = STMT.get(type(node))
        if handler is None:
            self.refuse(node)
        try:
            handler(self, node)
        except Control:
            raise
        except Exception as e:
            raise self.located(e) from e.__cause__
        finally:
            frame.node = outer

    def located(self, e: Exception) -> Exception:
        """``e`` with the user's place and the operands of the call that failed."""
        complaint = getattr(e, "complaint", None)
        if complaint is not None and complaint.loc is not None or is_frontend_fault(e):
            return e
        if complaint is None and isinstance(e, RecursionError):
            e = complain(
                RecursionError,
                TOO_DEEP,
                cure="a function that is handed on at each recursive call, and holds the one before, grows "
                "without end: pass what it holds instead",
            )
        source = self.frames[-1].source
        if is_library(source.file) and isinstance(e, (AttributeError, KeyError)):
            # A cell of the library met an argument of a kind that it does not know.
            text = complaint.head if complaint is not None else str(e)
            e = complain(
                TypeError, f"{source.name.split('.')[0]}: the arguments do not fit: {text}"
            )
        operands = self._operands()
        if complaint is not None and complaint.operands and operands:
            self._name_operands(complaint, operands)
        return locate(e, self.here(), operands)

    def _operands(self) -> list:
        """(text, value) of the operands of the call that is being made."""
        frame = self.frames[-1]
        if (
            self.calling is None
            or self.calling[0] is not frame.node
            or is_library(frame.source.file)
        ):
            return []
        return [
            (operand if isinstance(operand, str) else text_of(operand, frame.source), described(v))
            for operand, v in self.calling[1]
        ]

    @staticmethod
    def _name_operands(complaint, operands: list) -> None:
        """Let an op's message speak of what the user wrote instead of the op's parameters, where
        they are in step.
        """
        tensors = [(text, shown) for text, shown in operands if shown.startswith("Tensor[")]
        if len(tensors) != len(complaint.operands) or any(
            not new[1].startswith(old[1]) for new, old in zip(tensors, complaint.operands)
        ):
            return
        spoken = {
            name: text
            for (text, _), (name, _) in zip(tensors, complaint.operands)
            if text.isascii() and len(text) <= 24
        }
        if complaint.expected and spoken:
            names = "|".join(map(re.escape, spoken))
            complaint.expected = re.sub(
                rf"\b({names})\b(?=[.\[])", lambda m: spoken[m[1]], complaint.expected
            )
        complaint.operands = tensors

    def refuse(self, node: gast.AST):
        """Raise the error for a construct that is not compiled."""
        message, cure = refusal(node)
        raise complain(ParseError, message, loc=self.here(), cure=cure)


__all__ = ["EMITTERS", "EXPR", "STMT", "Interp"]
