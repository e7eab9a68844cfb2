"""Gradients that the user gives: `custom_bprop` for functions, `HookBackward` at a place of a
program.
"""

from __future__ import annotations

import functools

from ..base.errors import complain
from ..eager import custom_call
from ..frontend import own_gradient
from ..frontend.function_types import Bound, Closure
from ..frontend.registry import emits


def _is_function(v) -> bool:
    return callable(v) or isinstance(v, (Closure, Bound))


class CustomBprop:
    """A function whose gradient is ``backward(*args, out, dout)``. See `custom_bprop`."""

    def __init__(self, fn, backward):
        self.fn, self.backward = fn, backward
        self.__name__ = fn.name if isinstance(fn, Closure) else getattr(fn, "__name__", "fn")
        self.__doc__ = getattr(fn, "__doc__", None)

    def construct(self, *args):
        """The function."""
        return self.fn(*args)

    def bprop(self, *args):
        """Its gradient."""
        return self.backward(*args)

    def __call__(self, *args):
        return custom_call(self.construct, self.bprop, args)

    @staticmethod
    def _parts(v) -> tuple:
        """What it is, the functions that it holds, and how to make one like it."""

        def remake(items):
            new = object.__new__(type(v))
            new.__dict__ = {**v.__dict__, "fn": items[0], "backward": items[1]}
            return new

        return (), [v.fn, v.backward], remake

    def _emit(self, ip, args, kwargs):
        """In compiled code, as a cell with ``bprop``."""
        return own_gradient.call_with_bprop(ip, self, args, kwargs)


def custom_bprop(fn=None, bprop=None):
    """A function with a gradient of its own, as ``bprop`` gives a Cell; in both modes.

    Args:
        fn (Callable): the function of positional arguments; None makes a decorator.
        bprop (Callable): ``(*args, out, dout)`` to one gradient per argument.
    Returns:
        Callable: ``fn`` with this gradient.
    Raises:
        TypeError: one of them cannot be called; or, when gradients are taken, their number or a
            shape does not fit.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> @ops.custom_bprop(bprop=lambda x, out, dout: (dout * 10.0,))
        ... def tenfold(x):
        ...     return x * 1.0
        >>> float(ms.grad(tenfold)(ms.Tensor(2.0)))
        10.0
    """
    if fn is None:
        return lambda f: custom_bprop(f, bprop)
    for name, value in (("fn", fn), ("bprop", bprop)):
        if not _is_function(value):
            raise complain(
                TypeError, f"custom_bprop: {name} is {type(value).__name__}", expected="a function"
            )
    return CustomBprop(fn, bprop)


class CustomVjp(CustomBprop):
    """A function whose gradient is given afterwards. See `custom_vjp`."""

    def __init__(self, fn):
        super().__init__(fn, None)

    def defbwd(self, bwd) -> None:
        """Give the gradient.

        Args:
            bwd (Callable): ``(*args, out, dout)`` to one gradient per argument.
        """
        if not _is_function(bwd):
            raise complain(
                TypeError, f"custom_vjp: bwd is {type(bwd).__name__}", expected="a function"
            )
        self.backward = bwd

    def bprop(self, *args):
        """Its gradient."""
        if self.backward is None:
            raise complain(
                ValueError,
                f"custom_vjp: {self.__name__} has no gradient",
                cure="give it with defbwd",
            )
        return self.backward(*args)


def custom_vjp(fn):
    """A decorator: the gradient of ``fn`` is what its method ``defbwd`` is given.

    Args:
        fn (Callable): the function of positional arguments.
    Returns:
        CustomVjp: to be called like ``fn``.
    Raises:
        TypeError: when called, if ``fn`` cannot be; of ``defbwd``, if the gradient is no function.

    Examples:
        >>> from minds.ops.function.grad.grad_func import custom_vjp
        >>> @custom_vjp
        ... def tenfold(x):
        ...     return x * 1.0
        >>> tenfold.defbwd(lambda x, out, dout: (dout * 10.0,))
        >>> float(ms.grad(tenfold)(ms.Tensor(2.0)))
        10.0
    """
    return CustomVjp(fn)


