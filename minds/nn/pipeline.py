"""Cells as stages of a pipeline: what they take is marked, so that a divided program knows where a stage
begins (`minds.sharding.stages`).
"""

from __future__ import annotations

from ..base.options import stages
from ..ops.define import P


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
        inner = cell._around_stage
        if inner is not None:
            return inner(ip, args, kwargs)
        return ip.construct_cell(cell, args, kwargs)

    return around


__all__ = ["emit_stage", "is_stage"]
