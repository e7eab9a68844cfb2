"""`ops.composite.base`: higher-order functions as the objects that MindSpore makes them with."""

from __future__ import annotations

from ..ops import composite
from ..transforms.vmap import vmap


class _Vmap:
    """`vmap` of a function, as MindSpore's own."""

    def __call__(self, fn, in_axes=0, out_axes=0):
        return vmap(fn, in_axes, out_axes)


def __getattr__(name: str):
    return getattr(composite, name)


__all__ = ["_Vmap"]
