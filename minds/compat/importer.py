"""Imports of MindSpore's paths.

``import minds.ops.operations.nn_ops`` makes a module under that name whose attributes are those of
``minds.ops.operations``. After `install`, ``import mindspore.nn`` gives ``minds.nn`` itself. A
path or name that is nowhere is refused with what to use for it.
"""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import importlib.util
import sys
import types

from ..base.late import second_path
from ..base.missing import advice
from .paths import NAMED_ABOVE, PATHS

_ROOT = __name__.split(".")[0]
_NAME = "mindspore"
VERSION = "2.10.0"
"""The version of MindSpore whose names minds has: ``mindspore.__version__``."""


class Alias(types.ModuleType):
    """A module whose names are those of another, its ``home``, which is imported when it is asked for.

    Args:
        name (str): the alias.
        path (str): the home's name.
    """

    def __init__(self, name: str, path: str):
        super().__init__(name)
        self.path, self.__path__ = path, []

    @functools.cached_property
    def home(self) -> types.ModuleType:
        return importlib.import_module(self.path)

    def __getattr__(self, name: str):
        try:
            return getattr(self.home, name)
        except AttributeError:
            second = second_path(f"{self.__name__}.{name}")
            if second is None:
                raise
            return second

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
        return Alias(spec.name, self.homes[spec.name])

    def exec_module(self, module):
        module.__doc__ = module.home.__doc__


class MindSpore:
    """Finds ``mindspore`` and all below it: the modules of minds, under a second name."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname.split(".")[0] != _NAME:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        below = module.__name__.removeprefix(_NAME)
        home = importlib.import_module(_ROOT + below)
        if below:
            _lend(home)
        sys.modules[module.__name__] = home if below else _top(home)

    def find_distributions(self, context) -> list:
        """What `importlib.metadata` knows of the package: its name and version."""
        if context.name not in (None, _NAME):
            return []
        from importlib.metadata import Distribution  # slow, and imported by whoever asks

        class Installed(Distribution):
            def read_text(self, filename: str) -> str | None:
                named = f"Metadata-Version: 2.1\nName: {_NAME}\nVersion: {VERSION}\n"
                return named if filename == "METADATA" else None

            def locate_file(self, path):
                return importlib.import_module(_ROOT).__path__[0]

        return [Installed()]


LENT = "Parameter ParallelMode Tensor context log nn ops".split()
"""Names of the root that MindSpore's modules import, and its scripts from there."""


def _lend(module: types.ModuleType) -> None:
    """Let a module have the names of the root that it would have in MindSpore."""
    own = vars(module).get("__getattr__")
    if own is None and isinstance(module, Alias):
        own = module.__getattr__  # what it has of its home comes before the module of a second path
    if getattr(own, "lends", False):
        return

    def find(name: str):
        if name in LENT:
            return getattr(sys.modules[_ROOT], name)
        if own is not None:
            return own(name)
        second = second_path(f"{module.__name__}.{name}")
        if second is not None:
            return second
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}", name=name)

    find.lends = True
    module.__getattr__ = find


def _top(home: types.ModuleType) -> types.ModuleType:
    """The module ``mindspore``: the names of minds, and MindSpore's version."""
    made = types.ModuleType(_NAME, home.__doc__)
    own = {"__name__": _NAME, "__version__": VERSION, "__getattr__": lambda n: getattr(home, n)}
    vars(made).update(vars(home), **own)
    made.__dir__ = lambda: dir(home)
    made.__all__ = [n for n in dir(home) if not n.startswith("_")]
    return made


class Refusal:
    """The last finder: says of a path below minds that nothing found what to use."""

    def find_spec(self, fullname, path=None, target=None):
        root, _, below = fullname.partition(".")
        if root != _ROOT or not below or below.rpartition(".")[2].startswith("_"):
            return
        home, _, name = fullname.rpartition(".")
        what, cure = f"cannot import name {name!r} from {home!r}", advice(below)
        raise ModuleNotFoundError(f"{what}: {cure}" if cure else what, name=f"{_NAME}.{below}")


def serve() -> None:
    """Serve MindSpore's paths below minds from now on.

    An import would bind the module that it makes to its name in the module above. Where that has such
    a name for something else the alias is made here, and an import only looks it up.
    """
    finder = Importer(_ROOT, PATHS)
    sys.meta_path.insert(0, finder)
    sys.meta_path.append(Refusal())
    for path in NAMED_ABOVE:
        name = f"{_ROOT}.{path}"
        sys.modules[name] = importlib.util.module_from_spec(finder.find_spec(name))


def install() -> None:
    """Let ``import mindspore`` give minds, and every path below it the module of minds.

    Raises:
        ImportError: another ``mindspore`` was imported before.

    Examples:
        >>> import minds.compat
        >>> minds.compat.install()
        >>> import mindspore as ms
        >>> from mindspore.ops import operations as P
        >>> print(P.TensorAdd()(ms.Tensor([1.0]), ms.Tensor([2.0])))
        [3.]
    """
    if any(isinstance(finder, MindSpore) for finder in sys.meta_path):
        return
    if _NAME in sys.modules:
        raise ImportError(
            f"{_NAME} was imported from {sys.modules[_NAME].__file__}: install minds.compat before"
        )
    sys.meta_path.insert(0, MindSpore())
