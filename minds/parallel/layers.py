"""Equal layers are planned once: a step with few of them is searched and lowered, and what each of some more
adds is added for all others.

The layers are the equal cells of the longest `CellList` or `SequentialCell`. Weights that are left out are
left out of all tuples that name them, and so is what stands at their places in others of the cell, such as
the states of an optimiser.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import re
from collections.abc import Iterator

from ..lower.peak import Holder, Peak
from ..nn import Cell, CellList, SequentialCell
from ..sharding.simulate import Span
from ..tensor import Parameter
from ..transforms.grad import Gradient
from .step_plan import StepPlan

FEW, MORE = 4, 8
"""So many layers are searched and planned, and so many are planned: one more would not tell enough, since
memory grows by steps.
"""
LEAST = 12
"""Of so many layers only few are planned."""


def pattern(name: str) -> str:
    """A name without the number of its layer."""
    return re.sub(r"\b\d+\.", "#.", name)


def _signature(cell: Cell) -> tuple:
    held = [(pattern(p.name), p.shape, p.dtype) for p in cell.get_parameters()]
    return pattern(repr(cell)), tuple(held)


def equal_layers(step) -> tuple[Cell, int] | None:
    """The container of the most equal cells in a row, from its first cell on, and how many there are."""
    if not isinstance(step, Cell):
        return None
    best = None
    for _, cell in step.cells_and_names():
        if type(cell) not in (CellList, SequentialCell) or len(cell) < LEAST:
            continue
        cells = list(cell)
        first = _signature(cells[0])
        same = all(_signature(c) == first for c in cells[1:])
        if same and first[1] and (best is None or len(cells) > best[1]):
            best = cell, len(cells)
    return best


@contextlib.contextmanager
def with_layers(step: Cell, container: Cell, count: int) -> Iterator[None]:
    """Inside of a block a step has the first ``count`` cells of a container alone."""
    before: list[tuple[dict, str, object]] = []

    def put(of: Cell | Gradient, name: str, value) -> None:
        before.append((vars(of), name, vars(of)[name]))
        vars(of)[name] = value

    gone = {id(p) for c in list(container)[count:] for p in c.get_parameters()}
    try:
        cells = list(container._cells.items())[:count]
        put(container, "_cells", type(container._cells)(cells))
        put(container, "cell_list", tuple([c for _, c in cells]))
        for _, cell in step.cells_and_names():
            for one in (cell, *[v for v in vars(cell).values() if isinstance(v, Gradient)]):
                _leave_out(one, gone, put)
        yield
    finally:
        for attributes, name, value in reversed(before):
            attributes[name] = value


def _leave_out(cell: Cell | Gradient, gone: set[int], put) -> None:
    tuples = {n: v for n, v in vars(cell).items() if isinstance(v, (tuple, list)) and v}
    masks = {}
    for value in tuples.values():
        if all(isinstance(p, Parameter) for p in value) and any(id(p) in gone for p in value):
            masks[len(value)] = [id(p) not in gone for p in value]
    for name, value in tuples.items():
        mask = masks.get(len(value))
        if mask is not None:
            put(cell, name, type(value)([v for v, kept in zip(value, mask) if kept]))


def extended(few: StepPlan, more: StepPlan, names: list[str], count: int) -> StepPlan | None:
    """The plan for ``count`` layers from those for ``FEW`` and for ``MORE``.

    Args:
        few (StepPlan): for ``FEW`` layers.
        more (StepPlan): for ``MORE``, with the same layouts.
        names (list[str]): of all parameters of the step.
        count (int): of layers.

    Returns:
        StepPlan, None: None where the step has other parameters than these tell.
    """
    layouts = {pattern(n): dims for n, dims in more.layouts.items()}
    names = [n for n in names if pattern(n) in layouts]
    times = (count - FEW) / (MORE - FEW)
    counts = [collections.Counter(map(pattern, p)) for p in (few.layouts, more.layouts, names)]
    for name, n in counts[2].items():
        if n != counts[0][name] + times * (counts[1][name] - counts[0][name]):
            return None

    def line(a: float, b: float) -> float:
        return a + times * (b - a)

    cost = dataclasses.replace(
        more.cost,
        **{
            n: line(getattr(few.cost, n), getattr(more.cost, n))
            for n in ("compute", "communication", "flops", "held", "temporary")
        },
        traffic={a: int(line(few.cost.traffic.get(a, 0), n)) for a, n in more.cost.traffic.items()},
    )
    all_names = {n: layouts[pattern(n)] for n in names}
    arguments = {n: d for n, d in more.layouts.items() if pattern(n) not in map(pattern, names)}
    return dataclasses.replace(
        more,
        layouts={**arguments, **all_names},
        cost=cost,
        spans=_spans(few.spans, more.spans, line),
        peaks={g: _peak(few.peaks[g], p, names, line) for g, p in more.peaks.items()},
    )


def between(one: StepPlan, other: StepPlan, part: float) -> StepPlan:
    """The plan of a step that is so much like another one: their costs in between.

    Args:
        one (StepPlan), other (StepPlan): plans of the same layouts.
        part (float): 0, as the first; 1, as the other.

    Returns:
        StepPlan: it.
    """

    def line(a: float, b: float) -> float:
        return a + part * (b - a)

    cost = dataclasses.replace(
        other.cost,
        **{
            n: line(getattr(one.cost, n), getattr(other.cost, n))
            for n in ("compute", "communication", "held", "temporary")
        },
    )
    peaks = {g: _between(one.peaks[g], p, line) for g, p in other.peaks.items()}
    spans = _spans(one.spans, other.spans, line)
    return dataclasses.replace(other, cost=cost, spans=spans, peaks=peaks)


def _between(one: Peak, other: Peak, line) -> Peak:
    rows: dict[tuple, list[int]] = {}
    for i, peak in enumerate((one, other)):
        for h in peak.holders:
            rows.setdefault((h.what, h.loc), [0, 0])[i] += h.bytes
    holders = [Holder(int(line(*both)), what, loc) for (what, loc), both in rows.items()]
    found = sorted([h for h in holders if h.bytes > 0], key=lambda h: -h.bytes)
    return Peak(int(line(one.bytes, other.bytes)), int(line(one.arena, other.arena)), found)


def _spans(few: list, more: list, line) -> list[Span]:
    """The spans of a step, as long as those of all layers are together."""
    totals = [{}, {}]
    for total, spans in zip(totals, (few, more)):
        for s in spans:
            total[s.what, s.kind] = total.get((s.what, s.kind), 0.0) + s.end - s.start
    found, now = [], 0.0
    for s in more:
        key = s.what, s.kind
        factor = line(totals[0].get(key, 0.0), totals[1][key]) / totals[1][key]
        end = now + (s.end - s.start) * factor
        found.append(dataclasses.replace(s, start=now, end=end))
        now = end
    return found


def _peak(few: Peak, more: Peak, names: list[str], line) -> Peak:
    rows: dict[tuple, list[int]] = {}
    weights = {}
    for i, peak in enumerate((few, more)):
        for h in peak.holders:
            if h.what.startswith("Parameter"):
                weights[pattern(h.what)] = h.bytes
            else:
                rows.setdefault((h.what, h.loc), [0, 0])[i] += h.bytes
    holders = [Holder(int(line(*both)), what, loc) for (what, loc), both in rows.items()]
    for name in names:
        what = f"Parameter '{name}'"
        if pattern(what) in weights:
            holders.append(Holder(weights[pattern(what)], what, None))
    found = sorted([h for h in holders if h.bytes > 0], key=lambda h: -h.bytes)
    return Peak(int(line(few.bytes, more.bytes)), int(line(few.arena, more.arena)), found)


__all__ = ["FEW", "MORE", "between", "equal_layers", "extended", "pattern", "with_layers"]
