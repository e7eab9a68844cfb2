"""Parameters of which each process holds its part.

A program that is divided decides how its parameters lie. From then on a process keeps its part of one
that is divided, and programs read and write that. Who reads such a parameter outside of them (prints,
saves or computes with it) gets all of it by a collective, so all processes have to; who gives it a value
gives all of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import _core
from ..ad import tape
from ..base.options import LAID, narrowed
from ..base.world import world
from ..ir.build import building
from ..ops.agreement import agree
from ..ops.define import P
from ..tensor import Parameter, Tensor
from .cut import cut
from .exchange import exchanged
from .layout import Mesh, Sharding
from .redistribute import path


@dataclass(frozen=True)
class Laid:
    """How the parameters of a program lie.

    Attributes:
        mesh, rank: the devices of a group, and which of them this is.
        layouts: of each parameter.
        owners: the group of a pipeline that alone keeps it, or None.
        group, groups: which group this rank is in, and how many there are.
        strategies: of ops, the name of each and in how many parts each dimension of its operands is.
    """

    mesh: Mesh
    rank: int
    layouts: tuple[Sharding, ...]
    owners: tuple[int | None, ...]
    group: int = 0
    groups: int = 1
    strategies: tuple = ()

    def place(self, i: int) -> PartsPlace:
        """Where a parameter is."""
        at = self.rank, self.group
        return PartsPlace(self.mesh, self.layouts[i], self.owners[i], self.groups, *at)


@dataclass(frozen=True)
class PartsPlace:
    """Where a parameter is: the attributes of `Laid` for one."""

    mesh: Mesh
    layout: Sharding
    owner: int | None = None
    groups: int = 1
    rank: int = 0
    group: int = 0

    @property
    def is_everywhere(self) -> bool:
        """Whether every process has all of it."""
        return not self.layout.axes and self.owner is None

    def tensor_map(self) -> list:
        """MindSpore's description of the layout: axes by their number from the right, -1 for none."""
        numbers = dict(zip(reversed(self.mesh.names), range(len(self.mesh.names))))
        found = [[numbers[a] for a in axes] for axes in self.layout.dims]
        return [-1 if not axes else axes[0] if len(axes) == 1 else axes for axes in found]

    def part(self, shape: tuple) -> tuple:
        """The shape of a rank's part."""
        return (0,) if self.is_away else self.layout.local(self.mesh, shape)

    @property
    def is_away(self) -> bool:
        """Whether this rank has nothing of it."""
        return self.owner not in (None, self.group)


class InParts:
    """How a parameter lies in parts, and this rank's part.

    Attributes:
        place: where the parts are.
        array: this one's, which divided programs are bound to.
        whole: what others are bound to, which refuses to run while it is empty.
    """

    def __init__(self, place: PartsPlace, p: Parameter):
        self.place = place
        self.whole, self.array = p._array, self._part(p, p._array).copy()

    mesh = property(lambda self: self.place.mesh)
    layout = property(lambda self: self.place.layout)
    rank = property(lambda self: self.place.rank)

    def _part(self, p: Parameter, array: _core.Array) -> _core.Array:
        if self.place.is_away:
            return _core.Array.full((0,), p.dtype.code, 0)
        with building(None), tape.suspended():
            return cut(Tensor._wrap(array), self.layout.part(self.mesh, p.shape, self.rank))._array

    def gathered(self, p: Parameter) -> _core.Array:
        """All of it; every process must ask."""
        at, end = self.place, Sharding.whole(len(p.shape))
        width = self.mesh.size
        with building(None), tape.suspended():
            value = P.full(p.shape, 0, p.dtype) if at.is_away else Tensor._wrap(self.array)
            for move in (
                () if at.is_away else path(self.mesh, p.shape, p.itemsize, self.layout, end)
            ):
                value = exchanged(self.mesh, self.rank, value, move, at.group * width)
            if at.owner is not None:
                peers = tuple(range(self.rank, at.groups * width, width))
                value = P.broadcast_from(value, at.owner, peers)
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


def lay(p: Parameter, place: PartsPlace) -> None:
    """Let a parameter lie in a place."""
    now = p.lies
    if now is not None and now.place == place:
        return
    join(p)
    if not place.is_everywhere:
        narrowed.add(LAID)  # programs that were compiled before are for what all processes hold
        lies, p._abstract = InParts(place, p), p.abstract
        lies.whole.assign(_core.Array.full((0,), p.dtype.code, 0), force=True)
        p.lies = lies
        lies.forget(p)


def lay_part(p: Parameter, place: PartsPlace, part: _core.Array) -> None:
    """Let a parameter lie in a place, and this rank's part of it be ``part``; the other ranks do the same."""
    lay(p, place)
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


def boxes(parameters: list, laid: Laid | None) -> list:
    """The arrays that a program takes for its parameters.

    Args:
        parameters (list[Parameter]): they.
        laid (Laid): how they lie; None where all are to be whole.

    Returns:
        list[Array]: the parts of this rank, or all; nothing where the processes of the mesh are not there.
    """
    if laid is None:
        for p in parameters:
            join(p)
        return [p._array for p in parameters]
    if laid.mesh.size * laid.groups != world.size:
        return []
    new = [p for p in parameters if "agreed" not in p.__dict__ and p.lies is None]
    agree(new, tuple(range(world.size)))
    for i, p in enumerate(parameters):
        p.agreed = True
        lay(p, laid.place(i))
    return [p._array if p.lies is None else p.lies.array for p in parameters]


def outdate(parameters: list) -> None:
    """A program has written parameters."""
    for p in parameters:
        if p.lies is not None:
            p.lies.forget(p)


__all__ = ["InParts", "Laid", "PartsPlace", "boxes", "join", "lay", "lay_part", "outdate"]
