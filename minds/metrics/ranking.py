"""The receiver operating characteristic and areas under curves."""

from __future__ import annotations

import numpy as np

from ..base.errors import complain
from .base import Metric, rearrange_inputs


def _curve(score: np.ndarray, positive: np.ndarray):
    """False positive rate, true positive rate and threshold at each distinct score, from the
    highest down.
    """
    order = np.argsort(-score, kind="stable")
    score, positive = score[order], positive[order]
    last = np.append(np.flatnonzero(np.diff(score)), len(score) - 1)
    tp = np.cumsum(positive)[last]
    fp = 1 + last - tp
    if not positive.any() or positive.all():
        raise complain(
            ValueError,
            f"ROC: all labels are {'positive' if positive.any() else 'negative'}",
            expected="both kinds",
        )
    first = score[last][:1] + 1
    return (
        np.append(0.0, fp / fp[-1]),
        np.append(0.0, tp / tp[-1]),
        np.append(first, score[last]).astype(score.dtype),
    )


class ROC(Metric):
    """The receiver operating characteristic.

    Args:
        class_num (int, optional): the number of classes, of which each in turn is the positive one.
            Default: two classes.
        pos_label (int, optional): the positive class of two. Default: 1.

    Raises:
        TypeError: an argument is no int.

    Examples:
        >>> import minds as ms
        >>> roc = ms.train.ROC(pos_label=1)
        >>> fpr, tpr, thresholds = roc(ms.Tensor([0.1, 0.4, 0.35, 0.8]), ms.Tensor([0, 0, 1, 1]))
        >>> fpr.tolist(), tpr.tolist()
        ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """

    def __init__(self, class_num: int | None = None, pos_label: int | None = None):
        super().__init__()
        for name, v in (("class_num", class_num), ("pos_label", pos_label)):
            if v is not None and (isinstance(v, bool) or not isinstance(v, int)):
                raise complain(
                    TypeError, f"ROC: {name} has type {type(v).__name__}", expected="an int"
                )
        self.class_num, self.pos_label = class_num, pos_label
        self.clear()

    def clear(self):
        self._scores, self._labels = [], []

    @rearrange_inputs
    def update(self, *inputs):
        score, label = self._inputs(inputs, 2, "prediction and label")
        if self._classes() == 1 and score.shape == label.shape:
            score, label = score.reshape(-1), label.reshape(-1)
        if (
            len(score) != len(label)
            or label.ndim != 1
            or score.ndim != (1 if self._classes() == 1 else 2)
        ):
            raise complain(
                ValueError,
                f"ROC.update: the prediction has shape {score.shape}, the label {label.shape}",
                expected="equal shapes, or (N, C) and (N,) with class_num",
            )
        self._scores.append(score)
        self._labels.append(label)

    def _classes(self) -> int:
        return self.class_num or 1

    def eval(self):
        """The points of the curve, from the highest threshold down.

        Returns:
            tuple[numpy.ndarray]: false positive rates, true positive rates, thresholds; with
                ``class_num`` three lists of arrays, one per class.

        Raises:
            ValueError: all labels are of one kind.

        Examples:
            >>> import minds as ms
            >>> from minds import train
            >>> roc = train.ROC()
            >>> roc.update(ms.Tensor([0.25, 0.75]), ms.Tensor([0, 1]))
            >>> for part in roc.eval():
            ...     print(part)
            [0. 0. 1.]
            [0. 1. 1.]
            [1.75 0.75 0.25]
        """
        self._need(self._scores)
        score, label = np.concatenate(self._scores), np.concatenate(self._labels)
        if self._classes() == 1:
            return _curve(score, label == (1 if self.pos_label is None else self.pos_label))
        curves = [_curve(score[:, c], label == c) for c in range(self.class_num)]
        return tuple(list(part) for part in zip(*curves))


def auc(x, y, reorder: bool = False) -> float:
    """The area under a curve, by trapezoids.

    Args:
        x (array): where, rising or falling.
        y (array): the values there.
        reorder (bool): whether points are sorted by ``x`` first. Default: False.

    Returns:
        float: the area.

    Raises:
        ValueError: the lengths differ, there are fewer than two points, or ``x`` goes up and down.

    Examples:
        >>> from minds.train import auc
        >>> auc([0.0, 0.5, 1.0], [0.0, 0.75, 1.0])
        0.625
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
        raise complain(
            ValueError,
            f"auc: x has shape {x.shape}, y {y.shape}",
            expected="two arrays of one length of at least 2",
        )
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    step = np.diff(x)
    if (step < 0).any() and (step > 0).any():
        raise complain(ValueError, "auc: x goes up and down", cure="pass reorder=True")
    return float(abs((step * (y[1:] + y[:-1])).sum() / 2))
