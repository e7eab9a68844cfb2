"""What MindSpore keeps in `mindspore.utils`, as far as minds has it."""

from . import dlpack

__all__ = ["dlpack"]
