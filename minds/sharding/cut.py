"""Parts of tensors, or of the nodes that stand for them."""

from __future__ import annotations

from ..ops.define import P


def cut(x, part: tuple[slice, ...]):
    """The elements in some slices; ``x`` itself if these are all."""
    if all(s.start == 0 and s.stop == n for s, n in zip(part, x.shape)):
        return x
    begin, end = tuple([s.start for s in part]), tuple([s.stop for s in part])
    return P.strided_slice(x, begin, end, (1,) * len(part))


def share(x, dim: int, at: int, parts: int):
    """Part ``at`` of the equal parts of a dimension."""
    n = x.shape[dim] // parts
    part = [slice(0, size) for size in x.shape]
    part[dim] = slice(at * n, (at + 1) * n)
    return cut(x, tuple(part))


__all__ = ["cut", "share"]
