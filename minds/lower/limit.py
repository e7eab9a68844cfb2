"""Lowering within a limit of memory: a program whose planned peak is above it is planned anew, with
values evicted (`evict.py`), until it fits; one that cannot fit is refused, with what holds most.
"""

from __future__ import annotations

from ..base.errors import OutOfMemory, complain
from .evict import Eviction
from .evict_code import write
from .format import LEAVING, UNIT
from .linearize import Function, LinearIR
from .memory import ownership
from .peak import CallTable, Peak, arena_needs, held, listed, peak, pooled

_ROUNDS, _SHARE = 8, 0.93
"""So many plans are tried, each with a smaller arena in mind: one is larger than what lies in it at
one time, as pieces between are too small for anything.
"""


def fitted(linear, plan, planned: LinearIR, limit: int, workspace: int, traits: dict):
    """A program like ``planned`` whose peak is at most ``limit`` bytes.

    Args:
        linear (Callable): gives the program before its memory is planned.
        plan (Callable): plans it.
        planned (LinearIR): the program without a limit.
        limit (int): bytes.
        workspace (int): bytes that its kernels share.
        traits (dict): of the device.

    Returns:
        LinearIR: it is ``planned`` itself if that fits as it is.

    Raises:
        MemoryError: nothing fits.
    """
    root, found = planned.functions[0], peak(planned, workspace)
    table = arena_needs(planned, CallTable(planned))
    needs, least = [table[f] for f in planned.functions], found
    if found.bytes <= limit and needs[0] == root.arena:
        return planned
    size = pooled if traits["host_memory"] else int
    room = _largest(limit - (found.bytes - found.arena), found.arena, size)
    # Smaller and smaller ones; where that is of no use, larger ones, with which the choice does
    # better if next to nothing fits.
    smaller = iter([int(room * _SHARE**k) for k in range(_ROUNDS)] if room > 0 else [0])
    larger = iter([(room + found.arena) // 2, (3 * room + found.arena) // 4])
    while (budget := next(smaller, None)) is not None or (budget := next(larger, None)) is not None:
        program = linear()
        evict(program, max(budget, 0) // UNIT, needs, traits)
        found = peak(plan(program), workspace)
        if found.bytes <= limit:
            reserve(program)
            return program
        if found.bytes >= least.bytes:
            smaller = iter(())
        least = min(least, found, key=lambda p: p.bytes)
    raise _too_large(root, least, limit)


def beside(planned: LinearIR, device) -> int:
    """Bytes on the device that do not belong to the program: neither parameters, arguments nor
    constants.
    """
    device.trim()  # what other programs keep for their next runs is theirs only while there is room
    return max(device.memory()["in_use"] - sum(h.bytes for h in held(planned)), 0)


def _largest(room: int, most: int, size) -> int:
    """The largest arena, of ``most`` bytes at most, for which ``size`` says that it takes ``room``."""
    if size(most) <= room:
        return most
    low, high = 0, most
    while high - low > UNIT:
        middle = (low + high) // 2
        low, high = (middle, high) if size(middle) <= room else (low, middle)
    return low


def reserve(program: LinearIR) -> None:
    """Let the arena of the root hold those of all calls: one piece of memory, of the size that was
    planned.
    """
    root = program.functions[0]
    root.arena = arena_needs(program, CallTable(program))[root]


def evict(program: LinearIR, budget: int, needs: list[int], traits: dict) -> None:
    """Evict what does not fit in an arena of ``budget`` units, in all functions.

    Args:
        program (LinearIR): its memory is not planned.
        needs (list[int]): per function the units that it takes with its calls, as it is.
    """
    ownership(program)
    calls, functions = CallTable(program), program.functions
    need, above = dict(zip(functions, needs)), {functions[0]: 0}
    for f in functions:
        if f not in above:  # only a value calls it
            continue
        inner = {
            k: max((need[g] for g in targets if g is not f), default=0)
            for k, i, targets in calls.of[f]
            if i.op not in LEAVING
        }
        eviction = Eviction(program, f, budget - above[f], inner, traits)
        if eviction.choose():
            write(eviction)
        for k, i, targets in calls.of[f]:
            below = 0 if i.op in LEAVING else int(eviction.live[k]) - inner[k]
            for g in targets:
                above[g] = max(above.get(g, 0), above[f] + below)
    for s in (s for f in functions for s in _storages(f)):
        s.owned = s.keeps = False  # the plan asks again


def _storages(f: Function):
    yield from (s for s, _ in f.params)
    for i in f.code:
        yield from (s for s, _ in i.outs)
        yield from (s for s, _ in i.reads())


def _too_large(root: Function, least: Peak, limit: int) -> Exception:
    mib = 2**20
    holders = "".join(f"\n  {line}" for line in listed(least.holders))
    return complain(
        OutOfMemory,
        f"{root.name}: needs {least.bytes / mib:.2f} MiB, also where values are computed again or "
        f"kept on the host meanwhile; the memory is limited to {limit / mib:.2f} MiB. At the peak "
        f"there are:{holders}",
        loc=root.graph.loc,
    )
