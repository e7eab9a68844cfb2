"""Image transforms on NumPy arrays (H, W) or (H, W, C), and on Pillow images where Pillow is
installed.

Transforms that Pillow has as well give a Pillow image for one; the others make an array of it. Those that
cut, resize, mirror and normalise are collected: several that follow one another are one walk over the
image by the native core (`fused`).
"""

from ...base.boundary import guard as _guard
from ..transforms import not_random
from . import c_transforms, files, py_transforms, transforms, utils
from .blend import CutMixBatch, MixUp, MixUpBatch
from .boxes import (
    BoundingBoxAugment,
    RandomCropWithBBox,
    RandomHorizontalFlipWithBBox,
    RandomResizedCropWithBBox,
    RandomResizeWithBBox,
    RandomVerticalFlipWithBBox,
    ResizeWithBBox,
)
from .convert import (
    HWC2CHW,
    ConvertColor,
    Decode,
    Grayscale,
    HsvToRgb,
    LinearTransformation,
    Normalize,
    NormalizePad,
    Rescale,
    RgbToHsv,
    ToNumpy,
    ToPIL,
    ToTensor,
    ToType,
)
from .cuts import (
    CenterCrop,
    Crop,
    FiveCrop,
    HorizontalFlip,
    Pad,
    PadToSize,
    RandomCrop,
    RandomHorizontalFlip,
    RandomVerticalFlip,
    SlicePatches,
    TenCrop,
    VerticalFlip,
)
from .enhance import (
    AdjustBrightness,
    AdjustContrast,
    AdjustGamma,
    AdjustHue,
    AdjustSaturation,
    AdjustSharpness,
    AutoContrast,
    Equalize,
    Invert,
    Posterize,
    Solarize,
)
from .erase import CutOut, Erase, GaussianBlur, RandomErasing
from .files import (
    encode_jpeg,
    encode_png,
    get_image_num_channels,
    get_image_size,
    read_file,
    read_image,
    write_file,
    write_jpeg,
    write_png,
)
from .policies import (
    AutoAugment,
    RandAugment,
    RandomSelectSubpolicy,
    TrivialAugmentWide,
    UniformAugment,
)
from .random_enhance import (
    RandomAdjustSharpness,
    RandomAutoContrast,
    RandomColor,
    RandomColorAdjust,
    RandomEqualize,
    RandomGrayscale,
    RandomInvert,
    RandomLighting,
    RandomPosterize,
    RandomSharpness,
    RandomSolarize,
)
from .sizes import (
    RandomCropDecodeResize,
    RandomResize,
    RandomResizedCrop,
    Resize,
    ResizedCrop,
)
from .utils import (
    AutoAugmentPolicy,
    Border,
    ConvertMode,
    ImageBatchFormat,
    ImageReadMode,
    Inter,
    SliceMode,
)
from .video import DecodeVideo, VideoDecoder, read_video, read_video_timestamps
from .warps import (
    Affine,
    Perspective,
    RandomAffine,
    RandomPerspective,
    RandomRotation,
    Rotate,
)

__all__ = [
    *transforms.__all__,
    *utils.__all__,
    *files.__all__,
    "VideoDecoder",
    "c_transforms",
    "py_transforms",
    "read_video",
    "read_video_timestamps",
    "transforms",
    "utils",
]
_guard(__name__)
