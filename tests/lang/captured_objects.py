"""Cases of `test_captures`: attributes of objects, of classes and of cells; functions that are redefined."""

import array
import collections
import dataclasses
import enum
import functools
import types

import numpy as np
from captured_cases import case

from minds import Parameter, Tensor, nn, ops


class Plain:
    rate = 0.5
    scale = 2.0

    def __init__(self, k=1.0):
        self.k = k
        self.inner = types.SimpleNamespace(k=k, rows=[1.0, 2.0], at={"a": 1.0})

    def method(self, x):
        return x * self.k + self.rate

    @property
    def twice(self):
        return self.k * 2.0

    @classmethod
    def of_class(cls, x):
        return x * cls.scale

    @staticmethod
    def static(x):
        return x + 1.0


@case
def attribute_of_an_object():
    o = Plain()

    def f(x):
        return o.method(x) + o.twice * o.inner.k

    yield f
    o.k = 2.0
    yield
    o.k, o.inner.k = 3.0, 4.0
    yield
    o.inner = types.SimpleNamespace(k=5)
    yield
    o.rate = 1.5  # hides that of the class
    yield
    o.method = lambda x: x - 1.0
    yield


@case
def containers_of_an_object():
    o = Plain()

    def f(x):
        for r in o.inner.rows:
            x = x * r
        return x + o.inner.at["a"]

    yield f
    o.inner.rows[0] = 3.0
    yield
    o.inner.rows.append(2.0)
    yield
    o.inner.at["a"] = 4.0
    yield
    o.inner.at = {"a": 5.0}
    yield


@case
def what_a_class_has():
    class Own(Plain):
        pass

    o = Own()

    def f(x):
        return o.of_class(o.method(x)) * o.scale + o.static(x)

    yield f
    Own.scale = 3.0
    yield
    Plain.rate, before = 0.75, Plain.rate
    yield
    Plain.rate = before
    Own.method = lambda self, x: x * 5.0
    yield
    Own.static = staticmethod(lambda x: x - 2.0)
    yield
    Own.of_class = classmethod(lambda cls, x: x * cls.scale - 1.0)
    yield


@case
def special_methods():
    class Times:
        def __init__(self):
            self.k = 2.0

        def __call__(self, x):
            return x * self.k

        def __getitem__(self, i):
            return self.k + i

        def __len__(self):
            return 2

        def __mul__(self, x):
            return x * self.k

    t = Times()

    def f(x):
        return t(x) + t[1] + len(t) + t * x

    yield f
    t.k = 3.0
    yield
    Times.__call__ = lambda self, x: x - self.k
    yield
    Times.__len__ = lambda self: 5
    yield
    Times.__getitem__ = lambda self, i: i * 2.0
    yield
    Times.__mul__ = lambda self, x: x
    yield


@case
def slots():
    class Slotted:
        __slots__ = ("k", "w")

    o = Slotted()
    o.k, o.w = 2.0, Tensor([1.0, 2.0, 3.0])

    def f(x):
        return x * o.k + o.w

    yield f
    o.k = 3.0
    yield
    o.k, o.w = 4.0, Tensor([0.0, 2.0, 3.0])
    yield


@case
def dataclasses_and_records():
    @dataclasses.dataclass
    class Config:
        rate: float = 0.5
        names: tuple = ("a", "b")

    @dataclasses.dataclass(frozen=True)
    class Frozen:
        w: Tensor
        k: int

    c, r = Config(), Frozen(Tensor([1.0, 2.0, 3.0]), 2)

    def f(x):
        return x * c.rate + len(c.names) + r.w * r.k

    yield f
    c.rate = 0.25
    yield
    c.rate, c.names = 0.125, ("a",)
    yield
    r.w[0] = 5.0
    yield
    r = Frozen(Tensor([1.0, 2.0, 4.0]), 3)
    yield


@case
def attributes_that_come_and_go():
    o = types.SimpleNamespace()

    def f(x):
        x = x * o.k if hasattr(o, "k") else x
        return x + getattr(o, "more", 1.0)

    yield f
    o.k = 2.0
    yield
    o.more = 3.0
    yield
    del o.k
    yield


@case
def classes_of_objects():
    class A:
        pass

    class B(A):
        pass

    o = A()

    def f(x):
        return x * 2.0 if isinstance(o, B) else x

    yield f
    o = B()
    yield
    o = A()
    yield
    o.__class__ = B
    yield


@case
def cells():
    class Inner(nn.Cell):
        def __init__(self):
            super().__init__()
            self.k, self.mask = 2.0, Tensor([1.0, 0.0, 1.0])

        def construct(self, x):
            return x * self.k + self.mask

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Inner()
            self.w = Parameter(Tensor([1.0, 2.0, 3.0]), name="w")
            self.rows = nn.CellList([nn.ReLU(), nn.Tanh()])

        def construct(self, x):
            for r in self.rows:
                x = r(x) - 0.25
            return self.inner(x) * self.w

    net = Net()
    yield net
    net.inner.k = 3.0
    yield
    net.inner.mask = Tensor([1.0, 1.0, 1.0])
    yield
    net.inner.mask[0] = 5.0
    yield
    net.w.set_data(Tensor([3.0, 2.0, 3.0]))
    yield
    net.w = Parameter(Tensor([0.5, 2.0, 3.0]), name="w")
    yield
    net.rows[1] = nn.Sigmoid()
    yield
    net.rows.append(nn.ReLU())
    yield
    net.inner = nn.ReLU()
    yield
    net.inner = Inner()
    net.inner.construct = lambda x: x - 9.0
    yield


