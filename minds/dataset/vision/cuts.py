"""Transforms that cut, pad and mirror images."""

from __future__ import annotations

import numpy as np

from ...base.worded import complain
from .. import rowrng
from . import checks
from .checks import checked, optional
from .images import ImageTransform, PillowTransform, Planned, border, fill_for, pair, pillow
from .utils import Border, SliceMode


def margins(padding) -> tuple[int, int, int, int]:
    """Left, top, right and bottom, from one number, two or four."""
    values = (padding,) if isinstance(padding, int) else tuple(padding)
    return values * (4 // len(values))


def pad(a: np.ndarray, around, fill, mode: Border, name: str = "Pad") -> np.ndarray:
    """An array (H, W) or (H, W, C) with margins (left, top, right, bottom)."""
    left, top, right, bottom = around
    if mode is not Border.CONSTANT:
        sides = [(top, bottom), (left, right)] + [(0, 0)] * (a.ndim - 2)
        return np.pad(a, sides, mode.value)
    height, width = a.shape[:2]
    out = np.empty((height + top + bottom, width + left + right, *a.shape[2:]), a.dtype)
    out[...] = border(fill, a.shape[2]) if a.ndim == 3 else border(fill, 1)[0]
    out[top : top + height, left : left + width] = a
    return out


def pad_pillow(image, around, fill, mode: Border):
    """A Pillow image with margins."""
    if mode is Border.CONSTANT:
        return pillow().ImageOps.expand(image, tuple(around), fill_for(image, fill))
    return pillow().Image.fromarray(pad(np.asarray(image), around, fill, mode))


class HorizontalFlip(Planned):
    """Left and right exchanged.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.HorizontalFlip()(np.array([[1, 2], [3, 4]])).tolist()
        [[2, 1], [4, 3]]
    """

    def _plan(self, job):
        job.flip(True, False)


class VerticalFlip(Planned):
    """Top and bottom exchanged.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.VerticalFlip()(np.array([[1, 2], [3, 4]])).tolist()
        [[3, 4], [1, 2]]
    """

    def _plan(self, job):
        job.flip(False, True)


class _RandomFlip(Planned):
    """Mirrored with probability ``prob``."""

    sides = (True, False)

    @checked(prob=checks.PROBABILITY)
    def __init__(self, prob: float = 0.5):
        self.prob = prob

    def _draw(self, height, width):
        return (bool(rowrng.current().random() < self.prob),)

    def _plan(self, job, flips):
        if flips:
            job.flip(*self.sides)

    def _of_pillow(self, image):
        if not self._draw(0, 0)[0]:
            return image
        how = pillow().Image.Transpose
        return image.transpose(how.FLIP_LEFT_RIGHT if self.sides[0] else how.FLIP_TOP_BOTTOM)


class RandomHorizontalFlip(_RandomFlip):
    """Left and right exchanged with some probability.

    Args:
        prob (float): the probability, in [0, 1]. Default: 0.5.

    Raises:
        TypeError: ``prob`` is no number.
        ValueError: it is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomHorizontalFlip(1.0)(np.array([[1, 2], [3, 4]])).tolist()
        [[2, 1], [4, 3]]
    """


class RandomVerticalFlip(_RandomFlip):
    """Top and bottom exchanged with some probability.

    Args:
        prob (float): the probability, in [0, 1]. Default: 0.5.

    Raises:
        TypeError: ``prob`` is no number.
        ValueError: it is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomVerticalFlip(1.0)(np.array([[1, 2], [3, 4]])).tolist()
        [[3, 4], [1, 2]]
    """

    sides = (False, True)


class Pad(ImageTransform):
    """Pixels added at the edges.

    Args:
        padding (int, tuple, list): for all edges; or (left and right, top and bottom); or (left, top,
            right, bottom).
        fill_value (int, tuple): the constant, one or one per channel. Default: 0.
        padding_mode (Border): what is added. Default: ``Border.CONSTANT``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``padding`` is not 1, 2 or 4 ints of at least 0, or ``fill_value`` no byte.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.Pad((1, 0))(np.array([[5]])).tolist()
        [[0, 5, 0]]
    """

    channels = (1, 3)

    @checked(padding=checks.padding, fill_value=checks.fill, padding_mode=checks.BORDER)
    def __init__(self, padding, fill_value=0, padding_mode: Border = Border.CONSTANT):
        self.how = margins(padding), fill_value, padding_mode

    def transform(self, a):
        return pad(a, *self.how)

    def _of_pillow(self, image):
        return pad_pillow(image, *self.how)


def _offset(name: str, value) -> None:
    checks.of(int, list, tuple)(name, value)
    values = (value,) if isinstance(value, int) else value
    if not isinstance(value, int) and len(value) not in (0, 2):
        raise complain(ValueError, "The offset must be empty or a sequence of length 2.")
    for i, v in enumerate(values):
        checks.NOT_NEGATIVE(name if isinstance(value, int) else f"{name}{i}", v)


def _padded_size(name: str, value) -> None:
    checks.of(int, list, tuple)(name, value)
    values = (value,) if isinstance(value, int) else value
    if not isinstance(value, int) and len(value) != 2:
        raise complain(ValueError, "The size must be a sequence of length 2.")
    for i, v in enumerate(values):
        checks.COUNT(name if isinstance(value, int) else f"{name}{i}", v)


class PadToSize(ImageTransform):
    """Pixels added at the edges until an image has a size.

    Args:
        size (int, tuple[int, int], list[int]): (height, width) to reach.
        offset (int, tuple[int, int], list[int], None): rows above and columns left of the
            image. Default: None, it is centred.
        fill_value (int, tuple): the constant, one or one per channel. Default: 0.
        padding_mode (Border): what is added. Default: ``Border.CONSTANT``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the image is larger than ``size``.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.PadToSize((1, 3))(np.array([[5]])).tolist()
        [[0, 5, 0]]
    """

    channels = (1, 3)

    @checked(
        size=_padded_size,
        offset=optional(_offset),
        fill_value=checks.fill,
        padding_mode=checks.BORDER,
    )
    def __init__(self, size, offset=None, fill_value=0, padding_mode: Border = Border.CONSTANT):
        self.size = pair(size)
        self.offset = None if offset is None or offset in ([], ()) else pair(offset)
        self.fill, self.mode = fill_value, padding_mode

    def transform(self, a):
        extra = [s - n for s, n in zip(self.size, a.shape)]
        if min(extra) < 0:
            raise complain(
                RuntimeError,
                f"PadToSize: the target size to pad should be no less than the original image size, "
                f"but got target size {tuple(self.size)} and original size {a.shape[:2]}.",
            )
        top, left = self.offset or (extra[0] // 2, extra[1] // 2)
        if top > extra[0] or left > extra[1]:
            raise complain(
                RuntimeError,
                "PadToSize: the sum of offset and original image size should be no more than the "
                f"target size to pad, but got offset: <{top}, {left}>.",
            )
        return pad(a, (left, top, extra[1] - left, extra[0] - top), self.fill, self.mode)


class Crop(Planned):
    """A part of an image.

    Args:
        coordinates (tuple[int, int], list[int]): row and column of its top left corner.
        size (int, tuple[int, int], list[int]): (height, width).

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: it is out of range.
        RuntimeError: the part is not inside the image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.Crop((0, 1), (2, 1))(np.array([[1, 2], [3, 4]])).tolist()
        [[2], [4]]
    """

    ranks = (2, 3)

    @checked(coordinates=checks.corner, size=checks.size)
    def __init__(self, coordinates, size):
        self.corner, self.size = tuple(coordinates), pair(size)

    def _plan(self, job):
        for side, at, n, whole in zip(
            ("height", "width"), self.corner, self.size, (job.height, job.width)
        ):
            if at + n > whole:
                said = f"Crop {side} dimension: {at + n} exceeds image {side}: {whole}"
                raise complain(RuntimeError, f"Crop: {said}")
        job.crop(*self.corner, *self.size)


class CenterCrop(ImageTransform):
    """The middle of an image; where the image is smaller it is padded by 0.

    Args:
        size (int, tuple[int, int], list[int]): (height, width).

    Raises:
        TypeError: ``size`` has a wrong type.
        ValueError: it is not positive.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.CenterCrop(1)(np.arange(9).reshape(3, 3)).tolist()
        [[4]]
    """

    ranks = (2, 3, 4)

    @checked(size=checks.size)
    def __init__(self, size):
        self.size = pair(size)

    def transform(self, a):
        if a.ndim > 3:
            return np.stack([self.transform(frame) for frame in a])
        before = [(max(0, s - n) + 1) // 2 for s, n in zip(self.size, a.shape)]
        after = [max(0, s - n) - b for s, n, b in zip(self.size, a.shape, before)]
        if any(before) or any(after):
            a = pad(a, (before[1], before[0], after[1], after[0]), 0, Border.CONSTANT)
        top, left = [(n - s) // 2 for s, n in zip(self.size, a.shape)]
        return np.ascontiguousarray(a[top : top + self.size[0], left : left + self.size[1]])

    def _of_pillow(self, image):
        height, width = self.size
        top, left = round((image.height - height) / 2), round((image.width - width) / 2)
        return image.crop((left, top, left + width, top + height))


class RandomCrop(Planned):
    """A random part of an image.

    Args:
        size (int, tuple[int, int], list[int]): (height, width).
        padding (int, tuple, list, None): added before, see `Pad`. Default: None.
        pad_if_needed (bool): whether images that are too small are padded on both sides. Default: False.
        fill_value (int, tuple): what is added. Default: 0.
        padding_mode (Border): how. Default: ``Border.CONSTANT``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: it is out of range, or a Pillow image is smaller than the part.
        RuntimeError: an image is smaller than the part.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomCrop(2)(np.zeros((3, 5))).shape
        (2, 2)
    """

    @checked(
        size=checks.size,
        pad_if_needed=checks.FLAG,
        padding=optional(checks.padding),
        fill_value=optional(checks.fill),
        padding_mode=optional(checks.BORDER),
    )
    def __init__(
        self,
        size,
        padding=None,
        pad_if_needed: bool = False,
        fill_value=0,
        padding_mode: Border = Border.CONSTANT,
    ):
        self.size, self.padding = pair(size), None if padding is None else margins(padding)
        self.pad_if_needed, self.fill = pad_if_needed, 0 if fill_value is None else fill_value
        self.mode = padding_mode or Border.CONSTANT

    def _padding_of(self, height: int, width: int) -> tuple[int, int, int, int]:
        """Left, top, right and bottom, for an image of this size."""
        left, top, right, bottom = self.padding or (0, 0, 0, 0)
        if self.pad_if_needed:
            down = max(0, self.size[0] - height - top - bottom)
            across = max(0, self.size[1] - width - left - right)
            left, top, right, bottom = left + across, top + down, right + across, bottom + down
        return left, top, right, bottom

    def _draw(self, height, width):
        if height < self.size[0] or width < self.size[1]:
            raise complain(
                RuntimeError,
                "RandomCrop: invalid crop size, crop size is bigger than the image dimensions, "
                f"got crop height: {self.size[0]}, crop width: {self.size[1]}",
            )
        rng, (h, w) = rowrng.current(), self.size
        return int(rng.integers(height - h + 1)), int(rng.integers(width - w + 1))

    def transform(self, a):
        if a.ndim == 4:
            return np.stack([self.transform(frame) for frame in a])
        return super().transform(a)

    def _plan_row(self, job):
        around = self._padding_of(job.height, job.width)
        if any(around):
            job.replace(lambda a: pad(a, around, self.fill, self.mode))
        super()._plan_row(job)

    def _plan(self, job, top, left):
        job.crop(top, left, *self.size)

    def _of_pillow(self, image):
        around = self._padding_of(image.height, image.width)
        if any(around):
            image = pad_pillow(image, around, self.fill, self.mode)
        if image.height < self.size[0] or image.width < self.size[1]:
            found = (image.height, image.width)
            said = f"Crop size {self.size} is larger than input image size {found}."
            raise complain(ValueError, said)
        top, left = self._draw(image.height, image.width)
        return image.crop((left, top, left + self.size[1], top + self.size[0]))


class FiveCrop(PillowTransform):
    """The corners and the middle of a Pillow image, as a tuple of five.

    Args:
        size (int, tuple[int, int], list[int]): (height, width) of each.

    Raises:
        TypeError: ``size`` has a wrong type, or the image is not of Pillow.
        ValueError: it is not positive, or larger than the image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> len(vision.FiveCrop(2)(vision.ToPIL()(np.zeros((4, 4), np.uint8))))
        5
    """

    @checked(size=checks.size)
    def __init__(self, size):
        self.size = pair(size)

    def __call__(self, image):
        return self._one(image)

    def _of_pillow(self, image):
        (height, width), right, bottom = self.size, image.width, image.height
        if height > bottom or width > right:
            said = f"Crop size {self.size} is larger than input image size {(bottom, right)}."
            raise complain(ValueError, said)
        corners = [(x, y) for y in (0, bottom - height) for x in (0, right - width)]
        cuts = [image.crop((x, y, x + width, y + height)) for x, y in corners]
        return (*cuts, CenterCrop(self.size)._of_pillow(image))


class TenCrop(FiveCrop):
    """What `FiveCrop` gives, of a Pillow image and of its mirror image.

    Args:
        size (int, tuple[int, int], list[int]): (height, width) of each.
        use_vertical_flip (bool): whether top and bottom are exchanged, instead of left and right.
            Default: False.

    Raises:
        TypeError: an argument has a wrong type, or the image is not of Pillow.
        ValueError: ``size`` is not positive, or larger than the image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> len(vision.TenCrop(2)(vision.ToPIL()(np.zeros((4, 4), np.uint8))))
        10
    """

    @checked(size=checks.size, use_vertical_flip=optional(checks.FLAG))
    def __init__(self, size, use_vertical_flip: bool = False):
        super().__init__(size)
        self.flip = RandomVerticalFlip(1.0) if use_vertical_flip else RandomHorizontalFlip(1.0)

    def _of_pillow(self, image):
        return super()._of_pillow(image) + super()._of_pillow(self.flip._of_pillow(image))


class SlicePatches(ImageTransform):
    """An image cut into patches, row by row, as a tuple.

    Args:
        num_height (int): patches in a column. Default: 1.
        num_width (int): patches in a row. Default: 1.
        slice_mode (SliceMode): what happens to pixels that make no whole patch. Default:
            ``SliceMode.PAD``.
        fill_value (int): what is padded. Default: 0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: there are more patches than pixels.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> [p.tolist() for p in vision.SlicePatches(1, 2)(np.array([[1, 2, 3]]))]
        [[[1, 2]], [[3, 0]]]
    """

    @checked(
        num_height=optional(checks.COUNT),
        num_width=optional(checks.COUNT),
        slice_mode=optional(checks.of(SliceMode)),
        fill_value=optional(checks.BYTE),
    )
    def __init__(
        self,
        num_height: int = 1,
        num_width: int = 1,
        slice_mode: SliceMode = SliceMode.PAD,
        fill_value: int = 0,
    ):
        self.counts = num_height or 1, num_width or 1
        self.mode, self.fill = slice_mode or SliceMode.PAD, fill_value or 0

    def __call__(self, image):
        if self.counts == (1, 1) and isinstance(image, np.ndarray):
            return image
        return self._one(image)

    def transform(self, a):
        if self.counts == (1, 1):
            return a
        if any(c > n for c, n in zip(self.counts, a.shape)):
            raise complain(
                RuntimeError,
                f"SlicePatches: {self.counts[0]} by {self.counts[1]} patches of an image of "
                f"{a.shape[0]} by {a.shape[1]} pixels",
            )
        if self.mode is SliceMode.PAD:
            height, width = [-(-n // c) for c, n in zip(self.counts, a.shape)]
            missing = [c * n - m for c, n, m in zip(self.counts, (height, width), a.shape)]
            a = pad(a, (0, 0, missing[1], missing[0]), self.fill, Border.CONSTANT)
        height, width = [n // c for c, n in zip(self.counts, a.shape)]
        ys, xs = range(self.counts[0]), range(self.counts[1])
        return tuple(
            np.ascontiguousarray(a[y * height :, x * width :][:height, :width])
            for y in ys
            for x in xs
        )
