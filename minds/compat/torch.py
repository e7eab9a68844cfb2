"""Weights of PyTorch in networks of minds.

Names are those of torch's ``state_dict``: the path of attributes, which a network that is written after
one of torch shares. The last part differs by rule: what normalisations call ``gamma``,
``beta``, ``moving_mean`` and ``moving_variance`` torch calls ``weight``, ``bias``, ``running_mean`` and
``running_var``; an ``embedding_table`` is a ``weight`` too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

import numpy as np

from ..base import dtype as dt
from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..nn import Cell, PReLU, TransformerDecoderLayer, TransformerEncoderLayer
from ..nn.state import KeysLeft
from ..tensor import Parameter, Tensor
from ..train import safetensors_file
from . import torch_file

__all__ = ["load_state_dict", "names", "read"]

_LAST = {
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
    "embedding_table": "weight",
}
"""By the attribute of a parameter, what torch calls it."""

_LAYERS = (TransformerEncoderLayer, TransformerDecoderLayer)
_CHILDREN = {"dense1": "linear1", "dense2": "linear2"}
"""What torch calls cells of a transformer's layers."""

_INSIDE = ("state_dict", "model_state_dict", "model", "net", "module")
"""Where in a training script's file the state of the network is."""


def names(net: Cell) -> dict[str, Parameter]:
    """A network's parameters by the names that torch would give them.

    Args:
        net (Cell): the network.

    Returns:
        dict[str, Parameter]: in the network's order.

    Raises:
        TypeError: ``net`` is no Cell.

    Examples:
        >>> from minds import nn
        >>> import minds.compat.torch
        >>> list(minds.compat.torch.names(nn.BatchNorm2d(3)))
        ['running_mean', 'running_var', 'weight', 'bias']
    """
    if not isinstance(net, Cell):
        raise complain(TypeError, f"names: net has type {type(net).__name__}", expected="a Cell")
    paths, slopes = {}, set()
    for path, cell in net.cells_and_names():
        if isinstance(cell, PReLU):
            slopes.add(f"{path}.w" if path else "w")
        own = paths.get(path, path)
        for child in cell.name_cells():
            said = _CHILDREN.get(child, child) if isinstance(cell, _LAYERS) else child
            paths[f"{path}.{child}" if path else child] = f"{own}.{said}" if own else said

    def torch_name(path: str) -> str:
        above, dot, last = path.rpartition(".")
        last = "weight" if path in slopes else _LAST.get(last, last)
        return f"{paths.get(above, above)}{dot}{last}"

    return {torch_name(path): p for path, p in net.parameters_and_names()}


def read(path: str) -> dict[str, np.ndarray]:
    """The arrays of a file of weights; no code in it is run.

    Args:
        path (str, os.PathLike): what ``torch.save`` wrote from a ``state_dict``, or from a dict that holds
            one as ``state_dict``, ``model`` or ``model_state_dict``; or a safetensors file.

    Returns:
        dict[str, numpy.ndarray]: by name; bfloat16 as float32. A leading ``module.`` is left out.

    Raises:
        CheckpointError: the file is damaged, or holds more than tensors and containers.
        OSError: it cannot be read.
        TypeError: ``path`` is no path.

    Examples:
        >>> import minds as ms, tempfile, os
        >>> from minds import nn
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "net.safetensors")
        ...     _ = ms.save_checkpoint(nn.Dense(2, 1), path, format="safetensors")
        ...     sorted(ms.compat.torch.read(path))
        ['bias', 'weight']
    """
    if not isinstance(path, (str, os.PathLike)):
        raise complain(TypeError, f"read: path has type {type(path).__name__}", expected="a path")
    path = os.fspath(path)
    if path.endswith(".safetensors"):
        found, _ = safetensors_file.read(path, lambda name: True)
        state = {n: _widened(a, kind) for n, (a, kind) in found.items()}
    else:
        state = _state(torch_file.read(path), path)
    if state and all(n.startswith("module.") for n in state):
        state = {n.removeprefix("module."): a for n, a in state.items()}
    return state


