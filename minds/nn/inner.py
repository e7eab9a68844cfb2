"""The primitives that MindSpore's cells compute with, for subclasses with a `construct` of their own."""

from __future__ import annotations


class InnerPrimitive:
    """An attribute of a layer: a primitive that is made when it is first asked for, and that may be
    replaced. The layers of minds themselves do without: a strategy that it is given (``shard``) says
    nothing about them.

    Args:
        make (Callable): the primitive of a layer.
    """

    def __init__(self, make):
        self.make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, layer, owner: type | None = None):
        if layer is None:
            return self
        made = vars(layer)[self.name] = self.make(layer)
        return made


__all__ = ["InnerPrimitive"]
