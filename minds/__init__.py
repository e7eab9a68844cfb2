"""minds: a deep learning framework that differentiates programs by transforming their source."""
import os as _os
import sys as _sys

# libgomp reads this when the native core is loaded. Its default lets a thread spin for up to 20 ms at each barrier, which on
# a machine with other work costs whole time slices (measured: a LeNet epoch took 0.8 s with, 5 to 28 s without).
_os.environ.setdefault("GOMP_SPINCOUNT", "1000")

from . import tensor as _tensor  # noqa: E402
from .base import dtype
from .base.dtype import (bfloat16, bool_, complex64, complex128, float16, float32, float64, int8, int16, int32, int64,
                         uint8, uint16, uint32, uint64)
from .base.options import GRAPH_MODE, PYNATIVE_MODE, get_context, set_context
from .tensor import Parameter, ParameterTuple, Tensor
from . import eager as _eager
from . import ops
from .ir.node import Node as _Node
from .ops import methods as _methods

_methods.install(Tensor, _Node)

from .compile import call_cell as _call_cell  # noqa: E402
from .compile import compile_cell as _compile_cell  # noqa: E402
from .compile import jit  # noqa: E402
from .transforms import GradOperation as _GradOperation  # noqa: E402
from .transforms import grad, value_and_grad  # noqa: E402
from .derivatives import jvp, linearize, vjp  # noqa: E402
from .jacobian import hessian, jacfwd, jacrev  # noqa: E402
from .vmap import vmap  # noqa: E402
from . import context  # noqa: E402

for _module in (ops, ops.composite, ops.functional):
    _module.GradOperation, _module.grad, _module.value_and_grad = _GradOperation, grad, value_and_grad
for _function in (vjp, jvp, linearize, jacrev, jacfwd, hessian, vmap):
    setattr(ops, _function.__name__, _function)
ms_function = jit

from . import nn  # noqa: E402
from .nn.cell import install_graph_mode as _install_graph_mode  # noqa: E402

_install_graph_mode(_call_cell, _compile_cell)

from . import common, dataset, train  # noqa: E402
from .common import get_seed, mutable, set_seed  # noqa: E402
from .common.api import jit_class, lazy_inline, no_inline  # noqa: E402
from .ops import constexpr  # noqa: E402
from .train import amp  # noqa: E402

# MindSpore has every name of its train module at the top as well.
globals().update({n: getattr(train, n) for n in train.__all__ if n not in ("callback", "metrics")})
# Metrics are above cells, and MindSpore has them in nn too.
_sys.modules[f"{__name__}.nn.metrics"] = nn.metrics = train.metrics
for _name in train.metrics.__all__:
    setattr(nn, _name, getattr(train.metrics, _name))
from .inspect import inspect  # noqa: E402
