"""`try` and `with`: statements that are protected, and what their exceptions lead to.

What is done on the ways out of them is interpreted once for each way: the normal end, each `return`,
`break` and `continue`, and once for each handler, where all paths meet that raise what it takes. The
classes are known: of what is raised, and of what `except` names.
"""

from __future__ import annotations

import contextlib

import gast

from ..base.errors import CompileTimeError, ParseError, complain, refuse
from ..ir.node import Node
from . import special
from .conditions import of_choice, runtime_if, throw_again
from .emit import Bottom
from .flow import at, stop
from .function_types import Missing, UnionValue
from .raises import LEAVING, Protected, leaving
from .region import go_on, no_common_value
from .registry import stmt
from .scalars import truth
from .stmt import assign
from .text import UNKNOWN_CLASS, is_of_host, plain_class
from .variables import delete_name
from .walks import contains


def protect(ip, kinds, body, end, leave, caught, **how):
    """``body()``. At its normal end ``end(left)``, where `return`, `break` or `continue` lead out of
    it ``leave()``, ``how`` is told to `Protected`. Where it raises one of ``kinds``,
    ``caught(paths)`` goes on from these paths, of which it gives the ends.

    ``left`` is what ``body`` gives, and ``end(left)`` is given: in a generator how it was left, None
    at its end.
    """
    guard, unrolled, left = Protected(ip, kinds, leave, **how), ip.flow.unrolled, None
    with guard:
        try:
            left = body()
        except Bottom:
            ip.flow.live = False
    ip.flow.unrolled = unrolled
    if ip.live:
        try:
            left = end(left)
        except Bottom:
            ip.flow.live, left = False, None
    paths, ways = guard.caught(), guard.ways()
    if paths or ways:
        if ip.live and left is not None:
            raise _chosen_yield()
        ends = [stop(ip)] if ip.live else []
        for by, out in ways.items():
            with contextlib.suppress(Bottom):
                _leave_once(ip, guard, out, *by)
        with contextlib.suppress(Bottom):
            ends += caught(paths) if paths else []
        go_on(ip, ends, lenient=True)
    return left


def _leave_once(ip, guard, paths: list, go, whole: bool) -> None:
    """Go on from several paths that lead out of what ``guard`` protects."""
    go_on(ip, paths, lenient=True)
    value = ip.frames[-1].vars[LEAVING]
    if isinstance(value, Missing):
        raise no_common_value(value.why)
    guard.leave()
    if ip.live:
        leaving(ip, go, ip.frames[-1].vars.pop(LEAVING), whole)


def gathered(ip, paths: list, name: str):
    """Go on from several paths that raise. What they raise, `Thrown` or one that the run chooses, is
    in the variable ``name``, too.
    """
    frame = ip.frames[-1]
    for path, thrown in paths:
        with at(ip, path):
            frame.vars[name] = thrown
            path.version = ip.store.now
    go_on(ip, [path for path, _ in paths], lenient=True)
    thrown = frame.vars[name]
    if isinstance(thrown, Missing):
        raise refuse(TypeError, "the exceptions that lead here have no common type: " + thrown.why)
    return thrown


def error_of(thrown):
    """The exception itself."""
    return each_value(thrown, lambda t: t.error)


def each_value(v, change):
    """``change(v)``, of each value that the run may choose."""
    if isinstance(v, UnionValue):
        return UnionValue(tuple(map(change, v.options)), v.selector)
    return change(v)


# ---- try


@stmt(gast.Try)
def _try(ip, node):
    def block(statements: list):
        return lambda left=None: ip.block(statements)

    parts = map(block, (node.body, node.orelse, node.finalbody))
    protected(ip, node, *parts, lambda handler: ip.block(handler.body))


def protected(ip, node, body, orelse, final, handle):
    """A `try`: ``body()``, ``orelse(left)``, ``final(left)`` and ``handle(handler)`` interpret its parts,
    as in `protect`.
    """
    return finally_(ip, node, lambda: _except(ip, node, body, orelse, handle), final)


def finally_(ip, node, body, final):
    """``body()`` with the `finally` of a `try`, if it has one."""
    if not node.finalbody:
        return body()
    name = f"<final {node.lineno}:{node.col_offset}>"
    once = contains(node.finalbody, (gast.Return, gast.Break, gast.Continue))
    return finishing(ip, name, body, final, lambda: ip.block(node.finalbody), once=once)


def finishing(ip, name: str, body, end, leave, **how):
    """``body()``, with ``leave()`` where it raises, too; else as `protect`. What it raises is in the
    variable ``name`` meanwhile.
    """

    def caught(paths) -> list:
        gathered(ip, paths, name)
        leave()
        if ip.live:
            throw_again(ip, ip.frames[-1].vars[name])
        return [stop(ip)] if ip.live else []

    return protect(ip, BaseException, body, end, leave, caught, **how)


