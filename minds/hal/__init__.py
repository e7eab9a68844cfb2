"""Devices as MindSpore's `mindspore.hal` shows them: which there are, their streams and memory."""

from ..base.boundary import guard as _guard
from ..base.late import given_out as _given_out
from . import kinds as _kinds
from . import memory as _memory
from . import streams as _streams

globals().update(_given_out(_kinds, _memory, _streams))
__all__ = sorted({*_kinds.__all__, *_memory.__all__, *_streams.__all__})

_guard(__name__)
