"""What compiled code reads outside of its source changes between calls: it sees what CPython sees.

The cases (`captured_cases`) are those here, in `captured_objects` and in `captured_classes`.
"""

import timeit
import types

import captured_classes  # noqa: F401 - its cases join the others
import captured_objects  # noqa: F401 - so do these
import numpy as np
import pytest
from captured_cases import CASES, case

import minds as ms
from minds import Parameter, Tensor, _core, nn, ops
from minds.jit.cache import VARIANTS, cache_of

X = Tensor([0.5, -1.25, 2.0])
NUMBER, FLAG, WORD, NOTHING = 2.0, True, "wave", None
WEIGHT, STATE = Tensor([1.0, 2.0, 3.0]), (Tensor([1.0, 2.0, 3.0]), 2)
HYPER = (0.5, (3, "wave"))
settings = types.ModuleType("settings")


def put(name, value):
    """Bind a global of this module."""
    globals()[name] = value


def globals_in_turn(f, name, values):
    """``f``, while a global has one of ``values`` after another; at the end what it had."""
    before = globals()[name]
    put(name, values[0])
    try:
        yield f
        for v in values[1:]:
            put(name, v)
            yield
    finally:
        put(name, before)


@case
def global_number():
    return globals_in_turn(lambda x: x * NUMBER + 1, "NUMBER", [2.0, 3.0, -0.0, 4, 5, True, 2.0])


@case
def global_int_as_length():
    def f(x):
        for i in range(NUMBER):
            x = x * 0.5 + i
        return x

    return globals_in_turn(f, "NUMBER", [2, 3, 12, 0, 2])


@case
def global_int_as_axis():
    def f(x):
        return ops.stack([x, x * 2.0]).sum(axis=NUMBER)

    return globals_in_turn(f, "NUMBER", [0, -2, 0, -2])


@case
def global_bool():
    return globals_in_turn(lambda x: x * 2.0 if FLAG else x + 1.0, "FLAG", [True, False, True])


@case
def global_string():
    def f(x):
        return {"wave": ops.sin, "flat": ops.neg}[WORD](x)

    return globals_in_turn(f, "WORD", ["wave", "flat", "wave"])


@case
def global_none():
    def f(x):
        return x if NOTHING is None else x * NOTHING

    return globals_in_turn(f, "NOTHING", [None, 2.0, None, Tensor([1.0, 2.0, 3.0])])


@case
def global_tensor():
    tensors = [Tensor(np.arange(3.0) + k) for k in range(4)]
    return globals_in_turn(lambda x: x * WEIGHT, "WEIGHT", [*tensors, Tensor(2.0), Tensor([[1.0]])])


@case
def global_tensor_in_place():
    def f(x):
        return x * WEIGHT + ops.sin(WEIGHT)

    for _ in globals_in_turn(f, "WEIGHT", [Tensor([1.0, 2.0, 3.0])]):
        yield f
        WEIGHT[1] = 7.0
        yield
        WEIGHT.asnumpy()[0] = -3.0
        yield


@case
def whole_numbers_as_positions():
    def f(x):
        return x[WEIGHT].sum() + x

    return globals_in_turn(
        f, "WEIGHT", [Tensor([0, 1]), Tensor([2, 0]), Tensor([2, 1]), Tensor([0])]
    )


@case
def tensor_as_length():
    def f(x):
        for _ in range(int(WEIGHT)):
            x = x * 0.5
        return x

    return globals_in_turn(f, "WEIGHT", [Tensor(2), Tensor(3), Tensor(1)])


@case
def a_known_tensor_decides():
    def f(x):
        return (x, x * 2.0)[0] if WEIGHT.asnumpy().sum() > 1 else x.sum() + x

    return globals_in_turn(
        f, "WEIGHT", [Tensor([1.0, 2.0]), Tensor([0.0, 0.5]), Tensor([9.0, 2.0])]
    )


@case
def tuple_of_tensors():
    def f(x):
        h, n = STATE
        return x * h * n

    values = [(Tensor([1.0, 2.0, k]), n) for k, n in ((1.0, 2), (3.0, 2), (3.0, 5), (2.0, 1))]
    return globals_in_turn(f, "STATE", values)


@case
def list_and_dict_of_tensors():
    def f(x):
        return x * STATE[0]["h"] + STATE[1]

    values = [[{"h": Tensor([1.0, 2.0, k])}, k] for k in (1.0, 2.0, 3.0)]
    return globals_in_turn(f, "STATE", values)


@case
def tuple_of_numbers():
    def f(x):
        a, (n, word) = HYPER
        return x * a + n + len(word)

    return globals_in_turn(f, "HYPER", [(0.5, (3, "a")), (0.25, (3, "a")), (1, (4, "ab"))])


@case
def closure_number():
    k = 1.0

    def f(x):
        return x * k

    yield f
    for k in (2.0, 3.0, 4, 1.0):
        yield


