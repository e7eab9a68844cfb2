"""Classes made inside of a function: functions of a tensor ``x`` and an int ``n``."""

import abc
import collections
import contextlib
import dataclasses
import enum
import functools
import typing
from dataclasses import dataclass, field

import minds as ms
from minds import Tensor, nn, ops


def l_plain(x, n):
    class A:
        k = 3

        def __init__(self, v):
            self.v = v

        def f(self, w):
            return self.v * w * self.k + n

    a = A(x)
    return a.f(2.0), A.k, isinstance(a, A), A.__name__


def l_inherit(x, n):
    class A:
        def __init__(self, v):
            self.v = v

        def f(self):
            return self.v * 2.0

        def __call__(self):
            return self.f()

    class B(A):
        def __init__(self, v, k):
            super().__init__(v)
            self.k = k

        def f(self):
            return super().f() + self.k

    return B(x, n)(), A(x)()


def l_ops(x, n):
    class V:
        def __init__(self, v):
            self.v = v

        def __add__(self, o):
            return V(self.v + o.v)

        def __mul__(self, k):
            return V(self.v * k)

        def __getitem__(self, i):
            return self.v[i]

        def __len__(self):
            return 3

        def __iter__(self):
            yield self.v
            yield self.v * n

        def __enter__(self):
            return self.v

        def __exit__(self, *a):
            self.v = self.v * 0.0

        def __eq__(self, o):
            return len(self) == len(o)

        def __contains__(self, k):
            return k == 2

    a = V(x) + V(x) * n
    with V(x) as w:
        y = w * 3.0
    return a.v, a[1], len(a), list(a), y, a == V(x), 2 in a


def l_decorators(x, n):
    class P:
        def __init__(self, r):
            self._r = r

        @property
        def r(self):
            return self._r * 2.0

        @r.setter
        def r(self, v):
            self._r = v + 1.0

        @staticmethod
        def s(a):
            return a * 3.0

        @classmethod
        def of(cls, v):
            return cls(v * n)

        @functools.cached_property
        def c(self):
            return self._r + 5.0

        @contextlib.contextmanager
        def ctx(self, k):
            old = self._r
            self._r = k
            yield self
            self._r = old

    p = P(x)
    p.r = p.r + n
    with p.ctx(x) as q:
        z = q.r
    return p.r, P.s(x), P.of(x).r, p.c, p.s(n), z


def l_dataclass(x, n):
    @dataclass
    class D:
        v: Tensor
        k: int = 2
        tags: list = field(default_factory=list)

        def total(self):
            return self.v * self.k

    d = D(x, n)
    d.tags.append(1)
    e = D(x)
    return d.total(), e.total(), e.tags, d.tags, d == D(x, n) if False else 0


def l_enum(x, n):
    class Mode(enum.Enum):
        A = 1
        B = 2

        def scale(self):
            return self.value * 2.0

    m = Mode.A if n > 2 else Mode.B
    y = x * 2.0 if m is Mode.A else x
    return y, Mode.B.scale(), [k.name for k in Mode], Mode(1) is Mode.A


def l_nt(x, n):
    class P(typing.NamedTuple):
        a: Tensor
        b: int = 4

        def prod(self):
            return self.a * self.b

    p = P(x)
    return p.a, p.prod(), P(x, n)[1], P(x, n).prod(), p._replace(b=n).b


def l_closure(x, n):
    total = 0.0

    class Acc:
        def add(self, v):
            nonlocal total
            total = total + v
            return self

    Acc().add(x).add(n).add(x * 2.0)
    return total


def l_loop(x, n):
    class S:
        def __init__(self):
            self.v = x
            self.k = 0

        def step(self, i):
            self.v = self.v * 0.5 + i
            self.k += 1

    s = S()
    for i in range(n):
        s.step(i)
    return s.v, s.k


def l_branch(x, n):
    class A:
        def f(self):
            return x * 2.0

    class B:
        def f(self):
            return x * 3.0

    o = A() if n > 2 else B()
    return o.f()


def l_factory(x, n):
    def make(k):
        class M:
            def f(self, v):
                return v * k

        return M()

    a, b = make(2.0), make(n)
    return a.f(x) + b.f(x)


def l_factory_exits(x, n):
    def make(k):
        s = 1.0

        class M:
            def f(self, v):
                return v * s

        if n > 2:
            s = 2.0
            return M()
        s = 3.0
        return M()

    return make(1).f(x)


def l_abc(x, n):
    class Base(abc.ABC):
        @abc.abstractmethod
        def f(self, v): ...
        def g(self, v):
            return self.f(v) + 1.0

    class Impl(Base):
        def f(self, v):
            return v * n

    return Impl().g(x)


