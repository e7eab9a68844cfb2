"""`run_check`: does this installation compute?"""

from __future__ import annotations

import numpy as np

from .. import _core
from ..ops.define import P
from ..tensor import Tensor
from ..version import __version__
from .compile import jit


def run_check() -> None:
    """Multiply two matrices eagerly and compiled, compare with NumPy, and print how it went.

    Raises:
        RuntimeError: a product is wrong.

    Examples:
        >>> ms.run_check()      # doctest: +ELLIPSIS
        minds ...: kernels for ...
        The products, eager and compiled, are right.
    """
    print(f"minds {__version__}: kernels for {_core.cpu_features() or 'any x86-64'}")
    a = np.arange(12, dtype=np.float32).reshape(3, 4)

    def product(x, y):
        return P.matmul(x, y)

    for name, fn in (("eager", product), ("compiled", jit(product))):
        if not np.array_equal(fn(Tensor(a), Tensor(a.T.copy())).asnumpy(), a @ a.T):
            raise RuntimeError(f"run_check: the {name} product of two matrices is wrong")
    print("The products, eager and compiled, are right.")


__all__ = ["run_check"]
