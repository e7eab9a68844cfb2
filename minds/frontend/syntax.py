"""The whitelist: every construct that is refused, what it is called, and what to do instead."""

from __future__ import annotations

import gast

REFUSED: dict[type, tuple[str, str]] = {
    gast.With: ("with", "enter the context around the call of the compiled function"),
    gast.AsyncFor: ("async for", "use for"),
    gast.AsyncWith: ("async with", "enter the context around the call of the compiled function"),
    gast.AsyncFunctionDef: ("async def", "use def"),
    gast.Await: ("await", "await outside of the compiled function"),
}
if hasattr(gast, "TryStar"):
    REFUSED[gast.TryStar] = (
        "except*",
        "use except",
    )


def refusal(node: gast.AST) -> tuple[str, str]:
    """The message and the cure for a construct that is not compiled."""
    name, cure = REFUSED.get(
        type(node), (type(node).__name__, "write it with the supported statements")
    )
    return f"'{name}' is not supported in compiled code", cure
