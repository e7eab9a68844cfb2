"""Hooks that look at what goes into the operations of `Dataset.map` and comes out of them."""

from __future__ import annotations

import abc

import numpy as np

from ..base.boundary import guard as _guard


class DebugHook(abc.ABC):
    """A step of `map` that looks at the values and passes them on; a subclass defines ``compute``. With
    `config.set_debug_mode` hooks stand before and behind all operations.

    Args:
        prev_op_name (str, optional): the operation that it stands at, whose name is printed. Default: None.

    Examples:
        >>> import minds.dataset as ds
        >>> class Show(ds.debug.DebugHook):
        ...     def compute(self, *args):
        ...         print(float(args[0][0]))
        >>> d = ds.NumpySlicesDataset([1.5], "x").map([lambda x: x * 2, Show()], "x")
        >>> [float(x) for x, in d.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        3.0
        [3.0]
    """

    def __init__(self, prev_op_name: str | None = None):
        self.prev_op_name, self.is_first_op = prev_op_name, None

    def __call__(self, *args):
        if self.prev_op_name:
            side = "INPUT" if self.is_first_op else "OUTPUT"
            print(
                f"[Dataset debugger] Print the [{side}] of the operation [{self.prev_op_name}].",
                flush=True,
            )
        self.compute(args)
        return args

    @abc.abstractmethod
    def compute(self, *args):
        """Look at the values.

        Args:
            args (tuple): one element, the tuple of the values.

        Examples:
            >>> from minds.dataset import debug
            >>> debug.PrintDataHook().compute((1, 2))
            Column 0. The data is [1].
            Column 1. The data is [2].
        """

    def set_previous_op_name(self, prev_op_name: str) -> None:
        """Say which operation the hook stands at.

        Args:
            prev_op_name (str): its name.

        Examples:
            >>> from minds.dataset import debug
            >>> hook = debug.PrintDataHook()
            >>> hook.set_previous_op_name("Resize")
            >>> hook.prev_op_name
            'Resize'
        """
        self.prev_op_name = prev_op_name

    def set_is_first(self, is_first_op: bool) -> None:
        """Say whether the hook stands before the first operation.

        Args:
            is_first_op (bool): whether it does.

        Examples:
            >>> from minds.dataset import debug
            >>> hook = debug.PrintDataHook()
            >>> hook.set_is_first(True)
            >>> hook.is_first_op
            True
        """
        self.is_first_op = is_first_op


class PrintMetaDataHook(DebugHook):
    """Prints dtypes and shapes.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import debug
        >>> _ = debug.PrintMetaDataHook()(np.zeros((2, 3)))
        Column 0. The dtype is [float64]. The shape is [(2, 3)].
    """

    def __init__(self):
        super().__init__()

    def compute(self, *args):
        for number, value in enumerate(args[0]):
            a = np.asarray(value)
            print(
                f"Column {number}. The dtype is [{a.dtype}]. The shape is [{a.shape}].", flush=True
            )


class PrintDataHook(DebugHook):
    """Prints the values.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import debug
        >>> _ = debug.PrintDataHook()(np.arange(2))
        Column 0. The data is [[0 1]].
    """

    def __init__(self):
        super().__init__()

    def compute(self, *args):
        for number, value in enumerate(args[0]):
            print(f"Column {number}. The data is [{np.asarray(value)}].", flush=True)


class _At:
    """A hook at one place: hooks of `config.set_debug_mode` stand at many."""

    def __init__(self, hook: DebugHook, name: str, is_first: bool):
        self.hook, self.name, self.is_first = hook, name, is_first

    def __call__(self, *args):
        self.hook.set_previous_op_name(self.name)
        self.hook.set_is_first(self.is_first)
        return self.hook(*args)


def hooked(operations: list, hooks: list[DebugHook]) -> list:
    """``operations`` with the hooks before the first and behind each."""
    names = [getattr(op, "__name__", type(op).__name__) for op in operations]
    made = [_At(hook, names[0], True) for hook in hooks]
    for op, name in zip(operations, names):
        made += [op, *(_At(hook, name, False) for hook in hooks)]
    return made


__all__ = ["DebugHook", "PrintDataHook", "PrintMetaDataHook"]
_guard(__name__)
