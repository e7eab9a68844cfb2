"""Layouts as text: strategy files, and what a checkpoint of parts says of them."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field

from ..base.errors import complain
from ..base.files import replacing
from .layout import Mesh, Sharding


@dataclass(frozen=True)
class Layouts:
    """How named tensors lie on a mesh, or on several, one for each group of devices of a pipeline.

    Attributes:
        mesh (Mesh): the devices of a group.
        dims (dict[str, Sharding]): for each tensor how it lies.
        rank (int): of whom the parts are that are beside this, among all; -1, nobody's.
        groups (int): how many groups there are.
        owners (dict[str, int]): the groups of tensors that one group alone has.
    """

    mesh: Mesh
    dims: dict[str, Sharding]
    rank: int = -1
    groups: int = 1
    owners: dict[str, int] = field(default_factory=dict)

    size = property(lambda self: self.mesh.size * self.groups, doc="How many devices there are.")

    def is_away(self, name: str, rank: int) -> bool:
        """Whether a rank has nothing of a tensor."""
        return self.owners.get(name, rank // self.mesh.size) != rank // self.mesh.size

    def text(self) -> str:
        """This as JSON.

        Returns:
            str: what `parse` takes.
        """
        layouts = {name: [list(d) for d in s.dims] for name, s in self.dims.items()}
        mesh = {"names": self.mesh.names, "sizes": self.mesh.sizes}
        told = {"mesh": mesh, "layouts": layouts, "rank": self.rank}
        if self.groups > 1:
            told |= {"groups": self.groups, "owners": self.owners}
        return json.dumps(told, indent=1)


def parse(text: str, what: str) -> Layouts:
    """The layouts that a text tells.

    Args:
        text (str): JSON of `Layouts.text`.
        what (str): where it stands, for messages.

    Returns:
        Layouts: they.

    Raises:
        ValueError: it is something else.
    """
    try:
        found = json.loads(text)
        names, sizes = found["mesh"]["names"], found["mesh"]["sizes"]
        good = len(names) == len(sizes) and all(type(n) is int and n > 0 for n in sizes)
        mesh = Mesh(tuple(map(str, names)), tuple(sizes))
        dims = {n: Sharding(tuple(map(tuple, d))) for n, d in found["layouts"].items()}
        rank, groups = int(found["rank"]), int(found.get("groups", 1))
        owners = {n: int(g) for n, g in found.get("owners", {}).items()}
        good = good and groups > 0 and all(0 <= g < groups for g in owners.values())
        for name, s in dims.items():
            s.check(mesh, (mesh.size,) * len(s.dims), name)
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise _foreign(what, f"{type(e).__name__}: {e}") from None
    if not good or not -1 <= rank < math.prod(sizes) * groups:
        raise _foreign(what, "no mesh, or no rank of it")
    return Layouts(mesh, dims, rank, groups, owners)


def _foreign(what: str, why: str) -> Exception:
    return complain(ValueError, f"{what} tells no layouts ({why})")


def read(path: str) -> Layouts:
    """The layouts of a strategy file.

    Raises:
        ValueError: there is none, or it is something else.
    """
    path = os.fspath(path)  # a number would be an open file
    if not os.path.isfile(path):
        raise complain(ValueError, f"there is no strategy file {path!r}")
    with open(path, encoding="utf-8", errors="replace") as f:
        return parse(f.read(), f"strategy file {path!r}")


def write(path: str, layouts: Layouts) -> None:
    """Write a strategy file; it is replaced as a whole.

    Raises:
        OSError: it cannot be written.
    """
    with replacing(path, "strategy file") as f:
        f.write(layouts.text().encode())


__all__ = ["Layouts", "parse", "read", "write"]
