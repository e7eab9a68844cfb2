"""Placement: which values of a program are words of the host, and which live on the device.

For a device that has memory of its own. A number of Python is the host's, as is what the host computes
from its words alone; everything else is the device's, rank 0 included: a loss need not wait for the
device. What a graph takes and gives is decided here, for all its callers at once; inside, a value
moves where it is first needed on the other side (`placed.py`).

The host's side is assumed and taken back where a caller passes, or a callee returns, a value of the
device: a fixpoint, so a counter stays with the host through loops and recursion. Graphs that become
function values take and give what their types say, as their callers know no more.
"""

from __future__ import annotations

from ..ir import prim, walk
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ir.node import Apply, Constant, Graph
from ..ir.sizes import open_
from ..ops.define import ATTR, Op
from .callees import callee
from .kernels import has_kernel, has_own_kernel, is_the_hosts, selecting
from .select import is_word, item_range, leaves, scalar_instruction


class Placement:
    """Where the values of a program are.

    Attributes:
        device (str), traits (dict): the device, and what it says of itself.
        params, results: per graph a list that tells, of each flat value, whether it is the host's.
        on_host (set): the applies that the host computes though operands are the device's.
    """

    def __init__(self, device: str, traits: dict, root: Graph, graphs: list[Graph], on_host: set):
        self.device, self.traits, self.on_host = device, traits, on_host
        self.params = {g: [h for p in g.params for h in _assumed(p.abstract)] for g in graphs}
        self.results = {g: _assumed(g.output.abstract) for g in graphs}
        self._work = dict.fromkeys(graphs)
        self._callers: dict[Graph, dict[Graph, None]] = {g: {} for g in graphs}
        for g in (root, *_function_values(graphs)):
            self.params[g] = [h for p in g.params for h in by_type(p.abstract)]
            self.results[g] = by_type(g.output.abstract)
        while self._work:
            g = next(iter(self._work))
            del self._work[g]
            self._visit(g)

    def computes_on_host(self, n: Apply, ins: list, hosts: list) -> bool:
        """Whether the host computes an op: one that changes its state; else one on words, if all are
        the host's or the result is a number of Python.

        Args:
            n (Apply): the application.
            ins, hosts (list): types of its operands, and whether each is the host's.
        """
        outs = leaves(n.abstract)
        if n in self.on_host or is_the_hosts(n.fn, self.device, selecting(ins, outs)):
            return True
        if n.fn.has_effect:
            return not outs  # what only sends: a program's kernels on a device give something
        if not all(map(is_assumed, (*ins, *outs))):
            return False
        if not (all(hosts) or all(type(a) is AbstractScalar for a in outs)):
            return False
        if scalar_instruction(n.fn, ins, outs) is not None:
            return True
        first = selecting(ins, outs)
        return has_kernel(n.fn.kernel, "cpu", first)

    def is_pythons(self, op: Op, ins: list, outs: list) -> bool:
        """Whether an op is computed by its Python function: if it has one, and the device no kernel for what
        it takes; a kernel wants to know the sizes.
        """
        if op.host is None:
            return False
        known = not any(map(open_, (*ins, *outs)))
        return not (known and has_own_kernel(op, self.device, selecting(ins, outs)))

    # ---- the fixpoint

    def _visit(self, g: Graph) -> None:
        at, given = {}, iter(self.params[g])
        for p in g.params:
            at[p] = [next(given) for _ in leaves(p.abstract)]
        for n in g:
            at[n] = self._apply(n, at, g)
        self._lower(g, self.results, _of(g.output, at))
        known = callee(g.output.fn) if _calls(g.output) else None
        for h, _ in known[1] if known is not None else ():
            self._lower(h, self.results, self.results[g])  # so that it stays a tail call

    def _apply(self, n: Apply, at: dict, g: Graph) -> list[bool]:
        fn = n.fn
        if isinstance(fn, Op):
            return self._op(n, at)
        if fn is prim.make_tuple:
            return [h for a in n.args for h in _of(a, at)]
        if fn is prim.tuple_getitem:
            start, end = item_range(n.args[0].abstract, n.args[1].value)
            return _of(n.args[0], at)[start:end]
        if not walk.is_call(n):
            return by_type(n.abstract)  # a load, an assignment, a function value
        known = callee(fn)
        if known is None:
            return by_type(n.abstract)
        rest = [h for a in n.args for h in _of(a, at)]
        for h, first in known[1]:
            self._callers[h][g] = None
            self._lower(h, self.params, [b for a in first for b in _of(a, at)] + rest)
        for h, _ in known[1]:  # the sides of a switch give the same
            self._lower(h, self.results, self.results[known[1][0][0]])
            self._lower(known[1][0][0], self.results, self.results[h])
        return self.results[known[1][0][0]]

    def _op(self, n: Apply, at: dict) -> list[bool]:
        outs = leaves(n.abstract)
        operands = [a for a, k in zip(n.args, n.fn.kinds, strict=True) if k != ATTR]
        ins = [a for v in operands for a in leaves(v.abstract)]
        if self.is_pythons(n.fn, ins, outs):
            return list(map(is_assumed, outs))
        hosts = [h for v in operands for h in _of(v, at)]
        if n.fn.kernel == "view":
            return [type(a) is AbstractScalar or is_assumed(a) and hosts[0] for a in outs]
        if self.computes_on_host(n, ins, hosts):
            return list(map(is_assumed, outs))
        return by_type(n.abstract)

    def _lower(self, g: Graph, table: dict, given: list[bool]) -> None:
        """Take back what is assumed of ``g`` in ``table`` where ``given`` is the device's."""
        before = table[g]
        table[g] = [a and b for a, b in zip(before, given, strict=True)]
        if table[g] != before:
            self._work[g] = None
            if table is self.results:
                self._work.update(self._callers[g])


def is_assumed(a) -> bool:
    """Whether a value of type ``a`` can be a word of the host."""
    return isinstance(a, (AbstractTensor, AbstractScalar)) and not open_(a) and is_word(a)


def by_type(a) -> list[bool]:
    """Whether each flat value of type ``a`` is the host's, where no more is known than its type."""
    return [type(leaf) is AbstractScalar for leaf in leaves(a)]


def _assumed(a) -> list[bool]:
    return list(map(is_assumed, leaves(a)))


def _of(n, at: dict) -> list[bool]:
    return _assumed(n.abstract) if type(n) is Constant else at[n]


def _calls(n) -> bool:
    return type(n) is Apply and walk.is_call(n)


def _function_values(graphs: list[Graph]) -> list[Graph]:
    """The graphs that are mentioned elsewhere than as what a call names."""
    found: dict[Graph, None] = {}
    stack = [g.output for g in graphs]
    for g in graphs:
        for n in g:
            if n.fn in (prim.partial, prim.switch):
                stack += n.args[1:] if n.fn is prim.partial else ()
            else:
                stack += n.args
                if walk.is_call(n) and callee(n.fn) is None:
                    stack.append(n.fn)
    seen = set()
    while stack:
        n = stack.pop()
        if type(n) is Constant:
            n = n.value
        if type(n) is Graph:
            found[n] = None
        elif type(n) is tuple:
            stack += n
        elif type(n) is Apply and n.fn in (prim.partial, prim.switch) and n not in seen:
            seen.add(n)
            stack += n.args[:1] if n.fn is prim.partial else n.args[1:]
    return list(found)
