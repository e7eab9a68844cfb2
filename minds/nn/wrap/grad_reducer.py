"""Gradients of several devices."""

from __future__ import annotations

from ..cell import Cell


class DistributedGradReducer(Cell):
    """Averages gradients over devices; with one device, returns them.

    Args:
        parameters (list[Parameter]): what the gradients are of; without effect on one device.
        mean (bool), degree (int), fusion_type (int), group (str): for several devices; without
            effect on one. Default None, None, 1 and ``hccl_world_group``.

    Inputs:
        - **grads** (tuple[Tensor]) - one per parameter.

    Outputs:
        tuple[Tensor], the same.

    Raises:
        TypeError: another number of inputs than one.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.DistributedGradReducer([])((ms.Tensor([1.0]),))[0])
        [1.]
    """

    def __init__(self, parameters, mean=None, degree=None, fusion_type=1, group="hccl_world_group"):
        super().__init__(auto_prefix=False)

    def construct(self, grads):
        return grads


__all__ = ["DistributedGradReducer"]
