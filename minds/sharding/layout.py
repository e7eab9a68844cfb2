"""Where the parts of a tensor are: a mesh of devices with named axes, and layouts on it.

A `Sharding` says for each dimension of a tensor along which axes of the mesh it is divided, the major
axis first, and along which axes the devices hold terms of a sum (or of another reduction) in place of
values. Devices that differ along other axes hold the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..base.errors import StrategyError, complain


@dataclass(frozen=True)
class Mesh:
    """Devices in a box: rank r has the coordinates of r in row-major order.

    Args:
        names (tuple[str]): of the axes, the major one first.
        sizes (tuple[int]): of the axes.

    Examples:
        >>> from minds.sharding.layout import Mesh
        >>> mesh = Mesh(("dp", "mp"), (2, 4))
        >>> mesh.size, mesh.place(5), mesh.group(5, "dp")
        (8, {'dp': 1, 'mp': 1}, (1, 5))
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of devices."""
        return math.prod(self.sizes)

    def length(self, axis: str) -> int:
        """The size of an axis."""
        return self.sizes[self.names.index(axis)]

    def parts(self, axes: tuple[str, ...]) -> int:
        """In how many parts some axes divide together."""
        return math.prod([self.length(a) for a in axes])

    def place(self, rank: int) -> dict[str, int]:
        """The coordinates of a device by axis."""
        found = {}
        for name, size in zip(reversed(self.names), reversed(self.sizes)):
            rank, found[name] = divmod(rank, size)
        return dict(reversed(found.items()))

    def place_along(self, rank: int, axes: tuple[str, ...]) -> tuple[int, int]:
        """Which of the parts a device has that some axes divide together, the major one first, and how many
        these are.
        """
        place, at = self.place(rank), 0
        for a in axes:
            at = at * self.length(a) + place[a]
        return at, self.parts(axes)

    def group(self, rank: int, *axes: str) -> tuple[int, ...]:
        """The ranks that differ from ``rank`` along some axes alone, itself among them, in the order of the
        first axis, then of the next.
        """
        place, found = self.place(rank), [rank]
        for axis in axes:
            stride = math.prod(self.sizes[self.names.index(axis) + 1 :])
            offsets = [(i - place[axis]) * stride for i in range(self.length(axis))]
            found = [r + o for r in found for o in offsets]
        return tuple(found)


@dataclass(frozen=True)
class Sharding:
    """How a tensor lies on a mesh.

    Args:
        dims (tuple[tuple[str, ...], ...]): for each dimension the axes that divide it, major first.
        partial (tuple[tuple[str, str], ...]): (axis, reduction) along which devices hold terms; kept
            sorted.

    Examples:
        >>> from minds.sharding.layout import Mesh, Sharding
        >>> mesh = Mesh(("dp", "mp"), (2, 4))
        >>> s = Sharding((("dp",), (), ("mp",)))
        >>> s.local(mesh, (6, 5, 8)), s.part(mesh, (6, 5, 8), 5)
        ((3, 5, 2), (slice(3, 6, None), slice(0, 5, None), slice(2, 4, None)))
    """

    dims: tuple[tuple[str, ...], ...]
    partial: tuple[tuple[str, str], ...] = ()

    def __post_init__(self):
        if len(self.partial) > 1:
            object.__setattr__(self, "partial", tuple(sorted(self.partial)))

    @classmethod
    def whole(cls, rank: int) -> Sharding:
        """Every device has everything."""
        return cls(((),) * rank)

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes that are used."""
        return tuple([a for d in self.dims for a in d] + [a for a, _ in self.partial])

    def parts(self, mesh: Mesh, dim: int) -> int:
        """In how many parts a dimension is divided."""
        return mesh.parts(self.dims[dim])

    def local(self, mesh: Mesh, shape: tuple) -> tuple:
        """The shape of a device's part of a tensor of ``shape``."""
        return tuple([n // self.parts(mesh, d) for d, n in enumerate(shape)])

    def part(self, mesh: Mesh, shape: tuple, rank: int) -> tuple[slice, ...]:
        """Which elements of a tensor of ``shape`` are those of a device."""
        found = []
        for axes, n in zip(self.dims, self.local(mesh, shape)):
            at, _ = mesh.place_along(rank, axes)
            found.append(slice(at * n, (at + 1) * n))
        return tuple(found)

    def check(self, mesh: Mesh, shape: tuple, what: str) -> None:
        """Raise if a tensor of ``shape`` cannot lie like this.

        Raises:
            ValueError: an axis is not the mesh's or is used twice, or a dimension does not divide.
        """
        if len(self.dims) != len(shape):
            raise complain(
                StrategyError,
                f"{what}: a layout of {len(self.dims)} dimensions for a tensor of {len(shape)}",
            )
        for i, a in enumerate(self.axes):
            if a not in mesh.names:
                raise complain(
                    StrategyError,
                    f"{what}: the mesh has no axis {a!r}",
                    expected=", ".join(mesh.names),
                )
            if a in self.axes[:i]:
                raise complain(StrategyError, f"{what}: axis {a!r} is used twice")
        for d, n in enumerate(shape):
            parts = self.parts(mesh, d)
            if n % parts:
                near = sorted({n // parts * parts, (n // parts + 1) * parts} - {0})
                raise complain(
                    StrategyError,
                    f"{what}: dimension {d} has {n} elements, which {parts} devices cannot share",
                    expected=f"a size that {parts} divides, such as {' or '.join(map(str, near))}",
                )


__all__ = ["Mesh", "Sharding"]
