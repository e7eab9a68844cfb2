"""Distances between the surfaces of two masks. SciPy, which transforms them, is imported on use."""

from __future__ import annotations

import math

import numpy as np

from ..base.errors import complain
from .base import Metric, rearrange_inputs, typed

_METRICS = ("euclidean", "chessboard", "taxicab")


class _Surface(Metric):
    """Shared by the distances: keeps the surface distances of the last update."""

    def __init__(self, distance_metric: str):
        super().__init__()
        if distance_metric not in _METRICS:
            raise complain(
                ValueError,
                f"{type(self).__name__}: distance_metric is {distance_metric!r}",
                expected=f"one of {', '.join(_METRICS)}",
            )
        self.distance_metric = distance_metric
        self.clear()

    def clear(self):
        self._masks = None

    @rearrange_inputs
    def update(self, *inputs):
        """Take a prediction, a label and a class.

        Args:
            inputs (Tensor, numpy.ndarray, list ..., and int): two arrays of one shape with class
                ids, and the class whose surfaces are compared.

        Raises:
            ValueError: there are not three inputs, or the shapes differ.
            TypeError: the class is no number.

        Examples:
            >>> from minds import train
            >>> distance = train.HausdorffDistance()
            >>> distance.update([[0, 0, 1]], [[1, 0, 0]], 1)
            >>> distance.eval()
            2.0
        """
        name = f"{type(self).__name__}.update"
        if len(inputs) != 3:
            raise complain(
                ValueError,
                f"{name}: {len(inputs)} inputs",
                expected="3 (prediction, label and class)",
            )
        pred, label = (self._convert_data(x) for x in inputs[:2])
        if not isinstance(inputs[2], (int, float)):
            raise complain(
                TypeError,
                f"{name}: the class has type {type(inputs[2]).__name__}",
                expected="a number",
            )
        if pred.shape != label.shape or not pred.size:
            raise complain(
                ValueError,
                f"{name}: the prediction has shape {pred.shape}, the label {label.shape}",
            )
        self._masks = pred == inputs[2], label == inputs[2]

    def _distances(self, source: np.ndarray, target: np.ndarray) -> np.ndarray:
        """From each point of the surface of ``source`` to the nearest of the surface of
        ``target``.
        """
        from scipy import ndimage

        source, target = (m & ~ndimage.binary_erosion(m) for m in (source, target))
        if not source.any():
            return np.zeros(0)
        if not target.any():
            return np.full(int(source.sum()), np.inf)
        if self.distance_metric == "euclidean":
            return ndimage.distance_transform_edt(~target)[source]
        return ndimage.distance_transform_cdt(~target, self.distance_metric)[source].astype(
            np.float64
        )


class HausdorffDistance(_Surface):
    r"""How far two surfaces are apart, :math:`\max_{a \in A} \min_{b \in B} d(a, b)`, in both
    directions.

    Args:
        distance_metric (str): ``"euclidean"``, ``"chessboard"`` or ``"taxicab"``. Default:
            ``"euclidean"``.
        percentile (float, optional): this percentile, in [0, 100], of the distances instead of the
            largest.
        directed (bool): whether only distances from the prediction to the label count. Default:
            False.
        crop (bool): accepted; the result does not depend on it.

    Raises:
        TypeError: ``percentile`` is no float, ``directed`` or ``crop`` no bool.
        ValueError: ``distance_metric`` is unknown or ``percentile`` out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.train import HausdorffDistance
        >>> HausdorffDistance()(np.array([[0, 0, 0, 1]]), np.array([[1, 0, 0, 0]]), 1)
        3.0
    """

    def __init__(self, distance_metric="euclidean", percentile=None, directed=False, crop=True):
        super().__init__(distance_metric)
        if percentile is not None:
            typed("HausdorffDistance", "percentile", percentile, float)
        typed("HausdorffDistance", "directed", directed, bool)
        typed("HausdorffDistance", "crop", crop, bool)
        if percentile is not None and not 0 <= percentile <= 100:
            raise complain(
                ValueError, f"HausdorffDistance: percentile is {percentile}", expected="in [0, 100]"
            )
        self.percentile, self.directed = percentile, directed

    def eval(self) -> float:
        self._need(self._masks is not None)
        pred, label = self._masks
        ways = [self._distances(pred, label)] + (
            [] if self.directed else [self._distances(label, pred)]
        )
        return max(self._largest(d) for d in ways)

    def _largest(self, distances: np.ndarray) -> float:
        if not distances.size:
            return float("nan")
        return float(
            distances.max()
            if self.percentile is None
            else np.percentile(distances, self.percentile)
        )


class MeanSurfaceDistance(_Surface):
    """The mean distance from the surface of the prediction to that of the label.

    Args:
        symmetric (bool): whether it is averaged with the mean distance from the label to the
            prediction. Default: False.
        distance_metric (str): as in `HausdorffDistance`. Default: ``"euclidean"``.

    Examples:
        >>> import numpy as np
        >>> from minds.train import MeanSurfaceDistance
        >>> MeanSurfaceDistance()(np.array([[0, 1, 1, 1]]), np.array([[1, 0, 0, 0]]), 1)
        2.0
    """

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean"):
        super().__init__(distance_metric)
        typed(type(self).__name__, "symmetric", symmetric, bool)
        self.symmetric = symmetric

    def _mean(self, power: int) -> float:
        """The mean of a power of the distances, averaged over directions."""
        self._need(self._masks is not None)
        pred, label = self._masks
        ways = [self._distances(pred, label)] + (
            [self._distances(label, pred)] if self.symmetric else []
        )
        return float(np.mean([(d**power).mean() if d.size else np.nan for d in ways]))

    def eval(self) -> float:
        return self._mean(1)


class RootMeanSquareDistance(MeanSurfaceDistance):
    """The root of the mean squared distance from the surface of the prediction to that of the
    label.

    Args:
        symmetric (bool): whether the mean square is averaged with that from the label to the
            prediction. Default: False.
        distance_metric (str): as in `HausdorffDistance`. Default: ``"euclidean"``.

    Note:
        MindSpore 2.10 leaves the root out where ``symmetric`` is False.

    Examples:
        >>> from minds import train
        >>> round(train.RootMeanSquareDistance()([[0, 1, 1, 1]], [[1, 0, 0, 0]], 1), 3)
        2.16
    """

    def eval(self) -> float:
        return math.sqrt(self._mean(2))
