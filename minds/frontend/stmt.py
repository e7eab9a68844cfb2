"""Statements, except control flow."""

from __future__ import annotations

import dataclasses
import importlib.util
import operator
import sys
from types import ModuleType

import gast

from ..base.errors import ParseError, complain, refuse
from ..ir import build
from ..ir.abstract import AbstractScalar
from ..ir.node import Node
from ..parameters import ParameterTuple
from ..tensor import Parameter, Tensor
from . import (
    attributes,
    elements,
    foreign,
    masks,
    run_arrays,
    run_lists,
    special,
)
from .access import getattr_
from .conditions import of_choice, throw_again
from .describe import describe
from .expr import closure
from .flow import leave
from .function_types import Closure, Method, UnionValue
from .imports import ENTRY, is_library
from .iterated import Iterated
from .iterators import sequence
from .raises import leaving, throw
from .registry import stmt
from .scalars import binary, is_scalar
from .setitem import change, delete
from .slots import has_place
from .text import plain_class
from .value_types import TUPLE, LocalDict, LocalList, LocalSet, RunArray, RunList, is_made
from .variables import assign_name, delete_name, set_outside


@stmt(gast.Pass)
@stmt(gast.Global)
@stmt(gast.Nonlocal)
def _pass(ip, node):
    """Nothing: which names are those of others is found with the function (`source.declared`)."""


@stmt(gast.Expr)
def _expr(ip, node):
    ip.eval(node.value)


@stmt(gast.Return)
def _return(ip, node):
    value = None if node.value is None else ip.eval(node.value)
    if isinstance(value, Iterated):
        value = value.as_left(ip.frames[-1])
    elif type(value) is tuple:
        value = tuple([v.as_left(ip.frames[-1]) if isinstance(v, Iterated) else v for v in value])
    leaving(ip, leave, value, whole=True)


@stmt(gast.Assign)
def _assign(ip, node):
    value = ip.eval(node.value)
    for target in node.targets:
        assign(ip, target, value)


@stmt(gast.AugAssign)
def _augmented(ip, node):
    target = node.target
    if isinstance(target, gast.Name):
        name = gast.copy_location(gast.Name(target.id, gast.Load(), None, None), target)
        old, value = ip.eval(name), ip.eval(node.value)
        new = updated(ip, type(node.op), old, value)
        assign(ip, target, new)
        if foreign.is_array(old):
            ip.imports.expect_own(old)
            ip.tensors.replace(old, new)
    elif isinstance(target, gast.Attribute):
        owner = ip.eval(target.value)
        old = getattr_(ip, owner, target.attr)
        set_attribute(ip, owner, target.attr, updated(ip, type(node.op), old, ip.eval(node.value)))
    else:
        owner, index = elements.owner(ip, target.value, True), ip.eval(target.slice)
        if masks.has_mask(owner, index):
            masked = masks.Masked(ip, ip.node(owner), index)
            value = masked.spread(ip.eval(node.value))
            value = value if is_scalar(value) else masked.known(value)
            new = masked.stored(updated(ip, type(node.op), masked.known(masked.old), value))
            change(ip, owner, new)
            return
        old = elements.read(ip, owner, index)
        elements.assign(ip, owner, index, updated(ip, type(node.op), old, ip.eval(node.value)))


_SETS = {
    gast.BitOr: operator.ior,
    gast.BitAnd: operator.iand,
    gast.Sub: operator.isub,
    gast.BitXor: operator.ixor,
}


def updated(ip, op: type, old, value):
    """What an augmented assignment stores; a list, dict or set changes in place."""
    if type(old) is RunArray:
        run_arrays.expect_number(old)
    if type(old) is RunList and old.kind is TUPLE:
        return binary(ip, op, old, value)
    if op is gast.Add and (
        type(old) is RunList or isinstance(old, list) and run_lists.is_one(old, value)
    ):
        run_lists.extend(ip, old, value)
        return old
    if isinstance(old, LocalList) and op is gast.Add and old.kind is not None:
        ip.call(getattr_(ip, old, "extend"), [value], {})
        return old
    if isinstance(old, LocalList) and op is gast.Add:
        ip.touch(old)
        old.extend(sequence(ip, value))
        return old
    if isinstance(old, LocalDict) and op is gast.BitOr and isinstance(value, dict):
        ip.touch(old)
        old.update(value)
        return old
    if isinstance(old, LocalSet) and op in _SETS and isinstance(value, (set, frozenset)):
        ip.touch(old)
        return _SETS[op](old, value)
    new = special.call(ip, old, f"__i{special.NAMES[op]}__", value)
    return binary(ip, op, old, value) if new is NotImplemented else new


@stmt(gast.Delete)
def _delete(ip, node):
    for target in node.targets:
        _delete_target(ip, target)


