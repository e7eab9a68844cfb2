"""The last step of a compilation in a process that is one of several: its own part of the program."""

from __future__ import annotations

import math

from .. import sharding
from ..base.errors import StrategyError, complain, user_loc
from ..base.options import Division, is_divided
from ..base.world import world
from ..ir import walk
from ..ir.abstract import AbstractRef, AbstractTensor
from ..ir.node import Graph, Param
from ..ops.define import P
from .choice import axes_of
from .cluster import cluster
from .layout import Mesh, Sharding
from .partition import partition
from .propagate import Shardings, propagate, shape_of
from .search import Search
from .stages import StageMap
from .states import optimizer_parallel


def divide(graph: Graph, options) -> Graph:
    """The graph that this rank runs; all of it where programs are not divided."""
    division = getattr(options, "division", None)
    if division is None:
        return graph
    shardings, stages = laid_out(graph, division)
    if division.save and division.rank == 0:
        held = [p for p in graph.params if isinstance(p.abstract, AbstractRef)]
        layouts = {p.name: shardings.of(p) for p in held}
        homes = {} if stages is None else stages.homes
        owners = {p.name: homes[p] for p in held if p in homes}
        found = sharding.files.Layouts(shardings.mesh, layouts, -1, division.stages, owners)
        sharding.files.write(division.save, found)
    parts = division.batch != "full_batch"
    return partition(graph, shardings, division.rank, parts, stages)


def laid_out(graph: Graph, division: Division) -> tuple[Shardings, StageMap | None]:
    """How the values of a program lie, and its stages if there are several."""
    told = sharding.files.read(division.load) if division.load else None
    mesh = mesh_of(graph, division.width, None if told is None else told.mesh)
    known = given(graph, mesh, division)
    if told is not None:
        known.update(_loaded(graph, mesh, known, told))
    if division.optimizer is not None:
        known.update(optimizer_parallel(graph, mesh, known, division.optimizer))
    if division.searches:
        known.update(asked(graph, mesh, known))
        found = Search(graph, mesh, cluster("cpu", division.width), known, division.limits).run()
        known.update(found)
    shardings = propagate(graph, mesh, known)
    if division.stages == 1:
        return shardings, None
    return shardings, StageMap(graph, division.stages, division.schedule)


def _loaded(
    graph: Graph, mesh: Mesh, known: dict, told: sharding.files.Layouts
) -> dict[Param, Sharding]:
    """The layouts that a strategy file tells of parameters that have none yet.

    Raises:
        ValueError: it is of another mesh.
    """
    if told.mesh != mesh:
        shown = [dict(zip(m.names, m.sizes)) for m in (told.mesh, mesh)]
        raise complain(
            ValueError,
            f"the strategy file is of a mesh {shown[0]}, the program of {shown[1]}",
            cure="use the Layout that it was saved with",
        )
    held = [p for p in graph.params if isinstance(p.abstract, AbstractRef) and p not in known]
    return {p: told.dims[p.name] for p in held if p.name in told.dims}


def whole_types(types: list, division: Division | None) -> list:
    """The abstract values of arguments, from those of this rank's parts.

    Args:
        types (list): abstract values.
        division (Division): how they are divided; None, not at all.
    """
    if division is None or division.batch == "full_batch":
        return types
    found, i = [], 0
    _expect_fits(division.batch, [a for a in types if isinstance(a, AbstractTensor)])
    for a in types:
        if isinstance(a, AbstractTensor):
            parts = _parts(division, i, len(a.shape))
            a = AbstractTensor(tuple([n * p for n, p in zip(a.shape, parts)]), a.dtype)
            i += 1
        found.append(a)
    return found


def _expect_fits(batch: str | tuple, types: list) -> None:
    """Raise unless a ``dataset_strategy`` is for some arguments."""
    if batch == "data_parallel":
        return
    fits = [len(dims) == len(a.shape) for (dims, _), a in zip(batch, types)]
    if len(batch) > len(types) or not all(fits):
        raise complain(
            StrategyError,
            f"dataset_strategy is {tuple([dims for dims, _ in batch])}",
            expected=f"at most {len(types)} strategies, one entry for each dimension",
        )


def _parts(division: Division, i: int, rank: int) -> tuple[int, ...]:
    """In how many parts each dimension of argument ``i`` is."""
    if division.batch == "data_parallel":
        return (division.width, *(1,) * (rank - 1)) if rank else ()
    if i >= len(division.batch):
        return (1,) * rank
    dims, mesh = division.batch[i]
    length = dict(zip(*mesh)) if mesh else {}
    return tuple([d if isinstance(d, int) else math.prod([length[a] for a in d]) for d in dims])


