"""Transforms of a batch that mix its images and labels."""

from __future__ import annotations

import math

import numpy as np

from ...base.worded import complain
from .. import rowrng
from ..recorded import Recorded
from . import checks
from .checks import checked
from .utils import ImageBatchFormat


def _hot(labels: np.ndarray, name: str) -> np.ndarray:
    """Labels (N, C) or (N, L, C) as numbers that can be mixed."""
    if labels.ndim not in (2, 3):
        raise complain(
            RuntimeError,
            f"{name}: wrong labels shape. The second column (labels) must have a shape of NC or NLC "
            f"where N is the batch size, L is the number of labels in each row, and C is the number "
            f"of classes. labels must be in one-hot format and in a batch, but got rank: "
            f"{labels.ndim}",
        )
    return labels.astype(np.float32)


class _Batch(Recorded):
    """Takes a batch of images and their labels."""

    def _arrays(self, values: tuple) -> tuple[np.ndarray, np.ndarray]:
        """The images and the labels."""
        name = type(self).__name__
        if len(values) != 2:
            raise complain(
                RuntimeError,
                f"{name}: size of input data should be 2 (including images or labels), "
                f"but got: {len(values)}, check 'input_columns' when call this operator.",
            )
        for v in values:
            if not isinstance(v, np.ndarray):
                said = f"Input should be NumPy or PIL image, got {type(v)}."
                raise complain(TypeError, said)
        images, labels = values
        if images.ndim != 4:
            raise complain(
                RuntimeError,
                f"{name}: input image is not in shape of <N,H,W,C> or <N,C,H,W>, did you forget to "
                f"batch? But got rank: {images.ndim}. Call batch() first.",
            )
        labels = _hot(labels, name)
        if len(labels) != len(images):
            raise complain(
                RuntimeError,
                f"{name}: rows of labels and images must be equal, but got: {len(labels)} labels "
                f"and {len(images)} images",
            )
        return images, labels


class MixUpBatch(_Batch):
    """Each image and label of a batch mixed with another of it; the part is drawn for the batch.

    Source: H. Zhang and others, mixup: Beyond empirical risk minimization, 2018.

    Args:
        alpha (float): both parameters of the Beta distribution that the part is drawn from, positive.
            Default: 1.0.

    Raises:
        TypeError: ``alpha`` is no number.
        ValueError: it is not positive.
        RuntimeError: the input is no batch of images (N, H, W, C) and labels (N, C) or (N, L, C).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> images, labels = vision.MixUpBatch()(np.ones((2, 4, 4, 3), np.uint8), np.eye(2))
        >>> labels.sum(1).tolist()
        [1.0, 1.0]
    """

    @checked(alpha=checks.positive(int, float))
    def __init__(self, alpha: float = 1.0):
        checks.in_range(0, checks.FLOAT_MAX, "", alpha, "(]")
        self.alpha = alpha

    def __call__(self, *values):
        images, labels = self._arrays(values)
        rng = rowrng.current()
        part = np.float32(rng.beta(self.alpha, self.alpha))
        other = rng.permutation(len(images))
        mixed = images.astype(np.float32) * part + images[other].astype(np.float32) * (1 - part)
        made = np.rint(mixed) if images.dtype.kind in "iu" else mixed
        return made.astype(images.dtype), labels * part + labels[other] * (1 - part)


