"""Variables: what a name means where the interpreter is, and how it gets another value.

A variable that functions inside of its own declare `nonlocal` is an object that compiled code makes,
with one attribute: so its changes follow the rules of those of objects, through calls, branches,
loops and functions that are returned. A name that is declared `global`, or `nonlocal` of a call
around the compiled function, is one of outside, which the program sets when it has run.
"""

from __future__ import annotations

import builtins

import gast

from ..base.errors import ParseError, complain, refuse
from .access import did_you_mean
from .conditions import require
from .describe import describe
from .flow import Uncarried
from .function_types import Missing, Unseen, unset
from .imports import ABSENT, CELL, ENTRY, is_library
from .recursive_graphs import saw
from .source import assignments, declared, shared_names, why_unset
from .value_types import LocalDict, Sometimes, made


class Variable:
    """What stands for a variable that functions inside of its own assign: ``value`` is its value."""


def share(ip, frame) -> None:
    """Make variables of ``frame`` that functions inside of it assign."""
    for name in shared_names(frame.source.tree):
        value = frame.vars.get(name)
        if name not in frame.vars:
            value = unset(name)
        frame.vars[name] = made(Variable, LocalDict({"value": value}))


def _expect_set(ip, name: str, scope) -> None:
    """``name`` has no value that is known here. Where paths meet of which some set it, it is to be
    carried on, with whether it is set.

    Raises:
        Uncarried: that is not done yet.
    """
    tree = scope.source.tree
    if (id(tree), name) not in ip.flow.carried:
        raise Uncarried((id(tree), name))


def lookup(ip, name: str):
    """The value of a name where the interpreter is.

    Raises:
        NameError, UnboundLocalError: it has none.
    """
    frame = scope = ip.frames[-1]
    while scope is not None:
        if name in scope.vars:
            if scope is not frame and ip.activations.groups:
                saw(ip, scope, name, scope.vars[name])
            return _present(ip, name, scope)
        kind = declared(scope.source.tree).get(name)
        if kind is gast.Global:
            return _is_global(ip, name, frame)
        if name in scope.source.assigned:
            if scope is not frame and ip.activations.groups:
                saw(ip, scope, name, None)  # it may have one by where the graph is called
            _expect_set(ip, name, scope)
            what = f"{name!r} is used before it has a value"
            kind = UnboundLocalError if scope is frame else NameError
            raise complain(kind, what, cure=f"assign {name!r} first")
        scope = scope.outer
    if name in frame.cells:
        cell = frame.cells[name]
        try:
            value = cell.cell_contents
        except ValueError:
            what = f"{name!r} has no value yet in the enclosing function"
            raise complain(NameError, what) from None
        now = ip.imports.attributes.get((id(cell), "cell_contents"))
        return now["cell_contents"] if now else ip.imports.read(CELL, cell, name, value)
    return _is_global(ip, name, frame)


_TO_BE_READ = (Unseen, Variable, Missing, Sometimes)
"""What a variable holds that is not its value."""


def _present(ip, name: str, scope):
    """The value of a variable of a call."""
    value = scope.vars[name]
    if type(value) not in _TO_BE_READ and not ip.tensors.written:
        return value
    if isinstance(value, Unseen):
        value = value.read(ip)
    if type(value) is Variable:
        value = ip.usable(value.__dict__)["value"]
    if isinstance(value, Missing):
        if value.kind is NameError:
            _expect_set(ip, name, scope)
        places = assignments(scope.source, name) if value.kind is TypeError else ()
        operands = [(f"line {line}", shown) for line, shown in places]
        own = value.kind is NameError and scope is ip.frames[-1]
        kind = UnboundLocalError if own else value.kind
        refused = complain if value.kind is NameError else refuse  # CPython raises that, too
        raise refused(kind, value.text, cure=value.cure, operands=operands)
    why = ip.tensors.stale(value)
    if why is not None:
        value = ip.tensors.missing(name, why)
        raise refuse(value.kind, value.text, cure=value.cure)
    if isinstance(value, Sometimes):
        line = getattr(ip.frames[-1].node, "lineno", 0)
        what = why_unset(scope.source, name, line) if scope is ip.frames[-1] else None
        what = what or f"{name!r} is used before it has a value: what assigns it did not run"
        require(ip, value.known, UnboundLocalError(what))  # an error of the run
        return value.value
    return value


