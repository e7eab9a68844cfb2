"""Transforms that choose others at random: published policies and the user's own."""

from __future__ import annotations

import numpy as np

from ...base.worded import complain
from .. import rowrng
from ..recorded import Recorded
from . import checks, enhance, warps
from .checks import checked
from .images import ImageTransform
from .policy_tables import TABLES
from .utils import AutoAugmentPolicy, Inter


def apply(name: str, a: np.ndarray, amount: float, inter: Inter, fill) -> np.ndarray:
    """An array (H, W, 3) changed by one of the operations that policies name. ``amount`` is an angle,
    a part of the image's sides, a change of a factor, bits, or a threshold.
    """
    if name in ("ShearX", "ShearY"):
        turn = np.degrees(np.arctan(amount))
        shear = (turn, 0.0) if name == "ShearX" else (0.0, turn)
        return _moved(a, 0.0, (0.0, 0.0), shear, inter, fill)
    if name in ("TranslateX", "TranslateY"):
        shift = (amount, 0.0) if name == "TranslateX" else (0.0, amount)
        return _moved(a, 0.0, np.trunc(shift), (0.0, 0.0), inter, fill)
    if name == "Rotate":
        return warps.rotate(a, amount, inter, False, None, fill)
    if name in _FACTORS:
        return _FACTORS[name](1.0 + amount).transform(a)
    if name == "Posterize":
        return enhance.Posterize(int(amount)).transform(a)
    if name == "Solarize":
        return enhance.Solarize((min(255.0, amount), 255)).transform(a)
    if name == "Identity":
        return a
    return _WHOLE[name]().transform(a)


_FACTORS = {
    "Brightness": enhance.AdjustBrightness,
    "Color": enhance.AdjustSaturation,
    "Contrast": enhance.AdjustContrast,
    "Sharpness": enhance.AdjustSharpness,
}
_WHOLE = {
    "AutoContrast": enhance.AutoContrast,
    "Equalize": enhance.Equalize,
    "Invert": enhance.Invert,
}
_SIGNED = {"ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate", *_FACTORS}


def _moved(a, angle: float, shift, shear, inter: Inter, fill) -> np.ndarray:
    center = ((a.shape[1] - 1) / 2, (a.shape[0] - 1) / 2)
    matrix = warps.affine_matrix(center, angle, np.array(shift), 1.0, shear)
    return warps.warp(a, warps.inverse(matrix), inter, fill)


def _amounts(bins: int, height: int, width: int, wide: bool) -> dict[str, np.ndarray]:
    """The strengths of the operations that have any, from the weakest to the strongest."""

    def up_to(most: float) -> np.ndarray:
        return np.linspace(0.0, most, bins)

    part = 32.0 if wide else 150.0 / 331.0
    bits = 6 if wide else 4
    return {
        "ShearX": up_to(0.99 if wide else 0.3),
        "ShearY": up_to(0.99 if wide else 0.3),
        "TranslateX": up_to(part if wide else part * width),
        "TranslateY": up_to(part if wide else part * height),
        "Rotate": up_to(135.0 if wide else 30.0),
        **{name: up_to(0.99 if wide else 0.9) for name in _FACTORS},
        "Posterize": 8 - np.round(np.arange(bins) / ((bins - 1) / bits)),
        "Solarize": np.linspace(255.0, 0.0, bins),
    }


_CHOICES = (
    "Identity", "ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate", "Brightness", "Color",
    "Contrast", "Sharpness", "Posterize", "Solarize", "AutoContrast", "Equalize",
)  # fmt: skip


class _Policy(ImageTransform):
    """Takes images (H, W, 3) of bytes."""

    ranks, channels, dtypes = (3,), (3,), ("uint8",)

    def _changed(self, a, name: str, amounts: dict, level: int) -> np.ndarray:
        """``a`` by an operation of some strength, in a random direction."""
        amount = float(amounts[name][level]) if name in amounts else 0.0
        if name in _SIGNED and rowrng.current().random() < 0.5:
            amount = -amount
        return apply(name, a, amount, self.inter, self.fill)


class AutoAugment(_Policy):
    """Two operations of a policy that was found by search, chosen at random.

    Source: E. D. Cubuk and others, AutoAugment: Learning augmentation strategies from data, 2019.

    Args:
        policy (AutoAugmentPolicy): the data that it was found on. Default:
            ``AutoAugmentPolicy.IMAGENET``.
        interpolation (Inter): of operations that move pixels. Default: ``Inter.NEAREST``.
        fill_value (int, tuple): what lies outside. Default: 0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.AutoAugment()(np.zeros((4, 5, 3), np.uint8)).shape
        (4, 5, 3)
    """

    @checked(
        policy=checks.of(AutoAugmentPolicy),
        interpolation=checks.INTERPOLATION,
        fill_value=checks.fill,
    )
    def __init__(
        self,
        policy: AutoAugmentPolicy = AutoAugmentPolicy.IMAGENET,
        interpolation: Inter = Inter.NEAREST,
        fill_value=0,
    ):
        self.steps, self.inter, self.fill = TABLES[policy.value], interpolation, fill_value

    def transform(self, a):
        rng, amounts = rowrng.current(), _amounts(10, *a.shape[:2], False)
        for name, probability, level in self.steps[int(rng.integers(len(self.steps)))]:
            if rng.random() < probability:
                a = self._changed(a, name, amounts, level)
        return a


