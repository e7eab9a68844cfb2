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
    local = _local.__dict__
    rng, row = local.get("rng"), local.get("row")
    if rng is None:
        # A row's numbers draw none of NumPy's.
        seed = np.random.randint(2**31) if row is None else 0
        rng = _local.rng = np.random.Generator(np.random.Philox(seed))
        _local.state = _unused()
    if row is not None:
        _local.row, state = None, local["state"]
        state["state"]["key"][:] = row[:2]
        state["state"]["counter"][2:] = row[2:]
        rng.bit_generator.state = state
    return rng


def _unused() -> dict:
    """The state of a generator that nothing was drawn from, whose counter and key are not set."""
    return {
        "bit_generator": "Philox",
        "state": {"counter": np.zeros(4, np.uint64), "key": np.zeros(2, np.uint64)},
        "buffer": np.zeros(4, np.uint64),
        "buffer_pos": 4,
        "has_uint32": 0,
        "uinteger": 0,
    }
