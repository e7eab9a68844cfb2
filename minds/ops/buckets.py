"""Gradients of several processes, added up bucket by bucket."""

from __future__ import annotations

from .define import P

BYTES = 4 << 20
"""So much is added up at once: larger exchanges gain little, and the first would begin later."""


def all_reduced(grads, ranks: tuple, scale: float):
    """The sum over all ranks of each gradient, times ``scale``. Gradients of one dtype that follow one
    another, from the last, which the backward pass gives first, share an exchange.

    Args:
        grads (tuple[Tensor]): of the same shapes on all ranks.
        ranks (tuple[int]): the group.
        scale (float): a factor of all.

    Returns:
        tuple[Tensor]: one for each.
    """
    results = list(grads)
    for bucket in _buckets(grads):
        sums = P.all_reduce_bucket(tuple([grads[i] for i in bucket]), "sum", ranks)
        for k, i in enumerate(bucket):
            results[i] = sums[k] if scale == 1 else P.mul(sums[k], scale)
    return tuple(results)


def _buckets(grads) -> list:
    """Lists of positions."""
    found: list = []
    room, dtype = 0, None
    for i in reversed(range(len(grads))):
        size = grads[i].dtype.itemsize
        for d in grads[i].shape:
            size *= d
        if grads[i].dtype is not dtype or size > room:
            found.append([])
            room, dtype = BYTES, grads[i].dtype
        found[-1].append(i)
        room -= size
    return found
