"""Settings that MindSpore passes to the libraries of a device, which minds chooses itself."""

from __future__ import annotations

import types


def _accepted(name: str):
    def setting(*values) -> None:
        pass

    setting.__name__ = setting.__qualname__ = name
    setting.__doc__ = f"Set ``{name}`` of the device's libraries; without effect."
    return setting


def accepted(names: str, **more) -> types.SimpleNamespace:
    """Settings without effect, and some with, as the attributes of an object.

    Args:
        names (str): those without effect, parted by blanks.
        more (Callable): those with effect.
    """
    return types.SimpleNamespace(**{name: _accepted(name) for name in names.split()}, **more)


__all__ = ["accepted"]
