"""Minimisation of functions, and assignment."""

from ...base.boundary import guard as _guard
from .line_search import line_search
from .linear_sum_assignment import linear_sum_assignment
from .minimize import OptimizeResults, minimize

__all__ = ["OptimizeResults", "line_search", "linear_sum_assignment", "minimize"]
_guard(__name__)
