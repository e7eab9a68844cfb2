"""From a Python callable and its arguments to a program: the list of steps."""

from __future__ import annotations

import contextlib
import gc

from .. import sharding
from ..ad import j as ad_j
from ..ad import tape
from ..base.errors import UserError
from ..base.options import Options, freeze
from ..base.world import world
from ..batch import step as batch_step
from ..frontend.imports import Captures
from ..ir import dim
from ..ir.node import Graph
from ..ir.shape_env import Respecialise, ShapeEnv
from ..lower.program import lower
from ..passes.attend import attend
from ..passes.close import close
from ..passes.cse import cse
from ..passes.driver import run_steps
from ..passes.join import join
from ..passes.loads import loads
from ..passes.segments import segments
from ..passes.simplify import simplify, tidy
from .arguments import Numbers
from .guards import Guards
from .parsing import parse
from .program import Program


def divide(graph: Graph, options: Options) -> Graph:
    """The graph that this rank runs; all of it where programs are not divided."""
    divided = getattr(options, "division", None) is not None
    return sharding.step.divide(graph, options) if divided else graph


def overlap(graph: Graph, options: Options) -> Graph:
    """The graph whose reductions run beside it; as it is in a world of one."""
    return graph if world.size == 1 else sharding.overlap.overlap(graph, options)


STEPS = (
    ("simplify", simplify),
    ("close", close),
    ("close_segments", segments),
    ("vmap", batch_step.make_step(simplify, close)),
    ("attend", attend),
    ("join", join),
    ("j", ad_j.make_step(simplify, close)),
    ("close_again", close),
    ("cse", cse),
    ("loads", loads),
    ("tidy", tidy),
    ("divide", divide),
    ("overlap", overlap),
)
"""The way from the typed graph to what `lower` takes."""


def build(
    fn,
    args: tuple,
    kwargs: dict,
    options: Options | None = None,
    taken: Numbers | None = None,
    captures: Captures | None = None,
    reads: list | None = None,
) -> Program:
    """Compile ``fn`` for arguments like these; what was read outside (`Read`) becomes ``reads``.

    Raises:
        ParseError, TypeError, ValueError, …: the source cannot be compiled for them; the message
        shows the user's line.
    """
    options = options or freeze()

    def finish(ip, out, graph, scope):
        division = options.division
        if division is not None and sharding.step.is_elsewhere(division):
            executable = sharding.step.Elsewhere(division)
        else:
            executable = lower(graph, options, bool(scope.found))
        if reads is not None:
            reads[:] = ip.imports.reads.values()
        changed = ip.imports.given, ip.tensors.stored()
        return Program(executable, out, *changed, Guards.of(ip), graph.flags.get("lies"))

    return build_graph(fn, args, kwargs, options, taken, finish, captures=captures)


def build_graph(
    fn,
    args: tuple,
    kwargs: dict,
    options: Options,
    taken: Numbers | None,
    finish,
    itself: bool = True,
    captures: Captures | None = None,
):
    """What ``finish(ip, out, graph, scope)`` gives for the interpreter, the skeleton of the result,
    the graph and the assumptions of a compilation.
    """
    known, first = {}, None
    while True:
        scope = ShapeEnv({}, True, known)
        try:
            with quietly(), scope:
                ip, out = parse(fn, args, kwargs, options, taken, itself=itself, captures=captures)
                return finish(ip, out, run_steps(ip.root, STEPS, options), scope)
        except Respecialise as e:
            known = dim.narrowed(known, e.known)
        except UserError as e:
            # It may be right if two sizes that the run finds are equal; the program checks that
            # they are.
            equation, first = scope.doubted(), first or e
            if equation is None:
                raise first from first.__cause__
            if not scope.may_equal(dim.of_var(equation[0]), equation[1]):
                first = None  # that the paths do not agree says more
            known = dim.narrowed(known, dict([equation]))


@contextlib.contextmanager
def quietly():
    """No recording on tapes, and no cyclic garbage collection: a compilation makes many nodes that
    live until its end, which it would visit.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        with tape.suspended():
            yield
    finally:
        if was_on:
            gc.enable()
