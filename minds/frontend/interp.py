"""The interpreter's state.

`Interp` holds what one compilation shares: the graphs, the store, the present position, the calls that
are being interpreted, and what was found outside. How calls are interpreted stands in `calls`;
expressions, statements and control flow in `expr`, `stmt`, `control`.
"""

from __future__ import annotations

import re
from contextlib import contextmanager

import gast

from ..base.deep import TOO_DEEP
from ..base.errors import (
    IntegerTooLarge,
    ParseError,
    complain,
    is_frontend_fault,
    is_library,
    locate,
    performed,
    unfit,
)
from ..base.loc import Loc
from ..ir import build
from ..ir.abstract import AbstractTuple
from ..ir.node import Graph, Node
from ..ir.shape_env import finding
from ..tensor import Parameter
from . import raises, size_witnesses, text
from .aliases import Aliases
from .calls import Calls
from .describe import described
from .emit import Bottom, Control, EmitBuilder
from .flow import Flow
from .function_types import Frame
from .imports import Captures, Imports
from .parameters import Parameters
from .registry import EXPR, STMT
from .source import loc_of, text_of
from .store import Store
from .syntax import refusal
from .tensors import Tensors


class Activations:
    """The calls that are being interpreted.

    Attributes:
        frames: all of them; `active` groups them by function, to notice recursion.
        called: by function, how many calls of it were alike, where that matters.
        calling: the syntax of the call being made, and (syntax or keyword, value) of its operands,
            or what gives these, for messages.
        catches: what waits for exceptions, innermost last.
        public: of the public functions that are being called, what `boundary.explained` needs.
        handling: (frame, variable) of the exceptions whose handlers are interpreted.
        raised: identity → `Thrown` of the exceptions that were caught.
        classes: the classes that the source has made, each with the call that made it.
        customs: the cells with their own gradient.
        derived: the functions being differentiated, outermost first.
        groups, defined: the recursive functions being interpreted, innermost last; those with a
            graph, by function.
        chains: the chains of functions that are values of the run; `turns` what is interpreted that
            may be interpreted again.
        last_calls: by cell whose gradient will be asked for, its last call (`transforms.last_call`).
    """

    def __init__(self):
        self.frames: list[Frame] = []
        self.active: dict = {}
        self.called: dict = {}
        self.calling = None
        self.catches: list = []
        self.public: list = []
        self.handling: list = []
        self.raised: dict = {}
        self.classes: dict = {}
        self.customs: list = []
        self.derived: list[Graph] = []
        self.groups: list = []
        self.defined: dict = {}
        self.chains: list = []
        self.turns: list = []
        self.last_calls: dict = {}


