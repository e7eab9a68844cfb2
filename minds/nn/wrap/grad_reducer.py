"""Gradients of several processes."""

from __future__ import annotations

import numbers

from ... import ops
from ...base import data_parallel
from ...base.errors import complain
from ...base.world import ranks_of, world
from ...ops.agreement import agree
from ...ops.buckets import all_reduced
from ..cell import Cell


class DistributedGradReducer(Cell):
    """Adds up or averages gradients over the processes of a group; with one process, returns them.

    In data parallel mode all processes take the parameters of the first when it is made, unless
    ``parameter_broadcast`` was set to False.

    Args:
        parameters (list[Parameter]): what the gradients are of.
        mean (bool): whether gradients are averaged. Default None, as ``gradients_mean`` of
            `set_auto_parallel_context` says.
        degree (int): by how many the sum is divided for the mean. Default None, the processes.
        fusion_type (int): accepted; gradients are added up in buckets of some MB. Default 1.
        group (str): the group. Default ``hccl_world_group``, all processes.

    Inputs:
        - **grads** (tuple[Tensor]) - one per parameter, of the same shapes in all processes.

    Outputs:
        tuple[Tensor], the same in all processes.

    Raises:
        TypeError: ``mean`` is no bool, or ``degree`` no int.
        ValueError: ``degree`` is not positive, or there is no such group.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.DistributedGradReducer([])((ms.Tensor([1.0]),))[0])
        [1.]
    """

    def __init__(self, parameters, mean=None, degree=None, fusion_type=1, group="hccl_world_group"):
        super().__init__(auto_prefix=False)
        if mean is not None and not isinstance(mean, bool):
            what = f"DistributedGradReducer: mean has type {type(mean).__name__}"
            raise complain(TypeError, what, expected="a bool")
        if degree is not None and (
            isinstance(degree, bool) or not isinstance(degree, numbers.Integral)
        ):
            what = f"DistributedGradReducer: degree has type {type(degree).__name__}"
            raise complain(TypeError, what, expected="an int")
        if degree is not None and degree < 1:
            what = f"DistributedGradReducer: degree is {degree}"
            raise complain(ValueError, what, expected="at least 1")
        self.group_ranks = ranks_of(group, "DistributedGradReducer")
        self.mean = data_parallel.settings.mean if mean is None else mean
        self.factor = 1.0 / (degree or len(self.group_ranks)) if self.mean else 1.0
        if data_parallel.is_on() and data_parallel.settings.broadcast:
            same = [p for p in parameters if not getattr(p, "layerwise_parallel", False)]
            agree(same, self.group_ranks)

    def construct(self, grads):
        if len(self.group_ranks) == 1:
            return grads
        return all_reduced(grads, self.group_ranks, self.factor)


def reducer_of(parameters):
    """What a training step does with its gradients: in data parallel mode they are reduced."""
    if not data_parallel.is_on() or world.size == 1:
        return ops.identity
    return DistributedGradReducer(parameters)


class PipelineGradReducer(Cell):
    """Gradients of a network in stages: those of all micro-batches are added up already, so they are only
    divided by a scale.

    Args:
        parameters (list[Parameter]): what the gradients are of.
        scale_sense (float): what the loss was multiplied by. Default: 1.0.
        opt_shard (bool): accepted. Default: None.

    Inputs:
        - **grads** (tuple[Tensor]) - one per parameter.

    Outputs:
        tuple[Tensor], of the same shapes.

    Raises:
        ValueError: there are more or fewer gradients.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> weights = [ms.Parameter(ms.Tensor([3.0]))]
        >>> print(nn.PipelineGradReducer(weights, 2.0)((ms.Tensor([1.0]),))[0])
        [0.5]
    """

    def __init__(self, parameters, scale_sense=1.0, opt_shard=None):
        super().__init__(auto_prefix=False)
        self.count, self.scale_sense = len(parameters), scale_sense

    def construct(self, grads):
        if len(grads) != self.count:
            raise ValueError(f"{len(grads)} gradients for {self.count} parameters")
        if self.scale_sense == 1:
            return grads
        return tuple([g / self.scale_sense for g in grads])


__all__ = ["DistributedGradReducer", "PipelineGradReducer"]
