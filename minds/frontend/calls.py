"""The call protocol: what compiled code may call, and how each is interpreted."""

from __future__ import annotations

import builtins
import enum
import functools
import inspect
import types
import typing

import gast

from ..base import tree
from ..base.boundary import inside, is_offered, plain_numbers, refuse, without_numpy
from ..base.errors import (
    CompileTimeError,
    ParseError,
    complain,
    is_frontend_fault,
    named,
    needing,
    performed,
)
from ..base.errors import is_library as is_own_file
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ir.node import Node
from ..ops.define import Op, P
from ..tensor import Tensor
from . import (
    conditions,
    dataclass,
    foreign,
    own_gradient,
    recursion,
    recursive_closures,
    recursive_graphs,
    region,
    run_arrays,
    run_lists,
    special,
    union_values,
    variables,
)
from .cells import is_cell, make_cell
from .describe import describe
from .emit import CALLEE, REQUIRED
from .function_types import Bound, Closure, Frame, UnionValue
from .imports import ATTRIBUTE, is_library
from .registry import EMITTERS
from .slots import slots_of
from .source import source_of, statements_of
from .store import Bindings
from .value_types import LocalDict, RunList, made, made_error
from .yields import generator, is_generator

DEPTH = 4000
"""So many nested calls are taken for unbounded recursion."""


