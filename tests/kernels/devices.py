"""The device that tests run on: the CPU, or the one of ``--device NAME``, whose results must equal
the CPU's bit for bit.
"""

from __future__ import annotations

NAME = "cpu"


def is_other() -> bool:
    """Whether it is not the CPU."""
    return NAME != "cpu"