@case
def closure_of_a_closure():
    k, w = 1.0, Tensor([1.0, 2.0, 3.0])

    def g(v):
        return v * k + w

    def f(x):
        return g(g(x))

    yield f
    k = 2.0
    yield
    w = Tensor([3.0, 2.0, 3.0])
    yield

    def g(v):
        return v - w

    yield


@case
def nonlocal_of_another():
    k = 1.0

    def more():
        nonlocal k
        k += 1.0

    def f(x):
        return x * k

    yield f
    for _ in range(3):
        more()
        yield


@case
def modules():
    settings.RATE, settings.NAMES, settings.w = 0.5, ["a"], Tensor([1.0, 2.0, 3.0])

    def f(x):
        return x * settings.RATE + len(settings.NAMES) + settings.w

    yield f
    settings.RATE = 0.25
    yield
    settings.NAMES.append("b")
    yield
    settings.w = Tensor([5.0, 2.0, 3.0])
    yield
    settings.RATE = 3
    yield


@case
def arrays():
    a, b = np.array([1.0, 2.0, 3.0], np.float32), np.arange(6.0).reshape(2, 3)[:, ::2]

    def f(x):
        return x * Tensor(a) + float(a.sum()) + a[1] + float(b[1, 1])

    yield f
    a[1] = 5.0
    yield
    b[1, 1] = -2.0
    yield
    a = np.array([0.0, 2.0, 3.0], np.float32)
    yield
    a = a.astype(np.float64).astype(np.float32)
    yield


@case
def numbers_of_numpy():
    k = np.float32(2.0)

    def f(x):
        return x * k

    yield f
    for k in (np.float32(3.0), np.float32(2.0), np.int32(4)):
        yield


@case
def the_function_itself():
    def f(x, k=2.0):
        return x * k

    yield f
    f.__defaults__ = (3.0,)
    yield
    f.__code__ = (lambda x, k=0.0: x + k).__code__
    yield


@case
def sets():
    names = {"a", "b"}

    def f(x):
        return x * 2.0 if "a" in names else x + len(names)

    yield f
    names.discard("a")
    yield
    names |= {"c", "d"}
    yield


@case
def a_builtin_that_is_hidden():
    def f(x):
        return x * abs(-2.0)

    yield f
    put("abs", lambda v: 7.0)
    try:
        yield
    finally:
        del globals()["abs"]
    yield


@case
def numbers_as_sizes():
    n = 3

    def f(x):
        return ops.ones((n, 3)) * x

    yield f
    for n in (2, 5, 3):
        yield


@case
def tensors_of_other_types():
    w = Tensor([1.0, 2.0, 3.0])

    def f(x):
        return x * w

    yield f
    for w in (Tensor([1.0, 2.0, 3.0], ms.float16), Tensor(2.0), 3.0, Tensor([1, 2, 3]), 2):
        yield
    w = Parameter(Tensor([1.0, 2.0, 4.0]), name="w")
    yield
    w = Parameter(Tensor([5.0, 2.0, 4.0]), name="w")
    yield
    w.set_data(Tensor([7.0, 2.0, 4.0]))
    yield


@case
def dtypes_and_ranges():
    t, r = ms.float32, range(3)

    def f(x):
        for i in r:
            x = x + i
        return x.astype(t) * 2.0

    yield f
    t = ms.float16
    yield
    r = range(1, 5)
    yield


@case
def texts_of_numpy():
    a, b = np.array(["a", "b"]), np.array([True, False])

    def f(x):
        return (x * 2.0 if a[0] == "a" else x) + (1.0 if b[1] else 0.0)

    yield f
    a[0] = "z"
    yield
    b[1] = True
    yield


@case
def recursion_and_loops():
    r, n = 2.0, 3

    def rec(x, k):
        return x if k == 0 else rec(x * r, k - 1)

    def f(x):
        return ops.while_loop(lambda v: v[1] < n, lambda v: (v[0] * r, v[1] + 1), (rec(x, 2), 0))[0]

    yield f
    r = 3.0
    yield
    n = 5
    yield
    r, n = 0.5, 1
    yield


def value(f):
    return f


def gradient(f):
    return ms.value_and_grad(lambda x: f(x).sum())


def batched(f):
    over = ms.vmap(f)
    return lambda x: over(ops.stack([x, x * 0.5]))


def directions(f):
    return lambda x: ms.jvp(f, x, x * 0.5)


def pulled_back(f):
    def fn(x):
        out, back = ms.vjp(f, x)
        return out, back(out)

    return fn


WAYS = [value, gradient, batched, directions, pulled_back]


@pytest.mark.parametrize("way", WAYS, ids=lambda w: w.__name__)
@pytest.mark.parametrize("name", CASES)
def test_as_in_cpython(name, way):
    steps = CASES[name]()
    f = next(steps)
    ways = [ms.jit(way(f)), way(ms.jit(f)), way(f)]
    if isinstance(f, nn.Cell) and way is value:
        ways.append(in_graph_mode(f))
    try:
        while True:
            expected = way(lambda x: f(x))(X)  # nothing is kept of a new function
            for fn in ways:
                assert_close(fn(X), expected)
            next(steps)
    except StopIteration:
        pass