class Calls:
    """The part of `Interp` that calls."""

    def call(self, fn, args: list, kwargs: dict):
        """The value of ``fn(*args, **kwargs)``.

        Raises:
            ParseError: compiled code cannot call ``fn``.
        """
        choice = union_values.first(args) or (kwargs and union_values.first(kwargs.values()))
        if choice and _takes_known(fn):
            return union_values.on_args(
                self, choice, args, kwargs, lambda a, k: self.call(fn, a, k)
            )
        within = inside(fn)
        handler = _handler(fn)
        if handler is None and within is not fn:
            handler = _handler(within)
        if handler is not None:
            call = functools.partial(handler, self, *args, **kwargs)
            if within is not fn:
                return self.call_public(call, fn, args, kwargs)
            try:
                return call()
            except Exception as e:
                if is_frontend_fault(e):
                    _expect_bound(fn, handler, [self, *args], kwargs)
                raise
        emit = getattr(type(fn), "_emit", None)
        if emit is not None:
            return emit(fn, self, args, kwargs)
        if foreign.is_pure(fn) and foreign.are_known((*args, *kwargs.values())):
            return foreign.frozen(self.native(fn, *args, **kwargs))
        by_class = _BY_CLASS.get(type(fn))
        if by_class is not None:
            return by_class(self, fn, args, kwargs)
        if is_cell(type(fn)):
            return self.call_cell(fn, args, kwargs)
        if isinstance(fn, Node) and recursive_closures.chain_of(fn) is not None:
            return self.call_of_run(fn, args, kwargs)
        if foreign.is_foreign(fn):
            return foreign.call(self, fn, args, kwargs)
        if isinstance(fn, type):
            return self.call_class(fn, args, kwargs)
        return self.call_object(fn, args, kwargs)

    def call_object(self, fn, args: list, kwargs: dict):
        """An object whose class has ``__call__``; others cannot be called."""
        if getattr(fn, "__name__", "") == "__init__" and hasattr(fn, "__objclass__"):
            # Where the chain of super().__init__() ends.
            error, *given = args if not hasattr(fn, "__self__") else (fn.__self__, *args)
            if isinstance(error, BaseException):
                error.args = tuple(given)
            if isinstance(error, BaseException) or fn.__objclass__ is object:
                return None
        if getattr(fn, "__objclass__", None) is object and hasattr(fn, "__self__"):
            plain = getattr(object, fn.__name__)  # super().__setattr__
            if plain in EMITTERS:
                return self.call(plain, [fn.__self__, *args], kwargs)
        method = getattr(type(fn), "__call__", None)
        if _is_function(method):
            self.imports.class_read(type(fn), "__call__", method)
            return self.call(method, [fn, *args], kwargs)
        of_class = EMITTERS.get((type(fn), "__call__"))
        if of_class is not None:
            return of_class(self, fn, *args, **kwargs)
        if not callable(fn) or isinstance(fn, (Node, Tensor)):
            what = f"{describe(fn)} cannot be called"
            raise complain(TypeError, what, expected="a function, an op or a cell")
        name, module = getattr(fn, "__name__", type(fn).__name__), getattr(fn, "__module__", None)
        qualified = isinstance(module, str) and not hasattr(builtins, name)
        shown = f"{module}.{name}" if qualified else name
        known = isinstance(getattr(P, name, None), Op)
        cure = f"use ops.{name}" if known else "call an op, a cell, or a function written in Python"
        raise complain(ParseError, f"{shown} cannot be called in compiled code", cure=cure)

    def call_chosen(self, fn, args: list, kwargs: dict):
        """One of several functions that run-time data chooses."""
        results: list = []

        def use(option):
            result = self.call_option(option, args, kwargs)
            results.append((_named(option), describe(result)))
            return result

        try:
            return conditions.of_choice(self, fn, use)
        except TypeError as e:
            complaint = getattr(e, "complaint", None)
            if complaint is not None and "have no common type" in complaint.head:
                complaint.operands = complaint.operands or results
            raise

    def call_bound(self, fn: Bound, args: list, kwargs: dict):
        """A method of a value of the run."""
        return self.call(fn.fn, [fn.owner, *args], kwargs)

    def call_method(self, fn: types.MethodType, args: list, kwargs: dict):
        """A method: its function, with its object."""
        emitted = is_cell(type(fn.__self__)) and _handler(inside(fn.__func__)) is not None
        if _is_library(fn.__func__) and not emitted:
            return self.call_library(fn, args, kwargs)
        return self.call(fn.__func__, [fn.__self__, *args], kwargs)

    def call_python(self, fn: types.FunctionType, args: list, kwargs: dict):
        """A function written in Python."""
        if _is_library(fn):
            return self.call_library(fn, args, kwargs)
        if foreign.is_foreign(fn):
            return foreign.call(self, fn, args, kwargs)
        if inside(fn) is not fn:
            call = functools.partial(self.call_python, inside(fn), args, kwargs)
            maker = fn.__name__ == "__init__" and args and is_offered(type(args[0]))
            return self.call_public(call, fn, args, kwargs, type(args[0]) if maker else None)
        if dataclass.is_init(fn):
            return dataclass.init(self, fn, *args, **kwargs)
        by_code = EMITTERS.get(fn.__code__)
        if by_code is not None:
            return by_code(self, fn, *args, **kwargs)
        inner = getattr(fn, "_compiled_from", None)
        if inner is not None:
            return self.call(inner, args, kwargs)
        return self.call_function(fn, args, kwargs)

    def call_partial(self, fn: functools.partial, args: list, kwargs: dict):
        """A function with some of its arguments."""
        names = ("func", "args", "keywords")
        read = self.imports.read
        fn, given, named = [read(ATTRIBUTE, fn, name, getattr(fn, name)) for name in names]
        return self.call(fn, [*given, *args], {**named, **kwargs})

    def call_option(self, fn, args: list, kwargs: dict):
        """A call of one of several functions that run-time data chooses; perhaps there is none."""
        if fn is None:
            raise self.failed(TypeError("'NoneType' object is not callable"))
        return self.call(fn, list(args), dict(kwargs))

    # ---- what other modules do with functions and lists of the run, for those below them

    as_member = recursive_closures.as_member
    call_of_run = recursive_closures.call
    any_function = recursive_closures.unreachable
    see = recursive_closures.see
    of_list = run_lists.made
    elements_of = run_lists.elements_of

    def discarded(self, mark: int) -> None:
        """The graphs made since there were ``mark`` are gone."""
        recursive_closures.discarded(self, mark)
        recursive_graphs.discarded(self, mark)

    # ---- what is called

    def call_library(self, fn, args: list, kwargs: dict):
        """A function of the library: its ops emit here, its errors start with its name."""
        if RunList in map(type, (*args, *kwargs.values())):
            return run_lists.library(self, fn.__name__, *args, **kwargs)
        choice = union_values.first_inside((*args, *kwargs.values()))
        if choice is not None:
            use = functools.partial(self.call_library, fn)
            return union_values.on_args(self, choice, args, kwargs, use)
        args = [run_arrays.operand(self, v) for v in args]
        if kwargs:
            kwargs = {name: run_arrays.operand(self, v) for name, v in kwargs.items()}
        try:
            return self.run_library(True, fn, args, kwargs)
        except (TypeError, ValueError, IndexError, AttributeError, KeyError) as e:
            if is_frontend_fault(e):
                raise
            of_library = is_own_file(self.frames[-1].source.file) if self.frames else False
            plain = None if of_library else without_numpy(e, args, kwargs)
            if plain is not None:
                return self.call_library(fn, *plain)
            helper = fn.__module__.startswith(_HELPERS) and hasattr(e, "complaint")
            fault = named(e, "" if helper else self._spoken(fn, hasattr(e, "complaint")))
            if not isinstance(e, CompileTimeError) and isinstance(fault, TypeError):
                found = _numbers_in([args, kwargs])
                if found:  # one may stand where a number must be known: an axis, a size
                    needs = complain(CompileTimeError, fault.complaint.head)
                    needs.complaint = fault.complaint
                    fault = needing(needs, found)
            raise fault from e.__cause__

    def _spoken(self, fn, complained: bool) -> str:
        """The name that a fault of a library function has: if it ``complained``, that of the class whose
        call it is; what Python raised in it is explained yet, as a fault of what the class calls.
        """
        if not complained:
            return fn.__name__
        of = self.activations.public[-1] if self.activations.public else (None, None)
        return of[0] if inside(of[1]) is inside(fn) else fn.__name__

    def call_public(self, call, fn, args, kwargs, of=None, section: str = "Args", kept=None):
        """``call()`` of a public function, or of a public object whose call ``fn`` is: what it raises
        here, not in a function of the user's, is about its arguments (`boundary.explained`).
        """
        name = fn._public_name if of is None else of.__name__
        what = name, fn, args, kwargs, (of or fn).__doc__, section, kept
        self.activations.public.append(what)
        try:
            return call()
        except Exception as e:
            complaint = getattr(e, "complaint", None)
            if complaint is not None and complaint.loc not in (None, self.here()):
                raise
            plain = [plain_numbers(v) for v in args]  # as they were taken at last
            return refuse(e, name, fn, plain, kwargs, *what[4:])
        finally:
            self.activations.public.pop()

    def call_class(self, cls: type, args: list, kwargs: dict):
        """An object made in compiled code: of a class whose ``__init__`` is written in Python."""
        if issubclass(cls, BaseException) and _is_function(cls.__init__):
            new = made_error(cls.__new__(cls, *args), tuple(args), LocalDict())
            self.call(cls.__init__, [new, *args], kwargs)
            return new
        if typing.is_typeddict(cls):
            return self.call(dict, args, kwargs)
        if _holds_known(cls):
            return self.native(cls, *args, **kwargs)
        if isinstance(cls, enum.EnumMeta):
            args, kwargs = tree.map(foreign.counted, args), tree.map(foreign.counted, kwargs)
            return self.native(cls, *args, **kwargs)
        if hasattr(cls, "__dataclass_fields__") and cls.__dataclass_params__.frozen:
            return self.native(cls, *args, **kwargs)
        if is_cell(cls):
            return make_cell(self, cls, args, kwargs)
        if cls is object:
            return performed(object, *args, **kwargs)
        if _is_plain(cls):
            return self.make(cls, args, kwargs)
        what = f"an object of class {cls.__name__} cannot be made in compiled code"
        other = next((name for base, name in _WRITTEN.items() if issubclass(cls, base)), None)
        derive = f"derive it from collections.{other}, or " if other else ""
        raise complain(ParseError, what, cure=f"{derive}make it in __init__ and use it here")

    def make(self, cls: type, args: list, kwargs: dict):
        """An object that lives while compiling: its attributes are values."""
        if inspect.isabstract(cls):
            what = f"Can't instantiate abstract class {cls.__name__} with abstract methods "
            raise complain(TypeError, what + ", ".join(sorted(cls.__abstractmethods__)))
        special.expect_plain_lookup(cls)
        for method in ("__new__", "__init__"):
            self.imports.class_read(cls, method, None)
        plain = cls.__new__ is object.__new__
        new = made(cls, LocalDict()) if plain else self.call(cls.__new__, [cls, *args], kwargs)
        if not isinstance(new, cls):
            return new
        if cls.__init__ is not object.__init__:
            result = self.call(cls.__init__, [new, *args], kwargs)
            if result is not None and not isinstance(result, UnionValue):
                what = f"__init__() should return None, not {describe(result)}"
                raise complain(TypeError, what)
        elif plain and (args or kwargs):
            raise complain(TypeError, f"{cls.__name__}() takes no arguments")
        return new

    def call_cell(self, cell, args: list, kwargs: dict):
        """A cell: its construct, with its hooks around it."""
        around = getattr(cell, "_around_call", None)
        if around is not None:
            return around(self, args, kwargs)
        return self.construct_cell(cell, args, kwargs)

    def construct_cell(self, cell, args: list, kwargs: dict):
        """A cell's construct, in the precision that it computes in."""
        around = getattr(cell, "_around_construct", None)
        if around is not None:
            return around(self, args, kwargs)
        return self.differentiable_cell(cell, args, kwargs)

    def differentiable_cell(self, cell, args: list, kwargs: dict):
        """A cell's construct, or where it has one its own gradient around it."""
        cls = type(cell)
        self.imports.class_read(cls, "bprop", None)
        if getattr(cls, "bprop", None) is not None:
            return own_gradient.call_with_bprop(self, cell, args, kwargs)
        construct = self.imports.attribute_read(cell, "construct", cell.construct)
        call = functools.partial(self.call, construct, args, kwargs)
        if not is_offered(cls):
            return call()
        return self.call_public(call, cell.construct, args, kwargs, cls, "Inputs")

    def call_function(self, fn: types.FunctionType, args: list, kwargs: dict):
        """A Python function: interpret its source."""
        source = source_of(fn)
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
        frame = Frame(Bindings(self.store), source, None, fn.__globals__, cells, self.here())
        defaults, given = self._defaults(fn)
        kw_defaults = [given.get(a.id, REQUIRED) for a in source.tree.args.kwonlyargs]
        self.bind(frame, source.name, args, kwargs, defaults, kw_defaults)
        if is_generator(source.tree):
            return self.call(generator, [frame], {})
        # Functions made by one def differ if they see different variables.
        return self.run_frame(frame, (fn.__code__, *map(id, fn.__closure__ or ())))

    def _defaults(self, fn: types.FunctionType) -> tuple:
        """The defaults of a function, those of keywords too; the program depends on its code."""
        names = ("__code__", "__defaults__", "__kwdefaults__")
        found = [getattr(fn, name) for name in names]
        if not is_library(fn.__module__):
            found = [self.imports.read(ATTRIBUTE, fn, *pair) for pair in zip(names, found)]
        return found[1] or (), found[2] or {}

    def call_closure(self, fn: Closure, args: list, kwargs: dict):
        """A function defined in interpreted code."""
        outer = fn.frame
        callee = fn if outer.finished else None
        vars = Bindings(self.store)
        frame = Frame(
            vars, fn.source, outer, outer.globals, outer.cells, self.here(), callee=callee
        )
        self.bind(frame, fn.name, args, kwargs, fn.defaults, fn.kw_defaults)
        if is_generator(fn.source.tree):
            return self.call(generator, [frame], {})
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
        keywords = [a.id for a in spec.kwonlyargs]

        def refused(what: str) -> Exception:
            return complain(TypeError, what, expected=f"{name}({', '.join(positional)})")

        kwargs, rest, count = dict(kwargs), tuple(args[len(positional) :]), len(positional)
        vars.update(zip(positional, args))
        if spec.vararg is not None:
            vars[spec.vararg.id] = rest
        elif rest:
            got = f"but {len(args)} were given"
            raise refused(f"{name}() takes {count} positional arguments {got}")
        only = {a.id for a in spec.posonlyargs}
        for n in positional + keywords:
            if n in kwargs and n not in only:
                if n in vars:
                    raise complain(TypeError, f"{name}() got multiple values for argument {n!r}")
                vars[n] = kwargs.pop(n)
        if spec.kwarg is not None:
            vars[spec.kwarg.id] = LocalDict(kwargs)
        elif kwargs:
            raise refused(f"{name}() got an unexpected keyword argument {next(iter(kwargs))!r}")
        by_default = zip(positional[count - len(defaults) :] + keywords, [*defaults, *kw_defaults])
        for n, v in by_default:
            if v is not REQUIRED:
                vars.setdefault(n, v)
        missing = [n for n in positional + keywords if n not in vars]
        if missing:
            what = f"{len(missing)} required argument{'s' * (len(missing) > 1)}"
            raise refused(f"{name}() missing {what}: {', '.join(map(repr, missing))}")

    def run_frame(self, frame: Frame, key):
        """Interpret the body of a bound activation; recursive calls become calls of a graph."""
        callee = {} if frame.callee is None else {CALLEE: frame.callee}
        frame.args = {**callee, **frame.vars}
        if self.parameters.chosen.of:
            frame.args = {n: self.parameters.chosen.apart(v) for n, v in frame.args.items()}
        running = self.activations.active.setdefault(key, [])
        if len(running) >= recursion.SAME:
            self.refuse_depth(frame, recursion.SAME)
        frame.began = recursive_graphs.began(self, self.flow.builder.graph)
        if running or key in self.activations.defined:
            again = recursion.find(self, frame, key, running)
            if again is not None:
                return again()
        if not running:
            made = recursion.share(self, frame, key)
            if made is not None:
                return recursion.call(self, made, frame)
        running.append(frame)
        try:
            return self.interpret(frame)
        finally:
            running.pop()

    def refuse_depth(self, frame: Frame, most: int):
        """Raise the error of calls that are nested too deep."""
        what = f"{frame.source.name}: calls are nested more than {most} deep"
        cure = "a recursive function needs a base case that is chosen by its arguments"
        raise complain(RecursionError, what, cure=cure)

    def interpret(self, frame: Frame):
        """The value that the body of ``frame`` returns, its nodes put at the current place."""
        if len(self.frames) >= DEPTH:
            self.refuse_depth(frame, DEPTH)
        self.frames.append(frame)
        try:
            function = frame.source.tree
            if isinstance(function, gast.AsyncFunctionDef):
                self.refuse(function)
            variables.share(self, frame)
            return region.run_region(self, lambda: self.block(statements_of(function)))
        finally:
            frame.finished = True
            self.frames.pop()


