"""Transforms of an image and the boxes of what is on it: rows (x, y, width, height, ...)."""

from __future__ import annotations

import numpy as np

from ...base.worded import complain
from .. import rowrng
from . import checks, sizes
from .checks import checked
from .cuts import RandomCrop, pad
from .images import ImageTransform
from .sizes import RandomResizedCrop, Resize, target
from .utils import Border, Inter


def _checked_boxes(boxes, height: int, width: int) -> np.ndarray:
    if not isinstance(boxes, np.ndarray) or boxes.ndim != 2:
        said = f"BoundingBox: bounding boxes of shape {np.shape(boxes)}"
        raise complain(RuntimeError, said, expected="rows (x, y, width, height)")
    if boxes.shape[1] < 4:
        raise complain(
            RuntimeError,
            "BoundingBox: bounding boxes should be have at least 4 features, "
            f"but got: {boxes.shape[1]}",
        )
    for x, y, w, h in boxes[:, :4].tolist():
        if x + w > width or y + h > height:
            raise complain(
                RuntimeError,
                f"BoundingBox: bounding boxes is out of bounds of the image, as image width: {width}, "
                f"bbox width coordinate: {x + w:f}, and image height: {height}, "
                f"bbox height coordinate: {y + h:f}",
            )
        if x < 0 or y < 0:
            raise complain(
                RuntimeError,
                "BoundingBox: the coordinates of the bounding boxes has negative value, "
                f"got: ({x:f},{y:f}).",
            )
    return boxes.copy()


