"""Cells that compute a function together with a derivative: `Jvp` and `Vjp`."""

from __future__ import annotations

from ..base.errors import complain
from ..transforms.jvp import jvp
from ..transforms.vjp import vjp
from .cell import Cell


def _split(args: tuple, name: str) -> tuple:
    """The inputs, and ``v`` as one entry per input or output."""
    if len(args) < 2:
        raise complain(
            TypeError, f"{name}: got {len(args)} arguments", expected="the inputs, and then v"
        )
    return args[:-1], args[-1]


class Jvp(Cell):
    """A function and its derivative along given directions (Jacobian times vector).

    Args:
        fn (Callable): a function or Cell.

    Inputs:
        - **args** (Tensor ..., and Tensor | tuple) - what ``fn`` takes, and last the directions,
          one per input.

    Outputs:
        The value of ``fn``, and its derivative, of the same structure.

    Raises:
        TypeError: there is no input before the directions.

    Examples:
        >>> import minds as ms
        >>> value, slope = ms.nn.Jvp(lambda x: x * x)(ms.Tensor([3.0]), ms.Tensor([0.5]))
        >>> print(value, slope)
        [9.] [3.]
    """

    def __init__(self, fn):
        super().__init__(auto_prefix=False)
        self.fn = fn

    def construct(self, *args):
        inputs, v = _split(args, "Jvp")
        return jvp(self.fn, inputs, v if isinstance(v, tuple) else (v,))


class Vjp(Cell):
    """A function and the gradient of its outputs weighted by ``v`` (vector times Jacobian).

    Args:
        fn (Callable): a function or Cell.

    Inputs:
        - **args** (Tensor ..., and Tensor | tuple) - what ``fn`` takes, and last the weights, of
          the structure of its value.

    Outputs:
        The value of ``fn``, and the gradient by its only input, or a tuple of those by all.

    Raises:
        TypeError: there is no input before the weights.

    Examples:
        >>> import minds as ms
        >>> value, grad = ms.nn.Vjp(lambda x: x * x)(ms.Tensor([3.0]), ms.Tensor([0.5]))
        >>> print(value, grad)
        [9.] [3.]
    """

    def __init__(self, fn):
        super().__init__(auto_prefix=False)
        self.fn = fn

    def construct(self, *args):
        inputs, v = _split(args, "Vjp")
        value, pull = vjp(self.fn, *inputs)
        grads = pull(*v) if isinstance(v, tuple) else pull(v)
        if isinstance(grads, tuple) and len(grads) == 1:
            grads = grads[0]
        return value, grads


__all__ = ["Jvp", "Vjp"]