_BY_CLASS = {
    Bound: Calls.call_bound,
    Closure: Calls.call_closure,
    UnionValue: Calls.call_chosen,
    types.MethodType: Calls.call_method,
    types.FunctionType: Calls.call_python,
    functools.partial: Calls.call_partial,
    Op: lambda ip, fn, args, kwargs: ip.call_library(fn.called, args, kwargs),
    functools._lru_cache_wrapper: lambda ip, fn, *given: ip.call(fn.__wrapped__, *given),
}
"""How what compiled code calls is called, by its class."""


def _expect_bound(fn, handler, args: list, kwargs: dict) -> None:
    """Raise what CPython does where arguments do not fit the signature of ``fn``, or that of what
    compiled code has in its place, which ``args`` are for.
    """
    for callee, given in ((fn, args[1:]), (handler, args)):
        try:
            signature = inspect.signature(callee)
        except (TypeError, ValueError):  # it tells none
            continue
        try:
            signature.bind(*given, **kwargs)
        except TypeError as e:
            name = fn[1] if type(fn) is tuple else getattr(fn, "__name__", type(fn).__name__)
            raise complain(TypeError, f"{name}(): {e}") from None


def _numbers_in(values) -> list:
    """The numbers of the running program in ``values``, and the tensors of whole numbers."""
    try:
        leaves = tree.leaves(values)
    except RecursionError:  # a container that holds itself
        return []
    leaves += [b for s in leaves if isinstance(s, slice) for b in (s.start, s.stop, s.step)]
    abstracts = [(v, v.abstract) for v in leaves if isinstance(v, Node)]
    return [
        v
        for v, a in abstracts
        if isinstance(a, AbstractScalar) or isinstance(a, AbstractTensor) and a.dtype.is_int
    ]


