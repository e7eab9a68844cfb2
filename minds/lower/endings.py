"""Endings: where something is added to a normalised batch, or `relu` is taken of it, the kernel that
normalises does so before it writes: images are written once, and not read again.

For devices that have the kernels `batch_norm_ending` and `batch_norm_infer_ending`, before fusion. The bits
stay what they were.
"""

from __future__ import annotations

from collections import Counter

from .format import RUN
from .linearize import TENSOR, Function, Instr, LinearIR, Storage

_PLAIN = {"batch_norm": 3, "batch_norm_infer": 5, "batch_norm_narrow": 3}
"""The kernels that may go on, with how many operands each has."""


def add_endings(program: LinearIR, has_kernel) -> None:
    """Let the normalisations of every function do what is done to their results;
    ``has_kernel(name, dtype)`` says whether the device can.
    """
    for f in program.functions:
        _Endings(program, f, has_kernel).run()
    program.keep_used_kernels()


class _Endings:
    """Joins within one function.

    Attributes:
        open: by what they make, the normalisations that may do more.
        made: where in the code a storage is made; not for what the function is given.
    """

    def __init__(self, program: LinearIR, f: Function, has_kernel):
        self.tables, self.f, self.has_kernel = program.tables, f, has_kernel
        self.open: dict[Storage, Instr] = {}
        self.made: dict[Storage, int] = {}
        self.readers = Counter(s for i in f.code for s, _ in i.reads())
        self.readers.update(s for s, _ in f.results)

    def run(self) -> None:
        code = []
        for k, i in enumerate(self.f.code):
            self.made.update((s, k) for s, _ in i.outs)
            n = self.joined(i)
            if n is None:
                code.append(i)
                n = i if self.may_go_on(i) else None
            s = n.outs[0][0] if n is not None else None
            if s is not None and self.readers[s] == 1:
                self.open[s] = n
        self.f.code = code

    def may_go_on(self, i: Instr) -> bool:
        if i.op != RUN or not i.outs:
            return False
        name, (s, t) = self.tables.kernel_list[i.target][0], i.outs[0]
        of = self.tables.type_list[t].dtype
        writes = i.into is not None and i.into[0] is not None
        return (
            name in _PLAIN
            and s.kind == TENSOR
            and not writes
            and self.has_kernel(f"{name}_ending", of)
        )

    def joined(self, i: Instr) -> Instr | None:
        """The normalisation that does ``i`` too from now on, if one can."""
        if i.op != RUN or len(i.outs) != 1 or i.into is not None and any(i.into):
            return None
        name, out = self.tables.kernel_list[i.target][0], i.outs[0]
        relu = name == "relu"
        if not relu and name != "add":
            return None
        for value, other in ((i.ins[0], None),) if relu else (i.ins, i.ins[::-1]):
            n = self.open.get(value[0])
            if (
                n is None
                or not self.alike(value, out)
                or self.tables.kernel_list[n.target][1].get("relu")
            ):
                continue
            if relu or self.may_be_added(n, other, out):
                self.replace(n, out, other, relu)
                return n
        return None

    def alike(self, a: tuple, b: tuple) -> bool:
        return self.tables.type_list[a[1]] is self.tables.type_list[b[1]]

    def may_be_added(self, n: Instr, other: tuple, out: tuple) -> bool:
        """Whether ``other`` is as large, and there when ``n`` runs, which adds nothing yet."""
        there = self.made.get(other[0], -1) < self.made[n.outs[0][0]]
        plain = not self.tables.kernel_list[n.target][0].endswith("_ending")
        return plain and there and self.alike(other, out)

    def replace(self, n: Instr, out: tuple, other: tuple | None, relu: bool) -> None:
        """Let ``n`` make ``out``."""
        name, attrs, _, _ = self.tables.kernel_list[n.target]
        name = name.removesuffix("_ending")
        self.made[out[0]] = self.made.pop(n.outs[0][0])
        del self.open[n.outs[0][0]]
        n.ins = [*n.ins, other] if other is not None else n.ins
        n.outs = [out, *n.outs[1:]]
        n.donors = [[0, *([_PLAIN[name]] if len(n.ins) > _PLAIN[name] else [])], *n.donors[1:]]
        attrs, types = (
            {"eps": attrs["eps"], "relu": relu},
            ([t for _, t in n.ins], [t for _, t in n.outs]),
        )
        n.target = self.tables.prepared(f"{name}_ending", attrs, *types)