def in_graph_mode(cell):
    def call(x):
        ms.set_context(mode=ms.GRAPH_MODE)
        try:
            return cell(x)
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)

    return call


def assert_close(a, b):
    """The same structure, dtypes and shapes, numbers but for the order of sums."""
    if isinstance(b, tuple):
        assert isinstance(a, tuple) and len(a) == len(b)
        for v, w in zip(a, b):
            assert_close(v, w)
    else:
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6, atol=1e-6)


def test_state_that_a_cell_keeps():
    """A number and a tensor that each call sets are arguments of one program."""

    class Recurrent(nn.Cell):
        def __init__(self):
            super().__init__()
            self.h, self.n = ops.zeros(3), 0

        def construct(self, x):
            self.h = ops.tanh(x + self.h)
            self.n += 1
            return self.h * self.n

    eager, compiled = Recurrent(), Recurrent()
    run = in_graph_mode(compiled)
    for _ in range(6):
        assert_close(run(X), eager(X))
        assert compiled.n == eager.n
    assert len(ms.recompiles(compiled)) == 2


def test_what_is_changed_inside_and_outside():
    w, rows = Tensor([1.0, 2.0, 3.0]), [Tensor([1.0, 2.0, 3.0])]
    whole = Tensor([1, 2, 3])

    @ms.jit
    def f(x):
        w[0] = x[0]
        whole[1] = 7
        rows[0][2] = x[2]
        return w * 2.0 + rows[0] + whole

    kept = w, rows[0], whole
    for k in range(4):
        w[1] = whole[0] = k
        x = X * k
        expected = [0.5 * k * 2 + 1.0 + k, 2.0 * k + 2.0 + 7.0, 6.0 + 2.0 * k + 3.0]
        assert_close(f(x), Tensor(expected, ms.float32))
        assert kept[0] is w and kept[1] is rows[0] and kept[2] is whole
        np.testing.assert_array_equal(w.asnumpy(), [X.asnumpy()[0] * k, k, 3.0])
        np.testing.assert_array_equal(whole.asnumpy(), [k, 7, 3])
    assert len(ms.recompiles(f)) <= 2


def test_two_names_of_one_tensor():
    a = Tensor([1.0, 1.0, 1.0])
    b = a

    @ms.jit
    def f(x):
        a[0] = x[0]
        return b * 1.0

    assert_close(f(X), Tensor([0.5, 1.0, 1.0]))
    b = Tensor([7.0, 7.0, 7.0])
    assert_close(f(X), b)
    b = a
    assert_close(f(X * 2.0), Tensor([1.0, 1.0, 1.0]))


def test_arrays_that_cannot_be_kept_true_are_refused():
    a = np.array([1.0, 2.0, 3.0])

    @ms.jit
    def f(x):
        a[0] = 5.0
        return x * float(a[0])

    with pytest.raises(SyntaxError, match="made outside, cannot be changed here"):
        f(X)
    assert a[0] == 1.0


def test_programs_are_bounded():
    word = ""

    @ms.jit
    def f(x):
        return x + len(word)

    for k in range(2 * VARIANTS):
        word = "a" * k
        assert_close(f(X), X + float(k))
    (programs,) = cache_of(f._compiled_from).programs.values()
    assert len(programs) == VARIANTS
    assert "variable `word` of an enclosing function changed from '' to 'a'" in str(
        ms.recompiles(f)
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [("global_number", 4), ("closure_number", 3), ("modules", 4), ("tuple_of_tensors", 2)],
)
def test_what_varies_is_an_argument(name, expected):
    steps = CASES[name]()
    f = next(steps)
    compiled = ms.jit(f)
    compiled(X)
    for _ in steps:
        compiled(X)
    assert len(ms.recompiles(compiled)) == expected, ms.recompiles(compiled)


def test_ten_reads_take_less_than_a_microsecond():
    """Generously: a loaded machine, and the time of the call itself."""
    o = types.SimpleNamespace(**{f"k{i}": float(i) for i in range(400)})
    names = sorted(vars(o))

    @ms.jit
    def f(x):
        return x * sum([getattr(o, n) for n in names])

    f(X)
    ((program,),) = cache_of(f._compiled_from).programs.values()
    table = program.guards.table
    assert len(table) > 400
    best = min(timeit.repeat(lambda: _core.changed(table, [], []), number=20, repeat=20)) / 20
    assert best / len(table) < 2 * 1e-7


class Looked:
    def __getattribute__(self, name):
        return 5.0


LOOKED, SHOWN = Looked(), types.MappingProxyType({"k": 2.0})


@pytest.mark.parametrize(
    ("fn", "said"),
    [
        (lambda x: x * LOOKED.k, "Looked defines __getattribute__"),
        (lambda x: x * SHOWN["k"], "a mappingproxy shows a dict"),
    ],
)
def test_what_cannot_be_watched_is_refused(fn, said):
    with pytest.raises(SyntaxError, match=said):
        ms.jit(fn)(X)
