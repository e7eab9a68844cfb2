"""Strings that hold run-time values, as f-strings, ``str()``, ``%`` and ``.format`` make them.

Such a `Text` is a compile-time value with run-time parts. It becomes a string where the run-time
values are there: when the program prints or raises, and when it returns. Until then it can be
joined to others.
"""

from __future__ import annotations

import dataclasses
import operator
from dataclasses import replace

from ..base.errors import CompileTimeError, UserError, complain, locate, performed, placed
from ..ir.abstract import AbstractScalar
from ..ir.dim import Dim
from ..ir.node import Node
from ..ops.define import P
from ..tensor import Parameter
from . import special
from .function_types import UnionValue
from .structure import parts
from .value_types import RunArray, is_made, of_python, record
from .values import flatten, leaf_abstracts, unflatten


def _refuse(self, *args):
    what = "a string that holds run-time values is not known when the program is compiled"
    expected = "that it is printed, raised, returned, or joined to another"
    raise complain(CompileTimeError, what, expected=expected)


class Text:
    """A string that holds run-time values.

    Attributes:
        forms: literal strings, and (how, argument) of the values between them.
        values: the values, one for each pair.
    """

    def __init__(self, forms: tuple, values: list):
        self.forms, self.values = forms, values

    @staticmethod
    def _parts(v) -> tuple:
        return (v.forms,), list(v.values), lambda items: Text(v.forms, items)

    def render(self, values: list) -> str:
        """The string for these values."""
        given = iter(values)
        return "".join(
            [f if isinstance(f, str) else _HOW[f[0]](f[1], _shown(next(given))) for f in self.forms]
        )

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __len__ = __iter__ = (
        __contains__
    ) = _refuse
    __getitem__ = __hash__ = __repr__ = __str__ = __format__ = _refuse

    def __getattr__(self, name: str):
        if hasattr(str, name):
            _refuse(self)
        raise AttributeError(f"'str' object has no attribute {name!r}")


_CONVERSIONS = {-1: lambda v: v, 115: str, 114: repr, 97: ascii}
_HOW = {
    "{}": lambda how, v: performed(format, _CONVERSIONS[how[0]](v), how[1]),
    "%": lambda template, v: performed(operator.mod, template, v),
    "str": lambda call, number: str(call.error(number)),
    "repr": lambda call, number: repr(call.error(number)),
    "format": lambda template, v: performed(template.format, *v[0], **v[1]),
    "join": lambda between, v: performed(between.join, v),
}


def _held(v):
    """What a tuple, a list or a dict holds; None for other values."""
    if isinstance(v, dict):
        return v.values()
    return v if isinstance(v, (tuple, list)) else None


def _rebuilt(v, change):
    """A tuple, a list or a dict with ``change`` applied to what it holds; others as they are."""
    if _held(v) is None or hasattr(v, "_fields"):
        return v
    if isinstance(v, dict):
        return of_python(v, {k: change(e) for k, e in v.items()})
    items = [change(e) for e in v]
    return tuple(items) if isinstance(v, tuple) else of_python(v, items)


def holds_runtime(v) -> bool:
    """Whether ``v`` is, or contains, what is known only when the program runs."""
    held = _held(v)
    if held is not None:
        return any(map(holds_runtime, held))
    return isinstance(v, (Node, Parameter, Text, Dim, UnionValue, HostRaised, RunArray))


def formatted(ip, how: str, argument, value):
    """A string made of ``value``: at once where it is known, else a `Text`."""
    if how == "{}" and isinstance(value, BaseException):
        value, argument = _shown_error(ip, value, argument)
    elif how == "{}" and _is_object(value):
        value, argument = _shown_object(ip, value, argument)
    elif how in ("%", "format", "join"):
        value = _with_strings(ip, value)
    if holds_runtime(value):
        return Text(((how, argument),), [_read(ip, value)])
    return _HOW[how](argument, _of_python(value))


def _of_python(v):
    """``v`` with containers of Python for those of compiled code that look otherwise."""
    held = None if hasattr(v, "_fields") else _held(v)
    if held is None or not (getattr(v, "kind", None) or any(_held(e) is not None for e in held)):
        return v
    return _rebuilt(v, _of_python)


