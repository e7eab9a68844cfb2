"""Metrics of language models."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from ..base.errors import complain
from .base import Metric, rearrange_inputs, typed


class Perplexity(Metric):
    r"""How many words the model hesitates between: :math:`\exp(-\frac1N \sum \ln p(w_i))`.

    Args:
        ignore_label (int, optional): a label, such as padding, that does not count.

    Raises:
        TypeError: ``ignore_label`` is no int.

    Examples:
        >>> import minds as ms
        >>> ms.train.Perplexity()(ms.Tensor([[0.5, 0.5], [0.5, 0.5]]), ms.Tensor([0, 1]))
        2.0
    """

    def __init__(self, ignore_label: int | None = None):
        super().__init__()
        if ignore_label is not None and (
            isinstance(ignore_label, bool) or not isinstance(ignore_label, int)
        ):
            raise complain(
                TypeError,
                f"Perplexity: ignore_label has type {type(ignore_label).__name__}",
                expected="an int",
            )
        self.ignore_label = ignore_label
        self.clear()

    def clear(self):
        self._sum, self._count = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs):
        pred, label = self._inputs(inputs, 2, "probabilities and labels")
        classes = pred.shape[-1] if pred.ndim else 0
        if pred.ndim < 2 or label.size * classes != pred.size:
            raise complain(
                RuntimeError,
                f"Perplexity.update: the prediction has shape {pred.shape}, the label "
                f"{label.shape}",
                expected="(…, C) and (…)",
            )
        label = label.reshape(-1).astype(np.int64)
        if label.size and (label.min() < 0 or label.max() >= classes):
            raise complain(
                ValueError,
                f"Perplexity.update: labels from {label.min()} to {label.max()} with {classes} "
                "classes",
            )
        p = np.take_along_axis(pred.reshape(-1, classes).astype(np.float64), label[:, None], 1)[
            :, 0
        ]
        if self.ignore_label is not None:
            p = p[label != self.ignore_label]
        self._sum -= float(np.log(np.maximum(p, 1e-10)).sum())
        self._count += p.size

    def eval(self) -> float:
        self._need(self._count)
        return math.exp(self._sum / self._count)


class BleuScore(Metric):
    """How alike a translation and its references are, by their n-grams.

    Args:
        n_gram (int): the longest n-grams, 1 to 4. Default: 4.
        smooth (bool): whether one is added to the counts of n-grams of two words and more. Default:
            False.

    Raises:
        TypeError: ``n_gram`` is no int or ``smooth`` no bool.
        ValueError: ``n_gram`` is out of range.

    Source: K. Papineni et al., BLEU: a method for automatic evaluation of machine translation,
        2002;
        smoothing: Lin, Och 2004.

    Examples:
        >>> from minds import train
        >>> words = "the cat is on the mat".split()
        >>> round(train.BleuScore(2)([words], [["the cat sat on the mat".split()]]), 3)
        0.707
    """

    def __init__(self, n_gram: int = 4, smooth: bool = False):
        super().__init__()
        typed("BleuScore", "n_gram", n_gram, int)
        typed("BleuScore", "smooth", smooth, bool)
        if not 1 <= n_gram <= 4:
            raise complain(ValueError, f"BleuScore: n_gram is {n_gram}", expected="in [1, 4]")
        self.n_gram, self.smooth = n_gram, smooth
        self.clear()

    def clear(self):
        self._found, self._all = np.zeros(self.n_gram), np.zeros(self.n_gram)
        self._length, self._reference_length = 0, 0

    @staticmethod
    def _grams(words, longest: int) -> Counter:
        return Counter(
            tuple(words[i : i + n])
            for n in range(1, longest + 1)
            for i in range(len(words) - n + 1)
        )

    @rearrange_inputs
    def update(self, *inputs):
        if len(inputs) != 2:
            raise complain(
                ValueError,
                f"BleuScore.update: {len(inputs)} inputs",
                expected="2 (candidates and references)",
            )
        candidates, references = inputs
        if len(candidates) != len(references):
            raise complain(
                ValueError,
                f"BleuScore.update: {len(candidates)} candidates and {len(references)} lists of "
                "references",
            )
        for words, several in zip(candidates, references):
            self._length += len(words)
            self._reference_length += min((abs(len(r) - len(words)), len(r)) for r in several)[1]
            most = Counter()
            for r in several:
                most |= self._grams(r, self.n_gram)
            own = self._grams(words, self.n_gram)
            for gram, count in (own & most).items():
                self._found[len(gram) - 1] += count
            for gram, count in own.items():
                self._all[len(gram) - 1] += count

    def eval(self) -> float:
        self._need(self._length)
        if not self._found.all() and not self.smooth or not self._found.any():
            return 0.0
        extra = np.where(np.arange(self.n_gram) > 0, float(self.smooth), 0.0)
        precision = (self._found + extra) / (self._all + extra)
        if not precision.all():
            return 0.0
        brevity = min(0.0, 1 - self._reference_length / self._length)
        return float(np.exp(np.log(precision).mean() + brevity))
