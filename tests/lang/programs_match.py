"""The `match` statement, over values known while compiling and numbers of the run: functions of a
tensor ``x`` and an int ``n``.
"""

import collections
import dataclasses
import enum

from minds import ops

Named = collections.namedtuple("Named", "a b")


@dataclasses.dataclass
class Point:
    """Two places; the second may be left out."""

    x: object
    y: object = 0


class Colour(enum.Enum):
    """A constant in patterns."""

    RED = 1
    BLUE = 2


class Base:
    """Its subclasses match by two places."""

    __match_args__ = ("u", "v")


class Derived(Base):
    """A `Base` with both places."""

    def __init__(self, u, v):
        self.u, self.v = u, v


def values(x, n):
    match n:
        case 0:
            return x * 2.0
        case 1 | 2:
            return x + n
        case Colour.BLUE.value | 3:
            return x - n
        case _:
            return x


def falls_through(x, n):
    y = x
    match n:
        case 0:
            y = x * 2.0
        case 5:
            y = x + 1.0
    return y


def strings(x, n):
    mode = "tanh"
    match mode:
        case "relu":
            return ops.relu(x)
        case "tanh" | "sigmoid" as m:
            return ops.tanh(x) * len(m)


def sequence_with_numbers(x, n):
    match [x, n, 3]:
        case [a, 0, *_]:
            return a
        case [a, b, c] if b > 1:
            return a * b * c
        case [a, *rest]:
            return a + len(rest)


def sequences(x, n):
    out = []
    for s in ((), (1,), (1, 2), (1, 2, 3), [4, n], "ab", range(2), {1: 2}):
        match s:
            case []:
                out.append("e")
            case [a]:
                out.append(("1", a))
            case (a, b):
                out.append(("2", a, b))
            case [a, *mid, z]:
                out.append((a, mid, z))
            case str(t):
                out.append(t)
            case {1: v, **rest}:
                out.append((v, rest))
    return out


def classes(x, n):
    out = []
    points = (Point(0, 0), Point(n, 1), Point(2.5, y=n))
    for v in (*points, Named(1, n), Derived(1, n), 3, 2.5, "a", None, True, [1]):
        match v:
            case None:
                out.append("none")
            case True:
                out.append("true")
            case Point(0, 0):
                out.append("origin")
            case Point(y=1, x=int() as a):
                out.append(("y1", a))
            case Point(x=a, y=b):
                out.append((a, b))
            case Named(a, b):
                out.append(("nt", a, b))
            case Base(1, w):
                out.append(("base", w))
            case int(k) | float(k):
                out.append(k * 2)
            case str():
                out.append("str")
            case _:
                out.append("other")
    return out


def constants(x, n):
    c = Colour.BLUE
    match c:
        case Colour.RED:
            return x
        case Colour.BLUE:
            return x * n


def guards_bind(x, n):
    match n:
        case k if k > 2:
            r = k
        case k if k > 0:
            r = k * 10
        case k:
            r = k - 1
    return r, k, x


def alternatives_that_bind(x, n):
    match (n, 7):
        case (0, k) | (k, 8) | (3, k):
            return k, x
        case (a, b):
            return a, x


def nested(x, n):
    match {"a": [Point(1, (n, x)), {"k": "v"}]}:
        case {"a": [Point(1, (m, t)), {"k": "w" | "v" as w}]}:
            return m, t, w


def in_a_loop(x, n):
    for i in range(4):
        match i:
            case 1:
                continue
            case 3 if n > 2:
                break
            case _:
                x = x * (i + 1.0)
    return x


def state_machine(x, n):
    s = 0
    while True:
        match s:
            case 0:
                s = 1
            case 1:
                s = n if n > 2 else 2
            case 5:
                return x
            case _:
                return x * s


def shapes(x, n):
    match x.ndim, x.shape:
        case 1, (k,):
            return x * k
        case 2, (a, b):
            return x


def string_chosen_by_data(x, n):
    s = "a" if n > 2 else "b"
    match s:
        case "a":
            return x
        case _:
            return x * 3
