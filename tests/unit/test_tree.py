"""`minds.base.tree`: trees taken apart and put together, with structures written by hand."""

from __future__ import annotations

import time
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass

import pytest

from minds.base import tree

Point = namedtuple("Point", "x y")


@dataclass(frozen=True)
class Frozen:
    a: object
    b: object = 0


@dataclass
class Plain:
    w: object
    steps: int = 1


class Pair:
    def __init__(self, left, right, name=""):
        self.left, self.right, self.name = left, right, name


class Named(Pair):
    pass


tree.register(
    Pair,
    lambda v: (v.name, (v.left, v.right)),
    lambda kind, name, children: kind(*children, name),
    lambda name, i: (".left", ".right")[i],
)


CASES = [
    (1, [1]),
    (None, [None]),
    ((), []),
    ([], []),
    ({}, []),
    ((1, (2, [3, {"k": 4}])), [1, 2, 3, 4]),
    ({"b": 1, "a": (2, None)}, [1, 2, None]),
    (Point(1, [2]), [1, 2]),
    (Frozen(1, (2, 3)), [1, 2, 3]),
    (Plain([1], 2), [1, 2]),
    (OrderedDict(z=1, a=2), [1, 2]),
    (defaultdict(list, k=[1, 2]), [1, 2]),
    ("text", ["text"]),
]


@pytest.mark.parametrize("value, expected", CASES, ids=[repr(c[0])[:30] for c in CASES])
def test_leaves_and_back(value, expected):
    leaves, treedef = tree.flatten(value)
    assert leaves == expected == tree.leaves(value)
    assert treedef.count == len(expected)
    again = tree.unflatten(treedef, leaves)
    assert type(again) is type(value)
    assert again == value
    assert treedef == tree.structure(value) and hash(treedef) == hash(tree.structure(value))


def test_structures_are_told_apart():
    values = [
        1,
        (),
        [],
        {},
        (1,),
        [1],
        (1, 1),
        ((1,), 1),
        (1, (1,)),
        {"a": 1},
        {"b": 1},
        {"a": 1, "b": 1},
        {"b": 1, "a": 1},
        Point(1, 1),
        Frozen(1, 1),
        Plain(1, 1),
        OrderedDict(a=1),
    ]
    assert len({tree.structure(v) for v in values}) == len(values)


def test_leaves_may_be_anything():
    assert tree.structure((1, "x")) == tree.structure((None, 2.5))


def test_only_some_leaves_count():
    def whole(v):
        return type(v) is int

    leaves, treedef = tree.flatten((1, "x", [2.5, 3, None]), only=whole)
    assert leaves == [1, 3]
    assert tree.unflatten(treedef, [10, 30]) == (10, "x", [2.5, 30, None])
    assert tree.structure("x", only=whole) == tree.structure("x", only=whole)
    assert tree.structure("x", only=whole) != tree.structure("y", only=whole)
    assert tree.structure(True, only=whole) != tree.structure("True", only=whole)


def test_constants_are_compared_by_type_and_value_or_by_identity():
    def none(v):
        return False

    one, other = object(), object()
    assert tree.structure([one], only=none) == tree.structure([one], only=none)
    assert tree.structure([one], only=none) != tree.structure([other], only=none)
    assert tree.structure(1, only=none) != tree.structure(True, only=none)
    assert tree.structure(0.1, only=none) == tree.structure(float("0.1"), only=none)
    assert tree.structure(0.0, only=none) != tree.structure(-0.0, only=none)
    made = tree.unflatten(tree.structure([one], only=none), [])
    assert made[0] is one


def test_is_leaf_stops():
    value = {"a": (1, 2), "b": [3]}
    leaves, treedef = tree.flatten(value, is_leaf=lambda v: type(v) is tuple)
    assert leaves == [(1, 2), 3]
    assert tree.unflatten(treedef, [5, 6]) == {"a": 5, "b": [6]}


def test_map():
    assert tree.map(lambda v: v * 2, (1, {"k": [2, 3]})) == (2, {"k": [4, 6]})
    assert tree.map(lambda a, b: (a, b), Point(1, 2), Point(3, 4)) == Point((1, 3), (2, 4))
    assert tree.map(lambda a, b: b, (1, 2), ([3], {"k": 4})) == ([3], {"k": 4})
    with pytest.raises(ValueError, match="tuple"):
        tree.map(lambda a, b: a, (1, 2), (1, 2, 3))
    with pytest.raises(ValueError):
        tree.map(lambda a, b: a, {"a": 1}, {"b": 1})


def test_paths():
    value = [{"w": 1, 3: (2,)}, Point(3, 4), Plain(5)]
    assert tree.paths(value, "args") == [
        ("args[0]['w']", 1),
        ("args[0][3][0]", 2),
        ("args[1].x", 3),
        ("args[1].y", 4),
        ("args[2].w", 5),
        ("args[2].steps", 1),
    ]
    assert tree.paths(7, "x") == [("x", 7)]


def test_registered_kinds():
    pair = Pair(1, [2], "p")
    leaves, treedef = tree.flatten(pair)
    assert leaves == [1, 2]
    again = tree.unflatten(treedef, [3, 4])
    assert (type(again), again.left, again.right, again.name) == (Pair, 3, [4], "p")
    assert tree.structure(pair) != tree.structure(Pair(1, [2], "q"))
    assert tree.paths(pair, "p") == [("p.left", 1), ("p.right[0]", 2)]
    assert type(tree.map(str, Named(1, 2))) is Named  # as the type that it is derived from


def test_a_kind_that_is_registered_late():
    class Box(Pair):
        pass

    assert tree.leaves(Box(1, 2)) == [1, 2]
    tree.register_leaf(Box)
    box = Box(1, 2)
    assert tree.leaves([box]) == [box]
    tree.register(
        Box, lambda v: None if v.left is None else (None, [v.left]), lambda k, a, c: k(*c, 0)
    )
    assert tree.leaves([box]) == [1]
    empty = Box(None, 2)
    assert tree.leaves([empty]) == [empty]  # the object says that it is a leaf


def test_unflatten_counts():
    treedef = tree.structure((0, 0))
    with pytest.raises(ValueError, match="more leaves"):
        tree.unflatten(treedef, [1])
    with pytest.raises(ValueError, match="fewer leaves"):
        tree.unflatten(treedef, [1, 2, 3])
    given = iter([1, 2, 3])
    assert tree.unflatten(treedef, given) == (1, 2)
    assert list(given) == [3]


def test_text():
    treedef = tree.structure((1, {"k": [2, "x"]}), only=lambda v: type(v) is int)
    assert repr(treedef) == "tuple([0]: *, [1]: dict(['k']: list([0]: *, [1]: 'x')))"


def test_a_tree_that_holds_itself():
    loop: list = []
    loop.append(loop)
    for fn in (tree.flatten, tree.leaves, tree.paths):
        with pytest.raises(RecursionError):
            fn(loop)


def test_linear():
    def seconds(n: int) -> float:
        value = [(i, {"k": i}) for i in range(n)]
        best = 1e9
        for _ in range(5):
            start = time.perf_counter()
            leaves, treedef = tree.flatten(value)
            tree.unflatten(treedef, leaves)
            best = min(best, time.perf_counter() - start)
        return best

    assert seconds(8000) < 30 * seconds(1000)
