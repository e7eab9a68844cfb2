"""What transforms of images are told: interpolations, borders, colour orders."""

from __future__ import annotations

from enum import Enum, IntEnum

from ...base.boundary import guard as _guard


class Inter(IntEnum):
    """Interpolation.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.Inter.NEAREST.name
        'NEAREST'
    """

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class Border(str, Enum):
    """What lies beyond the edge of an image: a constant, its edge, its mirror without or with the
    edge.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.Border.EDGE.value
        'edge'
    """

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class ImageBatchFormat(IntEnum):
    """Where the channels of a batch of images are.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.ImageBatchFormat.NCHW.name
        'NCHW'
    """

    NHWC = 0
    NCHW = 1


class ConvertMode(IntEnum):
    """Orders of colours, from and to. A mode that undoes another order of the same two has the same
    number.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.ConvertMode.COLOR_RGB2GRAY.value
        7
    """

    COLOR_BGR2BGRA = COLOR_RGB2RGBA = 0
    COLOR_BGRA2BGR = COLOR_RGBA2RGB = 1
    COLOR_BGR2RGBA = COLOR_RGB2BGRA = 2
    COLOR_RGBA2BGR = COLOR_BGRA2RGB = 3
    COLOR_BGR2RGB = COLOR_RGB2BGR = 4
    COLOR_BGRA2RGBA = COLOR_RGBA2BGRA = 5
    COLOR_BGR2GRAY = 6
    COLOR_RGB2GRAY = 7
    COLOR_GRAY2BGR = COLOR_GRAY2RGB = 8
    COLOR_GRAY2BGRA = COLOR_GRAY2RGBA = 9
    COLOR_BGRA2GRAY = 10
    COLOR_RGBA2GRAY = 11


class AutoAugmentPolicy(str, Enum):
    """The data that a policy of `AutoAugment` was found on.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.AutoAugmentPolicy.CIFAR10.value
        'cifar10'
    """

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


class SliceMode(IntEnum):
    """What happens to pixels that make no whole patch: the image is padded, or they are dropped.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.SliceMode.DROP.name
        'DROP'
    """

    PAD = 0
    DROP = 1


class ImageReadMode(IntEnum):
    """The channels that a file is read with.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.ImageReadMode.GRAYSCALE.value
        1
    """

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2


__all__ = [
    "AutoAugmentPolicy",
    "Border",
    "ConvertMode",
    "ImageBatchFormat",
    "ImageReadMode",
    "Inter",
    "SliceMode",
]
_guard(__name__)
