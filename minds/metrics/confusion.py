"""Confusion matrices and what is computed from their four counts."""

from __future__ import annotations

import numpy as np

from ..base.errors import complain
from .base import Metric, rearrange_inputs, typed


class ConfusionMatrix(Metric):
    """How often each class (row) was predicted as each class (column).

    Args:
        num_classes (int): the number of classes.
        normalize (str): divide by nothing (``"no_norm"``), the row (``"target"``), the column
            (``"prediction"``) or the number of samples (``"all"``). Default: ``"no_norm"``.
        threshold (float): from where on a probability of two classes means class 1. Default: 0.5.

    Raises:
        TypeError: ``num_classes`` is no int, ``normalize`` no str or ``threshold`` no float.
        ValueError: ``num_classes`` is not positive or ``normalize`` unknown.

    Examples:
        >>> import minds as ms
        >>> matrix = ms.train.ConfusionMatrix(2)
        >>> matrix(ms.Tensor([1, 0, 1]), ms.Tensor([1, 0, 0])).tolist()
        [[1.0, 1.0], [0.0, 1.0]]
    """

    _MODES = ("no_norm", "target", "prediction", "all")

    def __init__(self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5):
        super().__init__()
        if isinstance(num_classes, bool) or not isinstance(num_classes, int):
            raise complain(
                TypeError,
                f"ConfusionMatrix: num_classes has type {type(num_classes).__name__}",
                expected="an int",
            )
        typed("ConfusionMatrix", "normalize", normalize, str)
        typed("ConfusionMatrix", "threshold", threshold, float)
        if num_classes < 1 or normalize not in self._MODES:
            raise complain(
                ValueError,
                f"ConfusionMatrix: num_classes is {num_classes}, normalize {normalize!r}",
                expected=f"a positive int, and one of {', '.join(self._MODES)}",
            )
        self.num_classes, self.normalize, self.threshold = num_classes, normalize, threshold
        self.clear()

    def clear(self):
        self._matrix, self._updated = np.zeros((self.num_classes, self.num_classes)), False

    @rearrange_inputs
    def update(self, *inputs):
        pred, label = self._inputs(inputs, 2, "prediction and label")
        if pred.ndim == label.ndim + 1:
            pred = pred.argmax(1)
        elif pred.dtype.kind == "f":
            pred = pred >= self.threshold
        if pred.shape != label.shape:
            raise complain(
                ValueError,
                f"ConfusionMatrix.update: the prediction has shape {pred.shape}, the label "
                f"{label.shape}",
                expected="(N, …) or (N, C, …), and (N, …)",
            )
        pred, label = pred.ravel().astype(np.int64), label.ravel().astype(np.int64)
        for name, ids in (("prediction", pred), ("label", label)):
            if ids.size and (ids.min() < 0 or ids.max() >= self.num_classes):
                raise complain(
                    ValueError,
                    f"ConfusionMatrix.update: a {name} is out of range [0, {self.num_classes})",
                )
        n = self.num_classes
        self._matrix += np.bincount(label * n + pred, minlength=n * n).reshape(n, n)
        self._updated = True

    def eval(self) -> np.ndarray:
        self._need(self._updated)
        axes = {"no_norm": None, "target": 1, "prediction": 0, "all": (0, 1)}[self.normalize]
        if axes is None:
            return self._matrix.copy()
        total = self._matrix.sum(axes, keepdims=True)
        return np.divide(self._matrix, total, out=np.zeros_like(self._matrix), where=total > 0)


def _ratio(a, b):
    return np.divide(a, b, out=np.full(np.shape(a), np.nan), where=np.asarray(b) != 0)


def _rates(tp, fp, tn, fn):
    """Sensitivity, specificity, precision, negative predictive value."""
    return _ratio(tp, tp + fn), _ratio(tn, tn + fp), _ratio(tp, tp + fp), _ratio(tn, tn + fn)


def _prevalence_threshold(tp, fp, tn, fn):
    tpr, tnr, _, _ = _rates(tp, fp, tn, fn)
    return _ratio(np.sqrt(tpr * (1 - tnr)) + tnr - 1, tpr + tnr - 1)


def _matthews(tp, fp, tn, fn):
    return _ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


_FORMULAS = {
    "sensitivity": lambda tp, fp, tn, fn: _ratio(tp, tp + fn),
    "specificity": lambda tp, fp, tn, fn: _ratio(tn, tn + fp),
    "precision": lambda tp, fp, tn, fn: _ratio(tp, tp + fp),
    "negative_predictive_value": lambda tp, fp, tn, fn: _ratio(tn, tn + fn),
    "miss_rate": lambda tp, fp, tn, fn: _ratio(fn, fn + tp),
    "fall_out": lambda tp, fp, tn, fn: _ratio(fp, fp + tn),
    "false_discovery_rate": lambda tp, fp, tn, fn: _ratio(fp, fp + tp),
    "false_omission_rate": lambda tp, fp, tn, fn: _ratio(fn, fn + tn),
    "prevalence_threshold": _prevalence_threshold,
    "threat_score": lambda tp, fp, tn, fn: _ratio(tp, tp + fn + fp),
    "accuracy": lambda tp, fp, tn, fn: _ratio(tp + tn, tp + fp + tn + fn),
    "balanced_accuracy": lambda *c: (_rates(*c)[0] + _rates(*c)[1]) / 2,
    "f1_score": lambda tp, fp, tn, fn: _ratio(2 * tp, 2 * tp + fn + fp),
    "matthews_correlation_coefficient": _matthews,
    "fowlkes_mallows_index": lambda *c: np.sqrt(_rates(*c)[2] * _rates(*c)[0]),
    "informedness": lambda *c: _rates(*c)[0] + _rates(*c)[1] - 1,
    "markedness": lambda *c: _rates(*c)[2] + _rates(*c)[3] - 1,
}
_ALIASES = {
    "sensitivity": "recall hit_rate true_positive_rate tpr",
    "specificity": "selectivity true_negative_rate tnr",
    "precision": "positive_predictive_value ppv",
    "negative_predictive_value": "npv",
    "miss_rate": "false_negative_rate fnr",
    "fall_out": "false_positive_rate fpr",
    "false_discovery_rate": "fdr",
    "false_omission_rate": "for",
    "prevalence_threshold": "pt",
    "threat_score": "critical_success_index ts csi",
    "accuracy": "acc",
    "balanced_accuracy": "ba",
    "f1_score": "f1",
    "matthews_correlation_coefficient": "mcc",
    "fowlkes_mallows_index": "fm",
    "informedness": "bookmaker_informedness bm",
    "markedness": "deltap mk",
}
_NAMES = {alias: name for name, aliases in _ALIASES.items() for alias in (name, *aliases.split())}
_DECREASE = ("none", "mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel")


