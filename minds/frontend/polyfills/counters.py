"""``collections.Counter``: methods, and operators that leave out counts that are not positive."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter

from ..registry import polyfill
from .iterators import known


@polyfill((Counter, "most_common"))
def most_common(counter, n=None):
    return sorted(counter.items(), key=itemgetter(1), reverse=True)[:n]


@polyfill((Counter, "elements"))
def elements(counter):
    return iter([k for k, n in counter.items() for _ in range(n)])


@polyfill((Counter, "total"))
def total(counter):
    return sum(counter.values())


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