def _delete_target(ip, target) -> None:
    if isinstance(target, gast.Name):
        delete_name(ip, target.id)
    elif isinstance(target, gast.Subscript):
        delete(ip, ip.eval(target.value), ip.eval(target.slice))
    elif isinstance(target, (gast.Tuple, gast.List)):
        for part in target.elts:
            _delete_target(ip, part)
    else:
        delete_attribute(ip, ip.eval(target.value), target.attr)


def delete_attribute(ip, owner, name: str) -> None:
    """``del owner.name`` of an object that compiled code made."""
    remove = type(owner).__delattr__
    if is_made(owner) and special.is_written(remove):
        ip.call(remove, [owner, name], {})
    else:
        remove_attribute(ip, owner, name)


def remove_attribute(ip, owner, name: str) -> None:
    """``object.__delattr__(owner, name)``."""
    if not is_made(owner):
        what = f"attribute {name!r} of {describe(owner)} cannot be deleted in compiled code"
        raise complain(ParseError, what, cure="delete it outside of the compiled function")
    if name not in owner.__dict__:
        raise complain(AttributeError, f"{describe(owner)!r} object has no attribute {name!r}")
    ip.touch(owner.__dict__)
    del owner.__dict__[name]


@stmt(gast.Import)
def _import(ip, node):
    for alias in node.names:
        module = _module(ip, alias.name)
        whole = alias.asname or "." not in alias.name
        top, _, _ = alias.name.partition(".")
        assign_name(ip, alias.asname or top, module if whole else sys.modules[top])


@stmt(gast.ImportFrom)
def _import_from(ip, node):
    package = ip.frames[-1].globals.get("__package__")
    module = _module(ip, "." * (node.level or 0) + (node.module or ""), package)
    for alias in node.names:
        try:
            value = getattr(module, alias.name)
            value = ip.imports.attribute_read(module, alias.name, value)
        except AttributeError:
            value = _module(ip, f"{module.__name__}.{alias.name}")
        assign_name(ip, alias.asname or alias.name, value)


def _module(ip, name: str, package: str | None = None):
    """A module, which is loaded now if it is not yet."""
    with build.building(None):
        try:
            module = importlib.import_module(name, package)
        except ImportError as e:
            raise complain(type(e), str(e)) from e
    full = importlib.util.resolve_name(name, package)
    if not is_library(full):
        ip.imports.read(ENTRY, sys.modules, full, module)
    return module


@stmt(gast.FunctionDef)
def _function(ip, node):
    decorators = [ip.eval(d) for d in node.decorator_list]
    fn = closure(ip, node, node.name)
    if isinstance(ip.frames[-1].source.tree, gast.ClassDef):
        fn = Method(fn)
    assign_decorated(ip, node, decorators, fn)


def assign_decorated(ip, node, decorators: list, made) -> None:
    """Bind the name of a function or class to what its decorators make of it."""
    for decorator in reversed(decorators):
        made = ip.call(decorator, [made], {})
    assign_name(ip, node.name, made)


@stmt(gast.Raise)
def _raise(ip, node):
    if node.exc is None:
        throw_again(ip, handling(ip, "'raise' without an exception"))
        return
    error = ip.eval(node.exc)
    cause = () if node.cause is None else (ip.eval(node.cause),)
    _raise_value(ip, error, *cause)


def handling(ip, what: str):
    """The `Thrown` whose handler is interpreted, for ``what``."""
    of = ip.activations.handling
    if not of or of[-1][0] is not ip.frames[-1]:
        raise complain(
            ParseError,
            f"{what} stands outside of an 'except' of the same function",
            cure="name the exception",
        )
    return ip.frames[-1].vars[of[-1][1]]


def _raise_value(ip, error, *cause) -> None:
    if isinstance(error, UnionValue):
        of_choice(ip, error, lambda e: _raise_value(ip, e, *cause))
        return
    error = instance_of(ip, error)
    if not isinstance(error, BaseException):
        what = f"exceptions must derive from BaseException, not {describe(error)}"
        raise complain(TypeError, what)
    if not isinstance(error, Exception):
        what = f"{plain_class(error).__name__}, which is no Exception, cannot be raised"
        raise complain(ParseError, what, cure="raise one that derives from Exception")
    if cause:
        error = _caused(ip, error, *cause)
    throw(ip, error)


def instance_of(ip, error):
    """``error``, or where that is a class of exceptions one of it."""
    if isinstance(error, type) and issubclass(error, BaseException):
        return ip.call(error, [], {})
    return error


def _caused(ip, error: Exception, cause) -> Exception:
    """``error`` with the cause that `raise ... from` gives it."""
    cause = instance_of(ip, cause)
    if isinstance(cause, UnionValue):
        cause = None  # the run chooses it
    if not isinstance(cause, (BaseException, type(None))):
        raise complain(TypeError, "exception causes must derive from BaseException")
    error.__cause__ = cause
    return error