def _except(ip, node, body, orelse, handle):
    """A `try` without its `finally`."""
    if not node.handlers:
        return body()
    kinds, ways = [_kinds(ip, h) for h in node.handlers], []

    def caught(paths) -> list:
        ways.extend([None] if ip.live else [])
        ends = []
        for handler, kind in zip(node.handlers, kinds):
            own = [p for p in paths if issubclass(plain_class(p[1].error), kind)]
            paths = [p for p in paths if p not in own]
            if own:
                thrown = gathered(ip, own, _caught(handler))
                if handler.name is not None:
                    assign(ip, handler.name, error_of(thrown))
                ways.append(handled(ip, handler, handle))
                ends += [stop(ip)] if ip.live else []
        return ends

    every = tuple(k for ks in kinds for k in ks)
    left = protect(ip, every, body, orelse, lambda: None, caught)
    found = next((way for way in ways if way is not None), left)
    if found is not left and len(ways) > 1:
        raise _chosen_yield()
    return found


def _chosen_yield() -> Exception:
    what = "whether a generator yields here depends on a run-time value"
    return complain(CompileTimeError, what, cure="yield outside of the try or with")


def _kinds(ip, handler) -> tuple:
    """The classes of exceptions that a handler takes."""
    if handler.type is None:
        return (BaseException,)
    kinds = ip.eval(handler.type)
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    for k in kinds:
        if not (isinstance(k, type) and issubclass(k, BaseException)):
            what = "catching classes that do not inherit from BaseException is not allowed"
            raise complain(TypeError, what)
    return kinds


def _caught(handler) -> str:
    """The variable that holds what a handler handles."""
    return f"<caught {handler.lineno}:{handler.col_offset}>"


def handled(ip, handler, handle):
    """``handle(handler)``, which interprets the body of a handler."""
    handling, left = ip.activations.handling, None
    handling.append((ip.frames[-1], _caught(handler)))
    try:
        left = handle(handler)
    except Bottom:
        ip.flow.live = False
    finally:
        handling.pop()
    if ip.live and left is None and handler.name is not None:
        delete_name(ip, handler.name.id)
    return left


# ---- with


@stmt(gast.With)
def _with(ip, node) -> None:
    enter(ip, node)
    entered(ip, node, lambda: ip.block(node.body))


def entered(ip, node, body):
    """The body of a `with` whose context was entered; ``body()`` as in `protect`."""
    place, vars = _context(node), ip.frames[-1].vars
    kinds = getattr(vars[place], "_sees", BaseException)

    def leave(*error):
        return _asked(ip, vars[place], "__exit__", *(error or (None, None, None)))

    def end(left):
        if type(left) is not tuple:
            leave()
        return left

    def caught(paths) -> list:
        name = f"<raised {place}>"
        gathered(ip, paths, name)
        _left_by(ip, name, leave)
        return [stop(ip)] if ip.live else []

    return protect(ip, kinds, body, end, leave, caught)


def _context(node) -> str:
    """The variable that holds the object of a `with`."""
    at = node.items[0].context_expr
    return f"<with {at.lineno}:{at.col_offset}>"


def enter(ip, node) -> None:
    """Enter the context of a `with` of one item."""
    (item,) = node.items
    try:
        manager = ip.eval(item.context_expr)
    except ParseError as e:
        place = e.complaint.loc
        made = isinstance(item.context_expr, gast.Call)
        if made and (place.line, place.file) == (item.context_expr.lineno, ip.here().file):
            ip.refuse(node)  # it cannot even be made here, as a file
        raise
    may_be = manager.options if type(manager) is UnionValue else (manager,)
    for m in may_be:
        lacks = [n for n in ("__enter__", "__exit__") if not special.has(m, n)]
        if any(hasattr(type(m), n) for n in lacks):
            ip.refuse(node)
        if lacks:
            name = ip.call(type, [m], {}).__name__
            what = f"'{name}' object does not support the context manager protocol"
            raise complain(TypeError, what)
    value = _asked(ip, manager, "__enter__")
    if item.optional_vars is not None:
        assign(ip, item.optional_vars, value)
    ip.frames[-1].vars[_context(node)] = manager


def _asked(ip, manager, method: str, *args):
    """What a method of a context manager gives, perhaps of one that the run chooses."""
    if type(manager) is UnionValue:
        return of_choice(ip, manager, lambda m: special.call(ip, m, method, *args))
    return special.call(ip, manager, method, *args)


def _left_by(ip, name: str, leave) -> None:
    """An exception, in the variable ``name``, leaves a `with`."""
    vars = ip.frames[-1].vars
    error = error_of(vars[name])
    kind = each_value(error, lambda e: UNKNOWN_CLASS if is_of_host(e) else plain_class(e))
    suppressed = truth(ip, leave(kind, error, None))

    def again():
        throw_again(ip, vars[name])

    if isinstance(suppressed, Node):
        runtime_if(ip, suppressed, lambda: None, again)
    elif not suppressed:
        again()
