"""`mindspore.boost`: what of it does not need Ascend: the accumulation of gradients, layers of unit vectors,
groups of parameters.
"""

from __future__ import annotations

from .. import ops
from ..base import dtype as dt
from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..common.initializer import initializer
from ..nn import Cell, Dense, TrainOneStepCell, TrainOneStepWithLossScaleCell
from ..ops import composite
from ..tensor import Parameter, Tensor

_NOT_BUILT = {
    "AdaSum": "use nn.DistributedGradReducer, which takes the mean of gradients",
    "AutoBoost": "leave boost_level at 'O0'; programs are optimised without it",
    "DimReduce": "use an optimizer of nn",
    "FreezeOpt": "set requires_grad of the parameters that are to stay",
    "GradientFreeze": "set requires_grad of the parameters that are to stay",
    "GroupLossScaleManager": "use amp.DynamicLossScaler",
    "OptimizerProcess": "give the optimizer groups of parameters with 'grad_centralization'",
    "freeze_cell": "set requires_grad of the parameters that are to stay",
}

__all__ = [
    *_NOT_BUILT,
    "BoostTrainOneStepCell",
    "BoostTrainOneStepWithLossScaleCell",
    "CommonHeadLastFN",
    "GradientAccumulation",
    "LessBN",
    "ParameterProcess",
    "gradient_accumulation_op",
    "gradient_clear_op",
]

gradient_accumulation_op = composite.MultitypeFuncGraph("gradient_accumulation_op")
gradient_clear_op = composite.MultitypeFuncGraph("gradient_clear_op")


@gradient_accumulation_op.register("Int64", "Tensor", "Tensor")
def _accumulate(steps, total, gradient):
    return ops.assign_add(total, gradient / steps)


@gradient_clear_op.register("Tensor")
def _clear(total):
    return ops.assign(total, ops.zeros_like(total))


class AccumulationStep(Cell):
    """Adds up the gradients of some steps, and lets the optimizer run on their mean at the last of them.

    Args:
        max_accumulation_step (int): how many steps.
        optimizer (Cell): the optimizer.

    Inputs:
        - **loss** (Tensor): passed on.
        - **grads** (tuple[Tensor]): a gradient for each parameter of the optimizer.

    Outputs:
        Tensor, the loss.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> from minds.train.boost import GradientAccumulation
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> step = GradientAccumulation(2, nn.SGD([w], 0.5))
        >>> for g in (1.0, 3.0):
        ...     _ = step(ms.Tensor(0.0), (ms.Tensor([g]),))
        >>> w.asnumpy().tolist()
        [0.0]
    """

    def __init__(self, max_accumulation_step: int, optimizer: Cell):
        super().__init__()
        self._max_accumulation_step = max_accumulation_step
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.hyper_map = composite.HyperMap()
        self._grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self._accumulation_step = Parameter(Tensor(0, dt.int32), name="accumulation_step")

    def construct(self, loss, grads):
        for total, gradient in zip(self._grad_accumulation, grads):
            ops.assign_add(total, gradient / self._max_accumulation_step)
        ops.assign_add(self._accumulation_step, 1)
        if self._accumulation_step >= self._max_accumulation_step:
            self.optimizer(self._grad_accumulation)
            ops.assign(self._accumulation_step, ops.zeros_like(self._accumulation_step))
            for total in self._grad_accumulation:
                ops.assign(total, ops.zeros_like(total))
        return loss


GradientAccumulation = AccumulationStep


class BoostTrainOneStepCell(TrainOneStepCell):
    """`nn.TrainOneStepCell`, as MindSpore's is where none of its accelerations is asked for.

    Args:
        network (Cell): gives the loss.
        optimizer (Cell): the optimizer.
        sens (number): the cotangent of the loss. Default None, 1.0.

    Inputs:
        - **inputs** (Tensor) - those of the network.

    Outputs:
        Tensor, the loss.

    Raises:
        TypeError: ``sens`` is no number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> from minds.train.boost import BoostTrainOneStepCell
        >>> net = nn.WithLossCell(nn.Dense(1, 1, weight_init="ones", has_bias=False), nn.MSELoss())
        >>> step = BoostTrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
        >>> float(step(ms.Tensor([[1.0]]), ms.Tensor([[3.0]])))
        4.0
    """

    def __init__(self, network, optimizer, sens=None):
        super().__init__(network, optimizer, 1.0 if sens is None else sens)


