"""MindSpore's choices for a profiler. What only Ascend's hardware counts is accepted and has no effect."""

from __future__ import annotations

from enum import Enum


class ProfilerLevel(Enum):
    """How much is collected; minds collects the same at each level but ``LevelNone``.

    Examples:
        >>> from minds.profiler import ProfilerLevel
        >>> ProfilerLevel.Level1.value
        'Level1'
    """

    LevelNone = "LevelNone"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class ProfilerActivity(Enum):
    """What is watched; minds watches all devices that run something.

    Examples:
        >>> from minds.profiler import ProfilerActivity
        >>> ProfilerActivity.CPU.value
        'CPU'
    """

    NPU = "NPU"
    GPU = "GPU"
    CPU = "CPU"


class AicoreMetrics(Enum):
    """What Ascend's cores count; without effect.

    Examples:
        >>> from minds.profiler import AicoreMetrics
        >>> AicoreMetrics.AiCoreNone.value
        'None'
    """

    PipeUtilization = "PipeUtilization"
    ArithmeticUtilization = "ArithmeticUtilization"
    Memory = "Memory"
    MemoryL0 = "MemoryL0"
    MemoryUB = "MemoryUB"
    ResourceConflictRatio = "ResourceConflictRatio"
    L2Cache = "L2Cache"
    MemoryAccess = "MemoryAccess"
    AiCoreNone = "None"


class ExportType(Enum):
    """The form of files; minds writes text.

    Examples:
        >>> from minds.profiler import ExportType
        >>> ExportType.Text.value
        'text'
    """

    Db = "db"
    Text = "text"


class HostSystem(Enum):
    """What is collected of the host's system; without effect.

    Examples:
        >>> from minds.profiler import HostSystem
        >>> HostSystem.CPU.value
        'cpu'
    """

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"


class ProfilerAction(Enum):
    """What a schedule says of a step.

    Examples:
        >>> from minds.profiler import schedule
        >>> schedule(wait=1, active=1)(0).name
        'NONE'
    """

    NONE = 0
    WARM_UP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class ExperimentalConfig:
    """Further settings of MindSpore's; accepted.

    Args:
        profiler_level (ProfilerLevel): as of `Profiler`. Default: ``ProfilerLevel.Level0``.
        aic_metrics (AicoreMetrics): without effect. Default: ``AicoreMetrics.AiCoreNone``.
        l2_cache (bool), mstx (bool), data_simplification (bool): without effect; marks of `mstx` are
            always kept.
        export_type (list, optional): without effect; files are text.
        mstx_domain_include (list, optional), mstx_domain_exclude (list, optional): the domains whose marks
            are kept, or left out. Default: all are kept.
        sys_io (bool), sys_interconnection (bool), host_sys (list, optional): without effect.

    Examples:
        >>> from minds import profiler
        >>> profiler._ExperimentalConfig().profiler_level.name
        'Level0'
    """

    def __init__(
        self,
        profiler_level=ProfilerLevel.Level0,
        aic_metrics=AicoreMetrics.AiCoreNone,
        l2_cache=False,
        mstx=False,
        data_simplification=True,
        export_type=None,
        mstx_domain_include=None,
        mstx_domain_exclude=None,
        sys_io=False,
        sys_interconnection=False,
        host_sys=None,
    ):
        self.profiler_level, self.aic_metrics, self.l2_cache = profiler_level, aic_metrics, l2_cache
        self.mstx, self.data_simplification, self.export_type = (
            mstx,
            data_simplification,
            export_type,
        )
        self.mstx_domain_include = mstx_domain_include or []
        self.mstx_domain_exclude = mstx_domain_exclude or []
        self.sys_io, self.sys_interconnection = sys_io, sys_interconnection
        self.host_sys = host_sys or []
