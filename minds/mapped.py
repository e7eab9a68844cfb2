"""The results of ``body(0), ..., body(n - 1)`` stacked: what `vmap` and the Jacobians stand on.

At once it is a loop. In a compiled program few iterations are unrolled; more become one rolled loop that
writes row after row into its results, so that neither the size of the program nor the time to compile it
depends on n.
"""
from __future__ import annotations

from .base import dtype as dt
from .base.errors import complain
from .frontend import region
from .frontend.values import flatten, unflatten
from .ir.abstract import AbstractScalar, AbstractTensor
from .ir.node import Node
from .ops.define import P
from .pullback import compiling, rebuild, scope
from .tensor import Parameter, Tensor


def mapped(n: int, body, unrolled: bool = False):
    """``body(i)`` for all i, with a new first dimension on each tensor of the result.

    Args:
        n (int): at least one.
        body (Callable): takes the index, an int or in a rolled loop a run-time int; returns tensors in any
            nesting, numbers become tensors.
        unrolled (bool): ``body`` needs an int.
    Raises:
        TypeError: the results differ in structure, shape or dtype.
    """
    ip = compiling()
    if ip is None or unrolled or n <= ip.options.unroll:
        return _stacked([_tensors_only(body(i)) for i in range(n)])
    return _rolled(ip, n, body)


def _tensors_only(value):
    """``value`` with its numbers as tensors, float32 or int64."""
    if isinstance(value, (Node, Tensor)):
        kind = value.abstract.kind if isinstance(value.abstract, AbstractScalar) else None
        if kind is not None:
            return P.scalar_to_tensor(value, _KINDS[kind])
        return value.value() if isinstance(value, Parameter) and compiling() is None else value
    if type(value) in _KINDS:
        return P.full((), value, _KINDS[type(value)])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_tensors_only, value))
    if isinstance(value, (tuple, list)):
        return type(value)([_tensors_only(v) for v in value])
    if isinstance(value, dict):
        return type(value)([(k, _tensors_only(v)) for k, v in value.items()])
    return value


_KINDS = {bool: dt.bool_, int: dt.int64, float: dt.float32}


def leaves_of(value) -> list:
    """The tensors or nodes of a nested value."""
    found: list = []
    flatten(value, found)
    return found


def with_leaves(value, leaves):
    """``value`` with its tensors or nodes replaced in order."""
    if compiling() is None:
        return rebuild(value, iter(leaves))
    return unflatten(flatten(value, []), iter(leaves))


def _stacked(results: list):
    """Results of one structure as one, stacked leaf by leaf."""
    columns = [leaves_of(r) for r in results]
    first = [(a.shape, a.dtype) for a in columns[0]]
    for c in columns[1:]:
        found = [(a.shape, a.dtype) for a in c]
        if found != first:
            raise complain(TypeError, f"vmap: results differ: {first} and {found}",
                           expected="the same structure, shapes and dtypes for each example")
    rows = [P.concat(tuple([P.reshape(a, (1, *a.shape)) for a in column]), 0) for column in zip(*columns)]
    return with_leaves(results[0], rows)


def _rolled(ip, n: int, body):
    """The loop as graphs: the header tests, ``step`` writes row i and tail-calls the header."""
    header, step, after = ip.graph("map"), ip.graph("map:body"), ip.graph("map:after")
    i = header.add_param("i", AbstractScalar(int), ip.here())
    # A parameter may be written in an iteration: nothing read before serves inside, nothing read inside
    # behind.
    ip.loaded = {}
    with scope(ip, step, {}) as b:
        value = _tensors_only(body(i))
        leaves: list = []
        skeleton = flatten(value, leaves)
        rows = [ip.node(v) for v in leaves]
        types = [AbstractTensor((n, *r.shape), r.dtype) for r in rows]
        into = [header.add_param(f"v{k}", a, ip.here()) for k, a in enumerate(types)]
        at = P.reshape(P.scalar_to_tensor(i, dt.int64), (1, 1))
        written = [P.tensor_scatter(v, at, P.reshape(r, (1, *r.shape)), "update") for v, r in zip(into, rows)]
        step.output = b.call(header, [P.add(i, 1), *written], region.packed(types))
    with scope(ip, after, {}):
        after.output = region.pack(ip, into)
    with scope(ip, header, {}) as b:
        choice = b.switch(P.less(i, n), step, after)
        header.output = b.call(choice, (), region.packed(types))
    ip.loaded = {}
    start = [P.full(a.shape, 0, a.dtype) for a in types]
    done = ip.builder.call(header, [ip.node(0), *start], region.packed(types))
    return unflatten(skeleton, iter(region.unpack(ip, done, len(types))))