class BoostTrainOneStepWithLossScaleCell(TrainOneStepWithLossScaleCell):
    """`nn.TrainOneStepWithLossScaleCell`, as MindSpore's is where none of its accelerations is asked for.

    Args:
        network (Cell): gives the loss.
        optimizer (Cell): the optimizer.
        scale_sense (Tensor, Cell): the scale of the loss, or the cell that keeps it.

    Inputs:
        - **inputs** (Tensor) - those of the network.

    Outputs:
        tuple of three Tensors: the loss, whether there was an overflow, the scale.

    Raises:
        TypeError: ``scale_sense`` is neither a Cell nor a Tensor.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> from minds.train.boost import BoostTrainOneStepWithLossScaleCell
        >>> net = nn.WithLossCell(nn.Dense(1, 1, weight_init="ones", has_bias=False), nn.MSELoss())
        >>> optimizer = nn.SGD(net.trainable_params(), 0.1)
        >>> step = BoostTrainOneStepWithLossScaleCell(net, optimizer, ms.Tensor(8.0))
        >>> float(step(ms.Tensor([[1.0]]), ms.Tensor([[3.0]]))[0])
        4.0
    """


def _refused(name: str, cure: str):
    """What stands for a name of `mindspore.boost` that is not built: its call says what to use."""

    def refuse(*args, **kwargs):
        raise complain(NotImplementedError, f"boost.{name} is not built", cure=cure)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"""Not built: {cure}.

    Args:
        args (Any), kwargs (Any): what MindSpore's takes.

    Raises:
        NotImplementedError: always.

    Examples:
        >>> import pytest
        >>> from minds.train import boost
        >>> with pytest.raises(NotImplementedError):
        ...     boost.{name}()
    """
    return refuse


globals().update({name: _refused(name, cure) for name, cure in _NOT_BUILT.items()})


class CommonHeadLastFN(Cell):
    r"""A fully connected layer of unit vectors: :math:`m (\hat x \hat W^T + b)`, where rows are scaled
    to norm 1 and the factor m is trained.

    Args:
        in_channels (int): size of the last dimension of the input.
        out_channels (int): size of the last dimension of the output.
        weight_init (Tensor, str, Initializer, number): of the weight ``(out, in)``. Default ``normal``.
        bias_init (Tensor, str, Initializer, number): of the bias. Default zeros.
        has_bias (bool): whether to add a bias. Default True.

    Inputs:
        - **x** (Tensor[(N, in_channels)])

    Outputs:
        Tensor[(N, out_channels)].

    Examples:
        >>> from minds import ops
        >>> from minds.train.boost import CommonHeadLastFN
        >>> float(CommonHeadLastFN(4, 1, "ones")(ops.ones((1, 4)))[0, 0])
        1.0
    """

    def __init__(
        self, in_channels, out_channels, weight_init="normal", bias_init="zeros", has_bias=True
    ):
        super().__init__()
        shape = [out_channels, in_channels]
        self.weight = Parameter(initializer(weight_init, shape), name="weight")
        self.multiplier = Parameter(Tensor([1.0], dt.float32), name="multiplier")
        self.has_bias = has_bias
        if has_bias:
            self.bias = Parameter(initializer(bias_init, [out_channels]), name="bias")

    def construct(self, x):
        x = ops.matmul(ops.L2Normalize(1)(x), ops.L2Normalize(1)(self.weight).T)
        return self.multiplier * (x + self.bias if self.has_bias else x)


