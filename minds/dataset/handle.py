"""`DatasetHandle`: what the parts of `Dataset` share, and what their arguments are held against."""

from __future__ import annotations

import numpy as np

from ..base.errors import complain
from . import config
from . import source_arguments as arguments
from .pipeline import Operation

_INT32_MAX = 2**31 - 1


def whole(name: str, value, low: int, also: tuple = ()) -> int:
    """``value`` as an int of at least ``low``, or one of ``also``.

    Raises:
        TypeError: it is no int.
        ValueError: it is out of range.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise complain(TypeError, f"{name} must be an int, got {type(value).__name__}")
    if value not in also and not low <= value <= _INT32_MAX:
        extra = "".join(f" or {a}" for a in also)
        raise complain(ValueError, f"{name} must be in [{low}, {_INT32_MAX}]{extra}, got {value}")
    return int(value)


def names_of(columns, what: str) -> list[str]:
    """``columns``, a str or a list of str, as a list.

    Raises:
        TypeError: it is neither.
        ValueError: it is empty.
    """
    columns = [columns] if isinstance(columns, str) else columns
    if not isinstance(columns, (list, tuple)) or not all(isinstance(c, str) for c in columns):
        raise complain(TypeError, f"{what} must be a str or a list of str, got {columns!r}")
    if not columns or not all(columns):
        raise complain(ValueError, f"{what} is empty")
    return list(columns)


def workers_of(num_parallel_workers) -> int:
    """The number of threads of an operation."""
    if num_parallel_workers is None:
        return config.get_num_parallel_workers()
    return arguments.num_parallel_workers("num_parallel_workers", num_parallel_workers)


class DatasetHandle:
    """A pipeline's last operation, and how a method makes a handle on another.

    Args:
        node (Operation): the last operation.
    """

    def __init__(self, node: Operation):
        if not isinstance(node, Operation):
            what = f"Dataset: node has type {type(node).__name__}"
            raise complain(TypeError, what, expected="an operation", cure="use GeneratorDataset")
        self._node = node
        self._init_step = 0

    def _over(self, node: Operation) -> DatasetHandle:
        """A handle on another pipeline."""
        raise NotImplementedError


def node_of(d) -> Operation:
    """The last operation of a dataset.

    Raises:
        TypeError: ``d`` is none.
    """
    if not isinstance(d, DatasetHandle):
        raise complain(TypeError, f"a Dataset is expected, got {type(d).__name__}")
    return d._node
