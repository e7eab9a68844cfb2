"""`functools`, `heapq`, `bisect`, and products of `math`.

Where the order of elements is known while compiling, heaps are what CPython makes of them, place by
place. Where data decide it, elements are exchanged under conditions, at places that are known: the
elements come in CPython's order, and their places in the list are those of some heap.
"""

from __future__ import annotations

import bisect
import functools
import heapq
import itertools
import math
import operator
import typing

from ...base.errors import complain, performed
from ..function_types import Closure
from ..imports import CELL
from ..registry import emits, polyfill
from ..text import holds_runtime


@polyfill(functools.reduce)
def reduce(function, iterable, *initial):
    items = [*initial, *iterable]
    if not items:
        raise TypeError("reduce() of an empty sequence with no initial value")
    value = items[0]
    for item in items[1:]:
        value = function(value, item)
    return value


@polyfill(math.prod)
def prod(iterable, *, start=1):
    return reduce(operator.mul, iterable, start)


@polyfill(*[vars(math)[n] for n in ("sumprod",) if n in vars(math)])  # since Python 3.12
def sumprod(p, q, /):
    p, q = tuple(p), tuple(q)
    if len(p) != len(q):
        raise ValueError("Inputs are not the same length")
    return reduce(operator.add, [a * b for a, b in zip(p, q)], 0)


@polyfill(functools.cmp_to_key)
def cmp_to_key(mycmp):
    return lambda value: Compared(mycmp, value)


class Compared:
    """What ``functools.cmp_to_key`` makes of a value."""

    def __init__(self, mycmp, value):
        self.mycmp, self.obj = mycmp, value

    def __lt__(self, other):
        return self.mycmp(self.obj, other.obj) < 0


@polyfill(functools.lru_cache)
def lru_cache(maxsize=128, typed=False):
    return cache(maxsize) if callable(maxsize) else cache


@polyfill(functools.cache)
def cache(user_function):
    known = {}

    @functools.wraps(user_function)
    def cached(*args, **kwargs):
        key = (*args, *kwargs.items())
        if of_run(key):
            return user_function(*args, **kwargs)
        if key not in known:
            known[key] = user_function(*args, **kwargs)
        return known[key]

    return cached


@polyfill(functools.singledispatch)
class Dispatched:
    def __init__(self, func):
        self.functions = {object: func}

    def register(self, cls, func=None):
        if func is None and isinstance(cls, type):
            return lambda func: self.register(cls, func)
        if func is None:
            cls, func = first_annotation(cls), cls
        self.functions[cls] = func
        return func

    def dispatch(self, cls):
        return nearest(self.functions, cls)

    def __call__(self, *args, **kw):
        if not args:
            raise TypeError("singledispatch function requires at least 1 positional argument")
        return self.dispatch(type(args[0]))(*args, **kw)


def first_annotation(function):
    """The class that the annotation of the first parameter of a function names."""


@emits(first_annotation)
def _first_annotation(ip, function):
    if not isinstance(function, Closure):
        return next(iter(typing.get_type_hints(function).values()))
    of = function.source.tree.args
    first = [*of.posonlyargs, *of.args][0]
    if first.annotation is None:
        what = f"register: {function.name}() has no annotation of its first parameter"
        raise complain(TypeError, what, cure="name the class: register(int)")
    ip.frames.append(function.frame)
    try:
        return ip.eval(first.annotation)
    finally:
        ip.frames.pop()


def nearest(functions, cls):
    """The function that ``functools.singledispatch`` takes for a class, abstract ones included."""


@emits(nearest)
def _nearest(ip, functions, cls):
    table = functools.singledispatch(functions[object])
    for known, function in functions.items():
        performed(table.register, known, function)
    return table.dispatch(cls)


@emits(functools.singledispatch(cmp_to_key).__code__)
def _dispatched(ip, function, *args, **kwargs):
    """A call of what ``functools.singledispatch`` has made outside."""
    if not args:
        what = f"{function.__name__} requires at least 1 positional argument"
        raise complain(TypeError, what)
    names = function.dispatch.__code__.co_freevars
    cell = function.dispatch.__closure__[names.index("registry")]
    ip.imports.read(CELL, cell, "registry", cell.cell_contents)
    return ip.call(function.dispatch(ip.call(type, [args[0]], {})), list(args), kwargs)


# ---- heaps


