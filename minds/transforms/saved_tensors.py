"""What is kept of the tensors that gradients will read: hooks that pack each one when an op has run,
and unpack it when the gradient rule of the op does.

Which tensors a rule reads is found by running it on nodes: those that its results depend on are
read, those of which it asks the shape alone are not. On the tape, an op is recorded with what was
packed; in compiled code it becomes a function with a gradient of its own that gives this too.
"""

from __future__ import annotations

from ..ad import tape
from ..base.errors import complain
from ..frontend import region
from ..frontend.emit import EmitBuilder
from ..frontend.function_types import Bound, Closure
from ..frontend.own_gradient import call_with_bprop
from ..frontend.registry import EMITTERS
from ..frontend.values import flatten, unflatten
from ..ir import walk
from ..ir.build import Builder, building
from ..ir.node import Apply, Constant, Graph, Node, replace
from ..jit.results import loaded
from ..ops.define import ATTR, TENSORS, Op
from ..ops.rules import Cotangents
from ..tensor import Tensor
from .scope import scope


def _values(params: list, out) -> dict:
    """By place, the tensors (or nodes) among the operands and results of an op."""
    found = {}
    for i, v in enumerate(params):
        if isinstance(v, (tuple, list)):
            found.update({(i, j): e for j, e in enumerate(v) if _is_tensor(e)})
        elif _is_tensor(v):
            found[i,] = v
    outs = out if isinstance(out, tuple) else (out,)
    return {**found, **{(-1, k): o for k, o in enumerate(outs)}}


def _is_tensor(v) -> bool:
    return isinstance(v, (Tensor, Node)) and hasattr(v.abstract, "dtype")


def _with(params: list, out, new: dict) -> tuple:
    """Operands and results with others at some places."""
    params = [
        tuple(new.get((i, j), e) for j, e in enumerate(v))
        if isinstance(v, (tuple, list))
        else new.get((i,), v)
        for i, v in enumerate(params)
    ]
    if isinstance(out, tuple):
        return params, tuple(new.get((-1, k), o) for k, o in enumerate(out))
    return params, new.get((-1, 0), out)


def _read(op: Op, params: list, out, need: tuple) -> list:
    """The places of the tensors whose values the gradient rule of ``op`` reads."""
    graph, values = Graph("rule"), _values(params, out)
    nodes = {place: graph.add_param("v", v.abstract) for place, v in values.items()}
    given, results = _with(params, out, nodes)
    douts = [graph.add_param("d", v.abstract) for p, v in values.items() if p[0] == -1]
    dout = Cotangents(douts, None) if isinstance(out, tuple) else douts[0]
    with building(Builder(graph)):
        grads = op.run_bprop(given, results, dout, need)
    seen, stack = set(), [grads]
    while stack:
        v = stack.pop()
        if isinstance(v, (tuple, list)):
            stack += v
        elif isinstance(v, Node) and v not in seen:
            seen.add(v)
            stack += v.args if isinstance(v, Apply) else ()
    return [place for place, node in nodes.items() if node in seen]


class _Kept:
    """Stands on a tape for an op whose operands and results were packed."""

    bprop_rule, decompose_rule = True, None

    def __init__(self, op: Op, params: list, out, need: tuple, hooks):
        self.op, self.name, self.kinds, self.tensor_at = op, op.name, op.kinds, op.tensor_at
        values = _values(params, out)
        with tape.suspended():
            self.packed = {p: hooks.pack(values[p]) for p in _read(op, params, out, need)}
        self.unpack = hooks.unpack

    def run_bprop(self, params: list, out, dout, need: tuple):
        """By the rule of the op, of what is unpacked."""
        unpacked = {p: self.unpack(v) for p, v in self.packed.items()}
        return self.op.run_bprop(*_with(params, out, unpacked), dout, need)


class _Saving(tape.Tape):
    """Records on another tape, of the ops what the hooks keep of their tensors."""

    def __init__(self, inner, hooks):
        super().__init__()
        self.inner, self.hooks = inner, hooks
        self.tracks, self.watch = inner.tracks, inner.watch
        self.exchange, self.cut = inner.exchange, inner.cut

    def record(self, op, params: list, leaves: list, out, loc=None) -> None:
        """As of `Tape`."""
        need = tuple([self.inner.tracks(t) for t in leaves])
        if isinstance(op, Op) and op.bprop_rule is not None and any(need):
            op = _Kept(op, params, out, need, self.hooks)
        self.inner.record(op, params, leaves, out, loc)


