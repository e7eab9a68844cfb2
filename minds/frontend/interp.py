"""The interpreter's state and the call protocol.

`Interp` holds what one compilation shares: the root graph, the current builder (where nodes go), the frames,
the journal of container changes, the parameters found. Expressions, statements and control flow are in
`expr`, `stmt`, `control`.
"""
from __future__ import annotations

import builtins
import functools
import re
import types
from contextlib import contextmanager

import gast

from ..base.deep import TOO_DEEP
from ..base.errors import CompileTimeError, ParseError, complain, is_library, locate, named, needing
from ..base.loc import Loc
from ..ir import build
from ..ir.abstract import AbstractRef, AbstractScalar, AbstractTensor, AbstractTuple
from ..ir.node import Graph, Node
from ..ops.define import Op, P
from ..tensor import Parameter, Tensor
from . import dataclass, foreign, recursion, region, values
from .cells import is_cell, make_cell
from .emit import CALLEE, REQUIRED, Bottom, Control, EmitBuilder
from .kinds import made
from .merge import OUTSIDE
from .source import loc_of, source_of, text_of
from .syntax import refusal
from .values import Bound, Closure, Frame, describe, described

EXPR: dict = {}
STMT: dict = {}
EMITTERS: dict = {}
"""Handlers by gast node type, and by the identity of a Python callable: filled by the modules beside this
one.
"""

DEPTH, SAME = 4000, 150
"""Calls nested deeper than this while compiling, or so many of one function, are taken for unbounded recursion."""


