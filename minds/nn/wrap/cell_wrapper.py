"""Cells around a network: with its loss, its gradient, its training step."""

from __future__ import annotations

import numbers

from ... import ops
from ...base import data_parallel
from ...base import dtype as dt
from ...base.errors import complain
from ...base.late import late
from ...parameters import ParameterTuple
from ...tensor import Parameter
from ...transforms.grad import GradOperation, value_and_grad
from ..cell import Cell
from ..layer import checks
from ..precision import cast_floats
from .grad_reducer import reducer_of
from .pipelines import GradAccumulation, MicroBatchInterleaved, PipelineCell


class WithLossCell(Cell):
    """A network followed by its loss.

    Args:
        backbone (Cell): the network.
        loss_fn (Cell, function): takes the network's output and the label.

    Inputs:
        - **data** (Tensor), **label** (Tensor)

    Outputs:
        Tensor, the loss.

    Raises:
        TypeError: another number of inputs than two.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.WithLossCell(nn.Dense(2, 1, "ones", "zeros"), nn.MSELoss())
        >>> net(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[1.0]])).asnumpy().item()
        4.0
    """

    def __init__(self, backbone, loss_fn):
        super().__init__(auto_prefix=False)
        self._backbone, self._loss_fn = backbone, loss_fn

    def construct(self, data, label):
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Cell:
        """The network without the loss.

        Examples:
            >>> from minds import nn
            >>> nn.WithLossCell(nn.ReLU(), nn.MSELoss()).backbone_network
            ReLU()
        """
        return self._backbone


class WithEvalCell(Cell):
    """A network with its loss, for evaluation.

    Args:
        network (Cell): the network.
        loss_fn (Cell, function, None): takes the network's output and the label.
        add_cast_fp32 (bool): cast the output to float32 first. Default False.

    Inputs:
        - **data** (Tensor), **label** (Tensor)

    Outputs:
        Tuple of the loss, the network's output and the label.

    Raises:
        TypeError: ``add_cast_fp32`` is no bool.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.WithEvalCell(nn.ReLU(), nn.MSELoss())
        >>> loss, output, label = net(ms.Tensor([-1.0, 2.0]), ms.Tensor([0.0, 0.0]))
        >>> print(loss, output, label)
        2.0 [0. 2.] [0. 0.]
    """

    def __init__(self, network, loss_fn, add_cast_fp32=False):
        super().__init__(auto_prefix=False)
        self._network, self._loss_fn = network, loss_fn
        self.add_cast_fp32 = checks.boolean("WithEvalCell", "add_cast_fp32", add_cast_fp32)

    def construct(self, data, label):
        outputs = self._network(data)
        if self.add_cast_fp32:
            outputs, label = cast_floats(outputs, dt.float32), cast_floats(label, dt.float32)
        return self._loss_fn(outputs, label), outputs, label


class ScaledLoss(Cell):
    """A network's loss times a scale, which is what is differentiated, and the loss."""

    def __init__(self, network, scale):
        super().__init__(auto_prefix=False)
        self.network, self.scale = network, scale

    def construct(self, *inputs):
        loss = self.network(*inputs)
        return loss * self.scale, loss


class TrainOneStepCell(Cell):
    """One step of training: loss, gradients, update.

    Args:
        network (Cell): returns the loss.
        optimizer (Cell): takes the gradients of ``optimizer.parameters``.
        sens (number): the loss is multiplied by it for the gradients. Default None, 1.
        return_grad (bool): also return the gradients, a dict by parameter name. Default False.

    Inputs:
        - **inputs** (Any) - the inputs of ``network``.

    Outputs:
        Tensor, the loss before the update.

    Raises:
        TypeError: ``sens`` is no number, or ``return_grad`` no bool.
        ValueError: ``sens`` is 0.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.WithLossCell(nn.Dense(2, 1, "zeros"), nn.MSELoss())
        >>> step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1)).set_train()
        >>> x, y = ms.Tensor([[1.0, 2.0]]), ms.Tensor([[1.0]])
        >>> first, second = step(x, y), step(x, y)
        >>> bool(second < first)
        True
    """

    def __init__(self, network, optimizer, sens=None, return_grad=False):
        super().__init__(auto_prefix=False)
        if sens is not None and (isinstance(sens, bool) or not isinstance(sens, numbers.Real)):
            raise complain(
                TypeError,
                f"TrainOneStepCell: sens has type {type(sens).__name__}",
                expected="a number",
            )
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        # What a subclass that computes the gradients itself works with.
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        self.grad_reducer, self.reducer_flag = reducer_of(self.weights), data_parallel.is_on()
        if sens == 0:
            raise complain(ValueError, "TrainOneStepCell: sens is 0", expected="another number")
        self.sense_flag, self.sens = sens is not None, 1.0 if sens is None else float(sens)
        self.return_grad = checks.boolean("TrainOneStepCell", "return_grad", return_grad)
        if sens is None:
            self.grad_fn = value_and_grad(network, None, self.weights)
        else:
            self.grad_fn = value_and_grad(
                ScaledLoss(network, self.sens), None, self.weights, has_aux=True
            )

    def construct(self, *inputs):
        value, grads = self.grad_fn(*inputs)
        loss = value[1] if self.sense_flag else value
        grads = self.grad_reducer(grads)
        self.optimizer(grads)
        if self.return_grad:
            return loss, {p.name: g for p, g in zip(self.weights, grads)}
        return loss


