"""What distributions and bijectors do with the parameters that they are given."""

from __future__ import annotations

import numpy as np

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...tensor import Parameter, Tensor


def as_tensor(value, dtype):
    """A number, list, array or tensor as a tensor of ``dtype``; a Parameter as it is.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(value, Parameter):
        return value
    if isinstance(value, bool):
        raise complain(TypeError, "a parameter has type bool", expected="numbers")
    if not isinstance(value, (Tensor, np.ndarray, list, tuple, int, float)):
        raise complain(
            TypeError,
            f"a parameter has type {type(value).__name__}",
            expected="a Tensor, an array, a list or a number",
        )
    return Tensor(value, dtype=dtype)


def common_dtype(given: dict, wanted):
    """The dtype of parameters: that of those that have one, else what is wanted; always floating.

    Raises:
        TypeError: two dtypes differ.
    """
    found = None
    for name, value in given.items():
        own = getattr(value, "dtype", None)
        if own is None:
            continue
        own = dt.of(own)
        if found is not None and own is not found:
            raise complain(
                TypeError, f"{name} has dtype {own.name}", expected=f"{found.name}, as the others"
            )
        found = own
    if found is None:
        found = wanted
    return found if found is not None and found.is_float and found is not dt.float64 else dt.float32


def common_shape(given: dict) -> tuple | None:
    """The shape that all parameters broadcast to; None where one is missing.

    Raises:
        ValueError: they do not broadcast.
    """
    if any(v is None for v in given.values()):
        return None
    shapes = [np.shape(v) if not hasattr(v, "shape") else v.shape for v in given.values()]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise complain(
            ValueError,
            f"the parameters {', '.join(given)} have the shapes {', '.join(map(str, shapes))}",
            expected="shapes that broadcast",
        ) from None


def are_numbers(given: dict) -> bool:
    """Whether every parameter that is given is a number."""
    return all(v is None or isinstance(v, (int, float)) for v in given.values())


def check_positive(value, name: str) -> None:
    """Raise ValueError where an element is not above 0."""
    if value is not None and not (value.asnumpy() > 0).all():
        raise complain(ValueError, f"{name} must be greater than zero")


def check_probability(value) -> None:
    """Raise ValueError where an element is not between 0 and 1."""
    if value is not None and not ((value.asnumpy() > 0) & (value.asnumpy() < 1)).all():
        raise complain(ValueError, "probabilities must be greater than zero and less than one")


def check_below(low, high) -> None:
    """Raise ValueError where an element of ``low`` is not below that of ``high``."""
    if low is not None and high is not None and not (low.asnumpy() < high.asnumpy()).all():
        raise complain(ValueError, "low must be less than high")


def expect_tensor(value, name: str):
    """``value``, which must be a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be a Tensor or a Parameter")
    return value


def together(values):
    """Tensors, broadcast to one shape."""
    if len(values) == 1:
        return values[0]
    total = values[0]
    for v in values[1:]:
        total = total + v
    return tuple([ops.broadcast_to(v, total.shape) for v in values])


def text(names, values, shape, scalar: bool) -> str:
    """What stands between the parentheses of ``repr``."""
    if not scalar:
        return f"batch_shape = {shape}"
    return ", ".join(f"{n} = {v}" for n, v in zip(names, values))
