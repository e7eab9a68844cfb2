"""The transforms that MindSpore 1.x had in C++, under the name of its module: on arrays."""

from __future__ import annotations

from ...base.boundary import guard as _guard
from ...base.worded import complain
from . import transforms as _now
from .checks import FLAG, checked
from .utils import Border, ConvertMode, ImageBatchFormat, Inter, SliceMode


class ArrayDecode(_now.Decode):
    """An encoded image as an array.

    Args:
        rgb (bool): whether colours are red, green, blue; nothing else is supported. Default: True.

    Raises:
        TypeError: ``rgb`` is no bool.
        ValueError: it is False.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> from minds.dataset.vision import c_transforms
        >>> c_transforms.Decode()(vision.encode_png(np.zeros((2, 3, 3), np.uint8))).shape
        (2, 3, 3)
    """

    @checked(rgb=FLAG)
    def __init__(self, rgb: bool = True):
        if not rgb:
            said = "rgb is False: images are decoded as red, green, blue"
            raise complain(ValueError, said, cure="use ConvertColor after it")
        super().__init__()


Decode = ArrayDecode
_OF_PILLOW = {"FiveCrop", "TenCrop", "Grayscale", "RandomGrayscale", "RandomPerspective", "ToPIL"}
_OF_PYTHON = {"HsvToRgb", "RgbToHsv", "LinearTransformation", "MixUp", "RandomErasing", "ToNumpy"}
__all__ = sorted(set(_now.__all__) - _OF_PILLOW - _OF_PYTHON)
globals().update({n: getattr(_now, n) for n in __all__ if n != "Decode"})
__all__ += ["Border", "ConvertMode", "ImageBatchFormat", "Inter", "SliceMode"]
_guard(__name__)
