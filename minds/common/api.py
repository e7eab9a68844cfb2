"""`minds.common.api`: MindSpore's place for `jit` and its relatives."""
from ..compile import jit

__all__ = ["jit"]
