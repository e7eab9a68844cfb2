"""A loop over a generator of which only the run knows where it yields: the generator's body is
interpreted like that of a function, and calls the body of the loop where it yields.

So the two take turns as in CPython, and the loops of the generator are loops of the program. What
the body of the loop binds are variables that a function assigns (`variables.Variable`) meanwhile.
"""

from __future__ import annotations

import copy

import gast

from ..base.errors import ParseError, complain
from ..base.kept import remembered
from . import handlers, region
from .desugar import load, placed
from .function_types import Bound, Closure, Frame, Missing, unset
from .iterated import SPENT
from .raises import Catcher
from .source import Source, bound_names, declared
from .store import Bindings
from .value_types import LocalDict, LocalList, made
from .variables import Variable
from .walks import contains, nodes_in, steers

_USE, _ELEMENT = "<use>", "<element>"


def can_drive(node: gast.For) -> bool:
    """Whether the body of a loop can be called for each element: nothing in it leaves the loop."""
    return (
        not node.orelse
        and not contains(node.body, (gast.Return, gast.Yield))
        and not any(steers(s, gast.Break) for s in node.body)
    )


def drive(ip, source, node: gast.For) -> None:
    """Interpret the body of ``source``, a new generator, which calls the body of the loop ``node``."""
    frame, tree = ip.frames[-1], _function(node)
    bound, of_others = bound_names([node.target, *node.body]), declared(frame.source.tree)
    own, outer = sorted(bound - of_others.keys()), sorted(bound & of_others.keys())
    of_module, of_outer = tree.body[:2]
    of_module.names = [n for n in outer if of_others[n] is gast.Global]
    of_outer.names = own + [n for n in outer if of_others[n] is gast.Nonlocal]
    shared = [n for n in own if type(frame.vars.get(n)) is not Variable]
    for name in shared:
        value = frame.vars.get(name) if name in frame.vars else unset(name)
        frame.vars[name] = made(Variable, LocalDict({"value": value}))
    name = f"{frame.source.name}:for"
    use = Closure(Source(tree, frame.source.file, name, frozenset()), frame, [], [], name)
    if _handles(source.frame.source.tree):
        use = _Fenced(use)

    def end(left=None) -> None:
        for name in shared if ip.live else ():
            value = ip.usable(frame.vars[name].__dict__)["value"]
            if isinstance(value, Missing) and value.kind is NameError:
                frame.vars.pop(name)
            else:
                frame.vars[name] = value

    if ip.activations.catches:
        place = f"<for {node.lineno}:{node.col_offset} raised>"
        handlers.finishing(ip, place, lambda: _run(ip, source, use), end, end)
    else:
        _run(ip, source, use)
        end()


def collect(ip, source, first: str):
    """The elements of a generator that has not begun, in a list of the run. ``first`` is the
    variable that holds the iterator of an expression's first loop.
    """
    found = LocalList()
    _run(ip, source, Bound((list, "append"), found, "append"), first)
    return found


@remembered
def _handles(tree: gast.AST) -> bool:
    """Whether a generator might take what is raised where it yields."""
    return any(
        isinstance(s, gast.With) or isinstance(s, gast.Try) and s.handlers
        for s in nodes_in(tree)
        if contains([s], gast.Yield)
    )


class _Fenced:
    """The body of a loop: what it raises is for handlers around the loop, not for the generator's."""

    def __init__(self, of: Closure):
        self.of = of

    def _emit(self, ip, args, kwargs):
        with _Fence(ip, BaseException):
            return ip.call(self.of, args, kwargs)


class _Fence(Catcher):
    def take(self, ip, thrown):
        what = (
            "what the body of a loop raises would pass handlers of the generator that it runs over"
        )
        cure = "catch it in the body, or collect the values in a list first"
        raise complain(ParseError, what, cure=cure)


def _run(ip, source, use, first: str = "") -> None:
    of = source.frame
    body = _calling(of.source.tree) if source.is_new() else _over(source.body[0], first)
    frame = Frame(
        Bindings(ip.store, {**source.state, _USE: use}),
        of.source,
        of.outer,
        of.globals,
        of.cells,
        of.caller,
    )
    source.move(ip, SPENT)
    ip.frames.append(frame)
    try:
        region.run_region(ip, lambda: ip.block(body))
    finally:
        frame.finished = True
        ip.frames.pop()


@remembered
def _calling(tree: gast.FunctionDef) -> list:
    """The body of a generator function with a call where it yields."""
    return [_Calls().visit(s) for s in copy.deepcopy(tree.body)]


def _over(loop: gast.For, first: str) -> list:
    """The loops of an expression, the first of which runs over what a variable holds."""
    made = _Calls().visit(copy.deepcopy(loop))
    made.iter = placed(load(first), loop)
    return [made]


class _Body(gast.NodeTransformer):
    """A rewrite of statements, without those of functions and classes among them."""

    def visit_FunctionDef(self, node):
        return node

    visit_Lambda = visit_ClassDef = visit_FunctionDef


class _Calls(_Body):
    def visit_Yield(self, node):
        self.generic_visit(node)
        return placed(gast.Call(load(_USE), [node.value], []), node)


@remembered
def _function(node: gast.For) -> gast.FunctionDef:
    """The body of a loop as a function of the element."""
    body = [_Returns().visit(s) for s in copy.deepcopy(node.body)]
    element = gast.Name(_ELEMENT, gast.Param(), None, None)
    args = gast.arguments([], [element], None, [], [], None, [])
    bind = gast.Assign([copy.deepcopy(node.target)], load(_ELEMENT), None)
    outer = [gast.Global([]), gast.Nonlocal([])]
    new = gast.FunctionDef("<body>", args, [*outer, bind, *body], [], None, None, [])
    return placed(new, node)


class _Returns(_Body):
    """`continue` of the loop as `return`."""

    def visit_Continue(self, node):
        return placed(gast.Return(None), node)

    def visit_For(self, node):
        node.orelse = [self.visit(s) for s in node.orelse]
        return node

    visit_While = visit_For
