"""All devices of a mesh in one process: the parts of a program run side by side, op by op.

A collective takes its operands from the devices' values and combines terms in the order of the ranks,
as the engines do; what a device computes are the ops of its own program (`partition`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from ..base.errors import complain
from ..ir.abstract import AbstractRef, AbstractScalar, AbstractTensor
from ..ir.node import Apply, Constant, Graph, Node, Param
from ..ops.define import P
from ..tensor import Tensor, scalar_tensor
from .cut import cut, share
from .divide import Divided
from .layout import Mesh
from .propagate import Shardings, shape_of
from .redistribute import Move

_COMBINE = {"sum": P.add, "max": P.maximum, "min": P.minimum, "prod": P.mul}


class Ranks(list):
    """The values that the devices have, in the order of their ranks."""


def run(graph: Graph, shardings: Shardings, args: list[Tensor]) -> tuple:
    """The result of a graph on all devices of a mesh.

    Args:
        graph (Graph): the program.
        shardings (Shardings): how its values lie on it.
        args (list[Tensor]): whole tensors, what they refer to for references.

    Returns:
        tuple: the result, each tensor of it as `Ranks`, and the arguments with what references refer to
            now.
    """
    target = _All(shardings)
    params = {}
    for p, value in zip(graph.params, args):
        params[p] = target.put(p, value)
        if isinstance(p.abstract, AbstractRef):
            target.held[p] = params[p]
    result = Divided(shardings, target, params).run(graph)
    after = [target.joined(p) if p in target.held else v for p, v in zip(graph.params, args)]
    return result, after


class _All:
    """The `divide.Target` of all devices."""

    def __init__(self, shardings: Shardings):
        self.shardings, self.mesh = shardings, shardings.mesh
        self.held: dict[Param, Ranks] = {}

    def put(self, p: Param, value) -> Ranks:
        """The parts of an argument."""
        if not isinstance(value, Tensor):
            return Ranks([value] * self.mesh.size)
        layout, shape = self.shardings.of(p), shape_of(p)
        parts = [layout.part(self.mesh, shape, r) for r in range(self.mesh.size)]
        return Ranks([cut(value, part) for part in parts])

    def joined(self, p: Param) -> Tensor:
        """What a parameter holds, whole; every device that has a part must have the same."""
        layout, shape = self.shardings.of(p), shape_of(p)
        found: dict[tuple, Tensor] = {}
        for r, value in enumerate(self.held[p]):
            key = tuple([(s.start, s.stop) for s in layout.part(self.mesh, shape, r)])
            old = found.setdefault(key, value)
            assert (old.asnumpy() == value.asnumpy()).all(), f"{p.name}: devices disagree"
        out = np.zeros(shape, self.held[p][0].asnumpy().dtype)
        for key, value in found.items():
            out[tuple([slice(*k) for k in key])] = value.asnumpy()
        return Tensor(out, self.held[p][0].dtype)

    def constant(self, n: Constant) -> Ranks:
        value = n.value
        if isinstance(n.abstract, AbstractScalar):
            value = scalar_tensor(value, n.abstract.dtype)
        return Ranks([value] * self.mesh.size)

    def load(self, p: Node) -> Ranks:
        return self.held[p]

    def assign(self, p: Node, value: Ranks) -> None:
        self.held[p] = value

    def apply(self, n: Apply, args: list, local: Callable | None = None):
        if getattr(n.fn, "has_effect", False):  # a key that is drawn, a line that is printed
            made = [n.fn(*_of_rank(args, 0))] * self.mesh.size
        else:
            own = [n.fn if local is None else local(r) for r in range(self.mesh.size)]
            made = [fn(*_of_rank(args, r)) for r, fn in enumerate(own)]
        return tuple(map(Ranks, zip(*made))) if isinstance(made[0], tuple) else Ranks(made)

    def call(self, n: Apply, fn, args: list):
        raise complain(NotImplementedError, "devices in one process run no loops", loc=n.loc)

    def move(self, value: Ranks, move: Move, spec: AbstractTensor) -> Ranks:
        return exchanged(self.mesh, value, move)


def exchanged(mesh: Mesh, value: Ranks, move: Move) -> Ranks:
    """What the devices have behind a move."""
    return Ranks([_received(mesh, value, move, rank) for rank in range(mesh.size)])


def _received(mesh: Mesh, value: Ranks, move: Move, rank: int) -> Tensor:
    group = mesh.group(rank, *move.axes)
    at, n = group.index(rank), len(group)
    near = [value[r] for r in group]
    if move.kind == "cut":
        return share(value[rank], move.to, at, n)
    if move.kind == "all_gather":
        return P.concat(tuple(near), move.dim)
    if move.kind == "all_to_all":
        return P.concat(tuple([share(v, move.to, at, n) for v in near]), move.dim)
    total = functools.reduce(_COMBINE[move.how], near)
    return total if move.kind == "all_reduce" else share(total, move.to, at, n)


def _of_rank(args: list, rank: int) -> list:
    return [
        a[rank]
        if isinstance(a, Ranks)
        else tuple(_of_rank(a, rank))
        if isinstance(a, tuple) and any(isinstance(e, Ranks) for e in a)
        else a
        for a in args
    ]


__all__ = ["Ranks", "exchanged", "run"]
