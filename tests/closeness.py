"""How closely a device must agree with the CPU.

`sim` runs the CPU's kernels: bit for bit. Others compute sums in another order and have their own
library of functions: what these give, and what whole programs do, is within some units in the last place
of the array's largest finite number, with infinities and NaN in the same places. All else is bit for bit.
"""

from __future__ import annotations

import numpy as np

EXACT = ("cpu", "sim")
KERNEL_ULPS = 16
"""Of one kernel's result."""
FUNCTIONS = """
acos acosh asin asinh atan atan2 atanh celu cos cosh digamma elu erf erfc exp expm1 fast_gelu gelu hypot
lgamma log log1p mish pow sigmoid silu sin sinh softplus tan tanh
""".split()
SUMS = """
sum prod cumsum cumprod softmax log_softmax layer_norm layer_norm_dx batch_norm batch_norm_dx
batch_norm_infer nll nll_dx matmul conv2d conv2d_dx conv2d_dw each_conv2d each_conv2d_dx each_conv2d_dw
avg_pool2d avg_pool2d_dx attention
attention_dx softmax_nll softmax_nll_dx batch_norm_relu batch_norm_relu_dx
""".split()
OP_ULPS = dict.fromkeys(FUNCTIONS + SUMS, 2) | {"attention_dx": 8}  # made of several kernels
"""Of one op on the table's small operands; 0 for ops that are not here."""
HOST_ONLY = ("quantized_conv2d",)
"""What is for the CPU; on other devices it is refused when the program is compiled."""

PROGRAM_ULPS = 4096
"""Of what a program gives after many kernels: 5e-4 in float32."""

_UNITS = {"bfloat16": 2.0**-7, "float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52}
_UNITS |= {"complex64": _UNITS["float32"], "complex128": _UNITS["float64"]}


def is_exact(device: str) -> bool:
    """Whether the device gives the CPU's bits."""
    return device.partition(":")[0].lower() in EXACT


def distance(found: np.ndarray, wanted: np.ndarray, dtype: str, least: float = 0.0) -> float:
    """How far two arrays are apart, in units in the last place of their largest number, or of ``least``
    where that is larger; infinite where they differ in kind.
    """
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return np.inf
    if dtype not in _UNITS:
        return 0.0 if found.tobytes() == wanted.tobytes() else np.inf
    if dtype.startswith("complex"):
        parts = [(found.real, wanted.real), (found.imag, wanted.imag)]
    else:
        parts = [(found, wanted)]
    pairs = [(f.astype(np.float64), w.astype(np.float64)) for f, w in parts]
    finite = [np.isfinite(w) for _, w in pairs]
    if any(not np.array_equal(f[~k], w[~k], equal_nan=True) for (f, w), k in zip(pairs, finite)):
        return np.inf
    largest = max((np.abs(w[k]).max(initial=0.0) for (_, w), k in zip(pairs, finite)), default=0.0)
    largest = max(largest, least)
    apart = max(
        (np.abs(f[k] - w[k]).max(initial=0.0) for (f, w), k in zip(pairs, finite)), default=0
    )
    if not np.isfinite(apart):
        return np.inf
    return 0.0 if apart == 0 else np.inf if largest == 0 else apart / (largest * _UNITS[dtype])


def assert_agrees(
    found: np.ndarray, wanted: np.ndarray, dtype: str, device: str, ulps: float, least: float = 0.0
):
    """``found`` on a device is what the CPU gives; ``dtype`` is minds's name of theirs."""
    if is_exact(device):
        assert found.tobytes() == wanted.tobytes()
        return
    far = distance(found, wanted, dtype, least)
    assert far <= ulps, f"{far:.4g} units in the last place apart:\n{found}\n{wanted}"