_WRITTEN = {dict: "UserDict", list: "UserList", str: "UserString"}
"""What Python's library has, written in Python, for classes to derive from."""


def _is_plain(cls: type) -> bool:
    """Whether an object of ``cls`` is what its ``__init__``, written in Python, puts there."""
    return (
        type(cls).__call__ is type.__call__
        and (cls.__new__ is object.__new__ or special.is_written(cls.__new__))
        and (cls.__init__ is object.__init__ or _is_function(cls.__init__))
        and (cls.__dictoffset__ != 0 or bool(slots_of(cls)) or cls.__basicsize__ == _EMPTY)
        and (getattr(cls, "_plain_instances", False) or not special.is_ours(cls))
    )


def _is_function(fn) -> bool:
    return isinstance(fn, types.FunctionType) or special.is_written(fn)


_EMPTY = object.__basicsize__
"""The size of objects that hold nothing but their attributes."""


def _holds_known(cls) -> bool:
    """Whether objects of ``cls`` hold nothing that run-time data chooses."""
    known = getattr(cls, "_static_instances", False) or hasattr(cls, "_fields")
    return known or issubclass(cls, BaseException)


def _takes_known(fn) -> bool:
    """Whether ``fn`` is called with each of the values that an argument may be."""
    if _handler(fn) is not None or isinstance(fn, type) and _holds_known(fn):
        return True
    return isinstance(fn, Op) or _is_library(getattr(fn, "__func__", fn)) or foreign.is_foreign(fn)


