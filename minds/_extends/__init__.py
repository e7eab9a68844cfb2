"""MindSpore's module `_extends`: what its tests and models import from there."""

from __future__ import annotations


def cell_attr_register(fn=None, attrs=None):
    """Decorate the ``__init__`` of a Cell; has no effect, for programs depend on the attributes
    they read.

    Args:
        fn (Callable): the function; None makes a decorator.
        attrs (str | list[str]): accepted.
    Returns:
        Callable: ``fn``.

    Examples:
        >>> from minds._extends import cell_attr_register
        >>> class Scale(ms.nn.Cell):
        ...     @cell_attr_register
        ...     def __init__(self, factor):
        ...         super().__init__()
        ...         self.factor = factor
    """
    return (lambda f: f) if fn is None else fn


__all__ = ["cell_attr_register"]
