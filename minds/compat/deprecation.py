"""`common._decorator` and `common._utils`: helpers that MindSpore's own tests and libraries import."""

from __future__ import annotations

import functools

from ..base.errors import expect
from . import log

_said: set[str] = set()


def deprecated(version: str, substitute: str, use_substitute_name=False, module_prefix=""):
    """Decorate a function: its first call warns.

    Args:
        version (str): since when.
        substitute (str): what to use; None or empty for nothing.
        use_substitute_name (bool): accepted, without effect. Default: False.
        module_prefix (str): what stands before the name, such as "mindspore.". Default: "".

    Returns:
        Callable: a decorator.

    Examples:
        >>> from minds.common._decorator import deprecated
        >>> deprecated("2.0", "new")(abs)(-1)
        1
    """

    def decorate(fn):
        name = module_prefix + getattr(fn, "__qualname__", fn.__name__)

        @functools.wraps(fn)
        def warned(*args, **kwargs):
            if name + version not in _said:
                _said.add(name + version)
                use = f", use '{substitute}' instead" if substitute else ""
                log.warning(f"'{name}' is deprecated from version {version}{use}.")
            return fn(*args, **kwargs)

        return warned

    return decorate


def is_dim_unknown(shape) -> bool:
    """Whether a shape is ``(-2,)``, MindSpore's for one of unknown rank.

    Args:
        shape (tuple[int]): the shape.

    Returns:
        bool: whether it is.

    Raises:
        ValueError: -2 stands beside other sizes.

    Examples:
        >>> from minds.common._utils import is_dim_unknown
        >>> is_dim_unknown((-2,)), is_dim_unknown((-1, 2))
        (True, False)
    """
    expect(-2 not in shape or len(shape) == 1, "shape", "(-2,) or without -2", got=shape)
    return -2 in shape


def is_shape_unknown(shape) -> bool:
    """Whether a shape has a size that is not known: -1, or -2 for its rank.

    Args:
        shape (tuple[int]): the shape.

    Returns:
        bool: whether it has.

    Raises:
        ValueError: a size is below -2, or -2 stands beside others.

    Examples:
        >>> from minds.common._utils import is_shape_unknown
        >>> is_shape_unknown((-1, 2)), is_shape_unknown((3, 2))
        (True, False)
    """
    expect(all(n >= -2 for n in shape), "shape", "of sizes from -2 up", got=shape)
    return is_dim_unknown(shape) or -1 in shape


def get_func(fn):
    """The function of a bound method, or ``fn`` itself.

    Args:
        fn (Callable): the method or function.

    Returns:
        Callable: the function.

    Examples:
        >>> from minds.common._utils import get_func
        >>> get_func(len) is len
        True
    """
    return getattr(fn, "__func__", fn)


__all__ = ["deprecated", "get_func", "is_dim_unknown", "is_shape_unknown"]
