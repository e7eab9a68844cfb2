"""Cells that say how programs are divided: what they take and give is marked, with the stage of a pipeline
that begins there (`minds.sharding.stages`), or with how devices share it (`Cell.shard`).
"""

from __future__ import annotations

from ..base.options import stages
from ..ops.define import P
from ..ops.placed import for_each, place


def is_stage(cell) -> bool:
    """Whether a cell says its stage and programs are divided into stages."""
    return stages() > 1 and "_pipeline_stage" in vars(cell)


def emit_stage(cell):
    """What the compiler calls for a cell that is a stage, or a part of one."""

    def around(ip, args, kwargs):
        stage = vars(cell)["_pipeline_stage"]

        def mark(v):
            v = ip.read(v) if hasattr(v, "requires_grad") else v
            dtype = getattr(v, "dtype", None)
            is_tensor = getattr(v, "shape", None) is not None and dtype is not None
            return ip.native(P.staged, v, stage) if is_tensor else v

        args = [mark(a) for a in args]
        kwargs = {n: mark(a) for n, a in kwargs.items()}
        return _call(ip, cell, cell._around_stage, args, kwargs)

    return around


def emit_placed(cell):
    """What the compiler calls for a cell that says how devices share its arguments and results."""

    def placed(ip, values, strategies):
        if strategies is None:
            return values
        return [
            v
            if s is None
            else ip.native(place, ip.read(v) if hasattr(v, "requires_grad") else v, s)
            for v, s in zip(values, for_each(strategies, len(values)))
        ]

    def around(ip, args, kwargs):
        taken, given = vars(cell)["_strategies"]
        result = _call(ip, cell, cell._around_placed, placed(ip, list(args), taken), kwargs)
        if isinstance(result, tuple):
            return tuple(placed(ip, list(result), given))
        return placed(ip, [result], given)[0]

    return around


def _call(ip, cell, inner, args: list, kwargs: dict):
    """Call a cell, or what is around it."""
    if inner is not None:
        return inner(ip, args, kwargs)
    return ip.construct_cell(cell, args, kwargs)


__all__ = ["emit_placed", "emit_stage", "is_stage"]
