"""Bundles: fused kernels that do the same to tensors of other sizes become one launch, as those of an
optimiser that updates each parameter by itself.

For devices that have the kernel `tiles`. Its inputs are the numbers that all parts share, then each
part's tensors; its results are those of each part. A fused kernel may itself be several parts, as
chains of one size are fused whatever they have to do with one another. The steps stay what they
were, hence so do the bits.
"""

from __future__ import annotations

from collections import Counter

from .format import LOAD, OPERANDS, RUN
from .linearize import TENSOR, Function, Instr, LinearIR, Storage
from .select import size_of


def bundle(program: LinearIR) -> None:
    """Bundle the fused kernels of every function."""
    for f in program.functions:
        _Bundling(program, f).run()
    program.keep_used_kernels()


class _Part:
    """Steps of a fused kernel that have nothing to do with its others.

    Attributes:
        origin, siblings: the instruction that ran them, and of how many parts it is.
        numbers: the values of one element that it reads; tensors: the others.
        steps: names, operands, casts and results as attributes of a kernel; an operand is a number,
            a tensor or a step, in this order.
        numbered: which of its steps they are.
        outs, donors, into: as an instruction's, but for donors that are counted among the tensors.
    """

    __slots__ = (
        "origin",
        "siblings",
        "numbers",
        "tensors",
        "steps",
        "numbered",
        "outs",
        "donors",
        "into",
    )


