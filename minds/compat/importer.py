"""Imports of MindSpore's paths: a finder of modules that show the names of another module.

``import minds.ops.operations.nn_ops`` makes a module under that name whose attributes are those
of ``minds.ops.operations``.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
import types

from .paths import PATHS

_ROOT = __name__.split(".")[0]


class Alias(types.ModuleType):
    """A module whose names are those of another, its ``home``."""

    home: types.ModuleType

    def __getattr__(self, name: str):
        return getattr(self.home, name)

    def __dir__(self) -> list[str]:
        return dir(self.home)


class Importer:
    """Finds the paths of a table below a package.

    Args:
        root (str): the package.
        paths (dict): by path below ``root``, the path of the home below `minds`.
    """

    def __init__(self, root: str, paths: dict[str, str]):
        self.homes = {f"{root}.{path}": f"{_ROOT}.{home}" for path, home in paths.items()}

    def find_spec(self, fullname, path=None, target=None):
        if fullname not in self.homes:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        home = importlib.import_module(self.homes[spec.name])
        made = Alias(spec.name, home.__doc__)
        made.home = home
        return made

    def exec_module(self, module):
        pass


def install() -> None:
    """Serve the table from now on."""
    sys.meta_path.insert(0, Importer(_ROOT, PATHS))
