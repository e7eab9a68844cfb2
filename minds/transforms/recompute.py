"""Recomputation: a part of a program that keeps nothing but its inputs for the backward pass, and
runs again there.

In compiled code the part becomes a graph marked ``recompute``, which J does not look into
(`ad.reverse`): ◀ calls ▶ of it anew. On the tape it is one entry that knows how to run the part again.
Either way the sums go on through the part as they do without it, so the gradients are the same to
the bit.

What must not happen twice happens outside: keys of random numbers are drawn, and parameters read
and written, by the caller of the graph; the tape sets the random state and the parameters back
while the part runs again. A part with effects inside of a compiled loop or branch is left as it is:
it keeps its values.
"""

from __future__ import annotations

from .. import _core
from ..ad import tape
from ..base import tree
from ..base.errors import complain
from ..frontend import region
from ..frontend.describe import describe
from ..frontend.function_types import Bound, Closure
from ..frontend.registry import EMITTERS
from ..frontend.values import flatten, unflatten
from ..ir import prim, walk
from ..ir.node import Apply, Graph, Node, move, replace
from ..jit.results import loaded
from ..ops.define import P
from ..tensor import Parameter, Tensor
from .leaves import tensors, with_tensors
from .scope import scope
from .transformed import as_it_is


def recompute(
    block,
    *args,
    use_reentrant: bool = True,
    output_recompute: bool = False,
    early_stop: bool = True,
    context_fn=None,
    **kwargs,
):
    """``block(*args, **kwargs)``, whose inner values are not kept for gradients but computed again
    when these
    are taken: less memory, more time, the same numbers.

    Args:
        block (Callable): a Cell or a function.
        args: its inputs.
        use_reentrant, output_recompute, early_stop, context_fn: of MindSpore, without effect.
        kwargs: named inputs.
    Returns:
        what ``block`` returns.
    Raises:
        TypeError: ``block`` cannot be called.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> def f(x):
        ...     return ms.recompute(lambda v: ops.sin(ops.exp(v)), x)
        >>> same = ms.grad(lambda x: ops.sin(ops.exp(x)))
        >>> float(ms.grad(f)(ms.Tensor(0.5))) == float(same(ms.Tensor(0.5)))
        True
    """
    if not callable(block):
        raise complain(
            TypeError,
            f"recompute: block is {type(block).__name__}",
            expected="a Cell or a function",
        )
    return run(lambda *a: block(*a, **kwargs), args)


def run(fn, args: tuple):
    """``fn(*args)``, eagerly, as one entry of each tape that records."""
    outer = list(tape.active())
    if not outer:
        return fn(*args)
    state, probe, again = _core.random_state(), _Probe(outer), as_it_is(fn)
    with tape.suspended(), probe:
        out = fn(*args)
    rule, used = _Again(again, args, state, probe), list(probe.used.values())
    outs = [
        t if id(t) in probe.used else Tensor._wrap(t._array.reshape(t.shape)) for t in tensors(out)
    ]
    made = tuple(t for t in outs if id(t) not in probe.used)
    for t in outer:
        t.record(rule, used, used, made)
        if isinstance(t, _Probe):
            t.changed = {**probe.changed, **t.changed}
    return with_tensors(out, iter(outs))


def recompute_block(block, output_recompute: bool = False):
    """``block`` as a function that is recomputed: `recompute` with the block given.

    Args:
        block (Callable): a Cell or a function.
        output_recompute (bool): of MindSpore, without effect.
    Returns:
        Callable: takes the inputs.
    Raises:
        TypeError: ``block`` cannot be called.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> float(ms.grad(ops.recompute_block(lambda x: x * x))(ms.Tensor(3.0)))
        6.0
    """
    if not (callable(block) or isinstance(block, (Bound, Closure))):
        raise complain(
            TypeError,
            f"recompute_block: block is {describe(block)}",
            expected="a Cell or a function",
        )
    return _Block(block)


class _Block:
    def __init__(self, block):
        self.block, self.__name__ = block, getattr(block, "__name__", type(block).__name__)

    def __call__(self, *args, **kwargs):
        return recompute(self.block, *args, **kwargs)

    def _emit(self, ip, args, kwargs):
        return emit(ip, lambda: ip.call(self.block, list(args), kwargs))


class _Probe(tape.Tape):
    """Keeps nothing of what runs but which tensors of the outer tapes it uses and which parameters
    it changes. Of a block inside of a block, the outer tapes are those around both.

    Attributes:
        used: those tensors by identity.
        changed: by identity, parameters and what they held before.
    """

    def __init__(self, outer: list):
        super().__init__()
        self.outer = [t for o in outer for t in (o.outer if isinstance(o, _Probe) else (o,))]
        self.used, self.changed = {}, {}

    def record(self, op, params: list, leaves: list, out, loc=None) -> None:
        """As of `Tape`."""
        if op is tape.ALIAS:
            (x,) = params
            if any(o.tracks(x) for o in self.outer):
                raise complain(
                    TypeError,
                    "recompute: the block changes a tensor of its caller",
                    cure="return the new value instead",
                )
            if isinstance(x, Parameter):
                self.changed.setdefault(id(x), (x, out))
            return
        for t in leaves:
            if any(o.tracks(t) for o in self.outer):
                self.used[id(t)] = t