class Hooks:
    """A function that packs a tensor, and one that unpacks it."""

    def __init__(self, pack, unpack, of: str):
        for name, fn in (("pack_hook", pack), ("unpack_hook", unpack)):
            if not (callable(fn) or isinstance(fn, (Closure, Bound))):
                what = f"{of}: {name} has type {type(fn).__name__}"
                raise complain(TypeError, what, expected="a function")
        self.pack, self.unpack = pack, unpack


def saving(hooks: Hooks):
    """A context in which these hooks keep what the tapes record."""
    return tape.by_way_of(lambda t: _Saving(t, hooks))


class saved_tensors_hooks:
    """A context, in PyNative mode: what is kept inside of tensors that gradients will read is what
    ``pack_hook`` makes of them, and the gradients read what ``unpack_hook`` makes of that.

    Args:
        pack_hook (Callable): takes a tensor, and gives anything.
        unpack_hook (Callable): takes that, and gives a tensor of the same shape and dtype.

    Raises:
        TypeError: one of them cannot be called.
        RuntimeError: it is used in compiled code; see `register_saved_tensors_hooks`.

    Examples:
        >>> import minds as ms
        >>> def f(x):
        ...     with ms.saved_tensors_hooks(lambda t: t.asnumpy(), lambda a: ms.Tensor(a) + 1.0):
        ...         return x * x
        >>> float(ms.grad(f)(ms.Tensor(3.0)))
        8.0
    """

    def __init__(self, pack_hook, unpack_hook):
        self._hooks, self._open = Hooks(pack_hook, unpack_hook, "saved_tensors_hooks"), []

    def __enter__(self) -> None:
        self._open.append(saving(self._hooks))
        self._open[-1].__enter__()

    def __exit__(self, *error) -> None:
        self._open.pop().__exit__(*error)


def register_saved_tensors_hooks(pack_hook, unpack_hook):
    """A decorator: what is kept of the tensors of a function that gradients will read is what
    ``pack_hook`` makes of them, and the gradients read what ``unpack_hook`` makes of that. In graph
    mode both are compiled.

    Args:
        pack_hook (Callable): takes a tensor, and gives tensors and numbers; in PyNative mode anything.
        unpack_hook (Callable): takes that, and gives a tensor of the same shape and dtype.

    Returns:
        Callable: takes a function, and gives one that does the same.

    Raises:
        TypeError: one of them cannot be called.

    Examples:
        >>> import minds as ms
        >>> half = ms.register_saved_tensors_hooks(lambda t: t.astype(ms.float16), lambda t: t.float())
        >>> square = half(lambda x: x * x)
        >>> float(ms.grad(square)(ms.Tensor(0.1))) == 2 * float(ms.Tensor(0.1, ms.float16))
        True
    """
    hooks = Hooks(pack_hook, unpack_hook, "register_saved_tensors_hooks")
    return lambda fn: SavedBy(fn, hooks)


class SavedBy:
    """A function of whose tensors hooks keep what gradients read."""

    def __init__(self, fn, hooks: Hooks):
        self.fn, self.hooks = fn, hooks
        self.__name__ = getattr(fn, "__name__", "fn")
        self.__doc__ = getattr(fn, "__doc__", None)

    def __call__(self, *args, **kwargs):
        with saving(self.hooks):
            return self.fn(*args, **kwargs)

    def _emit(self, ip, args, kwargs):
        return emit(ip, self.hooks, lambda: ip.call(self.fn, list(args), kwargs))


# ---- compiled


class _Native:
    """Library code that interpreted code calls."""

    def __init__(self, fn):
        self.fn = fn

    def _emit(self, ip, args, kwargs):
        return ip.native(self.fn, *args)


