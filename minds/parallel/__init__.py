"""Programs on many devices, as users say and see it."""

from ..base.boundary import guard as _guard
from ..base.outlines import shapes_alone
from ..sharding.cluster import Cluster, Link, cluster
from ..sharding.strategy import Layout, shard
from . import auto_parallel, function
from .plan import StepPlan, plan

__all__ = [
    "Cluster",
    "Layout",
    "Link",
    "StepPlan",
    "auto_parallel",
    "cluster",
    "function",
    "plan",
    "shapes_alone",
    "shard",
]
_guard(__name__)
