"""A function run once at a point so that cotangents can be pulled back through it: on the eager
tape, or in a compiled program through J.

Both readings have the same members. `grad` and all other derivatives stand on them.
"""

from __future__ import annotations

import contextlib
import types
from contextlib import contextmanager

from ..ad import hooks, tape
from ..ad.cotangents import cotangent_abstract
from ..base.errors import complain
from ..frontend import own_gradient, region
from ..frontend.emit import EmitBuilder
from ..frontend.values import abstract, describe, flatten, leaf_abstracts, unflatten
from ..ir import build, prim, walk
from ..ir.abstract import NONE, AbstractFunction, AbstractScalar, AbstractTensor, AbstractTuple
from ..ir.node import Constant, Graph, Node
from ..jit import compile as compiler
from ..ops.define import P
from ..tensor import Parameter, Tensor


class TapePullback:
    """``fn(*args, **kwargs)`` run on a tape.

    Args:
        positions (Iterable[int]): the arguments to differentiate by.
        weights (Iterable[Parameter]): the parameters to differentiate by.

    Attributes:
        value: the result of ``fn``.
    """

    def __init__(self, fn, args, kwargs, positions, weights=()):
        args = list(args)
        watched = Watched([leaf_tensors(args[i], i) for i in positions])
        for i, leaves in zip(positions, watched.inputs):
            args[i] = rebuild(args[i], iter(leaves))
        self._inputs = [args[i] for i in positions]
        self._wanted = [*watched.flat, *weights]
        self._tape = tape.Tape()
        for t in self._wanted:
            self._tape.watch(t)
        with self._tape:
            self.value = fn(*args, **kwargs)

    def pull(self, counted, douts=None) -> tuple[list, list]:
        """The gradients by position and by weight.

        Args:
            counted: the part of the value that counts, ``value`` itself or its first element.
                douts: its cotangents, in any nesting; None means ones.
        """
        outs = tensors(counted)
        if douts is None:
            douts = [None if o.dtype.is_bool else P.full(o.shape, 1, o.dtype) for o in outs]
        else:
            douts = tensors(douts)
            if len(douts) != len(outs):
                raise complain(ValueError, f"grad: {len(douts)} cotangents for {len(outs)} outputs")
            douts = [_like(d, o) for d, o in zip(douts, outs)]
        grads = iter(self.gradients(outs, douts))
        return [rebuild(v, grads) for v in self._inputs], list(grads)

    def gradients(self, outs: list, douts: list) -> list:
        """The gradients of all leaves, in order; a cotangent that is None does not count."""
        pairs = [(o, d) for o, d in zip(outs, douts) if d is not None]
        found = self._tape.gradients([o for o, _ in pairs], [d for _, d in pairs], self._wanted)
        found = [
            P.full(t.shape, 0, t.dtype) if g is None else g for g, t in zip(found, self._wanted)
        ]
        return [hooks.applied(t, g) for g, t in zip(found, self._wanted)]


class GraphPullback:
    """``fn(*args, **kwargs)`` in a graph of its own, called through J; otherwise as `TapePullback`."""

    def __init__(self, ip, fn, args, kwargs, positions, weights=()):
        args, given = list(args), []
        self.ip, self._skeletons = ip, [_differentiable(ip, args[i], given) for i in positions]
        inputs = list(given)
        given += [ip.read(w) for w in weights]
        graph = ip.graph("grad")
        params = [graph.add_param(f"v{i}", n.abstract, ip.here()) for i, n in enumerate(given)]
        with scope(ip, graph, {}):
            fns = [*[ip.hooks.get(id(n), ()) for n in inputs], *map(hooks.of, weights)]
            leaves = iter([own_gradient.hooked(ip, p, f) for p, f in zip(params, fns)])
        for i, s in zip(positions, self._skeletons):
            args[i] = unflatten(s, leaves)
        with derived(ip, graph), scope(ip, graph, {id(w): n for w, n in zip(weights, leaves)}):
            value = ip.call(fn, args, kwargs)
            outs: list = []
            skeleton = flatten(compiler.loaded(ip, value), outs)
            graph.output = region.pack(ip, [ip.node(o) for o in outs])
        self.linear = Linear(ip, graph, given, leaf_abstracts(skeleton, []))
        self.value = unflatten(skeleton, iter(self.linear.values))

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
        grads = iter(self.linear.pull(douts))
        return [unflatten(s, grads) for s in self._skeletons], list(grads)


class Linear:
    """J of a graph called at ``given``: the leaves of its value, and the map from their cotangents
    to the gradients.
    """

    def __init__(self, ip, graph, given: list, abstracts: list):
        self.ip, self.given, self.abstracts = ip, given, abstracts
        self._graph, self._depth = graph, len(ip.derived)
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
        if len(self.ip.derived) <= self._depth or _has_effects(self._graph):
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


def compiling():
    """The interpreter whose program is being built, or None when ops run at once."""
    return getattr(build.current(), "ip", None)


