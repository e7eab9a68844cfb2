"""Where paths meet in the frontend: what is joined, what keeps its identity, what may be the same."""

import pytest

from minds.base import dtype as dt
from minds.base.options import freeze
from minds.frontend.flow import Path, resume
from minds.frontend.function_types import Frame, Missing
from minds.frontend.interp import Interp
from minds.frontend.merge import Merge
from minds.frontend.source import source_of
from minds.frontend.store import Bindings
from minds.frontend.value_types import Leaf, LocalList
from minds.ir.abstract import AbstractTensor


def function():
    """What the interpreter is said to be in."""


class Machine:
    """An interpreter in a function, with tensors ``x``, ``y``, ``z`` of one type."""

    def __init__(self):
        self.ip = ip = Interp("f", freeze())
        self.x, self.y, self.z = (
            ip.root.add_param(name, AbstractTensor((3,), dt.float32)) for name in "xyz"
        )
        source = source_of(function)
        frame = Frame(Bindings(ip.store), source, None, {}, {}, None, node=source.tree)
        ip.frames.append(frame)
        self.vars = frame.vars

    def joined(self, *ways) -> Merge:
        """The join of paths: each of ``ways`` changes something, from one state."""
        ip = self.ip
        start = Path(ip.builder, ip.store.version())
        paths = []
        for way in ways:
            resume(ip, start)
            way()
            paths.append(Path(ip.builder, ip.store.version()))
        return Merge(ip, paths, start.version)

    def filled(self, merge: Merge) -> list:
        """Parameters for what the paths hand over, which the join has put in place."""
        names = merge.variables()
        nodes = [self.ip.root.add_param(f"p{i}", a) for i, a in enumerate(merge.abstracts())]
        self.vars.replace(zip(names, merge.fill(nodes)))
        return nodes


def test_what_is_one_value_stays_and_what_differs_is_handed_over():
    m = Machine()
    m.vars.update({"a": m.x, "b": m.x})
    merge = m.joined(lambda: m.vars.update({"b": m.y}), lambda: m.vars.update({"b": m.z}))
    (p,) = m.filled(merge)
    assert m.vars["a"] is m.x and m.vars["b"] is p
    assert merge.handed == [[m.y], [m.z]]


def test_two_names_of_one_tensor_stay_that():
    m = Machine()
    merge = m.joined(
        lambda: m.vars.update({"a": m.y, "b": m.y}), lambda: m.vars.update({"a": m.z, "b": m.z})
    )
    (p,) = m.filled(merge)
    assert m.vars["a"] is p and m.vars["b"] is p


def test_a_list_that_all_paths_have_keeps_its_identity():
    m = Machine()
    xs = m.vars["xs"] = LocalList([m.x])

    def add(v):
        m.ip.touch(xs)
        xs.append(v)

    merge = m.joined(lambda: add(m.y), lambda: add(m.z))
    assert xs == [m.x]  # the store is where the paths started
    (p,) = m.filled(merge)
    assert m.vars["xs"] is xs and xs == [m.x, p]


def test_lists_that_differ_become_one_that_may_be_either():
    m = Machine()
    xs, ys = m.vars["xs"], m.vars["ys"] = LocalList([m.x]), LocalList([m.y])
    merge = m.joined(lambda: m.vars.update({"a": xs}), lambda: m.vars.update({"a": ys}))
    (p,) = m.filled(merge)
    new = m.vars["a"]
    assert new is not xs and new is not ys and new == [p]
    m.ip.touch(new)
    assert xs.stale and ys.stale and not new.stale
    with pytest.raises(SyntaxError, match="this list cannot be used any more"):
        m.ip.usable(xs)


def test_a_tensor_changed_on_one_path_keeps_its_identity():
    m = Machine()
    m.vars.update({"a": m.x, "b": (m.x, 1)})
    merge = m.joined(lambda: m.ip.tensors.set(m.x, m.y), lambda: None)
    assert m.ip.tensors.present(m.x) is m.x
    (p,) = m.filled(merge)
    assert merge.handed == [[m.y], [m.x]]
    assert m.vars["a"] is m.x and m.vars["b"] == (m.x, 1)
    assert m.ip.tensors.present(m.x) is p


def test_what_may_be_the_tensor_that_changes_cannot_be_read():
    m = Machine()
    m.vars.update({"x": m.x, "y": m.y})
    merge = m.joined(lambda: m.vars.update({"a": m.x}), lambda: m.vars.update({"a": m.y}))
    (p,) = m.filled(merge)
    new = m.ip.native(lambda v: v + 1.0, p)
    m.ip.tensors.change(m.ip, p, new)
    assert m.ip.tensors.present(p) is new
    for v in (m.x, m.y):
        with pytest.raises(SyntaxError, match="cannot be used any more"):
            m.ip.tensors.present(v)
    assert m.ip.tensors.present(m.z) is m.z


def test_no_common_type_and_no_value_are_errors_of_the_reader():
    m = Machine()
    m.vars["b"] = 1
    merge = m.joined(lambda: m.vars.update({"a": m.x}), lambda: m.vars.update({"b": (m.x,)}))
    assert m.filled(merge) == []
    assert isinstance(m.vars["a"], Missing) and m.vars["a"].kind is NameError
    assert isinstance(m.vars["b"], Missing) and m.vars["b"].kind is TypeError


def test_numbers_become_numbers_of_the_run():
    m = Machine()
    merge = m.joined(lambda: m.vars.update({"k": 1}), lambda: m.vars.update({"k": 2.5}))
    names = merge.variables()
    assert names == ["k"] and isinstance(merge.places[0][0], Leaf)
    (a,) = merge.abstracts()
    assert a.kind is float and merge.handed == [[1], [2.5]]
