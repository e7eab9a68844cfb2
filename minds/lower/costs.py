"""What kernels and copies cost, to the order of magnitude: enough to choose between them."""

from __future__ import annotations

import math

from .format import RUN
from .linearize import Instr
from .select import Tables


class Costs:
    """Of one kind of device.

    Attributes:
        memory, math: bytes and operations per second.
        link: bytes per second between it and the host; 0: it has the host's memory.
        launch: seconds.
    """

    def __init__(self, tables: Tables, host_memory: bool):
        self.tables = tables
        self.memory, self.math = (1e10, 5e10) if host_memory else (1e12, 3e13)
        self.link, self.launch = (0.0, 5e-7) if host_memory else (2e10, 3e-6)

    def seconds(self, i: Instr) -> float:
        """What an instruction takes; 0 for what runs no kernel."""
        if i.op != RUN:
            return 0.0
        name, _, ins, outs = self.tables.kernel_list[i.target]
        moved = sum(s.bytes for s, _ in i.ins) + sum(s.bytes for s, _ in i.outs)
        time = self.launch + moved / self.memory
        if name.startswith(("matmul", "conv", "attention")) and len(ins) > 1:
            # Of (m, k) by (k, n) into (m, n) the product of the sizes is (mkn) squared.
            types = self.tables.type_list
            sizes = [math.prod(types[t].shape) for t in (*ins[:2], outs[0])]
            time += 2 * math.sqrt(math.prod(sizes)) / self.math
        return time
