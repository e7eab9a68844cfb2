"""Objects of the classes that people write: functions of a tensor ``x`` and an int ``n``."""

import abc
import collections
import dataclasses
import enum
import functools
import operator
import typing
from dataclasses import dataclass, field, replace

import minds as ms
from minds import Tensor, nn, ops


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b=1):
        self.a = a
        self.b = b

    def total(self):
        return self.a * self.b


def c_slots(x, n):
    s = Slotted(x)
    s.b = n
    s.a = s.a + 1.0
    return s.total(), s.b, hasattr(s, "c"), isinstance(s, Slotted), type(s) is Slotted


class SlotChild(Slotted):
    __slots__ = ("c",)

    def __init__(self, a, c):
        super().__init__(a, 2)
        self.c = c


def c_slots_child(x, n):
    s = SlotChild(x, n)
    if n > 2:
        s.c = s.c * 2
    return s.a * s.c, s.total()


def c_slots_loop(x, n):
    s = Slotted(x, 0)
    for i in range(n):
        s.a = s.a * 0.5
        s.b += i
    return s.a, s.b


@dataclass(slots=True)
class SlotData:
    v: Tensor
    k: int = 3


def c_slotdata(x, n):
    d = SlotData(x, n)
    e = SlotData(x)
    return d.v * d.k, e.k, d == SlotData(x, n) if False else True


@dataclass
class Data:
    v: object
    k: int = 2
    tags: list = field(default_factory=list)
    hidden: int = field(default=7, init=False, repr=False, compare=False)

    def __post_init__(self):
        self.double = self.k * 2

    @property
    def size(self):
        return self.k + 1

    @classmethod
    def of(cls, v):
        return cls(v, k=5)

    @staticmethod
    def helper(a):
        return a + 1


def c_data(x, n):
    d = Data(x, n)
    d.tags.append(1)
    e = replace(d, k=n + 1)
    f = Data.of(x)
    return (
        d.v * d.k,
        e.k,
        e.double,
        f.k,
        d.double,
        d.size,
        Data.helper(n),
        d.hidden,
        len(e.tags),
        f.tags,
    )


@dataclass(order=True)
class Ordered:
    k: int
    v: object = field(compare=False, default=None)


def c_order(x, n):
    a, b = Ordered(1, x), Ordered(2, x * 2.0)
    return a < b, max(a, b).v, sorted([b, a])[0].v, a == Ordered(1), Ordered(n) > a, Ordered(n) >= b


@dataclass(frozen=True)
class Frozen:
    k: int
    v: object


def c_frozen(x, n):
    f = Frozen(n, x)
    g = replace(f, k=3)
    d = {Frozen(1, 2): 5}
    return f.v * g.k, d[Frozen(1, 2)], f.k


class Base(abc.ABC):
    def __init__(self, w):
        self.w = w

    @abc.abstractmethod
    def forward(self, x): ...
    def __call__(self, x):
        return self.forward(x) + self.bias()

    def bias(self):
        return 1.0


class Lin(Base):
    def forward(self, x):
        return x * self.w

    def bias(self):
        return super().bias() * 2.0


def c_abc(x, n):
    return Lin(n)(x)


class Vec:
    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        return Vec(self.v + (o.v if isinstance(o, Vec) else o))

    __radd__ = __add__

    def __mul__(self, k):
        return Vec(self.v * k)

    def __rmul__(self, k):
        return self * k

    def __sub__(self, o):
        return Vec(self.v - o.v)

    def __neg__(self):
        return Vec(-self.v)

    def __matmul__(self, o):
        return (self.v * o.v).sum()

    def __iadd__(self, o):
        self.v = self.v + o.v
        return self

    def __eq__(self, o):
        return isinstance(o, Vec) and self.k() == o.k()

    def __hash__(self):
        return hash(self.k())

    def k(self):
        return self.v.shape

    def __len__(self):
        return self.v.shape[0]

    def __getitem__(self, i):
        return self.v[i]

    def __setitem__(self, i, w):
        self.v[i] = w

    def __contains__(self, w):
        return w in (1, 2)

    def __iter__(self):
        return iter([self.v, self.v * 2.0])

    def __bool__(self):
        return True

    def __call__(self, y, *, s=1.0):
        return self.v * y * s

    def __abs__(self):
        return Vec(abs(self.v))

    def __pow__(self, k):
        return Vec(self.v**k)

    def __truediv__(self, k):
        return Vec(self.v / k)

    def __getattr__(self, name):
        if name == "extra":
            return 42
        raise AttributeError(name)

    def __str__(self):
        return "Vec"

    def __format__(self, spec):
        return "V" + spec

    def __lt__(self, o):
        return self.k() < o.k()

    def __enter__(self):
        return self

    def __exit__(self, *a):
        self.v = self.v * 0.5


def c_vec(x, n):
    a, b = Vec(x), Vec(x * n)
    c = a + b * 2.0 - a
    c += a
    d = -c + 1.0
    e = sum([a, b], Vec(x * 0.0))
    with Vec(x) as w:
        f = w.v * 3.0
    return (
        d.v,
        a @ b,
        len(a),
        a[1],
        1 in a,
        5 in a,
        [y for y in a],
        a(2.0, s=n),
        a.extra,
        f"{a:x} {a!s}",
        abs(d).v,
        (a**2).v,
        (a / 2.0).v,
        e.v,
        f,
        w.v,
        a == b,
        {a: 1}[b],
        bool(a),
        2.0 * a is a,
        a < b,
    )


