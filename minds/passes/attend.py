"""The step ``attend``: where the device has a kernel for attention,
``matmul(softmax(matmul(q, k^T) * scale + mask), v)`` becomes one op. It comes before J, so the gradient
is one op too; casts around the softmax are the op's own affair.
"""

from __future__ import annotations

from .. import _core
from ..base import dtype as dt
from ..ir.node import Apply, Graph
from ..ops.define import P
from .driver import Rewriter, rule, table
from .pattern import number_of

_TAKEN = (dt.float16, dt.bfloat16, dt.float32)
_LONGEST = 128  # vector that the kernel takes, in steps of 16


def attend(graph: Graph, options=None) -> Graph:
    """Make attention one op for a device that has it; leave others' programs as they are."""
    if not has_kernel(getattr(options, "device", "cpu")):
        return graph
    return Rewriter(graph, RULES, options).run()


def has_kernel(device: str) -> bool:
    """Whether a device has attention as one kernel."""
    return device != "cpu" and all(_core.has_kernel("attention", device, t.code) for t in _TAKEN)


@rule("matmul")
def attention_of_product(n: Apply):
    """softmax(scores) v, where nothing else reads the weights."""
    weights, value, ta, tb = n.args
    if ta.value or tb.value or not _taken(value):
        return None
    soft = _under_casts(weights)
    if soft is None or soft.fn is not P.softmax or soft.args[1].value != len(n.abstract.shape) - 1:
        return None
    mask, product, scale = _scores(_under_casts(soft.args[0]))
    if product is None:
        return None
    query, key = product
    if not (_taken(query) and _fit(query, key, value)):
        return None
    if mask is not None:
        if not 0 < len(mask.abstract.shape) <= len(query.abstract.shape):
            return None
        if mask.abstract.dtype is not query.abstract.dtype:
            mask = P.cast(mask, query.abstract.dtype)
    return P.attention(query, key, value, mask, scale)[0]


RULES = table(attention_of_product)


def _taken(x) -> bool:
    """Whether the kernel takes vectors like these."""
    shape, dtype = getattr(x.abstract, "shape", ()), getattr(x.abstract, "dtype", None)
    if dtype not in _TAKEN or len(shape) not in (3, 4):
        return False
    size = shape[-1]
    return type(size) is int and size % 16 == 0 and 0 < size <= _LONGEST


def _fit(query, key, value) -> bool:
    q, k, v = query.abstract, key.abstract, value.abstract
    same = k.dtype is q.dtype and v.dtype is q.dtype
    return same and k.shape == v.shape == q.shape[:-2] + k.shape[-2:-1] + q.shape[-1:]


def _under_casts(n):
    """What is cast between floats and read nowhere else; None if it is."""
    while type(n) is Apply and len(n.uses) == 1:
        if n.fn is not P.cast:
            return n
        n = n.args[0]
        if not n.abstract.dtype.is_float:
            return None
    return None


def _scores(n):
    """(mask or None, (queries, keys), scale) of scores, or Nones."""
    none = None, None, 1.0
    if n is None:
        return none
    mask = None
    if n.fn is P.add:
        for a, b in (n.args, n.args[::-1]):
            found = _scaled(_under_casts(a))
            if found[0] is not None and b.abstract.dtype.is_float:
                return b, *found
        return none
    return mask, *_scaled(n)


def _scaled(n):
    """((queries, keys), scale) of a product of matrices times or divided by a number."""
    scale = 1.0
    while n is not None and n.fn in (P.mul, P.div):
        a, b = n.args
        if n.fn is P.mul and number_of(a) is not None:
            a, b = b, a
        v = number_of(b)
        if v is None or (n.fn is P.div and v == 0):
            return None, 1.0
        scale = scale * v if n.fn is P.mul else scale / v
        n = _under_casts(a)
    if n is None or n.fn is not P.matmul or n.args[2].value:
        return None, 1.0
    query, key, _, turned = n.args
    if not turned.value:
        key = _turned(key)
    return (None, 1.0) if key is None else ((query, key), float(scale))


def _turned(x):
    """What a transpose of the last two axes is of."""
    if type(x) is not Apply or x.fn is not P.transpose:
        return None
    rank = len(x.abstract.shape)
    last = (*range(rank - 2), rank - 1, rank - 2)
    return x.args[0] if tuple(x.args[1].value) == last else None
