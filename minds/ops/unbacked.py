"""Ops whose results have sizes that only the contents of their operands tell: positions of nonzero
elements, distinct elements, counts.

They have no native kernel and are not in the registry, since no other op refers to them. In a
compiled program such a size is found by the run (`ir.shape_env.unbacked`); what is known while compiling is
computed then.
"""

from __future__ import annotations

import numpy as np

from ..base import dtype as dt
from ..base.errors import expect
from ..ir import build
from ..ir.abstract import INT, AbstractTensor, AbstractTuple
from ..ir.node import Node
from ..ir.shape_env import unbacked
from ..tensor import Parameter, Tensor
from . import define
from .define import P, library_op
from .rules import no_gradient, same


def finding(host, gradient=None, nondiff: bool = False):
    """A decorator: the op whose inference is the function and whose kernel is ``host`` on NumPy
    arrays. Without a gradient rule it has none, which is an error, unless it is ``nondiff``.
    """

    def make(rule):
        rule.__name__ = rule.__name__.lstrip("_")
        made = library_op(rule, host=host, finds=True, nondiff=nondiff)
        if gradient is not None:
            made.bprop(gradient)

        def call(*args):
            if build.current() is None or any(isinstance(a, (Node, Parameter)) for a in args):
                return made(*args)
            with build.building(None):
                return made(*args)

        return call

    return make


def _size_of(x: Tensor, axis: int):
    """The size of one dimension of ``x``, as a number of the run."""
    return INT


size_of = library_op(_size_of, nondiff=True)
size_of.decompose(lambda x, axis: x.shape[axis])


def _filled_like(x: Tensor, number: float):
    """A tensor like ``x`` with ``number`` everywhere: where a size is found by the run, what has it
    must be at hand.
    """
    return same(x)


filled_like = library_op(_filled_like, nondiff=True)
filled_like.decompose(
    lambda x, number: P.broadcast_to(define.constant_hook(number, x.dtype), x.shape)
)


def _sized_by(x: Tensor, witness: Tensor):
    """``x``; a size in its shape is one of ``witness``, which is at hand as long as ``x``."""
    return same(x)


sized_by = library_op(_sized_by)
sized_by.decompose(lambda x, witness: x)
sized_by.bprop(lambda x, witness, out, dout: (dout, None))


def _resized(x: Tensor, shape: tuple):
    """``x``, of which is known while compiling that it has ``shape``: sizes of it may be found by
    the run.
    """
    return AbstractTensor(shape, x.dtype)


resized = library_op(_resized, host=lambda x, shape: x, finds=True)
resized.bprop(lambda x, shape, out, dout: (resized(dout, x.shape),))
define.install_resize(resized)


def _positions(x: np.ndarray) -> np.ndarray:
    if x.ndim == 1:
        return x.nonzero()[0].reshape(-1, 1)
    return np.argwhere(x).astype(np.int64, copy=False)


@finding(_positions, nondiff=True)
def positions(x: Tensor):
    """The positions of nonzero elements, one row each."""
    return AbstractTensor((unbacked("nonzero", x.size), x.ndim), dt.int64)


@finding(np.arange)
def up_to(n: Tensor):
    """0, 1, 2, … below ``n``."""
    return AbstractTensor((unbacked("up_to"),), dt.int64)


def _is_first(number: Tensor):
    """Whether each element is the first with its number."""
    return AbstractTensor(number.shape, dt.bool_)


def _firsts(number):
    out = np.zeros(number.size, bool)
    out[np.unique(number, return_index=True)[1]] = True
    return out.reshape(number.shape)


_first = library_op(_is_first, host=_firsts, nondiff=True)


def _to_firsts(x, dim, number, dout):
    """The cotangent of distinct values: it goes to the first element, or slice along ``dim``, that
    has each ``number``.
    """
    d, first = P.gather(dout, number, 0 if dim is None else dim), _first(number)
    if dim is None:
        return P.reshape(P.select(first, d, 0), x.shape)
    first = P.reshape(first, tuple(-1 if i == dim else 1 for i in range(len(x.shape))))
    return P.select(first, d, 0)


