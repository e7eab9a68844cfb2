"""`DatasetHandle`: what the parts of `Dataset` share, and what their arguments are held against."""

from __future__ import annotations

from ..base.errors import complain
from . import config
from . import source_arguments as arguments
from .arguments import INT32, check_type
from .pipeline import Operation


def whole(name: str, value, low: int) -> int:
    """``value`` as an int of at least ``low``.

    Raises:
        TypeError: it is no int.
        ValueError: it is out of range.
    """
    value = arguments.of_type(name, value, int)
    if not low <= value <= INT32:
        said = f"Input {name} is not within the required interval of [{low}, {INT32}]."
        raise complain(ValueError, f"{said} Got {value}.")
    return int(value)


def names_of(columns, what: str) -> list[str]:
    """``columns``, a str or a list of str, as a list.

    Raises:
        TypeError: it is neither.
        ValueError: it is empty, or a name comes twice.
    """
    if columns == "":
        raise complain(ValueError, f"{what} should not be an empty str.")
    columns = [columns] if isinstance(columns, str) else columns
    if not isinstance(columns, tuple):
        check_type(what, columns, (list, str))
    if not columns:
        raise complain(ValueError, f"{what} should not be empty.")
    for i, name in enumerate(columns):
        if isinstance(name, str) and not name:
            raise complain(ValueError, f"{what}[{i}] should not be empty.")
    for i, name in enumerate(columns):
        check_type(f"{what}[{i}]", name, (str,))
    if len(set(columns)) < len(columns):
        said = "Every column name should not be same with others in column_names."
        raise complain(ValueError, f"{said} {what}: {', '.join(columns)}")
    return list(columns)


def some_names(columns, what: str) -> list[str] | None:
    """`names_of`, or None for None."""
    return None if columns is None else names_of(columns, what)


def workers_of(num_parallel_workers) -> int:
    """The number of threads of an operation."""
    if num_parallel_workers is None:
        return config.threads()
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
        said = f"Invalid dataset, expected Dataset object, but got {type(d)}!"
        raise complain(TypeError, said)
    return d._node
