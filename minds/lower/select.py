"""Selection: what of the runtime an op becomes, and the tables that a program refers to.

A tensor of rank 0 and at most 8 bytes is a *word* and lives in a frame directly; simple arithmetic
on words needs no kernel.
"""

from __future__ import annotations

import struct
from array import array

import numpy as np

from .. import _core
from ..base import dtype as dt
from ..base.loc import Loc
from ..ir.abstract import Abstract, AbstractFunction, AbstractNone, AbstractRef, AbstractTuple
from ..ir.sizes import open_
from ..ops.define import Op
from ..tensor import Tensor
from .format import AWAY, CHECKED, NUMBER_FORMS, SCALARS, WORD_BYTES, Form
from .kernels import attributes, key_of


def is_word(a) -> bool:
    """Whether a tensor (or scalar) lives in a word of the frame."""
    return a.shape == () and a.dtype.itemsize <= WORD_BYTES


def size_of(a) -> int:
    """Bytes of a tensor."""
    n = a.dtype.itemsize
    for d in a.shape:
        n *= d
    return n


_leaves: dict[Abstract, list[Abstract]] = {}
_starts: dict[AbstractTuple, list[int]] = {}


def leaves(a: Abstract) -> list[Abstract]:
    """The abstract values of which ``a`` consists at run time: tuples are flat, None is nothing."""
    found = _leaves.get(a)
    if found is None:
        found, stack = [], [a]
        while stack:
            item = stack.pop()
            if isinstance(item, AbstractTuple):
                stack.extend(reversed(item.items))
            elif not isinstance(item, AbstractNone):
                found.append(item)
        _leaves[a] = found
    return found


def item_range(t: AbstractTuple, i: int) -> tuple[int, int]:
    """Where the leaves of the i-th item of ``t`` are among those of ``t``."""
    starts = _starts.get(t)
    if starts is None:
        starts = _starts[t] = [0]
        for a in t.items:
            starts.append(starts[-1] + len(leaves(a)))
    return starts[i], starts[i + 1]


def form(op: Op, ins: list, outs: list) -> Form:
    """By what the core finds a computation on words."""
    return op.kernel, ins[0].dtype, outs[0].dtype


def scalar_instruction(op: Op, ins: list, outs: list, number: bool = False) -> int | None:
    """The instruction on words that does what ``op`` does with operands of these types; None if
    there is none. ``number`` if the result is a number of Python, for which CPython's errors are
    checked.
    """
    if len(outs) != 1 or not 1 <= len(ins) <= 2 or not all(map(is_word, (*ins, *outs))):
        return None
    wanted = form(op, ins, outs)
    if number and (wanted in CHECKED or wanted in NUMBER_FORMS):
        return CHECKED.get(wanted)
    return SCALARS.get(wanted)


