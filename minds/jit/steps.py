"""What a compilation begins with, imported when something is first compiled: interpreting the source, and
the list of steps.
"""

import importlib

_HOMES = {"parse": "parsing", "STEPS": "pipeline", "build": "pipeline", "quietly": "pipeline"}


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = importlib.import_module(f".{_HOMES[name]}", __package__)
    found = globals()[name] = getattr(home, name)
    return found
