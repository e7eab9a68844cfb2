"""Elements of lists of known length whose place only the run knows: ``D[i][j]``, read and set.

A list that is one of several, ``D[i]``, is never made: `Among` says when it is which. So setting an
element changes every one that it may be, and all names of these lists see it.
"""

from __future__ import annotations

from dataclasses import dataclass

import gast

from ..ir.abstract import AbstractTensor
from ..ir.node import Node
from ..ops.define import P
from ..tensor import Tensor
from . import access, setitem
from .region import convert, runtime_if
from .value_types import LocalList
from .values import Mismatch, extract, join, leaf_abstracts, unflatten, widen


@dataclass(eq=False)
class Among:
    """One of several lists.

    Attributes:
        cases: (whether it is this one, the list).
    """

    cases: list


def owner(ip, node):
    """The value of an expression of which an element is read or set."""
    if not isinstance(node, gast.Subscript):
        return ip.eval(node)
    outer, index = owner(ip, node.value), ip.eval(node.slice)
    if not isinstance(outer, Among):
        if not isinstance(index, Node) or not _holds_lists(outer):
            return access.subscript(ip, outer, index)
        outer = Among([(None, outer)])
    cases = _elements(ip, outer, index)
    return Among(cases) if all(type(v) is LocalList for _, v in cases) else _chosen(ip, cases)


def _holds_lists(v) -> bool:
    return type(v) is LocalList and v != [] and all(type(e) is LocalList for e in v)


def _elements(ip, among: Among, index) -> list:
    """(whether it is this one, the element) of the elements at a place."""
    return [
        (_both(ip, test, here), held[k])
        for test, held in among.cases
        for here, k in _places(ip, held, index)
    ]


def _places(ip, held: list, index) -> list:
    """(whether the index is this place, the place) of a list; None for certain."""
    ip.usable(held)
    if not isinstance(index, Node):
        access.subscript(ip, held, index)
        return [(None, index)]
    at = access.place_in(ip, index, len(held), "elements")
    return [(ip.native(P.equal, at, k), k) for k in range(len(held))]


def _both(ip, a, b):
    if a is None or b is None:
        return b if a is None else a
    return ip.native(P.logical_and, a, b)


def _chosen(ip, cases: list):
    """The element of the case that holds."""
    value = cases[-1][1]
    for test, v in reversed(cases[:-1]):
        value = v if test is None else selected(ip, test, v, value)
    return value


def selected(ip, test, a, b):
    """``a`` where ``test`` holds, a bool of the run, else ``b``. A tensor may be either."""
    try:
        skeleton = widen(join(a, b))
    except Mismatch:
        skeleton = None
    wanted = leaf_abstracts(skeleton, []) if skeleton is not None else []
    if skeleton is None or type(a) is not type(b) and not wanted:
        return runtime_if(ip, test, lambda: a, lambda: b, "choice")
    leaves = []
    for x, y, t in zip(extract(skeleton, a, []), extract(skeleton, b, []), wanted):
        if x is not y:
            node = ip.native(P.select, test, convert(ip, x, t), convert(ip, y, t))
            if isinstance(t, AbstractTensor):
                ip.tensors.may_be(node, [v for v in (x, y) if isinstance(v, (Node, Tensor))])
            x = node
        leaves.append(x)
    return unflatten(skeleton, iter(leaves))


def store(ip, among: Among, index, value) -> None:
    """``v[index] = value`` of one of several lists."""
    for test, held in among.cases:
        for here, k in _places(ip, held, index):
            both = _both(ip, test, here)
            new = value if both is None else selected(ip, both, value, held[k])
            ip.touch(held)
            held[k] = new


def assign(ip, v, index, value) -> None:
    """``v[index] = value``."""
    if type(v) is LocalList and isinstance(index, Node):
        v = Among([(None, v)])
    if isinstance(v, Among):
        store(ip, v, index, value)
    else:
        setitem.store(ip, v, index, value)


def read(ip, v, index):
    """``v[index]``."""
    if not isinstance(v, Among):
        return access.subscript(ip, v, index)
    return _chosen(ip, _elements(ip, v, index))


__all__ = ["assign", "owner", "read"]
