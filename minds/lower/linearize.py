"""Linearisation: a graph becomes a list of instructions on storages, in program order.

A *storage* is where a value lives; a view is another type for the same storage. A value is a pair
(storage, type number), and a node is a flat list of values: tuples cost nothing. A switch or
partial that is only called never becomes a function value: the call names its targets. A call whose
results are the function's results, with nothing after it, is a tail call.
"""

from __future__ import annotations

from ..base.errors import complain
from ..ir import prim, walk
from ..ir.abstract import AbstractFunction, AbstractRef, AbstractScalar
from ..ir.node import Apply, Constant, Graph, Node
from ..ir.sizes import open_
from ..ops.define import ATTR, Op
from ..ops.unbacked import resized
from .callees import callee
from .format import (
    ASSIGN,
    CALL,
    CALL_VALUE,
    CLOSURE,
    COPY,
    HOST,
    LOAD,
    PARTIAL,
    RETURN,
    RUN,
    SCALAR,
    SELECT,
    SWITCH,
    SWITCH_TAIL,
    TAIL,
    TAIL_VALUE,
)
from .select import Tables, is_word, item_range, leaves, scalar_instruction, size_of, word_bits

_TAILS = {CALL: TAIL, SWITCH: SWITCH_TAIL, CALL_VALUE: TAIL_VALUE}

WORD, TENSOR, FUNCTION, REF, SIZED = "word", "tensor", "function", "ref", "sized"
# Where a storage's value comes from.
PARAM, CONST, TEMP, RESULT = "param", "const", "temp", "result"


class Storage:
    """A word, a tensor's bytes, a function value, a reference, or a tensor whose shape the run
    finds.

    Attributes:
        kind, origin: see above; RESULT arrives in a slot (of a call, a load, a closure), TEMP is
            written by an instruction.
        bytes: of a tensor.
        const: bits of a word, number of a constant or of a function.
        owned: it may outlive the frame or be kept, so it must not be in the arena.
        keeps: of a parameter: the callee may keep it.
        host: a tensor in the host's memory, in a program for a device that has its own.
        start, end: the instructions that define it and read it last; end is -1 while nothing reads
            it.
        slot: index among words or objects, or the arena's offset in units.
        block: its arena block, where it is in the arena.
    """

    __slots__ = (
        "kind",
        "origin",
        "bytes",
        "const",
        "owned",
        "keeps",
        "host",
        "start",
        "end",
        "slot",
        "block",
    )

    def __init__(self, kind: str, origin: str, nbytes: int = 0, const: int = 0):
        self.kind, self.origin, self.bytes, self.const = kind, origin, nbytes, const
        self.owned = self.keeps = self.host = False
        self.start, self.end, self.slot, self.block = -1, -1, -1, None

    @property
    def in_slot(self) -> bool:
        """Whether it occupies an object slot that must be emptied when it dies."""
        return (
            self.kind in (TENSOR, FUNCTION, SIZED) and self.origin != CONST and self.block is None
        )


class Instr:
    """One instruction. ``ins`` and ``outs`` are values; ``target`` numbers a kernel, function or
    callback.

    ``sides`` holds the arguments of the two targets of a switch, ``donors`` per result the operand
    whose buffer it may take (or -1), ``into`` per result the reference it is written into (or
    None), ``drops`` per side what dies before a call, ``lane`` where a device runs it (`lanes.py`).
    """

    __slots__ = (
        "op",
        "target",
        "ins",
        "outs",
        "sides",
        "donors",
        "into",
        "drops",
        "moves",
        "keep",
        "node",
        "type",
        "lane",
    )

    def __init__(self, op: int, node, ins=(), outs=(), target=0, sides=None, type=0):
        self.op, self.node, self.ins, self.outs, self.target = op, node, ins, outs, target
        self.sides, self.type = sides, type
        self.donors = self.into = self.drops = self.moves = None
        self.keep = self.lane = 0

    def reads(self):
        """Every value it reads, in the order of its operands."""
        if self.sides is None:
            return self.ins
        return (*self.ins, *self.sides[0][1], *self.sides[1][1])


