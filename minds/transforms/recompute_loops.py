"""Loops that keep less for their gradients, and compute it again."""

from __future__ import annotations

from ..base.errors import complain
from ..frontend.describe import describe
from ..frontend.function_types import Bound, Closure
from ..frontend.registry import EMITTERS


def recompute_loops(fn, every: int | None = None):
    """``fn``, whose loops do not keep what each iteration computes for the gradient: they keep the
    state at some iterations, and from there run again when the gradient is taken.

    Of n iterations some √n states are kept, and what √n iterations compute; time grows by that of
    running the loop once more, and the gradients are the same to the bit. It works on the rolled
    loops of compiled code, `for` and `while`, whose length may depend on data; of nested loops on the
    outermost. Loops with effects (prints, assignments to parameters, random numbers) and loops in
    PyNative mode keep all.

    Args:
        fn (Callable): a Cell or a function.
        every (int | None): a state is kept every so many iterations. Default: None, at distances
            that grow so that both kinds of memory are √n.
    Returns:
        Callable: takes the arguments of ``fn``.
    Raises:
        TypeError: ``fn`` cannot be called, or ``every`` is no int.
        ValueError: ``every`` is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> def f(x, n):
        ...     for _ in range(n):
        ...         x = ops.sin(x) * 1.5
        ...     return x
        >>> x, n = ms.Tensor(0.5), ms.Tensor(1000)
        >>> float(ms.grad(ms.recompute_loops(f))(x, n)) == float(ms.grad(f)(x, n))
        True
    """
    if not (callable(fn) or isinstance(fn, (Bound, Closure))):
        raise complain(
            TypeError, f"recompute_loops: fn is {describe(fn)}", expected="a Cell or a function"
        )
    if every is not None and (isinstance(every, bool) or not isinstance(every, int)):
        raise complain(TypeError, f"recompute_loops: every is {every!r}", expected="an int or None")
    if every is not None and every < 1:
        raise complain(ValueError, f"recompute_loops: every is {every}", expected="1 or more")
    return _Loops(fn, every)


class _Loops:
    def __init__(self, fn, every: int | None):
        self.fn, self.every = fn, every
        self.__name__ = getattr(fn, "__name__", type(fn).__name__)

    def __call__(self, *args, **kwargs):
        return self.fn(*args, **kwargs)

    def _emit(self, ip, args, kwargs):
        """In compiled code: the graphs that are made are marked (`passes.segments`)."""
        first = len(ip.graphs)
        found = ip.call(self.fn, list(args), dict(kwargs))
        for g in ip.graphs[first:]:
            g.flags["segments"] = self.every
        return found


EMITTERS[recompute_loops] = lambda ip, *args, **kwargs: recompute_loops(*args, **kwargs)

__all__ = ["recompute_loops"]
