"""What a plan tells: as text, as JSON, and what would be better."""

from __future__ import annotations

import dataclasses
import json
import re

from ..lower.peak import Peak, listed
from ..sharding import simulate
from ..sharding.cluster import Cluster
from ..sharding.cost import StepCost
from ..sharding.layout import Mesh
from .timeline import svg


@dataclasses.dataclass
class StepPlan:
    """What `plan` found.

    Attributes:
        mesh (Mesh): the devices, those of one stage where there is a pipeline.
        layouts (dict[str, tuple]): for each argument and parameter the axes that divide each dimension.
        cost (StepCost): of a device, all stages together; memory is that of the first stage.
        tried (int): how many layouts were compared.
        machines (Cluster): what the times are for.
        stages (int): of the pipeline.
        spans (list[Span]): what each group of devices does when.
        peaks (dict[int, Peak]): of groups of devices the memory of a device, by the lowering of its program
            for this machine's kernels, without their workspace. Of many large stages the first and the last.
        advice (list[str]): what to change.
        recomputed (tuple[str]): the cells that are to be computed again for their gradients
            (`Cell.recompute`), so that the step fits into memory; times and memory are with them.
        is_estimate (bool): whether memory is told by the lifetimes of values alone, as of programs that are
            too large to be lowered for a plan.
    """

    mesh: Mesh
    layouts: dict[str, tuple]
    cost: StepCost
    tried: int
    machines: Cluster
    stages: int = 1
    spans: list = dataclasses.field(default_factory=list)
    peaks: dict[int, Peak] = dataclasses.field(default_factory=dict)
    advice: list[str] = dataclasses.field(default_factory=list)
    is_estimate: bool = False
    recomputed: tuple[str, ...] = ()

    @property
    def time(self) -> float:
        """Seconds of a step."""
        return max((s.end for s in self.spans), default=0.0)

    @property
    def bubble(self) -> float:
        """How long the group that waits longest waits, as a part of how long it works."""
        return simulate.bubble(self.spans)

    @property
    def memory(self) -> int:
        """Bytes that the device holds that holds most."""
        return max((p.bytes for p in self.peaks.values()), default=0)

    def to_dict(self) -> dict:
        """Everything as numbers and text.

        Returns:
            dict: ``mesh``, ``stages``, ``layouts``; ``time``, ``compute``, ``communication`` in seconds,
            ``bubble``; ``flops``; ``traffic`` and ``memory`` in bytes, ``held`` and ``temporary`` of it in
            the first stage; ``holders``, for each group of devices what holds its memory; ``recomputed``,
            names of cells; ``timeline``; ``advice``.
        """
        c = self.cost
        return {
            "mesh": dict(zip(self.mesh.names, self.mesh.sizes)),
            "stages": self.stages,
            "layouts": {n: [list(d) for d in dims] for n, dims in self.layouts.items()},
            "time": self.time,
            "compute": c.compute,
            "communication": c.communication,
            "bubble": self.bubble,
            "flops": c.flops,
            "traffic": dict(c.traffic),
            "memory": self.memory,
            "held": c.held,
            "temporary": c.temporary,
            "holders": {g: [_holder(h) for h in p.holders] for g, p in self.peaks.items()},
            "recomputed": list(self.recomputed),
            "timeline": [dataclasses.asdict(s) for s in self.spans],
            "advice": self.advice,
        }

    def to_json(self) -> str:
        """`to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=1)

    def to_svg(self) -> str:
        """The timeline as a drawing."""
        return svg(self.spans, f"step {1e3 * self.time:.3f} ms, bubble {100 * self.bubble:.1f} %")

    def __str__(self) -> str:
        c = self.cost
        mesh = " x ".join(f"{n} {s}" for n, s in zip(self.mesh.names, self.mesh.sizes))
        stages = f"{self.stages} stages of " if self.stages > 1 else ""
        lines = [
            f"{self.mesh.size * self.stages} devices: {stages}{mesh}",
            f"step {1e3 * self.time:.3f} ms: compute {1e3 * c.compute:.3f}, communication "
            f"{1e3 * c.communication:.3f}"
            + (f", all stages together; bubble {100 * self.bubble:.1f} %" if stages else ""),
        ]
        for axis, n in c.traffic.items():
            link = self._link(axis)
            rate = f"{link.bandwidth / 1e9:g} GB/s among {link.devices}"
            lines.append(f"{n / 1e6:.1f} MB along {axis}, {rate}")
        for g, p in self.peaks.items():
            where = f" of stage {g}" if stages else ""
            how = " by the lifetimes of values" if self.is_estimate else ""
            lines.append(f"memory of a device{where}{how}: {p.bytes / 1e6:.1f} MB, of which")
            lines += listed(p.holders)
        lines += [f"- {text}" for text in self.advice]
        return "\n".join([*lines, *self._layout_lines()])

    def _layout_lines(self) -> list[str]:
        """The layouts; those of equal layers, whose names differ in numbers alone, in one line."""
        alike: dict[tuple, list[str]] = {}
        for name, dims in self.layouts.items():
            text = ", ".join("+".join(d) or "-" for d in dims)
            alike.setdefault((re.sub(r"\.\d+\.", ".#.", name), text), []).append(name)
        shown = [
            (names[0] if len(names) == 1 else f"{name} ({len(names)})", text)
            for (name, text), names in alike.items()
        ]
        width = max([len(name) for name, _ in shown], default=0)
        return [f"  {name:<{width}}  ({text})" for name, text in shown]

    def _link(self, axis: str):
        axes = axis.split()
        if all(a in self.mesh.names for a in axes):
            return self.machines.link(self.mesh, *axes)
        return simulate.between(self.machines, self.mesh.size)


def _holder(h) -> dict:
    return {"bytes": h.bytes, "what": h.what, "line": "" if h.loc is None else str(h.loc)}


def advice(plan: StepPlan, held: list) -> list[str]:
    """What would be better.

    Args:
        plan (StepPlan): a plan, but for its advice.
        held (list[Param]): the program's parameters and states.

    Returns:
        list[str]: a line for each.
    """
    found, c, room = [], plan.cost, plan.machines.memory
    if plan.memory > room:
        found.append(f"a device has {room / 1e9:g} GB, {plan.memory / 1e9:.1f} are needed")
        worst = max(plan.peaks.values(), key=lambda p: p.bytes)
        kept = sum(h.bytes for h in worst.holders if h.what.startswith("Parameter"))
        whole = [p for p in held if not any(plan.layouts.get(p.name, ()))]
        if kept * 2 > worst.bytes and whole:
            found.append(
                f"{len(whole)} of {len(held)} parameters and states are whole on each device: "
                "enable_parallel_optimizer=True divides them, optimizer_level level3 weights too"
            )
        elif kept * 2 > worst.bytes:
            found.append("parameters and states hold most of it: take more devices, or stages")
        else:
            found.append("values of the forward pass hold most of it: recompute() cells, or take ")
            found[-1] += (
                "smaller micro-batches (nn.PipelineCell), or divide them along another axis"
            )
    if c.communication > c.compute and c.traffic:
        axis = max(c.traffic, key=lambda a: c.traffic[a] / plan._link(a).bandwidth)
        found.append(
            f"communication takes longer than the work, most along {axis}: make it shorter, the last of the "
            "mesh (inside of a machine), or the batch larger"
        )
    if plan.bubble > 0.2:
        found.append(
            f"stages wait for {100 * plan.bubble:.0f} % of their work: take more micro-batches, or several "
            "stages on each device (interleaved)"
        )
    return found


__all__ = ["StepPlan", "advice"]
