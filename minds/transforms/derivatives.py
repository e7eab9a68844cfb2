"""Derivatives beyond `grad`: products with Jacobians from both sides, Jacobians, Hessians.

All of them are library code over `pullback`, read like ops: called on tensors they run at once,
called while a program is compiled they emit into it. In graph mode the outermost one is compiled.

Forward mode is reverse mode twice: the pullback u ↦ uᵀJ is linear, and the pullback of that map at
any u is v ↦ Jv. Each op with a gradient of second order so has a forward derivative too, and there
is no second table of rules that could disagree with the first.
"""

from __future__ import annotations

from ..ad import tape
from ..ad.cotangents import cotangent_abstract
from ..base.errors import complain
from ..base.options import GRAPH_MODE, get_context
from ..frontend import region
from ..frontend.library import EMITTERS
from ..frontend.values import flatten, leaf_abstracts, unflatten
from ..ir.abstract import NONE
from ..ir.node import Constant
from ..jit import compile as compiler
from ..ops.define import P
from ..tensor import Parameter, Tensor
from .grad import by_number, holds_float
from .mapped import leaves_of, with_leaves
from .pullback import (
    GraphPullback,
    Linear,
    TapePullback,
    as_it_is,
    compiling,
    cotangents,
    derived,
    filled,
    leaf_tensors,
    scope,
    tensors,
    with_number_nodes,
)
from .split_linear import Stages, Unsplit
from .split_linear import run as run_staged


class Transformed:
    """A function made of another one. Subclasses give `compute`, which reads tensors and nodes
    alike.

    Attributes:
        fn: the function it is made of.
        settings: what else determines it, hashable.
    """

    def __init__(self, fn, *settings):
        self.fn, self.settings = getattr(fn, "_compiled_from", fn), settings
        self.__name__ = (
            f"{type(self).__name__.lower()} of {getattr(fn, '__name__', type(fn).__name__)}"
        )

    def compute(self, *args, **kwargs):
        """The result, by ops and calls."""
        raise NotImplementedError

    def differentiated(self, args: tuple):
        """Those of the arguments by which a derivative is taken, if one is."""
        return ()

    def __call__(self, *args, **kwargs):
        if compiling() or tape.active() or get_context("mode") != GRAPH_MODE:
            if compiling() is None and holds_float(self.differentiated(args)):
                return by_number(self, args)
            return self.compute(*args, **kwargs)
        return compiler.run(self._owner(), self, args, kwargs, self._spec())

    def _owner(self):
        """Who holds the programs: the function at the bottom, so that what is made of it anew finds
        them.
        """
        fn = self.fn
        while hasattr(fn, "_spec"):
            fn = fn.fn
        return compiler.holder(fn, self)

    def _spec(self):
        """What tells this from others made of the same function; methods share the cache of
        theirs.
        """
        below = self.fn._spec() if hasattr(self.fn, "_spec") else getattr(self.fn, "__self__", None)
        return (type(self), below, self.settings)

    def _emit(self, ip, args, kwargs):
        """In compiled code."""
        return ip.native(self.compute, *args, **kwargs)


def emitted(fn):
    """The handler of a call of ``fn``, library code, in compiled code."""
    return lambda ip, *args, **kwargs: ip.native(fn, *args, **kwargs)


def run_at(fn, args, positions, weights=()):
    """``fn`` at a point, on tensors or on nodes, with its pullback."""
    ip = compiling()
    if ip is None:
        return TapePullback(fn, args, {}, positions, weights)
    return GraphPullback(ip, fn, args, {}, positions, weights)


def split_aux(value, has_aux: bool, name: str) -> tuple:
    """(what counts, () or the one-element tuple of what else was returned)."""
    if not has_aux:
        return value, ()
    if not isinstance(value, tuple) or len(value) < 2:
        raise complain(
            ValueError,
            f"{name}: has_aux=True, but fn returned one output",
            expected="a tuple of two or more",
        )
    return value[0], (value[1] if len(value) == 2 else tuple(value[1:]),)


class Pull:
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


