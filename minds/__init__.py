"""minds: a deep learning framework that differentiates programs by transforming their source.

What lies above the compiler (cells, data, training, …) is imported when it is first used.
"""

import importlib as _importlib
import os as _os

# libgomp reads this when the native core is loaded. Its default lets a thread spin for up to 20 ms
# at each barrier, which on a machine with other work costs whole time slices (measured: a LeNet
# epoch took 0.8 s with, 5 to 28 s without).
_os.environ.setdefault("GOMP_SPINCOUNT", "1000")

from . import context, eager, ops  # noqa: E402
from .ad.check import check_grad as _check_grad  # noqa: E402
from .ad.tape import NoGrad as _no_grad  # noqa: E402, F401
from .base import dtype  # noqa: E402
from .base.dtype import (  # noqa: E402
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
from .base.options import GRAPH_MODE, PYNATIVE_MODE, get_context, set_context  # noqa: E402
from .ir.dim import Dim  # noqa: E402
from .jit.compile import jit, recompiles  # noqa: E402
from .jit.signature import Symbol, enable_dynamic  # noqa: E402
from .tensor import Parameter, ParameterTuple, Tensor, tensor  # noqa: E402
from .transforms.custom import HookBackward as _HookBackward  # noqa: E402
from .transforms.custom import InsertGradientOf as _InsertGradientOf  # noqa: E402
from .transforms.custom import custom_bprop as _custom_bprop  # noqa: E402
from .transforms.custom import custom_vjp as _custom_vjp  # noqa: E402
from .transforms.grad import GradOperation as _GradOperation  # noqa: E402
from .transforms.grad import get_grad, grad, value_and_grad  # noqa: E402
from .transforms.host_callback import host  # noqa: E402
from .transforms.jacobian import hessian, jacfwd, jacrev  # noqa: E402
from .transforms.jet import derivative as _derivative  # noqa: E402
from .transforms.jet import jet as _jet  # noqa: E402
from .transforms.jvp import jvp  # noqa: E402
from .transforms.linearize import linearize  # noqa: E402
from .transforms.recompute import recompute  # noqa: E402
from .transforms.recompute import recompute_block as _recompute_block  # noqa: E402
from .transforms.vjp import vjp  # noqa: E402
from .transforms.vmap import vmap  # noqa: E402
from .version import __version__  # noqa: E402, F401

ms_function = jit
from_numpy = Tensor.from_numpy

# MindSpore has the derivatives among the ops too.
_home = _importlib.import_module(f"{__name__}.ops.function.grad.grad_func")
for _module in (ops, ops.composite, ops.functional, _home):
    _module.GradOperation, _module.grad, _module.value_and_grad = (
        _GradOperation,
        grad,
        value_and_grad,
    )
for _function in (vjp, jvp, linearize, jacrev, jacfwd, vmap, get_grad):
    for _module in (ops, ops.functional, _home):
        setattr(_module, _function.__name__, _function)
for _function in (
    hessian,
    _check_grad,
    _custom_bprop,
    _HookBackward,
    _InsertGradientOf,
    recompute,
    _recompute_block,
):
    setattr(ops, _function.__name__, _function)
_home.custom_vjp = _custom_vjp
for _module in (ops, ops.functional):
    _module.jet, _module.derivative = _jet, _derivative
ops.operations.HookBackward, ops.operations.InsertGradientOf = _HookBackward, _InsertGradientOf

_SUBMODULES = ("common", "nn", "dataset", "metrics", "train", "log", "mint", "numpy", "scipy")
_NAMES = {
    "amp": "train.amp",
    "inspect": "jit.inspection",
    "constexpr": "ops",
    "get_seed": "common",
    "set_seed": "common",
    "mutable": "common",
    "jit_class": "common.api",
    "lazy_inline": "common.api",
    "no_inline": "common.api",
    "run_check": "jit.self_check",
    "JitConfig": "common.jit_config",
    "STRICT": "common.jit_config",
    "COMPATIBLE": "common.jit_config",
    "LAX": "common.jit_config",
    "is_tensor": "ops",
    **dict.fromkeys(
        ("COOTensor", "CSRTensor", "RowTensor", "RowTensorInner", "SparseTensor"),
        "common.sparse_tensor",
    ),
    **dict.fromkeys(
        (
            "ParallelMode",
            "get_auto_parallel_context",
            "reset_auto_parallel_context",
            "set_auto_parallel_context",
            "set_device",
            "set_deterministic",
            "set_recursion_limit",
        ),
        "context",
    ),
    **dict.fromkeys(
        (
            "dtype_to_nptype",
            "dtype_to_pytype",
            "get_py_obj_dtype",
            "pytype_to_dtype",
            "list_",
            "tuple_",
            "string",
            "type_none",
            "half",
            "single",
            "double",
            "byte",
            "short",
            "intc",
            "intp",
            "ubyte",
            "ushort",
            "uintc",
            "uintp",
            "int_",
            "float_",
            "uint",
            "bool",
            "int",
            "float",
            "long",
            "cfloat",
            "cdouble",
        ),
        "common.dtype",
    ),
}
"""Names at the top that come from modules which are imported late; besides these, all names of
`train`.
"""


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _SUBMODULES and name not in _NAMES:
        return _importlib.import_module(f"{__name__}.{name}")
    module = _importlib.import_module(f"{__name__}.{_NAMES.get(name, 'train')}")
    if name == "amp":
        found = module
    elif name in _NAMES or name in module.__all__:
        found = getattr(module, name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list:
    train = _importlib.import_module(f"{__name__}.train")
    return sorted({*globals(), *_SUBMODULES, *_NAMES, *train.__all__})