class CutMixBatch(_Batch):
    """A part of each image of a batch replaced by that of another; labels by the parts of the area.

    Source: S. Yun and others, CutMix: Regularization strategy to train strong classifiers with
    localizable features, 2019.

    Args:
        image_batch_format (ImageBatchFormat): where the channels are.
        alpha (float): both parameters of the Beta distribution that the part is drawn from, positive.
            Default: 1.0.
        prob (float): the probability for an image, in [0, 1]. Default: 1.0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the input is no batch of images and labels (N, C) or (N, L, C).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> cut_mix = vision.CutMixBatch(vision.ImageBatchFormat.NHWC)
        >>> images, labels = cut_mix(np.ones((2, 4, 4, 3), np.uint8), np.eye(2))
        >>> images.shape
        (2, 4, 4, 3)
    """

    @checked(
        image_batch_format=checks.of(ImageBatchFormat),
        alpha=checks.of(int, float),
        prob=checks.of(int, float),
    )
    def __init__(self, image_batch_format, alpha: float = 1.0, prob: float = 1.0):
        checks.in_range(0, checks.FLOAT_MAX, "", alpha, "(]")
        checks.in_range(0, 1, "prob", prob)
        self.format, self.alpha, self.prob = image_batch_format, alpha, prob

    def __call__(self, *values):
        images, labels = self._arrays(values)
        last = self.format is ImageBatchFormat.NHWC
        channels = images.shape[3 if last else 1]
        if channels not in (1, 3):
            raise complain(
                RuntimeError,
                f"CutMixBatch: input image is not in channel of 1 or 3, but got channel: {channels}",
            )
        made, mixed = images.copy(), labels.copy()
        rng = rowrng.current()
        other, (height, width) = (
            rng.permutation(len(images)),
            images.shape[1:3] if last else images.shape[2:],
        )
        for i, j in enumerate(other):
            part = rng.beta(self.alpha, self.alpha)
            y, x, h, w = self._box(rng, height, width, part)
            if rng.random() >= self.prob:
                continue
            cut = (slice(y, y + h), slice(x, x + w))
            cut = cut if last else (slice(None), *cut)
            made[i][cut] = images[j][cut]
            kept = np.float32(1 - h * w / (height * width))
            mixed[i] = labels[i] * kept + labels[j] * (1 - kept)
        return made, mixed

    @staticmethod
    def _box(rng, height: int, width: int, part: float) -> tuple[int, int, int, int]:
        """Top, left, height and width of a box about a random place, cut at the image's edge."""
        side = math.sqrt(1 - part)
        h, w = int(height * side), int(width * side)
        y, x = int(rng.integers(height)), int(rng.integers(width))
        top, left = max(y - h // 2, 0), max(x - w // 2, 0)
        return top, left, min(y + h // 2, height) - top, min(x + w // 2, width) - left


class MixUp(Recorded):
    """Each image and label of a batch mixed with another; the part is drawn for each image. One image that is
    mixed with the last result is mixed ``batch_size`` times.

    Args:
        batch_size (int): the number of images, positive.
        alpha (float): both parameters of the Beta distribution that the parts are drawn from, positive.
        is_single (bool): whether images are mixed with the next of their batch, instead of with the last
            result. Default: True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> images, labels = vision.MixUp(2, 0.5)(np.ones((2, 4, 4, 3)), np.eye(2))
        >>> images.shape, labels.shape
        ((2, 4, 4, 3), (2, 2))
    """

    @checked(
        is_single=checks.FLAG,
        batch_size=checks.within(1, checks.FLOAT_MAX, int, named=False),
        alpha=checks.positive(int, float),
    )
    def __init__(self, batch_size: int, alpha: float, is_single: bool = True):
        self.size, self.alpha, self.is_single = batch_size, alpha, is_single
        self.last = None

    def __call__(self, images, labels):
        parts = rowrng.current().beta(self.alpha, self.alpha, self.size)
        if self.is_single:
            other = np.roll(images, -1, 0), np.roll(labels, -1, 0)
        else:
            other = self.last or (images, labels)
        if not self.is_single and np.ndim(images) == 3:
            images, other = np.asarray(images)[None], (np.asarray(other[0]), other[1])
        made = tuple(
            parts.reshape(-1, *[1] * (np.ndim(x) - 1)) * x
            + (1 - parts).reshape(-1, *[1] * (np.ndim(x) - 1)) * y
            for x, y in zip((images, labels), other)
        )
        self.last = None if self.is_single else made
        return made