class ConfusionMatrixMetric(Metric):
    """A number from true and false positives and negatives of masks (N, C, …) of zeros and ones.

    Args:
        skip_channel (bool): False leaves out the first channel, the background; True counts it, as
            MindSpore does. Default: True.
        metric_name (str): such as ``"sensitivity"``, ``"precision"``, ``"f1_score"``. Default:
            ``"sensitivity"``.
        calculation_method (bool): whether the number is computed per sample and channel and then
            reduced; else it is computed once, from the counts of all. Default: False.
        decrease (str): how the numbers of samples and channels are reduced: ``"none"``, or
            ``"mean"`` or ``"sum"`` over all, over samples (``"mean_batch"``) or channels
            (``"mean_channel"``). NaN does not count. Default: ``"mean"``.

    Raises:
        TypeError: an argument has another type.
        NotImplementedError: ``metric_name`` is unknown.
        ValueError: ``decrease`` is unknown.

    Examples:
        >>> import minds as ms
        >>> from minds import train
        >>> metric = train.ConfusionMatrixMetric(True, "precision")
        >>> metric.update(ms.Tensor([[1, 1, 0]]), ms.Tensor([[1, 0, 0]]))
        >>> print(metric.eval())
        [0.5]
    """

    def __init__(
        self,
        skip_channel: bool = True,
        metric_name: str = "sensitivity",
        calculation_method: bool = False,
        decrease: str = "mean",
    ):
        super().__init__()
        kinds = (
            ("skip_channel", bool),
            ("calculation_method", bool),
            ("metric_name", str),
            ("decrease", str),
        )
        given = skip_channel, calculation_method, metric_name, decrease
        for (name, kind), value in zip(kinds, given, strict=True):
            if not isinstance(value, kind):
                raise complain(
                    TypeError,
                    f"ConfusionMatrixMetric: {name} is {value!r}",
                    expected=f"a {kind.__name__}",
                )
        if metric_name.lower().replace(" ", "_") not in _NAMES:
            raise complain(
                NotImplementedError,
                f"ConfusionMatrixMetric: metric_name is {metric_name!r}",
                expected=f"one of {', '.join(_FORMULAS)}",
            )
        if decrease not in _DECREASE:
            raise complain(
                ValueError,
                f"ConfusionMatrixMetric: decrease is {decrease!r}",
                expected=f"one of {', '.join(_DECREASE)}",
            )
        self.metric_name = _NAMES[metric_name.lower().replace(" ", "_")]
        self.skip_channel, self.calculation_method, self.decrease = (
            skip_channel,
            calculation_method,
            decrease,
        )
        self.clear()

    def clear(self):
        self._counts = []

    @rearrange_inputs
    def update(self, *inputs):
        pred, label = self._inputs(inputs, 2, "prediction and label")
        if pred.shape != label.shape or pred.ndim < 2:
            raise complain(
                ValueError,
                f"ConfusionMatrixMetric.update: the prediction has shape {pred.shape}, the label "
                f"{label.shape}",
                expected="one shape (N, C, …)",
            )
        if not self.skip_channel and pred.shape[1] > 1:
            pred, label = pred[:, 1:], label[:, 1:]
        pred, label = (a.reshape(*a.shape[:2], -1).astype(bool) for a in (pred, label))
        counts = [(pred & label), (pred & ~label), (~pred & ~label), (~pred & label)]
        self._counts.append(np.stack([c.sum(2) for c in counts], -1).astype(np.float64))

    def eval(self) -> np.ndarray:
        self._need(self._counts)
        counts, formula = np.concatenate(self._counts), _FORMULAS[self.metric_name]
        if self.calculation_method:
            return _reduced(formula(*np.moveaxis(counts, -1, 0)), self.decrease)
        return np.atleast_1d(formula(*counts.sum((0, 1))))


def _reduced(a: np.ndarray, how: str) -> np.ndarray:
    """(N, C) over samples and channels, without NaN."""
    if how == "none":
        return a
    what, _, axis = how.partition("_")
    axis = {"": (0, 1), "batch": (0,), "channel": (1,)}[axis]
    total, count = np.nansum(a, axis), (~np.isnan(a)).sum(axis)
    return total if what == "sum" else _ratio(total, count)
