"""Fusion: chains of elementwise kernels become one kernel that computes them tile by tile.

Between the steps of such a kernel values stay in the cache, and a step costs a function call. A
group is open until something else reads one of its values; then it is emitted, just before the
reader. So nothing outside ever depends on an open group: one group per number of elements is
enough, and no cycle can arise. Broadcasts of operands are read through. Each step runs the loop of
the op's own kernel, hence the bits stay what they were.
"""

from __future__ import annotations

from collections import Counter

from ..ops.define import Op
from .format import COPY, FAILING, LEAVING, LOAD, REFUSING, RUN, SCALAR, TILE_VALUES
from .linearize import TENSOR, WORD, Function, Instr, LinearIR, Storage
from .select import size_of

LARGE = 1 << 16
"""Elements from which a kernel updates one parameter: of several it would read too many streams."""


def fuse(program: LinearIR, values: int = TILE_VALUES) -> None:
    """Fuse the elementwise kernels of every function; a kernel holds at most so many ``values``, half
    of them its steps'.
    """
    for f in program.functions:
        _Fusion(program, f, values).run()
    program.keep_used_kernels()


class _FusionGroup:
    """Steps that will be one kernel.

    Attributes:
        shape: what operands are broadcast to.
        ins: the values that it reads; their numbers by storage and, where they are broadcast or
            words, type.
        steps: (instruction, operands): each operand is the number of an input, or a storage that a
            step makes.
        made: the storages that the steps make, with the number of the step.
        refs: the parameters that they write, likewise.
        loads: what reads such a parameter again: to the other steps, the value itself.
    """

    __slots__ = ("shape", "ins", "numbers", "steps", "made", "refs", "loads")

    def __init__(self, shape: tuple):
        self.shape, self.ins, self.numbers, self.steps = shape, [], {}, []
        self.made, self.refs, self.loads = {}, {}, []


