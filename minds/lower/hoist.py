"""What a loop makes of values that stay the same is made once, before it: afterwards no loop casts or
transposes in each iteration what it was given.

Under mixed precision each iteration would cast the weights again. This comes after J, which adds up the
cotangents of the casts in the precision of the weights. The program must be closed, and stays so.
"""

from __future__ import annotations

from ..ir.build import Builder, building
from ..ir.node import Apply, Graph, Node, Param, replace, set_args
from ..ops.define import P
from ..passes.cse import cse
from .kernels import key_of
from .tail_loop import TailLoop, like, loops, renamed

MADE = (P.cast, P.transpose)
"""What is made anew in memory, and cannot fail."""


def hoist(graph: Graph) -> None:
    """Let all loops take what they would make."""
    found = [loop for loop in loops(graph, HoistingLoop) if loop.find() and loop.rewrite()]
    if found:
        cse(graph)  # what is before the loop may be there already


class HoistingLoop(TailLoop):
    """A loop with applies that depend on what stays the same.

    Attributes:
        sites: by the index of a param of the header and what is done with it, the applies that do.
    """

    def find(self) -> bool:
        """Find the applies; whether there are some."""
        constants, found = self.constants(), {}
        for n in [n for g in self.tails for n in g if n.fn in MADE and n.abstract.size > 1]:
            chain = _chain(n)
            if chain is not None and chain[0] in constants:
                found[n] = chain
        within = {m for _, chain in found.values() for m in chain}
        self.sites = {}
        for n, (p, chain) in found.items():
            if not within.issuperset(n.uses):  # else it is only a step to others
                does = [(m.fn, *[key_of(a.value) for a in m.args[1:]]) for m in chain]
                self.sites.setdefault((constants[p], *does), []).append((n, chain))
        return bool(self.sites)

    def rewrite(self) -> bool:
        """Let the loop carry the values."""
        made = {g: [g.add_param("same", n.abstract) for n in self._firsts()] for g in self.tails}
        users = self.users()
        for g, params in made.items():
            for sites, p in zip(self.sites.values(), params):
                for n, chain in sites:
                    if n.graph is g:
                        replace(n, p)
                        _drop(chain)
            self._hand_on(g, params)
        start = None
        for n in users:
            if n.fn is self.header:
                with building(Builder(n.graph, n, n.loc)):
                    set_args(n, (*n.args, *self._made(n.args)))
                continue
            start = start or self._start()
            set_args(n, [renamed(a, self.header, start) for a in n.args])
        return True

    def _firsts(self) -> list[Apply]:
        return [sites[0][0] for sites in self.sites.values()]

    def _made(self, args) -> list[Node]:
        """The values for what the header is given."""
        found = []
        for (at, *_), sites in self.sites.items():
            v = args[at]
            for m in sites[0][1]:
                v = m.fn(v, *[a.value for a in m.args[1:]])
            found.append(v)
        return found

    def _start(self) -> Graph:
        """What is called in place of the header where that is a value."""
        start = like(self.header)
        with building(Builder(start, loc=self.header.loc)) as b:
            args = [*start.params, *self._made(start.params)]
            start.output = b.emit(self.header, args, self.header.ret.abstract)
        return start

    def _hand_on(self, g: Graph, params: list[Param]) -> None:
        """Let the tail call of ``g`` pass ``params``; what ends the loop takes and ignores them."""
        tail, targets = self.tails[g]
        callee, graphs = tail.fn, [h if h in self.tails else _end(h, params) for h in targets]
        with building(Builder(g, tail, tail.loc)) as b:
            new = graphs[0] if len(graphs) == 1 else b.switch(callee.args[0], *graphs)
            g.output = b.emit(new, (*tail.args, *params), tail.abstract)
        g.remove(tail)
        if callee.__class__ is Apply and not callee.uses:
            g.remove(callee)


def _end(target: Graph, params: list[Param]) -> Graph:
    """``target``, which also takes ``params``."""
    end = like(target)
    with building(Builder(end, loc=target.loc)) as b:
        end.output = b.emit(target, list(end.params), target.ret.abstract)
    for p in params:
        end.add_param(p.name, p.abstract, p.loc)
    return end


def _drop(chain: list[Apply]) -> None:
    """Remove what nothing uses any more."""
    for n in reversed(chain):
        if n.uses:
            return
        n.graph.remove(n)


def _chain(n: Apply) -> tuple[Node, list[Apply]] | None:
    """What ``n`` is made of, and the applies that make it; None where they are others."""
    applies = [n]
    while applies[-1].args[0].__class__ is Apply:
        n = applies[-1].args[0]
        if n.fn not in (*MADE, P.reshape):
            return None
        applies.append(n)
    return applies[-1].args[0], applies[::-1]
