"""A graph called once per example: what is always right, and taken where nothing faster is."""

from __future__ import annotations

from ..base import dtype as dt
from ..ir import prim
from ..ir.abstract import INT, AbstractFunction, AbstractScalar, AbstractTuple
from ..ir.build import Builder, building
from ..ir.node import Constant, Graph, Node
from ..ops.define import P
from .mask import full_mask, lifted, some

FEW = 8
"""So many examples are unrolled."""


def loop(b: Builder, g: Graph, args: list, masks: list, n: int) -> Node:
    """The results of ``g`` for each example, stacked.

    Args:
        g (Graph): closed; for one example.
        args (list[Node]): batched as ``masks`` say.
    """
    if n <= FEW:
        return _unrolled(b, g, args, masks, n)
    types, leaves = [a.abstract for a in args], _leaves(g.ret.abstract)
    stacked = [lifted(a, True, n) for a in leaves]
    result = AbstractTuple(stacked)
    header, body, after = [Graph(f"rows:{g.name}{part}", g.loc) for part in ("", ":body", ":after")]
    state = {
        k: [
            k.add_param("i", INT),
            *[k.add_param("v", a) for a in stacked],
            *[k.add_param("x", a) for a in types],
        ]
        for k in (header, body, after)
    }
    inner = Builder(header, loc=b.loc)
    with building(inner):
        test = P.less(state[header][0], n)
    choice = inner.emit(prim.switch, (test, body, after), AbstractFunction((body, after)))
    header.output = inner.emit(choice, state[header], result)
    after.output = Builder(after, loc=b.loc).make_tuple(state[after][1 : 1 + len(leaves)])
    inner, (i, *rest) = Builder(body, loc=b.loc), state[body]
    into, xs = rest[: len(leaves)], rest[len(leaves) :]
    with building(inner):
        at = P.scalar_to_tensor(i, dt.int64)
        rows = [
            _row(inner, x, p.abstract, m, lambda t: P.gather(t, at, 0))
            for x, p, m in zip(xs, g.params, masks)
        ]
        found = _flat(inner, inner.emit(g, rows, g.ret.abstract))
        at = P.reshape(at, (1, 1))
        into = [
            P.tensor_scatter(v, at, P.reshape(_tensor(r), (1, *r.shape)), "update")
            for v, r in zip(into, found)
        ]
        body.output = inner.emit(header, [P.add(i, 1), *into, *xs], result)
    with building(b):
        start = [P.full(a.shape, 0, a.dtype) for a in stacked]
    done = b.emit(header, [Constant(0, INT), *start, *args], result)
    return _packed(b, g.ret.abstract, iter([b.getitem(done, k) for k in range(len(leaves))]))


def _unrolled(b: Builder, g: Graph, args: list, masks: list, n: int) -> Node:
    columns = []
    with building(b):
        split = [
            _flat_map(b, x, p.abstract, m, lambda t: P.split(t, (1,) * n, 0)) if some(m) else None
            for x, p, m in zip(args, g.params, masks)
        ]
        for i in range(n):
            rows = []
            for x, s, p, m in zip(args, split, g.params, masks):
                if s is None:
                    rows.append(x)
                    continue
                parts = iter(s)
                rows.append(
                    _row(
                        b,
                        x,
                        p.abstract,
                        m,
                        lambda t, parts=parts, i=i: P.reshape(
                            b.getitem(next(parts), i), t.shape[1:]
                        ),
                    )
                )
            columns.append(_flat(b, b.emit(g, rows, g.ret.abstract)))
        stacked = [
            P.concat(tuple([P.reshape(_tensor(r), (1, *r.shape)) for r in c]), 0)
            for c in zip(*columns)
        ]
    return _packed(b, g.ret.abstract, iter(stacked))


def _leaves(a) -> list:
    """The types of the tensors and numbers in a value of type ``a``."""
    if isinstance(a, AbstractTuple):
        return [t for i in a.items for t in _leaves(i)]
    return [a] if full_mask(a, True) else []


def _flat(b: Builder, x: Node) -> list:
    """The tensors and numbers in a value."""
    if isinstance(x.abstract, AbstractTuple):
        return [t for i in range(len(x.abstract.items)) for t in _flat(b, b.getitem(x, i))]
    return [x] if full_mask(x.abstract, True) else []


def _flat_map(b: Builder, x: Node, a, mask, fn) -> list:
    """``fn`` of the batched leaves of ``x``."""
    if isinstance(mask, tuple):
        return [
            t
            for i, (k, m) in enumerate(zip(a.items, mask))
            for t in _flat_map(b, b.getitem(x, i), k, m, fn)
        ]
    return [fn(x)] if mask else []


def _packed(b: Builder, a, leaves) -> Node:
    """The inverse of `_flat`, for a value of type ``a``."""
    if isinstance(a, AbstractTuple):
        return b.make_tuple([_packed(b, i, leaves) for i in a.items])
    return next(leaves) if full_mask(a, True) else Constant(None, a)


def _row(b: Builder, x: Node, a, mask, pick) -> Node:
    """One example of ``x``, of type ``a``; ``pick`` takes it from a batched tensor."""
    if isinstance(mask, tuple):
        return b.make_tuple(
            [_row(b, b.getitem(x, i), k, m, pick) for i, (k, m) in enumerate(zip(a.items, mask))]
        )
    if not mask:
        return x
    row = pick(x)
    return P.item(row, a.kind.__name__) if isinstance(a, AbstractScalar) else row


def _tensor(x: Node) -> Node:
    return P.scalar_to_tensor(x, x.dtype) if isinstance(x.abstract, AbstractScalar) else x
