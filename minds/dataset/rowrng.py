"""The generator of random transforms: one per row, set by the pipeline, so that threads do not
matter.
"""

from __future__ import annotations

import threading

import numpy as np

_local = threading.local()


def begin_row(seed: int, place: int, epoch: int, index: int) -> None:
    """Let the functions of this thread draw the numbers of one row of one node in one epoch."""
    _local.row = seed, place, epoch, index


def current() -> np.random.Generator:
    """The generator of the row that this thread works on; outside a pipeline, NumPy's seed
    decides.

    One counter based generator per thread is set to the row's place when the row first draws, which
    is much cheaper than making one.
    """
    rng, row = getattr(_local, "rng", None), getattr(_local, "row", None)
    if rng is None:
        # A row's numbers draw none of NumPy's.
        seed = np.random.randint(2**31) if row is None else 0
        rng = _local.rng = np.random.Generator(np.random.Philox(seed))
    if row is not None:
        _local.row = None
        rng.bit_generator.state = _state(*row)
    return rng


def _state(seed: int, place: int, epoch: int, index: int) -> dict:
    return {
        "bit_generator": "Philox",
        "state": {
            "counter": np.array((0, 0, epoch, index), np.uint64),
            "key": np.array((seed, place), np.uint64),
        },
        "buffer": np.zeros(4, np.uint64),
        "buffer_pos": 4,
        "has_uint32": 0,
        "uinteger": 0,
    }
