"""A function interpreted into a graph of its own that is called through J, so that cotangents can be
pulled back through it in compiled code.

`tape_pullback` is its counterpart on tensors: both have the same members and run the same rules.
`grad` and all other derivatives stand on them.
"""

from __future__ import annotations

from ..ad.cotangents import cotangent_abstract
from ..base import dtype as dt
from ..base.errors import complain
from ..frontend import own_gradient, region, run_lists
from ..frontend.describe import describe
from ..frontend.value_types import abstract
from ..frontend.values import flatten, leaf_abstracts, unflatten
from ..ir import prim, walk
from ..ir.abstract import NONE, AbstractFunction, AbstractScalar, AbstractTensor, AbstractTuple
from ..ir.node import Constant, Graph, Node
from ..jit.results import loaded
from ..ops import tensor_hooks as hooks
from ..ops.define import P
from ..tensor import Parameter
from .leaves import beside_inexact, expect_inexact, without_gradient
from .scope import derived, scope
from .state import State


class GraphPullback:
    """``fn(*args, **kwargs)`` in a graph of its own, called through J; otherwise as `TapePullback`."""

    def __init__(self, ip, fn, args, kwargs, positions, weights=(), integers: bool = False):
        args, given = list(args), []
        self.ip, self._skeletons = ip, [_differentiable(ip, args[i], given, i) for i in positions]
        integers = integers or beside_inexact([leaf_abstracts(s, []) for s in self._skeletons])
        for i, s in () if integers else zip(positions, self._skeletons):
            types = leaf_abstracts(s, [])
            expect_inexact([a.dtype for a in types], f"argument {i}")
        inputs = list(given)
        self._bools = _as_numbers(ip, given) if integers else {}
        given += [ip.read(w) for w in weights]
        graph = ip.graph("grad")
        params = [graph.add_param(f"v{i}", n.abstract, ip.here()) for i, n in enumerate(given)]
        with scope(ip, graph, {}):
            fns = [*[ip.parameters.hooks.get(id(n), ()) for n in inputs], *map(hooks.of, weights)]
            leaves = [own_gradient.hooked(ip, p, f) for p, f in zip(params, fns)]
            for i in self._bools:
                leaves[i] = _as_bool(ip, leaves[i])
            leaves = iter(leaves)
        for i, s in zip(positions, self._skeletons):
            args[i] = unflatten(s, leaves)
        state = State(ip)
        stand_ins = {id(w): n for w, n in zip(weights, leaves)}
        with derived(ip, graph), scope(ip, graph, stand_ins, state.changed):
            value = ip.call(fn, args, kwargs)
            outs: list = []
            skeleton = flatten(loaded(ip, value), outs)
            types = leaf_abstracts(skeleton, [])
            types += state.collect(value, outs)
            graph.output = region.pack(ip, [ip.node(o) for o in outs])
        self.graph, self.linear = graph, LinearMap(ip, graph, given, types)
        found = iter(self.linear.values)
        self.value = unflatten(skeleton, found)
        state.hand_over(found)

    def pull(self, counted, douts=None) -> tuple[list, list]:
        """The gradients by position and by weight; arguments as of `TapePullback.pull`."""
        counted = leaf_abstracts(flatten(counted, []), [])
        if douts is None:
            douts = [filled(self.ip, a, 1) for a in counted]
        else:
            douts = cotangents(self.ip, douts, counted)
        return self.pulled(douts)

    def pulled(self, douts: list) -> tuple[list, list]:
        """`pull` of nodes, one per leaf of what counts."""
        grads = self.linear.pull(douts)
        for i, dtype in self._bools.items():
            grads[i] = self.ip.native(P.cast, grads[i], dtype)
        grads = iter(grads)
        return [unflatten(s, grads) for s in self._skeletons], list(grads)


def _as_numbers(ip, given: list) -> dict:
    """Replace tensors of bools among the given nodes by numbers; their places and dtype. What the
    function casts to numbers has a gradient so, which is cast back, as in MindSpore.
    """
    found = {}
    for i, n in enumerate(given):
        if isinstance(n.abstract, AbstractTensor) and n.abstract.dtype.is_bool:
            found[i] = n.abstract.dtype
            given[i] = ip.native(P.cast, n, dt.float32)
    return found


def _as_bool(ip, number: Node) -> Node:
    """The bools that the numbers stand for."""
    made = ip.native(P.cast, number, dt.bool_)
    ip.tensors.numbers[made] = number
    return made


