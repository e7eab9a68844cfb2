"""Containers, strings and indexing as CPython has them."""

import pytest
from agreement import agree, gradients_agree

import minds as ms
from minds import Parameter, Tensor, nn, ops

X = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def lists(n):
    xs = [1, 2, 3]
    for i in range(n):
        xs[0] = xs[0] + i
    if n > 2:
        xs.append(n)
    else:
        xs.append(0)
    ys = xs
    ys[1] = 50
    return xs[0], xs[3], len(xs), xs, xs is ys


def list_methods(n):
    xs = [n]
    xs.extend([n + 1, n + 2])
    xs.insert(1, -n)
    last = xs.pop()
    xs += [last, 7]
    return xs, xs[::-1], xs[1:3], xs.copy(), sum(xs), max(xs), sorted([3, 1, 2])


def dicts(n):
    d = {"a": n, "b": 2 * n}
    d["c"] = d["a"] + d.get("zz", 5)
    d.update({"a": 100})
    total = 0
    for key, value in d.items():
        total = total + value * len(key)
    return d, total, "b" in d, list(d.keys()), {k: v for k, v in d.items() if k != "b"}


def comprehensions(n):
    return (
        [i * n for i in range(4)],
        [i + j for i in range(3) for j in (10, 20) if i != 1],
        tuple(k for k in (n, n)),
        {str(i): i * n for i in range(3)},
    )


def iteration(n):
    out = []
    for i, (a, b) in enumerate(zip((1, 2, 3), [n, n + 1, n + 2])):
        out.append(a * b + i)
    for v in reversed((1, n)):
        out.append(v)
    for v in map(lambda k: k * 2, (n, 3)):
        out.append(v)
    return out, list(filter(lambda v: v > 1, (0, 1, 2, 3))), all([True, 1]), any((0, False))


def strings(n):
    name = f"{'x':>3}-{3 + 4}"
    return (
        name,
        name.upper(),
        "a,b".split(","),
        "-".join(["p", "q"]),
        len(name),
        isinstance(n, int),
        type(n) is int,
    )


def static_sequence_by_run_time_index(n):
    table = (10, 20, 30)
    return table[n % 3]


def membership(n):
    return n in (1, 2, 7), n not in [3, 5], (n, 1) == (7, 1), n is None


def tuples_in_loops(n):
    pair = (0, 1)
    i = 0
    while i < n:
        pair = (pair[1], pair[0] + pair[1])
        i = i + 1
    return pair


@pytest.mark.parametrize("n", (0, 1, 2, 3, 7))
@pytest.mark.parametrize(
    "fn",
    [
        lists,
        list_methods,
        dicts,
        comprehensions,
        iteration,
        strings,
        static_sequence_by_run_time_index,
        membership,
        tuples_in_loops,
    ],
)
def test_numbers(fn, n):
    agree(fn, n)


def shapes(x):
    return x.shape, x.ndim, x.size, x.dtype, len(x), x.shape[0] * x.shape[-1]


def rows(x):
    total = x[0] * 0.0
    for row in x:
        total = total + row
    first, second = x
    return total, first - second


def indexing(x):
    return x[0], x[-1, 1], x[:, 1], x[..., 0], x[None, 0, ::-1], x[1:, :2], x[0][2]


def methods(x):
    return (
        x.sum(),
        x.mean(),
        x.reshape(3, 2),
        x.T,
        x.max(),
        x.astype("int32"),
        x.transpose(1, 0) @ x,
        x.sum(axis=1, keepdims=True),
    )


def operators(x):
    return (
        x + 1,
        1 - x,
        x * x,
        x / 2,
        2 / x,
        -x,
        x**2,
        x > 2,
        x == 2,
        x != 2,
        x <= x,
        x // 2,
        x % 2,
        abs(x),
        x @ x.T,
        +x,
    )


def stacked(x):
    return ops.stack([x, x * 2]), ops.concat((x, x), 1), ops.where(x > 2, x, -x)


def tensor_constants(x):
    k = Tensor([1.0, 2.0, 3.0])
    return x * k + Tensor(2.0)


@pytest.mark.parametrize(
    "fn", [shapes, rows, indexing, methods, operators, stacked, tensor_constants]
)
def test_tensors(fn):
    agree(fn, X)


