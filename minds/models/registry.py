"""The table of constructors. Modules fill it when they are imported, all of them when it is first read."""

from __future__ import annotations

import difflib
import fnmatch
import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable

from ..base.errors import complain
from ..nn import Cell

_MADE: dict[str, Callable[..., Cell]] = {}


def register(**sizes: dict) -> Callable:
    """Decorates what makes a network: enters a constructor for each of its sizes.

    Args:
        sizes (dict): by the constructor's name, the arguments that make this size.

    Returns:
        Callable: takes the class or function, and gives it back.

    Raises:
        ValueError: a name is entered already.

    Examples:
        >>> from minds import models, nn
        >>> @models.register(tiny_head={"out_channels": 2})
        ... class Head(nn.Dense):
        ...     '''A dense layer.'''
        >>> models.create("tiny_head", in_channels=3).weight.shape
        (2, 3)
    """

    def enter(make):
        for name, settings in sizes.items():
            if name in _MADE:
                raise complain(ValueError, f"register: there is a constructor {name!r} already")
            _MADE[name] = _constructor(name, make, settings)
        return make

    return enter


def _constructor(name: str, make: Callable[..., Cell], settings: dict) -> Callable[..., Cell]:
    """``make`` with other defaults, as a function with a name and a docstring of its own."""

    def construct(**changes) -> Cell:
        return make(**{**settings, **changes})

    construct.__name__ = construct.__qualname__ = name
    construct.__module__ = make.__module__
    told = ", ".join(f"{k}={getattr(v, '__name__', None) or repr(v)}" for k, v in settings.items())
    about = f"``{make.__name__}({told})``: " if told else ""
    construct.__doc__ = f"{about}{inspect.getdoc(make) or ''}"
    return construct


@functools.cache
def constructors() -> dict[str, Callable[..., Cell]]:
    """All constructors by name; the first call imports the modules of the zoo."""
    package = importlib.import_module(__package__)
    for module in pkgutil.walk_packages(package.__path__, f"{__package__}."):
        importlib.import_module(module.name)
    return _MADE


def create(name: str, **kwargs) -> Cell:
    """A network of the zoo by name, with fresh weights.

    Args:
        name (str): one of `minds.models.list()`.
        kwargs (Any): arguments of the constructor, such as ``num_classes``.

    Returns:
        Cell: the network.

    Raises:
        TypeError: ``name`` is no str, or the constructor does not take an argument.
        ValueError: there is no network of this name.

    Examples:
        >>> from minds import models, ops
        >>> net = models.create("lenet5", num_classes=4)
        >>> net(ops.ones((2, 1, 32, 32))).shape
        (2, 4)
    """
    if not isinstance(name, str):
        raise complain(TypeError, f"create: name has type {type(name).__name__}", expected="a str")
    made = constructors().get(name)
    if made is None:
        near = difflib.get_close_matches(name, constructors(), 3)
        raise complain(
            ValueError,
            f"create: there is no network {name!r}",
            cure=f"{' or '.join(map(repr, near))}" if near else "minds.models.list() has all names",
        )
    return made(**kwargs)


def matching(pattern: str = "*") -> list[str]:
    """The names of the networks that ``create`` makes.

    Args:
        pattern (str): what the names must match, with ``*`` and ``?`` as in file names. Default all.

    Returns:
        list[str]: in alphabetical order.

    Raises:
        TypeError: ``pattern`` is no str.

    Examples:
        >>> from minds import models
        >>> models.list("lenet*")
        ['lenet5']
    """
    if not isinstance(pattern, str):
        raise complain(
            TypeError, f"list: pattern has type {type(pattern).__name__}", expected="a str"
        )
    return sorted(fnmatch.filter(constructors(), pattern))