class HookBackward(CustomBprop):
    """The identity, whose gradient passes through ``hook_fn``.

    Args:
        hook_fn (Callable): takes the tuple of the gradient; returns None to leave it, or another one.
        cell_id (str): has no effect. Default: ``""``.
    Raises:
        TypeError: ``hook_fn`` is no function.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> double = ops.HookBackward(lambda grads: grads[0] * 2.0)
        >>> float(ms.grad(lambda x: double(x * 3.0))(ms.Tensor(1.0)))
        6.0
    """

    def __init__(self, hook_fn, cell_id: str = ""):
        if not _is_function(hook_fn):
            what = f"HookBackward: hook_fn is {type(hook_fn).__name__}"
            raise complain(TypeError, what, expected="a function")
        super().__init__(lambda x: x, hook_fn)
        self.__name__ = "HookBackward"

    def construct(self, x):
        """The identity."""
        return x

    def bprop(self, x, out, dout):
        """What the hook makes of the gradient."""
        changed = self.backward((dout,))
        if changed is None:
            return dout
        if isinstance(changed, tuple):
            if len(changed) != 1:
                raise complain(
                    TypeError, f"HookBackward: hook returned {len(changed)} values", expected="one"
                )
            return changed[0]
        return changed


class InsertGradientOf(CustomBprop):
    """The identity, whose gradient ``f`` changes.

    Args:
        f (Callable): takes the gradient, and returns another one.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> triple = ops.InsertGradientOf(lambda grad: grad * 3.0)
        >>> float(ms.grad(lambda x: triple(x * 2.0))(ms.Tensor(1.0)))
        6.0
    """

    def __init__(self, f):
        if not _is_function(f):
            raise complain(
                TypeError, f"InsertGradientOf: f is {type(f).__name__}", expected="a function"
            )
        super().__init__(lambda x: x, f)
        self.__name__ = "InsertGradientOf"

    def construct(self, x):
        """The identity."""
        return x

    def bprop(self, x, out, dout):
        """What the function makes of the gradient."""
        return self.backward(dout)


class Morph(CustomBprop):
    """A function as a primitive: its gradient is that of its code, or ``bprop_fn``. It needs no rules, as
    its code is compiled where it is called.

    Args:
        fn (Callable): the function of positional arguments.
        infer_shape (Callable): of MindSpore, without effect.
        infer_dtype (Callable): of MindSpore, without effect.
        bprop_fn (Callable): ``(*args, out, dout)`` to one gradient per argument. Default: None.
    Raises:
        TypeError: a function cannot be called.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> thrice = ops.Morph(lambda x: x * 3.0, lambda shape: shape, lambda dtype: dtype)
        >>> float(ms.grad(lambda x: thrice(x * x))(ms.Tensor(2.0)))
        12.0
    """

    def __init__(self, fn, infer_shape, infer_dtype, bprop_fn=None):
        for name, value in (("fn", fn), ("bprop_fn", bprop_fn)):
            if not (_is_function(value) or name == "bprop_fn" and value is None):
                what = f"Morph: {name} is {type(value).__name__}"
                raise complain(TypeError, what, expected="a function")
        super().__init__(fn, bprop_fn)

    def __call__(self, *args):
        return self.fn(*args) if self.backward is None else super().__call__(*args)

    def _emit(self, ip, args, kwargs):
        if self.backward is None:
            return ip.call(self.fn, list(args), kwargs)
        return super()._emit(ip, args, kwargs)


# ---- made in compiled code, of functions that are


def _made(ip, *args, _fn, **kwargs):
    return ip.native(_fn, *args, **kwargs)


for _fn in (custom_bprop, custom_vjp, CustomVjp.defbwd, HookBackward, InsertGradientOf, Morph):
    emits(_fn)(functools.partial(_made, _fn=_fn))
