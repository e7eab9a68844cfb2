"""All transforms of columns, under the name of MindSpore's module: the classes of the modules of families."""

from . import columns, composed
from .base import Implementation, PyTensorOperation, TensorOperation, not_random  # noqa: F401

_OF_FAMILIES = {
    name: cls
    for family in (columns, composed)
    for name, cls in vars(family).items()
    if isinstance(cls, type) and cls.__module__ == family.__name__ and not name.startswith("_")
}
globals().update(_OF_FAMILIES)
__all__ = [*sorted(_OF_FAMILIES), "not_random"]
