"""`minds.common.api`: MindSpore's place for `jit`, and for the executors that its tests drive by hand."""
from __future__ import annotations

from ..compile import compile_cell, jit


class _CellGraphExecutor:
    """Compiles a cell without running it."""

    def compile(self, obj, *args, **kwargs) -> tuple[str, bool]:
        """Compile ``obj`` for ``args``.

        Returns:
            tuple: a name for the program, and True.
        Raises:
            ValueError: two parameters share a name.
        """
        options = ("phase", "do_convert", "jit_config_dict")
        if hasattr(obj, "check_names"):
            obj.check_names()
        compile_cell(obj, args, {k: v for k, v in kwargs.items() if k not in options})
        return f"{type(obj).__name__}.{id(obj)}", True

    def __call__(self, obj, *args, phase: str = ""):
        return obj.compile_and_run(*args)


class _PyNativeExecutor:
    """Eager ops have run when their call returns, so there is nothing to wait for."""

    def sync(self) -> None:
        """Return at once."""


_cell_graph_executor = _executor = _CellGraphExecutor()
_pynative_executor = _PyNativeExecutor()

__all__ = ["jit"]
