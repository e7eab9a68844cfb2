"""Narrow normalisations: where a batch of 16-bit floats is cast to float32, normalised and cast back, as
under mixed precision, one kernel reads and writes 16 bits. The gradient likewise.

For devices that have the kernels `batch_norm_narrow` and `batch_norm_dx_narrow`, before endings. The bits
stay what they were.
"""

from __future__ import annotations

from collections import defaultdict

from ..base import dtype as dt
from .format import RUN
from .linearize import TEMP, Function, Instr, LinearIR, Storage

_BATCHES = {"batch_norm": (0,), "batch_norm_dx": (0, 1)}
"""The kernels, with the operands that are as large as the first result."""


def narrow_norms(program: LinearIR, has_kernel) -> None:
    """Leave out casts around the normalisations of every function; ``has_kernel(name, dtype)`` says
    whether the device can.
    """
    for f in program.functions:
        _Narrow(program, f, has_kernel).run()
    program.keep_used_kernels()


class _Narrow:
    """What is done to one function.

    Attributes:
        made: by what they make, the casts of 16-bit floats to float32.
        readers: by storage, the instructions that read it; None where the function gives it back.
    """

    def __init__(self, program: LinearIR, f: Function, has_kernel):
        self.tables, self.f, self.has_kernel = program.tables, f, has_kernel
        self.made: dict[Storage, Instr] = {}
        self.readers: dict[Storage, list] = defaultdict(list)
        for i in f.code:
            for s, _ in i.reads():
                self.readers[s].append(i)
        for s, _ in f.results:
            self.readers[s].append(None)
        self.gone: set[Instr] = set()

    def run(self) -> None:
        for i in self.f.code:
            if self.widens(i):
                self.made[i.outs[0][0]] = i
            elif i.op == RUN and self.name(i) in _BATCHES:
                self.narrow(i)
        self.f.code = [i for i in self.f.code if i not in self.gone]

    def name(self, i: Instr) -> str:
        return self.tables.kernel_list[i.target][0]

    def dtype(self, value: tuple):
        return self.tables.type_list[value[1]].dtype

    def is_cast(self, i: Instr) -> bool:
        return i.op == RUN and self.name(i) == "cast"

    def widens(self, i: Instr) -> bool:
        """Whether it casts a 16-bit float that an instruction made, and nothing changes."""
        made = self.is_cast(i) and i.ins[0][0].origin == TEMP
        half = made and self.dtype(i.ins[0]) in (dt.float16, dt.bfloat16)
        return half and self.dtype(i.outs[0]) is dt.float32

    def narrow(self, i: Instr) -> None:
        """Let ``i`` read what casts read, and make what a cast makes of its result, if all of these are."""
        name, attrs, _, _ = self.tables.kernel_list[i.target]
        before = [self.made.get(i.ins[k][0]) for k in _BATCHES[name]]
        readers = self.readers[i.outs[0][0]]
        after = readers[0] if len(readers) == 1 else None
        if None in before or after is None or not self.is_cast(after) or any(after.into or ()):
            return
        of = self.dtype(after.outs[0])
        if any(self.dtype(c.ins[0]) is not of for c in before):
            return
        if not self.has_kernel(f"{name}_narrow", of):
            return
        i.ins, i.outs = [*i.ins], [after.outs[0], *i.outs[1:]]
        for k, cast in zip(_BATCHES[name], before):
            self.leave(i.ins[k][0], cast, i)
            i.ins[k] = cast.ins[0]
            self.readers[cast.ins[0][0]].append(i)
        self.gone.add(after)
        types = [t for _, t in i.ins], [t for _, t in i.outs]
        i.target = self.tables.prepared(f"{name}_narrow", {"eps": attrs["eps"]}, *types)

    def leave(self, s: Storage, cast: Instr, reader: Instr) -> None:
        """``reader`` no longer reads what ``cast`` made; a cast that nobody reads is gone."""
        if reader in self.readers[s]:
            self.readers[s].remove(reader)
        if not self.readers[s]:
            self.gone.add(cast)
