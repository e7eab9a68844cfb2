"""What MindSpore's tests and models import from its modules `_extends` and `_extends.parse`."""

from __future__ import annotations

from ..base.options import set_context


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


class _CompileConfig:
    """Switches of MindSpore's compiler, which are set as attributes.

    ``CHECK_BPROP`` is the setting ``check_bprop`` of `set_context`; the others tune passes that
    minds does not have, and are kept.
    """

    def __setattr__(self, name: str, value):
        super().__setattr__(name, value)
        if name == "CHECK_BPROP":
            set_context(check_bprop=str(value) == "1")

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return ""


compile_config = _CompileConfig()

__all__ = ["cell_attr_register", "compile_config"]
