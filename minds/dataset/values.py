"""The values of a pipeline's description as JSON, and back."""

from __future__ import annotations

import inspect
from enum import Enum

import numpy as np

from ..base import dtype as dt
from ..base.errors import complain
from .recorded import Recorded, arguments_of


def plain(value):
    """``value`` in the types of JSON.

    Raises:
        TypeError: it has no form there.
    """
    if value is None or isinstance(value, (bool, int, float, str)) and not isinstance(value, Enum):
        return value
    if isinstance(value, Enum):
        return {"enum": type(value).__name__, "member": value.name}
    if isinstance(value, (dt.DType, np.dtype, type)):
        return {"dtype": value.name if isinstance(value, dt.DType) else np.dtype(value).name}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": value.dtype.name}
    if isinstance(value, slice):
        return {"slice": [plain(value.start), plain(value.stop), plain(value.step)]}
    if isinstance(value, tuple) and any(callable(v) for v in value):
        return {"tuple": [plain(v) for v in value]}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    return operation(value)


def operation(op) -> dict:
    """A transform, or a function, of which only the name is kept.

    Raises:
        TypeError: ``op`` is neither.
    """
    if isinstance(op, Recorded) and type(op).__module__.startswith(__package__):
        params = {k: plain(v) for k, v in arguments_of(op).items()}
        home = type(op).__module__.removeprefix(__package__ + ".").split(".")[0]
        return {"tensor_op_name": type(op).__name__, "module": home, "tensor_op_params": params}
    if not callable(op):
        kind = type(op).__name__
        raise complain(TypeError, f"serialize: {kind} has no form in JSON")
    name = getattr(op, "__name__", type(op).__name__)
    return {"tensor_op_name": name, "python_module": type(op).__module__}


def made_of(value, homes: dict):
    """What `plain` gave ``value`` for; ``homes`` are the modules by name.

    Raises:
        RuntimeError: it was a function, or there is no such class.
    """
    if isinstance(value, list):
        found = [made_of(v, homes) for v in value]
        return (
            found
            if any(callable(v) or isinstance(v, (list, tuple)) for v in found)
            else tuple(found)
        )
    if not isinstance(value, dict):
        return value
    if "tensor_op_name" in value:
        return operation_of(value, homes)
    if value.keys() == {"enum", "member"}:
        return _found(value["enum"], homes)[value["member"]]
    if value.keys() == {"dtype"}:
        return np.dtype(value["dtype"]).type
    if value.keys() == {"array", "dtype"}:
        return np.array(value["array"], value["dtype"])
    if value.keys() == {"tuple"}:
        return tuple([made_of(v, homes) for v in value["tuple"]])
    if value.keys() == {"slice"}:
        return slice(*value["slice"])
    return {k: made_of(v, homes) for k, v in value.items()}


def operation_of(said: dict, homes: dict):
    """The transform that `operation` described.

    Raises:
        RuntimeError: it was a function, or there is no such class.
    """
    name = said.get("tensor_op_name")
    if "tensor_op_params" not in said:
        raise complain(
            RuntimeError,
            f"deserialize: Failed to find key 'tensor_op_params' in the description of {name!r}",
            cure="a Python function cannot be made of its name: apply it to the dataset again",
        )
    cls = _found(name, {said["module"]: homes[said["module"]]} if "module" in said else homes)
    given = {k: made_of(v, homes) for k, v in (said["tensor_op_params"] or {}).items()}
    several = [
        k for k, p in inspect.signature(cls).parameters.items() if p.kind is p.VAR_POSITIONAL
    ]
    return cls(*[v for k in several for v in given.pop(k, ())], **given)


def _found(name: str, homes: dict):
    for home in homes.values():
        if hasattr(home, name):
            return getattr(home, name)
    raise complain(RuntimeError, f"deserialize: Invalid data, unsupported operation: {name}")