def within_part(boxes: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """The boxes that show in a part of an image, cut and seen from its corner; a box of zeros where
    none does.
    """
    x, y = boxes[:, 0], boxes[:, 1]
    right, bottom = x + boxes[:, 2], y + boxes[:, 3]
    shows = (x < left + width) & (right > left) & (y < top + height) & (bottom > top)
    if not shows.any():
        return np.zeros((1, boxes.shape[1]), boxes.dtype)
    kept = boxes[shows]
    low_x, low_y = np.maximum(x[shows], left), np.maximum(y[shows], top)
    kept[:, 2] = np.minimum(right[shows], left + width) - low_x
    kept[:, 3] = np.minimum(bottom[shows], top + height) - low_y
    kept[:, 0], kept[:, 1] = low_x - left, low_y - top
    return kept


def scaled(boxes: np.ndarray, height: int, width: int, new_height: int, new_width: int):
    """Boxes of a resized image."""
    factors = np.array([new_width / width, new_height / height] * 2)
    boxes[:, :4] = (boxes[:, :4] * factors).astype(boxes.dtype)
    return boxes


class _WithBoxes(ImageTransform):
    """Called with an image and its boxes, and returns both."""

    def __call__(self, *values):
        if len(values) != 2:
            raise complain(
                RuntimeError,
                "BoundingBox: invalid input, size of input data should be 2 (including image and "
                f"bounding box), but got: {len(values)}",
            )
        image, boxes = values
        if not isinstance(image, np.ndarray):
            raise complain(TypeError, f"Input should be NumPy or PIL image, got {type(image)}.")
        self._fits(image)
        return self._both(image, _checked_boxes(boxes, *image.shape[:2]))

    def _both(self, image: np.ndarray, boxes: np.ndarray) -> tuple:
        """The image and the boxes that are made of them."""
        raise NotImplementedError


class RandomHorizontalFlipWithBBox(_WithBoxes):
    """Left and right of an image and its boxes exchanged with some probability.

    Args:
        prob (float): the probability, in [0, 1]. Default: 0.5.

    Raises:
        TypeError: ``prob`` is no number.
        ValueError: it is out of range.
        RuntimeError: a box is not inside the image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> boxes = np.array([[0, 1, 2, 3]])
        >>> vision.RandomHorizontalFlipWithBBox(1.0)(np.zeros((5, 6, 3)), boxes)[1].tolist()
        [[4, 1, 2, 3]]
    """

    axis = 1

    @checked(prob=checks.PROBABILITY)
    def __init__(self, prob: float = 0.5):
        self.prob = prob

    def _both(self, image, boxes):
        if rowrng.current().random() >= self.prob:
            return image, boxes
        at = 0 if self.axis == 1 else 1
        boxes[:, at] = image.shape[self.axis] - boxes[:, at] - boxes[:, at + 2]
        return np.ascontiguousarray(np.flip(image, self.axis)), boxes


class RandomVerticalFlipWithBBox(RandomHorizontalFlipWithBBox):
    """Top and bottom of an image and its boxes exchanged with some probability.

    Args:
        prob (float): the probability, in [0, 1]. Default: 0.5.

    Raises:
        TypeError: ``prob`` is no number.
        ValueError: it is out of range.
        RuntimeError: a box is not inside the image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> boxes = np.array([[0, 1, 2, 3]])
        >>> vision.RandomVerticalFlipWithBBox(1.0)(np.zeros((5, 6, 3)), boxes)[1].tolist()
        [[0, 1, 2, 3]]
    """

    axis = 0


class ResizeWithBBox(_WithBoxes):
    """An image and its boxes in another size.

    Args:
        size (int, tuple[int, int], list[int]): (height, width); an int is the shorter side and keeps the
            proportions.
        interpolation (Inter): how pixels are found. Default: ``Inter.LINEAR``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``size`` is not positive.
        RuntimeError: a box is not inside the image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> boxes = np.array([[0, 1, 2, 3]])
        >>> vision.ResizeWithBBox((10, 6))(np.zeros((5, 6, 3)), boxes)[1].tolist()
        [[0, 2, 2, 6]]
    """

    @checked(size=checks.resize_size, interpolation=checks.INTERPOLATION)
    def __init__(self, size, interpolation: Inter = Inter.LINEAR):
        self.size, self.interpolation = size, interpolation

    def _both(self, image, boxes):
        old = image.shape[:2]
        new = target(self.size, *old)
        made = Resize(new, self.interpolation).transform(image)
        return made, scaled(boxes, *old, *new)


class RandomResizeWithBBox(_WithBoxes):
    """An image and its boxes in another size, by an interpolation drawn for each.

    Args:
        size (int, tuple[int, int], list[int]): (height, width); an int is the shorter side and keeps the
            proportions.

    Raises:
        TypeError: ``size`` has a wrong type.
        ValueError: it is not positive.
        RuntimeError: a box is not inside the image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> boxes = np.array([[0, 1, 2, 3]])
        >>> vision.RandomResizeWithBBox((10, 6))(np.zeros((5, 6, 3)), boxes)[1].tolist()
        [[0, 2, 2, 6]]
    """

    @checked(size=checks.resize_size)
    def __init__(self, size):
        self.size = size

    def _both(self, image, boxes):
        return ResizeWithBBox(self.size, sizes.drawn_kind())._both(image, boxes)


class RandomCropWithBBox(_WithBoxes):
    """A random part of an image, and the boxes that show in it.

    Args:
        size (int, tuple[int, int], list[int]): (height, width).
        padding (int, tuple, list, None): added before, see `Pad`. Default: None.
        pad_if_needed (bool): whether images that are too small are padded on both sides. Default: False.
        fill_value (int, tuple): what is added. Default: 0.
        padding_mode (Border): how. Default: ``Border.CONSTANT``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: it is out of range.
        RuntimeError: the image is smaller than the part, or a box is not inside it.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> boxes = np.array([[0, 1, 2, 3]])
        >>> vision.RandomCropWithBBox((5, 6))(np.zeros((5, 6, 3)), boxes)[1].tolist()
        [[0, 1, 2, 3]]
    """

    def __init__(
        self,
        size,
        padding=None,
        pad_if_needed: bool = False,
        fill_value=0,
        padding_mode: Border = Border.CONSTANT,
    ):
        self.crop = RandomCrop(size, padding, pad_if_needed, fill_value, padding_mode)

    def _both(self, image, boxes):
        crop = self.crop
        left, top, right, bottom = crop._padding_of(*image.shape[:2])
        image = pad(image, (left, top, right, bottom), crop.fill, crop.mode)
        boxes[:, 0] += left
        boxes[:, 1] += top
        y, x = crop._draw(*image.shape[:2])
        height, width = crop.size
        cut = np.ascontiguousarray(image[y : y + height, x : x + width])
        return cut, within_part(boxes, y, x, height, width)


class RandomResizedCropWithBBox(_WithBoxes):
    """A random part of an image in another size, and the boxes that show in it.

    Args:
        size (int, tuple[int, int], list[int]): (height, width) of the result.
        scale (tuple[float, float]): the least and the greatest part of the area. Default:
            ``(0.08, 1.0)``.
        ratio (tuple[float, float]): the least and the greatest width by height of the part. Default:
            ``(3/4, 4/3)``.
        interpolation (Inter): how pixels are found. Default: ``Inter.BILINEAR``.
        max_attempts (int): how often a part is drawn until one fits. Default: 10.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: a box is not inside the image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> boxes = np.array([[0, 1, 2, 3]])
        >>> vision.RandomResizedCropWithBBox(4)(np.zeros((5, 6, 3)), boxes)[0].shape
        (4, 4, 3)
    """

    def __init__(
        self,
        size,
        scale=(0.08, 1.0),
        ratio=(3.0 / 4.0, 4.0 / 3.0),
        interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ):
        self.crop = RandomResizedCrop(size, scale, ratio, interpolation, max_attempts)

    def _both(self, image, boxes):
        top, left, height, width = self.crop._draw(*image.shape[:2])
        boxes = within_part(boxes, top, left, height, width)
        cut = image[top : top + height, left : left + width]
        made = Resize(self.crop.size, self.crop.interpolation).transform(cut)
        return made, scaled(boxes, height, width, *self.crop.size)


def _a_transform(name: str, value) -> None:
    if not callable(value):
        checks.of(ImageTransform)(name, value)


class BoundingBoxAugment(_WithBoxes):
    """A transform of what lies in a random choice of boxes.

    Args:
        transform (Callable): what is done to the inside of a box; its result is made as large again.
        ratio (float): the part of the boxes that is chosen, in [0, 1]. Default: 0.3.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``ratio`` is out of range.
        RuntimeError: a box is not inside the image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> image, boxes = np.zeros((2, 2, 3), np.uint8), np.array([[1, 0, 1, 1]])
        >>> vision.BoundingBoxAugment(vision.Invert(), 1.0)(image, boxes)[0][0].tolist()
        [[0, 0, 0], [255, 255, 255]]
    """

    @checked(ratio=checks.PROBABILITY, transform=_a_transform)
    def __init__(self, transform, ratio: float = 0.3):
        self.inner, self.ratio = transform, ratio

    def _both(self, image, boxes):
        count = int(np.ceil(len(boxes) * self.ratio))
        chosen = rowrng.current().permutation(len(boxes))[:count]
        image = image.copy()
        for x, y, width, height in boxes[np.sort(chosen), :4].astype(np.int64).tolist():
            cut = slice(y, y + height), slice(x, x + width)
            if width < 1 or height < 1:
                continue
            made = np.asarray(self.inner(np.ascontiguousarray(image[cut])))
            image[cut] = Resize((height, width)).transform(made)
        return image, boxes
