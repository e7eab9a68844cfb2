"""`minds.common.api`: MindSpore's place for `jit`, and for the executors that its tests drive by
hand.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools

from ..ad import tape
from ..base.errors import complain
from ..base.options import divide_among, freeze
from ..jit.compile import compile_cell, jit, strategies_of
from ..ops.faces import camel, offered
from .executor import _pynative_executor, _PyNativeExecutor  # noqa: F401


def jit_class(cls: type) -> type:
    """Say that compiled code may make and use objects of a class.

    It may use those of any class whose methods are written in Python, so this only checks and marks
    ``cls``.

    Args:
        cls (type): a class that is no Cell.
    Returns:
        type: the same class.
    Raises:
        TypeError: ``cls`` is no class, or it is a Cell.

    Examples:
        >>> import minds as ms
        >>> @ms.jit_class
        ... class Scale:
        ...     def __init__(self, factor):
        ...         self.factor = factor
        ...     def __call__(self, x):
        ...         return x * self.factor
        >>> @ms.jit
        ... def tripled(x):
        ...     return Scale(3)(x)
        >>> float(tripled(ms.Tensor(2.0)))
        6.0
    """
    if not isinstance(cls, type):
        raise complain(
            TypeError,
            f"jit_class: the decorated object is a {type(cls).__name__}",
            expected="a class",
        )
    if hasattr(cls, "construct"):
        raise complain(
            TypeError, f"jit_class: {cls.__name__} is a Cell", expected="a class that is no Cell"
        )
    cls.__ms_class__ = True
    return cls


def lazy_inline(fn=None, attrs=None, policy=None):
    """Decorate the ``__init__`` of a Cell; has no effect, for minds decides itself what it inlines.

    Args:
        fn (Callable): the function; None makes a decorator.
        attrs (str | list[str]), policy (str): accepted.

    Returns:
        Callable: ``fn``.

    Raises:
        ValueError: another ``policy`` than "front".

    Examples:
        >>> class Block(ms.nn.Cell):
        ...     @ms.lazy_inline
        ...     def __init__(self):
        ...         super().__init__()
    """
    if policy not in (None, "front"):
        raise complain(ValueError, f"lazy_inline: policy is {policy!r}", expected="None or 'front'")
    return functools.partial(lazy_inline, attrs=attrs, policy=policy) if fn is None else fn


def no_inline(fn=None):
    """Decorate a function; has no effect, for minds decides itself what it inlines.

    Args:
        fn (Callable): the function.
    Returns:
        Callable: ``fn``.
    Raises:
        ValueError: ``fn`` is no function.

    Examples:
        >>> @ms.no_inline
        ... def double(x):
        ...     return x * 2
    """
    if not callable(fn):
        raise complain(ValueError, f"no_inline: fn is a {type(fn).__name__}", expected="a function")
    return fn


@contextlib.contextmanager
def no_init_parameters():
    """In a ``with``: parameters that are made inside are to be loaded. Has no effect, for what they
    are filled with costs no more than their memory.

    Examples:
        >>> from minds.nn.utils import no_init_parameters
        >>> with no_init_parameters():
        ...     net = ms.nn.Dense(2, 3)
    """
    yield


@contextlib.contextmanager
def _of_the_whole():
    """Arguments of divided programs are whole on each device inside."""
    division = freeze().division
    if division is not None:
        divide_among(dataclasses.replace(division, batch="full_batch"))
    try:
        yield
    finally:
        if division is not None:
            divide_among(division)


class _CellGraphExecutor:
    """Compiles a cell without running it."""

    def compile(self, obj, *args, **kwargs) -> tuple[str, bool]:
        """Compile ``obj`` for ``args``; of a program that is divided these are of the whole.

        Returns:
            tuple: a name for the program, and True.
        Raises:
            ValueError: two parameters share a name.
        """
        options = ("phase", "do_convert", "jit_config_dict")
        if hasattr(obj, "check_names"):
            obj.check_names()
        with _of_the_whole():
            compile_cell(obj, args, {k: v for k, v in kwargs.items() if k not in options})
        return f"{type(obj).__name__}.{id(obj)}", True

    def __call__(self, obj, *args, phase: str = ""):
        return obj.compile_and_run(*args)

    def _get_shard_strategy(self, obj) -> dict:
        """In how many parts each dimension of the operands of each op is."""
        told = enumerate(strategies_of(obj))
        return {f"Default/{_class_name(name)}-op{i}": parts for i, (name, parts) in told}


def _class_name(op: str) -> str:
    """The spelling of an op as a class."""
    plain = op.replace("_", "")
    named = {n.lower(): n for n in offered("cls")}
    return named.get(plain) or named.get("reduce" + plain.removeprefix("a")) or camel(op)


def _function_forbid_reuse(fn):
    """Decorate a function; has no effect, for each call of a function is compiled for itself."""
    return fn


ms_function, ms_class = jit, jit_class
_no_grad = tape.NoGrad
_cell_graph_executor = _executor = _CellGraphExecutor()

__all__ = [
    "jit",
    "jit_class",
    "lazy_inline",
    "ms_class",
    "ms_function",
    "no_init_parameters",
    "no_inline",
]