def l_inner_names(x, n):
    k = 10

    class A:
        k = 2
        j = k + 1

        def f(self):
            return k

    return A.k, A.j, A().f(), x


def l_outer_base(x, n):
    class C(Outer):
        def f(self, v):
            return super().f(v) * n

    return C().f(x), issubclass(C, Outer)


class Outer:
    def f(self, v):
        return v + 1.0


def l_class_in_branch(x, n):
    class A:
        def f(self):
            y = x
            if n > 2:
                y = y * 2.0
            return y

    return A().f()


def l_slots(x, n):
    class A:
        __slots__ = ("v",)

        def __init__(self, v):
            self.v = v

    a = A(x)
    a.v = a.v * n
    return a.v


def l_deco_class(x, n):
    def tag(cls):
        cls.tag = "t"
        return cls

    def reg(name):
        return lambda cls: cls

    @reg("a")
    class A:
        def f(self):
            return x

    return A().f(), n


def l_total(x, n):
    @functools.total_ordering
    class T:
        def __init__(self, k):
            self.k = k

        def __lt__(self, o):
            return self.k < o.k

        def __eq__(self, o):
            return self.k == o.k

    return T(1) >= T(0), max(T(3), T(5)).k, sorted([T(2), T(1)])[0].k, T(n) > T(2), x


def l_static_ns(x, n):
    class cfg:
        lr = 0.5
        sizes = [1, 2]
        names = tuple(f"l{i}" for i in range(2))

    return x * cfg.lr, sum(cfg.sizes) + n, cfg.names


def l_gen(x, n):
    class R:
        def __init__(self, k):
            self.k = k

        def __iter__(self):
            self.i = 0
            return self

        def __next__(self):
            if self.i >= self.k:
                raise StopIteration
            self.i += 1
            return x * self.i

    return sum(R(3)), list(R(2)), n


def l_grad(x, n):
    class M:
        def __init__(self, w):
            self.w = w

        def loss(self, v):
            return (v * self.w).sum()

    m = M(x * n)
    return ms.grad(m.loss)(x)


def l_recursive(x, n):
    class N:
        def __init__(self, v, kids=()):
            self.v = v
            self.kids = kids

        def total(self):
            return self.v + sum(k.total() for k in self.kids)

    return N(x, [N(x * n), N(x, [N(x * 2.0)])]).total()


def l_property_of_base(x, n):
    class A:
        def __init__(self, v):
            self.v = v

        @property
        def twice(self):
            return self.v * 2.0

    class B(A):
        @property
        def twice(self):
            return super().twice + n

    class C(B):
        @property
        def twice(self):
            return super().twice * super().twice if n > 2 else super().twice

    return B(x).twice, C(x).twice


def l_exceptions_with_arguments_of_their_own(x, n):
    class Coded(ValueError):
        def __init__(self, code, at):
            super().__init__(f"code {code}")
            self.code, self.at = code, at

    class Silent(Coded):
        def __init__(self, at):
            self.at = at

    caught = []
    for error in (Coded, Silent):
        try:
            raise error(7, x) if error is Coded else error(x)
        except Coded as e:
            caught.append((str(e) if error is Coded else "", e.at, hasattr(e, "code")))
    try:
        if x.sum() > n:
            raise Coded(n, x)
    except ValueError as e:
        return caught, e.code * e.at
    return caught, x


def l_named_descriptor(x, n):
    class Doubled:
        def __set_name__(self, owner, name):
            self.name = "_" + name

        def __get__(self, owner, cls=None):
            return self if owner is None else getattr(owner, self.name) * 2

        def __set__(self, owner, value):
            setattr(owner, self.name, value)

    class A:
        a = Doubled()
        b = Doubled()

    v = A()
    v.a, v.b = n, x
    return v.a * v.b, isinstance(A.a, Doubled)


def l_missing_attributes(x, n):
    class A:
        def __init__(self, v):
            self.v = v

        def __mul__(self, other):
            return A(self.v * (other.v if isinstance(other, A) else other))

        def __getattr__(self, name):
            return len(name)

    product = A(x) * A(x) * n
    return product.v + product.abc


def l_wrong_results(x, n):
    class Bad:
        def __init__(self, k):
            self.k = k
            if k > 1:
                self.__init__ = None

        def __bool__(self):
            return 3

    class Empty:
        __slots__ = ()

    class Returns:
        def __init__(self):
            return 3

    said = []
    for act in (
        lambda: bool(Bad(1)),
        lambda: Empty().a,
        lambda: Returns(),
        lambda: sum(["a"], ""),
        lambda: collections.deque([1]).remove(3),
    ):
        try:
            act()
        except Exception as e:
            said.append(type(e).__name__)
    return said, 2 * collections.deque([n]), x
