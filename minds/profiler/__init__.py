"""What runs, and how long: `Profile`, which `minds.profile` is, and MindSpore's `Profiler`."""

from ..base.boundary import guard as _guard
from .marking import mstx
from .monitor import DynamicProfilerMonitor, EnvProfiler
from .names import (
    AicoreMetrics,
    ExportType,
    HostSystem,
    ProfilerActivity,
    ProfilerLevel,
)
from .names import ExperimentalConfig as _ExperimentalConfig
from .record import Profile
from .session import Profiler, profile, tensorboard_trace_handler
from .steps import schedule

__all__ = [
    "AicoreMetrics",
    "DynamicProfilerMonitor",
    "EnvProfiler",
    "ExportType",
    "HostSystem",
    "Profile",
    "Profiler",
    "ProfilerActivity",
    "ProfilerLevel",
    "_ExperimentalConfig",
    "mstx",
    "profile",
    "schedule",
    "tensorboard_trace_handler",
]
_guard(__name__)
