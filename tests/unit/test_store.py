"""The persistent store of the frontend: versions, going between them, what differs."""

from minds.frontend.store import Bindings, Store, common
from minds.frontend.value_types import LocalDict, LocalList, LocalSet


def test_going_back_and_forth():
    store, xs = Store(), LocalList([1])
    start = store.version()
    store.note(xs)
    xs.append(2)
    behind = store.version()
    store.go(start)
    assert xs == [1]
    store.go(behind)
    assert xs == [1, 2]


def test_two_branches_see_their_own_contents():
    store, xs, d = Store(), LocalList([1]), LocalDict({"a": 1})
    start = store.version()
    store.set(xs, [1, 2])
    left = store.version()
    store.go(start)
    store.set(xs, [7])
    store.set(d, {"b": 5})
    right = store.version()
    store.go(left)
    assert xs == [1, 2] and d == {"a": 1}
    store.go(right)
    assert xs == [7] and d == {"b": 5}
    assert common([left, right]) is start and common([left, start]) is start
    assert set(store.changed(start, left)) == {id(xs)}
    assert set(store.changed(start, right)) == {id(xs), id(d)}


def test_a_deep_branch():
    """Versions of several forks, visited in any order."""
    store, xs = Store(), LocalList()
    versions, want = [], []
    for i in range(6):
        store.note(xs)
        xs.append(i)
        versions.append(store.version())
        want.append(list(xs))
    store.go(versions[2])
    store.note(xs)
    xs.append("b")
    side = store.version()
    for i in (5, 0, 3, 1, 4, 2):
        store.go(versions[i])
        assert xs == want[i]
    store.go(side)
    assert xs == [0, 1, 2, "b"]
    store.go(versions[5])
    assert xs == [0, 1, 2, 3, 4, 5]


def test_bindings_note_themselves():
    store = Store()
    vars = Bindings(store, {"x": 1})
    start = store.version()
    vars["x"] = 2
    vars["y"] = 3
    vars.pop("x")
    behind = store.version()
    store.go(start)
    assert dict(vars) == {"x": 1}
    store.go(behind)
    assert dict(vars) == {"y": 3}
    vars.replace([("z", 1)])
    assert dict(vars) == {"z": 1}
    store.go(behind)
    assert dict(vars) == {"y": 3}


def test_young_cells_are_not_noted():
    """No earlier version knows them; later ones note them."""
    store = Store()
    start = store.version()
    xs = LocalList([1])
    store.note(xs)
    xs.append(2)
    assert not store.now.other
    middle = store.version()
    store.note(xs)
    xs.append(3)
    end = store.version()
    store.go(middle)
    assert xs == [1, 2]
    store.go(start)
    store.go(end)
    assert xs == [1, 2, 3]


def test_dropped_versions_leave_one_note():
    """A version to which nobody comes back costs no second copy."""
    store, xs = Store(), LocalList([0])
    start = store.version()
    store.set(xs, [1])
    mark = store.version()
    store.set(xs, [2])
    store.drop(mark)
    assert store.now is mark and len(mark.other) == 1
    store.set(xs, [3])
    store.go(start)
    assert xs == [0]


def test_a_version_keeps_what_is_stale():
    store, s = Store(), LocalSet({1})
    start = store.version()
    store.note(s)
    s.stale = "changed"
    behind = store.version()
    store.go(start)
    assert s.stale is None
    store.go(behind)
    assert s.stale == "changed"