class _KeptOp:
    """An op with a gradient of its own, which reads what was packed."""

    def __init__(self, op: Op, params: list, hooks: Hooks):
        self.op, self.params, self.hooks = op, params, hooks
        self.run, self.read, self.pull = (
            _Native(self._run),
            _Native(self._reads),
            _Native(self._pull),
        )

    def _run(self, tensors: tuple):
        return self.op(*self._filled(tensors))

    def _filled(self, tensors: tuple) -> list:
        left = iter(tensors)

        def filled(v):
            if isinstance(v, tuple) and v and v[0] is _TENSOR:
                return tuple([next(left) for _ in v])
            return next(left) if v is _TENSOR else v

        return list(map(filled, self.params))

    def _reads(self, tensors: tuple, out):
        params, need = self._filled(tensors), tuple(map(_flows, tensors))
        values, self.places = _values(params, out), _read(self.op, params, out, need)
        return tuple([values[p] for p in self.places])

    def _pull(self, tensors: tuple, out, dout, unpacked: tuple):
        params, need = self._filled(tensors), tuple(map(_flows, tensors))
        given = _with(params, out, dict(zip(self.places, unpacked)))
        dout = Cotangents(list(dout), None) if isinstance(out, tuple) else dout
        found = self.op.run_bprop(*given, dout, need)
        flat: list = []
        for g, i in zip(found if isinstance(found, (tuple, list)) else (found,), self.op.tensor_at):
            v = params[i]
            many = isinstance(v, tuple)
            flat += (g or [None] * len(v)) if many else [g] if _is_tensor(v) else []
        return tuple(flat)

    def construct(self, *tensors):
        out = self.run(tensors)
        pack = self.hooks.pack
        return out, tuple([pack(v) for v in self.read(tensors, out)])

    def bprop(self, *given):
        (out, packed), dout = given[-2], given[-1]
        unpack = self.hooks.unpack
        unpacked = tuple([unpack(v) for v in packed])
        return self.pull(given[:-2], out, dout[0], unpacked)


_TENSOR = object()


def emit(ip, hooks: Hooks, call):
    """What ``call()`` gives, emitted with ops whose tensors are packed."""
    graph = ip.graph("saved")
    with scope(ip, graph, {}):
        leaves: list = []
        skeleton = flatten(loaded(ip, call()), leaves)
        graph.output = region.pack(ip, [ip.node(v) for v in leaves])
    for g in walk.graphs(graph):
        for n in list(g):
            if isinstance(n.fn, Op) and n.fn.bprop_rule is not None and not n.has_effect:
                _replace(ip, g, n, hooks)
    results = ip.builder.call(graph, (), graph.ret.abstract)
    return unflatten(skeleton, iter(region.unpack(ip, results, len(leaves))))


def _replace(ip, graph: Graph, n: Apply, hooks: Hooks) -> None:
    """Let an op of ``graph`` be one whose tensors are packed, if gradients may flow through it."""
    with ip.inside(EmitBuilder(ip, graph)) as builder:
        builder.before = n
        params, tensors = [], []
        for a, kind in zip(n.args, n.fn.kinds):
            found = (a,)
            if kind == TENSORS:
                found = [builder.getitem(a, i) for i in range(len(a.abstract.items))]
            if kind != ATTR and all(map(_is_tensor, found)):
                tensors += found
                params.append((_TENSOR,) * len(found) if kind == TENSORS else _TENSOR)
            elif isinstance(a, Constant):
                params.append(a.value)
            else:
                return  # a number of the run, which no tensor holds
        if not any(_flows(t) for t in tensors):
            return
        out = call_with_bprop(ip, _KeptOp(n.fn, params, hooks), tensors, {})[0]
        replace(n, builder.make_tuple(out) if isinstance(out, tuple) else out)
    graph.remove(n)


def _flows(v) -> bool:
    return v.abstract.dtype.is_inexact and not isinstance(v, Constant)


def _refused(ip, *args, **kwargs):
    raise complain(
        RuntimeError,
        "saved_tensors_hooks: it is used in compiled code",
        cure="decorate a function with register_saved_tensors_hooks",
    )


EMITTERS[saved_tensors_hooks] = _refused
EMITTERS[register_saved_tensors_hooks] = lambda ip, *args, **named: register_saved_tensors_hooks(
    *args, **named
)

__all__ = [
    "Hooks",
    "SavedBy",
    "emit",
    "register_saved_tensors_hooks",
    "saved_tensors_hooks",
    "saving",
]
