"""The functions of `minds.mint`: those of `minds.ops`, with torch's names and order of parameters.

Those of `ops` as they are say so where they are defined; the others are in `ops.spellings`.
"""

from __future__ import annotations

from ..base.boundary import offered as guarded
from ..ops.faces import offered
from ..ops.functional import documented


def functions(path: str = "") -> dict:
    """The functions of a submodule (``"nn.functional."``) by name."""
    return {
        name.removeprefix(path): guarded(name.rpartition(".")[2], documented(found))
        for name, found in offered("mint").items()
        if name.startswith(path) and "." not in name.removeprefix(path)
    }


__all__ = ["functions"]
