"""Writes docs/platform.md: which devices run which ops, and for which types of elements.

    python tools/platform_table.py

Made from the registry of kernels and the definitions of the ops; tests/docs/test_platform.py fails
when the file is not what this prints.
"""

from __future__ import annotations

import pathlib
from collections import defaultdict

from minds import _core
from minds.base import devices
from minds.base import dtype as dt
from minds.ops.define import Op, P

PATH = pathlib.Path(__file__).parents[1] / "docs" / "platform.md"
SHIPPED = ("cpu", "cuda", "ascend")
ORDER = (dt.bool_, dt.uint8, dt.uint16, dt.uint32, dt.uint64, dt.int8, dt.int16, dt.int32, dt.int64)
ORDER += (dt.float16, dt.bfloat16, dt.float32, dt.float64, dt.complex64, dt.complex128)
SHORT = {t: str(t).lower().replace("float", "f").replace("complex", "c") for t in ORDER}
SHORT = {t: s.replace("uint", "u").replace("int", "i") for t, s in SHORT.items()}
HEAD = """# Which device runs what

Written by `python tools/platform_table.py` from the registry of kernels and the definitions of the ops.

An op with kernels runs by them for the types of its first operand that are listed. One that is
*composed* runs, for other types too, as the ops of its decomposition; one *of the host* runs as a
Python function there; a *view* moves nothing. Random numbers that a device has no kernel for are
*drawn by the host*, which has the keys, and copied. What a device can do in none of these ways is refused
while compiling, all of it in one list, or done on the host with `set_context(host_fallback=True)`.

"""


def rows() -> list[tuple]:
    """(op, how it runs else, its types by device) of each op."""
    kernels = defaultdict(lambda: defaultdict(set))
    for name in SHIPPED:
        devices.count(name)  # opens the plug-in, whether or not there is such a device
    for device, kernel, code in _core.kernels():
        if device in SHIPPED:
            kernels[kernel][device].add(dt.from_code(code))
    ops = sorted((n, o) for n in dir(P) if isinstance(o := getattr(P, n), Op))
    made = []
    for name, op in ops:
        how = "view" if op.kernel == "view" else "of the host" if op.host is not None else ""
        made.append((name, how or otherwise(op), kernels.get(op.kernel, {})))
    return made


def otherwise(op: Op) -> str:
    """What becomes of an op for types that a device has no kernel for."""
    if op.draws:
        return "drawn by the host"
    composed = [t for t in ORDER if op.decomposes(t)]
    if not composed:
        return ""
    return "composed" if len(composed) == len(ORDER) else "composed for " + short(composed)


def short(types) -> str:
    """Types in the table's words and order."""
    return " ".join(SHORT[t] for t in ORDER if t in types)


def page() -> str:
    """The text of docs/platform.md."""
    found = rows()
    on = [d for d in SHIPPED if any(d in kernels for _, _, kernels in found)]
    lines = ["| op | " + " | ".join(map(devices.target, on)) + " | else |"]
    lines.append("|" + " --- |" * (len(on) + 2))
    for name, how, kernels in found:
        types = [short(kernels.get(d, ())) for d in on]
        lines.append(f"| `{name}` | " + " | ".join(types) + f" | {how} |")
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    PATH.write_text(page(), encoding="utf-8")
