"""`class` inside of a function: a class of Python, made while compiling.

Its methods are functions of compiled code (`Method`); so only compiled code can call them, and an
object of such a class cannot be returned. They see the variables of the function around, which are
shared therefore (`source.shared_names`), and `__class__`, but not those of the class.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import functools
import types
from dataclasses import replace

import gast

from ..base.errors import ParseError, complain
from ..ir.node import Node
from ..ops.composite import Applied
from . import special
from .cells import is_cell
from .describe import describe
from .function_types import Closure, Method, Missing, UnionValue
from .registry import emits, stmt
from .source import Source, bound_names
from .stmt import assign_decorated
from .store import Bindings
from .value_types import LOCAL


@stmt(gast.ClassDef)
def _class(ip, node):
    frame = ip.frames[-1]
    decorators = [ip.eval(d) for d in node.decorator_list]
    bases = [ip.eval(b) for b in node.bases]
    settings = {k.arg: ip.eval(k.value) for k in node.keywords}
    for base in bases:
        if isinstance(base, type) and is_cell(base):
            what = f"a class derived from {base.__name__} cannot be made in compiled code"
            raise complain(ParseError, what, cure="define it outside of the compiled function")
    seen = Source(node, frame.source.file, frame.source.name, frozenset({"__class__"}))
    around = replace(frame, vars=Bindings(ip.store), source=seen, outer=frame)
    members = _members(ip, node, around)
    named = {k: v for k, v in members.items() if special.has(v, "__set_name__")}
    early = {k: v for k, v in members.items() if k not in named}
    cls = ip.native(
        types.new_class, node.name, tuple(bases), settings, lambda space: space.update(early)
    )
    for name, value in named.items():
        setattr(cls, name, value)
    around.vars["__class__"] = cls
    if any(isinstance(v, Method) for v in vars(cls).values()):
        ip.activations.classes[cls] = frame
    for name, value in named.items():
        special.call(ip, value, "__set_name__", cls, name)
    assign_decorated(ip, node, decorators, cls)


def _members(ip, node, around) -> dict:
    """What the body of a class binds, and the annotations in it."""
    name = f"{around.source.name}.<locals>.{node.name}"
    source = Source(node, around.source.file, name, frozenset(bound_names(node.body)))
    frame = replace(around, vars=Bindings(ip.store), source=source, outer=around)
    members = {"__module__": around.globals.get("__name__"), "__qualname__": name}
    ip.frames.append(frame)
    try:
        ip.block(node.body)
        annotations = {
            s.annotates.id: ip.eval(s.annotation)
            for s in node.body
            if isinstance(getattr(s, "annotates", None), gast.Name)
        }
    finally:
        ip.frames.pop()
    for key, value in frame.vars.items():
        if not isinstance(value, Missing) and key[0] != "<":
            members[key] = _member(key, value)
    return {**members, "__annotations__": annotations} if annotations else members


def _member(name: str, value):
    if isinstance(value, Closure):
        return Method(value)
    if isinstance(value, (Node, UnionValue)):
        what = f"{name!r} of a class is {describe(value)}, which only the run knows"
        raise complain(
            ParseError, what, cure="make it an attribute of the objects: set it in __init__"
        )
    if isinstance(value, LOCAL):
        value.fixed = ("of a class made in compiled code cannot be changed", "make it in __init__")
    return value


def _native(fn):
    def emit(ip, *args, **kwargs):
        args = [Method(v) if isinstance(v, Closure) else v for v in args]
        return ip.native(fn, *args, **kwargs)

    return emit


for _fn in (
    property,
    classmethod,
    staticmethod,
    functools.cached_property,
    functools.total_ordering,
    abc.abstractmethod,
    dataclasses.field,
    enum.unique,
    enum.auto,
):
    emits(_fn)(_native(_fn))


@emits(dataclasses.dataclass)
def _dataclass(ip, *cls, **settings):
    if not cls:
        return Applied(dataclasses.dataclass, (), settings)
    return ip.native(dataclasses.dataclass, *cls, **settings)
