"""MindSpore's spellings of modules that live elsewhere, and what only lives here: initialisers and
seeds.
"""

from . import dtype, initializer, parameter, seed, tensor
from .api import jit, jit_class, lazy_inline, no_inline
from .dtype import dtype_to_nptype, dtype_to_pytype, pytype_to_dtype
from .jit_config import JitConfig
from .mutable import mutable
from .parameter import Parameter, ParameterTuple
from .seed import get_seed, set_seed
from .tensor import Tensor

__all__ = [
    "JitConfig",
    "Parameter",
    "ParameterTuple",
    "Tensor",
    "dtype",
    "dtype_to_nptype",
    "dtype_to_pytype",
    "get_seed",
    "initializer",
    "jit",
    "jit_class",
    "lazy_inline",
    "mutable",
    "no_inline",
    "parameter",
    "pytype_to_dtype",
    "seed",
    "set_seed",
    "tensor",
]
