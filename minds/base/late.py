"""Names of a module that live in another one.

Those that are imported when they are first asked for: so a package offers what is costly to import,
or what lives on a floor above it, and imports neither.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable
from importlib.machinery import PathFinder

from .boundary import offered
from .missing import advice

_ROOT = __name__.split(".")[0]


def late(
    module: str,
    homes: dict[str, str],
    modules: Iterable[str] = (),
    otherwise: Callable[[str], object] | None = None,
    public: bool = True,
):
    """``__getattr__`` and ``__dir__`` for a module.

    Args:
        module: the module's ``__name__``.
        homes: by the path of a module below the package, the names in it, parted by blanks.
        modules: modules below ``module`` that are imported when they are first asked for.
        otherwise: gives any other name, or None.
        public: whether the names are for users, so that errors of calls start with them.

    Examples:
        >>> find, names = late("minds.ops", {"transforms.grad": "grad value_and_grad"})
        >>> find("grad") is ms.grad
        True
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}
    modules = frozenset(modules)

    def find(name: str):
        if name in home_of:
            found = getattr(importlib.import_module(f"{_ROOT}.{home_of[name]}"), name)
        elif name in modules:
            return importlib.import_module(f"{module}.{name}")
        else:
            asked = otherwise and (name == "__all__" or not name.startswith("__"))
            found = otherwise(name) if asked else None
        if found is None:
            second = second_path(f"{module}.{name}")
            if second is None:
                raise _missing(module, name)
            return second
        found = vars(sys.modules[module])[name] = offered(name, found) if public else found
        return found

    def names() -> list[str]:
        return sorted({*vars(sys.modules[module]), *home_of, *modules})

    return find, names


def second_path(path: str):
    """The module that has ``path`` for a second path, by a finder that has ``homes``; else None."""
    known = any(path in getattr(finder, "homes", ()) for finder in sys.meta_path)
    return importlib.import_module(path) if known else None


def _missing(module: str, name: str) -> AttributeError:
    what = f"module {module!r} has no attribute {name!r}"
    path = f"{module}.{name}"
    # A module below this one is about to be imported: advice would import others meanwhile.
    below = PathFinder.find_spec(path, vars(sys.modules[module]).get("__path__", ()))
    cure = "" if below or name.startswith("_") else advice(path.partition(".")[2])
    return AttributeError(f"{what}: {cure}" if cure else what, name=name, obj=sys.modules[module])


def all_of(path: str) -> Callable[[str], object]:
    """For ``otherwise``: any name that the module at ``path`` lists in ``__all__``, and that list."""

    def find(name: str):
        home = importlib.import_module(f"{_ROOT}.{path}")
        return getattr(home, name) if name == "__all__" or name in home.__all__ else None

    return find


def given_out(*modules) -> dict[str, object]:
    """By name, what modules list in ``__all__``."""
    return {name: getattr(m, name) for m in modules for name in m.__all__}
