"""One round of J: the graphs that it differentiates, each once, and how often their ◀ are called."""

from __future__ import annotations

from collections import deque

from ..ir.abstract import STACK
from ..ir.node import Apply, Graph, Node, Param
from .activity import Activity
from .adjoint import Adjoint
from .cotangents import leaves, resolve
from .region import RegionAdjoint, members
from .stack import new_key


class Expansion:
    """What one round of J makes.

    Attributes:
        blocks: the graphs whose ◀ was made.
    """

    def __init__(self, activity: Activity, flat: list[Graph]):
        """
        Args:
            flat: the graphs that are differentiated where J stands.
        """
        self.activity = activity
        self.adjoints: dict[Graph, Adjoint] = {}
        self.regions: dict[tuple, RegionAdjoint] = {}
        self.work: deque = deque()
        self.blocks: list = []
        self._flat = flat
        self._keys: dict[int, int] = {}
        self._sites: dict[Graph, int] = {}
        self._summed: dict[Graph, set[int]] = {}
        self._count_sites()

    def adjoint(self, g: Graph) -> Adjoint:
        """The adjoint of ``g``, whose bodies are made later."""
        if g not in self.adjoints:
            shared = g in self.activity.values or self._flat.count(g) > 1
            self.adjoints[g] = Adjoint(g, self.activity, shared)
            self.work.append(self.adjoints[g])
        return self.adjoints[g]

    def region(self, g: Graph, again: bool = False) -> RegionAdjoint:
        """The region of ``g``, whose bodies are made later; ``again`` that which ◀ of a recomputed
        graph runs.
        """
        if (g, again) not in self.regions:
            others = self.activity.alternatives(g)
            shared = again and g in self._flat or any(self._sites.get(h, 0) > 1 for h in others)
            region = RegionAdjoint(g, self.activity, shared, self._summed.get(g, ()), again)
            self.regions[g, again] = region
            self.work.append(region)
        return self.regions[g, again]

    def key(self, key: int) -> int:
        """The key of the cotangents of the records of a key."""
        return self._keys.setdefault(key, new_key())

    def _count_sites(self) -> None:
        """Find how often ◀ of each region is called, and for which params some caller has a sum."""
        calls = self.activity.calls
        seen, work = set(), [*self._flat, *self.activity.values]
        sites = [n for g in dict.fromkeys(work) for n in calls[g].items()]
        while sites:
            n, targets = sites.pop()
            indices = {i for i, a in enumerate(n.args) if _may_have_sum(a)}
            for h in targets:
                self._sites[h] = self._sites.get(h, 0) + 1
                for g in self.activity.alternatives(h):
                    self._summed.setdefault(g, set()).update(indices)
                if h in seen:
                    continue
                seen.add(h)
                for m, tail in members(h, self.activity).items():
                    sites += [c for c in calls[m].items() if tail is None or c[0] is not tail[0]]


def _may_have_sum(a: Node) -> bool:
    """Whether there may be a sum of cotangents of ``a`` when ◀ of a call with it is called."""
    bases = {resolve(a, path)[0] for path, t in leaves(a.abstract) if t is not STACK}
    return any(b.__class__ is Param or b.__class__ is Apply and len(b.uses) > 1 for b in bases)
