"""What the arguments of an optimiser say: groups of parameters, their learning rates and decays."""

from __future__ import annotations

import numbers
from collections.abc import Iterable

import numpy as np

from ...base.errors import complain
from ...base.kinds import shown
from ...ops.define import P
from ...tensor import Parameter, Tensor
from ..cell import Cell
from ..learning_rate_schedule import LearningRateSchedule

_GROUP_KEYS = ("params", "lr", "weight_decay", "order_params", "grad_centralization")


def scale_of(name: str, v) -> float:
    if isinstance(v, bool) or not isinstance(v, numbers.Real):
        raise complain(
            TypeError, f"{name}: loss_scale has type {type(v).__name__}", expected="a number"
        )
    if not v > 0:
        raise complain(ValueError, f"{name}: loss_scale is {v}", expected="a positive number")
    return float(v)


def _check_decay(name: str, v):
    if isinstance(v, Cell):
        return v
    if isinstance(v, bool) or not isinstance(v, numbers.Real):
        raise complain(
            TypeError,
            f"{name}: weight_decay has type {type(v).__name__}",
            expected="a number or a Cell",
        )
    if v < 0:
        raise complain(ValueError, f"{name}: weight_decay is {v}", expected="a number >= 0")
    return float(v)


def decay_of(name: str, param: Parameter, group: dict, default):
    """The weight decay of a parameter: its group's, or the default for names without beta and
    gamma.
    """
    if "weight_decay" in group:
        return _check_decay(name, group["weight_decay"])
    default = _check_decay(name, default)
    if group["given"] or "beta" not in param.name and "gamma" not in param.name:
        return default
    return 0.0


def rate_of(name: str, v, called: str):
    """A learning rate as a Parameter of rank 0, or as a schedule."""
    if isinstance(v, LearningRateSchedule):
        return v
    if isinstance(v, Tensor):
        v = v.asnumpy()
    elif isinstance(v, np.ndarray) and v.ndim == 0:
        raise complain(
            TypeError, f"{name}: learning_rate is a NumPy array of rank 0", expected="a number"
        )
    if isinstance(v, (bool, str, bytes, Cell)) or not isinstance(
        v, (numbers.Real, np.ndarray, Iterable)
    ):
        raise complain(
            TypeError,
            f"{name}: learning_rate has type {type(v).__name__}",
            expected="a number, a Tensor, an Iterable of numbers or a LearningRateSchedule",
        )
    if not isinstance(v, (numbers.Real, np.ndarray)):
        v = list(v)
    try:
        v = np.asarray(v, np.float32)
    except (TypeError, ValueError):
        raise complain(TypeError, f"{name}: learning_rate is {v!r}", expected="numbers") from None
    if v.ndim > 1 or v.size == 0:
        raise complain(
            ValueError, f"{name}: learning_rate has shape {v.shape}", expected="() or (steps,)"
        )
    if not (v >= 0).all():
        raise complain(ValueError, f"{name}: learning_rate is {v.min()}", expected="a number >= 0")
    if v.ndim == 1:
        return IteratorLearningRate(v, called)
    return Parameter(Tensor(v), name=called)


def all_dynamic(name: str, made: list) -> list:
    """Learning rates of groups, all as schedules."""
    sizes = {m.learning_rate.size for m in made if isinstance(m, IteratorLearningRate)}
    if len(sizes) > 1:
        found = " and ".join(map(str, sorted(sizes)))
        raise complain(
            ValueError,
            f"{name}: lists of learning rates have {found} elements",
            expected="one number of steps for all groups",
        )
    converted = {id(m): FixedRate(m) for m in made if isinstance(m, Parameter)}
    return [converted.get(id(m), m) for m in made]


def groups_of(name: str, parameters, weight_decay) -> tuple[list, list | None]:
    """The parameter groups as dicts with a key ``given`` (whether the user made it), and the order
    or None.
    """
    if parameters is None:
        raise complain(
            ValueError, f"{name}: parameters is None", cure="pass net.trainable_params()"
        )
    if isinstance(parameters, (Tensor, dict, str)) or not isinstance(parameters, Iterable):
        raise complain(
            TypeError,
            f"{name}: parameters has type {type(parameters).__name__}",
            expected="a list of Parameters or of dicts",
        )
    parameters = list(parameters)
    if not parameters:
        raise complain(
            ValueError,
            "For 'Optimizer', the argument parameters must not be empty",
            cure="pass net.trainable_params() of a network that has some",
        )
    if all(isinstance(p, Parameter) for p in parameters):
        groups, order = [{"params": parameters, "given": False}], None
    elif all(isinstance(p, dict) for p in parameters):
        groups, order = _given_groups(name, parameters)
    else:
        raise complain(
            TypeError,
            f"{name}: parameters holds {sorted({type(p).__name__ for p in parameters})}",
            expected="Parameters only, or dicts only",
        )
    seen, ids = set(), set()
    for p in (p for g in groups for p in g["params"]):
        if not isinstance(p, Parameter):
            raise complain(
                TypeError, f"{name}: params holds a {type(p).__name__}", expected="Parameters"
            )
        if groups[0]["given"] and id(p) in ids:
            raise complain(
                RuntimeError,
                f"{name}: parameter {p.name!r} is in the groups twice",
                expected="once",
            )
        ids.add(id(p))
        if p.name in seen:
            raise complain(
                ValueError,
                f"{name}: two parameters are named {p.name!r}",
                cure="give each parameter its own name, once",
            )
        seen.add(p.name)
    if order is not None and (
        len(order) != len(seen)
        or {id(p) for p in order} != {id(p) for g in groups for p in g["params"]}
    ):
        raise complain(
            ValueError,
            f"{name}: order_params has {len(order)} parameters, the groups {len(seen)}",
            expected="the same parameters",
        )
    return groups, order


def _listed(name: str, group: dict, key: str) -> list:
    """The parameters under a key of a group."""
    if not np.iterable(group[key]):
        what = f"{name}: {key} of a parameter group is {shown(group[key])}"
        raise complain(TypeError, what, expected="a list of Parameters")
    return list(group[key])


def _given_groups(name: str, dicts: list) -> tuple[list, list | None]:
    groups, order = [], None
    for g in dicts:
        unknown = [k for k in g if k not in _GROUP_KEYS]
        if unknown:
            raise complain(
                KeyError,
                f"{name}: a parameter group has the key {unknown[0]!r}",
                expected=f"one of {', '.join(_GROUP_KEYS)}",
            )
        if "order_params" in g:
            order = _listed(name, g, "order_params")
            continue
        if "params" not in g:
            raise complain(KeyError, f"{name}: a parameter group has no key 'params'")
        params = _listed(name, g, "params")
        if not params:
            raise complain(
                ValueError, f"{name}: a parameter group is empty", expected="at least one parameter"
            )
        groups.append({**g, "params": params, "given": True})
    return groups, order


class IteratorLearningRate(LearningRateSchedule):
    """The learning rate of each step from a list."""

    def __init__(self, learning_rate, name: str):
        super().__init__()
        self.learning_rate = Parameter(Tensor(np.asarray(learning_rate, np.float32)), name=name)

    def construct(self, global_step):
        return P.gather(self.learning_rate, global_step, 0)


class FixedRate(LearningRateSchedule):
    """A learning rate that does not change, as a schedule."""

    def __init__(self, learning_rate: Parameter):
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step):
        return self.learning_rate
