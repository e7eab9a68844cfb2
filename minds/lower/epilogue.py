"""Epilogues: a product of matrices to which a bias is added, and perhaps `relu` applied, becomes one
kernel that does so before it writes the product.

For devices that have the kernel `matmul_bias`, after fusion. The product of 16-bit floats is then
rounded once, after the bias; and of a NaN the vendor's library may make what it likes.
"""

from __future__ import annotations

from collections import Counter

from .format import COPY, DOWNLOAD, LOAD, RUN, UPLOAD
from .linearize import TENSOR, Function, Instr, LinearIR

_HARMLESS = {RUN, LOAD, COPY, UPLOAD, DOWNLOAD}
_STEPS = {("add", (0, 1)), ("add", (1, 0)), ("add relu", (0, 1, 2)), ("add relu", (1, 0, 2))}


def add_epilogues(program: LinearIR, has_kernel) -> None:
    """Fuse bias and activation into the products of every function; ``has_kernel(dtype)`` says whether
    the device can.
    """
    for f in program.functions:
        _run(program, f, has_kernel)
    program.keep_used_kernels()


def _run(program: LinearIR, f: Function, has_kernel) -> None:
    readers = Counter(s for i in f.code for s, _ in i.reads())
    readers.update(s for s, _ in f.results)
    made: dict = {}  # by storage, the product that makes it
    merged: set[Instr] = set()
    for i in f.code:
        if i.op not in _HARMLESS or i.into is not None and any(i.into):
            made.clear()  # what the products read may change here
        if i.op != RUN or not i.outs:
            continue
        name = program.tables.kernel_list[i.target][0]
        s = i.outs[0][0]
        if name == "matmul" and s.kind == TENSOR and not s.host and readers[s] == 1:
            if i.into == [None] and _is_one_product(program, i):
                made[s] = i
        elif name in ("add", "tile"):
            product, bias, relu = _match(program, i, made)
            if product is not None and has_kernel(program.tables.type_list[i.outs[0][1]].dtype):
                _merge(program, product, i, bias, relu)
                merged.add(product)
    f.code = [i for i in f.code if i not in merged]


def _shape(program: LinearIR, value: tuple) -> tuple:
    return program.tables.type_list[value[1]].shape


def _is_one_product(program: LinearIR, i: Instr) -> bool:
    """Whether its batches are rows of one product, of known sizes, none of them 0."""
    x, y = (_shape(program, v) for v in i.ins)
    attrs = program.tables.kernel_list[i.target][1]
    known = all(type(n) is int and n > 0 for n in (*x, *y))
    return known and len(y) == 2 and (len(x) == 2 or not attrs["transpose_a"])


def _match(program: LinearIR, i: Instr, made: dict) -> tuple:
    """(the product that ``i`` adds a bias to, the bias, whether `relu` follows), or Nones."""
    name, attrs, _, _ = program.tables.kernel_list[i.target]
    steps = (attrs["ops"], attrs["args"]) if name == "tile" else ("add", (0, 1))
    if steps not in _STEPS or len(i.ins) != 2 or len(i.outs) != 1:
        return None, None, None
    for n in (0, 1):
        product, bias = made.get(i.ins[n][0]), i.ins[1 - n]
        shape = _shape(program, i.outs[0])
        if product is None or bias[0].kind != TENSOR or bias[0].host:
            continue
        if _shape(program, i.ins[n]) == shape and _shape(program, bias) == shape[-1:]:
            return product, bias, steps[0] == "add relu"
    return None, None, None


def _merge(program: LinearIR, product: Instr, i: Instr, bias: tuple, relu: bool) -> None:
    """Make ``i`` do all."""
    tables = program.tables
    attrs = dict(tables.kernel_list[product.target][1], relu=relu)
    i.ins, i.outs = [*product.ins, bias], [(i.outs[0][0], product.outs[0][1])]
    i.target = tables.prepared("matmul_bias", attrs, [t for _, t in i.ins], [product.outs[0][1]])
    i.donors = [[]]
