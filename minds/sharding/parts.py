"""Parameters of which each process holds its part.

A program that is divided decides how its parameters lie. From then on a process keeps its part of one
that is divided, and programs read and write that. Who reads such a parameter outside of them (prints,
saves or computes with it) gets all of it by a collective, so all processes have to; who gives it a value
gives all of it.
"""

from __future__ import annotations

from .. import _core
from ..ad import tape
from ..base.world import world
from ..ir.build import building
from ..ops.agreement import agree
from ..tensor import Parameter, Tensor
from .cut import cut
from .exchange import exchanged
from .layout import Mesh, Sharding
from .redistribute import path


class InParts:
    """How a parameter lies in parts, and this rank's part.

    Attributes:
        mesh, layout: where the parts are.
        rank: this one.
        array: its part, which divided programs are bound to.
        whole: what others are bound to, which refuses to run while it is empty.
    """

    def __init__(self, mesh: Mesh, layout: Sharding, rank: int, p: Parameter):
        self.mesh, self.layout, self.rank = mesh, layout, rank
        self.whole, self.array = p._array, self._part(p, p._array).copy()

    def _part(self, p: Parameter, array: _core.Array) -> _core.Array:
        with building(None), tape.suspended():
            return cut(Tensor._wrap(array), self.layout.part(self.mesh, p.shape, self.rank))._array

    def gathered(self, p: Parameter) -> _core.Array:
        """All of it; every process must ask."""
        value, end = Tensor._wrap(self.array), Sharding.whole(len(p.shape))
        with building(None), tape.suspended():
            for move in path(self.mesh, p.shape, p.itemsize, self.layout, end):
                value = exchanged(self.mesh, self.rank, value, move)
        return value._array

    def take(self, p: Parameter, array: _core.Array) -> None:
        """Hold the part of another whole."""
        part = self._part(p, array).to(self.array.device)
        self.array.assign(part.copy(), force=True)
        self.forget(p)

    def forget(self, p: Parameter) -> None:
        """The whole that somebody has asked for is out of date."""
        if hasattr(p, "_holds"):
            del p._array


def lay(p: Parameter, mesh: Mesh, layout: Sharding, rank: int) -> None:
    """Let a parameter lie as ``layout`` says."""
    now = p.lies
    if now is not None and (now.mesh, now.layout) == (mesh, layout):
        return
    join(p)
    if layout.axes:
        lies, p._abstract = InParts(mesh, layout, rank, p), p.abstract
        lies.whole.assign(_core.Array.full((0,), p.dtype.code, 0), force=True)
        p.lies = lies
        lies.forget(p)


def lay_part(p: Parameter, mesh: Mesh, layout: Sharding, rank: int, part: _core.Array) -> None:
    """Let a parameter lie as ``layout`` says, and this rank's part of it be ``part``; the other ranks do the
    same.
    """
    lay(p, mesh, layout, rank)
    lies = p.lies
    lies.array.assign(part.to(lies.array.device).copy(), force=True)
    lies.forget(p)
    p.agreed = True


def join(p: Parameter) -> None:
    """Let every process hold all of a parameter."""
    lies = p.lies
    if lies is not None:
        lies.whole.assign(p._array, force=True)
        p._array, p.lies = lies.whole, None


def boxes(parameters: list, lies: tuple | None) -> list:
    """The arrays that a program takes for its parameters.

    Args:
        parameters (list[Parameter]): they.
        lies (tuple): the mesh, the rank, and for each how it lies; None where all are to be whole.

    Returns:
        list[Array]: the parts of this rank, or all; nothing where the processes of the mesh are not there.
    """
    if lies is None:
        for p in parameters:
            join(p)
        return [p._array for p in parameters]
    mesh, rank, layouts = lies
    if mesh.size != world.size:
        return []
    new = [p for p in parameters if "agreed" not in p.__dict__ and p.lies is None]
    agree(new, tuple(range(world.size)))
    for p, layout in zip(parameters, layouts):
        p.agreed = True
        lay(p, mesh, layout, rank)
    return [p._array if p.lies is None else p.lies.array for p in parameters]


def outdate(parameters: list) -> None:
    """A program has written parameters."""
    for p in parameters:
        if p.lies is not None:
            p.lies.forget(p)


__all__ = ["InParts", "boxes", "join", "lay", "outdate"]