def _is_object(v) -> bool:
    """Whether ``v`` is, or contains, a user's object that holds values of the run."""
    held = None if hasattr(v, "_fields") else _held(v)
    if held is not None:
        return any(map(_is_object, held))
    return record(v) is not None and any(holds_runtime(e) or _is_object(e) for e in parts(v).items)


def _shown_object(ip, v, argument: tuple) -> tuple:
    """What a user's class makes of an object, or its fields, and how that is shown."""
    conversion, spec = argument
    if conversion == -1 and special.has(v, "__format__"):
        return special.call(ip, v, "__format__", spec), (-1, "")
    if conversion != ord("r") and special.has(v, "__str__"):
        return special.call(ip, v, "__str__"), (-1, spec)
    return _representation(ip, v), (-1, spec)


def _shown_error(ip, e: BaseException, argument: tuple) -> tuple:
    """What Python shows of an exception, and how that is shown."""
    conversion, spec = argument
    if is_of_host(e):
        how = "repr" if conversion == ord("r") else "str"
        return Text(((how, e.args[0].call),), [e.args[0].number]), (-1, spec)
    if conversion == ord("r"):
        shown = [formatted(ip, "{}", argument, v) for v in e.args]
        between = [p for s in shown for p in (", ", s)][1:]
        return joined([f"{plain_class(e).__name__}(", *between, ")"]), (-1, spec)
    if special.has(e, "__str__") and not hasattr(e, "complaint"):
        return special.call(ip, e, "__str__"), (-1, spec)
    if not e.args:
        return "", argument
    how = ord("r") if isinstance(e, KeyError) or len(e.args) > 1 else -1
    return (e.args[0] if len(e.args) == 1 else e.args), (how, spec)


def plain_class(e: BaseException) -> type:
    """The class of an exception as CPython has it, which minds shows in its own way."""
    return next(
        k
        for k in type(e).__mro__
        if not issubclass(k, UserError) and not k.__module__.startswith("minds.")
    )


def _representation(ip, v):
    """``repr(v)``."""
    written = getattr(type(v).__repr__, "__wrapped__", None)  # by `dataclass`
    if special.has(v, "__repr__") and getattr(written, "__code__", _NONE).co_filename != "<string>":
        return special.call(ip, v, "__repr__")
    if not _is_object(v):
        return formatted(ip, "{}", (ord("r"), ""), v)
    if isinstance(v, (tuple, list)):
        ends = ("[", "]") if isinstance(v, list) else ("(", ",)" if len(v) == 1 else ")")
        pairs = [("", e) for e in v]
    elif isinstance(v, dict):
        ends, pairs = ("{", "}"), [(f"{k!r}: ", e) for k, e in v.items()]
    else:
        fields = dataclasses.fields(v) if dataclasses.is_dataclass(v) else ()
        names = [f.name for f in fields if f.repr]
        ends, pairs = (type(v).__qualname__ + "(", ")"), [(f"{n}=", getattr(v, n)) for n in names]
    pieces = [p for name, e in pairs for p in (", ", name, _representation(ip, e))]
    return joined([ends[0], *pieces[1:], ends[1]])


_NONE = formatted.__code__


def _with_strings(ip, v):
    """Arguments of a template, with strings for users' objects."""
    if not _is_object(v):
        return v
    if _held(v) is not None:
        return _rebuilt(v, lambda e: _with_strings(ip, e))
    return formatted(ip, "{}", (ord("s"), ""), v)


def _read(ip, v):
    """``v`` with parameters replaced by what they hold now."""
    if isinstance(v, (Parameter, Dim)):
        return ip.node(v)
    return _rebuilt(v, lambda e: _read(ip, e))


def joined(parts: list):
    """The strings and Texts one after the other.

    Raises:
        TypeError: another kind of value is among them.
    """
    forms: list = []
    found: list = []
    for p in parts:
        if not isinstance(p, (str, Text)):
            raise complain(TypeError, f"can only concatenate str to str, not {type(p).__name__}")
        forms += p.forms if isinstance(p, Text) else (p,)
        found += p.values if isinstance(p, Text) else ()
    return Text(tuple(forms), found) if found else "".join(forms)