class Function:
    """A graph as instructions. ``params`` and ``results`` are values."""

    __slots__ = (
        "graph",
        "name",
        "params",
        "results",
        "code",
        "words",
        "objects",
        "constants",
        "arena",
    )

    def __init__(self, graph: Graph):
        self.graph, self.name = graph, graph.name
        self.params, self.results, self.code = [], [], []
        self.words = self.objects = self.arena = 0
        self.constants: list[int] = []


class LinearIR:
    """A program as instructions: all its functions, the root first, and its tables.

    ``linearizer`` makes the instructions of one graph; ``placement`` says where values are,
    None where all memory is the host's; ``tf32`` is that of the options.
    """

    def __init__(self, root: Graph, linearizer=None, placement=None, tf32: tuple[str, ...] = ()):
        walk.mark_effects(root)
        self.tables, self.placement = Tables(tf32), placement
        self.number: dict[Graph, int] = {}
        self.graphs: list[Graph] = []
        self.functions: list[Function] = []
        self.function(root)
        while len(self.functions) < len(self.graphs):
            graph = self.graphs[len(self.functions)]
            self.functions.append((linearizer or Linearizer)(self, graph).run())

    def function(self, graph: Graph) -> int:
        """The number of the function for ``graph``, which joins the queue."""
        found = self.number.get(graph)
        if found is None:
            found = self.number[graph] = len(self.graphs)
            self.graphs.append(graph)
        return found

    def keep_used_kernels(self) -> None:
        """Forget the kernels that no instruction runs."""
        runs = [i for f in self.functions for i in f.code if i.op == RUN]
        renumbered = self.tables.keep_kernels(list(dict.fromkeys(i.target for i in runs)))
        for i in runs:
            i.target = renumbered[i.target]


