"""Wrong programs and the messages they give.

A program is a function or a Cell under `wrong`, which holds its arguments and says in which modes
it fails. The message of each mode is compared with ``golden/<name>.txt``; ``python
tests/errors/regenerate.py`` writes those files anew.
"""

from __future__ import annotations

import importlib
import os
import re
import traceback
from dataclasses import dataclass

import numpy as np

import minds as ms
from minds import Tensor

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "golden")
FILES = (
    "shapes",
    "dtypes",
    "names",
    "calls",
    "language",
    "gradients",
    "parameters",
    "control",
    "containers",
    "runtime",
    "layers",
    "training",
    "batching",
    "changes",
    "refusals",
)
PROGRAMS: dict[str, Wrong] = {}
_errors: dict = {}


@dataclass(frozen=True)
class Wrong:
    """A program that fails.

    Attributes:
        target: the function, or the class of the cell.
        args: what it is called with.
        modes: "graph", "eager", or both.
    """

    target: object
    args: tuple
    modes: tuple

    def run(self, mode: str):
        """Call it compiled or eagerly."""
        before = ms.get_context("mode")
        ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
        try:
            if isinstance(self.target, type):
                return self.target()(*self.args)
            return (ms.jit(self.target) if mode == "graph" else self.target)(*self.args)
        finally:
            ms.set_context(mode=before)

    def error(self, mode: str) -> Exception:
        """What it raises; it is run once."""
        found = _errors.get((self.target, mode))
        if found is not None:
            return found
        try:
            result = self.run(mode)
        except Exception as e:
            _errors[self.target, mode] = e
            return e
        raise AssertionError(f"{self.target.__name__} gives {result!r} in {mode} mode")

    def messages(self) -> str:
        """The text of the golden file: the message of each mode, once where both are the same."""
        found = {m: message(self.error(m)) for m in self.modes}
        if len(set(found.values())) == 1:
            found = {" and ".join(found): next(iter(found.values()))}
        return "\n".join(f"[{m}]\n{text}\n" for m, text in found.items())


def message(e: Exception) -> str:
    """Type and text of an error, paths cut to the file's name."""
    if not hasattr(e, "complaint") and not _raised(e):
        # Python's own message, which differs between its versions.
        return type(e).__name__
    text = re.sub(r"harness\.py:\d+ Wrong\.run( > )?", "", str(e)).replace(
        "\n  called from: \n", "\n"
    )
    text = re.sub(r"(harness\.py\", line) \d+", r"\1 0", text.removesuffix("\n  called from: "))
    text = re.sub(r'(?:/[^/\s"\']+)+/([^/\s"\']+\.\w+)', r"\1", text)
    return f"{type(e).__name__}: {text}"


def _raised(e: Exception) -> bool:
    """Whether a raise statement outside of the standard library made ``e``."""
    *_, at = traceback.extract_tb(e.__traceback__)
    return at.line.startswith("raise ") and ("minds" in at.filename or HERE in at.filename)


def wrong(*args, modes: str = "graph eager"):
    """Register a function or a Cell as a wrong program that is called with ``args``."""

    def register(target):
        assert target.__name__ not in PROGRAMS, target.__name__
        PROGRAMS[target.__name__] = Wrong(target, args, tuple(modes.split()))
        return target

    return register


def K(k: int) -> Tensor:
    """A tensor of one int64: a number that no program takes as a constant."""
    return Tensor(k)


def F(*shape) -> Tensor:
    """A float32 tensor."""
    return Tensor(np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 8)


def I(*values) -> Tensor:
    """An int64 tensor of these values."""
    return Tensor(np.array(values))


def load() -> dict:
    """All programs."""
    for name in FILES:
        importlib.import_module(f"programs_{name}")
    return PROGRAMS


def golden(name: str) -> str:
    """The path of a program's golden file."""
    return os.path.join(GOLDEN, f"{name}.txt")