class Template:
    """Values to be shown when the program runs: ``fill(*tensors)`` puts the run-time ones in their
    places.

    Args:
        ip: the compilation.
        value: a `Text`, or containers of them and of run-time values.

    Attributes:
        nodes: the run-time values, which the op takes.
    """

    def __init__(self, ip, value):
        leaves: list = []
        self.skeleton = flatten(_read(ip, value), leaves)
        self.nodes = tuple([ip.node(v) for v in leaves])
        self.numbers = [isinstance(a, AbstractScalar) for a in leaf_abstracts(self.skeleton, [])]

    @classmethod
    def of(cls, skeleton, numbers: list) -> Template:
        """A template for a program whose nodes are made elsewhere."""
        made = cls.__new__(cls)
        made.skeleton, made.nodes, made.numbers = skeleton, (), numbers
        return made

    def fill(self, *tensors):
        """The value; numbers are Python's."""
        known = [t.item() if number else t for t, number in zip(tensors, self.numbers, strict=True)]
        return _shown(unflatten(self.skeleton, iter(known)))

    def format(self, *tensors) -> str:
        """The string, where the value is one."""
        return self.fill(*tensors)


def raising(ip, error: Exception, at) -> None:
    """Emit ``raise error``, which may hold run-time values, for the place ``at``."""
    held = held_by(error)
    if held[1] is None and not holds_runtime(held):
        error.__traceback__ = error.__context__ = None
        ip.native(getattr(P, "raise"), (), locate(error, at))
        return
    args = Template(ip, held)
    ip.native(getattr(P, "raise"), args.nodes, ErrorMaker(error, args, at))


UNKNOWN_CLASS = object()
"""What `__exit__` gets for the class of what a host function has raised, which only the run knows."""


class HostRaised:
    """The argument of an exception that stands for what a host function has raised, which is known
    to the run by ``number``. ``call`` has it.
    """

    def __init__(self, call, number):
        self.call, self.number = call, number

    @staticmethod
    def _parts(v) -> tuple:
        return (id(v.call),), [v.number], lambda items: HostRaised(v.call, items[0])


def is_of_host(error) -> bool:
    """Whether an exception stands for one that a host function has raised."""
    return isinstance(error, BaseException) and any(isinstance(v, HostRaised) for v in error.args)


def held_by(error: BaseException) -> tuple:
    """(arguments, attributes, what its cause holds); None for no attributes and no cause."""
    attributes = dict(error.__dict__) if is_made(error) else None
    return error.args, attributes, error.__cause__ and held_by(error.__cause__)


def _remade(error: BaseException, held: tuple) -> BaseException:
    """An exception like ``error`` that holds something else."""
    args, attributes, cause = held
    if is_of_host(error):
        return args[0].call.error(args[0].number)
    kind, complaint = type(error), getattr(error, "complaint", None)
    made = kind.__new__(kind, *args)
    made.args = args
    if complaint is not None:
        made.complaint = replace(complaint, head=args[0])
    made.__dict__.update(attributes or {})
    if error.__cause__ is not None:
        made.__cause__ = _remade(error.__cause__, cause)
    made.__suppress_context__ = error.__suppress_context__
    return made


class ErrorMaker:
    """Makes an error like ``error`` with what the program found for it to hold, at its place."""

    def __init__(self, error: Exception, args: Template, at):
        self.error, self.args, self.at = error, args, at

    def __call__(self, *tensors) -> Exception:
        error = _remade(self.error, self.args.fill(*tensors))
        return (placed if is_of_host(self.error) else locate)(error, self.at)


def _shown(v):
    if isinstance(v, Text):
        return v.render([_shown(e) for e in v.values])
    if isinstance(v, UnionValue):
        return _shown(v.options[v.selector])
    if type(v) is RunArray:
        return v.restored(v.node)
    return _rebuilt(v, _shown)
