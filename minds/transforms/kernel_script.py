"""`kernel`: functions in MindSpore's script of loops over elements, run by Python on NumPy arrays.

In such a function ``output_tensor``, ``allocate``, ``grid`` and the kinds of loops have their names
without an import.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import types

import numpy as np

from ..base.boundary import guard as _guard
from ..base.errors import complain


def _zeros(shape, dtype, scope=None):
    return np.zeros(shape, dtype)


@contextlib.contextmanager
def _block(array):
    yield array


def _grid(shape):
    return itertools.product(*map(range, shape))


_NAMES = {
    "output_tensor": _zeros,
    "allocate": _zeros,
    "block_realize": _block,
    "grid": _grid,
    **dict.fromkeys(("parallel", "reduce", "serial", "unroll", "vectorize"), range),
    **{n: getattr(np, n) for n in "exp floor ceil log power sqrt tanh sin cos trunc isnan".split()},
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": math.erf,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    **{n: getattr(np, n) for n in "float16 float32 float64 int8 int16 int32 int64 uint8".split()},
}


class Kernel:
    """What `kernel` makes of a function: a function of NumPy arrays."""

    def __init__(self, fn, attrs: dict):
        if not isinstance(fn, types.FunctionType):
            raise complain(TypeError, f"kernel: fn is {fn!r}", expected="a function")
        known = {**_NAMES, **fn.__globals__}
        self._fn = types.FunctionType(
            fn.__code__, known, fn.__name__, fn.__defaults__, fn.__closure__
        )
        self.attrs = attrs
        functools.update_wrapper(self, fn)

    def __call__(self, *args):
        return self._fn(*args)


def kernel(fn=None, reg_info=None, compile_attrs=None):
    """A function in MindSpore's script of loops over elements, for `Custom`.

    Args:
        fn (Callable): of NumPy arrays; it may use ``output_tensor(shape, dtype)``, ``allocate``,
            ``block_realize``, ``grid(shape)``, the loops ``serial``, ``parallel``, ``vectorize``, ``unroll``
            and ``reduce``, and NumPy's functions of numbers by name. None makes a decorator.
        reg_info (Any): what `CustomRegOp` gives; has no effect. Default: None.
        compile_attrs (dict): has no effect. Default: None.

    Returns:
        Callable: the function.

    Raises:
        TypeError: ``fn`` is no function written in Python.

    Examples:
        >>> @ops.kernel
        ... def add(a, b):
        ...     c = output_tensor(a.shape, a.dtype)
        ...     for i in parallel(a.shape[0]):
        ...         c[i] = a[i] + b[i]
        ...     return c
        >>> print(ops.Custom(add)(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
        [4. 6.]
    """
    if fn is None:
        return functools.partial(kernel, reg_info=reg_info, compile_attrs=compile_attrs)
    return Kernel(fn, compile_attrs or {})


ms_kernel = kernel

__all__ = ["kernel", "ms_kernel"]
_guard(__name__)
