"""The generator of random transforms: one per row, set by the pipeline, so that threads do not
matter.
"""

from __future__ import annotations

import threading

import numpy as np

_local = threading.local()


def begin_row(seed: int, place: int, epoch: int, index: int) -> None:
    """Let the transforms of this thread draw the numbers of one row of one node in one epoch.

    One counter based generator per thread is set to the row's place, which is much cheaper than
    making one.
    """
    rng = getattr(_local, "rng", None)
    if rng is None:
        rng = _local.rng = np.random.Generator(np.random.Philox(0))
    rng.bit_generator.state = {
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


def current() -> np.random.Generator:
    """The generator of the row that this thread works on; outside a pipeline, NumPy's seed
    decides.
    """
    rng = getattr(_local, "rng", None)
    if rng is None:
        rng = _local.rng = np.random.Generator(np.random.Philox(np.random.randint(2**31)))
    return rng
