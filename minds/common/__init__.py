"""Initialisers, seeds, dtypes and `mutable`, and MindSpore's spellings of modules that live
elsewhere.
"""

from ..base.boundary import guard as _guard
from ..base.late import late
from ..jit.compile import jit
from ..tensor import Parameter, ParameterTuple, Tensor
from . import dtype, initializer, seed
from .dtype import dtype_to_nptype, dtype_to_pytype, pytype_to_dtype
from .mutable import mutable
from .seed import get_seed, set_seed

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
__getattr__, __dir__ = late(
    __name__,
    {"compat.api": "jit_class lazy_inline no_inline", "compat.jit_config": "JitConfig"},
    ["api", "jit_config", "parameter", "sparse_tensor", "tensor"],
)
_guard(__name__)
