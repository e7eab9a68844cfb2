"""`mindspore.boost`: what of it scripts use that do not need Ascend, the accumulation of gradients."""

from __future__ import annotations

from .. import ops
from ..base import dtype as dt
from ..base.boundary import guard as _guard
from ..nn import Cell
from ..ops import composite
from ..tensor import Parameter, Tensor

__all__ = ["GradientAccumulation", "gradient_accumulation_op", "gradient_clear_op"]

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

_guard(__name__)
