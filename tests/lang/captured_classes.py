"""Cases of `test_captures`: what decides how attributes are found, classes are asked, and names resolved."""

import abc
import functools
import operator
import sys
import types

from captured_cases import case

from minds import nn


class Gives:
    def __init__(self, k):
        self.k = k

    def __get__(self, owner, kind=None):
        return self.k


@case
def method_of_a_descriptor():
    class Own(Gives):
        pass

    class Holder:
        k = Own(2.0)

    o = Holder()
    yield lambda x: x * o.k + Holder.k
    Own.__get__ = lambda self, owner, kind=None: self.k * 100.0
    yield
    del Own.__get__
    yield


@case
def class_of_a_descriptor():
    class First:
        def __get__(self, owner, kind=None):
            return 2.0

    class Second:
        def __get__(self, owner, kind=None):
            return 3.0

    class Holder:
        k = First()

    o = Holder()
    yield lambda x: x * o.k
    Holder.__dict__["k"].__class__ = Second
    yield
    vars(o)["k"] = 9.0
    yield
    Second.__set__ = lambda self, owner, value: None
    yield


@case
def an_attribute_becomes_a_descriptor():
    class Value:
        k = 1.0

    class Other:
        k = 50.0

    class Holder:
        at = Value()

    o = Holder()
    yield lambda x: x * o.at.k
    Value.__get__ = lambda self, owner, kind=None: Other
    yield
    del Value.__get__
    yield


@case
def method_that_computes_missing_attributes():
    class Lazy:
        def __getattr__(self, name):
            return 2.0

    o = Lazy()
    yield lambda x: x * o.k
    Lazy.__getattr__ = lambda self, name: 5.0
    yield
    o.k = 7.0
    yield


@case
def method_with_arguments():
    class Holder:
        def by(self, x, k):
            return x * k

        twice = functools.partialmethod(by, k=2.0)

    o = Holder()
    yield lambda x: o.twice(x)
    Holder.__dict__["twice"].keywords["k"] = 5.0
    yield


@case
def bases_behind_super():
    class A:
        def f(self, x):
            return x * 2.0

    class Middle(A):
        def f(self, x):
            return super().f(x) + 1.0

    class Other(A):
        def f(self, x):
            return x * 100.0

    o = Middle()
    yield lambda x: o.f(x)
    Middle.__bases__ = (Other,)
    yield


@case
def what_makes_an_object():
    class Made:
        def __init__(self, k):
            self.k = k

    yield lambda x: x * Made(2.0).k
    Made.__new__ = lambda cls, *args: types.SimpleNamespace(k=77.0)
    yield


@case
def single_dispatch():
    @functools.singledispatch
    def by_kind(v, x):
        return x

    by_kind.register(int, lambda v, x: x * v)
    yield lambda x: by_kind(2, x) + by_kind(2.5, x)
    by_kind.register(float, lambda v, x: x * 50.0)
    yield
    by_kind.register(int, lambda v, x: x * 7.0)
    yield


@case
def module_of_an_import():
    sys.modules["captured_here"] = types.SimpleNamespace(k=2.0)

    def f(x):
        import captured_here
        from captured_here import k

        return x * k + captured_here.k

    try:
        yield f
        sys.modules["captured_here"].k = 4.0
        yield
        sys.modules["captured_here"] = types.SimpleNamespace(k=11.0)
        yield
    finally:
        del sys.modules["captured_here"]


@case
def what_isinstance_asks():
    class Asked(type):
        def __instancecheck__(cls, v):
            return True

    class Any(metaclass=Asked):
        pass

    class Abstract(abc.ABC):
        pass

    class Plain:
        pass

    o = Plain()
    yield lambda x: x * (2.0 if isinstance(o, Any) else 3.0) + isinstance(o, Abstract)
    Asked.__instancecheck__ = lambda cls, v: False
    yield
    Abstract.register(Plain)
    yield


@case
def missing_item():
    class Table(dict):
        def __missing__(self, key):
            return 2.0

    d = Table(a=1.0)
    yield lambda x: x * d["z"] + d["a"]
    Table.__missing__ = lambda self, key: 9.0
    yield
    d["z"] = 4.0
    yield


@case
def name_that_is_there_later():
    def f(x):
        try:
            return x * LATER  # noqa: F821
        except NameError:
            return x

    try:
        yield f
        globals()["LATER"] = 3.0
        yield
    finally:
        globals().pop("LATER", None)


@case
def own_gradient_of_a_cell():
    from minds import grad

    class Own(nn.Cell):
        def construct(self, x):
            return x * 1.0

        def bprop(self, x, out, dout):
            return (dout * 2.0,)

    slope = grad(lambda x, cell=Own(): cell(x).sum())
    yield lambda x: x + slope(x)
    Own.bprop = lambda self, x, out, dout: (dout * 77.0,)
    yield


@case
def equal_to_everything():
    class Wide:
        k = 2.0

        def __eq__(self, other):
            return True

    o = Wide()
    yield lambda x: x * o.k
    Wide.k = operator.index(3)
    yield


@case
def what_sets_attributes():
    class Set:
        k = 0.0

    def f(x):
        o = Set()
        o.k = 3.0
        return x * o.k

    yield f
    Set.__setattr__ = lambda self, name, value: object.__setattr__(self, name, value * 2.0)
    yield
