"""Linearisation for a device that has memory of its own: a value is copied to the other side where
it is first needed there, and from then on it is on both.

A word of the host that a kernel of the device reads is passed by value, if the device's kernels take
such; else a constant is part of the program, and another word is uploaded.
"""

from __future__ import annotations

from ..ir.abstract import AbstractFunction, AbstractRef, AbstractScalar
from ..ir.node import Apply, Graph, Node
from ..ir.sizes import open_
from ..ops.define import ATTR
from ..ops.unbacked import resized
from .dynamic_regions import DYNAMIC_REGION
from .format import COPY, DOWNLOAD, LOAD, UPLOAD
from .linearize import (
    CONST,
    FUNCTION,
    PARAM,
    REF,
    RESULT,
    SIZED,
    TEMP,
    TENSOR,
    WORD,
    Linearizer,
    Storage,
)
from .place import by_type
from .select import is_word, leaves, size_of


class PlacedLinearizer(Linearizer):
    """Linearises one graph for a device."""

    def __init__(self, program, graph: Graph):
        super().__init__(program, graph)
        self.placement = program.placement
        # The copies that were made: by storage, and whether as a word.
        self.copies: dict[tuple, tuple] = {}

    def fresh(self, a, origin: str, host: bool | None = None) -> tuple:
        """A new value of type ``a``, on the host or on the device; as its type says if that is not
        told.
        """
        if isinstance(a, AbstractFunction):
            return super().fresh(a, origin)
        host = type(a) is AbstractScalar if host is None else host
        t = self.tables.type(a, not host)
        if isinstance(a, AbstractRef):
            return Storage(REF, origin, size_of(a.value)), self.tables.type(a, True)
        if open_(a):
            s = Storage(SIZED, origin)
        elif host and is_word(a):
            return Storage(WORD, origin), t
        else:
            s = Storage(TENSOR, origin, size_of(a))
        s.host = host
        return s, t

    def constant(self, value, a) -> list:
        """See `Linearizer`."""
        return [
            (s, self.tables.type(self.tables.type_list[t], s.kind == TENSOR))
            for s, t in super().constant(value, a)
        ]

    # ---- from one side to the other

    def to_host(self, value: tuple, n: Apply) -> tuple:
        """``value`` where the host can read it: a word if its type can be one."""
        s, t = value
        a = self.tables.type_list[t]
        if s.kind in (WORD, FUNCTION, REF) or s.host:
            return value
        key = s, not open_(a) and is_word(a)
        if key not in self.copies:
            found = self.copies[key] = self.fresh(a, _origin(s), True)
            self.emit(DOWNLOAD, n, [value], [found], type=found[1])
        return self.copies[key][0], self.tables.type(a, False)

    def to_device(self, value: tuple, n: Apply) -> tuple:
        """``value`` in the device's memory."""
        s, t = value
        if s.kind in (FUNCTION, REF) or s.kind != WORD and not s.host:
            return value
        a = self.tables.type_list[t]
        # The bits of a constant may be numbers of several types.
        key = s, a.dtype if s.origin == CONST else None
        if key not in self.copies:
            if s.origin == CONST:
                number = self.tables.constant(self.tables.number_tensor(s.const, t))
                made = Storage(TENSOR, CONST, a.dtype.itemsize, number)
                self.copies[key] = made, self.tables.type(a, True)
            else:
                found = self.copies[key] = self.fresh(a, _origin(s), False)
                self.emit(UPLOAD, n, [value], [found], type=found[1])
        return self.copies[key][0], self.tables.type(a, True)

    def moved(self, values: list, hosts: list, n: Apply) -> list:
        """``values``, each on the host or on the device."""
        return [
            self.to_host(v, n) if host else self.to_device(v, n)
            for v, host in zip(values, hosts, strict=True)
        ]

    # ---- where graphs meet

    def parameter(self, p: Node, at: int) -> list:
        """See `Linearizer`."""
        hosts = self.placement.params[self.graph][at:]
        return [self.fresh(a, PARAM, host) for a, host in zip(leaves(p.abstract), hosts)]

    def results(self) -> list:
        """See `Linearizer`."""
        hosts = self.placement.results[self.graph]
        return self.moved(super().results(), hosts, self.graph.ret)

    def returned(self, n: Apply, known) -> list:
        """See `Linearizer`."""
        hosts = by_type(n.abstract)
        if known is not None:
            hosts = self.placement.results[known[1][0][0]]
        return [
            self.fresh(a, RESULT, host) for a, host in zip(leaves(n.abstract), hosts, strict=True)
        ]

    def passed(self, args: list, n: Apply, graph: Graph | None, nodes=()) -> list:
        """See `Linearizer`."""
        if graph is not None:
            return self.moved(args, self.placement.params[graph][: len(args)], n)
        return self.moved(args, [h for v in nodes for h in by_type(v.abstract)], n)

    def condition(self, cond: Node, n: Apply) -> list:
        """See `Linearizer`."""
        return [self.to_host(v, n) for v in self.flatten(cond)]

    # ---- applies

    def op(self, n: Apply) -> list:
        """See `Linearizer`."""
        op, results = n.fn, leaves(n.abstract)
        ins = [
            v for a, k in zip(n.args, op.kinds, strict=True) if k != ATTR for v in self.flatten(a)
        ]
        if op.kernel == "view" or (op.kernel == "cast" and self._same(ins[0], results[0])):
            return [self.view(n, ins[0], results[0])]
        if op is resized and ins[0][0].kind == SIZED and open_(results[0]):
            return [(ins[0][0], self.tables.type(results[0], not ins[0][0].host))]
        if op is DYNAMIC_REGION:
            outs = [self.fresh(a, TEMP) for a in results]
            self.call_host(n, self.passed(ins, n, None, n.args[:1]), outs)
        elif self.placement.is_pythons(op, self._seen(ins)[0], results):
            outs = [self.fresh(a, TEMP, True) for a in results]
            self.call_host(n, [self.to_host(v, n) for v in ins], outs)
        elif self.placement.computes_on_host(n, *self._seen(ins)):
            outs = [self.fresh(a, TEMP, True) for a in results]
            self.launch(n, [self.to_host(v, n) for v in ins], outs)
        else:
            outs = [self.fresh(a, TEMP, False) for a in results]
            immediates = self.placement.traits["immediates"]
            # A library that exchanges data with others wants it in memory.
            by_value = immediates and not op.has_effect
            at = [v[0].kind == WORD and by_value for v in ins]
            self.launch(n, self.moved(ins, at, n), outs)
        return [
            self.to_host(v, n) if type(a) is AbstractScalar else v for v, a in zip(outs, results)
        ]

    def _seen(self, ins: list) -> tuple[list, list]:
        return [self.tables.type_list[t] for _, t in ins], [s.kind == WORD for s, _ in ins]

    def view(self, n: Apply, value: tuple, a) -> tuple:
        """See `Linearizer`."""
        s, _ = value
        if s.kind == WORD and not is_word(a):
            s = self.to_device(value, n)[0]
        elif s.host and s.kind == TENSOR and is_word(a):
            out = self.fresh(a, TEMP, True)
            self.emit(COPY, n, [value], [out], type=out[1])
            return out
        found = s, self.tables.type(a, s.kind != WORD and not s.host)
        return self.to_host(found, n) if type(a) is AbstractScalar else found

    def load(self, n: Apply) -> list:
        """See `Linearizer`."""
        ref = self.flatten(n.args[0])[0]
        out = self.fresh(n.abstract, RESULT, False)
        self._touch(ref[0])
        self.emit(LOAD, n, [ref], [out], type=ref[1])
        return [self.to_host(out, n) if type(n.abstract) is AbstractScalar else out]

    def written(self, value: tuple, n: Apply) -> tuple:
        """See `Linearizer`."""
        return self.to_device(value, n)


def _origin(s: Storage) -> str:
    """Where the copy of a storage comes from: one that carries its shape arrives in a slot."""
    return RESULT if s.kind == SIZED else TEMP
