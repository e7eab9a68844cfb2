"""Parameters of which the run chooses one: ``p = self.a if c else self.b``, ``self.all[i]``.

Such a value is a node, as all tensors that may be several are (`Tensors.unions`), and mostly that is
all. Where the program writes it, or one of the parameters that it may be, it is interpreted anew,
with a number beside the node that tells which it is. From then on the node stands for the
parameter: what it holds is read, and written, under conditions on the number.
"""

from __future__ import annotations

from ..tensor import Parameter
from .conditions import of_choice
from .flow import Uncarried
from .function_types import UnionValue
from .region import looked_up
from .values import Filler

CHOICES = (0, "which parameter")
"""Among what paths carry on to where they meet (`Flow.carried`)."""


class Chosen:
    """Those of one compilation.

    Attributes:
        of: identity of a node → (the node, its number, the parameters that it may be, in the order of
            their numbers).
        numbers: identity of a parameter → its number.
    """

    def __init__(self, ip):
        self.ip = ip
        self.of: dict[int, tuple] = {}
        self.numbers: dict[int, int] = {}

    @property
    def known(self) -> bool:
        """Whether numbers are carried on."""
        return CHOICES in self.ip.flow.carried

    def expect_known(self) -> None:
        """To be called where it matters which of several parameters a value is.

        Raises:
            Uncarried: that is not known.
        """
        if not self.known:
            raise Uncarried(CHOICES)

    def options(self, v) -> tuple:
        """The parameters of which ``v`` is one; none where it may be something else."""
        if id(v) in self.of:
            return self.of[id(v)][2]
        return (v,) if isinstance(v, Parameter) and id(v) not in self.ip.parameters.own else ()

    def joined(self, alike) -> tuple:
        """`options` of what is one of these."""
        if not self.known:
            return ()
        found: dict = {}
        for options in [self.options(v) for v in alike if not isinstance(v, Filler)]:
            if not options:
                return ()
            found.update((self.place(p), p) for p in options)
        if len({p.abstract for p in found.values()}) != 1:
            return ()
        return tuple([found[k] for k in sorted(found)])

    def place(self, p: Parameter) -> int:
        """The number of a parameter."""
        self.ip.parameters.ref(p)  # which keeps it
        return self.numbers.setdefault(id(p), len(self.numbers))

    def number(self, v):
        """Which parameter ``v`` is: a number, that the run may find; any for a `Filler`."""
        if id(v) in self.of:
            return self.of[id(v)][1]
        return self.place(v) if isinstance(v, Parameter) else 0

    def note(self, node, number, params: tuple) -> None:
        """``node`` is the one of ``params`` of this number."""
        self.of[id(node)] = (node, number, params)
        self.ip.tensors.may_be(node, params)
        self.ip.tensors.changing = True
        self.ip.parameters.loaded[id(node)] = node

    def note_place(self, node, alike, at) -> None:
        """``node`` is the one of ``alike`` at a place that the run finds."""
        params = self.joined(alike)
        numbers = list(map(self.number, alike)) if params else []
        if numbers and all(type(n) is int for n in numbers):
            self.note(node, looked_up(self.ip, numbers, at), params)

    def apart(self, v):
        """What is passed to a recursive function for ``v``: for a parameter that the run chooses, a choice
        among those that are known.
        """
        if id(v) not in self.of:
            return v
        _, number, params = self.of[id(v)]
        order = {self.place(p): i for i, p in enumerate(params)}
        table = [order.get(k, 0) for k in range(max(order) + 1)]
        return UnionValue(params, looked_up(self.ip, table, number))

    def together(self, v):
        """The inverse of `apart`: a node, where ``v`` is a choice among parameters."""
        if type(v) is not UnionValue or not all(isinstance(p, Parameter) for p in v.options):
            return v
        node = of_choice(self.ip, v, self.ip.read)
        self.note_place(node, v.options, v.selector)
        return node

    def forget(self, p: Parameter) -> None:
        """``p`` is written: what may be it is to be read anew, and so are rows that were made of it."""
        if any(p is v for _, _, rows in self.ip.flow.snapshots.values() for v in _sources(rows)):
            self.expect_known()
        for key, (_, _, params) in self.of.items():
            if any(p is q for q in params):
                self.ip.parameters.loaded.pop(key, None)

    def each(self, v, use):
        """``use(p)`` of the parameter that ``v`` is."""
        _, number, params = self.of[id(v)]
        choice = UnionValue(params, number)
        return of_choice(self.ip, choice, use, list(map(self.place, params)))

    def read(self, v):
        """What the parameter holds; one load serves until something may have written it."""
        loaded = self.ip.parameters.loaded
        node = loaded.get(id(v))
        if node is None:
            node = loaded[id(v)] = self.each(v, self.ip.read)
        if node is not v:
            self.ip.tensors.views.contents[id(node)] = (node, v)
        return node


def _sources(rows) -> list:
    """The tensors that are rows."""
    return [v for alike in rows.alike or () for v in alike]
