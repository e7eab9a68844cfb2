"""The operators of ``collections.Counter``: counts that are not positive are left out."""

from __future__ import annotations

from collections import Counter

from ..registry import polyfill
from .iterators import known


@polyfill()
def add(a, b):
    return positive({k: a[k] + b[k] for k in {**a, **b}})


@polyfill()
def subtract(a, b):
    return positive({k: a[k] - b[k] for k in {**a, **b}})


@polyfill()
def both(a, b):
    return positive({k: min(a[k], b[k]) for k in a if k in b})


@polyfill()
def either(a, b):
    return positive({k: max(a[k], b[k]) for k in {**a, **b}})


def positive(counts):
    return Counter({k: v for k, v in counts.items() if known(v > 0, "whether a count is positive")})
