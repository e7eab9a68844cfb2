"""Algebraic rules. Each lowers the number of applies; all are exact to the bit, save for the
payload of a NaN.

Hence no ``x + 0 -> x`` on floats: -0.0 + 0 is 0.0. But -0.0 is neutral, and gradients start from
it.
"""

from __future__ import annotations

import math

import numpy as np

from ..base.dtype import int64
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ir.build import as_node
from ..ir.dim import Dim, decided
from ..ir.node import Apply
from ..ops import define
from ..ops.define import ATTR, P
from ..tensor import Tensor
from .driver import OP, rule
from .pattern import M, number_of, rules, wild

x, y, p, q = wild("x y p q")


def _transpose(n, x, p, q):
    """transpose(transpose(x, p), q) -> transpose(x, p[q])."""
    perm = tuple(p[i] for i in q)
    return x if perm == tuple(range(len(perm))) else P.transpose(x, perm)


def _reshape(n, x, p, q):
    """reshape(reshape(x, p), q) -> reshape(x, q)."""
    return x if x.abstract is n.abstract else P.reshape(x, q)


def _cast(n, x, p, q):
    """cast(cast(x, wider), back) -> x, where the wider dtype holds every value of x."""
    a, wide = x.abstract.dtype, p
    exact = (
        a.kind == wide.kind
        and a.itemsize <= wide.itemsize
        and (a.kind != "f" or a is wide or a.itemsize < wide.itemsize)
    )
    return x if exact and x.abstract is n.abstract else None


def _less(n, x, y):
    """x + -y -> x - y, of floats."""
    return P.sub(x, y) if n.abstract.dtype.is_float else None


PATTERNS = rules(
    M.neg(M.neg(x)) >> x,
    M.logical_not(M.logical_not(x)) >> x,
    M.mul(x, 1) >> x,
    M.mul(1, x) >> x,
    M.div(x, 1) >> x,
    M.sub(x, 0) >> x,
    M.pow(x, 1) >> x,
    M.add(x, -0.0) >> x,
    M.add(-0.0, x) >> x,
    M.add(x, M.neg(y)) >> _less,
    M.add(M.neg(y), x) >> _less,
    M.transpose(M.transpose(x, p), q) >> _transpose,
    M.reshape(M.reshape(x, p), q) >> _reshape,
    M.cast(M.cast(x, p), q) >> _cast,
)


@rule("add")
def add_of_neutral(n: Apply):
    """broadcast(-0.0) + x -> x, and x + broadcast(-0.0) -> x: how sums of cotangents start."""
    for a, b in (n.args, n.args[::-1]):
        if a.__class__ is Apply and a.fn is P.broadcast_to and b.abstract is n.abstract:
            v = number_of(a.args[0])
            if type(v) is float and v == 0 and str(v) == "-0.0":
                return b
    return None


@rule("add")
def add_of_row(n: Apply):
    """x + gather_dx(d, i, axis) -> x with d added at place i of the axis: a loop over rows, or over
    columns, sums their gradients in place.
    """
    for a, b in (n.args, n.args[::-1]):
        if b.__class__ is not Apply or b.fn is not P.gather_dx or len(b.uses) != 1 or a is b:
            continue
        d, at, _, axis = b.args
        if not _is_one(at.abstract.size) or a.abstract is not b.abstract:
            continue
        if axis.value == 0:
            return P.tensor_scatter(a, P.reshape(at, (*at.shape, 1)), d, "add")
        if _has_wide_rows(a, axis.value):
            return _added_at(a, d, axis.value, at)
    return None


def _has_wide_rows(x, axis: int) -> bool:
    """Whether few indices say where all rows at one place of the axis are."""
    wide = all(type(size) is int for size in x.shape) and x.shape[axis] > 1
    return wide and math.prod(x.shape[axis + 1 :]) >= 16


def _added_at(x, d, axis: int, at):
    """``x`` with ``d`` added at place ``at`` of an axis, which is not the first."""
    before = x.shape[:axis]
    count = math.prod(before)
    rows = np.moveaxis(np.indices(before), 0, -1).reshape(count, axis)
    places = P.broadcast_to(P.reshape(at, (1, 1)), (count, 1))
    indices = P.concat((as_node(Tensor(rows, at.dtype)), places), 1)
    return P.tensor_scatter(x, indices, P.reshape(d, (count, *x.shape[axis + 1 :])), "add")


@rule("add")
def add_of_point(n: Apply):
    """x + scatter_nd(i, d) of one point i -> x with d added there: `add_of_row` for ``x[i, j]``."""
    for a, b in (n.args, n.args[::-1]):
        if b.__class__ is Apply and b.fn is P.scatter_nd and len(b.uses) == 1 and a is not b:
            at, d = b.args[:2]
            if all(map(_is_one, at.shape[:-1])) and a.abstract is b.abstract:
                return P.tensor_scatter(a, at, d, "add")
    return None


