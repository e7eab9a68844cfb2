"""The functions of `minds.ops.auto_generate`, under the module that MindSpore defines them in."""

from __future__ import annotations

from .. import auto_generate


def __getattr__(name: str):
    return getattr(auto_generate, name)
