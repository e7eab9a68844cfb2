"""A plan: how a training step would run on a cluster, without one.

`plan` compiles the step once, searches the layouts that are not given on the meshes that the number of
devices allows, lowers what a device runs, and tells what that computes, sends and holds.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math

from ..base import tree
from ..base.errors import UserError, complain
from ..base.options import freeze
from ..base.outlines import shapes_alone
from ..compat.context import parallel_settings
from ..ir.abstract import AbstractRef, AbstractTensor
from ..ir.node import Apply, Graph, Node
from ..jit.pipeline import build_graph
from ..lower.peak import Holder, Peak, peak
from ..lower.program import planned as lowered
from ..sharding import simulate
from ..sharding.cluster import Cluster, cluster
from ..sharding.cost import alive_at_worst, spent, step_cost
from ..sharding.layout import Mesh, Sharding
from ..sharding.partition import partition
from ..sharding.propagate import Shardings, propagate
from ..sharding.search import Search
from ..sharding.stages import StageMap
from ..sharding.step import asked, factors, mesh_of, planned
from ..tensor import Tensor, TensorType
from .layers import FEW, MORE, between, equal_layers, extended, pattern, with_layers
from .recomputation import fitted
from .step_plan import StepPlan, advice

STAGES = "pp"
"""The axis of a mesh along which the stages of a pipeline are."""
WORK = 150_000
"""So many applications are gone through in a search where a program is large, all layouts together."""
LARGE = 20_000
"""A program of more applications is neither searched nor lowered."""


def plan(
    step,
    args: tuple,
    machines: Cluster | str | dict = "h100",
    devices: int = 8,
    mesh: dict | None = None,
    schedule: str = "1f1b",
    memory: float | None = None,
) -> StepPlan:
    """How a step would run on a cluster: layouts of what does not say its own, time, traffic and memory, and
    where this does not suffice which cells to recompute. No device of the cluster is needed, and no memory
    where `shapes_alone` made the network.

    Args:
        step (Callable, Cell): what is to run, such as `nn.TrainOneStepCell`.
        args (tuple): its arguments, of the sizes that all devices together get; ``Tensor(shape=…, dtype=…)``
            suffices.
        machines (Cluster, str, dict): the cluster, or a kind of machine as of `cluster`, or a mesh.
            Default: ``h100``.
        devices (int): how many, where ``machines`` is a kind and there is no mesh. Default: 8.
        mesh (dict): names and sizes of its axes, the outermost first; along ``"pp"`` are the stages of a
            pipeline. Default: None, the best that is found.
        schedule (str): in which order stages work: ``1f1b``, ``gpipe``, ``interleaved`` or ``zb``.
            Default: ``1f1b``.
        memory (float): bytes that a step may take of each device. Default: None, all that a device has.

    Returns:
        StepPlan: the best that was found.

    Raises:
        TypeError: ``mesh`` is no dict of ints, or ``memory`` no number.
        ValueError: ``memory`` is not positive, the kind is not known, or layouts in the program do not fit
            the devices.

    Examples:
        >>> import minds as ms
        >>> w = ms.Parameter(ops.ones((4096, 4096)), name="w")
        >>> found = ms.parallel.plan(lambda x: ops.matmul(x, w).sum(), (ops.ones((8192, 4096)),))
        >>> found.mesh.size, found.cost.flops < 2 * 8192 * 4096 * 4096
        (8, True)
    """
    if isinstance(machines, dict):
        mesh, machines = machines, "h100"
    sizes = _checked(mesh)
    if isinstance(machines, str):
        machines = cluster(machines, math.prod(sizes.values()) if sizes else devices)
    if sizes and math.prod(sizes.values()) != machines.devices:
        what = f"plan: a mesh of {math.prod(sizes.values())} devices on a cluster of {machines.devices}"
        raise complain(ValueError, what, expected="as many")
    if memory is not None:
        machines = dataclasses.replace(machines, memory=_positive(memory))
    stages = sizes.pop(STAGES, 1)
    within = Mesh(tuple(sizes), tuple(sizes.values())) if mesh else None
    with shapes_alone():
        alike = equal_layers(step) if stages == 1 else None
        found = None if alike is None else _by_layers(step, args, machines, within, *alike)
        if found is not None:
            again = functools.partial(_by_layers, step, args, machines, found.mesh, *alike, found)
            return fitted(step, found, again, between)
        found = plan_graph(graph_of(step, args, stages), machines, within, stages, schedule)
        return fitted(
            step, found, lambda: _alike(graph_of(step, args, stages), found, schedule), None
        )


def _positive(memory) -> float:
    if type(memory) not in (int, float):
        what = f"plan: memory has type {type(memory).__name__}"
        raise complain(TypeError, what, expected="a number of bytes")
    if not memory > 0:
        raise complain(ValueError, f"plan: memory is {memory}", expected="a positive number")
    return memory


def _alike(graph: Graph, like: StepPlan, schedule: str = "") -> StepPlan:
    """The plan of a program with the layouts of another one, whose equal layers may be fewer."""
    lie = {pattern(n): Sharding(dims) for n, dims in like.layouts.items()}
    known = {p: lie[pattern(p.name)] for p in graph.params if pattern(p.name) in lie}
    shardings = propagate(graph, like.mesh, known)
    return _told(graph, like.machines, shardings, like.tried, like.stages, schedule)


def _by_layers(
    step,
    args: tuple,
    machines: Cluster,
    mesh: Mesh | None,
    layers,
    count: int,
    like: StepPlan | None = None,
):
    """The plan of a step with equal layers, from two with few of them, with the layouts of another plan if
    there is one; None where these do not tell it.
    """
    held = [(p.name, p.size) for p in step.get_parameters()]
    left = {p.name for c in list(layers)[FEW:] for p in c.get_parameters()}
    try:
        with with_layers(step, layers, FEW):
            size = sum(p.size for p in step.get_parameters())
            graph = graph_of(step, args)
        with with_layers(step, layers, MORE):
            more = graph_of(step, args)
    except UserError:  # the step counts its layers
        return None
    if any(map(_may_count, graph)) or any(p.name in left for p in graph.params):
        return None
    part = size / sum(n for _, n in held)
    if like is None:
        few = plan_graph(graph, dataclasses.replace(machines, memory=machines.memory * part), mesh)
        few.machines = machines
    else:
        few = _alike(graph, like)
    found = extended(few, _alike(more, few), [n for n, _ in held], count)
    if found is not None:
        found.advice = advice(
            found, [p for p in more.params if isinstance(p.abstract, AbstractRef)]
        )
    return found


def _may_count(n: Apply) -> bool:
    """Whether it is a call, but of a gradient that recomputes (`apart`): a loop, which may count layers."""
    if isinstance(n.fn, Graph):
        return "apart" not in n.fn.flags
    return isinstance(n.fn, Node)


def _checked(mesh) -> dict[str, int]:
    good = mesh is None or isinstance(mesh, dict)
    for name, size in (mesh or {}).items() if good else ():
        good = good and isinstance(name, str) and type(size) is int and size > 0
    if not good:
        what = f"plan: mesh is {mesh!r}"
        raise complain(TypeError, what, expected='a dict of sizes, such as {"dp": 4, "mp": 2}')
    return dict(mesh or {})


def graph_of(step, args: tuple, stages: int = 1) -> Graph:
    """The program behind J that a step is for some arguments, with marks where it has several stages."""
    with shapes_alone():
        args = tree.map(_outline, args)

    def build():
        return build_graph(
            step, args, {}, freeze(alone=True), None, lambda ip, out, graph, scope: graph
        )

    if stages == 1:
        return build()
    count = {"device_num": stages, "global_rank": 0, "pipeline_stages": stages}
    with parallel_settings(parallel_mode="semi_auto_parallel", full_batch=True, **count):
        return build()


def _outline(v):
    if not isinstance(v, TensorType):
        return v
    if v.dims is None or not all(type(n) is int for n in v.dims):
        raise complain(
            ValueError, f"plan: an argument has the shape {v.shape}", expected="known sizes"
        )
    return Tensor(shape=v.dims, dtype=v.dtype, init=0)


def plan_graph(
    graph: Graph,
    machines: Cluster,
    mesh: Mesh | None = None,
    stages: int = 1,
    schedule: str = "1f1b",
) -> StepPlan:
    """The best plan for a program behind J.

    Args:
        graph (Graph): the program.
        machines (Cluster): what it is to run on.
        mesh (Mesh): of the devices of a stage. Default: None, the best that is found.
        stages (int): of a pipeline. Default: 1.
        schedule (str): of a pipeline. Default: ``1f1b``.

    Returns:
        StepPlan: it.
    """
    meshes = [mesh] if mesh is not None else _meshes(graph, machines.devices // stages)
    count = sum(1 for _ in graph)
    meshes = meshes[:1] if count > LARGE else meshes
    most = 1 if count > LARGE else max(2, WORK // (count * len(meshes)))
    best = None
    for one in meshes:
        known = planned(graph, one)
        known.update(asked(graph, one, known))
        search = Search(graph, one, machines, known)
        shardings = search.shardings(search.run(most))
        if len(meshes) == 1:
            return _told(graph, machines, shardings, search.tried, stages, schedule)
        cost = step_cost(graph, shardings, machines)
        fits = cost.memory <= machines.memory
        rank = (not fits, cost.time if fits else cost.memory)
        if best is None or rank < best[0]:
            best = rank, shardings, search.tried
    return _told(graph, machines, *best[1:], stages, schedule)


def _told(
    graph: Graph, machines: Cluster, shardings: Shardings, tried: int, stages: int, schedule: str
) -> StepPlan:
    """What is known of a step whose layouts are chosen."""
    mesh = shardings.mesh
    cost, times = spent(graph, shardings, machines)
    held = [p for p in graph.params if isinstance(p.abstract, AbstractRef)]
    layouts = {p.name: shardings.of(p).dims for p in graph.params if _is_tensor(p)}
    found = StepPlan(mesh, layouts, cost, tried, machines, stages)
    if stages == 1:
        found.spans = simulate.one_by_one(graph, times)
        found.is_estimate = sum(1 for _ in graph) > LARGE
        found.peaks = {0: (_estimated if found.is_estimate else _peak)(graph, shardings, 0)}
    else:
        marks = StageMap(graph, stages, schedule)
        if not marks.where:
            raise complain(
                ValueError,
                f"plan: no cell of the step is a stage of the {stages} of the mesh",
                cure="set pipeline_stage of the cells, and cut the batch by nn.PipelineCell",
            )
        link = simulate.between(machines, mesh.size)
        ran = simulate.Simulation(graph, marks, shardings, times, link)
        found.spans, cost.traffic[STAGES] = ran.spans, ran.traffic
        some = range(stages) if WORK // sum(1 for _ in graph) >= stages else (0, stages - 1)
        found.peaks = {g: _peak(graph, shardings, g * mesh.size, marks) for g in some}
    first = found.peaks[0]
    cost.held = sum(h.bytes for h in first.holders if h.what.startswith("Parameter"))
    cost.temporary = first.bytes - cost.held
    found.advice = advice(found, held)
    return found


def _peak(graph: Graph, shardings: Shardings, rank: int, stages: StageMap | None = None) -> Peak:
    """The memory of one device, by the lowering of what it runs."""
    local = partition(graph, shardings, rank, True, stages)
    return peak(lowered(local, freeze(alone=True)), 0)


def _estimated(graph: Graph, shardings: Shardings, rank: int) -> Peak:
    """The memory of one device, by the lifetimes of values."""
    held, rows = [], {}
    for p in filter(_is_tensor, graph.params):
        whole = getattr(p.abstract, "value", p.abstract)
        nbytes = (
            math.prod(shardings.of(p).local(shardings.mesh, whole.shape)) * whole.dtype.itemsize
        )
        name = f"Parameter '{p.name}'" if whole is not p.abstract else f"argument {p.name}"
        held.append(Holder(nbytes, name, None))
    for n, nbytes in alive_at_worst(graph, shardings).items():
        key = f"what {n.fn.name} gives", n.loc
        rows[key] = rows.get(key, 0) + nbytes
    made = [Holder(nbytes, what, loc) for (what, loc), nbytes in rows.items()]
    arena = sum(h.bytes for h in made)
    found = sorted([*held, *made], key=lambda h: -h.bytes)
    return Peak(sum(h.bytes for h in found), arena, found)


def _is_tensor(p) -> bool:
    return isinstance(getattr(p.abstract, "value", p.abstract), AbstractTensor)


def _meshes(graph: Graph, devices: int) -> list[Mesh]:
    """The mesh that the program names, else all of one axis or two."""
    named = mesh_of(graph, devices)
    if not named.names or not named.names[0].startswith("axis"):
        return [named]
    found = [Mesh(("dp",), (devices,))]
    primes = factors(devices)
    for count in range(1, len(primes)):
        for inner in set(itertools.combinations(primes, count)):
            n = math.prod(inner)
            found.append(Mesh(("dp", "mp"), (devices // n, n)))
    return list(dict.fromkeys(found))


__all__ = ["StepPlan", "graph_of", "plan", "plan_graph"]