def _is_global(ip, name: str, frame):
    outside = frame.globals
    now = ip.imports.attributes.get((id(outside), name))
    if now:
        return now[name]
    if name in outside:
        value = outside[name]
        if is_library(outside.get("__name__")):
            return ip.imports.of(value)
        return ip.imports.read(ENTRY, outside, name, value)
    if hasattr(builtins, name):
        if not is_library(outside.get("__name__")):
            ip.imports.read(ENTRY, outside, name, ABSENT)
        return getattr(builtins, name)
    if not is_library(outside.get("__name__")):
        ip.imports.read(ENTRY, outside, name, ABSENT)
    known = [*frame.vars, *frame.cells, *frame.globals, *dir(builtins)]
    what = f"The name {name!r} is not defined"
    cure = did_you_mean(name, known) or "define it before the function is compiled"
    raise complain(NameError, what, cure=cure)


def assign_name(ip, name: str, value, frame=None) -> None:
    """``name = value`` where the interpreter is, or in ``frame``."""
    frame = frame or ip.frames[-1]
    kind = declared(frame.source.tree).get(name)
    if kind is gast.Global:
        set_outside(ip, frame.globals, name, value, lambda: lookup(ip, name))
        return
    scope = frame.outer if kind is gast.Nonlocal else frame
    while kind is gast.Nonlocal and scope is not None and name not in scope.vars:
        scope = scope.outer
    if scope is None:
        cell = frame.cells[name]
        set_outside(ip, cell, "cell_contents", value, lambda: lookup(ip, name))
        return
    held = scope.vars.get(name)
    if isinstance(held, Unseen):
        held = held.read(ip)
    if type(held) is Variable:
        ip.touch(held.__dict__)
        held.__dict__["value"] = value
    else:
        scope.vars[name] = value


def delete_name(ip, name: str) -> None:
    """``del name``."""
    lookup_fails = Missing(NameError, f"{name!r} was deleted", "assign it again")
    frame = ip.frames[-1]
    if declared(frame.source.tree).get(name) is gast.Global:
        what = f"the global name {name!r} cannot be deleted in compiled code"
        raise complain(ParseError, what, cure="delete it outside of the compiled function")
    known = frame.vars.get(name)
    if name not in frame.vars or isinstance(known, Missing) and known.kind is NameError:
        lookup(ip, name)
    assign_name(ip, name, lookup_fails)


def set_outside(ip, owner, name: str, value, read) -> None:
    """Let the program set an attribute of an object of outside, or a global name (``owner`` is the
    globals), when it has run. ``read()`` is what it is now.
    """
    if ip.options.strict:
        is_global = type(owner) is dict
        named = (
            f"the global name {name!r}" if is_global else f"attribute {name!r} of {describe(owner)}"
        )
        what = f"{named} cannot be set in compiled code"
        cure = "make it a Parameter, or return the value"
        raise refuse(TypeError, f"{what} with jit_syntax_level STRICT", cure=cure)
    if not ip.imports.attributes.get((id(owner), name)):
        # What nobody read before it is set for sure does not matter: other paths would still see
        # it.
        for_sure = not ip.flow.nested and ip.builder.graph is ip.root
        if not for_sure or ip.imports.has_read(owner, name):
            _expect_there(owner, name)
            before = read()
            ip.imports.attribute(owner, name)[name] = before
    held = ip.imports.attribute(owner, name)
    ip.touch(held)
    held[name] = value


def _expect_there(owner, name: str) -> None:
    is_global = type(owner) is dict
    if name in owner if is_global else hasattr(owner, name):
        return
    what = f"attribute {name!r} of {describe(owner)}, which has none,"
    if is_global:
        what = f"the global name {name!r}, which has no value,"
    raise complain(ParseError, f"{what} is set under a condition", cure="give it a value before")
