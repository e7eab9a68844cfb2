"""Losses and distances."""

from __future__ import annotations

import numpy as np

from ..base.errors import complain
from .base import Metric, rearrange_inputs, typed


class _Average(Metric):
    """A sum, divided by how many there were."""

    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self._sum, self._count = 0.0, 0

    def eval(self) -> float:
        self._need(self._count)
        return self._sum / self._count


class Loss(_Average):
    """The mean of the batches' losses.

    Examples:
        >>> import minds as ms
        >>> loss = ms.train.Loss()
        >>> loss.update(ms.Tensor(1.0))
        >>> loss.update(ms.Tensor(3.0))
        >>> loss.eval()
        2.0
    """

    @rearrange_inputs
    def update(self, *inputs):
        loss = self._inputs(inputs, 1, "the loss")[0]
        if loss.ndim > 1 or not loss.size:
            raise complain(
                ValueError, f"Loss.update: the loss has shape {loss.shape}", expected="() or (N,)"
            )
        self._sum += float(loss.mean())
        self._count += 1


class _Error(_Average):
    """The sum of an error over all elements, per sample."""

    @rearrange_inputs
    def update(self, *inputs):
        pred, label = self._inputs(inputs, 2, "prediction and label")
        if pred.shape != label.shape or pred.ndim == 0:
            raise complain(
                ValueError,
                f"{type(self).__name__}.update: the prediction has shape {pred.shape}, the label "
                f"{label.shape}",
                expected="one shape (N, …)",
            )
        self._sum += float(self._error(pred.astype(np.float64) - label).sum())
        self._count += len(label)

    @staticmethod
    def _error(difference):
        raise NotImplementedError


class MAE(_Error):
    r"""The absolute error, summed over elements and averaged over samples: :math:`\sum |\hat y -
    y| / N`.

    Examples:
        >>> import minds as ms
        >>> ms.train.MAE()(ms.Tensor([0.0, 2.0]), ms.Tensor([1.0, 1.0]))
        1.0
    """

    @staticmethod
    def _error(difference):
        return np.abs(difference)


class MSE(_Error):
    r"""The squared error, summed over elements and averaged over samples: :math:`\sum (\hat y -
    y)^2 / N`.

    Examples:
        >>> import minds as ms
        >>> ms.train.MSE()(ms.Tensor([0.0, 2.0]), ms.Tensor([2.0, 2.0]))
        2.0
    """

    @staticmethod
    def _error(difference):
        return difference * difference


class Dice(_Average):
    r"""The overlap of two masks, :math:`2 \sum \hat y y / (\sum \hat y^2 + \sum y^2 + s)` of each
    update.

    As in MindSpore, the sum over updates is divided by the number of samples.

    Args:
        smooth (float): keeps the quotient defined. Default: 1e-5.

    Raises:
        TypeError: ``smooth`` is no float.
        ValueError: ``smooth`` is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import train
        >>> round(train.Dice()(ms.Tensor([[0.0, 1.0]]), ms.Tensor([[1.0, 1.0]])), 3)
        0.667
    """

    def __init__(self, smooth: float = 1e-5):
        super().__init__()
        typed("Dice", "smooth", smooth, float)
        if smooth <= 0:
            raise complain(ValueError, f"Dice: smooth is {smooth!r}", expected="a positive number")
        self.smooth = smooth

    @rearrange_inputs
    def update(self, *inputs):
        pred, label = (
            x.astype(np.float64) for x in self._inputs(inputs, 2, "prediction and label")
        )
        if pred.shape != label.shape:
            raise complain(
                ValueError,
                f"Dice.update: the prediction has shape {pred.shape}, the label {label.shape}",
            )
        both = (pred * label).sum()
        self._sum += float(2 * both / ((pred * pred).sum() + (label * label).sum() + self.smooth))
        self._count += len(label)


class CosineSimilarity(Metric):
    """The similarity of each row of a matrix to each other row.

    Args:
        similarity (str): ``"cosine"``, or ``"dot"``: without dividing by the norms. Default:
            ``"cosine"``.
        reduction (str): ``"none"``, ``"sum"`` or ``"mean"`` over the last axis. Default:
            ``"none"``.
        zero_diagonal (bool): whether a row's similarity to itself is given as 0. Default: True.

    Raises:
        TypeError: ``similarity`` or ``reduction`` is no str, or ``zero_diagonal`` no bool.
        ValueError: ``similarity`` or ``reduction`` is unknown.

    Examples:
        >>> import minds as ms
        >>> from minds import train
        >>> rows = ms.Tensor([[3.0, 4.0], [4.0, 3.0]])
        >>> print(train.CosineSimilarity()(rows).round(2))
        [[0.   0.96]
         [0.96 0.  ]]
    """

    def __init__(
        self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True
    ):
        super().__init__()
        typed("CosineSimilarity", "similarity", similarity, str)
        typed("CosineSimilarity", "reduction", reduction, str)
        typed("CosineSimilarity", "zero_diagonal", zero_diagonal, bool)
        if similarity not in ("cosine", "dot") or reduction not in ("none", "sum", "mean"):
            raise complain(
                ValueError,
                f"CosineSimilarity: similarity is {similarity!r}, reduction {reduction!r}",
                expected="'cosine' or 'dot', and 'none', 'sum' or 'mean'",
            )
        self.similarity, self.reduction, self.zero_diagonal = similarity, reduction, zero_diagonal
        self.clear()

    def clear(self):
        self._matrix = None

    @rearrange_inputs
    def update(self, *inputs):
        rows = self._inputs(inputs, 1, "a matrix")[0]
        if rows.ndim != 2:
            raise complain(
                ValueError,
                f"CosineSimilarity.update: an array of shape {rows.shape}",
                expected="(N, D)",
            )
        if self.similarity == "cosine":
            rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self._matrix = rows @ rows.T
        if self.zero_diagonal:
            np.fill_diagonal(self._matrix, 0)

    def eval(self) -> np.ndarray:
        self._need(self._matrix is not None)
        if self.reduction == "none":
            return self._matrix
        return self._matrix.sum(-1) if self.reduction == "sum" else self._matrix.mean(-1)
