"""Values of a training in files that TensorBoard reads."""

from ...base.boundary import guard as _guard
from .record import SummaryRecord

__all__ = ["SummaryRecord"]
_guard(__name__)
