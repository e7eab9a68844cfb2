"""The pass of a stage as a graph of its own, which the program of a rank calls for each micro-batch: however
many there are, it is divided and lowered once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..ir import prim, walk
from ..ir.abstract import AbstractRef, AbstractTensor
from ..ir.node import Apply, Constant, Graph, Node, Param
from ..ops.define import P
from .divide import Divided, Target
from .layout import Sharding
from .propagate import Shardings
from .stages import StageMap, taken


@dataclass
class StagePass:
    """A graph, and what it takes and gives.

    Attributes:
        graph: it.
        inputs: for each of its parameters the node that it stands for, and how that is to lie; None for a
            reference.
        outputs: the nodes whose values it gives, each as it lies, tuples flattened.
    """

    graph: Graph
    inputs: list[tuple[Node, Sharding | tuple | None]]
    outputs: list[Apply]


class PassWalk(Divided):
    """The walk over the nodes of a pass. What they take and do not make becomes a parameter."""

    def __init__(
        self, shardings: Shardings, target: Target, stages: StageMap, group: int, nodes: list[Apply]
    ):
        super().__init__(shardings, target, {})
        self.stages, self.group, self.made = stages, group, set(nodes)
        self.inputs: list[tuple[Node, Sharding | tuple | None]] = []
        self.graph = target.builder.graph
        for n in (*self._loose(nodes), *nodes):
            for a in taken(n):
                self._take(a)
            self.values[n, shardings.of(n)] = self._apply(n)
            self.made.add(n)

    def result(self, nodes: list[Apply], sent: dict) -> StagePass:
        """The graph, which gives what others take of the nodes; ``sent`` has what other groups take."""
        outputs = [n for n in nodes if n in sent or self._leaves(n)]
        values = [v for n in outputs for v in leaves(self.values[n, self.shardings.of(n)])]
        self.graph.output = self.target.builder.make_tuple(values)
        self.graph.has_effect = any(n.has_effect for n in self.graph)
        self.graph.flags["pass"] = True
        return StagePass(self.graph, self.inputs, outputs)

    def get(self, n: Node, layout: Sharding | tuple):
        """A value as it is to lie. What is there once, for all micro-batches, comes as it is to lie."""
        known = (n, layout) in self.values or isinstance(n, Constant) or n in self.made
        if not known and not self.stages.repeats(n):
            self.values[n, layout] = self._param(n, layout)
        return super().get(n, layout)

    def _loose(self, nodes: list[Apply]) -> list[Apply]:
        """What the nodes need that belongs to no stage, in program order."""
        loose, given = self.stages.loose, set(self.stages.early)
        wanted: dict[Apply, None] = {}
        stack = list(nodes)
        while stack:
            for a in taken(stack.pop()):
                if a in loose and a not in wanted and a not in given and a.fn is not P.micro_part:
                    wanted[a] = None
                    stack.append(a)
        return [n for n in loose if n in wanted] if wanted else []

    def _take(self, a: Node) -> None:
        """Let a value of the micro-batch that another pass makes be a parameter; a reference too."""
        if isinstance(a, Param) and isinstance(a.abstract, AbstractRef):
            if a not in self.target.params:
                local = self._named(a, self.target.held[a].abstract)
                self.target.params[a] = local
                self.inputs.append((a, None))
                self.values[a, self.shardings.of(a)] = local
        elif isinstance(a, Apply) and a not in self.made and self.stages.repeats(a):
            layout = self.shardings.of(a)
            if (a, layout) in self.values:
                return
            if a.fn is prim.make_tuple and self.stages.group(a) != self.group:
                for part in a.args:
                    self._take(part)
                self.values[a, layout] = self._apply(a)
            else:
                self.values[a, layout] = self._param(a, layout)

    def _param(self, n: Node, layout: Sharding | tuple):
        self.inputs.append((n, layout))
        return self._outline(n, n.abstract, layout)

    def _outline(self, n: Node, abstract, layout):
        """Parameters for the tensors of a value."""
        if isinstance(layout, tuple):
            return tuple([self._outline(n, *part) for part in zip(abstract.items, layout)])
        if isinstance(abstract, AbstractTensor) and layout.axes:
            abstract = AbstractTensor(
                layout.local(self.shardings.mesh, abstract.shape), abstract.dtype
            )
        return self._named(n, abstract)

    def _named(self, n: Node, abstract) -> Param:
        name = getattr(n, "name", None) or f"v{len(self.graph.params)}"
        return self.graph.add_param(name, abstract, n.loc)

    def _leaves(self, n: Apply) -> bool:
        """Whether other passes, or what follows them, take a value."""
        at, graph = self.stages.where[n], self.stages.graph
        return any(
            m is graph.ret or n in taken(m) and self.stages.where.get(m) != at for m in takers(n)
        )


def takers(n: Node) -> Iterator[Apply]:
    """What may take a value: of one that chooses a graph, the calls of that."""
    for m in n.uses:
        yield from m.uses if walk.is_called_switch(m) else (m,)


def leaves(value) -> list:
    """The nodes of a value."""
    return [v for part in value for v in leaves(part)] if isinstance(value, tuple) else [value]


def rebuilt(like, nodes: Iterator):
    """A value of the structure of a layout, from its nodes."""
    if isinstance(like, tuple):
        return tuple([rebuilt(part, nodes) for part in like])
    return next(nodes)


__all__ = ["PassWalk", "StagePass", "leaves", "rebuilt"]
