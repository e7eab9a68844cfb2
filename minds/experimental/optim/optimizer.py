"""`Optimizer`: the base of optimizers with groups of parameters that schedulers may change."""

from __future__ import annotations

import math

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...nn import Cell
from ...nn.layer import checks
from ...nn.optim.rules import check_gradients
from ...parameters import ParameterTuple
from ...tensor import Parameter, Tensor


def _state(name: str, begin, p: Parameter, group: dict) -> Parameter:
    """A state of one parameter, which is called as MindSpore calls it."""
    one = isinstance(begin, tuple)
    begin = begin[0] if one else begin
    begin = float(group[begin]) if isinstance(begin, str) else begin
    if one:
        return Parameter(Tensor(begin, dt.float32), f"{name}_{p.name}")
    made = Parameter(ops.full(p.shape, begin, dtype=p.dtype), f"{name}.{p.name}")
    made.is_state = True
    return made


class Optimizer(Cell):
    """Base of the optimizers: parameters in groups, each with its own options.

    A subclass names its ``states``, one tensor each for every parameter, and defines ``_update``.
    ``param_groups`` is a list of dicts; ``"lr"`` is a Parameter in each, which a scheduler sets, and
    which is no part of the optimizer's state, as in MindSpore.

    Args:
        params (list[Parameter], list[dict]): the parameters; or groups, each with ``"params"`` and
            options of its own.
        defaults (dict): the options of groups that do not say otherwise; ``"lr"`` among them.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there are no parameters, one is in two groups, or an option is out of range.

    Examples:
        >>> from minds.experimental import optim
        >>> class Signs(optim.Optimizer):
        ...     def __init__(self, params, lr):
        ...         super().__init__(params, {"lr": lr})
        ...     def _update(self, i, p, g, group, step):
        ...         self.write(p, p - group["lr"] * ops.sign(g))
        >>> w = ms.Parameter(Tensor([1.0, 2.0]), name="w")
        >>> _ = Signs([w], 0.5)((Tensor([3.0, -3.0]),))
        >>> print(w.asnumpy())
        [0.5 2.5]
    """

    states: dict = {}
    """Name of a state → what it starts with, in MindSpore's names and order: a number, or the name of an
    option; in a tuple where there is one number for each parameter; a Tensor is the count of steps.
    """
    decays = True
    """Whether ``weight_decay`` is an L2 penalty, added to the gradient."""

    def __init__(self, params, defaults):
        super().__init__(auto_prefix=False)
        kind = type(self).__name__
        if isinstance(params, (Tensor, dict, str)):
            raise complain(
                TypeError,
                f"{kind}: params has type {type(params).__name__}",
                expected="a list of Parameters or of dicts",
            )
        groups = list(params)
        if not groups:
            raise complain(ValueError, f"{kind}: params is empty")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        self.defaults, self.param_groups, self.group_start_id = dict(defaults), [], [0]
        self.lrs, added = [], []
        for group in groups:
            added += self._add_group(group, added)
        self.parameters = ParameterTuple(added)
        self._make_states()

    def add_param_group(self, param_group) -> None:
        """Add a group of parameters.

        Args:
            param_group (dict): ``"params"``, and options of the group.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: a parameter is in another group, or an option is out of range.

        Examples:
            >>> from minds.experimental import optim
            >>> w, b = (ms.Parameter(Tensor([1.0]), name=n) for n in "wb")
            >>> sgd = optim.SGD([w], 0.1)
            >>> sgd.add_param_group({"params": [b], "lr": 0.2})
            >>> len(sgd.param_groups)
            2
        """
        self.parameters = ParameterTuple(
            [*self.parameters, *self._add_group(param_group, self.parameters)]
        )
        self._make_states()

    def _add_group(self, param_group, before) -> list[Parameter]:
        """Note a group; its parameters, none of which is in the groups ``before``."""
        kind = type(self).__name__
        if not isinstance(param_group, dict) or "params" not in param_group:
            raise complain(
                TypeError, f"{kind}: a group is {param_group!r}", expected="a dict with 'params'"
            )
        found = param_group["params"]
        found = [found] if isinstance(found, Parameter) else list(found)
        for p in found:
            if not isinstance(p, Parameter):
                raise complain(
                    TypeError,
                    f"{kind}: a parameter has type {type(p).__name__}",
                    expected="a Parameter",
                )
        everything = [*before, *found]
        if len({id(p) for p in everything}) < len(everything):
            raise complain(ValueError, f"{kind}: a parameter is in two groups")
        unknown = set(param_group) - {"params"} - set(self.defaults)
        if unknown:
            raise complain(
                ValueError,
                f"{kind}: there is no option {', '.join(map(repr, sorted(unknown)))}",
                expected=", ".join(self.defaults),
            )
        group = {**self.defaults, **param_group, "params": found}
        rate = group["lr"]
        if not isinstance(rate, Tensor):
            rate = Tensor(checks.number_in(kind, "lr", rate, 0, math.inf, "[)"), dt.float32)
        name = f"learning_rate_group_{len(self.param_groups)}"
        group["lr"] = Parameter(rate.astype(dt.float32), name=name)
        self.check(group)
        self.param_groups.append(group)
        self.group_start_id.append(len(everything))
        self.lrs = [*self.lrs, group["lr"]]
        return found

    def _states(self) -> dict:
        """The states that the groups need."""
        return self.states

    def _make_states(self) -> None:
        """The states of the parameters that have none yet."""
        owners = [(p, group) for group in self.param_groups for p in group["params"]]
        for name, begin in self._states().items():
            if not isinstance(begin, Tensor):
                made = getattr(self, name, ())
                more = [_state(name, begin, *owner) for owner in owners[len(made) :]]
                setattr(self, name, ParameterTuple([*made, *more]))
            elif not hasattr(self, name):
                self.counter, self.counted_from = name, begin.asnumpy().item()
                setattr(self, name, Parameter(begin.copy(), name=name))

    def check(self, group: dict) -> None:
        """Check the options of a group that all optimizers have; a subclass adds its own.

        Args:
            group (dict): the options.

        Raises:
            TypeError: one has a wrong type.
            ValueError: one is out of range.

        Examples:
            >>> from minds.experimental import optim
            >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.1)
            >>> sgd.check(sgd.param_groups[0])
        """
        kind = type(self).__name__
        if not isinstance(group, dict):
            raise complain(
                TypeError, f"{kind}.check: group is {type(group).__name__}", expected="a dict"
            )
        for name in (
            "eps",
            "weight_decay",
            "momentum",
            "lr_decay",
            "lambd",
            "rho",
            "momentum_decay",
        ):
            if name in group:
                checks.number_in(kind, name, group[name], 0, math.inf, "[)")
        for i, beta in enumerate(group.get("betas", ())):
            checks.number_in(kind, f"betas[{i}]", beta, 0, 1, "[)")
        for name in ("maximize", "amsgrad", "nesterov", "centered"):
            if not isinstance(group.get(name, False), bool):
                raise complain(
                    TypeError,
                    f"{kind}: {name} has type {type(group[name]).__name__}",
                    expected="a bool",
                )

    def construct(self, gradients):
        check_gradients(type(self).__name__, self.parameters, gradients)
        step, i = self._count(), 0
        for group in self.param_groups:
            for p in group["params"]:
                g = gradients[i]
                if group.get("maximize", False):
                    g = -g
                if self.decays and group.get("weight_decay", 0.0) != 0.0:
                    g = g + p * group["weight_decay"]
                self._update(i, p, g, group, step)
                i += 1
        return True

    counter = None

    def _count(self):
        """The number of this step, from 1, a Tensor[(), float32]; None where no state counts."""
        if self.counter is None:
            return None
        count = getattr(self, self.counter)
        ops.assign_add(count, ops.ones_like(count))
        return ops.reshape(count.astype(dt.float32), ()) - self.counted_from

    def _update(self, i, p, g, group, step):
        """Change parameter ``p``, whose states have the place ``i``, by its gradient; ``step`` is what
        `_count` gives.
        """
        raise NotImplementedError("an Optimizer defines _update")

    def write(self, p, value):
        """Set a parameter or a state.

        Args:
            p (Parameter): what is set.
            value (Tensor): the new value, which is cast to the dtype of ``p``.

        Returns:
            Tensor: the value in that dtype.

        Examples:
            >>> from minds.experimental import optim
            >>> w = ms.Parameter(Tensor([1.0]), name="w")
            >>> print(optim.SGD([w], 0.1).write(w, Tensor([2.0])))
            [2.]
        """
        value = ops.cast(value, p.dtype)
        ops.assign(p, value)
        return value

    def average(self, state, decay, value):
        r"""Let a state decay towards a value: :math:`s := d \cdot s + (1 - d) \cdot v`.

        Args:
            state (Parameter): s.
            decay (float): d.
            value (Tensor): v.

        Returns:
            Tensor: what the state is now.

        Examples:
            >>> from minds.experimental import optim
            >>> w = ms.Parameter(Tensor([1.0]), name="w")
            >>> print(optim.SGD([w], 0.1).average(w, 0.75, Tensor([2.0])))
            [1.25]
        """
        return self.write(state, decay * state + (1 - decay) * value)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} (\n"
        for i, group in enumerate(self.param_groups):
            text += f"Parameter Group {i}\n"
            for name in sorted(group):
                if name != "params":
                    value = float(group[name].asnumpy()) if name == "lr" else group[name]
                    text += f"    {name}: {value:g}\n" if name == "lr" else f"    {name}: {value}\n"
        return text + ")"
