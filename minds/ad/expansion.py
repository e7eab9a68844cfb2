"""One round of J: the graphs that it differentiates, each once, and how often their ◀ are called."""

from __future__ import annotations

from collections import Counter, deque

from ..ir.node import Graph
from ..ir.stack import new_key
from .activity import Activity
from .adjoint import Adjoint, Convention, TailRegion, tail_calls


class Expansion:
    """What one round of J makes.

    Attributes:
        work: the adjoints whose bodies are to be made.
    """

    def __init__(self, activity: Activity, sites: list[Graph]):
        """
        Args:
            sites: the graphs that are differentiated where J stands.
        """
        self.activity = activity
        self.work: deque[Adjoint] = deque()
        self._tail_calls = tail_calls(activity, sites)
        self._regions: dict[Graph, TailRegion] = {}
        self._conventions: dict[tuple, Convention] = {}
        self._adjoints: dict[tuple, Adjoint] = {}
        self._keys: dict[int, int] = {}
        self._called: Counter = Counter()
        self._members: Counter = Counter()
        self._count(sites)

    def adjoint(self, g: Graph, again: bool = False) -> Adjoint:
        """The adjoint of ``g``; ``again`` that which ◀ of a recomputed graph runs."""
        if (g, again) not in self._adjoints:
            convention = self._convention(g, again)
            adjoint = Adjoint(self.activity, self._region(g), convention, again)
            self._adjoints[g, again] = adjoint
            self.work.append(adjoint)
        return self._adjoints[g, again]

    def key(self, key: int) -> int:
        """The key of the cotangents of the records of a key."""
        return self._keys.setdefault(key, new_key())

    def _region(self, g: Graph) -> TailRegion:
        if g not in self._regions:
            self._regions[g] = TailRegion(g, self._tail_calls)
        return self._regions[g]

    def _convention(self, g: Graph, again: bool) -> Convention:
        if (g, again) not in self._conventions:
            graphs = [g] if again else self.activity.alternatives(g)
            called = self._members if again else self._called
            shared = any(h in self.activity.values or called[h] > 1 for h in graphs)
            regions, active = [self._region(h) for h in graphs], self.activity.params[g]
            convention = Convention(g, active, regions, shared)
            self._conventions.update({(h, again): convention for h in graphs})
        return self._conventions[g, again]

    def _count(self, sites: list[Graph]) -> None:
        """Find how often ◀ of each graph is called, and in how many regions it is."""
        work, seen = [*sites, *self.activity.values], set()
        while work:
            h = work.pop()
            self._called[h] += 1
            if h not in seen:
                seen.add(h)
                for m, tail in self._region(h).tails.items():
                    self._members[m] += 1
                    calls = self.activity.calls[m].items()
                    work += [f for n, fs in calls if not tail or n is not tail[0] for f in fs]
