"""Cells of programs on many devices, under MindSpore's module name."""

from ..base.boundary import guard as _guard
from ..nn.wrap.grad_reducer import PipelineGradReducer
from ..nn.wrap.pipelines import GradAccumulation, MicroBatchInterleaved, PipelineCell

__path__: list = []  # there are paths below this module (`compat.paths`)


class Pipeline(PipelineCell):
    """`nn.PipelineCell` by its newer name: a network whose arguments are cut into micro-batches along
    dimension 0, of every so many-th sample; the results are added up.

    Args:
        network (Cell): gives a tensor, such as a network with its loss.
        micro_size (int): how many micro-batches there are.
        stage_config (dict, optional): name of a cell of ``network`` → its stage. Default: None.
        segment_config (dict, optional): accepted. Default: None.

    Inputs:
        - **inputs** (Tensor) - of ``network``; ``micro_size`` divides their first dimensions.

    Outputs:
        Tensor, the sum of what ``network`` gives for the micro-batches.

    Raises:
        TypeError: ``micro_size`` is no int, or ``stage_config`` no dict.
        ValueError: ``micro_size`` is not positive or does not divide the samples, or there is no such cell.

    Examples:
        >>> from minds import nn, ops
        >>> from minds.parallel.nn import Pipeline
        >>> Pipeline(nn.Dense(2, 1, weight_init="ones"), 2)(ops.ones((4, 2))).shape
        (2, 1)
    """


__all__ = ["GradAccumulation", "MicroBatchInterleaved", "Pipeline", "PipelineGradReducer"]
_guard(__name__)
