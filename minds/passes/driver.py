"""The worklist driver of local rules, and the runner of named steps.

A rule is a function of one apply that returns its replacement or None; it reads and builds (ops
called inside a rule emit before the apply), only the driver replaces. Rules are indexed by the
primitive at their root. After a hit the users, the new nodes and operands that lost a use are
queued; an unused apply without effect is dropped at once, and a graph that nobody mentions any more
is buried. A budget of hits names a looping rule instead of hanging.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable

from ..ir import prim, text, walk
from ..ir.build import Builder, building
from ..ir.check import check, compatible
from ..ir.fault import attributed
from ..ir.node import Apply, Graph, Node, exchange, replace

CALL, OP = "(call)", "(op)"


def rule(*roots):
    """Make a function a rule for applies of ``roots``: structural primitives, names of ops, `CALL`
    (any call), `OP` (any op).

    The function takes the apply, and the `Rewriter` too if it has a second parameter.
    """

    def mark(fn: Callable) -> Callable:
        fn.roots, fn.wide = roots, fn.__code__.co_argcount > 1
        return fn

    return mark


def table(*rules) -> dict:
    """Rules by what stands at their root, for `Rewriter`; those for any op come after those for
    one.
    """
    by_root: dict = {}
    for r in rules:
        for root in r.roots:
            by_root.setdefault(root, []).append(r)
    for root, found in by_root.items():
        if root.__class__ is str and root not in (CALL, OP):
            found += by_root.get(OP, ())
    return by_root


class Rewriter:
    """Applies a table of rules to a program until nothing changes.

    Attributes:
        recursive: graphs that can reach themselves, as found at the start.
        kept: graphs that must not be moved or buried: the root and custom gradients.
        has_j: whether the program still contains J.
        counts: rule name to [tries, hits, seconds]; the time is taken only if ``options.time`` is
            set.
    """

    def __init__(self, root: Graph, rules: dict, options=None):
        self.root, self.rules, self.options = root, rules, options
        calls = walk.call_map(root)
        self.recursive = walk.recursive(root, calls)
        walk.mark_effects(root, calls)
        self.kept = {root} | {g.flags["bprop"] for g in calls if "bprop" in g.flags}
        self.queue = deque(n for g in calls for n in g)
        self.queued = set(self.queue)
        self.has_j = any(n.fn is prim.J for n in self.queue)
        self.counts: dict[str, list] = {}
        self.builder = Builder(root)
        self.timed = getattr(options, "time", False)

    def push(self, n: Node) -> None:
        """Look at ``n`` (again)."""
        if n.__class__ is Apply and n not in self.queued and n.fn is not prim.return_:
            self.queued.add(n)
            self.queue.append(n)

    def run(self) -> Graph:
        """Rewrite to the end. Returns the root."""
        queue, queued, b = self.queue, self.queued, self.builder
        rules = {
            root: [(r, self.counts.setdefault(r.__name__, [0, 0, 0.0])) for r in found]
            for root, found in self.rules.items()
        }
        left = 10 * len(queue) + 1000
        with building(self.builder):
            while queue:
                n = queue.popleft()
                queued.discard(n)
                if n.graph is None:
                    continue
                if not n.uses and not walk.effectful(n):
                    self.drop(n)
                    continue
                fn = n.fn
                if fn.__class__ is Graph or isinstance(fn, Node):
                    found = rules.get(CALL, ())
                elif fn.__class__ is prim.Structural:
                    found = rules.get(fn, ())
                else:
                    found = rules.get(fn.name) or rules.get(OP, ())
                b.graph, b.before, b.loc = n.graph, n, n.loc
                for r, count in found:
                    before = n.prev
                    new = self._timed(r, n, count) if self.timed else r(n, self) if r.wide else r(n)
                    count[0] += 1
                    if new is not None:
                        left -= 1
                        if left < 0:
                            raise AssertionError(
                                f"rule {r.__name__} does not end, at {n!r} in {n.graph!r}"
                            )
                        count[1] += 1
                        assert compatible(new.abstract, n.abstract), (
                            f"{r.__name__}: {new!r} for {n!r}"
                        )
                        self._hit(n, new, before)
                        break
        if self.timed:
            for name, (tries, hits, seconds) in sorted(self.counts.items(), key=lambda c: -c[1][2]):
                if hits:
                    print(
                        f"minds:   {name:<24} {seconds * 1e3:9.3f} ms  {hits:6d} of {tries}",
                        file=sys.stderr,
                    )
        return self.root

    def _timed(self, r: Callable, n: Apply, count: list) -> Node | None:
        start = time.perf_counter()
        new = r(n, self) if r.wide else r(n)
        count[2] += time.perf_counter() - start
        return new

    def _hit(self, n: Apply, new: Node, before: Apply | None) -> None:
        """Replace ``n``, queue what may have changed, drop what is dead. The rule emitted what
        stands between ``before`` and ``n``.
        """
        at = n.prev
        while at is not before:
            self.push(at)
            at = at.prev
        for user in n.uses:
            self.push(user)
        if new is not before and new is n.prev and not new.uses:
            exchange(n, new)  # users, which may have thousands of arguments, keep theirs
            n, new = new, n
        else:
            replace(n, new)
        self.push(new)
        self.drop(n)

    def drop(self, n: Apply) -> None:
        """Remove an unused apply, and queue what lost a use."""
        n.graph.remove(n)
        self._lost(n)

    def _lost(self, n: Apply) -> None:
        for a in n.operands:
            if a.__class__ is Apply and a.graph is not None:
                self.push(a)
        for h in walk.referred(n):
            if not h.callers and h not in self.kept and h.ret is not None:
                self._bury(h)

    def _bury(self, dead: Graph) -> None:
        stack = [dead]
        while stack:
            g = stack.pop()
            if g.ret is None:
                continue
            outer = [
                a
                for n in (*g, g.ret)
                for a in n.operands
                if a.__class__ is Apply and a.graph is not g
            ]
            stack += [h for h in walk.bury(g) if not h.callers and h not in self.kept]
            for a in outer:
                if a.graph is not None:
                    self.push(a)


def run_steps(graph: Graph, steps, options) -> Graph:
    """Run named steps in order.

    Args:
        steps: pairs of a name and a ``fn(graph, options) -> graph``. After a step whose name starts
            with "close" programs must
            be closed, until one named "j" makes closures again; after "j" no J may be left.
        options: has ``dump`` (names of steps after which the IR is printed to stderr; "all" means
            each), ``time`` (print
            milliseconds and nodes per step) and ``check`` (verify after each step).

    Returns:
        Graph: what the last step gave.
    """
    closed, expanded, found = False, False, walk.graphs(graph)
    for name, step in steps:
        start = time.perf_counter()
        with attributed(f"in the step {name}", graph):
            graph = step(graph, options)
        ms = (time.perf_counter() - start) * 1e3
        found = walk.bury_unreachable(found, graph)
        expanded = expanded or name == "j"
        closed = name.startswith("close") or closed and name != "j"
        if options.time:
            nodes = sum(1 for g in found for _ in g)
            print(f"minds: {name:<12} {ms:9.3f} ms  {nodes:7d} nodes", file=sys.stderr)
        if name in options.dump or "all" in options.dump:
            print(f"# after {name}\n{text.dump(graph)}", file=sys.stderr)
        if options.check:
            with attributed(f"after the step {name}", graph):
                check(graph, closed=closed, j=not expanded)
    return graph
