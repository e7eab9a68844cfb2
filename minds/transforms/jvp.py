"""`jvp`: the derivative along a direction.

Forward mode is reverse mode twice: the pullback u ↦ uᵀJ is linear, and the pullback of that map at
any u is v ↦ Jv. Each op with a gradient of second order so has a forward derivative too, and there
is no second table of rules that could disagree with the first.
"""

from __future__ import annotations

from .. import eager_views
from ..ad import tape
from ..ad.cotangents import cotangent_abstract
from ..base.errors import complain
from ..frontend import region
from ..frontend.registry import EMITTERS
from ..frontend.values import flatten, leaf_abstracts, unflatten
from ..ir.abstract import NONE
from ..ir.node import Constant
from ..ops.define import P
from .graph_pullback import GraphPullback, LinearMap, cotangents, filled
from .leaves import compiling, leaves_of, tensors, with_leaves, with_number_nodes
from .scope import derived, scope
from .tape_pullback import TapePullback
from .transformed import Transformed, emitted, split_aux


class Pushforward:
    """v ↦ Jv at a point: the pullback of the pullback.

    Attributes:
        value, aux: what counts of the value of ``fn``; () or the one-element tuple of what else it
            returned.
    """

    def __init__(self, fn, args, positions, has_aux: bool = False, name: str = "jvp"):
        self.name, ip = name, compiling()
        if ip is None:
            self._record(fn, args, positions, has_aux)
        else:
            self._trace(ip, fn, args, positions, has_aux)

    def _record(self, fn, args, positions, has_aux) -> None:
        run = TapePullback(fn, args, {}, positions)
        self.graph = run.graph
        self.value, self.aux = split_aux(run.value, has_aux, self.name)
        outs = tensors(self.value)
        self._u, self._tape = [P.full(o.shape, 0, o.dtype) for o in outs], tape.Tape()
        for u in self._u:
            self._tape.watch(u)
        with self._tape:
            douts = [None if o.dtype.is_bool else u for o, u in zip(outs, self._u)]
            self._pulled = run.gradients(outs, douts)

    def _trace(self, ip, fn, args, positions, has_aux) -> None:
        graph = ip.graph("push")
        with derived(ip, graph), scope(ip, graph, {}):
            run = GraphPullback(ip, fn, args, {}, positions)
            self.graph = run.graph
            value, self.aux = split_aux(run.value, has_aux, self.name)
            types = leaf_abstracts(flatten(value, []), [])
            counted = [a for a in types if cotangent_abstract(a) is not NONE]
            params = iter([graph.add_param(f"u{i}", a, ip.here()) for i, a in enumerate(counted)])
            pulled = run.linear.pull(
                [
                    Constant(None, NONE) if cotangent_abstract(a) is NONE else next(params)
                    for a in types
                ]
            )
            leaves: list = []
            skeleton = flatten((value, self.aux), leaves)
            nodes = [*pulled, *map(ip.node, leaves)]
            graph.output = region.pack(ip, nodes)
        self._types, self._pulled = types, [n.abstract for n in pulled]
        self._linear = LinearMap(
            ip, graph, [filled(ip, a, 0) for a in counted], [n.abstract for n in nodes]
        )
        self.value, self.aux = unflatten(skeleton, iter(self._linear.values[len(pulled) :]))

    types = property(lambda self: self._pulled, doc="Of the vectors, in compiled code.")

    def __call__(self, v):
        """Jv in the structure of the outputs; ``v`` in that of the inputs."""
        given = leaves_of(v) if compiling() else tensors(v)
        have, want = [t.shape for t in given], [t.shape for t in self._pulled]
        if have != want:
            raise complain(
                ValueError,
                f"{self.name}: the vectors have shapes {have}, the inputs {want}",
                expected="one vector per input, of its shape",
            )
        return with_leaves(self.value, self._pushed(given))

    def _pushed(self, given: list) -> list:
        ip = compiling()
        if ip is None:
            vectors = [
                d if d.dtype is t.dtype else P.cast(d, t.dtype) for d, t in zip(given, self._pulled)
            ]
            found = self._tape.gradients(self._pulled, vectors, self._u)
            found = [
                P.full(t.shape, 0, t.dtype) if g is None else g for g, t in zip(found, self._u)
            ]
            return eager_views.apart(found, vectors)
        found = iter(self._linear.pull(cotangents(ip, tuple(given), self._pulled)))
        return [
            region.anything(ip, a) if cotangent_abstract(a) is NONE else next(found)
            for a in self._types
        ]

    def _emit(self, ip, args, kwargs):
        """In compiled code."""
        return ip.native(self.__call__, *args, **kwargs)


class JvpFunction(Transformed):
    """(inputs, v) ↦ what `jvp` returns."""

    def differentiated(self, args: tuple):
        """The inputs."""
        return args[:1]

    def compute(self, inputs, v):
        inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
        if compiling():
            inputs, v = with_number_nodes(inputs), with_number_nodes(v)
        push = Pushforward(self.fn, inputs, range(len(inputs)), *self.settings)
        return (push.value, push(v), *push.aux)


def jvp(fn, inputs, v, has_aux: bool = False):
    r"""The value of ``fn`` and the derivative along ``v``, :math:`Jv`: forward mode.

    Args:
        fn (Callable): a function or Cell.
        inputs (Tensor | tuple[Tensor]): the point.
        v (Tensor | tuple[Tensor]): the direction, in the structure of ``inputs``.
        has_aux (bool): only the first output counts.
    Returns:
        tuple: ``(outputs, derivative)``, with ``has_aux`` ``(output, derivative, other outputs)``.
    Raises:
        TypeError: an input has no gradient.
        ValueError: ``v`` does not fit ``inputs``.

    Examples:
        >>> import minds as ms
        >>> y, dy = ms.jvp(lambda x: x * x, ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 10.0]))
        >>> print(y, dy)
        [1. 4.] [ 2. 40.]
    """
    return JvpFunction(fn, has_aux)(inputs, v)


EMITTERS[jvp] = emitted(jvp)

__all__ = ["Pushforward", "jvp"]
