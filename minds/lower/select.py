"""Selection: what of the runtime an op becomes, and the tables that a program refers to.

A tensor of rank 0 and at most 8 bytes is a *word* and lives in a frame directly; simple arithmetic
on words needs no kernel.
"""

from __future__ import annotations

import struct
from array import array

from ..base import dtype as dt
from ..ir.abstract import Abstract, AbstractFunction, AbstractNone, AbstractRef, AbstractTuple
from ..ir.sizes import open_
from ..ops.define import ATTR, Op

WORD_BYTES = 8
UNIT = 64  # bytes; the granularity of arena offsets

# Formulas of csrc/runtime/scalar.h by (kernel, operand's dtype); `cast` by both dtypes.
_ARITHMETIC = {"add": 0, "sub": 1, "mul": 2, "div": 3}
_COMPARISON = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
SCALARS: dict[tuple, int] = {}
for _name, _k in _ARITHMETIC.items():
    SCALARS[_name, dt.float64] = _k
    SCALARS[_name, dt.float32] = 4 + _k
    if _name != "div":
        SCALARS[_name, dt.int64] = 8 + _k
for _k, _name in enumerate(_COMPARISON):
    SCALARS[_name, dt.float64] = 11 + _k
    SCALARS[_name, dt.float32] = 17 + _k
    SCALARS[_name, dt.int64] = 23 + _k
SCALARS.update(
    {
        ("logical_and", dt.bool_): 29,
        ("logical_or", dt.bool_): 30,
        ("logical_xor", dt.bool_): 31,
        ("logical_not", dt.bool_): 32,
        ("neg", dt.float64): 33,
        ("neg", dt.float32): 34,
        ("neg", dt.int64): 35,
        ("cast", dt.int64, dt.float64): 36,
        ("cast", dt.int64, dt.float32): 37,
        ("cast", dt.float32, dt.float64): 38,
        ("cast", dt.float64, dt.float32): 39,
        ("cast", dt.bool_, dt.int64): 40,
        ("cast", dt.bool_, dt.float64): 41,
        ("maximum", dt.int64): 47,
        ("minimum", dt.int64): 48,
        ("bitwise_and", dt.int64): 49,
        ("bitwise_or", dt.int64): 50,
        ("bitwise_xor", dt.int64): 51,
        ("bitwise_not", dt.int64): 52,
        ("equal", dt.bool_): 53,
        ("not_equal", dt.bool_): 31,
        ("maximum", dt.float32): 54,
        ("minimum", dt.float32): 55,
        ("maximum", dt.float64): 56,
        ("minimum", dt.float64): 57,
        ("square", dt.float32): 58,
        ("square", dt.float64): 59,
        ("sqrt", dt.float32): 60,
        ("reciprocal", dt.float32): 61,
    }
)
# What numbers of Python do instead, with CPython's errors.
CHECKED = {
    ("add", dt.int64): 43,
    ("sub", dt.int64): 44,
    ("mul", dt.int64): 45,
    ("div", dt.float64): 46,
}
NUMBER_KERNELS = frozenset(
    (
        *[(n, dt.int64) for n in ("floor_divide", "mod", "pow", "left_shift", "right_shift")],
        *[
            (n, dt.float64)
            for n in (
                "floor_divide",
                "mod",
                "pow",
                "exp",
                "expm1",
                "log",
                "log1p",
                "sqrt",
                "sin",
                "cos",
                "tan",
                "asin",
                "acos",
                "atan",
                "sinh",
                "cosh",
                "tanh",
                "asinh",
                "acosh",
                "atanh",
                "erf",
                "erfc",
                "lgamma",
            )
        ],
    )
)
"""(kernel, dtype) of what the kernel `python_number` computes for numbers of Python."""
SCALAR_NAMES = {k: "_".join(str(getattr(p, "name", p)) for p in key) for key, k in SCALARS.items()}
SCALAR_NAMES.update({k: f"checked_{n}_{t.name}" for (n, t), k in CHECKED.items()})


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