class _ByNumber(Transformed):
    """(inputs, v) ↦ what the second function of `vjp` or `linearize` at a point with floats in it
    gives, in
    PyNative mode and in graph mode outside of compiled code: each call runs ``fn`` again.
    """

    def differentiated(self, args: tuple):
        """The inputs."""
        return args[:1]

    def compute(self, inputs, v):
        made, *settings = self.settings
        return made(self.fn, inputs, *settings)(*v)


class _VjpStages(Stages):
    def __init__(self, fn, weights, has_aux: bool):
        self.fn, self.weights, self.has_aux = fn, weights, has_aux

    def first(self, *inputs):
        """Run ``fn``; the cotangents come later."""
        run = run_at(self.fn, inputs, range(len(inputs)), _chosen(self.weights))
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


class _LinearizeStages(Stages):
    def __init__(self, fn):
        self.fn = fn

    def first(self, *inputs):
        """Run ``fn``; the directions come later."""
        push = Push(self.fn, inputs, range(len(inputs)), False, "linearize")
        return push.value, push.types, lambda v: push(tuple(v))


class _Compiled:
    """What `vjp` or `linearize` returns as a function, in graph mode outside of compiled code.

    Args:
        name: of the one that made it.
        later: the second program at the point.
        like: values of the types of the arguments.
        anew: makes it once more by the tape, or in a program that is compiled at the time.
    """

    def __init__(self, name: str, later, like, anew):
        self.name, self.later, self.like, self.anew = name, later, tensors_and_numbers(like), anew

    def __call__(self, *v):
        if compiling() or tape.active():
            return self.anew()(*v)
        given = tensors_and_numbers(v)
        like = [
            o
            for o in self.like
            if type(o) is float or isinstance(o, Tensor) and not o.dtype.is_bool
        ]
        if len(given) == len(self.like) != len(like):
            given = [d for d, o in zip(given, self.like) if any(o is k for k in like)]
        if not v or len(given) != len(like):
            raise complain(
                ValueError if v else TypeError,
                f"{self.name}: {len(given)} vectors or cotangents for {len(like)}",
            )
        return self.later([_fitted(d, o, self.name) for d, o in zip(given, like)])

    def _emit(self, ip, args, kwargs):
        """In compiled code."""
        return ip.native(self.__call__, *args, **kwargs)


def _fitted(d, o, name: str):
    """``d`` in the type of ``o``."""
    if not isinstance(o, Tensor):
        return float(d)
    if not isinstance(d, Tensor):
        raise complain(
            TypeError, f"{name}: a vector or cotangent is {type(d).__name__}", expected="a Tensor"
        )
    if d.shape != o.shape:
        if not (d.size == o.size == 1):
            raise complain(
                ValueError,
                f"{name}: the vectors or cotangents have shapes {d.shape}, not {o.shape}",
            )
        d = P.reshape(d, o.shape)
    return d if d.dtype is o.dtype else P.cast(d, o.dtype)


