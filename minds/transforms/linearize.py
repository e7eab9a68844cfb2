"""`linearize`: the value of a function and its linear approximation at a point."""

from __future__ import annotations

from ..frontend.registry import EMITTERS
from .at_point import AnewAtPoint, LinearProgram, in_two_programs
from .jvp import Pushforward
from .leaves import compiling, holds_float, with_number_nodes
from .split_linear import Stages
from .transformed import as_it_is, emitted


class _LinearizeStages(Stages):
    def __init__(self, fn):
        self.fn = fn

    def first(self, *inputs):
        """Run ``fn``; the directions come later."""
        push = Pushforward(self.fn, inputs, range(len(inputs)), False, "linearize")
        return push.value, push.types, lambda v: push(tuple(v))


class LinearizedFunction:
    """The function that `linearize` returns."""

    def __init__(self, push: Pushforward):
        self.push = push

    def __call__(self, *v):
        return self.push(with_number_nodes(v) if compiling() else v)

    def _emit(self, ip, args, kwargs):
        """In compiled code."""
        return ip.native(self.__call__, *args, **kwargs)


def linearize(fn, inputs):
    """The value of ``fn`` and its linear approximation there: `jvp` at one point, for several
    directions.

    Args:
        fn (Callable): a function or Cell.
        inputs (Tensor | tuple[Tensor]): the point.
    Returns:
        tuple: ``(outputs, pushforward)``; the pushforward takes a direction in the structure of
            ``inputs``. In graph mode both are compiled, as those of `vjp`.
    Raises:
        TypeError: an input has no gradient.
        ValueError: a direction does not fit ``inputs``.

    Examples:
        >>> import minds as ms
        >>> y, push = ms.linearize(lambda x: x * x, ms.Tensor([1.0, 2.0]))
        >>> print(push(ms.Tensor([1.0, 0.0])), push(ms.Tensor([0.0, 1.0])))
        [2. 0.] [0. 4.]
    """
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    if compiling() is None and holds_float(inputs):
        at = AnewAtPoint(as_it_is(fn), _push_at)
        return fn(*inputs), lambda *v: at(inputs, v)
    found = in_two_programs(_LinearizeStages, fn, inputs)
    if found is not None:
        kept = as_it_is(fn)
        return found[0], LinearProgram(
            "linearize", found[1], inputs, lambda: linearize(kept, inputs)[1]
        )
    push = Pushforward(fn, inputs, range(len(inputs)), False, "linearize")
    return push.value, LinearizedFunction(push)


def _push_at(fn, inputs):
    return linearize(fn, inputs)[1]


EMITTERS[linearize] = emitted(linearize)

__all__ = ["linearize"]
