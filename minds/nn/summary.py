"""`summary`: what the layers of a network give, hold and compute, found without running it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod

import numpy as np

from ..ad import tape
from ..base import dtype as dt
from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..base.options import freeze
from ..frontend.values import flatten
from ..ir.abstract import AbstractTensor
from ..jit.parsing import parse
from ..lower.flops import flops
from ..tensor import Tensor
from .cell import Cell

__all__ = ["LayerSummary", "Summary", "summary"]


@dataclass
class LayerSummary:
    """A cell of a network.

    Attributes:
        name (str): its path of attributes; "" for the network itself.
        kind (str): the name of its class.
        inputs (list[tuple]): shapes of the tensors that its first call is given.
        outputs (list[tuple]): shapes of the tensors that it gives.
        calls (int): how often the network calls it.
        parameters (int), trained (int): elements of its parameters and its cells', and of those that are
            trained.
        flops (int): operations of floating point of its large products, in all calls: two for each
            multiplication that is added up. A loop that the run counts is counted once.
        bytes (int): what the tensors hold that its calls give.
    """

    name: str
    kind: str
    inputs: list[tuple] = field(default_factory=list)
    outputs: list[tuple] = field(default_factory=list)
    calls: int = 0
    parameters: int = 0
    trained: int = 0
    flops: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Summary:
    """The layers of a network; printing it gives a table.

    Attributes:
        layers (list[LayerSummary]): the network itself, and its cells, each behind the one that holds it.
        parameters (int), trained (int): elements of the parameters, and of those that are trained.
        parameter_bytes (int): what the parameters hold.
        flops (int): operations of floating point of the large products of a call.
        result_bytes (int): what the results of the innermost layers hold together, as training keeps them.
    """

    layers: list[LayerSummary] = field(repr=False)
    parameters: int
    trained: int
    parameter_bytes: int
    flops: int
    result_bytes: int

    def __str__(self) -> str:
        rows = [("layer", "output", "parameters", "FLOPs", "result"), *map(_row, self.layers)]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = []
        for row in rows:
            cells = [
                c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))
            ]
            lines.append("  ".join(cells))
        lines.insert(1, "-" * len(lines[0]))
        still, held = self.parameters - self.trained, _size(self.parameter_bytes)
        lines += [
            lines[1],
            f"parameters  {self.parameters:,} ({self.trained:,} trained, {still:,} not)",
            f"FLOPs       {self.flops:,}",
            f"memory      {held} of parameters, {_size(self.result_bytes)} of results",
        ]
        return "\n".join(lines)


def _row(layer: LayerSummary) -> tuple[str, ...]:
    """What the table says of a layer."""
    above, _, last = layer.name.rpartition(".")
    depth = above.count(".") + bool(above) + bool(last)
    title = f"{'  ' * depth}{last}: {layer.kind}" if last else layer.kind
    shapes = ", ".join(map(str, layer.outputs)) or "-"
    times = f" ×{layer.calls}" if layer.calls > 1 else ""
    counts = (f"{n:,}" if n else "-" for n in (layer.parameters, layer.flops))
    return title, shapes + times, *counts, _size(layer.bytes) if layer.calls else "-"


def _size(nbytes: int) -> str:
    for unit in ("B", "KiB", "MiB"):
        if nbytes < 1024:
            return f"{nbytes} B" if unit == "B" else f"{nbytes:.1f} {unit}"
        nbytes /= 1024
    return f"{nbytes:.1f} GiB"


def summary(net: Cell, *inputs, **kwargs) -> Summary:
    """What each layer of a network gives for an input, how many parameters it has, how much it computes
    and what its result holds. The network is compiled to shapes, and does not run.

    Args:
        net (Cell): the network.
        *inputs (object): what it would be called with; a tuple of ints stands for a float32 tensor of this
            shape.
        **kwargs (object): the same by name.

    Returns:
        Summary: `print` shows the table.

    Raises:
        TypeError: ``net`` is no Cell; and what its compilation raises.
        ValueError: as the compilation of ``net``.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.SequentialCell(nn.Dense(8, 4), nn.ReLU())
        >>> print(ms.summary(net, (2, 8)))
        layer           output  parameters  FLOPs  result
        -------------------------------------------------
        SequentialCell  (2, 4)          36    128    32 B
          0: Dense      (2, 4)          36    128    32 B
          1: ReLU       (2, 4)           -      -    32 B
        -------------------------------------------------
        parameters  36 (36 trained, 0 not)
        FLOPs       128
        memory      144 B of parameters, 64 B of results
    """
    if not isinstance(net, Cell):
        raise complain(TypeError, f"summary: net has type {type(net).__name__}", expected="a Cell")
    seen = _Seen(net)
    args = tuple(map(_tensor, inputs))
    given = {name: _tensor(value) for name, value in kwargs.items()}
    with tape.suspended(), seen.watching():
        interpreter, _ = parse(net, args, given, freeze())
    total = sum(flops(n) for g in interpreter.graphs for n in g)
    inner = [seen.layers[cell] for cell in seen.layers if not cell.name_cells()]
    own = list(net.get_parameters())
    return Summary(
        list(seen.layers.values()),
        sum(p.size for p in own),
        sum(p.size for p in own if p.requires_grad),
        sum(p.nbytes for p in own),
        total,
        sum(layer.bytes for layer in inner),
    )


def _tensor(value):
    """A value as it is, but a shape as a tensor."""
    if isinstance(value, tuple) and value and all(type(n) is int for n in value):
        return Tensor(np.zeros(value, np.float32), dt.float32)
    return value


class _Seen:
    """The layers of a network, and what is seen of them while it is interpreted."""

    def __init__(self, net: Cell):
        self.layers: dict[Cell, LayerSummary] = {}
        for name, cell in net.cells_and_names():
            own = list(cell.get_parameters())
            layer = self.layers[cell] = LayerSummary(name, type(cell).__name__)
            layer.parameters = sum(p.size for p in own)
            layer.trained = sum(p.size for p in own if p.requires_grad)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Within it, the compiler tells of each call of a layer."""
        try:
            for cell in self.layers:
                vars(cell)["_watcher"] = self._watch
            yield
        finally:
            for cell in self.layers:
                vars(cell).pop("_watcher", None)

    def _watch(self, ip, cell: Cell, args: list, kwargs: dict, call):
        """Call, and note what came of it."""
        layer = self.layers[cell]
        before = {g: g.tail for g in ip.graphs}
        out = call()
        layer.calls += 1
        results = _tensors(out)
        layer.bytes += sum(prod(a.shape) * a.dtype.itemsize for a in results)
        if layer.calls == 1:
            layer.inputs = [a.shape for a in _tensors((*args, *kwargs.values()))]
            layer.outputs = [a.shape for a in results]
        for g in ip.graphs:
            n = g.tail
            while n is not None and n is not before.get(g):
                layer.flops += flops(n)
                n = n.prev
        return out


def _tensors(value) -> list[AbstractTensor]:
    """The tensors in a value of the compiler."""
    leaves: list = []
    flatten(value, leaves)
    kinds = [getattr(leaf, "abstract", None) for leaf in leaves]
    return [a for a in kinds if isinstance(a, AbstractTensor)]


_guard(__name__)
