"""Transforms that follow one another as one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..transforms import Compose
from ..transforms.base import one_by_one
from .convert import Decode
from .images import Planned
from .job import Job
from .sizes import RandomCropDecodeResize


class Fused:
    """Several transforms that add to a `Job`: what comes out is what they give one after the other.

    Args:
        transforms (list[Planned]): at least two.
    """

    def __init__(self, transforms: list):
        self.transforms = transforms

    def __call__(self, *values):
        first, value = self.transforms[0], values[0]
        if len(values) > 1:
            return one_by_one(self.transforms, values)
        if isinstance(first, (Decode, RandomCropDecodeResize)):
            job = first._job(value)
        elif isinstance(value, np.ndarray) and value.ndim in (2, 3):
            first._fits(value)
            job = Job(value)
        else:
            return one_by_one(self.transforms, values)
        for transform in self.transforms:
            transform._plan_row(job)
        return job.finish()


def _joins(transform) -> bool:
    if not isinstance(transform, Planned):
        return False
    return not isinstance(transform, Decode) or not transform.to_pil


def writes(step) -> bool:
    """Whether a step takes the memory of what it makes by `inplace.result`, and keeps none of it."""
    return isinstance(step, Fused) or _joins(step)


def _flat(transforms):
    """The transforms, those of a Compose that are all of this kind among them."""
    for transform in transforms:
        if type(transform) is Compose and all(map(_joins, transform.transforms)):
            yield from transform.transforms
        else:
            yield transform


def fused(transforms) -> list[Callable]:
    """``transforms`` with each run of two and more that can be one walk over an image as one."""
    made, run = [], []
    for transform in [*_flat(transforms), None]:
        starts = isinstance(transform, (Decode, RandomCropDecodeResize))
        if _joins(transform) and not (starts and run):
            run.append(transform)
            continue
        made += [Fused(run)] if len(run) > 1 else run
        run = [transform] if _joins(transform) else []
        if transform is not None and not run:
            made.append(transform)
    return made + run
