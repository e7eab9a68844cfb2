"""Small programs: objects, decorators, methods. Each takes a tensor of three floats and an int."""

# Written as people write, not as a linter would.
import functools
import typing
from collections import namedtuple
from dataclasses import dataclass, field, replace

import minds as ms
from minds import Tensor, nn, ops

Pair = namedtuple("Pair", "a b")


class Typed(typing.NamedTuple):
    first: object
    second: int = 3

    def total(self):
        return self.first * self.second

    @property
    def double(self):
        return self.first * 2.0

    @classmethod
    def of(cls, v):
        return cls(v, 2)


@dataclass(frozen=True)
class Frozen:
    scale: float
    times: int = 2
    names: tuple = ("a", "b")

    def apply(self, x):
        return x * self.scale * self.times

    @property
    def total(self):
        return self.scale * self.times

    @classmethod
    def unit(cls):
        return cls(1.0, 1)

    @staticmethod
    def twice(v):
        return v * 2


@dataclass
class State:
    x: object
    count: int = 0
    log: list = field(default_factory=list)

    def step(self, y):
        return State(self.x + y, self.count + 1, [*self.log, self.count])


@dataclass
class Child(State):
    extra: float = 0.5

    def step(self, y):
        before = super().step(y)
        return Child(before.x * self.extra, before.count, before.log, self.extra)


@dataclass(frozen=True)
class Checked:
    low: float
    high: float
    width: float = field(init=False, default=0.0)

    def __post_init__(self):
        object.__setattr__(self, "width", self.high - self.low)


@dataclass
class Doubled:
    value: object
    twice: object = None

    def __post_init__(self):
        self.twice = self.value * 2


class Affine:
    offset = 1.5

    def __init__(self, k):
        self.k = k

    def __call__(self, v):
        return v * self.k + self.offset

    @property
    def gain(self):
        return self.k * 2

    @classmethod
    def of(cls, k):
        return cls(k + 1)

    @staticmethod
    def half(v):
        return v * 0.5


class Shifted(Affine):
    offset = -0.5

    def __init__(self, k, shift):
        super().__init__(k)
        self.shift = shift

    def __call__(self, v):
        return super().__call__(v) + self.shift

    @property
    def gain(self):
        return super().gain + 1


class Mixin:
    def describe(self, v):
        return self.base(v) * 3.0

    def base(self, v):
        return v


class Mixed(Mixin, nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="w")
        self.table = {"k": 0.5, "f": ops.sin}
        self.point = Frozen(0.25, 4)

    def base(self, v):
        return super().base(v) + self.weight

    @property
    def doubled(self):
        return self.weight * 2.0

    @staticmethod
    def third(v):
        return v / 3.0

    @classmethod
    def name_length(cls):
        return len(cls.__name__)

    @ms.jit
    def compiled(self, v, k=2.0):
        return self.base(v) * k

    def construct(self, v, n):
        out = self.describe(v) + self.doubled + self.third(v) + self.name_length()
        return (
            out * self.table["k"] + self.table["f"](v) + self.point.apply(v) * n + self.compiled(v)
        )


CELL = Mixed()


def scaled(k):
    def wrap(f):
        @functools.wraps(f)
        def run(*args, **kwargs):
            return f(*args, **kwargs) * k

        return run

    return wrap


def counted(f):
    def run(v, times=1):
        for _ in range(times):
            v = f(v)
        return v

    return run


@scaled(2.0)
def decorated(v, k=1.0):
    return v + k


@scaled(0.5)
@counted
def decorated_twice(v):
    return ops.tanh(v) + v


@ms.jit
def inner_jit(v, k):
    if k > 2:
        return v * k
    return v - k


class Tools:
    @staticmethod
    @ms.jit
    def static(v):
        return v * 2.0

    @classmethod
    @scaled(3.0)
    def of_class(cls, v):
        return v + cls.shift

    shift = 0.25


def named_tuple_returned(x, n):
    return Pair(x, n), Typed(x), Typed.of(x * n)


def named_tuple_methods(x, n):
    t = Typed(x, n)
    return t.total(), t.double, t._replace(second=5).total(), Typed.of(x).total()


def named_tuple_in_while(x, n):
    t = Typed(x, 0)
    while t.second < n:
        t = Typed(t.first * 0.5, t.second + 1)
    return t.total(), t


def frozen_made_and_used(x, n):
    c = Frozen(0.5, n)
    return c.apply(x), c.total, Frozen.unit().apply(x), c.twice(n), c.names[0]


