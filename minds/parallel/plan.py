"""A plan: how a training step would run on a cluster, without one.

`plan` compiles the step once, searches the layouts that are not given on the meshes that the number of
devices allows, and tells what a device computes, sends and holds.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math

from ..base.options import freeze
from ..ir.abstract import AbstractTensor
from ..ir.node import Graph
from ..jit.pipeline import build_graph
from ..sharding.cluster import Cluster, cluster
from ..sharding.cost import StepCost, step_cost
from ..sharding.layout import Mesh
from ..sharding.search import Search
from ..sharding.step import asked, factors, mesh_of, planned


@dataclasses.dataclass
class StepPlan:
    """What `plan` found.

    Attributes:
        mesh (Mesh): the devices.
        layouts (dict[str, tuple]): for each argument and parameter the axes that divide each dimension.
        cost (StepCost): of a device.
        tried (int): how many layouts were compared.
    """

    mesh: Mesh
    layouts: dict[str, tuple]
    cost: StepCost
    tried: int

    def to_dict(self) -> dict:
        """Everything as numbers and text.

        Returns:
            dict: ``mesh``, ``layouts``, ``time``, ``compute``, ``communication`` in seconds, ``flops``,
            ``traffic``, ``held`` and ``temporary`` in bytes, ``worst``, the line at which most is held.
        """
        c = self.cost
        return {
            "mesh": dict(zip(self.mesh.names, self.mesh.sizes)),
            "layouts": {n: [list(d) for d in dims] for n, dims in self.layouts.items()},
            "time": c.time,
            "compute": c.compute,
            "communication": c.communication,
            "flops": c.flops,
            "traffic": dict(c.traffic),
            "held": c.held,
            "temporary": c.temporary,
            "worst": "" if c.worst is None else f"{c.worst.fn.name} at {c.worst.loc}",
        }

    def to_json(self) -> str:
        """`to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=1)

    def __str__(self) -> str:
        c = self.cost
        mesh = " x ".join(f"{n} {s}" for n, s in zip(self.mesh.names, self.mesh.sizes))
        lines = [
            f"{self.mesh.size} devices: {mesh}",
            f"step {1e3 * c.time:.3f} ms: compute {1e3 * c.compute:.3f}, communication "
            f"{1e3 * c.communication:.3f}",
            f"memory {c.memory / 1e6:.1f} MB: parameters and states {c.held / 1e6:.1f}, the rest at most "
            f"{c.temporary / 1e6:.1f}"
            + ("" if c.worst is None else f", in {c.worst.fn.name} at {c.worst.loc}"),
        ]
        lines += [f"{n / 1e6:.1f} MB along {axis}" for axis, n in c.traffic.items()]
        width = max(map(len, self.layouts), default=0)
        for name, dims in self.layouts.items():
            text = ", ".join("+".join(d) or "-" for d in dims)
            lines.append(f"  {name:<{width}}  ({text})")
        return "\n".join(lines)


def plan(step, args: tuple, machines: Cluster | str = "h100", devices: int = 8) -> StepPlan:
    """How a step would run on a cluster: layouts of what does not say its own, time, traffic and memory.

    Args:
        step (Callable, Cell): what is to run, such as `nn.TrainOneStepCell`.
        args (tuple): its arguments, of the sizes that all devices together get.
        machines (Cluster, str): the cluster, or a kind of machine as of `cluster`. Default: ``h100``.
        devices (int): how many, where ``machines`` is a kind. Default: 8.

    Returns:
        StepPlan: the best that was found.

    Raises:
        ValueError: the kind is not known, or layouts in the program do not fit the devices.

    Examples:
        >>> import minds as ms
        >>> w = ms.Parameter(ops.ones((4096, 4096)), name="w")
        >>> found = ms.parallel.plan(lambda x: ops.matmul(x, w).sum(), (ops.ones((8192, 4096)),))
        >>> found.mesh.size, found.cost.flops < 2 * 8192 * 4096 * 4096
        (8, True)
    """
    if isinstance(machines, str):
        machines = cluster(machines, devices)
    return plan_graph(graph_of(step, args), machines)


def graph_of(step, args: tuple) -> Graph:
    """The program behind J that a step is for some arguments."""
    return build_graph(
        step, args, {}, freeze(alone=True), None, lambda ip, out, graph, scope: graph
    )


def plan_graph(graph: Graph, machines: Cluster) -> StepPlan:
    """The best plan for a program behind J.

    Args:
        graph (Graph): the program.
        machines (Cluster): what it is to run on.

    Returns:
        StepPlan: it.
    """
    best = None
    for mesh in _meshes(graph, machines.devices):
        known = planned(graph, mesh)
        known.update(asked(graph, mesh, known))
        search = Search(graph, mesh, machines, known)
        shardings = search.shardings(search.run())
        cost = step_cost(graph, shardings, machines)
        fits = cost.memory <= machines.memory
        rank = (not fits, cost.time if fits else cost.memory)
        if best is None or rank < best[0]:
            names = {p.name: shardings.of(p).dims for p in graph.params if _is_tensor(p)}
            best = rank, StepPlan(mesh, names, cost, search.tried)
    return best[1]


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