class Elsewhere:
    """The executable of a program for processes that are not there: it was compiled, and cannot run."""

    def __init__(self, division: Division):
        self.division = division

    def bind(self, parameters: list) -> None:
        """Take the parameters' arrays, as an executable does."""

    def __call__(self, arrays: list):
        size, here = self.division.size, world.size
        raise complain(
            RuntimeError,
            f"a program for {size} processes is run in a world of {here}",
            cure=f"start the script by python -m minds.launch -n {size}, and call communication.init() "
            "before it is compiled; or leave device_num to the world",
        )


def expect_undivided(fn) -> None:
    """Raise if programs are divided: ``fn`` is about to run eagerly, where nothing is.

    Raises:
        RuntimeError: they are.
    """
    if is_divided():
        name = getattr(fn, "__name__", type(fn).__name__)
        raise complain(
            RuntimeError,
            f"{name} runs eagerly, and a parallel_mode that divides programs is for compiled ones",
            loc=user_loc(),
            cure="ms.set_context(mode=ms.GRAPH_MODE), or call it, with its gradient, in a function of ms.jit",
        )


def is_elsewhere(division: Division | None) -> bool:
    """Whether programs are divided among processes that are not there."""
    return division is not None and division.size != world.size


def mesh_of(graph: Graph, size: int, otherwise: Mesh | None = None) -> Mesh:
    """The mesh that a program names, else that on which its parameters lie, else ``otherwise``, else one
    whose axes are as short as they can be.

    Raises:
        ValueError: it names two, or one of another size.
    """
    placed = [n for g in walk.graphs(graph) for n in g if n.fn is P.placed]
    found = {n.args[2].value: n.loc for n in placed if n.args[2].value}
    for p in graph.params:
        plan = _plan_of(p)
        if plan is not None and plan[1]:
            found.setdefault(plan[1], p.loc)
    if len(found) > 1:
        loc = list(found.values())[1]
        texts = " and ".join("x".join(map(str, sizes)) for _, sizes in found)
        raise complain(
            StrategyError,
            f"layouts of one program have device matrices {texts}, or other names",
            loc=loc,
            cure="use one Layout, with an axis for each way in which tensors are divided",
        )
    for (names, sizes), loc in found.items():
        if math.prod(sizes) != size:
            raise complain(
                StrategyError,
                f"a layout of {math.prod(sizes)} devices in a program of {size}",
                loc=loc,
                expected=f"a device matrix whose product is {size}",
            )
        return Mesh(tuple(names), tuple(sizes))
    for p in graph.params:
        lies = getattr(p.default, "lies", None)
        if lies is not None and lies.mesh.size == size:
            return lies.mesh
    if otherwise is not None:
        return otherwise
    primes = factors(size)
    return Mesh(tuple([f"axis{i}" for i in range(len(primes))]), tuple(primes))


def factors(n: int) -> list[int]:
    """The prime factors of a number, the largest first."""
    found, p = [], 2
    while n > 1:
        while n % p == 0:
            found.append(p)
            n //= p
        p += 1
    return found[::-1]


def _plan_of(p: Param) -> tuple | None:
    """The strategy that is said of a parameter, and the axes that it names."""
    told = isinstance(p.abstract, AbstractRef)
    return getattr(p.default, "__dict__", {}).get("strategy") if told else None


def planned(graph: Graph, mesh: Mesh) -> dict[Param, Sharding]:
    """The layouts of the parameters that say theirs, or lie in parts on this mesh already."""
    found = {}
    for p in graph.params:
        lies = getattr(p.default, "lies", None)
        if lies is not None and lies.mesh == mesh:
            found[p] = lies.layout
        plan = _plan_of(p)
        if plan is not None:
            found[p] = Sharding(tuple(axes_of(mesh, plan[0], Sharding.whole(len(plan[0])))))
    return found


def asked(graph: Graph, mesh: Mesh, known: dict) -> dict[Param, Sharding]:
    """The layouts that follow from what ops on parameters are to do: no search changes them."""
    if not any(n.fn is P.placed for g in walk.graphs(graph) for n in g):
        return {}
    found = propagate(graph, mesh, known).wanted
    return {p: s for p, s in found.items() if p not in known}


def given(graph: Graph, mesh: Mesh, division: Division) -> dict[Param, Sharding]:
    """The layouts of the arguments, and of parameters that say theirs."""
    found = planned(graph, mesh)
    arguments = [p for p in graph.params if isinstance(p.abstract, AbstractTensor)]
    if division.batch == "full_batch":
        return found
    for i, p in enumerate(arguments):
        dims = _parts(division, i, len(shape_of(p)))
        if division.batch != "data_parallel" and i < len(division.batch):
            dims = division.batch[i][0]
        found[p] = Sharding(tuple(axes_of(mesh, dims, Sharding.whole(len(dims)))))
    return found


__all__ = ["Elsewhere", "divide", "expect_undivided", "is_elsewhere", "laid_out", "whole_types"]
