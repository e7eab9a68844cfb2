"""Lists and dicts made outside of compiled code: read by it, changed by it, changed behind its
back.

What CPython does over PyNative ops is the reference; each program runs several times, since what
one call changes the next one sees.
"""

import numpy as np
import pytest
from agreement import assert_same

import minds as ms
from minds import Parameter, Tensor, nn, ops

X = Tensor([0.5, -1.25, 2.0])
ROWS: list = []
TABLE: dict = {}


class Held(nn.Cell):
    """A cell with containers; ``body(self, x)`` is what it computes."""

    def __init__(self, body):
        super().__init__()
        self.rows, self.table, self.pair = [1, [2, 3]], {"a": 1, "in": {"b": [4]}}, ([5], 6)
        self.body = body

    def construct(self, x):
        return self.body(self, x)


def appends(self, x):
    self.rows.append(len(self.rows))
    self.rows[1][0] = self.rows[1][0] + 1
    return x * self.rows[1][0]


def sets(self, x):
    self.table["a"] += 1
    self.table["in"]["b"].append(self.table["a"])
    self.table["new"] = "text"
    return x + self.table["a"]


def through_names(self, x):
    rows, (inner, _) = self.rows, self.pair
    inner.append(7)
    rows.insert(0, inner)
    inner.append(8)
    return x * len(self.rows[0])


def by_data(self, x):
    if x.sum() > 0:
        self.rows[0] = 10
    else:
        self.rows[0] = 20
    return x


def in_a_loop(self, x):
    for i in range(20):
        self.rows[0] = i
        if x[0] > i:
            x = x + 1.0
    return x


def in_a_call(self, x):
    def add(to, *values):
        for v in values:
            to.append(v)

    add(self.rows, 1, (2, [3]))
    return x


@pytest.mark.parametrize("body", [appends, sets, through_names, by_data, in_a_loop, in_a_call])
def test_attributes(body):
    eager, compiled = Held(body), Held(body)
    for sign in (1.0, -1.0, 1.0):
        ms.set_context(mode=ms.PYNATIVE_MODE)
        expected = eager(X * sign)
        ms.set_context(mode=ms.GRAPH_MODE)
        try:
            got = compiled(X * sign)
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)
        assert_same(got, expected)
        assert_same(compiled.rows, eager.rows)
        assert_same(compiled.table, eager.table)
        assert_same(compiled.pair, eager.pair)


def test_identities_stay():
    cell = Held(through_names)
    rows, inner = cell.rows, cell.pair[0]
    ms.jit(cell.construct)(X)
    assert cell.rows is rows and cell.pair[0] is inner and rows[0] is inner and rows[2] == [2, 3]


def test_what_is_not_touched_stays():
    """Tensors, parameters and cells in a list that changes are the same objects behind."""
    t, p, c = Tensor([1.0]), Parameter(Tensor([2.0]), name="p"), nn.ReLU()
    kept = [t, p, c, (t, {"c": c})]

    @ms.jit
    def f(x):
        kept.append(x + kept[0])
        return kept[2](x) * kept[1]

    np.testing.assert_array_equal(f(X).asnumpy(), [1.0, 0.0, 4.0])
    assert (
        kept[0] is t and kept[1] is p and kept[2] is c and kept[3][0] is t and kept[3][1]["c"] is c
    )
    np.testing.assert_array_equal(kept[4].asnumpy(), [1.5, -0.25, 3.0])


def test_returned():
    """A list that is changed and returned is the list."""
    seen = [1]

    @ms.jit
    def f(x):
        seen.append(x)
        return seen, (x, seen)

    a, (_, b) = f(X)
    assert a is seen and b is seen
    assert_same(seen, [1, X])


def test_globals_and_defaults():
    def f(x, more=[]):
        ROWS.append(x.shape[0])
        more.append(len(ROWS))
        TABLE["more"] = more
        return x * more[-1]

    compiled = ms.jit(f)
    for i in (1, 2, 3):
        assert_same(compiled(X), X * i)
    assert ROWS == [3, 3, 3] and TABLE["more"] is f.__defaults__[0] and TABLE["more"] == [1, 2, 3]


def test_changed_between_calls():
    """A program is for what the containers held; the same contents find the same program again."""
    factors, table = [2.0, [3.0]], {"k": 1.0}

    @ms.jit
    def f(x):
        return x * factors[0] * factors[1][0] + table["k"]

    for k in (1.0, 5.0, 1.0):
        table["k"] = k
        assert_same(f(X), X * 6.0 + k)
    factors[1][0] = 4.0
    assert_same(f(X), X * 8.0 + 1.0)
    factors[1] = [0.5]
    assert_same(f(X), X * 1.0 + 1.0)
    assert "changed" in ms.recompiles(f)[-1].reason


def test_cell_sees_its_list_change():
    class Sum(nn.Cell):
        def __init__(self):
            super().__init__()
            self.terms = [1.0]

        def construct(self, x):
            for t in self.terms:
                x = x + t
            return x

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        cell = Sum()
        assert_same(cell(X), X + 1.0)
        cell.terms.append(2.0)
        assert_same(cell(X), X + 1.0 + 2.0)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_many_changes_keep_few_programs():
    seen = []

    @ms.jit
    def f(x):
        seen.append(len(seen))
        return x

    for _ in range(4):
        f(X)
    assert seen == [0, 1, 2, 3]


def test_alias_of_an_argument():
    shared = [1]

    @ms.jit
    def f(xs, x):
        xs.append(x)
        shared.append(2)
        return x

    f([0], X)
    with pytest.raises(ValueError, match="passed twice"):
        f(shared, X)


def test_differentiated():
    seen = {"n": 2.0}

    def loss(x):
        return ops.sum(x * x) * seen["n"]

    for n in (2.0, 3.0):
        seen["n"] = n
        assert_same(ms.jit(ms.grad(loss))(X), X * 2.0 * n)


def test_strict():
    ms.set_context(jit_syntax_level=0)
    try:
        with pytest.raises(TypeError, match="jit_syntax_level STRICT"):
            ms.jit(Held(appends).construct)(X)
    finally:
        ms.set_context(jit_syntax_level=2)


MENU = [["soup", 3], ("tea", [1, 2]), {"kind": "lunch"}]


def test_returned_are_themselves():
    """A list made outside that is returned is that list, whether it was changed or not."""
    grown = [1]

    def looks(x):
        grown.append(2)
        return MENU, MENU[0], MENU[1][1], MENU[2], [x, MENU], grown

    for fn in (looks, ms.jit(looks)):
        menu, first, drinks, kind, (_, inner), other = fn(X)
        assert (
            menu is MENU
            and inner is MENU
            and first is MENU[0]
            and drinks is MENU[1][1]
            and kind is MENU[2]
        )
        assert other is grown
    assert grown == [1, 2, 2] and MENU == [["soup", 3], ("tea", [1, 2]), {"kind": "lunch"}]
