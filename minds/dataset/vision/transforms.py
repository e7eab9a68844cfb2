"""All transforms of images, under the name of MindSpore's module: the classes of the modules of families."""

from ..transforms import not_random
from ..transforms.base import Implementation, PyTensorOperation, TensorOperation  # noqa: F401
from . import blend, boxes, convert, cuts, enhance, erase, policies, random_enhance, sizes, warps
from .video import DecodeVideo

ImageTensorOperation = TensorOperation
_FAMILIES = (blend, boxes, convert, cuts, enhance, erase, policies, random_enhance, sizes, warps)
_OF_FAMILIES = {
    name: cls
    for family in _FAMILIES
    for name, cls in vars(family).items()
    if isinstance(cls, type) and cls.__module__ == family.__name__ and not name.startswith("_")
}
globals().update(_OF_FAMILIES)
__all__ = [*sorted(_OF_FAMILIES), "DecodeVideo", "not_random"]
