"""Training states: everything that a training goes on from, in one checkpoint file.

The arrays of the file are the parameters, so that `load_checkpoint` reads it too; one text beside
them holds the generators' states, the position in the data and what the caller adds, as JSON.
"""

from __future__ import annotations

import json
import random

import numpy as np

from .. import _core
from ..base.errors import complain
from ..common import seed as seeds
from ..dataset.iterators import DatasetIterator
from ..nn import Cell
from ..ops.generator import Generator, default_generator
from ..tensor import Parameter, Tensor
from . import checkpoint_file
from .callback.base import CallbackParams, restore_states, states_of
from .checkpoint_file import CheckpointError
from .loss_scaler import LossScaler

_TEXT = "training_state"


def save_state(path: str, *parts, rows=None, **more) -> None:
    """Write what a training needs to go on exactly where it is: parameters, the states of the
    generators of random numbers (of minds, NumPy and Python), and the position in the data.

    Args:
        path (str): the file; it is replaced as a whole.
        parts (Cell, LossScaler, Generator): whose parameters are saved: the network, the optimizer
            or the cell of a training step, …
        rows (DatasetIterator, optional): the iterator that gives the batches.
        more (Any): what `load_state` shall give back: None, bools, numbers, texts, tensors, arrays, and
            lists, tuples and dicts of such.

    Raises:
        TypeError: a part has no parameters, or a value of ``more`` cannot be stored.
        ValueError: two parameters have one name.
        OSError: the file cannot be written; an old one is untouched.

    Examples:
        >>> import os, tempfile, minds as ms
        >>> from minds import nn, train
        >>> path = os.path.join(tempfile.mkdtemp(), "run.ckpt")
        >>> net = nn.Dense(2, 1)
        >>> adam = nn.Adam(net.trainable_params())
        >>> train.save_state(path, net, adam, epoch=3)
        >>> train.load_state(path, net, adam)["epoch"]
        3
    """
    if rows is not None and not isinstance(rows, DatasetIterator):
        raise complain(
            TypeError,
            f"save_state: rows has type {type(rows).__name__}",
            expected="an iterator of a dataset",
        )
    arrays = {n: (p._raw(), p.dtype) for n, p in _parameters("save_state", parts).items()}
    state = {
        "random": _encoded(_random_state(), arrays, "the generators' states"),
        "rows": None if rows is None else rows.state(),
        "more": {n: _encoded(v, arrays, n) for n, v in more.items()},
    }
    checkpoint_file.write(path, arrays, {_TEXT: json.dumps(state)})


def load_state(path: str, *parts) -> dict:
    """Put a training back to where `save_state` saved it.

    Args:
        path (str): the file.
        parts (Cell, LossScaler, Generator): as they were given to `save_state`; their parameters are
            set, and so are the generators of minds, NumPy and Python.

    Returns:
        dict[str, Any]: ``"rows"``, which ``create_tuple_iterator(state=…)`` takes, or None; and what was
        added.

    Raises:
        CheckpointError: the file is damaged or holds no training state.
        ValueError: its parameters are not those of ``parts``; nothing is changed then.
        OSError: it cannot be read.

    Examples:
        >>> import os, tempfile, minds as ms
        >>> from minds import train
        >>> path = os.path.join(tempfile.mkdtemp(), "run.ckpt")
        >>> data = ms.dataset.NumpySlicesDataset([5, 6, 7, 8])
        >>> rows = data.create_tuple_iterator(output_numpy=True)
        >>> _ = next(rows)
        >>> train.save_state(path, rows=rows)
        >>> rest = [int(x) for x, in rows]
        >>> again = data.create_tuple_iterator(output_numpy=True, state=train.load_state(path)["rows"])
        >>> rest == [int(x) for x, in again]
        True
    """
    own = _parameters("load_state", parts)
    with checkpoint_file.Reader(path) as file:
        state, arrays = _read(file)
    try:
        more = {n: _decoded(v, arrays) for n, v in state["more"].items()}
        generators, rows = _decoded(state["random"], arrays), state["rows"]
    except (KeyError, TypeError, ValueError, AttributeError) as e:
        raise _damaged(path, e) from None
    _check_same(path, own, arrays)
    before = _random_state()
    try:
        _set_random_state(generators)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as e:
        _set_random_state(before)
        raise _damaged(path, e) from None
    for name, p in own.items():
        p.set_data(_tensor(*arrays[name]))
    return {"rows": rows, **more}


def save_training(path: str, p: CallbackParams, **more) -> None:
    """Save the state of `Model`'s training, of which callbacks are told ``p``."""
    save_state(
        path,
        p.train_network,
        rows=p.train_rows,
        epoch=p.cur_epoch_num,
        step=p.cur_step_num,
        callbacks=states_of(p.list_callback),
        **more,
    )


def ask_to_save(path: str, p: CallbackParams, **more) -> None:
    """`save_training`, after all callbacks have seen what the asking one sees."""
    p.states_due.append((path, more))


def save_asked(p: CallbackParams) -> None:
    """Save what callbacks have asked for."""
    while p.states_due:
        path, more = p.states_due.pop()
        save_training(path, p, **more)


