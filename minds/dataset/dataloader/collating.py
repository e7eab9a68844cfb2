"""How elements become a batch, or tensors on their own.

Both are done in two steps: arrays are put together, which a process may do for another, and then become
tensors, which stay with the process that asked for them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...base.errors import complain
from ...tensor import Tensor


class Ready(NamedTuple):
    """An array that becomes a tensor."""

    array: np.ndarray


def _is_text(dtype) -> bool:
    return dtype.kind in "USO"


def _each(fn: Callable, like, parts: Mapping):
    """A mapping like ``like`` of ``fn`` of the parts; a dict where its class makes none."""
    made = {k: fn(v) for k, v in parts.items()}
    try:
        if not isinstance(like, MutableMapping):
            return type(like)(made)
        clone = copy.copy(like)
        clone.update(made)
        return clone
    except TypeError:
        return made


def _row(fn: Callable, like, parts) -> Any:
    """A sequence like ``like`` of ``fn`` of the parts; a list for a tuple, or where its class makes none."""
    made = [fn(p) for p in parts]
    if isinstance(like, tuple):
        return type(like)(*made) if hasattr(like, "_fields") else made
    try:
        if not isinstance(like, MutableSequence):
            return type(like)(made)
        clone = copy.copy(like)
        for i, v in enumerate(made):
            clone[i] = v
        return clone
    except TypeError:
        return made


def converted(data):
    """`default_convert`, with arrays that are not tensors yet."""
    if isinstance(data, np.ndarray) and not _is_text(data.dtype):
        return Ready(data)
    if isinstance(data, (np.number, np.bool_)):
        return Ready(np.asarray(data))
    if isinstance(data, Mapping):
        return _each(converted, data, data)
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _row(converted, data, data)
    return data


def gathered(batch):
    """`default_collate`, with arrays that are not tensors yet."""
    first = batch[0]
    if isinstance(first, Tensor):
        return Ready(np.stack([t.asnumpy() for t in batch]))
    if isinstance(first, np.ndarray):
        if _is_text(first.dtype):
            said = f"NumPy arrays with dtype {first.dtype} are not supported for collation."
            raise complain(TypeError, said)
        return Ready(np.stack(batch))
    if isinstance(first, float):
        return Ready(np.array(batch, np.float64))
    if isinstance(first, (int, np.bool_, np.number)):
        return Ready(np.array(batch))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return _each(gathered, first, {k: [d[k] for d in batch] for k in first})
    if isinstance(first, Sequence):
        if len({len(b) for b in batch}) > 1:
            said = "Each element in list of batch must be of equal size."
            raise complain(RuntimeError, said)
        return _row(gathered, first, list(zip(*batch)))
    said = f"Cannot find the appropriate collate function for type {type(first)} in collate_fn_map."
    raise complain(TypeError, said)


def tensors(data):
    """``data`` with tensors in place of the arrays that become some."""
    if isinstance(data, Ready):
        return Tensor(data.array)
    if isinstance(data, Mapping):
        return _each(tensors, data, data)
    if isinstance(data, tuple) and hasattr(data, "_fields") or isinstance(data, list):
        return _row(tensors, data, data)
    return data


def default_convert(data):
    """What a `DataLoader` without batches makes of an element: arrays of numbers and NumPy's numbers become
    tensors, within mappings and sequences too; a tuple becomes a list.

    Args:
        data (Any): an element.

    Returns:
        Any: the same with tensors.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset.dataloader import default_convert
        >>> default_convert({"x": np.array([0, 1]), "name": "a"})
        {'x': Tensor(shape=[2], dtype=Int64, value= [0, 1]), 'name': 'a'}
    """
    return tensors(converted(data))


def default_collate(batch):
    """What a `DataLoader` makes of the elements of a batch: arrays, tensors and numbers become a tensor with
    one more dimension, Python's floats one of float64; texts stay texts; mappings and sequences hold what
    their parts become.

    Args:
        batch (list): elements of one kind.

    Returns:
        Any: the batch.

    Raises:
        TypeError: there is no rule for what an element is.
        RuntimeError: sequences differ in length.

    Examples:
        >>> from minds.dataset.dataloader import default_collate
        >>> default_collate([(0, "a"), (1, "b")])
        [Tensor(shape=[2], dtype=Int64, value= [0, 1]), ('a', 'b')]
    """
    return tensors(gathered(batch))
