"""minds: a deep learning framework that differentiates programs by transforming their source.

What lies above the compiler (cells, data, training, …) is imported when it is first used.
"""

import importlib as _importlib

from . import base, compat, eager, ops
from . import holders as _holders
from .ad.tape import NoGrad as _no_grad
from .base.boundary import guard as _guard
from .base.dtype import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .base.late import all_of as _all_of
from .base.late import late as _late
from .base.options import GRAPH_MODE, PYNATIVE_MODE, get_context, set_context
from .common import dtype
from .compat.importer import serve as _serve
from .ir.dim import Dim
from .jit.compile import jit, recompiles
from .jit.signature import Symbol, enable_dynamic
from .parameters import ParameterTuple
from .tensor import Parameter, Tensor, tensor
from .transforms.grad import get_grad, grad, value_and_grad
from .transforms.host_callback import host
from .transforms.jacobian import hessian, jacfwd, jacrev
from .transforms.jvp import jvp
from .transforms.linearize import linearize
from .transforms.recompute import recompute
from .transforms.recompute_loops import recompute_loops
from .transforms.vjp import vjp
from .transforms.vmap import vmap
from .version import __version__

ms_function = jit
from_numpy = Tensor.from_numpy
_serve()

_HOMES = {
    "arrays.stored": "UntypedStorage",
    "base.dtype": "float8_e4m3fn float8_e5m2 hifloat8 qint4x2",
    "common": "get_seed mutable set_seed",
    "common.dtype": """QuantDtype bool byte cdouble cfloat double dtype_to_nptype dtype_to_pytype float float_
        get_py_obj_dtype half int int_ intc intp list_ long pytype_to_dtype short single string tuple_
        type_none ubyte uint uintc uintp ushort""",
    "compat.algo_parameters": "get_algo_parameters reset_algo_parameters set_algo_parameters",
    "compat.api": "jit_class lazy_inline ms_class no_inline",
    "compat.autograd": "_Function",
    "compat.callbacks": "TrainFaultTolerance",
    "compat.checkpoint_parts": "export_split_mindir restore_group_info_list",
    "compat.context": """ParallelMode get_auto_parallel_context reset_auto_parallel_context
        set_auto_parallel_context set_device set_deterministic set_recursion_limit""",
    "compat.jit_config": "COMPATIBLE JitConfig LAX STRICT",
    "compat.dlpack": "from_dlpack frombuffer to_dlpack",
    "compat.log": "get_level",
    "compat.native_types": "Int TensorType Type",
    "compat.runtime": """Event Stream StreamCtx communication_stream current_stream default_stream
        dispatch_threads_num empty_cache launch_blocking max_memory_allocated max_memory_reserved
        memory_allocated memory_reserved memory_stats memory_summary reset_max_memory_allocated
        reset_max_memory_reserved reset_peak_memory_stats set_cpu_affinity set_cur_stream set_memory
        synchronize""",
    "compat.root_names": "DeviceCtx get_current_device swap_tensors",
    "hal": "device_count",
    "jit.inspection": "inspect",
    "jit.memory": "memory_report",
    "jit.self_check": "run_check",
    "mindrecord": """Cifar100ToMR Cifar10ToMR CsvToMR FAILED FileReader FileWriter ImageNetToMR MindPage
        MnistToMR SUCCESS TFRecordToMR set_dec_mode set_enc_key set_enc_mode""",
    "nn.summary": "summary",
    "ops": "constexpr is_tensor",
    "rewrite": "Node NodeType ScopedValue SymbolTree ValueType",
    "sharding.strategy": "Layout reshard shard",
    "ops.generator": """Generator default_generator get_rng_state initial_seed manual_seed seed
        set_rng_state""",
    "ops.sparse_tensor": "COOTensor CSRTensor RowTensor RowTensorInner SparseTensor",
    "profiler": "Profiler",
    "profiler.dump": "set_dump",
    "profiler.nan": "find_nan",
    "profiler.record": "profile",
    "train": "amp",
    "transforms.saved_tensors": "register_saved_tensors_hooks saved_tensors_hooks",
    "train.quantization": "quantize",
}
_MODULES = (
    "common",
    "communication",
    "context",
    "dataset",
    "device_context",
    "experimental",
    "hal",
    "log",
    "metrics",
    "mindrecord",
    "mint",
    "models",
    "nn",
    "numpy",
    "parallel",
    "profiler",
    "rewrite",
    "runtime",
    "scipy",
    "train",
    "utils",
)

__getattr__, _names = _late(__name__, _HOMES, _MODULES, _all_of("train"))


def __dir__() -> list:
    return sorted({*_names(), *_importlib.import_module(f"{__name__}.train").__all__})


_guard(__name__)
base.quiet.end()
