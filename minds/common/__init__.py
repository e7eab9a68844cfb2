"""Initialisers, seeds, dtypes and `mutable`, and MindSpore's spellings of modules that live
elsewhere.
"""

from ..base.boundary import guard as _guard
from ..base.late import all_of, late
from ..jit.compile import jit
from ..parameters import ParameterTuple
from ..tensor import Parameter, Tensor
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
    *dtype.__all__,
    *"COOTensor CSRTensor RowTensor SparseTensor Symbol enable_dynamic from_numpy is_tensor".split(),
    *"Generator default_generator initial_seed manual_seed recompute set_recursion_limit".split(),
]
from_numpy = Tensor.from_numpy
__getattr__, __dir__ = late(
    __name__,
    {
        "arrays.stored": "UntypedStorage",
        "base.dtype": "float8_e4m3fn float8_e5m2 hifloat8 qint4x2",
        "common.dtype": "QuantDtype",
        "compat.api": "jit_class lazy_inline ms_class ms_function no_inline",
        "compat.autograd": "_Function",
        "compat.context": "set_recursion_limit",
        "compat.jit_config": "JitConfig",
        "compat.native_types": "Int TensorType Type",
        "compat.root_names": "DeviceCtx swap_tensors",
        "jit.signature": "Symbol enable_dynamic",
        "ops": "is_tensor",
        "ops.generator": """Generator default_generator get_rng_state initial_seed manual_seed
            set_rng_state""",
        "ops.sparse_tensor": "COOTensor CSRTensor RowTensor SparseTensor",
        "profiler.dump": "set_dump",
        "transforms.recompute": "recompute",
        "transforms.saved_tensors": "register_saved_tensors_hooks saved_tensors_hooks",
    },
    ["api", "generator", "jit_config", "parameter", "sparse_tensor", "tensor"],
    all_of("common.dtype"),
)
_guard(__name__)
