"""Functions made of other functions: what `grad`, `vmap`, `jacrev` and their relatives return.

They are library code, read like ops: called on tensors they run at once, called while a program is
compiled they emit into it. In graph mode the outermost one is compiled, and its programs belong to the
function at the bottom, so that one that is made anew finds them.
"""

from __future__ import annotations

import contextlib
import types

from .. import transforms
from ..ad import tape
from ..base.errors import complain
from ..base.options import GRAPH_MODE, get_context
from ..frontend.open_lists import OPEN_KINDS
from ..jit import compile as compiler
from ..jit.cache import holder
from ..jit.find import run
from .graph_pullback import GraphPullback
from .leaves import compiling, holds_float
from .tape_pullback import TapePullback


class Transformed:
    """A function made of another one. Subclasses give `compute`, which reads tensors and nodes
    alike.

    Attributes:
        fn: the function it is made of.
        settings: what else determines it, hashable.
    """

    def __init__(self, fn, *settings):
        self.fn, self.settings = compiler.uncompiled(fn), settings
        self.__name__ = (
            f"{type(self).__name__.lower()} of {getattr(fn, '__name__', type(fn).__name__)}"
        )

    def compute(self, *args, **kwargs):
        """The result, by ops and calls."""
        raise NotImplementedError

    def differentiated(self, args: tuple):
        """Those of the arguments by which a derivative is taken, if one is."""
        return ()

    def __call__(self, *args, **kwargs):
        if compiling() or tape.active() or get_context("mode") != GRAPH_MODE:
            if compiling() is None and holds_float(self.differentiated(args)):
                return by_number(self, args)
            return self.compute(*args, **kwargs)
        return run(self._owner(), self, args, kwargs, self._spec())

    def _owner(self):
        """Who holds the programs: the `holder` of the function at the bottom."""
        fn = self.fn
        while hasattr(fn, "_spec"):
            fn = fn.fn
        return holder(fn, self)

    def _spec(self):
        """What tells this from others made of the same function, or of methods of one object."""
        fn = self.fn
        below = fn._spec() if hasattr(fn, "_spec") else getattr(fn, "__func__", None)
        return (type(self), below, self.settings)

    def _identities(self) -> list:
        """The objects of which the settings have the identities."""
        return self.fn._identities() if hasattr(self.fn, "_identities") else []

    def _emit(self, ip, args, kwargs):
        """In compiled code."""
        return ip.native(self.compute, *args, **kwargs)


def by_number(fn, args: tuple):
    """``fn(*args)``, in which a derivative is taken by a float, in PyNative mode: traced, then run
    op by op. What is traced has known lengths.
    """
    try:
        return transforms.traced.traced(
            fn, tuple([OPEN_KINDS.get(type(a), lambda v: v)(a) for a in args])
        )
    except transforms.traced.Untraceable as e:
        raise e.__cause__ or complain(
            TypeError,
            "grad: by a float, of a function with effects",
            cure="pass a Tensor instead of the float",
        ) from None


def emitted(fn):
    """The handler of a call of ``fn``, library code, in compiled code."""
    return lambda ip, *args, **kwargs: ip.native(fn, *args, **kwargs)


def run_at(fn, args, positions, weights=()):
    """``fn`` at a point, on tensors or on nodes, with its pullback."""
    ip = compiling()
    if ip is None:
        return TapePullback(fn, args, {}, positions, weights)
    return GraphPullback(ip, fn, args, {}, positions, weights)


def split_aux(value, has_aux: bool, name: str) -> tuple:
    """(what counts, () or the one-element tuple of what else was returned)."""
    if not has_aux:
        return value, ()
    if not isinstance(value, tuple) or len(value) < 2:
        raise complain(
            ValueError,
            f"{name}: has_aux=True, but fn returned one output",
            expected="a tuple of two or more",
        )
    return value[0], (value[1] if len(value) == 2 else tuple(value[1:]),)


def as_it_is(fn, known: dict | None = None):
    """``fn`` with what its closure holds now, for a call later on, when the variables around it may
    have other values.
    """
    if not isinstance(fn, types.FunctionType) or not fn.__closure__:
        return fn
    known = {} if known is None else known
    if id(fn) not in known:
        cells = tuple([types.CellType() for _ in fn.__closure__])
        new = types.FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, cells)
        new.__kwdefaults__, new.__dict__ = fn.__kwdefaults__, dict(fn.__dict__)
        known[id(fn)] = new
        for cell, old in zip(cells, fn.__closure__):
            with contextlib.suppress(ValueError):  # of a variable that is not assigned yet
                cell.cell_contents = as_it_is(old.cell_contents, known)
    return known[id(fn)]


__all__ = ["Transformed", "as_it_is", "by_number", "emitted", "run_at", "split_aux"]
