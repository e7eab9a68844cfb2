"""The dtypes of operands: both modes give the same dtype and the same bits, of tensors, of numbers
beside tensors and of numbers alone, known when the program is compiled or not.
"""

import inspect
import itertools

import numpy as np
import pytest

import minds as ms
from minds import Tensor, mint, ops
from minds import numpy as mnp
from minds.base import dtype as dt
from minds.ops.define import P

NUMBERS = (True, 3, 2.5)
DTYPES = (dt.bool_, dt.uint8, dt.int32, dt.int64, dt.float16, dt.float32, dt.float64)
BINARY = [o for o in P if len(o.promote_at) == 2 == len(o.params)]
TENSORS = {t: Tensor(np.array([1, 0, 3]).astype(t.np), t) for t in DTYPES}
# What they give depends on whether a number is known, by what they are for; or they take functions.
KNOWING = {"is_tensor", "isconstant", "is_", "is_not", "bool_and", "bool_or", "constexpr"}
OTHERS = KNOWING | {"custom_vjp", "print_", "array_str"}


def outcome(fn, *args):
    """A result as dtypes and bits, or the class of the error."""
    ms.set_seed(1)
    try:
        return shown(fn(*args))
    except Exception as e:
        return type(e).__name__


def shown(v):
    if isinstance(v, (tuple, list)):
        return [shown(e) for e in v]
    return (v.dtype.name, v.shape, v.asnumpy().tobytes()) if isinstance(v, Tensor) else repr(v)


def three_ways(fn, args: tuple) -> list:
    """Eagerly, in graph mode on numbers of the run, and on numbers that stand in the source."""
    tensors = [a for a in args if isinstance(a, Tensor)]

    def with_numbers(*given):
        rest = iter(given)
        return fn(*[next(rest) if isinstance(a, Tensor) else a for a in args])

    return [
        outcome(fn, *args),
        outcome(ms.jit(lambda *a: fn(*a)), *args),
        outcome(ms.jit(with_numbers), *tensors),
    ]


@pytest.mark.parametrize("op", BINARY, ids=lambda o: o.name)
def test_each_op_of_two_operands(op):
    """Each pair of dtypes and kinds of numbers."""
    values = [*NUMBERS, *TENSORS.values()]
    for args in itertools.product(values, values):
        eager, run, known = three_ways(op, args)
        assert eager == run == known, args


def functions(module) -> list:
    found = {}
    for name in sorted(dir(module)):
        fn = getattr(module, name)
        random = any(word in name for word in ("rand", "dropout", "bernoulli", "gumbel"))
        if callable(fn) and not inspect.isclass(fn) and not random and name not in OTHERS:
            found.setdefault(id(fn), (name, fn))
    return [(n, f) for n, f in found.values() if not n.startswith("_")]


@pytest.mark.parametrize("module", [ops, mint, mnp], ids=lambda m: m.__name__)
def test_functions_of_numbers_alone(module):
    """What takes numbers alone eagerly gives the same tensors in graph mode, float32 for floats."""
    wrong, compared = [], 0
    for name, fn in functions(module):
        for count in (1,) if module is mnp else (1, 2):  # its second parameters are sizes
            for args in itertools.product(NUMBERS, repeat=count):
                if isinstance(outcome(fn, *args), str):
                    continue
                compared += 1
                eager, run, known = three_ways(fn, args)
                # A number of the run cannot be a size: that is refused.
                if eager != known or eager != run and not isinstance(run, str):
                    wrong.append(f"{name}{args}: {eager}, {run}, {known}"[:300])
    assert compared > 90 and not wrong, "\n".join(wrong)


def test_operators_on_numbers_stay_pythons():
    """`a * b` on numbers of the run is a number, also where the user's ops give tensors."""

    @ms.jit
    def f(a, b):
        return a * b, ops.mul(a, b), ops.hypot(a, b)

    product, tensor, root = f(3, 2.5)
    assert product == 7.5 and type(product) is float
    assert tensor.dtype is ms.float32 and root.dtype is ms.float32


def test_numbers_are_exact_until_the_op_that_makes_the_tensor():
    for fn in (lambda x: ops.cast(x, ms.float64), lambda x: ops.scalar_to_tensor(x, ms.float64)):
        assert fn(0.1).item() == ms.jit(lambda x, fn=fn: fn(x))(0.1).item() == 0.1
