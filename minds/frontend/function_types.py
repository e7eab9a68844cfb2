"""Functions, calls and variables while source is interpreted, and values that the run chooses."""

from __future__ import annotations

import types
from dataclasses import dataclass, field

import gast

from ..base.errors import refuse
from ..base.loc import Loc
from ..ir.abstract import AbstractFunction
from ..ir.node import Node
from .source import Source


@dataclass(eq=False)
class Closure:
    """A function defined in interpreted code, with the frame it sees."""

    source: Source
    frame: object
    defaults: list
    kw_defaults: list
    name: str


class Method:
    """A function of a class made in compiled code, as Python's classes know it."""

    is_method = True

    def __init__(self, function):
        self.function, self.__name__ = function, function.name

    def __get__(self, owner, cls=None):
        return self if owner is None else types.MethodType(self, owner)

    def __call__(self, *args, **kwargs):
        what = f"{self.__name__} is a method of a class made in compiled code"
        # The compiler itself looks for attributes that only some objects have.
        kind = AttributeError if self.__name__ == "__getattr__" else TypeError
        raise refuse(kind, f"{what}, which only compiled code can call")

    def _emit(self, ip, args, kwargs):
        return ip.call(self.function, args, kwargs)


@dataclass(eq=False)
class Bound:
    """A method found on a run-time value or a parameter: ``fn(owner, *args)``."""

    fn: object
    owner: object
    name: str


@dataclass(eq=False)
class UnionValue:
    """One of several values that live while compiling, which the run chooses by its place in ``options``."""

    options: tuple
    selector: object


UNKNOWN = object()
"""The type of a result that is not found yet."""


class RecursiveClosures:
    """Functions that hold one another without end: the key of the type of those that are values of
    the run. What is done with them stands in `recursive_closures`.

    Attributes:
        type: the abstract value of such a function.
        trees: the syntax of functions that become members where a member holds them.
        members: the forms of its functions.
        base, frames: the calls that go on around all of them; ``base`` where that was known from
            the start.
        stands: identity of such a call → what stands for it in the members.
        seen: (identity of a call, name) → (call, skeleton) of the variables that members read
            there.
        args, result: the skeletons of what its functions take and return.
        version: counts how often these types have changed.
        used: the turns in which they were first relied on.
        since: how many graphs there were when it came into the program.
        busy: whether the graphs of its members are being made.
    """

    def __init__(self, name: str, trees=()):
        self.name, self.trees = name, set(trees)
        self.type = AbstractFunction(self)
        self.members: list = []
        self.base = self.frames = self.args = self.used = None
        self.seen: dict = {}
        self.stands: dict = {}
        self.result = UNKNOWN
        self.version, self.since, self.busy = 0, 0, False


@dataclass(eq=False)
class Unseen:
    """While a member of a chain is interpreted: a variable of a call around it that none has read yet."""

    chain: RecursiveClosures
    frame: object
    name: str
    value: object

    def read(self, ip):
        """The variable; from now on every call of the chain passes it."""
        v = self.value.read(ip) if isinstance(self.value, Unseen) else self.value
        if not isinstance(v, Missing):
            ip.see(self.chain, self.frame, self.name, v)
        return v


@dataclass(eq=False)
class Carried:
    """A function of a chain with the variables that it may see of a call that is over.

    Attributes:
        node: the function.
        own: (identity of the call, name) → value.
    """

    node: Node
    own: dict

    @staticmethod
    def _parts(v) -> tuple:
        keys = tuple(v.own)
        return (
            (keys,),
            [v.node, *v.own.values()],
            lambda items: Carried(items[0], dict(zip(keys, items[1:]))),
        )

    def _emit(self, ip, args: list, kwargs: dict):
        return ip.call_of_run(self.node, args, kwargs, self.own)


@dataclass(eq=False)
class Missing:
    """A variable that has no usable value here; reading it is the error."""

    kind: type
    text: str
    cure: str
    why: str = ""


def unset(name: str) -> Missing:
    """What stands for a variable before it is assigned."""
    return Missing(NameError, f"{name!r} has no value yet", f"assign {name!r} first")


@dataclass(eq=False)
class Frame:
    """One activation of a function: its variables and where it is.

    Attributes:
        vars: local variables.
        source: the function's syntax.
        outer: the frame of the function that encloses it, for closures.
        globals, cells: where free names are looked up.
        caller: the place of the call.
        depth: of a generator expression, the number of open branches where it is taken from.
        finished: whether the call has returned.
        callee: the function that is called, where it sees variables of a call that is over.
        place: where ``placed``, a node of its syntax, stands.
        began: where its code starts (`recursive_graphs.began`).
        inlined: sketch of arguments → how many such calls of its function were inlined inside of
            it, on paths that data of the run choose.
        form, known: what its arguments are but for numbers and functions, and what is known of each
            (`recursion`), hashed when needed.
    """

    vars: dict
    source: Source
    outer: Frame | None
    globals: dict
    cells: dict
    caller: Loc | None
    node: gast.AST | None = None
    region: object = None
    loop: object = None
    args: dict | None = None
    graph_of: object = None
    depth: int = 0
    finished: bool = False
    callee: Closure | None = None
    placed: gast.AST | None = None
    place: Loc | None = None
    began: object = None
    inlined: dict = field(default_factory=dict)
    form: int | None = None
    known: dict | None = None
