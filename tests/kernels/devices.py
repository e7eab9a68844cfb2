"""The device that tests run on, as the core names it: the CPU, or the one of ``--device NAME``, whose
results must equal the CPU's, to the bit where it has the CPU's kernels.
"""

from __future__ import annotations

NAME = "cpu"


def is_other() -> bool:
    """Whether it is not the CPU."""
    return NAME != "cpu"