@contextmanager
def scope(ip, graph, stand_ins: dict):
    """Emit into ``graph``, where ``stand_ins`` (by identity) stand for parameters."""
    loaded, outer = ip.loaded, ip.stand_ins
    ip.stand_ins = {**outer, **stand_ins}
    ip.loaded = {k: n for k, n in loaded.items() if k not in stand_ins}
    builder = EmitBuilder(ip, graph)
    try:
        with ip.inside(builder), build.building(builder), region.enclosed(ip):
            yield builder
    finally:
        # What was written inside must be read anew.
        ip.loaded, ip.stand_ins = (
            {k: n for k, n in loaded.items() if ip.loaded.get(k) is n or k in ip.stand_ins},
            outer,
        )


@contextmanager
def derived(ip, graph):
    """``graph`` is differentiated, of which what is interpreted inside becomes the body."""
    ip.derived.append(graph)
    try:
        yield
    finally:
        ip.derived.pop()


def _has_effects(graph) -> bool:
    """Whether calling ``graph`` twice could be told from calling it once."""
    return any(
        not isinstance(n.fn, (Node, Graph)) and n.has_effect and n.fn is not prim.load
        for g in walk.graphs(graph)
        for n in g
    )


class Watched:
    """The tensors to differentiate by, each under an identity of its own (an argument may be passed
    twice).
    """

    def __init__(self, groups: list):
        self.inputs = [[t if isinstance(t, Parameter) else self._own(t) for t in g] for g in groups]
        self.flat = [t for g in self.inputs for t in g]

    @staticmethod
    def _own(t: Tensor) -> Tensor:
        # An enclosing tape must see where the new identity comes from.
        return hooks.share(
            t, P.reshape(t, t.shape) if tape.active() else Tensor._wrap(t._array.reshape(t.shape))
        )


def as_it_is(fn, known: dict | None = None):
    """``fn`` with what its closure holds now, for a call later on, when the variables around it may
    have other values.
    """
    if not isinstance(fn, types.FunctionType) or not fn.__closure__:
        return fn
    known = {} if known is None else known
    if id(fn) not in known:
        cells = tuple([types.CellType() for _ in fn.__closure__])
        new = types.FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, cells)
        new.__kwdefaults__, new.__dict__ = fn.__kwdefaults__, dict(fn.__dict__)
        known[id(fn)] = new
        for cell, old in zip(cells, fn.__closure__):
            with contextlib.suppress(ValueError):  # of a variable that is not assigned yet
                cell.cell_contents = as_it_is(old.cell_contents, known)
    return known[id(fn)]


def tensors(value) -> list:
    """The tensors of a nested value, in order."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in tensors(v)]
    if isinstance(value, dict):
        return [t for v in value.values() for t in tensors(v)]
    return []


def rebuild(value, tensors):
    """``value`` with its tensors replaced in order."""
    if isinstance(value, Tensor):
        return next(tensors)
    if isinstance(value, (tuple, list)):
        items = [rebuild(v, tensors) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {k: rebuild(v, tensors) for k, v in value.items()}
    return value


def _like(d: Tensor, o: Tensor) -> Tensor:
    """``d`` in the shape and dtype of ``o``."""
    if d.shape != o.shape:
        if d.size == 1 and o.size == 1:
            d = P.reshape(d, o.shape)
        else:
            raise complain(
                ValueError, f"grad: the cotangent has shape {d.shape}, the output {o.shape}"
            )
    return d if d.dtype is o.dtype else P.cast(d, o.dtype)


def _differentiable(ip, value, given: list):
    """The skeleton of an argument to differentiate by; its leaves, numbers included, go to
    ``given``.
    """
    if isinstance(value, Parameter):
        value = ip.read(value)
    if type(value) is float:
        value = Constant(value, abstract(value))
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        # Beside others, an int stands for itself.
        return type(value)(
            [v if _counts(abstract(v)) else _differentiable(ip, v, given) for v in value]
        )
    leaves: list = []
    skeleton = flatten(value, leaves)
    if not leaves or leaves == [value] and _counts(abstract(value)):
        raise complain(
            TypeError,
            f"grad: an argument to differentiate by is {describe(value)}, which has no gradient",
            expected="a Tensor or a float",
            cure="choose another grad_position",
        )
    given += [_own_node(ip, ip.node(v)) for v in leaves]
    return skeleton


def _own_node(ip, n: Node) -> Node:
    """``n`` under an identity of its own, as in `Watched`: an enclosing gradient then sums in the
    same order.
    """
    if not isinstance(n.abstract, AbstractTensor):
        return n
    own = ip.native(P.reshape, n, n.shape)
    if id(n) in ip.hooks:
        ip.hooks[id(own)] = ip.hooks[id(n)]
    return own


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


def filled(ip, a, number: int) -> Node:
    """A node of abstract value ``a`` with ``number`` everywhere; the constant None where there is
    no cotangent.
    """
    if cotangent_abstract(a) is NONE:
        return Constant(None, NONE)
    if isinstance(a, AbstractScalar):
        return Constant(float(number), a)
    return ip.native(P.full, a.shape, number, a.dtype)


def with_number_nodes(value):
    """``value`` with its floats as nodes, which derivatives can be taken by."""
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)([with_number_nodes(v) for v in value])
    return Constant(value, abstract(value)) if type(value) is float else value


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


def leaf_tensors(value, position: int) -> list:
    """The tensors of the argument at ``position``; there must be some."""
    found = tensors(value)
    if not found:
        raise complain(
            TypeError,
            f"grad: argument {position} is {type(value).__name__}, which has no gradient",
            expected="a Tensor",
            cure="choose another grad_position",
        )
    return found
