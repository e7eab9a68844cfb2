"""What a planner knows of machines: how fast a device computes, and how fast links carry.

Times are in seconds, sizes in bytes, rates per second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..base.errors import complain
from .layout import Mesh


@dataclass(frozen=True)
class Link:
    """What connects groups of devices.

    Attributes:
        devices (int): how many devices it connects.
        bandwidth (float): what a device can send and receive, in bytes per second.
        latency (float): of a message, in seconds.
    """

    devices: int
    bandwidth: float
    latency: float


@dataclass(frozen=True)
class Cluster:
    """Devices of one kind, and the links between them, the innermost first.

    Attributes:
        flops (float): of matrix products, per second.
        bandwidth (float): of a device's memory, in bytes per second.
        memory (float): of a device, in bytes.
        links (tuple[Link]): each connects more devices than the one before.

    Examples:
        >>> from minds.sharding.cluster import cluster
        >>> cluster("h100", 16).links[0].devices, cluster("h100", 16).devices
        (8, 16)
    """

    flops: float
    bandwidth: float
    memory: float
    links: tuple[Link, ...]

    @property
    def devices(self) -> int:
        """How many there are."""
        return self.links[-1].devices

    def link(self, mesh: Mesh, *axes: str) -> Link:
        """The slowest link between devices that differ along some axes."""
        at = min([mesh.names.index(a) for a in axes])
        span = math.prod(mesh.sizes[at:])
        return next(link for link in self.links if link.devices >= span)


_KINDS = {
    "a100": (312e12, 2.0e12, 80e9, 8, (300e9, 5e-6), (25e9, 15e-6)),
    "ascend910": (320e12, 1.2e12, 64e9, 8, (56e9, 8e-6), (25e9, 15e-6)),
    "cpu": (5e10, 1.0e10, 16e9, 64, (4e9, 2e-6), (1e9, 5e-5)),
    "h100": (989e12, 3.35e12, 80e9, 8, (450e9, 5e-6), (50e9, 15e-6)),
    "v100": (125e12, 0.9e12, 16e9, 8, (150e9, 5e-6), (3e9, 30e-6)),
}
"""flops, bandwidth and memory of a device; how many a machine has, and the links inside and between."""


def cluster(kind: str, devices: int) -> Cluster:
    """A cluster of machines of a known kind.

    Args:
        kind (str): ``a100``, ``ascend910``, ``cpu``, ``h100`` or ``v100``.
        devices (int): how many.

    Returns:
        Cluster: it.

    Raises:
        ValueError: the kind is not known.
    """
    if kind not in _KINDS:
        raise complain(ValueError, f"cluster: kind is {kind!r}", expected=", ".join(_KINDS))
    flops, bandwidth, memory, inside, near, far = _KINDS[kind]
    links = [Link(min(inside, devices), *near)]
    if devices > inside:
        links.append(Link(devices, *far))
    return Cluster(flops, bandwidth, memory, tuple(links))


__all__ = ["Cluster", "Link", "cluster"]
