"""Cells made in compiled code: ``nn.ClipByNorm()(grad)`` inside a `construct`.

What a cell is made of is known while compiling, so it is made then, by Python. Parameters of its own
start anew at each call; where they would have other values then, or the run decides whether there are
any, the cell is refused.
"""

from __future__ import annotations

from ..base import tree
from ..base.errors import ParseError, complain
from ..ir import build
from ..ir.abstract import AbstractTensor
from ..ir.node import Node
from .describe import need_static


def is_cell(v) -> bool:
    """Whether ``v``, an object or a class, is a cell: it has a `construct`."""
    return hasattr(v, "construct")


def make_cell(ip, cls: type, args: list, kwargs: dict):
    """The cell ``cls(*args, **kwargs)``.

    Raises:
        TypeError: an argument is a tensor of the run, as where a class is called like its cells.
        CompileTimeError: an argument is a run-time value.
        ParseError: the cell has parameters that no argument brought along, and they are drawn, or
            made under a condition or in a loop.
    """
    given = tree.leaves([args, kwargs])
    for v in given:
        if isinstance(v, Node) and isinstance(v.abstract, AbstractTensor):
            what = f"{cls.__name__} is a class, and is called with a Tensor of the run"
            raise complain(TypeError, what, cure=f"make a cell in __init__: {cls.__name__}(...)")
        need_static(v, f"an argument of {cls.__name__}")
    with build.building(None):
        cell = cls(*args, **kwargs)
        known = {id(p) for v in given if is_cell(v) for p in v.get_parameters()}
        new = [p for p in cell.get_parameters() if id(p) not in known]
        drawn = new and _contents(cls(*args, **kwargs)) != _contents(cell)
    if drawn or new and ip.flow.nested:
        what = f"a {cls.__name__} made in compiled code has new parameters at each call"
        cure = "make it in __init__ and use it here"
        raise complain(ParseError, f"{what}: {', '.join(p.name for p in new)}", cure=cure)
    for p in new:
        ip.parameters.keep(p)
    return cell


def _contents(cell) -> list:
    return [p.get_bytes() for p in cell.get_parameters()]
