"""`Recorded`: objects that know what they were made with, so that a file can say it."""

from __future__ import annotations

import inspect


class Recorded:
    """Base of samplers and transforms: keeps the arguments of the constructor."""

    def __new__(cls, *args, **kwargs):
        if cls.__init__ is object.__init__ and (args or kwargs):
            raise TypeError(f"{cls.__name__}() takes no arguments")
        made = super().__new__(cls)
        made._given = (args, kwargs)
        return made


def arguments_of(made: Recorded) -> dict:
    """The constructor's parameters of ``made``, by name, with their defaults."""
    args, kwargs = made._given
    if type(made).__init__ is object.__init__:
        return {}
    bound = inspect.signature(type(made)).bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)
