"""Which cells of the user's stay whole in a tree, as MindSpore's tools say it."""

from __future__ import annotations

_subtree_black_list: list = []
"""Classes of cells, or their names, whose `construct` is not looked into: each is one node."""


def is_whole(cell) -> bool:
    """Whether a cell stays one node."""
    return any(
        isinstance(cell, c) if isinstance(c, type) else type(cell).__name__ == c
        for c in _subtree_black_list
    )


__all__ = ["is_whole"]
