"""Optimizer parallel: what an optimiser keeps of a weight, and the weight itself, are divided among the
devices that would all hold the same.

Level 1 divides the states of the optimiser; gradients are then scattered where they are added up, so that
level 2, which divides them too, is the same here. Level 3 divides the weights, which are gathered where they
are used. (The stages of ZeRO.)
"""

from __future__ import annotations

import math

from ..base.options import OptimizerParallel
from ..ir.abstract import AbstractRef
from ..ir.node import Graph, Param
from .layout import Mesh, Sharding
from .propagate import propagate, shape_of

Layouts = dict[Param, Sharding]


def states_of(graph: Graph, weights) -> dict[Param, Param]:
    """The states of optimisers, by the weights that they belong to: those whose names end in a
    weight's, and that have its shape. Where the network has become part of another one since the
    optimiser was made, names of weights are longer than their states'.

    Args:
        graph (Graph): the program.
        weights (Iterable[Param]): the weights.

    Returns:
        dict[Param, Param]: for each state its weight.
    """
    named = {p.name: p for p in weights}
    found = {}
    for p in graph.params:
        if not isinstance(p.abstract, AbstractRef) or named.get(p.name) is p:
            continue
        rest = p.name
        while "." in rest and p not in found:
            rest = rest.partition(".")[2]
            owner = named.get(rest)
            if owner is not None and shape_of(owner) == shape_of(p):
                found[p] = owner
    left = [p for p in graph.params if isinstance(p.abstract, AbstractRef) and p not in found]
    for p in left if len(left) > len(named) else ():
        own = f".{p.name.partition('.')[2]}"
        owners = [w for n, w in named.items() if n.endswith(own) and shape_of(w) == shape_of(p)]
        if own != "." and named.get(p.name) is not p and len(owners) == 1:
            found[p] = owners[0]
    return found


def further(mesh: Mesh, shape: tuple, lies: Sharding, axis: str) -> Sharding:
    """A layout divided along one more axis, at the first dimension that allows it."""
    if axis and axis not in lies.axes:
        for d, n in enumerate(shape):
            if n % (lies.parts(mesh, d) * mesh.length(axis)) == 0:
                dims = [(*own, axis) if e == d else own for e, own in enumerate(lies.dims)]
                return Sharding(tuple(dims))
    return lies


def optimizer_parallel(graph: Graph, mesh: Mesh, known: Layouts, how: OptimizerParallel) -> Layouts:
    """The layouts of states and weights.

    Args:
        graph (Graph): a training step behind J.
        mesh (Mesh): the devices.
        known (dict[Param, Sharding]): the layouts that are given.
        how (OptimizerParallel): the level.

    Returns:
        dict[Param, Sharding]: of weights and states that are not given.
    """
    weights = weights_of(graph)
    states = states_of(graph, weights)
    # States that lie in parts since an earlier program must not be what weights follow.
    base = propagate(graph, mesh, {p: s for p, s in known.items() if p not in states})
    found = {w: base.of(w) for w in weights if w not in known}
    for p, owner in [*states.items(), *((w, w) for w in weights if how.level == 3)]:
        if p not in known:
            lies = base.of(owner)
            divided = _is_divided(owner, how)
            found[p] = _spread(mesh, shape_of(p), lies, how) if divided else lies
    return found


def weights_of(graph: Graph) -> list[Param]:
    """The parameters of a program that are trained."""
    return [p for p in graph.params if _is_weight(p)]


def _is_weight(p: Param) -> bool:
    held = p.default if isinstance(p.abstract, AbstractRef) else None
    return getattr(held, "requires_grad", False) and not held.is_state


def _is_divided(weight: Param, how: OptimizerParallel) -> bool:
    held = weight.abstract.value
    large = math.prod(held.shape) * held.dtype.itemsize >= how.threshold
    return large and getattr(weight.default, "parallel_optimizer", True)


def _spread(mesh: Mesh, shape: tuple, lies: Sharding, how: OptimizerParallel) -> Sharding:
    """Divided along every axis that is free, in at most so many parts."""
    parts = 1
    for axis in mesh.names:
        parts *= mesh.length(axis)
        if axis not in lies.axes and (how.most < 0 or parts <= how.most):
            lies = further(mesh, shape, lies, axis)
    return lies


__all__ = ["further", "optimizer_parallel", "states_of", "weights_of"]
