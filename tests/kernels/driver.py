"""Runs one native kernel on NumPy arrays, on the device under test. bfloat16 arrays are float32 here
and are rounded on the way in.
"""

from __future__ import annotations

import devices
import numpy as np
from closeness import KERNEL_ULPS, assert_agrees

from minds import _core

CODES = {
    n: i
    for i, n in enumerate(
        [
            "bool",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "float16",
            "bfloat16",
            "float32",
            "float64",
        ]
    )
}
NAMES = [*CODES, "complex64", "complex128"]
HALF = ("float16", "bfloat16")
DATA_ERRORS = (ValueError, IndexError, ZeroDivisionError, OverflowError)
# What one rounding of a result costs, relative.
EPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-20, "float64": 2.0**-48}


def round_to(a, dtype: str) -> np.ndarray:
    """`a` with the values that `dtype` can hold, in float32 for bfloat16."""
    if dtype != "bfloat16":
        return np.asarray(a, dtype)
    bits = np.asarray(a, np.float32, order="C").view(np.uint32).astype(np.uint64)
    return (
        np.asarray((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16)
        .astype(np.uint32)
        .view(np.float32)
    )


def to_array(a: np.ndarray, dtype: str):
    if dtype != "bfloat16":
        return _core.Array.from_numpy(np.asarray(a, dtype, order="C"), CODES[dtype])
    bits = np.asarray(round_to(a, dtype).view(np.uint32) >> 16, np.uint16)
    return _core.Array.from_numpy(bits, CODES[dtype])


def to_numpy(a) -> np.ndarray:
    if a.dtype == CODES["bfloat16"]:
        return (a.numpy().view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return a.numpy()


def make(op: str, inputs: list, outputs: list, **attrs):
    """A prepared kernel; inputs and outputs are (shape, dtype name)."""
    spec = [[(tuple(s), CODES[t]) for s, t in group] for group in (inputs, outputs)]
    host = _core.Kernel(op, "cpu", *spec, attrs)
    if not devices.is_other() or op == "random_key":  # the generator is the host's
        return host
    kernel = _core.Kernel(op, devices.NAME, *spec, attrs)
    ulps = KERNEL_ULPS
    if op == "cumsum":  # the CPU adds one by one in float64: its own error grows with the length
        ulps += max(inputs[0][0], default=0) / 1024

    def both(*arrays):
        """The device's results, which agree with the CPU's, or its error, with the CPU's text."""
        found = outcome(lambda: kernel(*[a.to(devices.NAME) for a in arrays]))
        wanted = outcome(lambda: host(*[a.to("cpu") for a in arrays]))
        if isinstance(wanted, Exception):
            assert isinstance(found, next(k for k in DATA_ERRORS if isinstance(wanted, k)))
            assert str(found).startswith(f"{op}: {wanted}")  # and the line that launched it
            raise wanted
        for f, w in zip(several(found), several(wanted), strict=True):
            assert f.dtype == w.dtype
            assert_agrees(to_numpy(f), to_numpy(w), NAMES[f.dtype], devices.NAME, ulps)
        return found

    return both


def several(out) -> tuple:
    return out if isinstance(out, tuple) else (out,)


def outcome(call):
    """What a call gives, waited for, or the error that it raises by then."""
    try:
        found = call()
        for out in several(found):
            out.numpy()
    except DATA_ERRORS as e:
        return e
    return found


def run(op: str, operands: list, outputs: list, **attrs):
    """The results of `op` on (array, dtype name) pairs, as NumPy arrays."""
    arrays = [to_array(np.asarray(a), t) for a, t in operands]
    kernel = make(op, [(np.shape(a), t) for a, t in operands], outputs, **attrs)
    out = kernel(*arrays)
    again = kernel(*arrays)
    results = [to_numpy(o) for o in several(out)]
    for r, s in zip(results, several(again), strict=True):
        np.testing.assert_array_equal(r, to_numpy(s))  # every call gives the same bits
    return results if isinstance(out, tuple) else results[0]


def sample(shape, dtype: str, seed: int = 0) -> np.ndarray:
    """Normal deviates that `dtype` holds exactly."""
    return round_to(np.random.default_rng(seed).standard_normal(shape), dtype)


def assert_close(got, want, dtype: str, scale: float = 1.0) -> None:
    """Equal up to a few roundings of `dtype`, relative to `scale` or the largest wanted
    magnitude.
    """
    want = np.asarray(want, np.float64)
    assert got.shape == want.shape
    size = max(scale, float(np.max(np.abs(want), initial=0)))
    np.testing.assert_allclose(
        np.asarray(got, np.float64), want, rtol=0, atol=4 * EPS[dtype] * size
    )
