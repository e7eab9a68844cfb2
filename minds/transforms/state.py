"""The lists, dicts, attributes and tensors of outside that a differentiated function changes, and
parameters by which a function around it is differentiated: its graph returns what they hold in the
end, and they hold that behind its call.
"""

from __future__ import annotations

from ..base.errors import ParseError, complain
from ..frontend.structure import parts
from ..frontend.value_types import LOCAL, Box, Same
from ..frontend.values import flatten, leaf_abstracts, unflatten
from ..ir.node import Node


class State:
    """What changes from now on.

    Attributes:
        changed: the lists, dicts and tensors that are older, and changed; of parameters what stands for
            them.
    """

    def __init__(self, ip):
        self.ip, self.changed, self._forms = ip, [], []
        self._start, self._graphs = ip.store.version(), len(ip.graphs)
        self._young: set = set()

    def collect(self, value, leaves: list) -> list:
        """Note what changed, where the function has returned ``value``: the run-time values that it
        holds are added to ``leaves``, their types returned.

        Raises:
            ParseError: a list or dict that the function has made has two names outside.
        """
        ip, start = self.ip, self._start
        found = ip.store.changed(start, ip.store.version()).values()
        older = [c for c in found if isinstance(c, LOCAL) and c.born < start.ended]
        stand_ins = set(map(id, ip.parameters.stand_ins.values()))
        inside = {ip.builder.graph, *ip.graphs[self._graphs :]}
        self.changed += [
            c
            for c in older
            if type(c) is not Box
            or id(c.of) in stand_ins
            or isinstance(c.of, Node)
            and c.of.graph not in inside
        ]
        if self.changed:
            self._form(value, [])
        types: list = []
        for c in self.changed:
            p = parts(c)
            form = p.remake([self._form(v, leaves) for v in p.items])
            self._forms.append(form)
            leaf_abstracts(form, types)
        return types

    def _form(self, v, leaves: list):
        """The skeleton of a value: what is older is itself."""
        if isinstance(v, LOCAL):
            if v.born < self._start.ended:
                return Same(v)
            if id(v) in self._young:
                what = (
                    "a list or dict made in a function that is differentiated has two names outside"
                )
                raise complain(ParseError, what, cure="copy it for one of them")
            self._young.add(id(v))
        p, before = parts(v), len(leaves)
        if p is None:
            return flatten(v, leaves)
        items = [self._form(e, leaves) for e in p.items]
        return v if len(leaves) == before and not isinstance(v, LOCAL) else p.remake(items)

    def hand_over(self, leaves) -> None:
        """They hold what the call has found: ``leaves`` gives its nodes."""
        for c, form in zip(self.changed, self._forms):
            self.ip.store.set(c, unflatten(form, leaves))


__all__ = ["State"]