class Interp:
    """One compilation of a function to a root graph.

    Attributes:
        root, builder: the program, and where nodes go now.
        frames: the activations being interpreted; `active` groups them by function, to notice recursion.
        refs, parameters: the parameters found, and their nodes in the root graph.
        loaded: parameters read since they were last written, with the node of the value.
        stand_ins: parameters that a gradient is taken of, with the node that stands for them inside.
        guards: attributes of cells that were read, with their values.
        outside: variables of enclosing functions and modules, and attributes, that were read: (holder, name, value).
        journal: per open branch, the containers changed in it with what they held.
        aliases: by the identity of a list or dict, those that may be the same, depending on run-time data.
        chosen: by the identity of a node, that node and the tensors it may be, depending on run-time data.
        arguments: the tensors among the arguments; an item is replaced where items of the tensor are set.
        stored: the numbers of those that were replaced.
        given: (number, skeleton of what it holds at the end) of the lists and dicts among the arguments that
            were changed; None if there are no lists and dicts.
        paths: positions from which interpretation will go on later; their heaps keep what containers hold there.
        customs: the cells with their own gradient that are being interpreted.
        hooks: the functions that see the gradient of an argument, by the identity of its node.
        live: whether the present position can be reached.
        unrolled: how often the present position is interpreted because of loops around it that are unrolled.
        fails: the ways out of the whole program, where all of them raise.
        tails: the regions around the present position.
        calling: the syntax of the call being made, and (syntax or keyword, value) of its operands, for
            messages.
    """

    def __init__(self, name: str, options):
        self.options = options
        self.root = Graph(name)
        self.builder = EmitBuilder(self, self.root)
        self.frames: list[Frame] = []
        self.refs: dict[int, Node] = {}
        self.parameters: list[Parameter] = []
        self.loaded: dict[int, Node] = {}
        self.stand_ins: dict[int, Node] = {}
        self.guards: dict = {}
        self.outside: dict = {}
        self.journal: list[dict] = []
        self.paths: list[region.Path] = []
        self.aliases: dict[int, list] = {}
        self.chosen: dict[int, tuple] = {}
        self.given: list | None = None
        self.stored: list = []
        self.arguments = values.LocalList()
        self.graphs: list[Graph] = []
        self.active: dict = {}
        self.calling = None
        self.customs: list = []
        self.hooks: dict[int, tuple] = {}
        self.live = True
        self.unrolled = 1
        self.fails: region.Region | None = None
        self.tails: list = []

    # ---- places

    def here(self) -> Loc | None:
        """The place being interpreted, in the user's code: inside minds' own cells it is that of the call."""
        for frame in reversed(self.frames):
            if not is_library(frame.source.file):
                return loc_of(frame.node or frame.source.tree, frame.source, frame.caller)
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
        """Emit into another graph, where parameters are read anew and whose reads serve nobody else."""
        saved, self.loaded = self.loaded, {}
        try:
            with self.inside(builder):
                yield builder
        finally:
            self.loaded = saved

    def native(self, fn, *args, **kwargs):
        """Run library code on values: the ops it calls emit here. Several results are a Python tuple of
        nodes.
        """
        with build.building(self.builder):
            result = fn(*args, **kwargs)
        if isinstance(result, Node) and isinstance(result.abstract, AbstractTuple):
            return tuple([self.builder.getitem(result, i) for i in range(len(result.abstract.items))])
        return result

    def seen(self, holder, name: str, value):
        """``value``, noted as what stood outside of the source under a name, with the cells that it lists."""
        self.outside[id(holder), name] = (holder, name, value)
        if "cell_list" in getattr(value, "__dict__", ()):
            self.guards[id(value), "cell_list"] = (value, "cell_list", value.cell_list)
        return value

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
            if have.shape != p.shape:
                raise complain(
                    ValueError, f"assign: Parameter {p.name!r} has shape {p.shape}, the value {have.shape}"
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
        return value if isinstance(value, Node) else self.builder.constant(value)

    def raises(self, ends: region.Region) -> None:
        """No way out of a region gives a value: the calls in it, and its graphs that raise, end the region around."""
        if self.tails:
            self.tails[-1].pending += ends.pending
            self.tails[-1].dead += ends.dead
        else:
            self.fails = ends

    # ---- containers

    def touch(self, container) -> None:
        """To be called before interpreted code changes a container that it made: what may be an alias of it
        becomes stale.

        Raises:
            ParseError: it must not be changed.
        """
        kind = values.CONTAINERS.get(type(container))
        if kind is None:
            raise complain(TypeError, f"a {type(container).__name__} cannot be changed")
        fixed = OUTSIDE if type(container) is kind else container.fixed
        if fixed is not None:
            raise complain(ParseError, f"a {kind.__name__} {fixed[0]}", cure=f"{fixed[1]}: {kind.__name__}(…)")
        for origin in container.origins or (id(container),):
            for other in self.aliases.get(origin, ()):
                if other is not container and other.stale is None:
                    self.note(other)
                    other.stale = f"line {self.here().line} changes a {kind.__name__} that may be the same"
        self.note(container)

    def note(self, container) -> None:
        """Keep what a container holds, for the places from which it is not changed."""
        key = id(container)
        if self.journal and key not in self.journal[-1]:
            self.journal[-1][key] = (container, container.copy())
        for path in self.paths:
            if key not in path.heap:
                path.heap[key] = (container, container.copy())

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

    def may_be(self, node, alike) -> None:
        """``node`` is, when the program runs, one of these tensors."""
        if isinstance(node.abstract, AbstractTensor):
            self.chosen[id(node)] = (node, alike)

    def tensors_of(self, v) -> set:
        """The identities of the tensors that ``v`` may be."""
        found, stack = set(), [v]
        while stack:
            v = stack.pop()
            if id(v) not in found:
                found.add(id(v))
                stack += self.chosen.get(id(v), (None, ()))[1]
        return found

    def usable(self, v):
        """``v``, unless it is a list or dict whose contents are not known here.

        Raises:
            ParseError: a container that may be the same was changed.
        """
        if v.__class__ in (values.LocalList, values.LocalDict) and v.stale is not None:
            what = values.CONTAINERS[v.__class__].__name__
            raise complain(
                ParseError, f"this {what} cannot be used any more: {v.stale}, depending on run-time data",
                cure=f"copy it before the condition or loop that chooses between them: {what}(…)")
        return v

    # ---- calls

    def call(self, fn, args: list, kwargs: dict):
        """The value of ``fn(*args, **kwargs)``.

        Raises:
            ParseError: compiled code cannot call ``fn``.
        """
        handler = _handler(fn)
        if handler is not None:
            return handler(self, *args, **kwargs)
        if isinstance(fn, Bound):
            return self.call(fn.fn, [fn.owner, *args], kwargs)
        if isinstance(fn, values.Choice):
            return region.of_choice(self, fn, lambda f: self.call_option(f, args, kwargs))
        emit = getattr(type(fn), "_emit", None)
        if emit is not None:
            return emit(fn, self, args, kwargs)
        if isinstance(fn, Closure):
            return self.call_closure(fn, args, kwargs)
        if isinstance(fn, types.MethodType):
            if _is_library(fn.__func__):
                return self.call_library(fn, args, kwargs)
            return self.call(fn.__func__, [fn.__self__, *args], kwargs)
        if _is_library(fn):
            return self.call_library(fn, args, kwargs)
        if foreign.is_foreign(fn):
            return foreign.call(self, fn, args, kwargs)
        if isinstance(fn, functools.partial):
            return self.call(fn.func, [*fn.args, *args], {**fn.keywords, **kwargs})
        if isinstance(fn, functools._lru_cache_wrapper):
            return self.call(fn.__wrapped__, args, kwargs)
        if isinstance(fn, types.FunctionType):
            inner = getattr(fn, "_compiled_from", None)
            if dataclass.is_init(fn):
                return dataclass.init(self, fn, *args, **kwargs)
            return self.call_function(fn if inner is None else inner, args, kwargs)
        if is_cell(type(fn)):
            return self.call_cell(fn, args, kwargs)
        if isinstance(fn, type):
            return self.call_class(fn, args, kwargs)
        method = getattr(type(fn), "__call__", None)
        if isinstance(method, types.FunctionType):
            return self.call(method, [fn, *args], kwargs)
        if not callable(fn) or isinstance(fn, (Node, Tensor)):
            raise complain(TypeError, f"{describe(fn)} cannot be called",
                           expected="a function, an op or a cell")
        name, module = getattr(fn, "__name__", type(fn).__name__), getattr(fn, "__module__", None)
        shown = f"{module}.{name}" if isinstance(module, str) and not hasattr(builtins, name) else name
        cure = "call an op, a cell, or a function written in Python"
        if isinstance(getattr(P, name, None), Op):
            cure = f"use ops.{name}"
        raise complain(ParseError, f"{shown} cannot be called in compiled code", cure=cure)

    def call_option(self, fn, args: list, kwargs: dict):
        """A call of one of several functions that run-time data chooses; perhaps there is none."""
        if fn is None:
            return region.fail(self, TypeError("'NoneType' object is not callable"))
        return self.call(fn, list(args), dict(kwargs))

    def call_library(self, fn, args: list, kwargs: dict):
        """A function of the library: its ops emit here, its errors start with its name."""
        try:
            return self.native(fn, *args, **kwargs)
        except (TypeError, ValueError, IndexError, AttributeError, KeyError, AssertionError) as e:
            fault = named(e, fn.__name__)
            if not isinstance(e, CompileTimeError) and isinstance(fault, TypeError):
                found = _numbers_in((*args, *kwargs.values()), [])
                if found:
                    # A number of the running program may stand where one must be known: an axis, a size.
                    c = fault.complaint
                    fault = needing(complain(CompileTimeError, c.head, loc=c.loc, operands=c.operands,
                                             expected=c.expected, cure=c.cure), found)
            raise fault from e.__cause__

    def call_class(self, cls: type, args: list, kwargs: dict):
        """An object made in compiled code: of a class whose ``__init__`` is written in Python."""
        if (
            getattr(cls, "_static_instances", False)
            or hasattr(cls, "_fields")
            or issubclass(cls, BaseException)
        ):
            return self.native(cls, *args, **kwargs)
        if hasattr(cls, "__dataclass_fields__") and cls.__dataclass_params__.frozen:
            return self.native(cls, *args, **kwargs)
        if is_cell(cls):
            return make_cell(cls, args, kwargs)
        if _is_plain(cls):
            return self.make(cls, args, kwargs)
        raise complain(ParseError, f"an object of class {cls.__name__} cannot be made in compiled code",
                       cure="make it in __init__ and use it here")

    def make(self, cls: type, args: list, kwargs: dict):
        """An object that lives while compiling: its attributes are values."""
        new = made(cls, values.LocalDict())
        if cls.__init__ is not object.__init__:
            self.call(cls.__init__, [new, *args], kwargs)
        elif args or kwargs:
            raise complain(TypeError, f"{cls.__name__}() takes no arguments")
        return new

    def call_cell(self, cell, args: list, kwargs: dict):
        """A cell: its construct, with its hooks around it."""
        around = getattr(cell, "_around_call", None)
        return self.construct_cell(cell, args, kwargs) if around is None else around(self, args, kwargs)

    def construct_cell(self, cell, args: list, kwargs: dict):
        """A cell's construct, or where it has one its own gradient around it."""
        cls = type(cell)
        if getattr(cls, "bprop", None) is not None:
            return recursion.call_with_bprop(self, cell, args, kwargs)
        around = getattr(cell, "_around_construct", None)
        if around is not None:
            return around(self, args, kwargs)
        construct = cell.construct
        if isinstance(construct, types.MethodType):
            return self.call(construct.__func__, [construct.__self__, *args], kwargs)
        return self.call(construct, args, kwargs)

    def call_function(self, fn: types.FunctionType, args: list, kwargs: dict):
        """A Python function: interpret its source."""
        source = source_of(fn)
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
        frame = Frame({}, source, None, fn.__globals__, cells, self.here())
        kw_defaults = [(fn.__kwdefaults__ or {}).get(a.id, REQUIRED) for a in source.tree.args.kwonlyargs]
        self.bind(frame, source.name, args, kwargs, list(fn.__defaults__ or ()), kw_defaults)
        # Functions made by one def differ if they see different variables.
        return self.run_frame(frame, (fn.__code__, *map(id, fn.__closure__ or ())))

    def call_closure(self, fn: Closure, args: list, kwargs: dict):
        """A function defined in interpreted code."""
        outer = fn.frame
        callee = fn if outer.finished else None
        frame = Frame({}, fn.source, outer, outer.globals, outer.cells, self.here(), callee=callee)
        self.bind(frame, fn.name, args, kwargs, fn.defaults, fn.kw_defaults)
        return self.run_frame(frame, (fn.source.tree, None if outer.finished else outer))

    def bind(
        self, frame: Frame, name: str, args: list, kwargs: dict, defaults: list, kw_defaults: list
    ) -> None:
        """Bind arguments to the parameters of ``frame``'s function, as CPython does.

        Raises:
            TypeError: a missing, surplus or doubled argument.
        """
        spec, vars = frame.source.tree.args, frame.vars
        positional = [a.id for a in (*spec.posonlyargs, *spec.args)]
        kwargs = dict(kwargs)
        for n, v in zip(positional, args):
            vars[n] = v
        if len(args) > len(positional):
            if spec.vararg is None:
                raise complain(
                    TypeError,
                    f"{name}() takes {len(positional)} positional arguments but {len(args)} were given",
                    expected=f"{name}({', '.join(positional)})",
                )
            vars[spec.vararg.id] = tuple(args[len(positional):])
        elif spec.vararg is not None:
            vars[spec.vararg.id] = ()
        only = {a.id for a in spec.posonlyargs}
        for n in positional + [a.id for a in spec.kwonlyargs]:
            if n in kwargs and n not in only:
                if n in vars:
                    raise complain(TypeError, f"{name}() got multiple values for argument {n!r}")
                vars[n] = kwargs.pop(n)
        if kwargs:
            if spec.kwarg is None:
                raise complain(
                    TypeError,
                    f"{name}() got an unexpected keyword argument {next(iter(kwargs))!r}",
                    expected=f"{name}({', '.join(positional)})",
                )
            vars[spec.kwarg.id] = values.LocalDict(kwargs)
        elif spec.kwarg is not None:
            vars[spec.kwarg.id] = values.LocalDict()
        for n, v in zip(positional[len(positional) - len(defaults):], defaults):
            vars.setdefault(n, v)
        for a, v in zip(spec.kwonlyargs, kw_defaults):
            if v is not REQUIRED:
                vars.setdefault(a.id, v)
        missing = [n for n in positional + [a.id for a in spec.kwonlyargs] if n not in vars]
        if missing:
            raise complain(
                TypeError,
                f"{name}() missing {len(missing)} required argument{'s' * (len(missing) > 1)}: "
                + ", ".join(map(repr, missing)),
                expected=f"{name}({', '.join(positional)})",
            )

    def run_frame(self, frame: Frame, key):
        """Interpret the body of a bound activation; recursive calls become calls of a graph."""
        frame.args = dict(frame.vars) if frame.callee is None else {CALLEE: frame.callee, **frame.vars}
        running = self.active.setdefault(key, [])
        if len(running) >= SAME:
            self._refuse_depth(frame, SAME)
        if running:
            again = recursion.find(self, frame, running)
            if again is not None:
                return again()
        running.append(frame)
        try:
            return self.interpret(frame)
        finally:
            running.pop()

    def _refuse_depth(self, frame: Frame, most: int):
        raise complain(RecursionError, f"{frame.source.name}: calls are nested more than {most} deep",
                       cure="a recursive function needs a base case that is chosen by its arguments")

    def interpret(self, frame: Frame):
        """The value that the body of ``frame`` returns, its nodes put at the current place."""
        if len(self.frames) >= DEPTH:
            self._refuse_depth(frame, DEPTH)
        self.frames.append(frame)
        try:
            tree = frame.source.tree
            if isinstance(tree, gast.Lambda):
                return region.run_body(self, [gast.copy_location(gast.Return(tree.body), tree.body)])
            if isinstance(tree, gast.AsyncFunctionDef):
                self.refuse(tree)
            return region.run_body(self, tree.body)
        finally:
            frame.finished = True
            self.frames.pop()

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
        if complaint is not None and complaint.loc is not None:
            return e
        if complaint is None and isinstance(e, RecursionError):
            e = complain(RecursionError, TOO_DEEP, cure="a function that is handed on at each recursive call, and holds the one before, grows "
                              "without end: pass what it holds instead")
        source = self.frames[-1].source
        if is_library(source.file) and isinstance(e, (AttributeError, KeyError)):
            # A cell of the library met an argument of a kind that it does not know.
            text = complaint.head if complaint is not None else str(e)
            e = complain(TypeError, f"{source.name.split('.')[0]}: the arguments do not fit: {text}")
        operands = self._operands()
        if complaint is not None and complaint.operands and operands:
            self._name_operands(complaint, operands)
        return locate(e, self.here(), operands)

    def _operands(self) -> list:
        """(text, value) of the operands of the call that is being made."""
        frame = self.frames[-1]
        if self.calling is None or self.calling[0] is not frame.node or is_library(frame.source.file):
            return []
        return [(operand if isinstance(operand, str) else text_of(operand, frame.source), described(v))
                for operand, v in self.calling[1]]

    @staticmethod
    def _name_operands(complaint, operands: list) -> None:
        """Let an op's message speak of what the user wrote instead of the op's parameters, where they are in
        step.
        """
        tensors = [(text, shown) for text, shown in operands if shown.startswith("Tensor[")]
        if len(tensors) != len(complaint.operands) or any(
                not new[1].startswith(old[1]) for new, old in zip(tensors, complaint.operands)):
            return
        spoken = {name: text for (text, _), (name, _) in zip(tensors, complaint.operands)
                  if text.isascii() and len(text) <= 24}
        if complaint.expected and spoken:
            names = "|".join(map(re.escape, spoken))
            complaint.expected = re.sub(rf"\b({names})\b(?=[.\[])", lambda m: spoken[m[1]], complaint.expected)
        complaint.operands = tensors

    def refuse(self, node: gast.AST):
        """Raise the error for a construct that is not compiled."""
        message, cure = refusal(node)
        raise complain(ParseError, message, loc=self.here(), cure=cure)


def _numbers_in(v, out: list) -> list:
    """The numbers of the running program in ``v``, and the tensors of whole numbers."""
    if isinstance(v, (tuple, list)):
        for e in v:
            _numbers_in(e, out)
    elif isinstance(v, slice):
        _numbers_in((v.start, v.stop, v.step), out)
    elif isinstance(v, Node) and (isinstance(v.abstract, AbstractScalar)
                                  or isinstance(v.abstract, AbstractTensor) and v.abstract.dtype.is_int):
        out.append(v)
    return out


def _is_plain(cls: type) -> bool:
    """Whether objects of ``cls`` hold nothing but what its ``__init__``, written in Python, puts there."""
    return (cls.__new__ is object.__new__ and type(cls) is type
            and (cls.__init__ is object.__init__ or isinstance(cls.__init__, types.FunctionType))
            and cls.__dictoffset__ != 0
            and not (cls.__module__ or "").startswith("minds."))


def _handler(fn):
    try:
        return EMITTERS.get(fn)
    except TypeError:
        return None


def _is_library(fn) -> bool:
    """Whether ``fn`` is library code over ops, which runs as it is on nodes."""
    return isinstance(fn, types.FunctionType) and (fn.__module__ or "").startswith(_LIBRARY) and not hasattr(
        fn, "_compiled_from")


_LIBRARY = (
    "minds.ops",
    "minds.mint",
    "minds.numpy",
    "minds.nn.cell",
    "minds.tensor",
    "minds.common",
    "minds.base",
    "minds.context",
)


__all__ = ["EMITTERS", "EXPR", "STMT", "Interp"]
