"""What is iterated by an index: ranges, rows of tensors, and `enumerate`, `zip` and `reversed` of them."""

from __future__ import annotations

from dataclasses import dataclass

import gast

from ..base import dtype as dt
from ..base.errors import ParseError, complain, performed
from ..ir.abstract import AbstractTensor
from ..ir.dim import is_size
from ..ir.node import Constant, Node
from ..ops.define import P
from ..ops.function.indexing import getitem
from ..tensor import Tensor
from . import run_lists, size_witnesses
from .access import subscript
from .describe import need_static
from .iterated import ByIndex
from .scalars import binary, is_scalar, to_kind
from .value_types import RunList


def counted(ip, iterable):
    """(length, item(i)) of what can be iterated by an index that is known only at run time; else None."""
    if isinstance(iterable, range):
        of_run = RuntimeRange(iterable.start, iterable.stop, iterable.step)
        return len(iterable), lambda i: of_run.item(ip, i) if isinstance(i, Node) else iterable[i]
    if isinstance(iterable, ByIndex):
        return iterable.length(ip), lambda i: iterable.item(ip, i)
    if type(iterable) is RunList:
        return run_lists.turns(ip, iterable)
    if (
        isinstance(iterable, (Node, Tensor))
        and isinstance(iterable.abstract, AbstractTensor)
        and iterable.shape
    ):
        size_witnesses.note(ip.parameters.loaded, iterable)
        return iterable.shape[0], lambda i: row(ip, iterable, i)
    return None


def row(ip, x, i):
    """``x[i]`` for a tensor and an index that may be known only at run time."""
    if not isinstance(i, Node):
        return subscript(ip, x, i)
    index = ip.native(P.scalar_to_tensor, i, dt.int64) if is_scalar(i) else i
    return ip.part(getitem, x, index)


@dataclass(eq=False)
class RuntimeRange(ByIndex):
    """A ``range`` with a bound that is known only at run time."""

    start: object
    stop: object
    step: object
    joined = True

    @staticmethod
    def _parts(v) -> tuple:
        return (), [v.start, v.stop, v.step], lambda items: RuntimeRange(*items)

    def elements(self, ip) -> list:
        """The items one by one."""
        bounds = [self.start, self.stop, self.step]
        if any(isinstance(b, Node) and not isinstance(b, Constant) for b in bounds):
            return super().elements(ip)
        return list(performed(range, *[need_static(b, "a bound of range") for b in bounds]))

    def length(self, ip):
        """The number of items: max(0, ceil((stop - start) / step))."""
        span = binary(ip, gast.Sub, self.stop, self.start)
        n = binary(
            ip,
            gast.FloorDiv,
            binary(ip, gast.Sub, binary(ip, gast.Add, span, self.step), _sign(ip, self.step)),
            self.step,
        )
        return ip.native(max, n, 0) if is_size(n) else ip.native(P.maximum, to_kind(ip, n, int), 0)

    def item(self, ip, i):
        """The item at index ``i``."""
        return binary(ip, gast.Add, self.start, binary(ip, gast.Mult, i, self.step))


def _sign(ip, step):
    if isinstance(step, Node):
        return ip.native(P.sign, step)
    if step == 0:
        raise complain(ValueError, "range() arg 3 must not be zero")
    return 1 if step > 0 else -1


class Lockstep(ByIndex):
    """An iterator over what is iterated by an index, whose length is known only at run time.

    Args:
        size: the number of elements. pick: ``pick(i)`` is the element at index ``i``.
    """

    def __init__(self, size, pick):
        self.size, self.pick, self.used = size, pick, False

    def length(self, ip):
        """The number of elements; an iterator is used up by its first use."""
        if self.used:
            raise complain(
                ParseError,
                "an iterator over a number of elements that only the run knows is used twice",
                cure="make it anew, in the head of each loop",
            )
        self.used = True
        return self.size

    def item(self, ip, i):
        """The element at index ``i``."""
        return self.pick(i)


def together(ip, iterables) -> tuple | None:
    """(length, [item of each]) for `zip`, where a length is known only at run time; else None."""
    if not any(isinstance(v, (ByIndex, Node, Tensor, RunList)) for v in iterables) or not all(
        isinstance(v, (ByIndex, Node, Tensor, RunList, range)) for v in iterables
    ):
        return None
    found = [(v, counted(ip, v)) for v in iterables]
    if any(c is None for _, c in found) or all(type(c[0]) is int for _, c in found):
        return None
    length = found[0][1][0]
    for _, (other, _) in found[1:]:
        length = _shorter(ip, length, other)
    return length, [c[1] for _, c in found]


def _shorter(ip, a, b):
    if a is b:
        return a
    return ip.native(min, a, b) if is_size(a) and is_size(b) else ip.native(P.minimum, a, b)