def _widened(a: np.ndarray, kind: dt.DType) -> np.ndarray:
    """The elements; of bfloat16 as float32."""
    return (a.astype(np.uint32) << 16).view(np.float32) if kind is dt.bfloat16 else a


def _state(held, path: str) -> dict[str, np.ndarray]:
    """The dict of arrays that is, or is in, what a file holds."""
    for part in (held, *(held.get(n) for n in _INSIDE if isinstance(held, dict))):
        if isinstance(part, dict) and part:
            arrays = {n: a for n, a in part.items() if isinstance(a, np.ndarray)}
            if arrays and all(isinstance(n, str) for n in arrays):
                return arrays
    raise complain(
        torch_file.CheckpointError,
        f"{path}: it holds no dict of tensors",
        cure="save net.state_dict()",
    )


def load_state_dict(
    net: Cell,
    weights: str | os.PathLike | Mapping,
    strict: bool = True,
    rename: Callable[[str], str] | None = None,
) -> KeysLeft:
    """Put the weights of a network of torch into one of minds, by name. Nothing is changed if one does not
    fit.

    A tensor of torch has the shape of the parameter, but for dimensions of size 1 (minds has one more in the
    weight of `nn.Conv1d`). Whole numbers that the network has no place for, such as
    ``num_batches_tracked``, are constants of torch's modules, and left out.

    Args:
        net (Cell): the network.
        weights (str, os.PathLike, Mapping): a file, see `read`, or arrays or tensors by torch's names.
        strict (bool): the names must be the same. Default True.
        rename (Callable): gives for a name of torch the one to use. Default None.

    Returns:
        A pair of ``missing_keys`` and ``unexpected_keys``.

    Raises:
        CheckpointError: the file is damaged, or holds more than tensors and containers.
        OSError: the file cannot be read.
        RuntimeError: ``strict``, and names differ; or a shape differs.
        TypeError: an argument has a wrong type.

    Examples:
        >>> import numpy as np
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.SequentialCell(nn.Embedding(3, 2), nn.LayerNorm((2,)))
        >>> weights = {"0.weight": np.ones((3, 2)), "1.weight": np.ones(2), "1.bias": np.zeros(2)}
        >>> ms.compat.torch.load_state_dict(net, weights)
        <All keys matched successfully>
        >>> float(net[0].embedding_table.sum())
        6.0
    """
    held = names(net)
    given = dict(weights) if isinstance(weights, Mapping) else read(weights)
    given = {rename(n) if rename else n: _array(n, a) for n, a in given.items()}
    missing = [n for n in held if n not in given]
    constants = {n for n, a in given.items() if n not in held and a.dtype.kind in "iub"}
    unexpected = [n for n in given if n not in held and n not in constants]
    if strict and (missing or unexpected):
        raise complain(
            RuntimeError,
            f"load_state_dict: missing {_some(missing)}, unexpected {_some(unexpected)}",
            expected="the names that minds.compat.torch.names(net) gives",
            cure="pass rename, or strict=False to take what fits",
        )
    fitting = {n: _fitted(n, held[n], a) for n, a in given.items() if n in held}
    for n, a in fitting.items():
        held[n].set_data(Tensor(a, held[n].dtype))
    return KeysLeft(missing, unexpected)


def _some(listed: list[str]) -> str:
    more = f" and {len(listed) - 5} more" if len(listed) > 5 else ""
    return f"{listed[:5]}{more}"


def _array(name: str, value) -> np.ndarray:
    """The elements of an array, a tensor of minds or one of torch."""
    if isinstance(value, Tensor):
        return value.asnumpy()
    if not isinstance(value, np.ndarray) and hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    if not isinstance(value, np.ndarray):
        what = f"load_state_dict: {name!r} has type {type(value).__name__}"
        raise complain(TypeError, what, expected="an array or a tensor")
    return value


def _fitted(name: str, p: Parameter, a: np.ndarray) -> np.ndarray:
    """The array in the shape of the parameter."""
    if [n for n in a.shape if n != 1] != [n for n in p.shape if n != 1]:
        what = f"load_state_dict: {name!r} has shape {a.shape}, the parameter {p.shape}"
        raise complain(RuntimeError, what)
    return a.reshape(p.shape)


_guard(__name__)
