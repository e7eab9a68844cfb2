"""Special methods of users' classes, objects on several paths, and iterators that are used up."""

import dataclasses

import pytest
from agreement import agree, gradients_agree

import minds as ms
from minds import Tensor
from minds.base.errors import CompileTimeError

X = Tensor(2.0)


class Pair:
    """Two numbers with operators of all kinds."""

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        if isinstance(other, Pair):
            return Pair(self.a + other.a, self.b + other.b)
        return Pair(self.a + other, self.b + other)

    def __radd__(self, other):
        return self + other

    def __mul__(self, other):
        if not isinstance(other, Pair):
            return NotImplemented
        return self.a * other.a + self.b * other.b

    def __rmul__(self, k):
        return Pair(k * self.a, k * self.b)

    def __iadd__(self, other):
        return Pair(self.a + 10 * other, self.b)

    def __neg__(self):
        return Pair(-self.a, -self.b)

    def __abs__(self):
        return (self.a * self.a + self.b * self.b) ** 0.5

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return (self.a, self.b)[i]

    def __iter__(self):
        return iter((self.a, self.b))

    def __contains__(self, v):
        return self.a == v

    def __bool__(self):
        return bool(self.b > 0)

    def __eq__(self, other):
        return self.a == other.a

    def __lt__(self, other):
        return self.a < other.a

    def __call__(self, k):
        return self.a * k


def add(x):
    return (Pair(x, 2 * x) + Pair(x * x, x)).a


def add_number(x):
    return (1.0 + (Pair(x, x) + x)).b


def reflected(x):
    return (3 * Pair(x, x)).b


def product(x):
    return Pair(x, x) * Pair(x, 2 * x)


def in_place(x):
    p = Pair(x, x)
    p += x
    return p.a


def negative_and_absolute(x):
    return abs(-Pair(x, 2 * x))


def items(x):
    p = Pair(x, x * 3)
    a, b = p
    return p[1] * a + b * len(p) + sum(p) + tuple(p)[0] + (lambda u, v: u - v)(*p)


def member(x):
    return x if x in Pair(x, x) else -x


def truth(x):
    return x if Pair(x, -x) else x * x


def comparisons(x):
    r = x * 0
    if Pair(x, 1) == Pair(x, 2):
        r = r + 1 * x
    if Pair(x, 1) != Pair(x + 1, 1):
        r = r + 10 * x
    if Pair(x, 1) > Pair(x + 1, 1):
        r = r + 100 * x
    return r


def extremes(x):
    return max(Pair(x, 0), Pair(2 * x, 1)).a - min(Pair(x, 0), Pair(2 * x, 1)).a


def summed(x):
    return sum([Pair(x, x), Pair(x, 2 * x)], Pair(0.0, 0.0)).b


def called(x):
    return Pair(x, x)(5)


def in_a_branch(x):
    p = Pair(x, x)
    if x > 1:
        p = p + Pair(x, x)
    else:
        p = Pair(x, 2 * x)
    return p.b


def in_a_loop(x):
    p = Pair(x, x)
    while p.a < 19.0:
        p = p + Pair(x, 1.0)
    return p.b * p.a


def spent(x):
    z = zip([x, x], [1, 2])
    return sum(p * q for p, q in z) + 10 * sum(p * q for p, q in z)


def next_takes_one(x):
    it = iter([x, 2 * x, 3 * x])
    return next(it) - next(it) + sum(it) + next(it, 7.0)


def generator_is_spent(x):
    g = (x * k for k in range(3))
    return sum(g) + 100 * len(list(g))


def left_by_break(x):
    it = enumerate([x, 2 * x, 3 * x, 4 * x])
    for i, v in it:
        if i == 1:
            break
    return sum(v for _, v in it)


def two_at_a_time(x):
    it = iter([x, 2 * x, 3 * x, 4 * x])
    total = 0.0
    for a in it:
        total = total + a * next(it)
    return total


def left_on_data(x):
    z = zip([x, 2 * x, 3 * x], [1, 2, 3])
    total = x * 0
    for a, k in z:
        if a > 3:
            break
        total = total + a * k
    return total


PROGRAMS = [
    add,
    add_number,
    reflected,
    product,
    in_place,
    negative_and_absolute,
    items,
    member,
    truth,
    comparisons,
    extremes,
    summed,
    called,
    in_a_branch,
    in_a_loop,
    spent,
    next_takes_one,
    generator_is_spent,
    left_by_break,
    two_at_a_time,
    left_on_data,
]


@pytest.mark.parametrize("fn", PROGRAMS)
def test_as_cpython(fn):
    agree(fn, X)
    gradients_agree(fn, X)


def test_an_iterator_has_no_length():
    with pytest.raises(TypeError, match="no len"):
        ms.jit(lambda x: x * len(zip([1], [2])))(X)


def test_an_iterator_ends():
    def f(x):
        it = iter([x])
        return next(it) + next(it)

    for g in (f, ms.jit(f)):
        with pytest.raises(StopIteration):
            g(X)


def test_a_tensor_leaves_what_it_does_not_know_to_the_other_side():
    agree(lambda x: (x * Pair(x, 3 * x)).b, X)
    with pytest.raises(TypeError, match="other has type object"):
        X * object()


@dataclasses.dataclass
class Inner:
    a: object
    b: object = 2.0


@dataclasses.dataclass(frozen=True)
class Outer:
    inner: Inner
    items: list


def as_a_tuple(x):
    return sum(dataclasses.astuple(Inner(x, x * x)))


def as_a_dict(x):
    d = dataclasses.asdict(Outer(Inner(x, 3 * x), [Inner(x), x]))
    return d["inner"]["b"] + d["items"][0]["a"] * d["items"][1]


def named_fields(x):
    return x * len(dataclasses.fields(Inner)) + x * len(
        [f.name for f in dataclasses.fields(Inner(x))]
    )


@pytest.mark.parametrize("fn", [as_a_tuple, as_a_dict, named_fields])
def test_functions_of_dataclasses(fn):
    agree(fn, X)
    gradients_agree(fn, X)


def test_a_key_is_not_told_from_others_by_values_of_tensors():
    class Held:
        def __init__(self, v):
            self.v = v

        def __hash__(self):
            return 1

        def __eq__(self, other):
            return bool(self.v == other.v)

    with pytest.raises(CompileTimeError, match="a key of a dict must be known when"):
        ms.jit(lambda x: {Held(x): 1}.get(Held(x * 1.0), 0))(X)
