"""Training with a scaled loss, so that gradients in float16 neither vanish nor overflow."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...base.late import late
from ...tensor import Parameter, Tensor
from ...transforms.grad import value_and_grad
from ..cell import Cell
from ..layer import checks
from .cell_wrapper import ScaledLoss, TrainOneStepCell


class FixedLossScaleUpdateCell(Cell):
    """A scale that stays as it is.

    Args:
        loss_scale_value (float): the scale.

    Inputs:
        - **loss_scale** (Tensor), **overflow** (Tensor[bool])

    Outputs:
        Tensor[bool], ``overflow``.

    Raises:
        TypeError: another number of inputs than two.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.FixedLossScaleUpdateCell(2.0)(ms.Tensor(2.0), ms.Tensor(True)))
        True
    """

    def __init__(self, loss_scale_value):
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self):
        """The scale.

        Returns:
            float: the scale.

        Examples:
            >>> from minds import nn
            >>> nn.FixedLossScaleUpdateCell(2.0).get_loss_scale()
            2.0
        """
        return self.loss_scale_value

    def construct(self, loss_scale, overflow):
        return overflow


class DynamicLossScaleUpdateCell(Cell):
    """A scale that is divided by a factor after an overflow, and multiplied by it after a number of
    steps without one.

    Args:
        loss_scale_value (float): the first scale.
        scale_factor (int): the factor.
        scale_window (int): steps without overflow until the scale grows.

    Inputs:
        - **loss_scale** (Parameter), **overflow** (Tensor[bool]) - the scale is assigned.

    Outputs:
        Tensor[bool], ``overflow``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is not positive.

    Source: Micikevicius et al., Mixed Precision Training, 2017.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> scale = ms.Parameter(ms.Tensor(8.0), name="scale")
        >>> _ = nn.DynamicLossScaleUpdateCell(8.0, 2, 1000)(scale, ms.Tensor(True))
        >>> print(scale.value())
        4.0
    """

    def __init__(self, loss_scale_value, scale_factor, scale_window):
        super().__init__()
        name = "DynamicLossScaleUpdateCell"
        self.loss_scale_value = checks.number_in(
            name, "loss_scale_value", loss_scale_value, 0, float("inf"), "()"
        )
        self.scale_factor = checks.number_in(
            name, "scale_factor", scale_factor, 0, float("inf"), "()"
        )
        self.scale_window = checks.positive_int(name, "scale_window", scale_window)
        self.cur_iter = Parameter(Tensor(1, dt.int32), name="current_iterator_step")
        self.last_overflow_iter = Parameter(Tensor(0, dt.int32), name="last_overflow_iterator_step")

    def get_loss_scale(self):
        """The first scale.

        Returns:
            float: the first scale.

        Examples:
            >>> from minds import nn
            >>> nn.DynamicLossScaleUpdateCell(8.0, 2, 1000).get_loss_scale()
            8.0
        """
        return self.loss_scale_value

    def construct(self, loss_scale, overflow):
        step, last = self.cur_iter + 0, self.last_overflow_iter + 0
        grow = step - last >= self.scale_window
        smaller = ops.maximum(loss_scale / float(self.scale_factor), 1.0)
        kept = ops.select(grow, loss_scale * float(self.scale_factor), loss_scale + 0.0)
        ops.assign(loss_scale, ops.select(overflow, smaller, kept))
        ops.assign(self.last_overflow_iter, ops.select(ops.logical_or(overflow, grow), step, last))
        ops.assign(self.cur_iter, step + 1)
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """A training step with a scaled loss: the update is left out where a gradient is not finite.

    A subclass may write the step itself, with `start_overflow_check`, ``grad``, ``grad_reducer``,
    ``hyper_map``, `get_overflow_status`, `process_loss_scale` and ``optimizer``.

    Args:
        network (Cell): returns the loss.
        optimizer (Cell): takes the gradients.
        scale_sense (Cell, Tensor): how the scale changes (`FixedLossScaleUpdateCell`,
            `DynamicLossScaleUpdateCell`), or the scale.

    Inputs:
        - **inputs** (Any) - the inputs of ``network``.

    Outputs:
        Tuple of the loss, whether there was an overflow, and the scale.

    Raises:
        TypeError: ``scale_sense`` is neither a Cell nor a Tensor of one element.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.WithLossCell(nn.Dense(2, 1, "zeros", "zeros"), nn.MSELoss())
        >>> opt = nn.SGD(net.trainable_params(), 0.1)
        >>> step = nn.TrainOneStepWithLossScaleCell(net, opt, ms.Tensor(1024.0)).set_train()
        >>> loss, overflow, scale = step(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[1.0]]))
        >>> print(loss, overflow, scale)
        1.0 False 1024.0
    """

    def __init__(self, network, optimizer, scale_sense):
        super().__init__(network, optimizer)
        self.hyper_map, self.base = ops.HyperMap(), Tensor(1, dt.float32)
        self.reduce_sum, self.less_equal = ops.ReduceSum(), ops.LessEqual()
        self.is_distributed, self.gpu_target = self.reducer_flag, False
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            first = scale_sense.get_loss_scale()
        elif isinstance(scale_sense, Tensor) and scale_sense.size == 1:
            self.loss_scaling_manager, first = None, scale_sense.item()
        else:
            raise complain(
                TypeError,
                f"{self.cls_name}: scale_sense has type {type(scale_sense).__name__}",
                expected="a Cell, or a Tensor of one element",
            )
        self.scale_sense = Parameter(Tensor(first, dt.float32), name="scale_sense")
        self.grad_fn = value_and_grad(
            ScaledLoss(network, self.scale_sense), None, self.weights, has_aux=True
        )

    def set_sense_scale(self, sens) -> None:
        """Set the scale.

        Args:
            sens (Tensor): the scale, one element.

        Raises:
            TypeError: ``sens`` is no Tensor.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss())
            >>> opt = nn.SGD(net.trainable_params(), 0.1)
            >>> step = nn.TrainOneStepWithLossScaleCell(net, opt, ms.Tensor(1024.0))
            >>> step.set_sense_scale(ms.Tensor(2.0))
            >>> print(step.scale_sense.value())
            2.0
        """
        if not isinstance(sens, Tensor):
            raise complain(
                TypeError,
                f"set_sense_scale: sens has type {type(sens).__name__}",
                expected="a Tensor",
            )
        self.scale_sense.set_data(ops.reshape(sens, ()))

    def start_overflow_check(self, pre_cond, compute_input) -> tuple:
        """Begin to look for overflows: nothing is to be done, gradients show them.

        Args:
            pre_cond (Tensor): what is computed before; has no effect.
            compute_input (Tensor): the scale, of which the gradients are computed.

        Returns:
            tuple: a status for `get_overflow_status`, and ``compute_input``.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss())
            >>> opt = nn.SGD(net.trainable_params(), 0.1)
            >>> step = nn.TrainOneStepWithLossScaleCell(net, opt, ms.Tensor(1024.0))
            >>> _, scale = step.start_overflow_check(ms.Tensor(0.0), step.scale_sense)
            >>> print(scale.value())
            1024.0
        """
        return ops.zeros((8,), dt.int32), compute_input

    def get_overflow_status(self, status, compute_output):
        """Whether a gradient is not finite.

        Args:
            status (Tensor): of `start_overflow_check`; has no effect.
            compute_output (tuple[Tensor]): the gradients.

        Returns:
            Tensor[bool]: whether one is infinite or no number.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss())
            >>> opt = nn.SGD(net.trainable_params(), 0.1)
            >>> step = nn.TrainOneStepWithLossScaleCell(net, opt, ms.Tensor(1024.0))
            >>> print(step.get_overflow_status(None, (ms.Tensor([1.0, float("inf")]),)))
            True
        """
        return ops.logical_not(ops.isfinite(sum_of(compute_output)))

    def process_loss_scale(self, overflow):
        """Let the scale follow an overflow.

        Args:
            overflow (Tensor): whether there was one.

        Returns:
            Tensor[bool]: ``overflow``.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss())
            >>> opt = nn.SGD(net.trainable_params(), 0.1)
            >>> halves = nn.DynamicLossScaleUpdateCell(1024.0, 2, 100)
            >>> step = nn.TrainOneStepWithLossScaleCell(net, opt, halves)
            >>> print(step.process_loss_scale(ms.Tensor(True)), step.scale_sense.value())
            True 512.0
        """
        if self.loss_scaling_manager is None:
            return overflow
        return self.loss_scaling_manager(self.scale_sense, overflow)

    def construct(self, *inputs):
        scale = self.scale_sense + 0.0
        (_, loss), grads = self.grad_fn(*inputs)
        grads = self.grad_reducer(tuple(ops.cast(g, dt.float32) / scale for g in grads))
        overflow = self.process_loss_scale(self.get_overflow_status(None, grads))
        if ops.logical_not(overflow):
            self.optimizer(grads)
        return loss, overflow, scale


def sum_of(tensors):
    """The sum of absolute values: finite if and only if every element is (and the sum does not
    overflow).
    """
    total = 0.0
    for t in tensors:
        total = total + ops.mean(ops.abs(t))
    return total


__all__ = [
    "DynamicLossScaleUpdateCell",
    "FixedLossScaleUpdateCell",
    "TrainOneStepWithLossScaleCell",
]

__getattr__, __dir__ = late(
    __name__,
    {"compat.cells": "_grad_overflow _grad_scale grad_overflow reciprocal tensor_grad_scale"},
)
