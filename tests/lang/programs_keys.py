"""Numbers of the run that decide a hash, a member of an enum or whether a name is set: functions of a
tensor ``x`` and an int ``n``.
"""

import dataclasses
import enum
from collections import Counter, namedtuple


@dataclasses.dataclass(frozen=True)
class Place:
    row: int
    column: int = 2


class Named:
    def __init__(self, name):
        self.name = name

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        return self.name == other.name


class Rows:
    """Told from others by the number of its tensors and of their elements."""

    def __init__(self, *rows):
        self.rows, self.listed = rows, [*rows]

    def __hash__(self):
        return hash((len(self.rows), self.listed[0].shape))

    def __eq__(self, other):
        return len(self.rows) == len(other.rows) and self.rows[0].shape == other.rows[0].shape


class Kind(enum.Enum):
    NONE = 0
    ONE = 1
    TWO = 2
    THREE = 3
    FIVE = 5


Pair = namedtuple("Pair", "a b")
WEIGHTS = {Place(1): 2.0, Place(2): 3.0, Place(5): 4.0}


def key_place_absent(x, n):
    known = {Place(1): 5, Place(2): 6}
    return x * known.get(Place(n), 0), Place(n) in known, Place(n) == Place(2)


def key_place_of_size(x, n):
    scale = 2.0 if n > 1 else 3.0
    return x * WEIGHTS.get(Place(n), 1.0) * scale, len({Place(n), Place(2)})


def key_place_replaced(x, n):
    p = dataclasses.replace(Place(n), column=n + 1)
    return x * p.column, {p: 1}.get(Place(2, 3), 0), dataclasses.astuple(p)


def key_named(x, n):
    return x, {Named(2): 3}.get(Named(n), 0), len({Named(n), Named(1)}), [Named(2)].count(Named(n))


def key_hashes(x, n):
    return x, hash(n) == hash(2), hash((n, 1)) == hash((2, 1)), hash(Place(n)) == hash(Place(2))


def key_hash_written(x, n):
    return x, hash(Named(n)) == hash(2), hash(Named("a")) == hash("a")


def key_tuples(x, n):
    counts = Counter()
    counts[n, 1] += 1
    counts[Pair(n, 1)] += 2
    return x, counts[2, 1], {Pair(2, 1): 4}.get((n, 1), 0), len({(n, 1), Pair(2, 1)})


def key_of_tensors(x, n):
    known = {Rows(x): 1, Rows(x, x * n): 2}
    return x, known[Rows(x * n)], known[Rows(x, x)], known.get(Rows(x[1:]), 0), len(known)


def key_enum(x, n):
    kind = Kind(n) if n > 1 else Kind.ONE
    match kind:
        case Kind.TWO:
            return x * 2.0
        case Kind.ONE:
            return x * 3.0
    return x * kind.value


def key_enum_name(x, n):
    return x, Kind(n).name, {Kind.TWO: 1}.get(Kind(n), 0)


def number_attributes(x, n):
    big = n > 2
    return x * big, hasattr(n, "imag"), hasattr(n, "nothing"), getattr(n, "denominator", 7)


def set_by_both(x, n):
    if n > 2:
        y = x * n
    if n <= 2:
        y = x + n
    return y


def set_where_read(x, n):
    if x[0] > 0.0:
        y = x * 2.0
    if x[1] < 0.0:
        y = y * n
    return y


def set_or_raise(x, n):
    def fail():
        raise RuntimeError("never")

    if x[0] > 0.0 or fail():
        y = x * n
    return y


def set_on_no_path_that_reads(x, n):
    if x[0] < 0.0:
        y = x
    if x[0] < 0.0:
        y = y * 2.0
    return x * n


def unset_is_caught(x, n):
    if n > 2:
        y = x * 2.0
    try:
        return y * n
    except UnboundLocalError:
        return x + 1.0


def unset_in_a_loop(x, n):
    for i in range(5):
        if i == n:
            y = x * i
        if i > 3 and n < 5:
            x = x + y
    return x
