"""Data parallel training: whether the processes share the rows of the data, and what is made of their
gradients. `set_auto_parallel_context` sets it.
"""

from __future__ import annotations

from .world import world

_MODES = ("data_parallel", "hybrid_parallel")


class DataParallel:
    """How training is spread.

    Attributes:
        on (bool): whether each process trains on a part of the rows.
        mean (bool): gradients are averaged over the processes, not added up.
        broadcast (bool): all begin with the parameters of rank 0.
    """

    def __init__(self):
        self.on, self.mean, self.broadcast = False, False, True

    def __deepcopy__(self, memo):
        return self


settings = DataParallel()


def configure(context: dict, given: dict) -> None:
    """Take over the settings of MindSpore's context; ``given`` are those that were set now."""
    settings.on, settings.mean = context["parallel_mode"] in _MODES, context["gradients_mean"]
    settings.broadcast = given.get("parameter_broadcast", not given or settings.broadcast)


def is_on() -> bool:
    """Whether there are several processes and each trains on a part of the rows."""
    return settings.on and world.begun and world.size > 1


def shards(num_shards, shard_id) -> tuple:
    """The number of parts of the rows and this process's, where a dataset does not say them."""
    if num_shards is None and shard_id is None and is_on():
        return world.size, world.rank
    return num_shards, shard_id
