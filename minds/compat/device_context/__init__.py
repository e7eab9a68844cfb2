"""`device_context`: what there is of each kind of device, and its settings."""

from . import ascend, cpu, gpu

__all__ = ["ascend", "cpu", "gpu"]
