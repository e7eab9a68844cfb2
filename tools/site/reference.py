"""The pages of the API reference: one for each package, and one for each public name."""

from __future__ import annotations

import importlib
import inspect
import os
from dataclasses import dataclass, field

TITLES = {
    "minds": "tensors, compilation, gradients",
    "minds.nn": "cells, losses, optimizers",
    "minds.nn.probability.distribution": "distributions",
    "minds.nn.probability.bijector": "bijectors",
    "minds.ops": "operators",
    "minds.mint": "operators in torch's manner",
    "minds.mint.nn": "cells in torch's manner",
    "minds.mint.nn.functional": "functions of cells in torch's manner",
    "minds.mint.optim": "optimizers in torch's manner",
    "minds.mint.linalg": "linear algebra in torch's manner",
    "minds.mint.special": "special functions in torch's manner",
    "minds.mint.distributed": "collectives in torch's manner",
    "minds.numpy": "operators in NumPy's manner",
    "minds.numpy.fft": "fourier transforms in NumPy's manner",
    "minds.scipy.fft": "fourier transforms in SciPy's manner",
    "minds.scipy.linalg": "linear algebra in SciPy's manner",
    "minds.scipy.optimize": "minimisation in SciPy's manner",
    "minds.common.initializer": "first values of parameters",
    "minds.amp": "mixed precision",
    "minds.dataset": "datasets and samplers",
    "minds.dataset.transforms": "transforms of any data",
    "minds.dataset.vision": "transforms of images",
    "minds.dataset.text": "transforms of text",
    "minds.dataset.audio": "transforms of sound",
    "minds.mindrecord": "mindRecord files",
    "minds.train": "training and callbacks",
    "minds.train.amp": "mixed precision in training",
    "minds.metrics": "metrics",
    "minds.models": "networks",
    "minds.communication": "processes and groups",
    "minds.parallel": "layouts and plans",
    "minds.hal": "devices, streams, events",
    "minds.experimental.optim.lr_scheduler": "schedules of learning rates",
    "minds.rewrite": "networks as trees that can be altered",
    "minds.compat": "scripts of MindSpore",
}
"""The packages, and what is in them."""


@dataclass
class Entry:
    """A public object, its page, and all its names."""

    value: object
    names: list[str] = field(default_factory=list)

    @property
    def home(self) -> str:
        """The name of its page: the first that is its own."""
        own = getattr(self.value, "__name__", "")
        return next((n for n in self.names if n.endswith(f".{own}")), self.names[0])

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring, in one line."""
        doc = inspect.cleandoc(self.value.__doc__ or "")
        return " ".join(doc.split("\n\n")[0].split())

    def page(self) -> str:
        """The text of its page."""
        if isinstance(self.value, type):
            body = (
                f".. autoclass:: {self.home}\n   :members:\n   :exclude-members: construct, bprop\n"
            )
        else:
            body = f".. autofunction:: {self.home}\n"
        others = ", ".join(f"``{n}``" for n in self.names if n != self.home)
        return _heading(self.home, orphan=True) + body + (f"\nAlso {others}.\n" if others else "")


def packages() -> dict[str, list[tuple[str, Entry]]]:
    """The public names of each package that is there, with the object that each is."""
    entries: dict[int, Entry] = {}
    found = {}
    for package in TITLES:
        module = importlib.import_module(package)
        found[package] = []
        for name in _listed(module):
            value = getattr(module, name)
            entry = entries.setdefault(id(value), Entry(value))
            entry.names.append(f"{package}.{name}")
            found[package].append((name, entry))
    return found


def _listed(module) -> list[str]:
    """What a module gives out: what it lists, else what was made in its package."""
    listed = None if "__dir__" in vars(module) else getattr(module, "__all__", None)
    names = listed or [n for n in dir(module) if _made_in(getattr(module, n), module.__name__)]
    return sorted(n for n in names if not n.startswith("_") and _has_page(getattr(module, n, None)))


def _has_page(value) -> bool:
    ours = (getattr(value, "__module__", None) or "").split(".")[0] == "minds"
    return ours and callable(value) and bool(value.__doc__)


def _made_in(value, package: str) -> bool:
    return (getattr(value, "__module__", None) or "").startswith(package)


def write(folder: str) -> int:
    """Write the pages of packages and names; how many names there are."""
    os.makedirs(os.path.join(folder, "packages"), exist_ok=True)
    names = packages()
    for package, listed in names.items():
        intro = inspect.cleandoc(importlib.import_module(package).__doc__ or "").split("\n\n")[0]
        classes = [item for item in listed if isinstance(item[1].value, type)]
        functions = [item for item in listed if item not in classes]
        head = _heading(f"{package}: {TITLES[package]}")
        text = _table("Functions", functions) + _table("Classes", classes)
        _write(folder, f"packages/{package}.rst", f"{head}{intro}\n\n{text}")
        for name, entry in listed:
            if entry.home == f"{package}.{name}":
                _write(folder, f"{entry.home}.rst", entry.page())
    return sum(len(listed) for listed in names.values())


def _table(title: str, listed: list[tuple[str, Entry]]) -> str:
    rows = "".join(
        f"   * - :doc:`{name} </api/{entry.home}>`\n     - {entry.summary}\n"
        for name, entry in listed
    )
    head = f"{title}\n{'-' * len(title)}\n\n"
    return f"{head}.. list-table::\n   :widths: 30 70\n\n{rows}\n" if rows else ""


def _heading(text: str, orphan: bool = False) -> str:
    line = "=" * len(text)
    return (":orphan:\n\n" if orphan else "") + f"{text}\n{line}\n\n"


def _write(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(text)