@rule("add")
def add_of_slice(n: Apply):
    """x + strided_slice_dx(d) of one place of an axis -> x with d added there: `add_of_row` for
    known places.
    """
    for a, b in (n.args, n.args[::-1]):
        if b.__class__ is Apply and b.fn is P.strided_slice_dx and len(b.uses) == 1 and a is not b:
            if a.abstract is not b.abstract:
                continue
            d, (shape, begin, end, step) = b.args[0], [v.value for v in b.args[1:]]
            cut = [
                i
                for i, (first, last, by, size) in enumerate(zip(begin, end, step, shape))
                if by != 1 or not (_always(first, 0) and _always(last, size))
            ]
            if len(cut) != 1 or step[cut[0]] != 1 or not _always(end[cut[0]] - begin[cut[0]], 1):
                continue
            at = as_node(define.constant_hook(begin[cut[0]], int64))
            if cut[0] == 0:
                return P.tensor_scatter(a, P.reshape(at, (1,)), P.reshape(d, shape[1:]), "add")
            if _has_wide_rows(a, cut[0]):
                return _added_at(a, d, cut[0], at)
    return None


def _always(a, b) -> bool:
    """Whether two sizes are equal whatever the sizes of a call: nothing is assumed of them."""
    return decided("eq", a - b) is True


@rule("add")
def add_of_zero_int(n: Apply):
    """x + 0 -> x for integers."""
    for a, b in (n.args, n.args[::-1]):
        v = number_of(a)
        if type(v) is int and v == 0 and b.abstract is n.abstract and not n.abstract.dtype.is_float:
            return b
    return None


@rule("reshape", "broadcast_to", "cast", "transpose")
def no_change(n: Apply):
    """An op that changes neither shape, nor dtype, nor order -> its operand."""
    v = n.args[0]
    if v.abstract is not n.abstract or not isinstance(v.abstract, (AbstractTensor, AbstractScalar)):
        return None
    if n.fn.name == "transpose":
        perm = n.args[1].value
        return v if perm == tuple(range(len(perm))) else None
    return v


def _is_wide(size) -> bool:
    """Whether there may be more elements than one: what is done then is right for one too."""
    return type(size) is Dim or size > 1


def _is_one(size) -> bool:
    """Whether there is one element, whatever the sizes of a call."""
    return type(size) is int and size == 1


@rule("full")
def full_is_a_broadcast(n: Apply):
    """full(shape, v, dtype) -> broadcast_to(v, shape): readers of a broadcast can read the number
    itself.
    """
    shape, v, dtype = (a.value for a in n.args)
    if not _is_wide(n.abstract.size) or dtype.is_complex or type(v) is Dim:
        return None
    if dtype.is_int and type(v) is float:
        info = np.iinfo(dtype.np)
        if not v.is_integer() or not info.min <= v <= info.max:
            return None  # the kernel cuts it off, and it may wrap
        v = int(v)
    return P.broadcast_to(as_node(define.constant_hook(v, dtype)), shape)


@rule(OP)
def number_everywhere(n: Apply):
    """op(broadcast_to(x), y) -> broadcast_to(op(x, y)) for an elementwise op and single numbers x,
    y.
    """
    if (
        not n.fn.elementwise
        or n.abstract.__class__ is not AbstractTensor
        or not _is_wide(n.abstract.size)
    ):
        return None
    args, found = [], False
    for a, kind in zip(n.args, n.fn.kinds):
        if kind == ATTR:
            args.append(a.value)
            continue
        while (
            a.__class__ is Apply
            and (a.fn is P.broadcast_to or a.fn is P.reshape)
            and _is_one(a.args[0].abstract.size)
        ):
            a, found = a.args[0], found or a.fn is P.broadcast_to
        if not _is_one(a.abstract.size):
            return None
        args.append(a)
    if not found:
        return None
    one = n.fn(*args)
    # Behind a reshape the number may have more axes than all of its copies.
    one = P.reshape(one, ()) if one.abstract.ndim > n.abstract.ndim else one
    return P.broadcast_to(one, n.abstract.shape)


RULES = (
    *PATTERNS,
    add_of_neutral,
    add_of_row,
    add_of_point,
    add_of_slice,
    add_of_zero_int,
    no_change,
    full_is_a_broadcast,
)
AFTER_J = (number_everywhere,)
"""Rules that move a sum of cotangents past the op that gave them: before J, compiled gradients
would add in another order than eager ones.
"""