class RandAugment(_Policy):
    """Operations chosen at random, all of one strength.

    Source: E. D. Cubuk and others, RandAugment: Practical automated data augmentation with a reduced
    search space, 2020.

    Args:
        num_ops (int): how many. Default: 2.
        magnitude (int): the strength, less than ``num_magnitude_bins``. Default: 9.
        num_magnitude_bins (int): how many strengths there are, at least 2. Default: 31.
        interpolation (Inter): of operations that move pixels. Default: ``Inter.NEAREST``.
        fill_value (int, tuple): what lies outside. Default: 0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandAugment()(np.zeros((4, 5, 3), np.uint8)).shape
        (4, 5, 3)
    """

    @checked(
        num_ops=checks.within(0, checks.FLOAT_MAX, int),
        num_magnitude_bins=checks.within(2, checks.FLOAT_MAX, int),
        magnitude=checks.of(int),
        interpolation=checks.INTERPOLATION,
        fill_value=checks.fill,
    )
    def __init__(
        self,
        num_ops: int = 2,
        magnitude: int = 9,
        num_magnitude_bins: int = 31,
        interpolation: Inter = Inter.NEAREST,
        fill_value=0,
    ):
        checks.in_range(0, num_magnitude_bins, "magnitude", magnitude, "[)")
        self.count, self.magnitude, self.bins = num_ops, magnitude, num_magnitude_bins
        self.inter, self.fill = interpolation, fill_value

    def transform(self, a):
        rng, amounts = rowrng.current(), _amounts(self.bins, *a.shape[:2], False)
        for _ in range(self.count):
            name = _CHOICES[int(rng.integers(len(_CHOICES)))]
            a = self._changed(a, name, amounts, self.magnitude)
        return a


class TrivialAugmentWide(_Policy):
    """One operation of a random strength.

    Source: S. G. Müller and F. Hutter, TrivialAugment: Tuning-free yet state-of-the-art data
    augmentation, 2021.

    Args:
        num_magnitude_bins (int): how many strengths there are, at least 2. Default: 31.
        interpolation (Inter): of operations that move pixels. Default: ``Inter.NEAREST``.
        fill_value (int, tuple): what lies outside. Default: 0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.TrivialAugmentWide()(np.zeros((4, 5, 3), np.uint8)).shape
        (4, 5, 3)
    """

    @checked(
        num_magnitude_bins=checks.within(2, checks.FLOAT_MAX, int),
        interpolation=checks.INTERPOLATION,
        fill_value=checks.fill,
    )
    def __init__(
        self,
        num_magnitude_bins: int = 31,
        interpolation: Inter = Inter.NEAREST,
        fill_value=0,
    ):
        self.bins, self.inter, self.fill = num_magnitude_bins, interpolation, fill_value

    def transform(self, a):
        rng, amounts = rowrng.current(), _amounts(self.bins, *a.shape[:2], True)
        name = _CHOICES[int(rng.integers(len(_CHOICES)))]
        return self._changed(a, name, amounts, int(rng.integers(self.bins)))


class UniformAugment(Recorded):
    """Some of ``transforms``, drawn for each image, each with a random probability.

    Args:
        transforms (list[Callable], tuple[Callable]): some of these are applied.
        num_ops (int): how many are drawn. Default: 2.

    Raises:
        TypeError: ``transforms`` is no list of what can be called, or ``num_ops`` no int.
        ValueError: the list is empty, or shorter than ``num_ops``.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> flips = [vision.HorizontalFlip(), vision.VerticalFlip()]
        >>> vision.UniformAugment(flips)(np.zeros((4, 5, 3), np.uint8)).shape
        (4, 5, 3)
    """

    @checked(num_ops=checks.positive(int))
    def __init__(self, transforms, num_ops: int = 2):
        if num_ops > len(transforms):
            raise complain(ValueError, "num_ops is greater than transforms list size.")
        checks.callables("transforms", transforms)
        self.transforms, self.count = list(transforms), num_ops

    def __call__(self, image):
        rng = rowrng.current()
        for i in rng.choice(len(self.transforms), self.count, replace=False):
            if rng.random() < rng.random():
                image = self.transforms[i](image)
        return image


def _subpolicies(name: str, value) -> None:
    checks.of(list)(name, value)
    if not value:
        raise complain(ValueError, "policy can not be empty.")
    for i, sub in enumerate(value):
        checks.of(list)(f"{name}[[{i}]]", sub)
        if not sub:
            raise complain(ValueError, f"policy[{i}] can not be empty.")
        for j, step in enumerate(sub):
            if not (isinstance(step, tuple) and len(step) == 2):
                raise complain(ValueError, f"Value policy[{i}][{j}] needs to be a 2-tuple.")
            if not callable(step[0]):
                raise complain(
                    TypeError,
                    f"op of (op, prob) in policy[{i}][{j}] is neither a transforms op "
                    "(TensorOperation) nor a callable pyfunc.",
                )
            checks.in_range(0, 1, f"prob of (op, prob) policy[{i}][{j}]", step[1])


class RandomSelectSubpolicy(Recorded):
    """One of several lists of transforms, each of which is applied with its probability.

    Args:
        policy (list): lists of pairs of a transform and its probability, in [0, 1].

    Raises:
        TypeError: ``policy`` is no list of lists of transforms.
        ValueError: a list is empty, something in it is no pair, or a probability out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> policy = [[(vision.HorizontalFlip(), 1.0)]]
        >>> vision.RandomSelectSubpolicy(policy)(np.array([[1, 2]])).tolist()
        [[2, 1]]
    """

    @checked(policy=_subpolicies)
    def __init__(self, policy):
        self.policy = policy

    def __call__(self, *values):
        rng = rowrng.current()
        for transform, probability in self.policy[int(rng.integers(len(self.policy)))]:
            if rng.random() < probability:
                made = transform(*values)
                values = made if isinstance(made, tuple) else (made,)
        return values[0] if len(values) == 1 else values
