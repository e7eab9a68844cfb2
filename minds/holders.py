"""Who holds the memory: what the message of a lack of memory ends with.

The tensors that are alive are asked of Python's garbage collector, so that nothing is written down
while there is enough. What they do not account for is held by programs (constants, arenas, what a
run has not given back) and by the pool.
"""

from __future__ import annotations

import gc
import os

from . import _core
from .tensor import Parameter, Tensor

_LISTED = 5
_MATTERS = 0.1
"""The part of a device's memory that tensors must hold to be worth a word."""


def holders(device: _core.Device) -> list[tuple[int, str]]:
    """The tensors on a device, the largest first.

    Returns:
        list: (bytes, what it is and which line of the user's made it) of each buffer.
    """
    found: dict[int, tuple[int, str]] = {}
    for o in gc.get_objects():
        if isinstance(o, Tensor):
            parts = getattr(o, "lies", None)
            array = getattr(o, "_holds", None) if parts is None else parts.array
            if type(array) is not _core.Array or array.device is not device:
                continue
            if isinstance(o, Parameter) or array.data_ptr not in found:
                found[array.data_ptr] = array.nbytes, _description(o, array)
    return sorted(found.values(), key=lambda row: -row[0])


def _description(t: Tensor, array: _core.Array) -> str:
    name = getattr(t, "_name", None)  # a parameter that was refused while it was made has none
    text = "a Tensor" if name is None else f"Parameter '{name}'"
    text += f" of {tuple(t.shape)}, {t.dtype}"
    if array.site is None:
        return text
    file, line, _ = array.site
    return f"{text}, made at {os.path.basename(file)}:{line}"


def report(message: str) -> str:
    """The largest holders on the device that has too little, as lines to add to ``message``."""
    if message.startswith("recursion"):
        return ""
    away = [d for d in _core.open_devices() if d.label in message]
    device = away[0] if away else _core.device("cpu")
    rows, memory = holders(device), device.memory()
    if sum(size for size, _ in rows) < _MATTERS * memory["total"]:
        return ""
    others = memory["in_use"] - sum(size for size, _ in rows)
    lines = [f"  on {device.label} {_mib(memory['in_use'])} are in use; the largest holders:"]
    lines += [f"    {_mib(size):>12}  {text}" for size, text in rows[:_LISTED]]
    if len(rows) > _LISTED:
        rest = sum(size for size, _ in rows[_LISTED:])
        lines.append(f"    {_mib(rest):>12}  {len(rows) - _LISTED} other tensors")
    if others > 0:
        lines.append(f"    {_mib(others):>12}  compiled programs and runs")
    return "\n" + "\n".join(lines)


def _mib(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"


_core.set_holders(report)
_core.set_library(os.path.dirname(__file__) + os.sep)
