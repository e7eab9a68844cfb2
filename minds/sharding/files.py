"""Layouts as text: strategy files, and what a checkpoint of parts says of them."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass

from ..base.errors import complain
from ..base.files import replacing
from .layout import Mesh, Sharding


@dataclass(frozen=True)
class Layouts:
    """How named tensors lie on a mesh.

    Attributes:
        mesh (Mesh): the devices.
        dims (dict[str, Sharding]): for each tensor how it lies.
        rank (int): of whom the parts are that are beside this; -1, nobody's.
    """

    mesh: Mesh
    dims: dict[str, Sharding]
    rank: int = -1

    def text(self) -> str:
        """This as JSON.

        Returns:
            str: what `parse` takes.
        """
        layouts = {name: [list(d) for d in s.dims] for name, s in self.dims.items()}
        mesh = {"names": self.mesh.names, "sizes": self.mesh.sizes}
        return json.dumps({"mesh": mesh, "layouts": layouts, "rank": self.rank}, indent=1)


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
        rank = int(found["rank"])
        for name, s in dims.items():
            s.check(mesh, (mesh.size,) * len(s.dims), name)
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise _foreign(what, f"{type(e).__name__}: {e}") from None
    if not good or not -1 <= rank < math.prod(sizes):
        raise _foreign(what, "no mesh, or no rank of it")
    return Layouts(mesh, dims, rank)


def _foreign(what: str, why: str) -> Exception:
    return complain(ValueError, f"{what} tells no layouts ({why})")


def read(path: str) -> Layouts:
    """The layouts of a strategy file.

    Raises:
        ValueError: there is none, or it is something else.
    """
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
