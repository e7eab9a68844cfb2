"""Which cells of a step are to be computed again for their gradients, so that it fits into memory.

Cells are taken in the order in which they run, since what the first ones keep lives longest; as few as are
needed. They are the cells of lists and sequences that hold weights, the outermost ones.
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
    """A plan in which as few cells are recomputed as the memory of a device needs.

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
    names = list(cells)

    def of(count: int) -> StepPlan:
        with recomputed([cells[n] for n in names[:count]]):
            return plan_of()

    best, least, most = of(len(names)), 0, len(names)
    if best is None or best.memory > room:
        return found
    if mixed is not None:
        part = (found.memory - room) / (found.memory - best.memory)
        most = math.ceil(part * len(names))
        best = mixed(found, best, most / len(names))
    while mixed is None and most - least > 1:
        middle = (least + most) // 2
        one = of(middle)
        if one.memory <= room:
            best, most = one, middle
        else:
            least = middle
    best.recomputed = tuple(names[:most])
    best.advice.insert(0, _told(found, best))
    return best


def _told(found: StepPlan, best: StepPlan) -> str:
    names = best.recomputed
    shown = names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"
    longer = 100 * (best.time / found.time - 1)
    return (
        f"recompute() {len(names)} cells, {shown}: {best.memory / 1e9:.3g} GB in place of "
        f"{found.memory / 1e9:.3g}, and {longer:.0f} % more time"
    )


__all__ = ["candidates", "fitted", "recomputed"]
