"""How often loops run, where the program shows it: for what a planner says of their time."""

from __future__ import annotations

from ..ir import walk
from ..ir.node import Apply, Constant, Graph, Node, is_apply
from ..ops.define import P
from .callees import Callees


def counted(callees: Callees, n: Apply) -> int | None:
    """The iterations of the loop that a call enters: of one whose header compares a number, which each adds
    to, with a constant. None where there is no such loop, or it does not show.
    """
    header = callees.targets[n][0]
    tail = header.output
    choice = tail.fn.args[0] if is_apply(tail) and walk.is_called_switch(tail.fn) else None
    if not is_apply(choice, P.less) or choice.args[0] not in header.params:
        return None
    at = header.params.index(choice.args[0])
    begin, end = _number(n.args[at]), _number(choice.args[1])
    steps = [s for g in walk.direct_targets(tail.fn) if (s := _step(header, g, at)) is not None]
    if begin is None or end is None or len(steps) != 1:
        return None
    return max(-(-(end - begin) // steps[0]), 0)


def _step(header: Graph, body: Graph, at: int) -> int | None:
    """What the body of a loop adds to the header's parameter ``at``, where it goes on."""
    tail = body.output
    if not is_apply(tail) or tail.fn is not header or not is_apply(tail.args[at], P.add):
        return None
    step = _number(tail.args[at].args[1])
    return step if step is not None and step > 0 else None


def _number(a: Node) -> int | None:
    return a.value if isinstance(a, Constant) and type(a.value) is int else None


__all__ = ["counted"]
