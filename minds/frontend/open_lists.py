"""Lists and tuples among the arguments of which a program takes any length (`mutable`): it takes the
rows of their elements, one tensor for each leaf of an element, and sees a list of the run.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..ir.abstract import AbstractScalar
from ..ops.define import P
from ..tensor import Tensor
from .list_types import form
from .value_types import CONTAINERS, LOCAL, OF_ROWS, TUPLE, Leaf, Rows, RunList
from .values import Mismatch, extract, leaf_abstracts


class OpenTuple(tuple):
    """A tuple whose length a program finds when it runs."""

    __slots__ = ()


class OpenList(list):
    """A list whose length a program finds when it runs."""

    __slots__ = ()


OPEN_KINDS = {OpenTuple: tuple, OpenList: list}
OF_ROWS.update(OPEN_KINDS)
CONTAINERS[OpenList] = list


@dataclass(eq=False)
class OpenArgument:
    """In the skeleton of arguments: such a list.

    Attributes:
        kind: `TUPLE`, or None of a list.
        skeleton: that of an element.
        columns: the rows of the elements.
    """

    kind: object
    skeleton: object
    columns: list

    @staticmethod
    def _parts(v) -> tuple:
        head = v.kind, v.skeleton
        return head, v.columns, lambda items: OpenArgument(v.kind, v.skeleton, items)


def made(value):
    """``value``, a tuple or list, with an open length; itself where its elements are no rows of tensors."""
    try:
        element_form(value)
    except (Mismatch, IndexError):
        return value
    return (OpenTuple if isinstance(value, tuple) else OpenList)(value)


def element_form(value):
    """The skeleton of an element.

    Raises:
        Mismatch: they are no data of one type.
        IndexError: there are none.
    """
    return form(list(value))


def columns_of(value) -> tuple | None:
    """(the skeleton of an element, the rows of the elements); None where there are no elements, or
    they are of several types now: it is a list like others then.
    """
    try:
        skeleton = element_form(value)
    except (Mismatch, IndexError):
        return None
    leaves = [extract(skeleton, v, []) for v in value]
    kinds = leaf_abstracts(skeleton, [])
    return skeleton, [_column([e[k] for e in leaves], a) for k, a in enumerate(kinds)]


def _column(leaves: list, a) -> Tensor:
    if isinstance(a, AbstractScalar):
        return Tensor([v.item() if isinstance(v, Tensor) else v for v in leaves], a.dtype)
    rows = [
        P.reshape(v if isinstance(v, Tensor) else Tensor(v, a.dtype), (1, *a.shape)) for v in leaves
    ]
    return P.concat(tuple(rows), 0) if len(rows) > 1 else rows[0]


def as_argument(value):
    """What stands for ``value`` in the skeleton of arguments; None where it is a list like others."""
    found = columns_of(value)
    if found is None:
        return None
    skeleton, columns = found
    kind = TUPLE if isinstance(value, tuple) else None
    return OpenArgument(kind, skeleton, [Leaf(c.abstract) for c in columns])


def taken(ip, v):
    """``v`` with lists of the run for each `OpenArgument`."""
    if type(v) is OpenArgument:
        count = ip.node(v.columns[0].shape[0])
        return RunList([Rows(ip, v.skeleton, count, v.columns)], v.kind)
    if type(v) is tuple:
        return tuple([taken(ip, e) for e in v])
    if isinstance(v, LOCAL) and v.kind is None:
        for at in v if isinstance(v, dict) else range(len(v)) if isinstance(v, list) else ():
            v[at] = taken(ip, v[at])
    return v
