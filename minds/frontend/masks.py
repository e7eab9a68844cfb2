"""``x[mask] = v`` and ``x[mask] += v`` where the mask is known only at run time.

How many elements a mask chooses is then unknown, so nothing is packed: the elements that the rest
of the index chooses keep their places, and each is the new value or the old one. A value with one
element per chosen place is spread over the mask by counting its True elements.
"""

from __future__ import annotations

from math import prod

from ..base.errors import complain
from ..ir.dim import Dim
from ..ir.node import Node
from ..ops import methods
from ..ops.define import P
from ..tensor import Parameter, Tensor
from .conditions import require
from .scalars import is_scalar


def is_mask(v) -> bool:
    """Whether ``v`` is a tensor of bools that is known only at run time."""
    return isinstance(v, (Node, Parameter)) and not is_scalar(v) and v.dtype.is_bool


class Masked:
    """The elements of ``x`` that an index with one run-time mask chooses.

    Raises:
        IndexError: the mask has another shape than the dimensions that it stands for.
    """

    def __init__(self, ip, x: Node, index):
        self.ip, self.x = ip, x
        index = list(index) if isinstance(index, tuple) else [index]
        at = next(k for k, i in enumerate(index) if is_mask(i))
        mask = ip.node(index[at])
        rank, k = len(x.shape), len(mask.shape)
        taken = sum(k if i is index[at] else i is not None and i is not Ellipsis for i in index)
        if taken > rank:
            raise complain(IndexError, f"{taken} indices for a tensor of rank {rank}")
        dots = next((j for j, i in enumerate(index) if i is Ellipsis), len(index))
        index[dots : dots + 1] = [slice(None)] * (rank - taken)
        if at > dots:
            at += rank - taken - 1
        first = sum(1 for i in index[:at] if i is not None)
        if x.shape[first : first + k] != mask.shape:
            raise complain(
                IndexError,
                f"the mask has shape {mask.shape}, the dimensions that it chooses from have "
                f"{x.shape[first : first + k]}",
            )
        self.rest = tuple(index[:at] + [slice(None)] * k + index[at + 1 :])
        ints = [j for j, i in enumerate(index) if isinstance(i, int)]
        slots = sorted([*ints, at])
        self.together = slots == list(range(slots[0], slots[-1] + 1))
        self.before = sum(1 for i in index[:at] if not isinstance(i, int))
        self.old = self.x if self._is_whole() else ip.native(methods.getitem, x, self.rest)
        self.mask = mask
        ones = (1,) * self.before, (1,) * (len(self.old.shape) - self.before - k)
        self.chosen = ip.native(P.reshape, mask, (*ones[0], *mask.shape, *ones[1]))

    def _is_whole(self) -> bool:
        return all(isinstance(i, slice) and i == slice(None) for i in self.rest)

    def spread(self, value):
        """``value``, which broadcasts to the chosen elements, over all elements.

        Raises:
            ValueError: it does not broadcast to any number of elements; or, when the program runs,
                not to theirs.
        """
        ip, k, p = self.ip, len(self.mask.shape), self.before
        if is_scalar(value):
            return value
        node = ip.node(value)
        others = self.old.shape[:p] + self.old.shape[p + k :]
        full = (1,) * (len(others) + 1 - len(node.shape)) + node.shape
        while len(full) > len(others) + 1 and full[0] == 1:
            full = full[1:]
        at = p if self.together else 0
        if len(full) > len(others) + 1:
            raise complain(
                ValueError,
                f"the value has shape {node.shape}, the chosen elements have {1 + len(others)} "
                "dimensions",
            )
        rest = full[:at] + full[at + 1 :]
        node = ip.native(P.reshape, node, full)
        if full[at] == 1:
            return ip.native(P.reshape, node, rest[:p] + (1,) * k + rest[p:])
        flat = ip.native(lambda: P.cast(P.reshape(self.mask, (-1,)), "int64"))
        count = ip.native(P.sum, flat, (0,), False)
        require(
            ip,
            ip.native(lambda: P.item(P.equal(count, full[at]), "bool")),
            ValueError(
                f"shape mismatch: a value of {full[at]} elements for another number of True "
                "elements in "
                "the mask"
            ),
        )
        last = full[at] - 1
        if type(last) is Dim:  # there may be none
            node, last = ip.native(_with_zero_behind, node, at), full[at]
        place = ip.native(lambda: P.minimum(P.maximum(P.cumsum(flat, 0) - 1, 0), last))
        spread = ip.native(P.gather, node, place, at)
        shape = spread.shape
        if not self.together and p:
            axes = (*range(1, 1 + p), 0, *range(1 + p, len(shape)))
            spread = ip.native(P.transpose, spread, axes)
        assert prod(self.mask.shape) == shape[at]
        return ip.native(P.reshape, spread, rest[:p] + self.mask.shape + rest[p:])

    def known(self, value):
        """``value`` where the mask holds, else 1, which gives no error and no NaN."""
        return self.ip.native(P.select, self.chosen, self.ip.node(value), 1)

    def stored(self, value) -> Node:
        """``x`` with ``value``, already spread, where the mask holds."""
        ip = self.ip
        if is_scalar(value):
            value = ip.native(P.scalar_to_tensor, ip.node(value), self.x.dtype)
        value = ip.native(P.cast, value, self.x.dtype)
        new = ip.native(P.select, self.chosen, value, self.old)
        if new.shape != self.old.shape:
            raise complain(
                ValueError,
                f"a value of shape {value.shape} does not broadcast to the chosen elements of "
                f"a tensor of shape {self.x.shape}",
            )
        return new if self._is_whole() else ip.native(methods.setitem, self.x, self.rest, new)


def _with_zero_behind(x, axis: int):
    shape = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    return P.concat((x, P.full(shape, 0, x.dtype)), axis)


def has_mask(owner, index) -> bool:
    """Whether ``owner[index]`` chooses by a run-time mask, and by no other tensor."""
    index = index if isinstance(index, tuple) else (index,)
    others = [i for i in index if isinstance(i, (Node, Tensor, list)) and not is_scalar(i)]
    return isinstance(owner, (Node, Tensor)) and len(others) == 1 and is_mask(others[0])
