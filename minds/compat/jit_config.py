"""`JitConfig`: settings of compilation that MindSpore's scripts give."""

from __future__ import annotations

STRICT, COMPATIBLE, LAX = 0, 1, 2
"""How much of Python a compiled function may use; minds compiles the same at every level."""


class JitConfig:
    """Settings of compilation; kept, and without effect, for minds chooses itself how it compiles.

    Args:
        jit_level (str): ``"O0"``, ``"O1"``, ``"O2"`` or empty. Default: empty.
        exc_mode (str): ``"auto"``, ``"sink"`` or ``"no_sink"``. Default: ``"auto"``.
        jit_syntax_level (str): ``"STRICT"``, ``"LAX"`` or empty. Default: empty.
        debug_level (str): ``"RELEASE"`` or ``"DEBUG"``. Default: ``"RELEASE"``.
        infer_boost (str): ``"on"`` or ``"off"``. Default: ``"off"``.
        kwargs (Any): further settings.

    Examples:
        >>> ms.JitConfig(jit_level="O1").jit_config_dict["jit_level"]
        'O1'
    """

    def __init__(
        self,
        jit_level="",
        exc_mode="auto",
        jit_syntax_level="",
        debug_level="RELEASE",
        infer_boost="off",
        **kwargs,
    ):
        self.jit_config_dict = {
            "jit_level": jit_level,
            "exc_mode": exc_mode,
            "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level,
            "infer_boost": infer_boost,
            **kwargs,
        }


__all__ = ["COMPATIBLE", "JitConfig", "LAX", "STRICT"]
