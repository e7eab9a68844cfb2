"""`vjp`: the value of a function and its pullback."""

from __future__ import annotations

from ..ad.cotangents import cotangent_abstract
from ..base.errors import complain
from ..frontend.registry import EMITTERS
from ..frontend.values import flatten, leaf_abstracts
from ..ir.abstract import NONE
from ..ir.node import Constant
from ..tensor import Parameter
from .at_point import AnewAtPoint, LinearProgram, chosen, in_two_programs
from .leaves import compiling, holds_float, with_number_nodes
from .split_linear import Stages
from .transformed import as_it_is, emitted, run_at, split_aux


class Pullback:
    """The function that `vjp` returns: cotangents of the outputs to gradients."""

    def __init__(self, run, counted, weights):
        self.run, self.counted, self.weights = run, counted, weights

    def __call__(self, *v):
        if not v:
            raise complain(TypeError, "vjp: the pullback needs the cotangents of the outputs")
        v = (
            with_number_nodes(v[0] if len(v) == 1 else v)
            if compiling()
            else v[0]
            if len(v) == 1
            else v
        )
        return _arranged(self.run.pull(self.counted, v), self.weights)

    def _emit(self, ip, args, kwargs):
        """In compiled code."""
        return ip.native(self.__call__, *args, **kwargs)


def _arranged(found: tuple, weights):
    """What a pullback returns, from the gradients by position and by weight."""
    by_position, by_weight = found
    if weights is None:
        return tuple(by_position)
    return tuple(by_position), by_weight[0] if isinstance(weights, Parameter) else tuple(by_weight)


class _VjpStages(Stages):
    def __init__(self, fn, weights, has_aux: bool):
        self.fn, self.weights, self.has_aux = fn, weights, has_aux

    def first(self, *inputs):
        """Run ``fn``; the cotangents come later."""
        run = run_at(self.fn, inputs, range(len(inputs)), chosen(self.weights))
        counted, aux = split_aux(run.value, self.has_aux, "vjp")
        kinds = leaf_abstracts(flatten(counted, []), [])

        def later(douts):
            given = iter(douts)
            parts = [
                Constant(None, NONE) if cotangent_abstract(a) is NONE else next(given)
                for a in kinds
            ]
            return _arranged(run.pulled(parts), self.weights)

        return (counted, *aux), [a for a in kinds if cotangent_abstract(a) is not NONE], later


def vjp(fn, *inputs, weights=None, has_aux: bool = False):
    r"""The value of ``fn`` and its pullback, the map :math:`u \mapsto u^T J`.

    Args:
        fn (Callable): a function or Cell.
        inputs (Any): the point: tensors, or tuples of them.
        weights (Parameter | ParameterTuple | list): parameters to differentiate by as well.
        has_aux (bool): only the first output counts.
    Returns:
        tuple: ``(outputs, pullback)``, with ``has_aux`` ``(output, pullback, other outputs)``. The
            pullback takes the cotangents of the outputs, any number of times, and returns the tuple
            of gradients of the inputs; with weights ``(of the inputs, of the weights)``. In graph
            mode both are compiled; where ``fn`` loops on run-time values, each call of the pullback
            runs the loop again.
    Raises:
        TypeError: ``fn`` cannot be called, or an input has no gradient.
        ValueError: the cotangents do not fit the outputs.

    Examples:
        >>> import minds as ms
        >>> y, pull = ms.vjp(lambda x: x * x, ms.Tensor([1.0, 2.0]))
        >>> print(y, pull(ms.Tensor([1.0, 10.0]))[0])
        [1. 4.] [ 2. 40.]
    """
    if compiling() is None and holds_float(inputs):
        counted, aux = split_aux(fn(*inputs), has_aux, "vjp")
        several = weights is not None and not isinstance(weights, Parameter)
        at = AnewAtPoint(
            as_it_is(fn), _pull_at, tuple(weights) if several else weights, bool(has_aux)
        )
        return (counted, lambda *v: at(inputs, v), *aux)
    found = in_two_programs(_VjpStages, fn, inputs, weights, bool(has_aux))
    if found is not None:
        (counted, *aux), later = found
        kept = as_it_is(fn)
        return (
            counted,
            LinearProgram(
                "vjp",
                later,
                counted,
                lambda: vjp(kept, *inputs, weights=weights, has_aux=has_aux)[1],
            ),
            *aux,
        )
    run = run_at(fn, inputs, range(len(inputs)), chosen(weights))
    counted, aux = split_aux(run.value, has_aux, "vjp")
    return (counted, Pullback(run, counted, weights), *aux)


def _pull_at(fn, inputs, weights, has_aux: bool):
    return vjp(fn, *inputs, weights=weights, has_aux=has_aux)[1]


EMITTERS[vjp] = emitted(vjp)

__all__ = ["vjp"]
