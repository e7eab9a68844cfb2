"""``types.SimpleNamespace``."""

from __future__ import annotations

import types

from ..registry import polyfill


@polyfill(types.SimpleNamespace)
class Namespace:
    def __init__(self, /, **attributes):
        for name, value in attributes.items():
            setattr(self, name, value)

    @property
    def __class__(self):
        return types.SimpleNamespace

    def __eq__(self, other):
        if not isinstance(other, types.SimpleNamespace):
            return NotImplemented
        return vars(self) == vars(other)

    def __repr__(self):
        return f"namespace({', '.join([f'{k}={v!r}' for k, v in vars(self).items()])})"
