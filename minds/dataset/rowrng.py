"""The generator of random transforms: one per row, set by the pipeline, so that threads do not matter."""
from __future__ import annotations

import threading

import numpy as np

_local = threading.local()


def use(rng: np.random.Generator) -> None:
    """Let the transforms of this thread draw from ``rng``."""
    _local.rng = rng


def current() -> np.random.Generator:
    """The generator of the row that this thread works on; outside a pipeline, NumPy's seed decides."""
    rng = getattr(_local, "rng", None)
    if rng is None:
        rng = _local.rng = np.random.default_rng(np.random.randint(2 ** 31))
    return rng