class Interp(Calls):
    """One compilation of a function to a root graph.

    Attributes:
        options: what `compile` froze.
        graphs: the program, ``root``, and behind it the other graphs that were made.
        store: what containers and variables hold, in versions.
        flow: the present position.
        activations: the calls being interpreted.
        parameters, imports: what was found outside: parameters; other objects that were read, and
            the lists and dicts among them.
        aliases, tensors: which containers and tensors may be the same; what tensors hold.
    """

    def __init__(self, name: str, options, captures: Captures | None = None, carried=()):
        self.options = options
        self.graphs = [Graph(name)]
        self.store = Store()
        self.flow = Flow(EmitBuilder(self, self.root), self.store, carried)
        self.activations = Activations()
        self.frames = self.activations.frames
        self.parameters = Parameters(self)
        self.imports = Imports(self, captures or Captures(frozen=True))
        self.aliases, self.tensors = Aliases(self), Tensors(self)

    root = property(lambda self: self.graphs[0])
    builder = property(lambda self: self.flow.builder)
    live = property(lambda self: self.flow.live)

    # ---- places

    def here(self) -> Loc | None:
        """The place being interpreted, in the user's code: inside minds' own cells it is that of the call."""
        for frame in reversed(self.frames):
            if not frame.source.of_library:
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
        saved, self.flow.builder = self.builder, builder
        try:
            yield builder
        finally:
            self.flow.builder = saved

    @contextmanager
    def apart(self, builder: EmitBuilder):
        """Emit into another graph, where parameters are read anew and whose reads serve nobody else."""
        loaded = self.parameters.loaded
        saved = dict(loaded)
        loaded.clear()
        try:
            with self.inside(builder):
                yield builder
        finally:
            loaded.replace(saved)

    def native(self, fn, /, *args, **kwargs):
        """Run library code on values: the ops it calls emit here, and numbers alone stay numbers."""
        return self.run_library(False, fn, args, kwargs)

    def part(self, fn, x, /, *args):
        """`native`, where what results is a part of the tensor ``x``: a view of it, or itself."""
        node = self.node(x)
        found = self.run_library(None, fn, (node, *args), {})
        return x if found is node else found

    def run_library(self, for_user: bool | None, fn, args, kwargs: dict):
        """Run library code on values, as `native`, as `part` (None) or for a call that the user makes.
        Several results are a Python tuple of nodes.
        """
        if finding():
            for a in args:
                size_witnesses.note(self.parameters.loaded, a)
        if self.tensors.arrays:
            args = self.tensors.known(tuple(args))
        builder, views = self.flow.builder, self.tensors.views
        before, builder.for_user = (builder.for_user, views.open), for_user is True
        views.open = for_user is not False
        try:
            with build.building(builder):
                result = performed(fn, *args, **kwargs)
        finally:
            builder.for_user, views.open = before
        if isinstance(result, Node) and isinstance(result.abstract, AbstractTuple):
            return tuple(
                [self.builder.getitem(result, i) for i in range(len(result.abstract.items))]
            )
        return result

    # ---- parameters

    def read(self, p: Parameter) -> Node:
        """The present value of a parameter."""
        return self.parameters.read(p)

    def write(self, p: Parameter, value) -> Node:
        """Assign to a parameter."""
        return self.parameters.write(p, value)

    def node(self, value) -> Node:
        """A node for a value that the program computes with."""
        if isinstance(value, Node):
            return self.tensors.present(value) if self.tensors.changing else value
        if type(value) is int and not -(2**63) <= value < 2**63:
            raise complain(
                IntegerTooLarge,
                f"an int of {value.bit_length()} bits becomes a number of the run, which has 64",
                cure="make it a float",
            )
        return self.builder.constant(value)

    def touch(self, container) -> None:
        """To be called before interpreted code changes a container that it made."""
        self.aliases.touch(container)

    def usable(self, v):
        """``v``, unless it is a container whose contents are not known here."""
        return self.aliases.usable(v)

    # ---- dispatch

    def eval(self, node: gast.AST, handlers: dict = EXPR):
        """The value of an expression.

        Raises:
            Bottom: no path leads on behind it.
        """
        kind = type(node)
        if kind is gast.Constant:
            return node.value
        frame = self.frames[-1]
        outer, frame.node = frame.node, node
        handler = handlers.get(kind)
        if handler is None:
            self.refuse(node)
        try:
            value = handler(self, node)
            if not self.flow.live:
                raise Bottom
            if self.tensors.arrays and id(value) in self.tensors.boxes:
                value = self.tensors.known(value)
            return self.usable(value) if self.aliases.groups else value
        except Control:
            raise
        except Exception as e:
            raise self.failed(e) from e.__cause__
        finally:
            frame.node = outer

    def block(self, statements) -> None:
        """Interpret statements until one of them leaves, or cannot be typed yet (`Bottom`)."""
        try:
            for s in statements:
                if not self.flow.live:
                    return
                self.run(s)
        except Bottom:
            self.flow.live = False

    def run(self, node: gast.AST) -> None:
        """Interpret one statement, which may leave (`Bottom`), as `eval` does an expression."""
        self.eval(node, STMT)

    def failed(self, e: Exception) -> Exception:
        """What to raise for an exception at the present place: the user's error; or `Bottom`, where
        it is one of the run, with which this path of the program has ended.
        """
        error = self.located(e)
        if is_frontend_fault(e) or not raises.is_of_program(error):
            return error
        thrown = e if id(e) in self.activations.raised else error  # as the user's code raised it
        return Bottom() if raises.diverted(self, thrown) else error

    def located(self, e: Exception) -> Exception:
        """``e`` with the user's place and the operands of the call that failed."""
        complaint = getattr(e, "complaint", None)
        if complaint is not None and complaint.loc is not None or is_frontend_fault(e):
            return e
        if complaint is None and text.holds_runtime(e.args):
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
            e = unfit(source.name.split(".")[0], e)
        elif is_library(source.file) and isinstance(e, IndexError) and complaint is not None:
            complaint.inner = e  # it looked for a dimension that the argument does not have
        operands = self._operands()
        if complaint is not None and complaint.operands and operands:
            self._name_operands(complaint, operands)
        return locate(e, self.here(), operands)

    def _operands(self) -> list:
        """(text, value) of the operands of the call that is being made."""
        frame = self.frames[-1]
        node, operands = self.activations.calling or (None, ())
        if node is None or node is not frame.node or is_library(frame.source.file):
            return []
        return [
            (operand if isinstance(operand, str) else text_of(operand, frame.source), described(v))
            for operand, v in (operands() if callable(operands) else operands)
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