class Linearizer:
    """Linearises one graph for a device whose memory is the host's."""

    def __init__(self, program: LinearIR, graph: Graph):
        self.program, self.tables, self.graph = program, program.tables, graph
        self.f = Function(graph)
        self.values: dict[Node, list] = {}
        self.words: dict[int, Storage] = {}  # constants by their bits
        self.consts: dict[int, Storage] = {}  # tensor constants by number
        # The last instruction that uses a reference (None: may use any of them).
        self.barrier: dict[Storage | None, int] = {}
        # Which kernel makes a temporary: the instruction, its index, the number of the result.
        self.defined: dict[Storage, tuple[Instr, int, int]] = {}

    def run(self) -> Function:
        f, graph = self.f, self.graph
        for p in graph.params:
            self.values[p] = self.parameter(p, len(f.params))
            f.params += self.values[p]
        alive = _alive(graph)
        for n in graph:
            if n in alive:
                self.apply(n)
        f.results = self.results()
        self.finish()
        return f

    # ---- what another device does otherwise

    def parameter(self, p: Node, at: int) -> list:
        """The values of a parameter of the graph, which is the function's from number ``at`` on."""
        return [self.fresh(a, PARAM) for a in leaves(p.abstract)]

    def results(self) -> list:
        """What the function returns."""
        return self.flatten(self.graph.output)

    def returned(self, n: Apply, known) -> list:
        """New values for what a call returns; ``known`` as `callee` gives it."""
        return [self.fresh(a, RESULT) for a in leaves(n.abstract)]

    def passed(self, args: list, n: Apply, graph: Graph | None, nodes=()) -> list:
        """``args`` as ``graph`` takes them; None: as function values take ``nodes``."""
        return args

    def written(self, value: tuple, n: Apply) -> tuple:
        """``value`` as a parameter holds it."""
        return value

    def condition(self, cond: Node, n: Apply) -> list:
        """A condition as the host reads it."""
        return self.flatten(cond)

    def emit(self, op, node, ins=(), outs=(), target=0, sides=None, type=0) -> Instr:
        i = Instr(op, node, ins, outs, target, sides, type)
        self.f.code.append(i)
        return i

    def fresh(self, a, origin: str) -> tuple:
        """A new value of type ``a``."""
        t = self.tables.type(a)
        if isinstance(a, AbstractFunction):
            return Storage(FUNCTION, origin), t
        if isinstance(a, AbstractRef):
            assert origin == PARAM, "a reference is computed"
            return Storage(REF, origin, size_of(a.value)), t
        if open_(a):
            return Storage(SIZED, origin), t
        return (Storage(WORD, origin) if is_word(a) else Storage(TENSOR, origin, size_of(a))), t

    # ---- values

    def flatten(self, n: Node) -> list:
        """The values of a node."""
        found = self.values.get(n)
        if found is None:
            if type(n) is Constant:
                return self.constant(n.value, n.abstract)
            assert type(n) is Apply and n.fn in (prim.partial, prim.switch), (
                f"{n!r} in {self.graph!r}: a free variable or out of order"
            )
            found = self.values[n] = [self.function_value(n)]
        return found

    def constant(self, value, a) -> list:
        if value is None:
            return []
        if isinstance(value, (tuple, list)):
            return [
                v for item, b in zip(value, a.items, strict=True) for v in self.constant(item, b)
            ]
        if isinstance(value, Graph):
            return [
                (Storage(FUNCTION, CONST, const=self.program.function(value)), self.tables.type(a))
            ]
        t = self.tables.type(a)
        if is_word(a):
            bits = word_bits(value, a.dtype)
            found = self.words.get(bits)
            if found is None:
                found = self.words[bits] = Storage(WORD, CONST, const=bits)
            return [(found, t)]
        number = self.tables.constant(value)
        found = self.consts.get(number)
        if found is None:
            found = self.consts[number] = Storage(TENSOR, CONST, size_of(a), number)
        return [(found, t)]

    def function_value(self, n: Apply) -> tuple:
        """A partial or a switch as a value."""
        known = callee(n)
        out = self.fresh(n.abstract, RESULT)
        if known is not None and known[0] is None:
            graph, first = known[1][0]
            args = self.passed(self.arguments(first), n, graph)
            if not args:
                return self.constant(graph, n.abstract)[0]
            self.emit(CLOSURE, n, args, [out], self.program.function(graph))
        elif n.fn is prim.partial:
            args = self.passed(self.arguments(n.args[1:]), n, None, n.args[1:])
            self.emit(PARTIAL, n, [*self.flatten(n.args[0]), *args], [out])
        else:
            ins = [*self.condition(n.args[0], n), *self.arguments(n.args[1:])]
            self.emit(SELECT, n, ins, [out])
        return out

    def arguments(self, nodes) -> list:
        return [v for n in nodes for v in self.flatten(n)]

    # ---- applies

    def apply(self, n: Apply) -> None:
        fn = n.fn
        if isinstance(fn, Op):
            self.values[n] = self.op(n)
        elif fn is prim.make_tuple:
            self.values[n] = self.arguments(n.args)
        elif fn is prim.tuple_getitem:
            start, end = item_range(n.args[0].abstract, n.args[1].value)
            self.values[n] = self.flatten(n.args[0])[start:end]
        elif fn is prim.partial or fn is prim.switch:
            pass  # becomes a value only if something needs it
        elif fn is prim.load:
            self.values[n] = self.load(n)
        elif fn is prim.assign:
            self.values[n] = self.assign(n)
        elif isinstance(fn, (Graph, Node)):
            self.values[n] = self.call(n)
        else:
            raise complain(TypeError, f"{fn.name}: cannot be lowered", loc=n.loc)

    def op(self, n: Apply) -> list:
        op = n.fn
        ins = [
            v for a, k in zip(n.args, op.kinds, strict=True) if k != ATTR for v in self.flatten(a)
        ]
        results = leaves(n.abstract)
        if op.kernel == "view" or (op.kernel == "cast" and self._same(ins[0], results[0])):
            return [self.view(n, ins[0], results[0])]
        if op is resized and ins[0][0].kind == SIZED and open_(results[0]):
            return [(ins[0][0], self.tables.type(results[0]))]  # it carries its shape
        outs = [self.fresh(a, TEMP) for a in results]
        if op.host is not None:
            self.call_host(n, ins, outs)
        else:
            self.launch(n, ins, outs)
        return outs

    def call_host(self, n: Apply, ins: list, outs: list) -> None:
        """The op's kernel is a Python function."""
        self.emit(HOST, n, ins, outs, self.tables.callback(n))
        self._fence()

    def launch(self, n: Apply, ins: list, outs: list) -> None:
        """The instruction on words, or the kernel, that does what the op does."""
        op = n.fn
        # A gradient at a place where a function has none is inf or NaN, as in tensors: it is no
        # error.
        number = isinstance(n.abstract, AbstractScalar) and not (
            n.loc is not None and n.loc.backward
        )
        if self._on_words(n, ins, outs, number):
            return
        params = [
            a.value if type(a) is Constant and (k == ATTR or a.value is None) else a
            for a, k in zip(n.args, op.kinds, strict=True)
        ]
        kernel = self.tables.kernel(
            op, params, [t for _, t in ins], [t for _, t in outs], number, n.loc
        )
        i = self.emit(RUN, n, ins, outs, kernel)
        i.donors, i.into = self._donors(op, n, ins, outs), [None] * len(outs)
        for k, (s, _) in enumerate(outs):
            self.defined[s] = (i, len(self.f.code) - 1, k)

    def _on_words(self, n: Apply, ins: list, outs: list, number: bool) -> bool:
        """Emit the instruction on words that does what the op does; whether there is one."""
        for s, _ in outs + ins:
            if s.kind != WORD:
                return False
        types = [self.tables.type_list[t] for _, t in ins]
        results = [self.tables.type_list[t] for _, t in outs]
        instruction = scalar_instruction(n.fn, types, results, number)
        if instruction is not None:
            self.emit(SCALAR, n, ins, outs, instruction)
        return instruction is not None

    def _same(self, value: tuple, a) -> bool:
        """Whether a cast of ``value`` to type ``a`` changes nothing but, perhaps, the shape."""
        b = self.tables.type_list[value[1]]
        return a.dtype is b.dtype and size_of(a) == size_of(b)

    def view(self, n: Apply, value: tuple, a) -> tuple:
        """``value`` as type ``a``; a copy only where a word becomes memory or the reverse."""
        s, _ = value
        if (s.kind == WORD) == is_word(a):
            return s, self.tables.type(a)
        out = self.fresh(a, TEMP)
        self.emit(COPY, n, [value], [out], type=out[1])
        return out

    @staticmethod
    def _donors(op: Op, n: Apply, ins: list, outs: list) -> list[list[int]]:
        """Per result the operands whose buffer it may take, by the op's declaration."""
        if not op.inplace:
            return [[] for _ in outs]
        at, k = {}, 0
        for name, kind, a in zip(op.names, op.kinds, n.args, strict=True):
            if kind != ATTR:
                at[name] = k
                k += len(leaves(a.abstract)) if a.abstract is not None else 0
        declared = list(op.inplace.values())
        found = [[at[name] for name in d.split() if name in at] for d in declared]
        return [
            [k for k in f if ins[k][0].bytes == s.bytes and s.kind == TENSOR == ins[k][0].kind]
            for f, (s, _) in zip(found, outs, strict=False)
        ] + [[] for _ in outs[len(found) :]]

    # ---- parameters

    def _key(self, ref: Storage):
        """References that may be the same: at the root all differ, elsewhere any two may be one."""
        return ref if self.f.graph is self.program.graphs[0] else None

    def _touch(self, ref: Storage) -> None:
        self.barrier[self._key(ref)] = len(self.f.code)

    def _fence(self) -> None:
        """The instruction just emitted may use any reference."""
        self.barrier[None] = len(self.f.code) - 1

    def load(self, n: Apply) -> list:
        ref = self.flatten(n.args[0])[0]
        a = n.abstract
        out = self.fresh(a, RESULT)
        self._touch(ref[0])
        self.emit(LOAD, n, [ref], [out], type=ref[1])
        return [out]

    def assign(self, n: Apply) -> list:
        """Write a parameter: its kernel does, if that may write in place and nothing is between."""
        ref, value = self.flatten(n.args[0])[0], self.written(self.flatten(n.args[1])[0], n)
        s = value[0]
        since = max(self.barrier.get(self._key(ref[0]), -1), self.barrier.get(None, -1))
        made = self.defined.get(s)
        if (
            made is not None
            and made[1] > since
            and s.kind == TENSOR
            and made[0].node.fn.inplace
            and made[0].into[made[2]] is None
        ):
            made[0].into[made[2]] = ref
            self.barrier[self._key(ref[0])] = len(self.f.code) - 1
        else:
            self._touch(ref[0])
            self.emit(ASSIGN, n, [ref, value], type=ref[1])
        return [value]

    # ---- calls

    def call(self, n: Apply) -> list:
        known = callee(n.fn)
        outs = self.returned(n, known)
        if known is None:
            args = self.passed(self.arguments(n.args), n, None, n.args)
            self.emit(CALL_VALUE, n, [*self.flatten(n.fn), *args], outs)
        else:
            cond, sides = known
            rest = self.arguments(n.args)
            made = [
                (self.program.function(g), self.passed([*self.arguments(first), *rest], n, g))
                for g, first in sides
            ]
            if cond is None:
                self.emit(CALL, n, made[0][1], outs, made[0][0])
            else:
                self.emit(SWITCH, n, self.condition(cond, n), outs, sides=made)
        if walk.effectful(n):
            self._fence()
        return outs

    def finish(self) -> None:
        """The last instruction returns; a call just before it that makes all results becomes a tail
        call.
        """
        f = self.f
        self._alias_direct()
        last = f.code[-1] if f.code else None
        if last is not None and last.op in _TAILS and f.results and last.outs == f.results:
            last.op, last.outs = _TAILS[last.op], ()
        else:
            self.emit(RETURN, self.graph.ret, f.results)

    def _alias_direct(self) -> None:
        """A value that its kernel writes into a parameter is read from there: a load follows the
        kernel.
        """
        f = self.f
        direct = [i for i in f.code if i.into is not None and any(i.into)]
        if not direct:
            return
        read = {s for i in f.code for s, _ in i.reads()} | {s for s, _ in f.results}
        code = []
        for i in f.code:
            code.append(i)
            if i.into is not None and any(i.into):
                for k, ref in enumerate(i.into):
                    s, t = i.outs[k]
                    if ref is not None and s in read:
                        i.outs = [
                            *i.outs[:k],
                            (Storage(TENSOR, TEMP, s.bytes), t),
                            *i.outs[k + 1 :],
                        ]
                        s.origin = RESULT
                        code.append(Instr(LOAD, i.node, [ref], [(s, t)], type=ref[1]))
        f.code = code


def _alive(graph: Graph) -> set[Node]:
    """The applies that have an effect or that one of them, or the result, needs."""
    needed: set[Node] = {graph.output}
    for n in graph.reversed():
        if n in needed or walk.effectful(n):
            needed.add(n)
            needed.update(n.operands)
    return needed


def describe(i: Instr) -> tuple:
    """What errors say of an instruction: location, op's name, (name, abstract value) of operands;
    no node.
    """
    n = i.node
    if not isinstance(n.fn, Op):
        return n.loc, None, ()
    op = n.fn
    return n.loc, op.name, tuple((op.names[k], n.args[k].abstract) for k in op.tensor_at)