class _Bundling:
    """Bundles within one function.

    An open bundle is emitted when something has to come after it, and nothing has to come before: no
    open bundle depends on another.
    """

    def __init__(self, program: LinearIR, f: Function):
        self.tables, self.f, self.root = program.tables, f, f is program.functions[0]
        self.code: list[Instr] = []
        self.open: dict[tuple, list[_Part]] = {}  # by what the parts have in common
        self.loaded: dict[Storage, Storage] = {}  # from which parameter
        # The bundles, open or not, that have made a value or written a parameter; that have read it.
        self.makers: dict[Storage, dict[tuple, None]] = {}
        self.readers: dict[Storage, dict[tuple, None]] = {}

    def run(self) -> None:
        for i in self.f.code:
            self.emit(self.before(i) if i.op in (RUN, LOAD) else list(self.open))
            if i.op == LOAD:
                self.loaded[i.outs[0][0]] = i.ins[0][0]
            parts = self.parts_of(i)
            if not parts:
                self.code.append(i)
            for p in parts:
                self.add(p)
        self.emit(list(self.open))
        self.f.code = self.code

    def before(self, i: Instr) -> list[tuple]:
        """The open bundles that must run before ``i``: it reads what they make or write, or writes what
        they read or write.
        """
        written = [r[0] for r in i.into or () if r is not None]
        found: dict[tuple, None] = {}
        for s in (*(s for s, _ in i.ins), *written):
            found.update(self.makers.get(s, {}))
        for s in written:
            found.update(self.readers.get(s, {}))
        return [key for key in found if key in self.open]

    def add(self, p: _Part) -> None:
        key = self.key_of(p)
        self.open.setdefault(key, []).append(p)
        for s, _ in (*p.outs, *(r for r in p.into if r is not None)):
            self.makers.setdefault(s, {})[key] = None
        for s, _ in (*p.numbers, *p.tensors):
            if s in self.loaded:
                self.readers.setdefault(self.loaded[s], {})[key] = None

    # ---- parts

    def parts_of(self, i: Instr) -> list[_Part]:
        """What a bundle may hold of ``i``."""
        if i.op != RUN or self.tables.kernel_list[i.target][0] != "tile":
            return []
        size = self.elements(i.outs[0][1])
        if size < 2 or any(s.kind != TENSOR for s, _ in i.outs):
            return []
        if any(self.elements(t) not in (1, size) for _, t in i.ins):
            return []
        if not self.root and any(r is not None for r in i.into):
            return []  # two of a function's parameters may be one
        return self.separated(i, list(self.steps_of(i)))

    def steps_of(self, i: Instr):
        """(name, numbers of the values read, dtype code of a cast or None) of each step."""
        _, attrs, _, _ = self.tables.kernel_list[i.target]
        args, casts = iter(attrs["args"]), iter(attrs["casts"])
        for name in attrs["ops"].split():
            reads = [next(args) for _ in range(OPERANDS[name])]
            yield name, reads, next(casts) if name == "cast" else None

    def separated(self, i: Instr, steps: list) -> list[_Part]:
        """The steps by what they have to do with one another: a tensor that both read, a value that one
        makes for the other, a parameter that one reads and the other writes.
        """
        count = len(i.ins)
        one = [self.elements(t) == 1 for _, t in i.ins]
        leader = list(range(count + len(steps)))

        def find(v: int) -> int:
            while leader[v] != v:
                leader[v] = leader[leader[v]]
                v = leader[v]
            return v

        for k, (_, reads, _) in enumerate(steps):
            for v in reads:
                if v >= count or not one[v]:
                    leader[find(v)] = find(count + k)
        made = self.tables.kernel_list[i.target][1]["outs"]
        for ref, out in ((r[0], made[n]) for n, r in enumerate(i.into) if r is not None):
            for v, (s, _) in enumerate(i.ins):
                if self.loaded.get(s) is ref and not one[v]:
                    leader[find(v)] = find(out)
        together: dict[int, list[int]] = {}
        for k in range(len(steps)):
            together.setdefault(find(count + k), []).append(k)
        return self.grouped([self.part(i, steps, one, ks) for ks in together.values()], steps, one)

    def grouped(self, parts: list[_Part], steps: list, one: list[bool]) -> list[_Part]:
        """Parts like others, here or in an open bundle; the rest as one."""
        if len(parts) > 1:
            keys = [self.key_of(p) for p in parts]
            times = Counter(keys)
            rest = [p for p, k in zip(parts, keys) if times[k] == 1 and k not in self.open]
            if len(rest) > 1:
                ks = sorted(k for p in rest for k in p.numbered)
                parts = [p for p in parts if p not in rest]
                parts.append(self.part(rest[0].origin, steps, one, ks))
        for p in parts:
            p.siblings = len(parts)
        return parts

    def part(self, i: Instr, steps: list, one: list[bool], ks: list[int]) -> _Part:
        count, p = len(i.ins), _Part()
        used = list(dict.fromkeys(v for k in ks for v in steps[k][1] if v < count))
        numbers, tensors = [v for v in used if one[v]], [v for v in used if not one[v]]
        number = {v: n for n, v in enumerate([*numbers, *tensors, *(count + k for k in ks)])}
        _, attrs, _, _ = self.tables.kernel_list[i.target]
        outs = [n for n, v in enumerate(attrs["outs"]) if v in number]
        p.origin, p.numbered = i, ks
        p.numbers, p.tensors = [i.ins[v] for v in numbers], [i.ins[v] for v in tensors]
        p.steps = (
            " ".join(steps[k][0] for k in ks),
            tuple(number[v] for k in ks for v in steps[k][1]),
            tuple(steps[k][2] for k in ks if steps[k][2] is not None),
            tuple(number[attrs["outs"][n]] for n in outs),
        )
        p.outs, p.into = [i.outs[n] for n in outs], [i.into[n] for n in outs]
        p.donors = [[tensors.index(d) for d in i.donors[n] if d in tensors] for n in outs]
        return p

    def key_of(self, p: _Part) -> tuple:
        dtypes = tuple(self.tables.type_list[t].dtype for _, t in (*p.tensors, *p.outs))
        return p.steps, tuple(p.numbers), len(p.tensors), dtypes

    def elements(self, t: int) -> int:
        a = self.tables.type_list[t]
        return size_of(a) // a.dtype.itemsize

    # ---- emission

    def emit(self, keys: list[tuple]) -> None:
        for key in keys:
            parts = self.open.pop(key)
            origin = parts[0].origin
            alone = len(parts) == parts[0].siblings and all(p.origin is origin for p in parts)
            self.code.append(origin if alone else self.merged(parts))

    def merged(self, parts: list[_Part]) -> Instr:
        ins, outs, donors, into = list(parts[0].numbers), [], [], []
        for p in parts:
            donors += [[len(ins) + d for d in of] for of in p.donors]
            ins += p.tensors
            outs += p.outs
            into += p.into
        ops, args, casts, values = parts[0].steps
        attrs = {"ops": ops, "args": args, "casts": casts, "outs": values}
        attrs |= {"numbers": len(parts[0].numbers), "parts": len(parts)}
        types = [t for _, t in ins], [t for _, t in outs]
        made = Instr(
            RUN, parts[0].origin.node, ins, outs, self.tables.prepared("tiles", attrs, *types)
        )
        made.donors, made.into = donors, into
        return made
