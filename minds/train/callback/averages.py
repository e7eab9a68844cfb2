"""`EvaluateAverages`: evaluations see the averages of the weights."""

from __future__ import annotations

from ...base.errors import complain
from ..around import AveragedWeights
from .base import Callback


class EvaluateAverages(Callback):
    """Puts the averages of `AveragedWeights` in the place of the weights for each evaluation, and at the end
    of the training for good.

    Args:
        averages (AveragedWeights): the training's optimizer, or what it is around.
        keep (bool): whether the averages are the weights after the training. Default: ``True``.

    Raises:
        TypeError: ``averages`` is no AveragedWeights.

    Examples:
        >>> import minds as ms
        >>> from minds import nn, train
        >>> w = ms.Parameter(ms.Tensor([4.0]), name="w")
        >>> use = train.EvaluateAverages(train.AveragedWeights(nn.SGD([w], 1.0)))
    """

    def __init__(self, averages, keep: bool = True):
        if not isinstance(averages, AveragedWeights):
            said = f"EvaluateAverages: averages has type {type(averages).__name__}"
            raise complain(TypeError, said, expected="AveragedWeights")
        self._averages, self._keep = averages, keep

    def on_eval_begin(self, run_context):
        self._averages.swap()

    def on_eval_end(self, run_context):
        self._averages.swap()

    def on_train_end(self, run_context):
        if self._keep:
            self._averages.swap()


__all__ = ["EvaluateAverages"]
