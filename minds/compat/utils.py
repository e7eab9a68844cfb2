"""What MindSpore keeps in `mindspore.utils`, as far as minds has it."""

from .dlpack import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