class WithGradCell(Cell):
    """A network's gradient with respect to its trainable parameters.

    Args:
        network (Cell): the network.
        loss_fn (Cell): takes the network's output and the label. Default None: the network takes
            both and returns the loss.
        sens (Tensor, number): the cotangent of the loss. Default None, 1.

    Inputs:
        - **data** (Tensor), **label** (Tensor)

    Outputs:
        Tuple of Tensors, one per parameter.

    Raises:
        TypeError: another number of inputs than two.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.WithGradCell(nn.Dense(2, 1, "ones", has_bias=False), nn.MSELoss())
        >>> print(net(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[1.0]]))[0])
        [[4. 8.]]
    """

    def __init__(self, network, loss_fn=None, sens=None):
        super().__init__(auto_prefix=False)
        self.network = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.weights = ParameterTuple(network.trainable_params())
        self.sens = sens
        self.grad = GradOperation(get_by_list=True, sens_param=sens is not None)

    def construct(self, data, label):
        if self.sens is None:
            return self.grad(self.network, self.weights)(data, label)
        return self.grad(self.network, self.weights)(data, label, self.sens)


class ForwardValueAndGrad(Cell):
    """A network's output and its gradients.

    Args:
        network (Cell, function): what is differentiated.
        weights (ParameterTuple, list[Parameter]): with ``get_by_list``, by which parameters.
            Default None.
        get_all (bool): by all inputs. Default False.
        get_by_list (bool): by ``weights``. Default False.
        sens_param (bool): the last input is the cotangent of the output. Default False.

    Inputs:
        - **inputs** (Any) - the inputs of ``network``, and with ``sens_param`` the cotangent.

    Outputs:
        Tuple of the output and the gradients, arranged as by `GradOperation`.

    Raises:
        TypeError: an argument has a wrong type.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> value, gradient = nn.ForwardValueAndGrad(lambda x: x * x)(ms.Tensor([3.0]))
        >>> print(value, gradient)
        [9.] [6.]
    """

    def __init__(self, network, weights=None, get_all=False, get_by_list=False, sens_param=False):
        super().__init__(auto_prefix=False)
        self.network = network
        self.weights = ParameterTuple(weights) if get_by_list else None
        self.sens_param = checks.boolean("ForwardValueAndGrad", "sens_param", sens_param)
        self.get_by_list = checks.boolean("ForwardValueAndGrad", "get_by_list", get_by_list)
        self.grad = GradOperation(get_all=get_all, get_by_list=get_by_list, sens_param=sens_param)
        self._run = self.grad._gradient(network, self.weights, value=True)

    def construct(self, *inputs):
        return self._run(*inputs)


class ParameterUpdate(Cell):
    """Assigns its input to a parameter and returns it.

    Args:
        param (Parameter): what is updated.

    Inputs:
        - **x** (Tensor) - of the parameter's shape and dtype.

    Outputs:
        Tensor, the input.

    Raises:
        TypeError: ``param`` is no Parameter.
        ValueError: the shapes differ.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.ParameterUpdate(w)(ms.Tensor([5.0]))
        >>> w.asnumpy().tolist()
        [5.0]
    """

    def __init__(self, param):
        super().__init__()
        if not isinstance(param, Parameter):
            raise complain(
                TypeError,
                f"ParameterUpdate: param has type {type(param).__name__}",
                expected="a Parameter",
            )
        self._param = param

    def construct(self, x):
        ops.assign(self._param, x)
        return x


GradAccumulationCell = GradAccumulation

__all__ = [
    "GradAccumulation",
    "GradAccumulationCell",
    "MicroBatchInterleaved",
    "PipelineCell",
    "ForwardValueAndGrad",
    "ParameterUpdate",
    "TrainOneStepCell",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
]

__getattr__, __dir__ = late(__name__, {"compat.cells": "_MicroBatch _VirtualDatasetCell"})