def assign(ip, target: gast.AST, value) -> None:
    """Bind ``target`` to a value."""
    if isinstance(target, gast.Name):
        assign_name(ip, target.id, value)
    elif isinstance(target, (gast.Tuple, gast.List)):
        _unpack(ip, target.elts, value)
    elif isinstance(target, gast.Attribute):
        set_attribute(ip, ip.eval(target.value), target.attr, value)
    elif isinstance(target, gast.Subscript):
        owner, index = elements.owner(ip, target.value, True), ip.eval(target.slice)
        elements.assign(ip, owner, index, value)
    else:
        ip.refuse(target)


def _unpack(ip, targets: list, value) -> None:
    items = sequence(ip, value)
    starred = [i for i, t in enumerate(targets) if t.__class__ is gast.Starred]
    fewest = len(targets) - len(starred)
    if len(items) < fewest or not starred and len(items) > fewest:
        expected, got = f"expected {'at least ' if starred else ''}{fewest}", f"got {len(items)}"
        if len(items) < fewest:
            raise complain(ValueError, f"not enough values to unpack ({expected}, {got})")
        raise complain(ValueError, f"too many values to unpack ({expected})", cure=got)
    for at in starred:
        stop = at + 1 + len(items) - len(targets)
        items[at:stop] = [LocalList(items[at:stop])]
    for t, v in zip(targets, items):
        assign(ip, t.value if t.__class__ is gast.Starred else t, v)


def set_attribute(ip, owner, name: str, value) -> None:
    """``owner.name = value``; the program changes an object of outside when it has run."""
    if type(owner) is UnionValue:
        of_choice(ip, owner, lambda one: set_attribute(ip, one, name, value))
        return
    ip.imports.class_read(type(owner), "__setattr__", None)
    setter = type(owner).__setattr__
    if is_made(owner) and special.is_written(setter):
        ip.call(setter, [owner, name, value], {})
    else:
        store_attribute(ip, owner, name, value)


def store_attribute(ip, owner, name: str, value) -> None:
    """``object.__setattr__(owner, name, value)``."""
    if attributes.stands(owner) and attributes.assigned(ip, owner, name, value):
        return
    if is_made(owner):
        if not has_place(type(owner), name):
            raise _no_attribute(owner, name)
        ip.touch(owner.__dict__)
        owner.__dict__[name] = value
        return
    old = getattr(owner, name, None) if not isinstance(owner, Node) else None
    if isinstance(old, Parameter):
        ip.write(old, value)
        return
    if isinstance(owner, Parameter):
        what = f"Do not support to set attribute for a parameter: {name!r} of {describe(owner)}"
        raise refuse(ValueError, what, cure="set it outside of the compiled function")
    computed = hasattr(getattr(type(owner), name, None), "__set__")
    registered = _is_registered(old) or _is_registered(value)
    if isinstance(value, Node) and value in ip.parameters.made:
        registered = True
    if not _is_plain(owner) or computed or registered:
        refusal = _refusal(owner)
        if refusal:
            raise _no_attribute(owner, name, refusal)
        what = f"attribute {name!r} of {describe(owner)} cannot be set in compiled code"
        raise complain(ParseError, what, cure="make it a Parameter, or return the value")
    set_outside(ip, owner, name, value, lambda: getattr_(ip, owner, name))


def _refusal(owner) -> type | None:
    """The exception with which CPython, too, sets no attribute of ``owner``; None if it does."""
    settings = getattr(type(owner), "__dataclass_params__", None)
    if getattr(settings, "frozen", False):
        return dataclasses.FrozenInstanceError
    number = isinstance(owner, Node) and isinstance(owner.abstract, AbstractScalar)
    return AttributeError if number or isinstance(owner, _CLOSED) else None


_CLOSED = (int, float, complex, str, bytes, tuple, list, dict, set, frozenset, type(None))
"""Classes whose objects have no attributes of their own."""


def _no_attribute(owner, name: str, kind=AttributeError) -> Exception:
    what = f"attribute {name!r} of {describe(owner)} cannot be set"
    return complain(kind, what, expected="an object that has it or can get any")


def _is_plain(owner) -> bool:
    """Whether setting attributes of ``owner`` does nothing else."""
    kind = type(owner)
    return (
        (kind.__setattr__ is object.__setattr__ or hasattr(kind, "construct"))
        and hasattr(owner, "__dict__")
        and not isinstance(owner, (Node, Tensor, Closure, ModuleType))
    )


def _is_registered(value) -> bool:
    """Whether cells keep accounts of it."""
    return isinstance(value, (Parameter, ParameterTuple)) or hasattr(type(value), "construct")