class Tables:
    """Types, kernels, constants and callbacks of a program; each distinct one once."""

    def __init__(self, tf32: tuple[str, ...] = ()):
        self.tf32 = tf32
        self.types: dict[tuple, int] = {}
        self.type_list: list[Abstract] = []
        self.kernels: dict[tuple, int] = {}
        self.kernel_list: list[tuple] = []  # (name, attrs, in types, out types)
        self.constants: list = []  # Tensors
        self.callbacks: list = []
        self._numbers: dict[tuple, Tensor] = {}
        self.away: list[bool] = []  # per type: a device's own memory has its values
        self._constant_ids: dict[int, int] = {}
        self._by_abstract: tuple[dict[Abstract, int], ...] = ({}, {})

    def type(self, a, away: bool = False) -> int:
        """The number of a tensor, function or reference type; ``away`` if its values are in memory
        that a device does not share with the host.
        """
        found = self._by_abstract[away].get(a)
        if found is None:
            if isinstance(a, AbstractFunction):
                key, away = (1,), False
            elif isinstance(a, AbstractRef):
                key = (2, a.value.dtype, a.value.shape, away)
            elif open_(a):
                key = (3, a.dtype, len(a.shape), away)
            else:
                key = (0, a.dtype, a.shape, away)
            found = self.types.get(key)
            if found is None:
                found = self.types[key] = len(self.type_list)
                self.type_list.append(a)
                self.away.append(away)
            self._by_abstract[away][a] = found
        return found

    def kernel(
        self,
        op: Op,
        params: list,
        ins: list[int],
        outs: list[int],
        number: bool = False,
        loc: Loc | None = None,
    ) -> int:
        """The number of the prepared kernel for an application; ``params`` are the op's arguments.
        ``number`` as for `scalar_instruction`. A collective knows its line, ``loc``, for who waits in it.
        """
        types = self.type_list
        if number and ins and form(op, [types[ins[0]]], [types[outs[0]]]) in NUMBER_FORMS:
            return self.prepared("python_number", {"operation": op.kernel}, ins, outs)
        attrs = attributes(op, params, self.tf32)
        if loc is not None and "ranks" in attrs:
            attrs["site"] = f"{loc.file}:{loc.line}"
        return self.prepared(op.kernel, attrs, ins, outs)

    def prepared(self, name: str, attrs: dict, ins: list[int], outs: list[int]) -> int:
        """The number of the kernel ``name`` with these attributes and types."""
        key = (name, tuple([(k, key_of(v)) for k, v in attrs.items()]), tuple(ins), tuple(outs))
        found = self.kernels.get(key)
        if found is None:
            found = self.kernels[key] = len(self.kernel_list)
            self.kernel_list.append((name, attrs, tuple(ins), tuple(outs)))
        return found

    def keep_kernels(self, used: list[int]) -> dict[int, int]:
        """Forget all kernels but ``used``. Returns their new numbers."""
        renumbered = {old: new for new, old in enumerate(used)}
        self.kernel_list = [self.kernel_list[k] for k in used]
        self.kernels = {key: renumbered[k] for key, k in self.kernels.items() if k in renumbered}
        return renumbered

    def number_tensor(self, bits: int, t: int) -> Tensor:
        """A word's bits as a tensor of the number's type ``t``; each distinct one once."""
        a = self.type_list[t]
        key = (bits, a.dtype)
        found = self._numbers.get(key)
        if found is None:
            raw = bits.to_bytes(WORD_BYTES, "little")[: a.dtype.itemsize]
            number = np.frombuffer(raw, a.dtype.np).reshape(())  # the bits, of bfloat16 too
            found = Tensor._wrap(_core.Array.from_numpy(number, a.dtype.code))
            self._numbers[key] = found
        return found

    def constant(self, tensor) -> int:
        """The number of a Tensor that is part of the program."""
        found = self._constant_ids.get(id(tensor))
        if found is None:
            found = self._constant_ids[id(tensor)] = len(self.constants)
            self.constants.append(tensor)
        return found

    def callback(self, fn) -> int:
        """The number of a Python function that the program calls."""
        self.callbacks.append(fn)
        return len(self.callbacks) - 1


def word_bits(value, dtype: dt.DType) -> int:
    """The 64 bits of a word that holds ``value``, a Python number or a Tensor."""
    if hasattr(value, "_array"):
        raw = value._array.numpy().tobytes()
    elif dtype is dt.bool_:
        raw = bytes([bool(value)])
    elif dtype is dt.int64:
        raw = struct.pack("<q", value)
    else:
        raw = struct.pack("<d", value)
    return int.from_bytes(raw, "little")


# ---- bytes


class WordBuffer(array):
    """32-bit words, the unit of the program format."""

    def __new__(cls):
        return array.__new__(cls, "I")

    def u64(self, v: int) -> None:
        self.append(v & 0xFFFFFFFF)
        self.append(v >> 32 & 0xFFFFFFFF)

    def text(self, s: str) -> None:
        raw = s.encode()
        self.append(len(raw))
        self.frombytes(raw + bytes(-len(raw) % 4))

    def list(self, items) -> None:
        self.append(len(items))
        self.extend(items)

    def type(self, a, away: bool = False) -> None:
        flag = AWAY if away else 0
        if isinstance(a, AbstractFunction):
            self.append(1)
            return
        if open_(a):
            self.extend((3 | flag, a.dtype.code, len(a.shape)))
            return
        spec = a.value if isinstance(a, AbstractRef) else a
        self.extend(((2 if spec is not a else 0) | flag, spec.dtype.code, len(spec.shape)))
        for d in spec.shape:
            self.u64(d)

    def attribute(self, v) -> None:
        """A tagged value, as `Loader::attribute` reads it."""
        kind = type(v)
        if v is None:
            self.append(0)
        elif kind is bool:
            self.extend((1, v))
        elif kind is int:
            self.append(2)
            self.u64(v)
        elif kind is float:
            self.append(3)
            self.u64(_double(v))
        elif kind is str:
            self.append(4)
            self.text(v)
        elif kind is dt.DType:
            self.extend((5, v.code))
        elif kind is tuple and all(type(e) is int for e in v):
            self.extend((6, len(v)))
            for e in v:
                self.u64(e)
        elif kind is tuple:
            self.extend((7, len(v)))
            for e in v:
                self.u64(_double(e))
        else:
            raise AssertionError(f"not an attribute of a kernel: {v!r}")


def _double(v: float) -> int:
    return struct.unpack("<Q", struct.pack("<d", v))[0]
