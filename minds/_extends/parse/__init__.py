"""MindSpore's module `_extends.parse`: its switches of the compiler."""

from __future__ import annotations

from ...base.options import set_context


class _CompileConfig:
    """Switches of MindSpore's compiler, which are set as attributes.

    ``CHECK_BPROP`` is the setting ``check_bprop`` of `set_context`; the others tune passes that
    minds does not have, and are kept.
    """

    def __setattr__(self, name: str, value):
        super().__setattr__(name, value)
        if name == "CHECK_BPROP":
            set_context(check_bprop=str(value) == "1")

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return ""


compile_config = _CompileConfig()

__all__ = ["compile_config"]