def _unique(x):
    values, first, inverse = np.unique(x, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return values[order], rank[inverse].reshape(x.shape)


@finding(_unique, lambda x, out, dout: (_to_firsts(x, None, out[1], dout[0]),))
def distinct(x: Tensor):
    """The distinct elements as they first occur, and for each element which it is."""
    kind = dt.int64 if x.dtype is dt.int64 else dt.int32
    return AbstractTuple(
        (AbstractTensor((unbacked("unique", x.size),), x.dtype), AbstractTensor(x.shape, kind))
    )


def _numbered(x: Tensor, dim: int, name: str) -> AbstractTuple:
    """The types of distinct values or slices, of where each went, and of how many are equal."""
    n = unbacked(name, x.size if dim is None else x.shape[dim])
    whole = (n,) if dim is None else (*x.shape[:dim], n, *x.shape[dim + 1 :])
    inverse = x.shape if dim is None else (x.shape[dim],)
    return AbstractTuple(
        (
            AbstractTensor(whole, x.dtype),
            AbstractTensor(inverse, dt.int64),
            AbstractTensor((n,), dt.int64),
        )
    )


def _to_numbered(x, dim, out, dout):
    return (_to_firsts(x, dim, out[1], dout[0]),)


def _sorted(x, dim):
    values, inverse, count = np.unique(x, return_inverse=True, return_counts=True, axis=dim)
    return values, inverse.reshape(x.shape if dim is None else -1), count


@finding(_sorted, _to_numbered)
def distinct_sorted(x: Tensor, dim: int):
    """The distinct elements, or slices along ``dim``, in rising order."""
    return _numbered(x, dim, "unique")


def _runs(x, dim):
    rows = x.reshape(-1) if dim is None else np.moveaxis(x, dim, 0)
    fresh = np.ones(len(rows), bool)
    if len(rows) > 1:
        fresh[1:] = (rows[1:] != rows[:-1]).reshape(len(rows) - 1, -1).any(1)
    values = rows[fresh] if dim is None else np.moveaxis(rows[fresh], 0, dim)
    inverse = (np.cumsum(fresh) - 1).reshape(x.shape if dim is None else -1)
    edges = np.append(np.flatnonzero(fresh), len(rows))
    return np.ascontiguousarray(values), inverse, np.diff(edges)


@finding(_runs, _to_numbered)
def distinct_runs(x: Tensor, dim: int):
    """What differs from its neighbour before it."""
    return _numbered(x, dim, "unique_consecutive")


def asked(parts, return_inverse, return_counts):
    """Of values, where each element went, and how many are equal: what was asked for."""
    wanted = [p for p, on in zip(parts, (True, return_inverse, return_counts), strict=True) if on]
    return wanted[0] if len(wanted) == 1 else tuple(wanted)


def _count(x, weights, minlength):
    expect(x.size == 0 or x.min() >= 0, "input", "not negative")
    return np.bincount(x.astype(np.int64), weights, minlength)


def _to_weights(x, weights, minlength, out, dout):
    return None, P.gather(dout, x, 0)


@finding(_count, _to_weights)
def counts(x: Tensor, weights: Tensor | None, minlength: int):
    """How often each integer occurs."""
    expect(x.ndim == 1, "input", "a vector", got=f"shape {x.shape}")
    return AbstractTensor((unbacked("bincount"),), dt.float32 if weights is None else weights.dtype)


@finding(lambda lengths: np.arange(lengths.max(initial=0)) < lengths[..., None], nondiff=True)
def masks_of_lengths(lengths: Tensor):
    """Rows that are True up to each length, as long as the longest."""
    return AbstractTensor((*lengths.shape, unbacked("sequence_mask")), dt.bool_)


def _best_path(x, lengths, merge_repeated):
    got = len(lengths)
    expect(got == x.shape[1], "sequence_length", f"of {x.shape[1]} lengths", got=got)
    expect(
        bool(((lengths >= 0) & (lengths <= len(x))).all()),
        "sequence_length",
        f"in [0, {len(x)}]",
        got=lengths.tolist(),
    )
    blank, best = x.shape[2] - 1, x.argmax(2)
    indices, values, longest = [], [], 0
    for n, length in enumerate(lengths):
        row, old = [], -1
        for c in best[:length, n]:
            if c != blank and not (merge_repeated and c == old):
                row.append(c)
            old = c
        indices += [(n, i) for i in range(len(row))]
        values += row
        longest = max(longest, len(row))
    scores = [[-x[:length, n].max(1).sum()] for n, length in enumerate(lengths)]
    return (
        np.array(indices, np.int64).reshape(-1, 2),
        np.array(values, np.int64),
        np.array([len(lengths), longest], np.int64),
        np.array(scores, x.dtype),
    )


@finding(_best_path)
def ctc_greedy_decoder(x: Tensor, lengths: Tensor, merge_repeated: bool):
    """The classes of the best scores at each time, as a sparse matrix, and minus the sum of the
    scores.
    """
    expect(x.ndim == 3, "inputs", "of shape (T, N, C)", got=f"shape {x.shape}")
    expect(lengths.ndim == 1, "sequence_length", "of shape (N,)", got=f"shape {lengths.shape}")
    n = unbacked("ctc_greedy_decoder", x.shape[0] * x.shape[1])
    return AbstractTuple(
        (
            AbstractTensor((n, 2), dt.int64),
            AbstractTensor((n,), dt.int64),
            AbstractTensor((2,), dt.int64),
            AbstractTensor((x.shape[1], 1), x.dtype),
        )
    )


def _made_of(x: Tensor, sources: tuple[Tensor, ...], name: str):
    """``x``, which NumPy made of ``sources``: it has no gradient."""
    return same(x)


made_of = library_op(_made_of)
made_of.decompose(lambda x, sources, name: x)


@made_of.bprop
def _(x, sources, name, out, dout):
    raise no_gradient(name, "what it is made of")


__all__ = [
    "asked",
    "ctc_greedy_decoder",
    "counts",
    "distinct",
    "distinct_runs",
    "distinct_sorted",
    "made_of",
    "filled_like",
    "finding",
    "masks_of_lengths",
    "positions",
    "sized_by",
    "resized",
    "size_of",
]