def item_assignment(x):
    y = x * 2.0
    alias = y
    y[0] = 7.0
    y[1:, :2] += 1.0
    y[..., -1] = x[:, 0]
    kept = [y, x]
    y[0, 0] = -1.0
    return y, alias, y is alias, kept[0]


def growing_tuple(x):
    outs = ()
    for i in range(12):
        outs = outs + (x[0] * i,)
    return ops.stack(outs)


def growing_list(x):
    outs = []
    for i in range(12):
        outs.append(x * i)
    return ops.stack(outs, 1)


@pytest.mark.parametrize("fn", [item_assignment, growing_tuple, growing_list])
def test_changes(fn):
    agree(fn, X)


def test_gradients_through_item_assignment():
    def f(x, v):
        y = x * 2.0
        before = y.sum()
        y[0] = v
        y[1] = y[1] * x[1]
        x[1, 2] = 3.0
        return (y * y * x).sum() + before

    v = Tensor([5.0, -1.0, 2.0])
    for position in (0, 1):
        gradients_agree(lambda x, v: f(x * 1.0, v), X, v, position=position)


def test_depend_of_nested_values():
    def f(x, y):
        return ops.depend(((x + 1, "a"), [y, None], 2), (ops.sin(x), y))

    agree(f, X, Tensor([2.0]))


def test_a_parameter_holds_no_none():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([1.0]), name="w")

        def construct(self, x):
            self.w = x
            return self.w

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        with pytest.raises(TypeError, match="'w' cannot hold None"):
            Net()(None)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_parameter_holds_what_converts_to_its_dtype():
    class Net(nn.Cell):
        def __init__(self, dtype):
            super().__init__()
            self.w = Parameter(Tensor(1, dtype), name="w")

        def construct(self, x):
            ops.assign(self.w, x)
            return self.w + 0

    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        try:
            for to, of in ((ms.float32, ms.uint8), (ms.int32, ms.int8), (ms.float32, ms.float16)):
                out = Net(to)(Tensor(3, of))
                assert out.dtype is to and float(out) == 3.0
            for to, of in ((ms.int8, ms.int32), (ms.int8, ms.uint8), (ms.int32, ms.float32)):
                with pytest.raises(TypeError, match="assign: Parameter 'w' is int"):
                    Net(to)(Tensor(3, of))
            with pytest.raises(TypeError, match="variable is int8, the value int64"):
                ops.assign(Tensor(1, ms.int8), Tensor(1, ms.int64))
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)
    assert Parameter(3).dtype is ms.int32 and Parameter(2**40).dtype is ms.int64


def test_iterators_leave_as_tuples():
    def f(xs):
        rest = zip(xs, (4, 5, 6))
        next(rest)
        return map(lambda v: v * 2, xs), rest, enumerate(xs)

    assert ms.jit(f)([1, 2, 3]) == ((2, 4, 6), ((2, 5), (3, 6)), ((0, 1), (1, 2), (2, 3)))


def test_printing_of_shapes_and_nested_tensors(capfd):
    def f(x):
        ops.print_("x:", x.shape, x.dtype, (x, [x + 1]), "{}", 0.1)
        return x

    ms.jit(f)(Tensor([1.0, 2.0]))
    f(Tensor([1.0, 2.0]))
    lines = capfd.readouterr().out.splitlines()
    x = "Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])"
    y = "Tensor(shape=[2], dtype=Float32, value= [ 2.00000000e+00,  3.00000000e+00])"
    assert lines == ["x:", "(2,)", "Float32", f"({x}, [{y}])", "{}", "0.1"] * 2


def test_ranges_of_the_run_leave_as_ranges():
    def f(n):
        r = range(n) if n > 2 else range(n, 9, 2)
        return r, len(r), [range(1, n), range(0, 9, n)], sum(r)

    for n in (1, 3, 5):
        assert ms.jit(f)(n) == f(n)


def test_strides():
    def f(x):
        return x.strides, x.stride(), x.stride(0)

    x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert ms.jit(f)(x) == f(x) == ((12, 4), [3, 1], 3)


def test_faults_are_those_of_python():
    def unbound(x):
        if x.sum() > 100:
            y = 1
        return y

    for fn, kind in (
        (unbound, UnboundLocalError),
        (lambda x: (1, 2)[::0], ValueError),
        (lambda x: x[1.5], IndexError),
        (lambda x: x["a"], TypeError),
    ):
        with pytest.raises(kind):
            ms.jit(fn)(Tensor([1.0, 2.0]))
