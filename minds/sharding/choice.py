"""Which axes of the mesh divide which factors of an application."""

from __future__ import annotations

from ..base.errors import StrategyError, complain
from ..ir.node import Apply, Constant, Node
from ..ops.define import TENSORS, P
from ..ops.sharding import Rule, operands_of
from .layout import Mesh, Sharding


def operand_nodes(n: Apply) -> list[Node]:
    given = [
        a.args if k == TENSORS and isinstance(a, Apply) else None if is_absent(a) else a
        for a, k in zip(n.args, n.fn.kinds)
    ]
    return operands_of(n.fn, given)


def is_absent(a: Node) -> bool:
    return isinstance(a, Constant) and a.value is None


def is_asked(node: Node) -> bool:
    """Whether an operand says how the op that takes it is to be divided."""
    return isinstance(node, Apply) and node.fn is P.placed and node.args[3].value


def parts_of(
    mesh: Mesh, nodes: list[Node], rule: Rule, sizes: dict
) -> dict[str, int | tuple] | None:
    """In how many parts, or along which axes, the factors are to be divided, where operands say so.

    Raises:
        ValueError: they contradict each other, or a dimension cannot be divided so.
    """
    found: dict[str, int | tuple] = {}
    for node, letters in zip(nodes, rule.operands):
        for d, (letter, how) in enumerate(
            zip(letters, node.args[1].value if is_asked(node) else ())
        ):
            n = how if isinstance(how, int) else mesh.parts(how)
            if letter is None and n != 1 or letter is not None and sizes[letter] % n:
                raise complain(
                    StrategyError,
                    f"shard: dimension {d} of {node.abstract!r} is to be divided in {n}",
                    loc=node.loc,
                    expected="1" if letter is None else f"what divides {sizes[letter]}",
                )
            if letter is not None and found.setdefault(letter, how) != how:
                raise complain(
                    StrategyError,
                    f"shard: the operands divide the same dimension in {found[letter]} and in {how}",
                    loc=node.loc,
                )
    return found or None


def axes_of(mesh: Mesh, dims: tuple, before: Sharding) -> list[tuple[str, ...]]:
    """The axes that divide each dimension where some are numbers of parts: those that do already, then
    free ones, the major first.

    Raises:
        ValueError: there are none.
    """
    taken = {a for d in dims if not isinstance(d, int) for a in d}
    found = []
    for d, how in enumerate(dims):
        if not isinstance(how, int):
            found.append(tuple(how))
            continue
        mine: tuple[str, ...] = ()
        for a in (*before.dims[d], *mesh.names):
            if a not in taken and how % mesh.parts((*mine, a)) == 0:
                mine = (*mine, a)
                taken.add(a)
        if mesh.parts(mine) != how:
            raise refused(mesh, how)
        found.append(mine)
    return found


def refused(mesh: Mesh, parts: int, loc=None) -> ValueError:
    """The error that axes do not make a number of parts."""
    sizes = "x".join(map(str, mesh.sizes))
    return complain(
        StrategyError,
        f"shard: no axes of a mesh of {sizes} devices are left to divide a dimension in {parts}",
        loc=loc,
    )


class Choice:
    """The axes that divide each factor of one application, as they are chosen."""

    def __init__(self, mesh: Mesh, sizes: dict, parts: dict | None, loc=None):
        self.mesh, self.sizes, self.parts, self.loc = mesh, sizes, parts or {}, loc
        self.axes: dict[str, tuple] = {}
        self.taken: set[str] = set()
        for letter, how in self.parts.items():
            if not isinstance(how, int) and how:
                self.axes[letter] = how
                self.taken.update(how)

    def take(self, letter: str, axis: str) -> None:
        """Let ``axis`` divide a factor too, if it is free and the factor can be divided so."""
        now = (*self.axes.get(letter, ()), axis)
        most = self.parts.get(letter, self.sizes[letter])
        fits = isinstance(most, int) and most % self.mesh.parts(now) == 0
        if axis not in self.taken and fits:
            self.taken.add(axis)
            self.axes[letter] = now

    def complete(self) -> None:
        """Divide the factors that are to be divided in a number of parts by axes that are free.

        Raises:
            ValueError: there are none.
        """
        for letter, parts in self.parts.items():
            if not isinstance(parts, int):
                continue
            for axis in self.mesh.names:
                if self.mesh.parts(self.axes.get(letter, ())) < parts:
                    self.take(letter, axis)
            if self.mesh.parts(self.axes.get(letter, ())) != parts:
                raise refused(self.mesh, parts, self.loc)


__all__ = ["Choice", "axes_of", "is_absent", "is_asked", "operand_nodes", "parts_of"]
