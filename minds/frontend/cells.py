"""Cells made in compiled code: ``nn.ClipByNorm()(grad)`` inside a `construct`.

What a cell is made of is known while compiling, so it is made then, by Python. A cell with
parameters of its own is refused: every call of the function would make new ones.
"""

from __future__ import annotations

from ..base import tree
from ..base.errors import ParseError, complain
from ..ir import build
from .describe import need_static


def is_cell(v) -> bool:
    """Whether ``v``, an object or a class, is a cell: it has a `construct`."""
    return hasattr(v, "construct")


def make_cell(cls: type, args: list, kwargs: dict):
    """The cell ``cls(*args, **kwargs)``.

    Raises:
        CompileTimeError: an argument is a run-time value.
        ParseError: the cell has parameters that no argument brought along.
    """
    given = tree.leaves([args, kwargs])
    for v in given:
        need_static(v, f"an argument of {cls.__name__}")
    with build.building(None):
        cell = cls(*args, **kwargs)
        known = {id(p) for v in given if is_cell(v) for p in v.get_parameters()}
        new = [p.name for p in cell.get_parameters() if id(p) not in known]
    if new:
        what = f"a {cls.__name__} made in compiled code has new parameters at each call"
        cure = "make it in __init__ and use it here"
        raise complain(ParseError, f"{what}: {', '.join(new)}", cure=cure)
    return cell