def tensors_and_numbers(value) -> list:
    """The leaves of a nested value."""
    if isinstance(value, (Tensor, bool, int, float)):
        return [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    return (
        [t for v in value for t in tensors_and_numbers(v)]
        if isinstance(value, (tuple, list))
        else []
    )


def _chosen(weights) -> list:
    return [] if weights is None else [weights] if isinstance(weights, Parameter) else list(weights)


def _staged(kind, fn, inputs: tuple, *settings):
    """The value and the second program where ``fn`` is to be compiled by itself and can be; else
    None.
    """
    if compiling() or tape.active() or get_context("mode") != GRAPH_MODE:
        return None
    target = Transformed(fn)
    for i, v in enumerate(inputs):
        leaf_tensors(v, i)
    weights = tuple(map(id, _chosen(settings[0]))) if settings else ()
    try:
        spec = (kind, target._spec(), weights, settings[1:])
        return run_staged(target._owner(), kind(target.fn, *settings), inputs, spec)
    except Unsplit:
        return None


def vjp(fn, *inputs, weights=None, has_aux: bool = False):
    r"""The value of ``fn`` and its pullback, the map :math:`u \mapsto u^T J`.

    Args:
        fn (Callable): a function or Cell.
        inputs (Tensor): the point; tuples of tensors are inputs too.
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
        at = _ByNumber(
            as_it_is(fn), _pull_at, tuple(weights) if several else weights, bool(has_aux)
        )
        return (counted, lambda *v: at(inputs, v), *aux)
    found = _staged(_VjpStages, fn, inputs, weights, bool(has_aux))
    if found is not None:
        (counted, *aux), later = found
        kept = as_it_is(fn)
        return (
            counted,
            _Compiled(
                "vjp",
                later,
                counted,
                lambda: vjp(kept, *inputs, weights=weights, has_aux=has_aux)[1],
            ),
            *aux,
        )
    run = run_at(fn, inputs, range(len(inputs)), _chosen(weights))
    counted, aux = split_aux(run.value, has_aux, "vjp")
    return (counted, Pull(run, counted, weights), *aux)


def _pull_at(fn, inputs, weights, has_aux: bool):
    return vjp(fn, *inputs, weights=weights, has_aux=has_aux)[1]


class Push:
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
        self._linear = Linear(
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
            return [P.full(t.shape, 0, t.dtype) if g is None else g for g, t in zip(found, self._u)]
        found = iter(self._linear.pull(cotangents(ip, tuple(given), self._pulled)))
        return [
            region.anything(ip, a) if cotangent_abstract(a) is NONE else next(found)
            for a in self._types
        ]

    def _emit(self, ip, args, kwargs):
        """In compiled code."""
        return ip.native(self.__call__, *args, **kwargs)


class Jvp(Transformed):
    """(inputs, v) ↦ what `jvp` returns."""

    def differentiated(self, args: tuple):
        """The inputs."""
        return args[:1]

    def compute(self, inputs, v):
        inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
        if compiling():
            inputs, v = with_number_nodes(inputs), with_number_nodes(v)
        push = Push(self.fn, inputs, range(len(inputs)), *self.settings)
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
        ValueError: ``v`` does not fit ``inputs``.

    Examples:
        >>> import minds as ms
        >>> y, dy = ms.jvp(lambda x: x * x, ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 10.0]))
        >>> print(y, dy)
        [1. 4.] [ 2. 40.]
    """
    return Jvp(fn, has_aux)(inputs, v)


class Pushed:
    """The function that `linearize` returns."""

    def __init__(self, push: Push):
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

    Examples:
        >>> import minds as ms
        >>> y, push = ms.linearize(lambda x: x * x, ms.Tensor([1.0, 2.0]))
        >>> print(push(ms.Tensor([1.0, 0.0])), push(ms.Tensor([0.0, 1.0])))
        [2. 0.] [0. 4.]
    """
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    if compiling() is None and holds_float(inputs):
        at = _ByNumber(as_it_is(fn), _push_at)
        return fn(*inputs), lambda *v: at(inputs, v)
    found = _staged(_LinearizeStages, fn, inputs)
    if found is not None:
        kept = as_it_is(fn)
        return found[0], _Compiled(
            "linearize", found[1], inputs, lambda: linearize(kept, inputs)[1]
        )
    push = Push(fn, inputs, range(len(inputs)), False, "linearize")
    return push.value, Pushed(push)


def _push_at(fn, inputs):
    return linearize(fn, inputs)[1]


def get_grad(gradients, identifier):
    """The gradient of one position or parameter among those that ``grad(..., return_ids=True)``
    returned.

    Args:
        gradients (tuple): the gradients with their identifiers.
        identifier (int | Parameter): the position or the parameter.
    Raises:
        RuntimeError: it is not among them.

    Examples:
        >>> import minds as ms
        >>> found = ms.grad(lambda x, y: x * y, (0, 1), return_ids=True)(ms.Tensor(2.0), ms.Tensor(5.0))
        >>> float(ms.get_grad(found, 1))
        2.0
    """
    name = identifier.name if isinstance(identifier, Parameter) else identifier
    stack = [gradients]
    while stack:
        found = stack.pop()
        if not isinstance(found, (tuple, list)):
            continue
        if len(found) == 2 and type(found[0]) is type(name) and found[0] == name:
            return found[1]
        stack += found
    raise complain(RuntimeError, f"get_grad: there is no gradient of {name!r}")


for _function in (vjp, jvp, linearize, get_grad):
    EMITTERS[_function] = emitted(_function)