class Temp:
    count = 0
    scale = 2.0

    def __init__(self, c):
        self._c = c

    @property
    def f(self):
        return self._c * 1.8 + 32

    @f.setter
    def f(self, v):
        self._c = (v - 32) / 1.8

    @functools.cached_property
    def twice(self):
        return self._c * self.scale


def c_prop(x, n):
    t = Temp(x)
    t.f = t.f + n
    u = Temp(n)
    u.scale = 3.0
    return t.f, t.twice, t.twice, u.twice, Temp.scale


class Color(enum.Enum):
    RED = 1
    BLUE = 2

    def weight(self):
        return self.value * 2.0

    @classmethod
    def default(cls):
        return cls.BLUE


class Flag(enum.IntEnum):
    A = 1
    B = 2


class Perm(enum.Flag):
    R = 1
    W = 2


def c_enum(x, n):
    c = Color.RED if n > 2 else Color.BLUE
    y = x * 2.0 if c is Color.RED else x
    return (
        y,
        Color.RED.weight(),
        Color.default().name,
        Color(2).value,
        Color["RED"].value,
        [m.name for m in Color],
        len(Color),
        Flag.A + n,
        Flag.B > Flag.A,
        c == Color.RED,
        Perm.R in (Perm.R | Perm.W),
        isinstance(Color.RED, Color),
        c.weight(),
    )


class NT(typing.NamedTuple):
    a: object
    b: int = 3

    def prod(self):
        return self.a * self.b


def c_nt(x, n):
    p = NT(x)
    q = NT(x, b=n)
    a, b = q
    return p.prod(), q.prod(), q._replace(b=1), p[1], q


class Node_:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right

    def total(self):
        t = self.v
        if self.left is not None:
            t = t + self.left.total()
        if self.right is not None:
            t = t + self.right.total()
        return t


def c_tree(x, n):
    return Node_(x, Node_(x * n), Node_(x, None, Node_(x * 3.0))).total()


class Mixin:
    def describe(self):
        return type(self).__name__ + "!"


class A_:
    def __init__(self, **kw):
        self.kw = kw

    def who(self):
        return ["A"]


class B_(A_, Mixin):
    def __init__(self, x, **kw):
        super().__init__(**kw)
        self.x = x

    def who(self):
        return ["B"] + super().who()


class C_(A_):
    def who(self):
        return ["C"] + super().who()


class D_(B_, C_):
    def who(self):
        return ["D"] + super().who()


def c_mro(x, n):
    d = D_(x, a=n)
    return d.who(), d.describe(), d.kw["a"] * d.x, isinstance(d, Mixin), issubclass(D_, C_)


class Registry:
    items = {}

    @classmethod
    def register(cls, name):
        def deco(fn):
            cls.items[name] = fn
            return fn

        return deco


@Registry.register("dbl")
def _dbl(v):
    return v * 2.0


def c_registry(x, n):
    return Registry.items["dbl"](x), getattr(ops, "sin")(x), n


class Linked:
    def __init__(self):
        self.head = None
        self.n = 0

    def push(self, v):
        self.head = (v, self.head)
        self.n += 1
        return self

    def __iter__(self):
        cur = self.head
        while cur is not None:
            yield cur[0]
            cur = cur[1]

    def __len__(self):
        return self.n

    def __reversed__(self):
        return iter(list(self)[::-1])


def c_linked(x, n):
    ls = Linked().push(x).push(x * n).push(x + 1.0)
    return list(ls), len(ls), list(reversed(ls)), sum(ls)


class Desc:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, cls=None):
        return getattr(obj, self.name) * 2

    def __set__(self, obj, v):
        setattr(obj, self.name, v + 1)


class HasDesc:
    v = Desc()

    def __init__(self, v):
        self.v = v


def c_desc(x, n):
    h = HasDesc(x)
    h.v = h.v * n
    return h.v


class AttrDict(dict):
    __getattr__ = dict.__getitem__


CFG = AttrDict(lr=0.5, depth=2)


def c_attrdict(x, n):
    return x * CFG.lr, CFG["depth"] + n, "lr" in CFG, CFG.get("q", 1)


@functools.total_ordering
class TO:
    def __init__(self, k):
        self.k = k

    def __lt__(self, o):
        return self.k < o.k

    def __eq__(self, o):
        return self.k == o.k


def c_total(x, n):
    a, b = TO(1), TO(n)
    return a <= b, a > b, a >= b, a != b, x


class NewOnly:
    def __new__(cls, v):
        self = super().__new__(cls)
        self.v = v
        return self


def c_new(x, n):
    return NewOnly(x * n).v


class ItemGet:
    def __class_getitem__(cls, k):
        return k


def c_cgi(x, n):
    return ItemGet[3], x


class Pt:
    __match_args__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


def c_match(x, n):
    match Pt(n, x):
        case Pt(2, b):
            return b * 5.0
        case Pt(a, b) if a > 2:
            return b * a
        case Pt(b=b):
            return b


def c_vars(x, n):
    d = Data(x, n)
    return (
        sorted(vars(d)),
        dataclasses.asdict(Frozen(1, 2)),
        dataclasses.astuple(d)[1],
        [f.name for f in dataclasses.fields(d)],
        dataclasses.is_dataclass(d),
    )


class Chain:
    def __init__(self, v):
        self.v = v

    def add(self, k):
        self.v = self.v + k
        return self

    def mul(self, k):
        self.v = self.v * k
        return self


def c_chain(x, n):
    return Chain(x).add(1.0).mul(n).add(n).v


class Partial_:
    def pow(self, v, k):
        return v**k

    square = functools.partialmethod(pow, k=2)


def c_partialmethod(x, n):
    return Partial_().square(x)
