"""`common._grad_function`: `_Function`, an eager function with a gradient of its own that shares a
context between both directions.
"""

from __future__ import annotations

from .. import ops
from ..base.errors import complain
from ..tensor import Tensor
from ..transforms.custom import custom_bprop


class _FunctionContext:
    """What ``forward`` leaves for ``backward``; attributes may be added."""

    def __init__(self, needed: tuple):
        self.needs_input_grad = needed
        self.saved_tensors: tuple = ()
        self.non_differentiable: tuple = ()
        self.materialize_grads = True

    def save_for_backward(self, *tensors) -> None:
        """Keep tensors, which are ``saved_tensors`` then."""
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *tensors) -> None:
        """Say which results have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Accepted: the gradient of a result that nothing uses is zeros."""
        self.materialize_grads = value


def _check_gradients(what: str, args: tuple, grads: tuple) -> None:
    """Raise RuntimeError unless there is a tensor or None for each argument, None for those that are no
    tensors.
    """
    if len(grads) != len(args):
        fault = "Function backward return a wrong number of gradients"
        wanted = f"{len(args)}, one for each argument"
        raise complain(RuntimeError, f"{what}: {fault}, {len(grads)}", expected=wanted)
    for i, (a, g) in enumerate(zip(args, grads)):
        if g is None:
            continue
        if not isinstance(a, Tensor):
            fault = f"Input is not tensor, but gradient is not none; argument {i} is {a!r}"
            raise complain(RuntimeError, f"{what}: {fault}", cure="give None for it")
        if not isinstance(g, Tensor):
            fault = f"Gradient should be none or tensor, and gradient {i} is {g!r}"
            raise complain(RuntimeError, f"{what}: {fault}")


class _Function:
    """A function of tensors with a gradient of its own, called by ``apply``; in PyNative mode.

    Subclasses define the static methods ``forward(ctx, *args)`` and ``backward(ctx, *grads)``,
    which gives a gradient or None for each argument; or ``forward(*args)`` and
    ``setup_context(ctx, inputs, output)``.

    Examples:
        >>> from minds.common._grad_function import _Function
        >>> class Cube(_Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x * x
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return grad * 3.0 * ctx.saved_tensors[0] ** 2
        >>> float(ms.grad(Cube.apply)(Tensor(2.0)))
        12.0
    """

    @staticmethod
    def forward(ctx, *args):
        """The result."""
        raise complain(NotImplementedError, "_Function: forward is not defined", cure="define it")

    @staticmethod
    def backward(ctx, *grads):
        """The gradients of the arguments."""
        raise complain(NotImplementedError, "_Function: backward is not defined", cure="define it")

    setup_context = None

    @classmethod
    def apply(cls, *args):
        """Call ``forward``.

        Args:
            args (Any): its arguments; gradients go to the tensors.

        Raises:
            RuntimeError: ``backward`` gives another number of gradients, one that is no tensor, or one
                for an argument that is none.
        """
        ctx = _FunctionContext(tuple([isinstance(a, Tensor) for a in args]))

        def run(*tensors):
            given = iter(tensors)
            whole = [next(given) if isinstance(a, Tensor) else a for a in args]
            if cls.setup_context is None:
                return cls.forward(ctx, *whole)
            out = cls.forward(*whole)
            cls.setup_context(ctx, tuple(whole), out)
            return out

        def backward(*both):
            dout = both[-1]
            grads = cls.backward(ctx, *(dout if isinstance(dout, tuple) else (dout,)))
            grads = grads if isinstance(grads, tuple) else (grads,)
            _check_gradients(f"{cls.__name__}.backward", args, grads)
            return tuple(
                [
                    ops.zeros_like(a) if g is None else g
                    for a, g in zip(args, grads)
                    if isinstance(a, Tensor)
                ]
            )

        return custom_bprop(run, backward)(*[a for a in args if isinstance(a, Tensor)])


__all__ = ["_Function"]
