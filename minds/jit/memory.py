"""What holds memory in a compiled program when it holds most, by source line."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from ..ad import tape
from ..base.boundary import guard as _guard
from ..base.options import freeze, memory_limited
from ..ir.shape_env import ShapeEnv
from ..lower.peak import Holder, peak
from ..lower.program import lowered
from ..passes.driver import run_steps
from .compile import uncompiled
from .parsing import parse
from .pipeline import STEPS


@dataclass(frozen=True)
class MemoryReport:
    """The memory of a program at its peak; printing it gives a table.

    Attributes:
        bytes (int): what it holds at most while it runs: parameters, arguments, constants,
            workspace of kernels, values.
        holders (list[Holder]): what holds them then, the largest first: ``bytes``, ``what``, and
            ``loc``, the place in the source, or None. Values of one line are one holder.
    """

    bytes: int
    holders: list[Holder] = field(repr=False)

    def __str__(self) -> str:
        lines = [f"{_size(self.bytes)}  at the peak"]
        for h in self.holders:
            line = f"{_size(h.bytes)}  {h.what}"
            if h.loc is not None:
                kind = "gradient of " if h.loc.backward else ""
                line += f"  {kind}{os.path.basename(h.loc.file)}:{h.loc.line}"
            lines.append(line)
        return "\n".join(lines)


def memory_report(fn, *args, **kwargs) -> MemoryReport:
    """How much memory a program takes, and which lines hold it, without running it.

    Args:
        fn (Callable): a function, a Cell, or the result of `jit` or `grad`.
        *args (object): what it would be called with.
        **kwargs (object): the same by name.

    Returns:
        MemoryReport: the bytes at the peak, and what holds them. Not counted is what only the run
        knows: tensors whose sizes it finds, the depth of recursion, records of loops.

    Raises:
        ParseError, TypeError, ValueError: as the compilation of ``fn``.
        MemoryError: ``fn`` has a ``memory_limit`` within which it cannot run.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> step = ms.grad(lambda x, w: ops.sum(ops.tanh(x @ w)), (0, 1))
        >>> report = ms.memory_report(step, ops.ones((256, 256)), ops.ones((256, 256)))
        >>> report.bytes >= 4 * 256 * 256 * 4      # two arguments, two gradients
        True
        >>> report.holders[0].bytes >= 256 * 256 * 4
        True
    """
    with memory_limited(getattr(fn, "_limit", None)):
        options = freeze()
    with tape.suspended(), ShapeEnv({}, True) as scope:
        interpreter, _ = parse(uncompiled(fn), args, kwargs, options)
        graph = run_steps(interpreter.root, STEPS, options)
        program, executable = lowered(graph, options, bool(scope.found))
    found = peak(program, executable.native.workspace)
    return MemoryReport(found.bytes, found.holders)


def _size(nbytes: int) -> str:
    return f"{nbytes / 2**20:>10.3f} MiB"


__all__ = ["MemoryReport", "memory_report"]
_guard(__name__)