@polyfill()
def first_place(tests, places, missing: str):
    """The place that stands beside the first test which holds."""
    for test, place in zip(tests, places):
        if test:
            return place
    raise ValueError(missing)


def of_run(values) -> bool:
    """Whether data decide the order of elements."""


@emits(of_run)
def _of_run(ip, values):
    if not any(map(holds_runtime, values)):
        return False
    if not all(isinstance(v, tuple) for v in values):
        return True
    columns = list(itertools.takewhile(lambda c: not holds_runtime(c), zip(*values)))
    return not columns or len(set(zip(*columns))) < len(values)


def parents(at: int, top: int) -> list:
    """The places above ``at`` in a heap, up to ``top``."""


@emits(parents)
def _parents(ip, at, top):
    found = []
    while at > top:
        at = (at - 1) // 2
        found.append(at)
    return found


def exchange(heap, a: int, b: int) -> None:
    """Put the smaller one of two elements first."""
    if heap[b] < heap[a]:
        heap[a], heap[b] = heap[b], heap[a]


def rise(heap, at: int, top: int) -> None:
    """Bring the element at ``at`` to its place among those above it, up to ``top``."""
    for above in parents(at, top):
        if of_run(heap):
            exchange(heap, above, at)
        elif heap[at] < heap[above]:
            heap[above], heap[at] = heap[at], heap[above]
        else:
            break
        at = above


def sink(heap, top: int) -> None:
    """Bring the element at ``top`` to its place among those below it."""
    if of_run(heap):
        below = [top]
        for at in below:
            for child in (2 * at + 1, 2 * at + 2):
                if child < len(heap):
                    exchange(heap, at, child)
                    below.append(child)
        return
    item, at = heap[top], top
    for _ in parents(len(heap), 0):
        child = 2 * at + 1
        if child >= len(heap):
            break
        if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
            child += 1
        heap[at] = heap[child]
        at = child
    heap[at] = item
    rise(heap, at, top)


@polyfill(heapq.heappush)
def heappush(heap, item):
    heap.append(item)
    rise(heap, len(heap) - 1, 0)


@polyfill(heapq.heappop)
def heappop(heap):
    last = heap.pop()
    return heapreplace(heap, last) if heap else last


@polyfill(heapq.heapreplace)
def heapreplace(heap, item):
    first, heap[0] = heap[0], item
    sink(heap, 0)
    return first


@polyfill(heapq.heappushpop)
def heappushpop(heap, item):
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        sink(heap, 0)
    return item


@polyfill(heapq.heapify)
def heapify(x):
    for at in reversed(range(len(x) // 2)):
        sink(x, at)


@polyfill(heapq.nsmallest)
def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]


@polyfill(heapq.nlargest)
def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]


@polyfill(heapq.merge)
def merge(*iterables, key=None, reverse=False):
    return iter(sorted([v for iterable in iterables for v in iterable], key=key, reverse=reverse))


# ---- sorted lists


def before(a, x, lo, hi, key, equal: bool):
    """How many elements of ``a`` stand before ``x``; with ``equal`` those that are equal too."""
    keys = a[lo : len(a) if hi is None else hi]
    if key is not None:
        keys = [key(v) for v in keys]
    at = lo
    for k in keys:
        if (not x < k) if equal else k < x:
            at += 1
    return at


@polyfill(bisect.bisect_left)
def bisect_left(a, x, lo=0, hi=None, *, key=None):
    return before(a, x, lo, hi, key, False)


@polyfill(bisect.bisect_right, bisect.bisect)
def bisect_right(a, x, lo=0, hi=None, *, key=None):
    return before(a, x, lo, hi, key, True)


def put(a, at, x) -> None:
    """Insert at a place that data may decide."""
    if of_run([at]):
        a[:] = [
            (a[k] if k < at else x if k == at else a[k - 1])
            if 0 < k < len(a)
            else (a[0] if at > 0 else x)
            if k == 0
            else (x if at == len(a) else a[-1])
            for k in range(len(a) + 1)
        ]
    else:
        a.insert(at, x)


@polyfill(bisect.insort_left)
def insort_left(a, x, lo=0, hi=None, *, key=None):
    put(a, before(a, x if key is None else key(x), lo, hi, key, False), x)


@polyfill(bisect.insort_right, bisect.insort)
def insort_right(a, x, lo=0, hi=None, *, key=None):
    put(a, before(a, x if key is None else key(x), lo, hi, key, True), x)
