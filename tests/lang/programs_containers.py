"""Sets that change, keys and elements that are numbers of the run, equality of what holds them:
functions of a tensor ``x`` and an int ``n``.
"""

import copy
import dataclasses
import enum
import operator


@dataclasses.dataclass(frozen=True)
class Size:
    """A record that is compared by its fields."""

    width: int
    name: str = "a"


class Small(enum.IntEnum):
    """Numbers with names."""

    ONE = 1
    TWO = 2


@dataclasses.dataclass(order=True)
class Rank:
    """A record that has an order; its note does not count."""

    first: float
    second: float = 0.0
    note: str = dataclasses.field(default="", compare=False)


def number_in_dict_and_set(x, n):
    d = {0: 10, 1: 11, 2: 12}
    return (
        n in d,
        n not in {1: 1},
        d.get(n, 99),
        n in {1, 2, 3},
        n in frozenset([5]),
        (n, 1) in {(2, 1)},
        x,
    )


def number_as_key(x, n):
    d = {}
    d[n] = x
    d[2] = x * 2.0
    return len(d), d[n], {n: 1}[n]


def equality_of_dicts(x, n):
    return {"a": 1, "b": n} == {"b": 2, "a": 1}, {"a": n} != {"a": 1}, {"a": [n]} == {"a": [3]}, x


def equality_of_kinds(x, n):
    return [n] != (n,), (n,) == [n], [n] == {"a": n}, n == "a", x


def equality_of_records(x, n):
    a = Size(n)
    return a == Size(2), Size(2) != a, a in [Size(1), Size(3)], (a, 1) == (Size(1), 1), x


def order_of_records(x, n):
    a, b = Rank(n, 1.0, "a"), Rank(2, 1.0, "b")
    return a == b, a < b, a >= b, max(1, 2), x


def index_of_a_number(x, n):
    xs = [0, 1, 2, 3, 5]
    at = xs.index(n)
    xs.remove(n)
    return at, xs, x


def set_that_changes(x, n):
    seen, out = set(), []
    for v in (1, 2, 1, 3, 2):
        if v not in seen:
            seen.add(v)
            out.append(x * v * n)
    return out, sorted(seen), len(seen)


def set_with_two_names(x, n):
    a = {1}
    b = a
    b |= {2}
    b.update([n, 7], (8,))
    c = a.copy()
    c.discard(1)
    return sorted(a), a is b, sorted(c), sorted(a - {2}), sorted(a ^ {1, 9}), a >= {1}, x


def set_changed_by_a_function(x, n):
    def visit(node, edges, seen):
        if node in seen:
            return 0
        seen.add(node)
        return 1 + sum(visit(k, edges, seen) for k in edges[node])

    seen = set()
    return visit("a", {"a": "bc", "b": "c", "c": "a"}, seen) * n, sorted(seen), x


def set_changed_in_branches(x, n):
    s = {1}
    if n > 2:
        s.add(2)
        x = x * 2.0
    else:
        s.add(2)
    return x * len(s)


def sorted_in_place(x, n):
    xs = [3, 1, n]
    xs.sort()
    ys = [(1, "b"), (0, "a"), (n, "c")]
    ys.sort(key=lambda t: -t[0], reverse=True)
    return xs, ys, x


def strings(x, n):
    s = "Hello World"
    return (
        s.index("o"),
        s.partition(" "),
        s.rsplit("o", 1),
        s.removeprefix("He"),
        s.isalpha(),
        x * n,
    )


def update_with_pairs(x, n):
    d = {"a": 1}
    d.update([("b", n), ("a", x)])
    del d["b"]
    return d


def attribute_deleted(x, n):
    r = Rank(n)
    r.extra = x
    del r.extra
    return hasattr(r, "extra"), r.first, x


def keyword_given_once(x, n):
    def f(a, **more):
        return a, more

    return f(x, **{"b": n}, c=2)


def operators(x, n):
    xs = [1]
    operator.iadd(xs, [n])
    return (
        operator.itemgetter(1)([x, n]),
        operator.itemgetter(0, 2)((1, 2, n)),
        operator.attrgetter("second")(Rank(n, 2.0)),
        operator.methodcaller("sum")(x),
        operator.and_(n, 3),
        operator.not_(n),
        operator.is_(None, None),
        operator.concat([1], [n]),
        xs,
    )


def copies(x, n):
    a = {"t": x * 1.0, "l": [1, {2}]}
    b, c = copy.copy(a), copy.deepcopy(a)
    a["t"][0] = n
    a["l"].append(3)
    a["l"][1].add(4)
    return a["t"], b["t"], c["t"], len(b["l"]), len(c["l"]), len(b["l"][1]), len(c["l"][1])


def attributes_by_name(x, n):
    r = Rank(n)
    for i, name in enumerate(["a", "b"]):
        setattr(r, name, x * i + n)
    delattr(r, "a")
    return r.b, hasattr(r, "a"), issubclass(Rank, Size), isinstance(r, Rank)


def enums(x, n):
    return x + Small.TWO, Small(1) is Small.ONE, Small["TWO"] * n, [m.name for m in Small]


def extremes_of_tuples(x, n):
    nearest = min([3, 1, 2], key=lambda v: (v - n) ** 2)
    return max((1, 2), (1, n)), nearest, max([x, x * 2], key=lambda t: t.sum())


def places_of_a_range(x, n):
    r = range(n, 10, 2)
    return len(r), r[0], r[-1], x


def rounded_to_digits(x, n):
    return round(n / 3, 2), n.bit_length(), x
