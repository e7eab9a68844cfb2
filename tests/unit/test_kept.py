"""What is kept for objects by their identity, after an interrupt (Ctrl-C) has ended what forgets a dead
one: an object of the same identity gets nothing of it.
"""

import inspect
import weakref

import minds as ms
from minds import Tensor
from minds.base import kept, tree
from minds.frontend import source


class Thing:
    pass


def dead() -> weakref.ref:
    return weakref.ref(Thing())


def test_of_an_object():
    a = Thing()
    stale = kept.kept(Thing())
    for left in (dead(), weakref.ref(stale)):
        kept._known[id(a)] = left
        found = kept.kept(a)
        assert found is not stale and found is kept.kept(a) and found.owner() is a


def test_of_a_function_of_one_object(monkeypatch):
    @kept.remembered
    def name(of):
        return of.name

    a, b = Thing(), Thing()
    a.name, b.name = "a", "b"
    known = inspect.getclosurevars(name).nonlocals["known"]
    assert name(a) == "a"
    known[id(b)] = ("a", dead())
    assert name(b) == "b" == name(b)


def test_of_code_and_of_classes(monkeypatch):
    def double(x):
        return x * 2.0

    def triple(x):
        return x * 3.0

    wrong = source.source_of(double)
    monkeypatch.setitem(source._sources, id(triple.__code__), (wrong, dead()))
    assert ms.jit(triple)(Tensor([1.0])).asnumpy() == 3.0

    monkeypatch.setitem(tree._met, id(Thing), (tree._how(tuple), dead()))
    assert tree._how(Thing) is None