class LinearMap:
    """J of a graph called at ``given``: the leaves of its value, and the map from their cotangents
    to the gradients.
    """

    def __init__(self, ip, graph, given: list, abstracts: list):
        self.ip, self.given, self.abstracts = ip, given, abstracts
        self._graph, self._depth = graph, len(ip.activations.derived)
        t = self._called()
        self.values = region.unpack(ip, ip.builder.getitem(t, 0), len(abstracts))
        self._back = ip.builder.getitem(t, 1)

    def _called(self) -> Node:
        b, out_type = self.ip.builder, self._graph.ret.abstract
        jg = b.emit(prim.J, (self._graph,), AbstractFunction(("J", self._graph)))
        return b.emit(
            jg, self.given, AbstractTuple((out_type, AbstractFunction(("back", self._graph))))
        )

    def _here(self) -> Node:
        """The map where it is used. Inside of a function that is differentiated and was not around
        when it
        was made, the graph is called once more: what J makes there knows the derivative of the map.
        """
        if len(self.ip.activations.derived) <= self._depth or _has_effects(self._graph):
            return self._back
        return self.ip.builder.getitem(self._called(), 1)

    def pull(self, douts: list) -> list:
        """The gradient of each given node; ``douts`` are cotangents of the first values, those of
        the others are zero.
        """
        ip, b = self.ip, self.ip.builder
        douts = douts + [filled(ip, a, 0) for a in self.abstracts[len(douts) :]]
        types = [cotangent_abstract(n.abstract) for n in self.given]
        grads = b.emit(self._here(), (region.pack(ip, douts),), AbstractTuple(types))
        return [
            _zero(ip, n.abstract) if a is NONE else b.getitem(grads, i)
            for i, (a, n) in enumerate(zip(types, self.given))
        ]


def _has_effects(graph) -> bool:
    """Whether calling ``graph`` twice could be told from calling it once."""
    return any(
        not isinstance(n.fn, (Node, Graph)) and n.has_effect and n.fn is not prim.load
        for g in walk.graphs(graph)
        for n in g
    )


def _differentiable(ip, value, given: list, position: int):
    """The skeleton of the argument at ``position``, to differentiate by; its leaves, numbers included,
    go to ``given``.
    """
    if isinstance(value, Parameter):
        value = ip.read(value)
    if type(value) is float:
        value = Constant(value, abstract(value))
    if run_lists.is_open(value):
        given += map(ip.node, value.rows.columns)
        return run_lists.with_leaves(ip, value)
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        # Beside others, an int stands for itself.
        return type(value)(
            [v if _counts(abstract(v)) else _differentiable(ip, v, given, position) for v in value]
        )
    leaves: list = []
    skeleton = flatten(value, leaves)
    if not leaves or leaves == [value] and _counts(abstract(value)):
        raise without_gradient(position, describe(value))
    given += map(ip.node, leaves)
    return skeleton


def cotangents(ip, sens, counted: list) -> list:
    """Given cotangents as nodes of the types of the outputs, ``counted``."""
    leaves: list = []
    flatten(sens, leaves)
    if not leaves and type(sens) in (int, float):
        leaves = [sens]
    if len(leaves) != len(counted):
        raise complain(ValueError, f"grad: {len(leaves)} cotangents for {len(counted)} outputs")
    out = []
    for d, a in zip(leaves, counted):
        if cotangent_abstract(a) is NONE:
            out.append(Constant(None, NONE))
            continue
        have = abstract(d)
        if have.shape != a.shape and _is_single(have) and _is_single(a):
            d = ip.native(P.reshape, ip.node(d), a.shape)
            have = abstract(d)
        if have is not a and have.shape != a.shape:
            raise complain(ValueError, f"grad: the cotangent is {have!r}, the output {a!r}")
        same_kind = isinstance(have, type(a))
        out.append(
            ip.node(d)
            if have is a
            else ip.native(P.cast, ip.node(d), a.dtype)
            if same_kind and not isinstance(a, AbstractScalar)
            else region.convert(ip, d, a)
        )
    return out


def _is_single(a) -> bool:
    """Whether ``a`` is a tensor of one element, of whatever rank."""
    return isinstance(a, AbstractTensor) and a.size == 1


def filled(ip, a, number: int) -> Node:
    """A node of abstract value ``a`` with ``number`` everywhere; the constant None where there is
    no cotangent.
    """
    if cotangent_abstract(a) is NONE:
        return Constant(None, NONE)
    if isinstance(a, AbstractScalar):
        return Constant(float(number), a)
    return ip.native(P.full, a.shape, number, a.dtype)


def _counts(a) -> bool:
    """Whether ``a`` is an int or a bool known at run time."""
    return isinstance(a, AbstractScalar) and not a.dtype.is_float


def _zero(ip, a) -> Node:
    """What stands for the gradient of a value that has none."""
    return (
        Constant(a.kind(0), a)
        if isinstance(a, AbstractScalar)
        else ip.native(P.full, a.shape, 0, a.dtype)
    )


__all__ = ["GraphPullback", "LinearMap", "cotangents", "filled"]
