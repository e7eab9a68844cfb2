"""Accuracy, precision, recall and their relatives."""

from __future__ import annotations

import numpy as np

from ..base.errors import complain
from .base import EvaluationBase, Metric, classes_of, rearrange_inputs


class Accuracy(EvaluationBase):
    """The share of samples that are right; in multilabel, of samples whose labels are all right.

    Args:
        eval_type (str): ``"classification"`` or ``"multilabel"``. Default: ``"classification"``.

    Raises:
        TypeError: ``eval_type`` is unknown.

    Examples:
        >>> import minds as ms
        >>> accuracy = ms.train.Accuracy()
        >>> accuracy.update(ms.Tensor([[0.9, 0.1], [0.3, 0.7]]), ms.Tensor([0, 0]))
        >>> accuracy.eval()
        0.5
    """

    def __init__(self, eval_type: str = "classification"):
        super().__init__(eval_type)

    def clear(self):
        self._right, self._count, self._classes = 0, 0, 0

    @rearrange_inputs
    def update(self, *inputs):
        pred, label = self._pair(inputs)
        right = (
            pred.argmax(1) == label if self._type == "classification" else (pred == label).all(1)
        )
        self._right += int(right.sum())
        self._count += right.size

    def eval(self) -> float:
        self._need(self._count)
        return self._right / self._count


class _PerClass(EvaluationBase):
    """Counts true, predicted and actual positives: per class, in multilabel per sample."""

    def __init__(self, eval_type: str = "classification"):
        super().__init__(eval_type)

    def clear(self):
        self._hits = self._predicted = self._actual = None
        self._classes = 0

    @rearrange_inputs
    def update(self, *inputs):
        pred, label = self._pair(inputs)
        if self._type == "multilabel":
            pred, label = (np.moveaxis(a, 1, -1).reshape(-1, self._classes) for a in (pred, label))
            counts = [(pred * label).sum(1), pred.sum(1), label.sum(1)]
            join = np.append
        else:
            classes, label = self._classes, label.ravel()
            if label.size and (label.min() < 0 or label.max() >= classes):
                raise complain(
                    ValueError,
                    f"{type(self).__name__}.update: label {label.max()} with {classes} classes"
                    if label.max() >= classes
                    else f"{type(self).__name__}.update: label {label.min()}",
                )
            found = pred.argmax(1).ravel()
            counts = [
                np.bincount(label[found == label].astype(int), minlength=classes),
                np.bincount(found, minlength=classes),
                np.bincount(label.astype(int), minlength=classes),
            ]
            join = np.add
        if self._hits is not None:
            counts = [
                join(old, new)
                for old, new in zip((self._hits, self._predicted, self._actual), counts)
            ]
        self._hits, self._predicted, self._actual = (c.astype(np.float64) for c in counts)

    def _ratio(self, part, whole, average: bool):
        self._need(whole is not None)
        ratio = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
        return float(ratio.mean()) if average else ratio


class Precision(_PerClass):
    """Per class: the share of predictions that are right, :math:`TP / (TP + FP)`; 0 without
    predictions.

    Args:
        eval_type (str): ``"classification"``, or ``"multilabel"``: one value per sample. Default:
            ``"classification"``.

    Raises:
        TypeError: ``eval_type`` is unknown.

    Examples:
        >>> import minds as ms
        >>> from minds import train
        >>> prediction = ms.Tensor([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]])
        >>> print(train.Precision()(prediction, ms.Tensor([0, 1, 0])))
        [1.  0.5]
    """

    def eval(self, average: bool = False):
        """The precision of each class, or their mean.

        Args:
            average (bool): whether the mean is returned. Default: False.

        Returns:
            numpy.ndarray: one value per class, or in multilabel per sample; or their mean, a float.

        Examples:
            >>> import minds as ms
            >>> from minds import train
            >>> precision = train.Precision()
            >>> precision.update(ms.Tensor([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]]), ms.Tensor([0, 1, 0]))
            >>> precision.eval(average=True)
            0.75
        """
        return self._ratio(self._hits, self._predicted, average)


class Recall(_PerClass):
    """Per class: the share of samples that are found, :math:`TP / (TP + FN)`; 0 where there are
    none.

    Args:
        eval_type (str): ``"classification"``, or ``"multilabel"``: one value per sample. Default:
            ``"classification"``.

    Raises:
        TypeError: ``eval_type`` is unknown.

    Examples:
        >>> import minds as ms
        >>> from minds import train
        >>> prediction = ms.Tensor([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]])
        >>> print(train.Recall()(prediction, ms.Tensor([0, 1, 0])))
        [0.5 1. ]
    """

    def eval(self, average: bool = False):
        """The recall of each class, or their mean.

        Args:
            average (bool): whether the mean is returned. Default: False.

        Returns:
            numpy.ndarray: one value per class, or in multilabel per sample; or their mean, a float.

        Examples:
            >>> import minds as ms
            >>> from minds import train
            >>> recall = train.Recall()
            >>> recall.update(ms.Tensor([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]]), ms.Tensor([0, 1, 0]))
            >>> recall.eval(average=True)
            0.75
        """
        return self._ratio(self._hits, self._actual, average)