class LessBN(Cell):
    """A network with the flag ``less_bn``, by which MindSpore leaves out norms on Ascend devices; here it
    computes what the network does.

    Args:
        network (Cell): the network, which is changed.
        fn_flag (bool): whether the last dense layer of each cell becomes a `CommonHeadLastFN` without a
            bias. Default False.

    Inputs:
        - **inputs** (Any) - those of ``network``.

    Outputs:
        those of ``network``.

    Examples:
        >>> from minds import nn
        >>> from minds.train.boost import LessBN
        >>> net = LessBN(nn.SequentialCell(nn.Dense(2, 1)), fn_flag=True)
        >>> type(net.network[0]).__name__
        'CommonHeadLastFN'
    """

    def __init__(self, network: Cell, fn_flag: bool = False):
        super().__init__()
        self.network = network
        if "less_bn" not in network.get_flags():
            network.set_boost("less_bn")
            network.update_cell_prefix()
            if fn_flag:
                self._replace(network)

    def _replace(self, net: Cell) -> None:
        """Replace the last dense layer of each cell."""
        last = None
        for name, cell in net.name_cells().items():
            if isinstance(cell, Dense):
                last = name, cell
            else:
                self._replace(cell)
        if last is not None:
            name, old = last
            new = CommonHeadLastFN(
                old.in_channels, old.out_channels, old.weight.value(), has_bias=False
            )
            new.update_parameters_name(f"{old.param_prefix}.")
            net._replace_cell(name, new)

    def construct(self, *inputs):
        return self.network(*inputs)


class ParameterProcess:
    """Makes groups of parameters, and divides them where their gradients are exchanged.

    Examples:
        >>> from minds import nn
        >>> from minds.train.boost import ParameterProcess
        >>> net = nn.SequentialCell(nn.Dense(2, 1), nn.Dense(1, 1))
        >>> found = ParameterProcess().assign_parameter_group(net.trainable_params())
        >>> [p.comm_fusion for p in found]
        [1, 1, 2, 2]
    """

    def __init__(self):
        self._group = 1

    def assign_parameter_group(self, parameters, split_point=None):
        """Number the groups in which gradients are exchanged.

        Args:
            parameters (list[Parameter]): in their order; anything else is given back as it is.
            split_point (list[int]): the places where groups begin. Default None, the middle.

        Returns:
            list[Parameter]: the same, whose ``comm_fusion`` is set.

        Examples:
            >>> from minds import nn
            >>> from minds.train.boost import ParameterProcess
            >>> params = nn.Dense(2, 1).trainable_params()
            >>> [p.comm_fusion for p in ParameterProcess().assign_parameter_group(params, [0, 1])]
            [2, 3]
        """
        if not isinstance(parameters, (list, tuple)) or not parameters:
            return parameters
        places = split_point or [len(parameters) // 2]
        for i, param in enumerate(parameters):
            self._group += i in places
            param.comm_fusion = self._group
        return parameters

    @staticmethod
    def generate_group_params(parameters, origin_params) -> list:
        """The groups of an optimizer for other parameters of the same names; those of no group form one
        with the settings of the group that has most.

        Args:
            parameters (list[Parameter]): the new parameters.
            origin_params (list): what the optimizer was given: parameters, or groups.

        Returns:
            list[dict]: groups of the new ones.

        Raises:
            TypeError: ``origin_params`` holds neither.
            ValueError: it is empty.

        Examples:
            >>> from minds import nn
            >>> from minds.train.boost import ParameterProcess
            >>> params = nn.Dense(2, 1).trainable_params()
            >>> groups = ParameterProcess.generate_group_params(params, [{"params": params[:1], "lr": 0.5}])
            >>> [(len(g["params"]), g["lr"]) for g in groups]
            [(1, 0.5), (1, 0.5)]
        """
        given = list(origin_params or ())
        if not given:
            raise complain(ValueError, "generate_group_params: origin_params is empty")
        if not isinstance(given[0], (dict, Parameter)):
            what = f"generate_group_params: origin_params holds a {type(given[0]).__name__}"
            raise complain(TypeError, what, expected="Parameters or dicts")
        if isinstance(given[0], Parameter):
            return [{"params": parameters}]
        left, groups, most = {p.name: p for p in parameters}, [], {}
        for group in given:
            if "order_params" in group:
                groups.append({**group, "order_params": parameters})
                continue
            chosen = [left.pop(p.name) for p in group["params"] if p.name in left]
            groups.append({**group, "params": chosen})
            most = group if len(group) > len(most) else most
        if left:
            groups.append({**most, "params": list(left.values())})
        return groups


_guard(__name__)
