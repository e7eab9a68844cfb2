"""`Optimizer`: parameter groups, learning rates and weight decay, common to all optimisers.

An optimiser is a cell called with the gradients; its ``construct`` is compiled with the training
step. The updates are elementwise expressions that end in one `assign` per state, so that each
parameter can become one loop.

Invariant: lists such as ``parameters``, ``decay`` and the states run parallel, one entry per
parameter, in the order in which gradients are passed.
"""

from __future__ import annotations

from ... import ops
from ...ad import tape
from ...base import dtype as dt
from ...base.boundary import is_offered
from ...base.errors import complain, expect
from ...jit.compile import run_library
from ...ops import autocast
from ...parameters import ParameterTuple
from ...tensor import Parameter, Tensor
from ..cell import Cell
from ..layer.container import CellList
from .groups import IteratorLearningRate, all_dynamic, decay_of, groups_of, rate_of, scale_of
from .rules import centralised, check_gradients, decayed

_BEFORE_COMPILING = 3


class Optimizer(Cell):
    """Base of the optimisers; a subclass defines ``construct(gradients)``.

    Args:
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): one number for all
            steps, or one per step (a list, a one-dimensional Tensor), or a function of the step.
        parameters (list[Parameter], list[dict]): what is trained; or groups, dicts with the keys
            ``params`` and optionally ``lr``, ``weight_decay``, ``grad_centralization``; one dict
            may only hold ``order_params``, the order in which gradients are passed.
        weight_decay (float, int, Cell): multiplied with each parameter and added to its gradient;
            without groups not for parameters with ``beta`` or ``gamma`` in their names. Default 0.
        loss_scale (float): gradients are divided by it. Default 1.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or two parameters share a name.
        KeyError: a group has an unknown key.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> from minds import ops
        >>> class Descent(nn.Optimizer):
        ...     def construct(self, gradients):
        ...         for p, g in zip(self.parameters, gradients):
        ...             ops.assign(p, p - g * self.get_lr())
        ...         return True
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = Descent(0.25, [w])((ms.Tensor([2.0]),))
        >>> print(w.value())
        [0.5]
    """

    _casts_lists = False

    def __init__(self, learning_rate, parameters, weight_decay=0.0, loss_scale=1.0):
        super().__init__(auto_prefix=False)
        self.loss_scale = scale_of(self.cls_name, loss_scale)
        groups, order = groups_of(self.cls_name, parameters, weight_decay)
        self.is_group = any(g["given"] for g in groups)
        self.is_group_lr = any("lr" in g for g in groups)
        self.is_group_params_ordered = order is not None
        self.global_step = Parameter(Tensor([0], dt.int32), name="global_step")
        entries = [(p, g, i) for i, g in enumerate(groups) for p in g["params"]]
        if order is not None:
            place = {id(p): i for i, p in enumerate(order)}
            entries.sort(key=lambda e: place[id(e[0])])
        params = [p for p, _, _ in entries]
        self._set_rates(learning_rate, groups, [i for _, _, i in entries])
        self.parameters = ParameterTuple(params)
        self.param_length = len(params)
        self.decay = tuple(decay_of(self.cls_name, p, g, weight_decay) for p, g, _ in entries)
        self.weight_decay = self._public(self.decay if self.is_group else (weight_decay,))
        self.decay_flags = tuple(isinstance(d, Cell) or d > 0 for d in self.decay)
        self.exec_weight_decay = any(self.decay_flags)
        self.decay_cells = CellList([d for d in self.decay if isinstance(d, Cell)])
        self.centralise = tuple(bool(g.get("grad_centralization", False)) for _, g, _ in entries)
        self._describe()

    # ---- what subclasses written for MindSpore find

    map_, map_reverse = ops.Map(), ops.Map(None, True)
    hyper_map, hyper_map_reverse = ops.HyperMap(), ops.HyperMap(None, True)
    assignadd = ops.AssignAdd()
    enable_tuple_broaden = True
    use_parallel = grad_centralization = False
    param_rank = None

    def _describe(self) -> None:
        """Set what a subclass may read, and set anew."""
        self.__dict__["_parameters"] = self.parameters
        self.optim_filter = (True,) * self.param_length  # this process updates all
        dynamic = tuple(isinstance(d, Cell) for d in self.decay)
        self.dynamic_weight_decay = any(dynamic)
        self.dynamic_decay_flags = dynamic if self.is_group else any(dynamic)
        self.grad_centralization_flags = self.centralise
        self.need_scale = self.loss_scale != 1.0
        self.reciprocal_scale = Tensor(1.0 / self.loss_scale, dt.float32)
        self.global_step_increase_tensor = Tensor([1], dt.int32)

    def _is_dynamic_lr_or_weight_decay(self) -> bool:
        """Whether `get_lr` counts the step."""
        return self.dynamic_lr or self.dynamic_weight_decay

    def _grad_sparse_indices_deduplicate(self, gradients):
        """The gradients, which are dense."""
        return gradients

    # ---- running

    _steps, _parts = 0, None

    def _call_eagerly(self, args: tuple, kwargs: dict):
        """Op by op at first. Who goes on stepping is training: then a program takes the place of the
        ops, which gives the same bits in one launch, if all is code of the library and nothing
        records what runs.
        """
        if self._steps < _BEFORE_COMPILING:
            self.__dict__["_steps"] = self._steps + 1
        elif not tape.active() and not autocast.regions and self._is_of_library():
            return run_library(self, args, kwargs)
        return self._run_op_by_op(args, kwargs)

    def _is_of_library(self) -> bool:
        """Whether no code of the user's takes part: a class, a schedule, a hook, a replaced method."""
        if self._parts is None:
            self.__dict__["_parts"] = [c for _, c in self.cells_and_names()]
        return all(
            c._plain and is_offered(type(c)) and "construct" not in vars(c) for c in self._parts
        )

    def _cells_changed(self) -> None:
        self.__dict__["_parts"] = None

    # ---- learning rates

    def _set_rates(self, learning_rate, groups: list, group_of: list) -> None:
        """Make ``learning_rate``: a Parameter or schedule, or where groups differ one for each
        parameter.
        """
        default = rate_of(self.cls_name, learning_rate, "learning_rate")
        made = [
            rate_of(self.cls_name, g["lr"], f"learning_rate_group_{i}") if "lr" in g else default
            for i, g in enumerate(groups)
        ]
        self.dynamic_lr = any(isinstance(m, Cell) for m in made)
        if not self.is_group_lr:
            self.learning_rate, self.unique_rates, self.rate_of = (
                default,
                (default,),
                (0,) * len(group_of),
            )
            return
        if self.dynamic_lr:
            made = all_dynamic(self.cls_name, made)
        unique = list({id(m): m for m in made}.values())
        position = {id(m): i for i, m in enumerate(unique)}
        self.unique_rates, self.rate_of = (
            tuple(unique),
            tuple(position[id(made[g])] for g in group_of),
        )
        of_each = [made[g] for g in group_of]
        if self.dynamic_lr:
            self.learning_rate = CellList(of_each, auto_prefix=False)
        else:
            self.learning_rate = ParameterTuple(of_each)

    def _rates(self):
        """This step's learning rate for each parameter."""
        if len(self.unique_rates) == 1:
            return (self._one_rate(self.unique_rates[0]),) * len(self.rate_of)
        rates = tuple(self._one_rate(r) for r in self.unique_rates)
        return tuple(rates[i] for i in self.rate_of)

    def _one_rate(self, rate):
        if isinstance(rate, Cell):
            return ops.reshape(rate(self.global_step), ())
        return ops.reshape(rate, ())

    def get_lr(self):
        """The learning rate of the next step.

        Returns:
            Tensor: the rate; with groups' own rates a tuple of them, one per parameter.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
            >>> float(nn.SGD([w], 0.5).get_lr())
            0.5
        """
        if self.is_group_lr:
            return self._rates()
        return self.learning_rate if not self.dynamic_lr else self._one_rate(self.learning_rate)

    def get_lr_parameter(self, param):
        """The Parameter that holds the learning rate of a parameter.

        Args:
            param (Parameter, list[Parameter]): one that is trained, or several.

        Returns:
            Parameter: what holds the rate, or a list of these for a list; a schedule without such a
                Parameter stands for itself.

        Raises:
            TypeError: ``param`` is neither a Parameter nor a list of them.
            ValueError: the optimiser does not train ``param``.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
            >>> nn.SGD([w], 0.5).get_lr_parameter(w).name
            'learning_rate'
        """
        if isinstance(param, (list, tuple)):
            return [self.get_lr_parameter(p) for p in param]
        if not isinstance(param, Parameter):
            raise complain(
                TypeError,
                f"get_lr_parameter: param has type {type(param).__name__}",
                expected="a Parameter or a list of them",
            )
        for p, i in zip(self.parameters, self.rate_of):
            if p is param:
                held = getattr(self.unique_rates[i], "learning_rate", None)
                return held if isinstance(held, Parameter) else self.unique_rates[i]
        raise complain(
            ValueError, f"get_lr_parameter: {self.cls_name} does not train {param.name!r}"
        )

    # ---- gradients

    def _prepare(self, gradients):
        """The gradients as the update rule takes them: unscaled, with weight decay, centralised."""
        check_gradients(self.cls_name, self.parameters, gradients)
        return self.gradients_centralization(self.decay_weight(self.scale_grad(gradients)))

    def _advance(self):
        """Count the step. Called after everything that depends on the count was read."""
        ops.assign(self.global_step, self.global_step + 1)

    def flatten_gradients(self, gradients):
        """The gradients as they are: no flattened storage is used.

        Args:
            gradients (tuple[Tensor]): one per parameter.

        Returns:
            tuple[Tensor]: the same.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> opt = nn.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")])
            >>> print(opt.flatten_gradients((ms.Tensor([2.0]),))[0])
            [2.]
        """
        return gradients

    def scale_grad(self, gradients):
        """The gradients divided by ``loss_scale``.

        Args:
            gradients (tuple[Tensor]): one per parameter.

        Returns:
            tuple[Tensor]: of the same shapes.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> opt = nn.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], loss_scale=4.0)
            >>> print(opt.scale_grad((ms.Tensor([2.0]),))[0])
            [0.5]
        """
        if self.loss_scale == 1.0:
            return gradients
        return tuple(g * (1.0 / self.loss_scale) for g in gradients)

    def get_weight_decay(self):
        """The weight decay of this step, as a subclass of one's own takes it.

        Returns:
            Tensor, tuple[Tensor]: of rank 0; with groups one per parameter.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> opt = nn.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], weight_decay=0.5)
            >>> print(opt.get_weight_decay())
            0.5
        """
        if self.is_group:
            return tuple(self._one_decay(d) for d in self.weight_decay)
        return self._one_decay(self.weight_decay)

    def _decays(self):
        """The weight decay of this step, one per parameter; what is a number stays one."""
        if len(self.decay_cells) == 0:
            return self.decay
        return tuple(self._one_decay(d) for d in self.decay)

    def _public(self, decays: tuple):
        """What MindSpore's attribute ``weight_decay`` holds: Tensors and schedules."""
        made = tuple(d if isinstance(d, Cell) else Tensor(d, dt.float32) for d in decays)
        return made if self.is_group else made[0]

    def _one_decay(self, decay):
        return ops.reshape(decay(self.global_step), ()) if isinstance(decay, Cell) else decay

    def decay_weight(self, gradients):
        """The gradients with ``weight_decay * parameter`` added, where decay applies.

        Args:
            gradients (tuple[Tensor]): one per parameter.

        Returns:
            tuple[Tensor]: of the same shapes.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> opt = nn.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], weight_decay=0.5)
            >>> print(opt.decay_weight((ms.Tensor([2.0]),))[0])
            [2.5]
        """
        if not self.exec_weight_decay:
            return gradients
        return decayed(self.parameters, gradients, self._decays(), self.decay_flags)

    def gradients_centralization(self, gradients):
        """The gradients less their mean over all but the first dimension, for groups that ask for
        it.

        Args:
            gradients (tuple[Tensor]): one per parameter.

        Returns:
            tuple[Tensor]: of the same shapes.

        Source: Yong et al., Gradient Centralization, 2020.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> w = ms.Parameter(ms.Tensor([[1.0, 2.0]]), name="w")
            >>> opt = nn.SGD([{"params": [w], "grad_centralization": True}])
            >>> print(opt.gradients_centralization((ms.Tensor([[1.0, 3.0]]),))[0])
            [[-1.  1.]]
        """
        return centralised(gradients, self.centralise)

    def _state(self, prefix: str, init="zeros") -> ParameterTuple:
        """A state for each parameter, named ``prefix.name``."""
        return self.parameters.clone(prefix, init)

    # Whether MindSpore makes indices of sparse gradients unique: accepted, without effect.
    unique = True
    _target = "CPU"

    @property
    def target(self) -> str:
        """Where MindSpore updates parameters: without effect, they are updated where they are.

        Raises:
            TypeError: it is set to what is no str.
            ValueError: it is set to another device than CPU, GPU and Ascend.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> nn.Adam([ms.Parameter([1.0], name="w")]).target
            'CPU'
        """
        return self._target

    @target.setter
    def target(self, value: str) -> None:
        self._set_base_target(value)

    def _set_base_target(self, value: str) -> None:
        """What a subclass that has a setter of its own calls."""
        expect(isinstance(value, str), "target", "a str", TypeError)
        expect(
            value in ("CPU", "GPU", "Ascend"), "target", "'CPU', 'GPU' or 'Ascend'", got=repr(value)
        )
        self._target = value

    def broadcast_params(self, optim_result):
        """The result as it is: devices do not share an update.

        Args:
            optim_result (Any): what the update gave.

        Returns:
            Any: the same.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> nn.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")]).broadcast_params(True)
            True
        """
        return optim_result

    def construct(self, *hyper_params):
        raise complain(NotImplementedError, f"{self.cls_name}: construct is not defined")

    def __repr__(self) -> str:
        return f"{self.cls_name}()"


def opt_init_args_register(fn):
    """Decorates ``__init__`` in user-defined optimisers of MindSpore; nothing needs to be noted
    here.

    Args:
        fn (Callable): the ``__init__``.

    Returns:
        Callable: the same.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> class Mine(nn.Optimizer):
        ...     @nn.opt_init_args_register
        ...     def __init__(self, params):
        ...         super().__init__(0.1, params)
        >>> float(Mine([ms.Parameter(ms.Tensor([1.0]), name="w")]).get_lr().asnumpy().round(4))
        0.10000000149011612
    """
    return fn


# ---- checks and conversions of arguments


__all__ = [
    "IteratorLearningRate",
    "Optimizer",
    "opt_init_args_register",
]
