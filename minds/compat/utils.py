"""What MindSpore keeps in `mindspore.utils`, as far as minds has it: modules of their own paths."""

__all__: list[str] = []
