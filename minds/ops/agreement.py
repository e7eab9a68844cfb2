"""Parameters that several processes begin with."""

from __future__ import annotations

from .define import P


def agree(parameters, ranks: tuple) -> None:
    """Let parameters hold what they do on the first of some ranks, which all call this.

    Args:
        parameters (Iterable[Parameter]): of the same shapes on all ranks.
        ranks (tuple[int]): the group.
    """
    for p in parameters:
        p.set_data(P.broadcast_from(p.value(), 0, ranks))


__all__ = ["agree"]
