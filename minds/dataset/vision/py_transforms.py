"""The transforms that MindSpore 1.x had in Python, under the name of its module: of Pillow images, and of
arrays (C, H, W) after `ToTensor`.
"""

from __future__ import annotations

from ...base.boundary import guard as _guard
from ..transforms import Compose, RandomApply, RandomChoice, RandomOrder
from . import transforms as _now
from .convert import Normalize as _Normalize
from .convert import NormalizePad as _NormalizePad
from .erase import CutOut
from .utils import Border, Inter


class PillowDecode(_now.Decode):
    """An encoded image as a Pillow image.

    Raises:
        TypeError: the input is no bytes and no 1-D array.
        ValueError: the bytes are no image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> from minds.dataset.vision import py_transforms
        >>> py_transforms.Decode()(vision.encode_png(np.zeros((2, 3, 3), np.uint8))).size
        (3, 2)
    """

    def __init__(self):
        super().__init__(True)


class PlanarNormalize(_Normalize):
    r"""Per channel of an array (C, H, W): :math:`(x - \text{mean}) / \text{std}`, as float32.

    Args:
        mean (list[float], tuple[float]): one per channel, or one for all.
        std (list[float], tuple[float]): the same, above 0.

    Raises:
        TypeError: ``mean`` or ``std`` is no list of numbers.
        ValueError: lengths differ from each other, or a number is out of range.
        RuntimeError: there are not as many numbers as channels.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset.vision import py_transforms
        >>> py_transforms.Normalize([1.0], [2.0])(np.full((1, 1, 2), 5.0)).tolist()
        [[[2.0, 2.0]]]
    """

    def __init__(self, mean, std):
        super().__init__(mean, std, False)


class PlanarNormalizePad(_NormalizePad):
    """`Normalize`, and a channel of zeros more.

    Args:
        mean (list[float], tuple[float]): one per channel, or one for all.
        std (list[float], tuple[float]): the same, above 0.
        dtype (str): "float32" or "float16". Default: "float32".

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: lengths differ from each other, or an argument is out of range.
        RuntimeError: there are not as many numbers as channels.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset.vision import py_transforms
        >>> py_transforms.NormalizePad([1.0], [2.0])(np.ones((3, 2, 2))).shape
        (4, 2, 2)
    """

    def __init__(self, mean, std, dtype: str = "float32"):
        super().__init__(mean, std, dtype, False)


class PlanarCutOut(CutOut):
    """Squares at random places of an array (C, H, W) overwritten by 0.

    Args:
        length (int): a side of a square.
        num_patches (int): how many. Default: 1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is not positive.
        RuntimeError: the square is larger than the image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset.vision import py_transforms
        >>> int((py_transforms.Cutout(2)(np.ones((1, 4, 4))) == 0).sum())
        4
    """

    def __init__(self, length: int, num_patches: int = 1):
        super().__init__(length, num_patches, False)


ComposeOp = Compose
Decode, Cutout = PillowDecode, PlanarCutOut
Normalize, NormalizePad = PlanarNormalize, PlanarNormalizePad
_OWN = {"Decode", "Normalize", "NormalizePad", "CutOut"}
__all__ = sorted(set(_now.__all__) - _OWN)
globals().update({n: getattr(_now, n) for n in __all__})
__all__ += ["Border", "Compose", "ComposeOp", "CutOut", "Cutout", "Decode", "Inter", "Normalize"]
__all__ += ["NormalizePad", "RandomApply", "RandomChoice", "RandomOrder"]
_guard(__name__)
