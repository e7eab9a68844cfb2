"""How near a device's floats must be to the CPU's: equal bits where nothing is said.

CUDA's functions (`exp`, `tanh`, ...) are its own, and its sums are trees where the CPU's are not. What that
moves is stated here, in units of the largest element's last place: an element may be a sum of terms that
cancel.
"""

from __future__ import annotations

import numpy as np

EPSILON = {
    "float64": 2.0**-52,
    "float32": 2.0**-23,
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
    "complex64": 2.0**-23,
    "complex128": 2.0**-52,
}

FUNCTIONS = """
acos acosh asin asinh atan atan2 atanh cos cosh digamma erf erfc exp expm1 hypot lgamma log log1p pow
sigmoid sin sinh tan tanh
""".split()
SUMS = """
sum prod cumsum cumprod softmax log_softmax layer_norm layer_norm_dx batch_norm batch_norm_dx
batch_norm_infer nll nll_dx matmul conv2d conv2d_dx conv2d_dw avg_pool2d avg_pool2d_dx
""".split()
ULPS = dict.fromkeys(FUNCTIONS + SUMS, 2.0)
"""By op; of the rest the bits are equal."""


def assert_near(found, wanted, ulps: float | tuple) -> None:
    """Two results, nested tuples of what `placed.bits` makes, differ by ``ulps`` units at most, of a
    tuple by those of the same place; without floats, and for 0, not at all.
    """
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for k in wanted:
            assert_near(found[k], wanted[k], ulps)
    elif isinstance(wanted, tuple) and not is_array(wanted):
        assert isinstance(found, tuple) and len(found) == len(wanted), (found, wanted)
        each = ulps if isinstance(ulps, tuple) else (ulps,) * len(wanted)
        for f, w, u in zip(found, wanted, each):
            assert_near(f, w, u)
    elif not ulps or not is_array(wanted) or wanted[0] not in EPSILON:
        assert found == wanted
    elif found != wanted:
        assert found[:2] == wanted[:2], (found, wanted)
        f, w = (np.frombuffer(x[2], stored(x)).astype(wide(x[0])) for x in (found, wanted))
        finite = np.isfinite(w)
        np.testing.assert_array_equal(f[~finite], w[~finite])
        off = np.abs(f - w)[finite] / (EPSILON[wanted[0]] * max(np.abs(w[finite]).max(), 1e-30))
        assert off.max() <= ulps, f"{off.max():.2f} units of the largest element's last place"


def is_array(x) -> bool:
    return isinstance(x, tuple) and len(x) == 3 and isinstance(x[2], bytes)


def stored(x) -> str:
    """The dtype of the bytes: NumPy's of the same name, or float32 for bfloat16."""
    return "float32" if x[0] == "bfloat16" else x[0]


def wide(dtype: str) -> str:
    return "complex128" if dtype.startswith("complex") else "float64"
