"""Conditions on data of the run: both branches are interpreted, each into a graph, and joined behind the
call of the switch; or that call is a tail call, where a branch leaves (`region`).
"""

from __future__ import annotations

from ..ir.abstract import NONE
from ..ir.node import Graph, Node
from ..ops.define import P
from .emit import Bottom, EmitBuilder
from .flow import Path, fork, nested, resume, stop
from .function_types import UnionValue
from .merge import Merge
from .raises import attempted, check_fails, throw
from .region import go_on, go_on_with, hand_over, no_common_value, packed, unpack
from .values import Mismatch


def branch(ip, name: str, run, start: Path) -> tuple:
    """Interpret ``run()`` into a new graph from ``start``, and come back there.

    Returns:
        (graph, value, path or None where control left, whether any way out was taken inside)
    """
    graph = ip.graph(f"{ip.frames[-1].source.name}:{name}")
    tail, counts, depth = ip.flow.tails[-1], _way_counts(ip), len(ip.frames)
    ip.flow.builder, ip.flow.live = EmitBuilder(ip, graph), True
    value = None
    try:
        with nested(ip):
            value = attempted(ip, run)
    except Bottom:
        ip.flow.live = False
        del ip.frames[depth:]
    path = stop(ip) if ip.live else None
    left = path is None or path.builder.graph is not graph or _way_counts(ip) != counts
    resume(ip, start)
    assert ip.flow.tails[-1] is tail
    return graph, value, path, left


def _way_counts(ip) -> tuple:
    loop = ip.frames[-1].loop
    return (
        len(ip.flow.tails[-1].pending),
        len(ip.flow.tails[-1].exits),
        len(ip.frames[-1].region.exits),
        loop.ways() if loop is not None else 0,
    )


def runtime_if(ip, condition: Node, then, otherwise, what: str = "if"):
    """Both branches of a condition on a run-time value; ``then()`` and ``otherwise()`` interpret
    them.

    Returns:
        the joined value of the branches (for conditional expressions).

    Raises:
        TypeError: the branches' values have no common type.
    """
    start = fork(ip)
    then_graph, a, path_a, left_a = branch(ip, what, then, start)
    else_graph, b, path_b, left_b = branch(ip, "else", otherwise, start)
    if not left_a and not left_b:
        return _join_behind(
            ip, condition, start.version, (then_graph, a, path_a), (else_graph, b, path_b)
        )
    open_paths = [p for p in (path_a, path_b) if p is not None]
    call = _switch_call(ip, condition, then_graph, else_graph)
    ip.flow.tails[-1].pending.append((ip.builder.graph, call))
    if len(open_paths) < 2 or a is None is b:
        go_on(ip, open_paths)
        return a if path_b is None else b
    return go_on_with(ip, list(zip(open_paths, (a, b))))


def require(ip, test: Node, error: Exception) -> None:
    """The program raises ``error``, which may hold values of the run, where ``test`` does not hold."""
    runtime_if(ip, test, lambda: None, lambda: check_fails(ip, error), "check")


def throw_again(ip, thrown) -> None:
    """Raise what was caught: a `Thrown`, or one that the run chooses."""
    if isinstance(thrown, UnionValue):
        of_choice(ip, thrown, lambda one: throw_again(ip, one))
    else:
        throw(ip, thrown.error, thrown.place)


def of_choice(ip, choice: UnionValue, use, places=None):
    """``use(option)`` of the value that is chosen at run time: a tree of conditionals over what it may
    be. The selector is the place of an option, or the one of ``places`` beside it.
    """
    places = places or range(len(choice.options))

    def among(low: int, high: int):
        if high - low == 1:
            return use(choice.options[low])
        middle = (low + high) // 2
        test = ip.native(P.less, ip.node(choice.selector), places[middle])
        return runtime_if(
            ip, test, lambda: among(low, middle), lambda: among(middle, high), "choice"
        )

    return among(0, len(choice.options))


def _switch_call(ip, condition: Node, f: Graph, g: Graph) -> Node:
    ip.builder.loc = ip.here()
    return ip.builder.call(ip.builder.switch(condition, f, g), (), NONE)


def _join_behind(ip, condition: Node, start, then: tuple, otherwise: tuple):
    """Both branches simply end: their graphs return what differs, and it goes on behind the call."""
    (f, a, path_a), (g, b, path_b) = then, otherwise
    merge = Merge(ip, [path_a, path_b], start)
    names = merge.variables()
    try:
        merge.place([a, b])
    except Mismatch as e:
        raise no_common_value(e) from None
    wanted = merge.abstracts()
    hand_over(ip, (path_a, path_b), merge, wanted)
    nodes: list = []
    if wanted or _has_effect(f) or _has_effect(g):
        call = _switch_call(ip, condition, f, g)
        call.abstract = packed(wanted)
        nodes = unpack(ip, call, len(wanted))
    *variables, value = merge.fill(nodes)
    ip.frames[-1].vars.replace(zip(names, variables))
    return value


def _has_effect(graph: Graph) -> bool:
    return any(n.has_effect or isinstance(n.fn, Graph) for n in graph)