class _Again:
    """On a tape, a block that was run without keeping its values."""

    name, kinds, bprop_rule, decompose_rule = "recompute", None, True, None

    def __init__(self, fn, args: tuple, state: tuple, probe: _Probe):
        self.fn, self.args, self.state = fn, args, state
        self.used, self.changed = list(probe.used.values()), list(probe.changed.values())

    def pull(self, params: list, ids: list, need: tuple, parts: list, sums: dict) -> None:
        """Run the block on a tape, and go on with ``sums`` through it."""
        stands = {id(u): p for u, p in zip(self.used, params)}
        inner, now = tape.Tape(), _core.random_state()
        held = [(p, Tensor._wrap(p._array.reshape(p.shape))) for p, _ in self.changed]
        wanted = [(i, p) for i, p, flag in zip(ids, params, need) if flag]
        for _, p in wanted:
            inner.watch(p)
        _core.set_random_state(*self.state)
        try:
            _restore(self.changed)
            with inner:
                again = tensors(self.fn(*tree.map(lambda v: stands.get(id(v), v), self.args)))
        finally:
            _core.set_random_state(*now)
            _restore(held)
        made = [t for t in again if id(t) not in stands]
        own = {id(p): sums[i] for i, p in wanted if i in sums}
        inner.walk(own, made, parts, {id(p) for _, p in wanted}, True)
        sums.update((i, own[id(p)]) for i, p in wanted if id(p) in own)


def _restore(values: list) -> None:
    with tape.suspended():
        for p, held in values:
            p._array.assign(held._array, force=True)


# ---- compiled


def _emit_recompute(
    ip,
    block,
    *args,
    use_reentrant=True,
    output_recompute=False,
    early_stop=True,
    context_fn=None,
    **kwargs,
):
    return emit(ip, lambda: ip.call(block, list(args), kwargs))


EMITTERS[recompute] = _emit_recompute
EMITTERS[recompute_block] = lambda ip, *args, **kwargs: recompute_block(*args, **kwargs)


def emit(ip, call):
    """What ``call()`` gives, emitted into a graph that is recomputed."""
    graph = ip.graph("recompute")
    with scope(ip, graph, {}):
        leaves: list = []
        skeleton = flatten(loaded(ip, call()), leaves)
        nodes = [ip.node(v) for v in leaves]
        graph.output = region.pack(ip, nodes)
    moved = _Moved(ip, graph) if _is_pure(graph) else None
    if moved is not None:
        nodes = [moved.known.get(n, n) for n in nodes]
        graph.flags["recompute"] = True
    # What only passes through keeps its own sum.
    own = [n for n in nodes if n.graph is graph]
    writes = [] if moved is None else list(moved.written.items())
    with scope(ip, graph, {}):
        graph.output = region.pack(ip, [*own, *(v for _, v in writes)])
    types = [n.abstract for n in (*own, *(v for _, v in writes))]
    found = region.unpack(ip, ip.builder.call(graph, (), graph.ret.abstract), len(types))
    for (ref, _), value in zip(writes, found[len(own) :]):
        ip.parameters.loaded.pop(id(ref.default), None)
        ip.builder.assign(ref, value)
    results = iter(found)
    return unflatten(skeleton, iter([next(results) if n.graph is graph else n for n in nodes]))


def _is_pure(graph: Graph) -> bool:
    """Whether all effects of ``graph`` can be moved to its caller: keys, reads, and writes at its
    top.
    """
    written = {n.args[0] for n in graph if n.fn is prim.assign}
    for g in walk.graphs(graph):
        for n in g:
            if n.fn is prim.assign:
                if g is not graph or n.args[1].abstract is not n.args[0].abstract.value:
                    return False
            elif n.fn is prim.load:
                if g is not graph and n.args[0] in written:
                    return False
            elif (
                n.has_effect
                and not isinstance(n.fn, (Node, Graph))
                and (g is not graph or n.fn is not P.random_key)
            ):
                return False
    return True


class _Moved:
    """Moves the effects of a graph before its call, which comes next.

    Attributes:
        written: what the parameters hold afterwards.
        known: what stands for the reads and writes that are gone.
    """

    def __init__(self, ip, graph: Graph):
        self.written: dict[Node, Node] = {}
        self.known: dict[Node, Node] = {}
        b = ip.builder
        for g in walk.graphs(graph):
            for n in g:
                if n.fn is P.random_key or n.fn is prim.load and n.args[0] not in self.written:
                    move(n, b.graph, b.before)
                elif n.fn is prim.load:
                    self._drop(g, n, self.written[n.args[0]])
                elif n.fn is prim.assign:
                    ref, value = n.args
                    self._drop(g, n, value)
                    self.written[ref] = value

    def _drop(self, g: Graph, n: Apply, value: Node) -> None:
        replace(n, value)
        g.remove(n)
        self.known[n] = value


__all__ = ["emit", "recompute", "recompute_block", "run"]