@case
def attributes_of_functions():
    def f(x):
        return x * f.scale

    f.scale = 2.0
    yield f
    for f.scale in (3.0, 4.0):
        yield


@case
def named_tuples_and_enums():
    pair = collections.namedtuple("pair", "a b")
    kind = enum.Enum("kind", "SLOW FAST")
    c, e = pair(2.0, "x"), kind.SLOW

    def f(x):
        return x * c.a + len(c.b) + (1.0 if e is kind.FAST else e.value)

    yield f
    c = pair(3.0, "x")
    yield
    c = c._replace(b="xy")
    yield
    e = kind.FAST
    yield


@case
def attributes_that_a_class_computes():
    class Computed:
        k = 2.0

        def __init__(self):
            self.d = {"more": 1.0}

        def __getattr__(self, name):
            if name == "d" or name not in self.d:
                raise AttributeError(name)
            return self.d[name]

        @functools.cached_property
        def kept(self):
            return self.k * 2.0

    o = Computed()

    def f(x):
        return x * o.more + o.kept

    yield f
    o.d["more"] = 3.0
    yield
    o.more = 9.0
    yield
    o.__dict__["kept"] = 5.0
    yield
    Computed.k = 7.0
    yield
    del o.__dict__["kept"], o.more
    yield


@case
def base_classes_and_metaclasses():
    class Meta(type):
        rate = 2.0

        @property
        def doubled(cls):
            return cls.k * 2.0

        def __getattr__(cls, name):
            return cls.k + len(name)

    class A(metaclass=Meta):
        k = 1.0

        def m(self, x):
            return x * self.k

    class B(A):
        def m(self, x):
            return super().m(x) + A.rate

    b = B()

    def f(x):
        return b.m(x) * A.doubled + A.unknown

    yield f
    A.k = 2.0
    yield
    A.unknown = 7.0
    yield
    Meta.doubled = property(lambda cls: cls.k * 3.0)
    yield
    Meta.__getattr__ = lambda cls, name: 9.0
    del A.unknown
    yield
    A.m = lambda self, x: x - self.k
    yield
    B.k = 7.0
    yield
    Meta.rate = 3.0
    yield
    A.rate = 5.0
    yield


@case
def keys_and_collections():
    d = {1: 2.0, "b": 3.0}
    q, c = collections.deque([1.0, 2.0], maxlen=3), collections.defaultdict(float, a=2.0)

    def f(x):
        for k, v in d.items():
            x = x * v + len(str(k))
        for v in q:
            x = x + v
        return x * c["a"]

    yield f
    d[1] = 5.0
    yield
    d["ccc"] = d.pop("b")
    yield
    d[True] = d.pop(1)
    yield
    q.append(3.0)
    yield
    q[0] = 7.0
    yield
    c["a"] = 4.0
    yield


@case
def dicts_of_own_classes_and_buffers():
    class Config(dict):
        def __getattr__(self, name):
            return self[name]

    of = Config(rate=1.0, inner=Config(deep=[1.0, {"k": (1.0, [2.0])}]), w=Tensor([1.0, 2.0, 3.0]))
    numbers, items = array.array("d", [1.0, 2.0]), np.array([1.0, 2.0])
    shown = memoryview(items)

    def f(x):
        x = x * of.get("rate", 0.5) + of.inner.deep[0] * of["inner"].deep[1]["k"][1][0] * of.w
        return x * len(of) * shown[0] + numbers[0] * len(numbers)

    yield f
    of["rate"] = 3.0
    yield
    of.inner.deep[0] = 4.0
    yield
    of.inner.deep[1]["k"][1][0] = 5.0
    yield
    of.w[0] = 6.0
    yield
    del of["rate"]
    yield
    numbers[0] = 7.0
    yield
    numbers.append(1.0)
    yield
    items[0] = 8.0
    yield


@case
def functions_redefined():
    def g(v, k=2.0, *, w=3.0):
        return v * k + w

    def h(v):
        return v

    def f(x):
        return g(x) + h(x)

    yield f
    g.__defaults__ = (5.0,)
    yield
    g.__defaults__ = (6.0,)
    yield
    g.__kwdefaults__["w"] = 1.0
    yield
    g.__code__ = (lambda v, k=1.0, *, w=0.0: v - k).__code__
    yield

    def h(v):
        return v * 3.0

    yield


@case
def partials_and_methods():
    o = Plain()
    g, bound = functools.partial(ops.mul, Tensor([1.0, 2.0, 3.0])), o.method

    def f(x):
        return g(x) + bound(x)

    yield f
    g = functools.partial(ops.mul, Tensor([1.0, 2.0, 5.0]))
    yield
    o.k = 4.0
    yield
    bound = Plain(7.0).method
    yield


@case
def partial_functions():
    def g(x, k=1.0):
        return x * k

    p = functools.partial(g, k=2.0)

    def f(x):
        return p(x)

    yield f
    p.keywords["k"] = 3.0
    yield
    p = functools.partial(g, k=5.0)
    yield