class Fbeta(_PerClass):
    r"""Per class: :math:`(1 + \beta^2) \, P R / (\beta^2 P + R)` of precision and recall.

    Args:
        beta (float): how much recall counts.

    Raises:
        ValueError: ``beta`` is no positive number.

    Examples:
        >>> import minds as ms
        >>> from minds import train
        >>> prediction = ms.Tensor([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]])
        >>> print(train.Fbeta(2)(prediction, ms.Tensor([0, 1, 0])).round(3))
        [0.556 0.833]
    """

    def __init__(self, beta):
        if isinstance(beta, bool) or not isinstance(beta, (int, float)) or beta <= 0:
            raise complain(
                ValueError, f"{type(self).__name__}: beta is {beta!r}", expected="a positive number"
            )
        super().__init__("classification")
        self.beta = beta

    def eval(self, average: bool = False):
        """The value of each class, or their mean.

        Args:
            average (bool): whether the mean is returned. Default: False.

        Returns:
            numpy.ndarray: one value per class, or in multilabel per sample; or their mean, a float.

        Examples:
            >>> import minds as ms
            >>> from minds import train
            >>> metric = train.Fbeta(1)
            >>> metric.update(ms.Tensor([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]]), ms.Tensor([0, 1, 0]))
            >>> round(metric.eval(average=True), 3)
            0.667
        """
        self._need(self._hits is not None)
        square = self.beta**2
        return self._ratio(
            (1 + square) * self._hits, square * self._actual + self._predicted, average
        )


class F1(Fbeta):
    """The harmonic mean of precision and recall: `Fbeta` with ``beta`` 1.

    Examples:
        >>> import minds as ms
        >>> from minds import train
        >>> prediction = ms.Tensor([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]])
        >>> print(train.F1()(prediction, ms.Tensor([0, 1, 0])).round(3))
        [0.667 0.667]
    """

    def __init__(self):
        super().__init__(1.0)


class TopKCategoricalAccuracy(Metric):
    """The share of samples whose class is among the ``k`` most likely.

    Args:
        k (int): how many classes count as found.

    Raises:
        TypeError: ``k`` is no int.
        ValueError: ``k`` is not positive.

    Examples:
        >>> import minds as ms
        >>> metric = ms.train.TopKCategoricalAccuracy(2)
        >>> metric(ms.Tensor([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2]]), ms.Tensor([1, 2]))
        0.5
    """

    def __init__(self, k: int):
        super().__init__()
        if isinstance(k, bool) or not isinstance(k, int):
            raise complain(
                TypeError,
                f"{type(self).__name__}: k has type {type(k).__name__}",
                expected="an int",
            )
        if k < 1:
            raise complain(
                ValueError, f"{type(self).__name__}: k is {k}", expected="a positive int"
            )
        self.k = k
        self.clear()

    def clear(self):
        self._right, self._count = 0, 0

    @rearrange_inputs
    def update(self, *inputs):
        pred, label = self._inputs(inputs, 2, "prediction and label")
        if label.ndim == 2 and label.shape == pred.shape:
            label = classes_of(label, f"{type(self).__name__}.update")
        if pred.ndim != 2 or label.shape != pred.shape[:1]:
            raise complain(
                ValueError,
                f"{type(self).__name__}.update: the prediction has shape {pred.shape}, the label "
                f"{label.shape}",
                expected="(N, C) and (N,) or one-hot (N, C)",
            )
        best = np.argsort(-pred, 1, kind="stable")[:, : self.k]
        self._right += int((best == label[:, None]).any(1).sum())
        self._count += len(label)

    def eval(self) -> float:
        self._need(self._count)
        return self._right / self._count


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """The share of samples whose class is the most likely: `TopKCategoricalAccuracy` with ``k`` 1.

    Examples:
        >>> import minds as ms
        >>> from minds import train
        >>> train.Top1CategoricalAccuracy()(ms.Tensor([[0.5, 0.3], [0.5, 0.3]]), ms.Tensor([0, 1]))
        0.5
    """

    def __init__(self):
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """The share of samples whose class is among the five most likely: `TopKCategoricalAccuracy`
    with ``k`` 5.

    Examples:
        >>> import minds as ms
        >>> from minds import train
        >>> scores = ms.Tensor([[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]] * 2)
        >>> train.Top5CategoricalAccuracy()(scores, ms.Tensor([4, 5]))
        0.5
    """

    def __init__(self):
        super().__init__(5)