def frozen_over_tensors(x, n):
    c = Frozen(x, times=n)
    return c.apply(x), replace(c, times=7).apply(x)


def frozen_by_branch(x, n):
    c = Frozen(x, 1) if n > 2 else Frozen(x * 2.0, n)
    return c.apply(x)


def frozen_with_post_init(x, n):
    c = Checked(x, x + n)
    return c.width, Checked(1.0, 2.5).width


def mutable_made_and_used(x, n):
    s = State(x, n)
    return s.x, s.count, s.log


def mutable_stepped(x, n):
    s = State(x)
    for _ in range(3):
        s = s.step(x)
    return s.x, s.count + n, s.log


def mutable_in_a_runtime_loop(x, n):
    s = State(x, 0, None)
    i = 0
    while i < n:
        s = State(s.x * 0.5 + x, s.count + i, None)
        i = i + 1
    return s.x, s.count


def mutable_changed(x, n):
    s = State(x)
    s.x = s.x * 2.0
    s.count += n
    s.log.append(s.count)
    return s.x, s.count, s.log


def mutable_changed_under_a_condition(x, n):
    s = State(x)
    if n > 2:
        s.x = s.x * 2.0
        s.count = n
    else:
        s.count = 7
    return s.x, s.count


def mutable_changed_in_a_loop(x, n):
    s = State(x)
    for i in range(n):
        s.x = s.x * 0.5 + i
        s.count += i
    return s.x, s.count


def mutable_changed_by_a_function(x, n):
    def advance(s, k):
        s.x = ops.sin(s.x)
        s.count += k

    s = State(x)
    t = s
    advance(s, n)
    advance(s, 2)
    return t.x, t.count, s is t


def mutable_child(x, n):
    c = Child(x, n)
    c = c.step(x).step(x * 2.0)
    return c.x, c.count, c.extra, isinstance(c, State)


def mutable_with_post_init(x, n):
    return Doubled(x).twice, Doubled(n).twice


def mutable_by_branch(x, n):
    s = State(x, 1) if n > 2 else State(x * 2.0, n)
    return s.x * s.count


def plain_object(x, n):
    f = Affine(n)
    return f(x), f.gain, Affine.half(x), Affine.of(n)(x), f.offset


def plain_child(x, n):
    f = Shifted(x, n)
    return f(x), f.gain, isinstance(f, Affine)


def plain_object_changed(x, n):
    f = Affine(2.0)
    f.k = f.k + n
    f.extra = x
    return f(x) + f.extra


def plain_object_with_a_method_that_changes_it(x, n):
    counter = Counter(x)
    for i in range(n):
        counter.add(i)
    return counter.total, counter.calls


class Counter:
    def __init__(self, start):
        self.total, self.calls = start, 0

    def add(self, k):
        self.total = self.total + k
        self.calls += 1
        return self


def chained_calls(x, n):
    c = Counter(x).add(1).add(n)
    return c.total, c.calls


def object_in_containers(x, n):
    pair = (Counter(x), [Counter(x * 2.0)])
    pair[0].add(n)
    pair[1][0].add(1).add(1)
    return pair[0].total, pair[1][0].total, pair[1][0].calls


def decorated_functions(x, n):
    return decorated(x), decorated(x, k=n), decorated_twice(x, times=2), decorated.__name__


def decorated_inside(x, n):
    def twice(f):
        return lambda *args: f(f(*args))

    @scaled(n)
    @twice
    def g(v):
        return v * 0.5 + 1.0

    return g(x)


def jit_inside(x, n):
    return inner_jit(x, n) + inner_jit(x, 5)


def jit_of_static_and_class_methods(x, n):
    return Tools.static(x), Tools().static(x), Tools.of_class(x), Tools.of_class(x * n)


def cell_with_everything(x, n):
    return CELL(x, n)


def jit_method_of_a_cell(x, n):
    return CELL.compiled(x) + CELL.compiled(x, k=n), CELL.doubled


def partial_of_a_method(x, n):
    f = functools.partial(CELL.compiled, k=3.0)
    return f(x) + functools.partial(Frozen(0.5, n).apply)(x)


def getattr_of_objects(x, n):
    c = Frozen(0.5, n)
    return (
        getattr(c, "times"),
        getattr(c, "nothing", 4),
        hasattr(c, "scale"),
        hasattr(Counter(x), "total"),
    )