def _handler(fn):
    try:
        return EMITTERS.get(fn)
    except TypeError:
        return None


def _named(fn) -> str:
    """The name of a function in a list of several."""
    return getattr(fn, "__name__", None) or getattr(fn, "name", None) or type(fn).__name__


def _is_library(fn) -> bool:
    """Whether ``fn`` is library code over ops, which runs as it is on nodes. What a cell computes is not:
    the attributes that it reads may change.
    """
    if not isinstance(fn, types.FunctionType) or fn.__name__ == "construct":
        return False
    module = fn.__module__ or ""
    return (
        module.startswith(_LIBRARY) and module not in _PLAIN and not hasattr(fn, "_compiled_from")
    )


_PLAIN = (
    "minds.numpy.applied",
    "minds.ops.plain",
    "minds.ops.plain_numbers",
    "minds.ops.sparse_base",
    "minds.ops.sparse_coo",
    "minds.ops.sparse_csr",
    "minds.ops.sparse_csr_forms",
    "minds.ops.sparse_tensor",
)
_HELPERS = ("minds.base", "minds.ops.checked", "minds.ops.rules")
"""What says what is wrong for who calls it."""
_LIBRARY = (
    "minds.ops",
    "minds.mint",
    "minds.numpy",
    "minds.nn.buffers",
    "minds.nn.cell",
    "minds.nn.contents",
    "minds.nn.layer.arithmetic",
    "minds.nn.optim.rules",
    "minds.nn.settings",
    "minds.arrays",
    "minds.tensor",
    "minds.parameters",
    "minds.common",
    "minds.communication",
    "minds.base",
    "minds.compat",
)