def restore_training(path: str, p: CallbackParams) -> dict:
    """Let `Model`'s training go on from a file of `save_training`.

    Returns:
        dict: where the rows go on.

    Raises:
        CheckpointError, ValueError: as `load_state`.
    """
    found = load_state(path, p.train_network)
    if not {"epoch", "step", "callbacks"} <= found.keys() or found["rows"] is None:
        raise CheckpointError(f"checkpoint {path}: it holds no state of a training by Model")
    restore_states(p.list_callback, found["callbacks"])
    p.cur_epoch_num, p.cur_step_num = found["epoch"], found["step"]
    p.last_save_ckpt_step = found["step"]
    return found["rows"]


def _parameters(name: str, parts) -> dict[str, Parameter]:
    """The parameters of several parts by name."""
    found: dict[str, Parameter] = {}
    for place, part in enumerate(parts):
        if isinstance(part, Cell):
            here = part.parameters_dict()
        elif isinstance(part, (LossScaler, Generator)):
            kind = f"{type(part).__name__}_{place}"
            here = {f"{kind}.{n}": v for n, v in vars(part).items() if isinstance(v, Parameter)}
        else:
            raise complain(
                TypeError,
                f"{name}: a part has type {type(part).__name__}",
                expected="Cells, LossScalers or Generators",
            )
        for n, p in here.items():
            if found.setdefault(n, p) is not p:
                raise complain(
                    ValueError,
                    f"{name}: two parameters have the name {n!r}",
                    cure="give the cells names by Cell.update_parameters_name",
                )
    return found


def _read(file: checkpoint_file.Reader) -> tuple[dict, dict]:
    if _TEXT not in file.texts:
        raise CheckpointError(f"checkpoint {file.path}: it holds no training state")
    arrays = {n: file.read(n) for n in file.names}
    try:
        state = json.loads(file.texts[_TEXT])
        return {n: state[n] for n in ("random", "rows", "more")}, arrays
    except (KeyError, TypeError, ValueError, RecursionError) as e:
        raise _damaged(file.path, e) from None


def _damaged(path: str, e: Exception) -> CheckpointError:
    return CheckpointError(
        f"checkpoint {path}: its training state makes no sense ({type(e).__name__}: {e})"
    )


def _check_same(path: str, own: dict, arrays: dict) -> None:
    stored = {n for n in arrays if not n.startswith(_ARRAY)}
    for what, names in (("lacks", own.keys() - stored), ("has also", stored - own.keys())):
        if names:
            raise complain(
                ValueError,
                f"load_state: {path} {what} {', '.join(map(repr, sorted(names)))}",
                expected="the parameters of the parts that are given",
            )
    for n, p in own.items():
        raw, dtype = arrays[n]
        if raw.shape != p.shape or dtype is not p.dtype:
            raise complain(
                ValueError,
                f"load_state: {n!r} is {p.dtype.name} of shape {p.shape}, in {path} {dtype.name} of "
                f"shape {raw.shape}",
                expected="the parts that were saved",
            )


# ---- values as JSON and arrays

_ARRAY = "training_state."


def _encoded(value, arrays: dict, what: str):
    """``value`` as JSON; its arrays go to ``arrays``."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (Tensor, np.ndarray)):
        tensor = value if isinstance(value, Tensor) else Tensor(value)
        name = f"{_ARRAY}{len(arrays)}"
        arrays[name] = (tensor._raw(), tensor.dtype)
        return {"tensor" if isinstance(value, Tensor) else "array": name}
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [_encoded(v, arrays, what) for v in value]}
    if isinstance(value, dict) and all(isinstance(k, (str, int)) for k in value):
        return {"dict": [[k, _encoded(v, arrays, what)] for k, v in value.items()]}
    raise complain(
        TypeError,
        f"save_state: {what} has type {type(value).__name__}",
        expected="numbers, texts, tensors, and lists, tuples and dicts of such",
    )


def _tensor(raw: np.ndarray, dtype) -> Tensor:
    return Tensor._wrap(_core.Array.from_numpy(raw, dtype.code, copy=False))


def _decoded(found, arrays: dict):
    if not isinstance(found, dict):
        if found is None or isinstance(found, (bool, int, float, str)):
            return found
        raise TypeError(f"{found!r} is no value")
    ((kind, content),) = found.items()
    if kind == "dict":
        return {k: _decoded(v, arrays) for k, v in content}
    if kind in ("list", "tuple"):
        items = [_decoded(v, arrays) for v in content]
        return items if kind == "list" else tuple(items)
    tensor = _tensor(*arrays[content])
    return {"tensor": lambda: tensor, "array": tensor.asnumpy}[kind]()


# ---- generators of random numbers


def _random_state() -> dict:
    return {
        "minds": default_generator.get_state(),
        "seeds": seeds.state(),
        "numpy": np.random.get_state(legacy=False),
        "python": random.getstate(),
    }


def _set_random_state(state: dict) -> None:
    default_generator.set_state(state["minds"])
    seeds.restore(state["seeds"])
    np.random.set_state(state["numpy"])
    random.setstate(state["python"])


__all__ = ["load_state", "save_state"]
