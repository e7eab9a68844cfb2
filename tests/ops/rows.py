"""One row per op: sample operands, an independent reference, the dtypes it takes, and whether it
has a gradient.

Operands are float64 (or integer, or bool) NumPy arrays; a test casts the floating point ones to
each dtype. References compute in float64 from the operands as rounded to that dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from minds import Tensor
from minds.ops import P

FLOATS = ("float64", "float32", "float16", "bfloat16")
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DOUBLES = ("float64", "float32")


@dataclass(frozen=True)
class Row:
    """One case of one op.

    Attributes:
        op: the op's name.
        operands: makes the arrays from a random generator.
        reference: the result, or a tuple of results, for these arrays.
        call: the op with the attributes of this case. Default: the op itself.
        dtypes: what floating point (or, for integer rows, integer) operands are cast to.
        grad: whether gradients are checked to order 2.
        slack: how many times the usual rounding error is allowed.
        note: tells rows of one op apart.
    """

    op: str
    operands: Callable
    reference: Callable
    call: Callable | None = None
    dtypes: tuple = FLOATS
    grad: bool = True
    slack: float = 1
    note: str = ""

    def __call__(self, *tensors):
        return (self.call or getattr(P, self.op))(*tensors)

    def sample(self, dtype: str = "float64") -> list:
        """The operands, cast to ``dtype`` where that is of their kind."""
        from minds import Tensor

        rng = np.random.default_rng(sum(map(ord, self.op + self.note)))
        out = []
        for a in self.operands(rng):
            a = np.asarray(a)
            floats = dtype in FLOATS
            cast = a.dtype.kind == "f" if floats else a.dtype == np.int64
            out.append(Tensor(a, dtype) if cast else Tensor(a))
        return out

    def __str__(self) -> str:
        return f"{self.op}-{self.note}" if self.note else self.op


def outputs(out) -> tuple:
    """The results of a row, one or several."""
    return out if isinstance(out, tuple) else (out,)


EPS = {"float64": 1e-14, "float32": 1e-6, "float16": 1e-3, "bfloat16": 8e-3}


def agree(row, found, expected: tuple) -> None:
    """What a row computed is what its reference gives, up to the rounding of its dtype."""
    found = outputs(found)
    assert len(found) == len(expected)
    for f, e in zip(found, expected, strict=True):
        e = np.asarray(e)
        assert f.shape == e.shape
        if f.dtype.is_float:
            tolerance = EPS[f.dtype.name] * row.slack
            np.testing.assert_allclose(
                f.asnumpy().astype(np.float64),
                e,
                rtol=tolerance,
                atol=tolerance * max(1.0, np.abs(e[np.isfinite(e)]).max(initial=0)),
            )
        else:
            np.testing.assert_array_equal(f.asnumpy(), e)


def squares(row):
    """A function of the operands: the sum of squares of what a row computes, in float64."""

    def loss(*xs):
        total = Tensor(0.0, "float64")
        for out in outputs(row(*xs)):
            if out.dtype.is_float:
                wide = P.cast(out, "float64")
                total = total + P.sum(wide * wide)
        return total

    return loss


def normal(*shape, scale=1.0, offset=0.0):
    """A maker of one operand."""
    return lambda rng: rng.standard_normal(shape) * scale + offset


def uniform(low, high, *shape):
    """A maker of one operand."""
    return lambda rng: rng.uniform(low, high, shape)


def integers(low, high, *shape):
    """A maker of one integer operand."""
    return lambda rng: rng.integers(low, high, shape)


def bools(*shape):
    """A maker of one bool operand."""
    return lambda rng: rng.integers(0, 2, shape).astype(bool)


def several(*makers):
    """The operands that makers give, or fixed arrays."""
    return lambda rng: [m(rng) if callable(m) else m for m in makers]