class _Fusion:
    """Fuses within one function."""

    def __init__(self, program: LinearIR, f: Function, values: int):
        self.tables, self.f, self.root = program.tables, f, f is program.functions[0]
        self.max_steps, self.max_inputs = values // 2, values - values // 2
        self.code: list[Instr] = []
        self.forms: dict[int, tuple] = {}  # by number of the kernel: `form`, () for none
        self.open: dict[int, _FusionGroup] = {}
        self.group: dict[Storage, _FusionGroup] = {}  # of storages that open groups make
        self.source: dict[
            Storage, tuple
        ] = {}  # of what a broadcast or a copy makes: what it reads, and its shape
        self.readers = Counter(s for i in f.code for s, _ in i.reads())

    def run(self) -> None:
        for i in self.f.code:
            step = self.step(i)
            if step is not None:
                self.join(i, *step)
                continue
            if i.op == LOAD and self.reread(i):
                continue
            for s, _ in i.reads():
                self.close(self.group.get(s))
            # What nothing reads, but `depend` keeps, runs before the end too.
            for g in list(self.open.values()) if i.op in LEAVING else ():
                self.close(g)
            self.note_source(i)
            if not self.passes_writes(i):
                for g in [g for g in self.open.values() if g.refs]:
                    self.close(g)
            self.code.append(i)
        for g in list(self.open.values()):
            self.close(g)
        self.f.code = self.alive()

    def passes_writes(self, i: Instr) -> bool:
        """Whether a write of a parameter may come after ``i``: that can neither fail nor touch the
        parameter. The root's parameters all differ, and `reread` has seen the loads of those that
        are written. Of the instructions on words only the checked ones can fail.
        """
        if i.op == SCALAR:
            return i.target not in FAILING
        return i.outs and i.outs[0][0] in self.source or i.op == LOAD and self.root

    def reread(self, i: Instr) -> bool:
        """Whether ``i`` loads a parameter that an open group has just written; it stays with the
        group then.
        """
        ref, (s, _) = i.ins[0][0], i.outs[0]
        g = next((g for g in self.open.values() if ref in g.refs), None)
        if g is None:
            return False
        g.made[s] = g.refs[ref]
        self.group[s] = g
        g.loads.append(i)
        return True

    # ---- what may be a step

    def step(self, i: Instr):
        """(shape, operands) if ``i`` can be a step: values, with a flag that tells those to be
        broadcast.
        """
        if i.op != RUN or not isinstance(i.node.fn, Op) or not i.node.fn.elementwise:
            return None
        form = self.forms.get(i.target)
        if form is None:
            form = self.forms[i.target] = self.form(i) or ()
        out = i.outs[0][0]
        if not form or out.kind != TENSOR or out.host:
            return None
        shape, size, elements = form
        operands = []
        for value, count in zip(i.ins, elements):
            read = self.original(value)
            operands.append((value, count != size) if read is None else (read, True))
        if all(broadcast for _, broadcast in operands):
            # something must say how many elements there are
            operands[0] = i.ins[0], elements[0] != size
            if operands[0][1]:
                return None
        return shape, size, operands

    def form(self, i: Instr) -> tuple | None:
        """(shape and number of elements of the result, those of the operands) of an instruction
        whose kernel can be a step of types like these.
        """
        if len(i.outs) != 1:
            return None
        a = self.type(i.outs[0][1])
        size = self.elements(i.outs[0][1])
        kinds = {self.type(k).dtype for _, k in i.ins}
        name = self.tables.kernel_list[i.target][0]
        if a.dtype.is_complex or any(d.is_complex for d in kinds) or size == 0:
            return None
        # What fails because of data must do so alone: the message names its line.
        if name in REFUSING and not a.dtype.is_float or name == "cast" and a.dtype in kinds:
            return None
        return a.shape, size, [self.elements(t) for _, t in i.ins]

    def type(self, t: int):
        return self.tables.type_list[t]

    def elements(self, t: int) -> int:
        a = self.type(t)
        return size_of(a) // a.dtype.itemsize

    def note_source(self, i: Instr) -> None:
        """A broadcast's reader, and that of a word's copy in memory, can read the original."""
        if i.op == COPY and i.ins[0][0].kind == WORD:
            self.source[i.outs[0][0]] = i.ins[0], None
        elif i.op == RUN and isinstance(i.node.fn, Op) and i.node.fn.kernel == "broadcast_to":
            read = self.original(i.ins[0]) or i.ins[0]
            self.source[i.outs[0][0]] = read, self.type(i.outs[0][1]).shape

    def original(self, value: tuple) -> tuple | None:
        """What can be read in place of a broadcast or a word's copy; None where the value is neither, or
        has another shape than the broadcast made (a reshape has the storage of its operand), unless all
        its elements are one number.
        """
        found = self.source.get(value[0])
        if found is None:
            return None
        read, made = found
        shape = self.type(value[1]).shape
        if made is None or made == shape:
            return read
        fits = len(self.type(read[1]).shape) <= len(shape)
        return read if fits and self.elements(read[1]) == 1 else None

    def alive(self) -> list[Instr]:
        """The code without the broadcasts and copies that nothing reads any more."""
        code = []
        for i in reversed(self.code):
            if i.outs and i.outs[0][0] in self.source and self.readers[i.outs[0][0]] == 0:
                self.readers[i.ins[0][0]] -= 1
            else:
                code.append(i)
        return code[::-1]

    # ---- groups

    def join(self, i: Instr, shape: tuple, size: int, operands: list) -> None:
        """Make ``i`` a step of the open group for its size."""
        for (s, _), _ in operands:
            g = self.group.get(s)
            if g is not None and g is not self.open.get(size):
                self.close(g)
        g = self.open.get(size)
        if g is not None and (
            not self.fits(g, i, shape, operands) or size >= LARGE and self.strange(g, operands)
        ):
            self.close(g)
            g = None
        if g is None:
            g = self.open[size] = _FusionGroup(shape)
        numbers = []
        for (value, broadcast), old in zip(operands, i.ins, strict=True):
            s = value[0]
            if s is not old[0]:
                self.readers[old[0]] -= 1
                self.readers[s] += 1
            if s in g.made:
                numbers.append(s)
                continue
            # A word may stand for numbers of two types: 0 and 0.0 are the same bits.
            key = (s, value[1] if broadcast or s.kind == WORD else -1)
            if key not in g.numbers:
                g.numbers[key] = len(g.ins)
                g.ins.append(value)
            numbers.append(g.numbers[key])
        g.made[i.outs[0][0]] = len(g.steps)
        self.group[i.outs[0][0]] = g
        g.steps.append((i, numbers))
        if i.into is not None and i.into[0] is not None:
            g.refs[i.into[0][0]] = len(g.steps) - 1

    def fits(self, g: _FusionGroup, i: Instr, shape: tuple, operands: list) -> bool:
        """Whether ``i`` can join: there is room, and what it broadcasts is broadcast to the group's
        shape.
        """
        if len(g.steps) >= self.max_steps or len(g.ins) + len(operands) > self.max_inputs:
            return False
        if i.into is not None and i.into[0] is not None and i.into[0][0] in g.refs:
            return False
        return shape == g.shape or all(
            not broadcast
            or self.elements(value[1]) == 1
            and len(self.type(value[1]).shape) <= len(g.shape)
            for value, broadcast in operands
        )

    def strange(self, g: _FusionGroup, operands: list) -> bool:
        """Whether a step has nothing to do with ``g``, which updates parameters: it is of another
        parameter then.
        """
        known = {s for s, _ in g.ins if s.kind == TENSOR}
        return bool(g.refs) and not any(s in g.made or s in known for (s, _), _ in operands)

    def close(self, g: _FusionGroup | None) -> None:
        """Emit a group."""
        if g is None:
            return
        size = self.elements(g.steps[0][0].outs[0][1])
        del self.open[size]
        for s in g.made:
            del self.group[s]
        inside = Counter(x for _, xs in g.steps for x in xs if isinstance(x, Storage))
        self.code.append(self.alone(g) if len(g.steps) == 1 else self.kernel(g, inside))
        for i in g.loads:
            s = i.outs[0][0]
            self.readers[s] -= inside[s]
            if self.readers[s]:
                self.code.append(i)

    def alone(self, g: _FusionGroup) -> Instr:
        """The only step of ``g``, reading through broadcasts."""
        i, operands = g.steps[0]
        ins = [g.ins[k] for k in operands]
        name, attrs, _, outs = self.tables.kernel_list[i.target]
        i.target = self.tables.prepared(name, attrs, [t for _, t in ins], list(outs))
        i.donors = [[k for k in d if ins[k][0] is i.ins[k][0]] for d in i.donors]
        i.ins = ins
        return i

    def kernel(self, g: _FusionGroup, inside: Counter) -> Instr:
        """The instruction that runs all steps of ``g``; ``inside`` counts how often they read a
        storage.
        """
        last_read = [-1] * len(g.ins)
        names, args, casts = [], [], []
        for k, (i, operands) in enumerate(g.steps):
            name = self.tables.kernel_list[i.target][0]
            names.append(name)
            if name == "cast":
                casts.append(self.type(i.outs[0][1]).dtype.code)
            for x in operands:
                if isinstance(x, Storage):
                    args.append(len(g.ins) + g.made[x])
                else:
                    last_read[x] = k
                    args.append(x)
        outs, donors, into, values = [], [], [], []
        givers = self.givers(g, last_read)
        for k, (i, _) in enumerate(g.steps):
            s, t = i.outs[0]
            ref = i.into[0] if i.into is not None else None
            if ref is None and inside[s] == self.readers[s]:
                continue
            self.readers[s] -= inside[s]
            outs.append((s, t))
            values.append(len(g.ins) + k)
            into.append(ref)
            # A conversion reads and writes memory as two types.
            before = k if names[k] == "cast" else k + 1
            itemsize = self.type(t).dtype.itemsize
            donors.append([n for n, last, of in givers if last < before and of == itemsize])
        attrs = {
            "ops": " ".join(names),
            "args": tuple(args),
            "casts": tuple(casts),
            "outs": tuple(values),
            "shape": g.shape,
        }
        target = self.tables.prepared("tile", attrs, [t for _, t in g.ins], [t for _, t in outs])
        made = Instr(RUN, g.steps[-1][0].node, g.ins, outs, target)
        made.donors, made.into = donors, into
        return made

    def givers(self, g: _FusionGroup, last_read: list[int]) -> list[tuple]:
        """(number, the last step that reads it, item size) of the inputs whose place a result may
        take.
        """
        return [
            (n, last_read[n], self.type(t).dtype.itemsize)
            for n, (s, t) in enumerate(g.ins)
            if s.kind == TENSOR and g.numbers.get((s, -1)) == n
        ]
