"""The registry of the plug-in `cuda`, which is there without a GPU: it has every kernel of the CPU's."""

import contextlib
import pathlib
import re

from closeness import HOST_ONLY

import minds as ms
from minds import _core
from minds.ops.define import P

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLLECTIVES = {"all_gather", "all_reduce", "all_reduce_bucket", "broadcast_from", "exchange"} | {
    "reduce_scatter",
    "reduce_to",
    "reduction_begin",
    "reduction_end",
}
"""What its library exchanges with other processes, of the dtypes that this adds up."""
HOSTS = {o.kernel for o in P if o.has_effect} - COLLECTIVES
"""What only the CPU has: the host runs what has another effect (`kernels.is_the_hosts`), such as a new key of
the random numbers, whose state is the host's.
"""

FUSED = {"attention", "attention_dx", "batch_norm_relu", "batch_norm_relu_dx", "matmul_bias"} | {
    "softmax_nll",
    "softmax_nll_dx",
    "tiles",
}
"""Kernels that only it has: several ops in one."""
BY_PYTHON = {"cholesky", "det", "dft", "inverse", "qr", "slogdet", "solve"}
"""Kernels that only it has: what Python computes elsewhere."""
HOSTS |= {"batch_norm_ending", "batch_norm_infer_ending"}
HOSTS |= {"batch_norm_narrow", "batch_norm_narrow_ending", "batch_norm_dx_narrow"}


def test_every_kernel_of_the_cpu_is_there():
    with contextlib.suppress(RuntimeError):  # no driver: the kernels are known all the same
        _core.device_count("cuda")
    own = {(op, code) for device, op, code in _core.kernels() if device == "cuda"}
    cpu = {(op, code) for device, op, code in _core.kernels() if device == "cpu"}
    lacking = {op for op, _ in cpu - own} - (HOSTS & {op for op, _ in cpu}) - COLLECTIVES
    assert COLLECTIVES <= {op for op, _ in own}
    assert {k for k in lacking if not getattr(P, k).decomposes(ms.float32)} == {*HOST_ONLY}
    assert not HOSTS & {op for op, _ in own}, "nobody would run it"
    assert {op for op, _ in own - cpu} == FUSED | BY_PYTHON
    assert all(getattr(P, op).host is not None for op in BY_PYTHON)


def block(path: str, head: str) -> list[str]:
    """What stands between the braces after ``head``, without comments, cut at commas and semicolons."""
    text = (ROOT / path).read_text()
    inside = text.split(head, 1)[1].split("{", 1)[1].split("}", 1)[0]
    inside = re.sub(r"//[^\n]*", "", inside)
    return [" ".join(part.split()) for part in re.split(r"[,;]", inside) if part.strip()]


def test_texts_have_the_faults_of_the_header():
    """A text for NVRTC includes nothing, so the prelude says again what csrc/kernel/fault.h says."""
    header, prelude = "csrc/kernel/fault.h", "csrc/cuda/kernels/prelude.cuh"
    kinds = block(header, "enum class FaultKind : uint8_t")
    assert kinds.pop() == "kCount" and len(kinds) > 15
    assert block(prelude, "enum FaultKind") == kinds
    own = [
        re.sub(r"\bu?int64_t", lambda t: {"u": "u64"}.get(t[0][0], "i64"), f)
        for f in block(header, "struct FaultWord")
    ]
    assert block(prelude, "struct FaultWord") == own == ["u64 what", "i64 value", "limit", "place"]
    packed = re.search(r"return (static_cast<uint64_t>\(kind\).*);", (ROOT / header).read_text())[1]
    said = re.search(r"what = (\(u64\)kind.*);", (ROOT / prelude).read_text())[1]
    plain = re.compile(r"static_cast<uint64_t>\((\w+)\)|uint64_t\{(\w+)\}|\(u64\)(\w+)")
    shown = [plain.sub(lambda m: next(g for g in m.groups() if g), t) for t in (packed, said)]
    assert shown[0] == shown[1] == "kind | (is_unsigned ? 0x80u : 0u) | instruction << 8"
