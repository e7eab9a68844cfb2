"""Which cells of a step are to be computed again for their gradients, so that it fits into memory.

Cells are taken in the order in which they run, since what the first ones keep lives longest; as few as are
needed, of a pipeline in each stage. They are the cells of lists and sequences that hold weights, the
outermost ones.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator

from ..nn import Cell, CellList, SequentialCell
from .step_plan import StepPlan


def candidates(step) -> dict[str, Cell]:
    """The cells that may be recomputed, by name."""
    found: dict[str, Cell] = {}
    for name, cell in step.cells_and_names() if isinstance(step, Cell) else ():
        inside = any(name.startswith(f"{outer}.") for outer in found)
        if type(cell) in (CellList, SequentialCell) and not inside:
            for key, part in cell.name_cells().items():
                if next(iter(part.get_parameters()), None) is not None and not part._recomputed:
                    found[f"{name}.{key}" if name else key] = part
    return found


@contextlib.contextmanager
def recomputed(cells: list[Cell]) -> Iterator[None]:
    """Let some cells be recomputed inside of a block."""
    for c in cells:
        c.__dict__["_recomputed"] = True
    try:
        yield
    finally:
        for c in cells:
            del c.__dict__["_recomputed"]


def fitted(step, found: StepPlan, plan_of: Callable[[], StepPlan], mixed: Callable | None):
    """A plan in which as few cells are recomputed as the memory of a device needs; in a pipeline, of each
    stage that needs it.

    Args:
        step (Callable, Cell): the step.
        found (StepPlan): the plan without any.
        plan_of (Callable): gives the plan of the step as it is now.
        mixed (Callable): where few equal layers tell plans, gives from a plan with nothing recomputed, one
            with all, and the part that is, the plan in between; None where all cells tell them.

    Returns:
        StepPlan: it; ``found`` itself where it fits, or would not fit with all cells.
    """
    cells, room = candidates(step), found.machines.memory
    if found.memory <= room or not cells:
        return found
    trial = _Trial(found, cells, plan_of)
    best = trial.of(trial.most)
    if best is None or not trial.fits(best):
        return found
    if mixed is not None:
        part = (found.memory - room) / (found.memory - best.memory)
        trial.most[0] = math.ceil(part * len(cells))
        best = mixed(found, best, trial.most[0] / len(cells))
    else:
        best = trial.fewest()
    best.recomputed = tuple(trial.names(trial.most))
    best.advice.insert(0, _told(found, best))
    return best


class _Trial:
    """Plans of a step with more or fewer cells recomputed.

    Attributes:
        members: the names of the cells of each group of devices, in the order in which they run.
        most: of each group, so many are enough.
    """

    def __init__(self, found: StepPlan, cells: dict[str, Cell], plan_of: Callable[[], StepPlan]):
        self.found, self.cells, self.plan_of = found, cells, plan_of
        self.members: dict[int, list[str]] = {}
        stage = 0
        for name, cell in cells.items():
            stage = vars(cell).get("_pipeline_stage", stage) if found.stages > 1 else 0
            self.members.setdefault(stage % found.stages, []).append(name)
        lacking = {g: p.bytes > found.machines.memory for g, p in found.peaks.items()}
        first = next(iter(lacking.values()))  # what is not known of a stage is as of the first
        self.most = {g: len(m) * lacking.get(g, first) for g, m in self.members.items()}

    def names(self, counts: dict[int, int]) -> list[str]:
        chosen = {n for g, count in counts.items() for n in self.members[g][:count]}
        return [n for n in self.cells if n in chosen]

    def of(self, counts: dict[int, int]) -> StepPlan:
        """The plan in which the first of each group, so many, are recomputed."""
        with recomputed([self.cells[n] for n in self.names(counts)]):
            return self.plan_of()

    def fits(self, plan: StepPlan) -> bool:
        return plan.memory <= self.found.machines.memory

    def fewest(self) -> StepPlan:
        """The plan with as few of each group as are enough, found by halves for all groups at once."""
        known, least = set(self.found.peaks), dict.fromkeys(self.most, 0)
        whole = {g: max(len(m), 1) for g, m in self.members.items()}
        best = None
        while any(self.most[g] - least[g] > 1 for g in self.most if g in known):
            counts = {g: (least[g] + n + 1) // 2 if g in known else n for g, n in self.most.items()}
            one = self.of(counts)
            for g in known & counts.keys():
                enough = one.peaks[g].bytes <= self.found.machines.memory
                (self.most if enough else least)[g] = counts[g]
            best = one if counts == self.most else None
        first = min(self.most)
        for g in self.most.keys() - known:
            self.most[g] = math.ceil(self.most[first] / whole[first] * whole[g])
            best = None
        return self.of(self.most) if best is None else best


def _told(found: StepPlan, best: StepPlan) -> str:
    names = best.recomputed
    shown = names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"
    longer = 100 * (best.time / found.time - 1)
    return (
        f"recompute() {len(names)} cells, {shown}: {best.memory / 1e9:.3g} GB in place of "
        f"{found.memory / 1e9:.3g}, and {longer:.0f} % more time"
    )


__all__ = ["candidates", "fitted", "recomputed"]