def scalar_formula(op: Op, ins: list, outs: list, number: bool = False) -> int | None:
    """The formula on words that does what ``op`` does with operands of these types; None if there
    is none. ``number`` if the result is a number of Python, for which CPython's errors are checked.
    """
    if number and ins and (op.kernel, getattr(ins[0], "dtype", None)) in CHECKED:
        return CHECKED[op.kernel, ins[0].dtype]
    if (
        len(outs) != 1
        or not 1 <= len(ins) <= 2
        or not all(map(is_word, ins))
        or not is_word(outs[0])
    ):
        return None
    if op.kernel == "cast":
        return SCALARS.get(("cast", ins[0].dtype, outs[0].dtype))
    return SCALARS.get((op.kernel, ins[0].dtype))


class Tables:
    """Types, kernels, constants and callbacks of a program; each distinct one once."""

    def __init__(self):
        self.types: dict[tuple, int] = {}
        self.type_list: list[Abstract] = []
        self.kernels: dict[tuple, int] = {}
        self.kernel_list: list[tuple] = []  # (name, attrs, in types, out types)
        self.constants: list = []  # Tensors
        self.callbacks: list = []
        self._constant_ids: dict[int, int] = {}
        self._by_abstract: dict[Abstract, int] = {}

    def type(self, a) -> int:
        """The number of a tensor, function or reference type."""
        found = self._by_abstract.get(a)
        if found is None:
            if isinstance(a, AbstractFunction):
                key = (1,)
            elif isinstance(a, AbstractRef):
                key = (2, a.value.dtype, a.value.shape)
            elif open_(a):
                key = (3, a.dtype, len(a.shape))
            else:
                key = (0, a.dtype, a.shape)
            found = self.types.get(key)
            if found is None:
                found = self.types[key] = len(self.type_list)
                self.type_list.append(a)
            self._by_abstract[a] = found
        return found

    def kernel(
        self, op: Op, params: list, ins: list[int], outs: list[int], number: bool = False
    ) -> int:
        """The number of the prepared kernel for an application; ``params`` are the op's arguments.
        ``number`` as for `scalar_formula`.
        """
        if number and self._is_number(op, ins, outs):
            return self.prepared("python_number", {"operation": op.kernel}, ins, outs)
        attrs = {}
        for name, kind, value in zip(op.names, op.kinds, params, strict=True):
            if kind == ATTR or value is None:
                attrs[name] = _attribute(value)
        return self.prepared(op.kernel, attrs, ins, outs)

    def _is_number(self, op: Op, ins: list[int], outs: list[int]) -> bool:
        """Whether a function of numbers has errors of its own, or is computed as CPython's `math`
        does.
        """
        dtype = getattr(self.type_list[ins[0]], "dtype", None) if ins else None
        if op.kernel == "cast":
            return dtype is dt.float64 and self.type_list[outs[0]].dtype is dt.int64
        return (op.kernel, dtype) in NUMBER_KERNELS

    def prepared(self, name: str, attrs: dict, ins: list[int], outs: list[int]) -> int:
        """The number of the kernel ``name`` with these attributes and types."""
        key = (name, tuple((k, v, _kind(v)) for k, v in attrs.items()), tuple(ins), tuple(outs))
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


def _attribute(v):
    """An attribute as kernels know it: numbers, words, dtypes, None, flat tuples of numbers."""
    if isinstance(v, (tuple, list)):
        flat = tuple(e for x in v for e in (x if isinstance(x, (tuple, list)) else (x,)))
        return (
            tuple(map(float, flat))
            if any(type(e) is float for e in flat)
            else tuple(map(int, flat))
        )
    return v


def _kind(v) -> type:
    """What tells apart attributes that are equal in Python: 1, 1.0 and True, alone or in a
    tuple.
    """
    return type(v[0]) if type(v) is tuple and v else type(v)


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


class Words(array):
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

    def type(self, a) -> None:
        if isinstance(a, AbstractFunction):
            self.append(1)
            return
        if open_(a):
            self.extend((3, a.dtype.code, len(a.shape)))
            return
        spec = a.value if isinstance(a, AbstractRef) else a
        self.extend((2 if spec is not a else 0, spec.dtype.code, len(spec.shape)))
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
