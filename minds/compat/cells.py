"""What MindSpore's models import from inside its modules `nn.wrap.cell_wrapper` and
`nn.wrap.loss_scale`.
"""

from __future__ import annotations

from .. import ops
from ..nn import Cell
from ..ops.composite import MultitypeFuncGraph
from ..tensor import Tensor

_grad_scale = MultitypeFuncGraph("grad_scale")
_grad_overflow = MultitypeFuncGraph("_grad_overflow")
reciprocal = ops.Reciprocal()
grad_overflow = ops.FloatStatus()


@_grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale: Tensor, grad: Tensor) -> Tensor:
    """A gradient divided by the scale of the loss."""
    return grad * ops.cast(reciprocal(scale), grad.dtype)


@_grad_overflow.register("Tensor")
def _tensor_grad_overflow(grad: Tensor) -> Tensor:
    """1 where a gradient has an element that is infinite or NaN."""
    return grad_overflow(grad)


class _VirtualDatasetCell(Cell):
    """A network whose inputs are parts of a batch: those that the dataset's layout says anyway.

    Args:
        backbone (Cell): the network.
    """

    def __init__(self, backbone: Cell):
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs):
        return self._backbone(*inputs)


class _MicroBatch(Cell):
    """One of equal parts of a batch.

    Args:
        micro_size (int): into how many it is divided.
    """

    def __init__(self, micro_size: int):
        super().__init__()
        self.micro_size = micro_size

    def construct(self, i, *inputs):
        """Part ``i`` of each input, along the first dimension."""
        parts = ()
        for x in inputs:
            rows = x.shape[0] // self.micro_size
            parts += (x[i * rows : (i + 1) * rows],)
        return parts


__all__ = []
