"""vmap: eager = compiled to the bit, and the values of a loop over NumPy rows."""

import numpy as np
import pytest
from test_derivatives import both

import minds as ms
from minds import Tensor, nn, ops

FEW = Tensor(np.arange(12.0).reshape(4, 3) / 4)
MANY = Tensor(np.arange(36.0).reshape(12, 3) / 10)


def settled(r):
    """Branches and loops that rows take differently."""
    if r.sum() > 5.0:
        return r * 2.0
    while r.sum() < 3.0:
        r = r + 0.5
    return r


def settled_rows(m):
    out = []
    for r in m:
        if r.sum() > 5.0:
            out.append(r * 2)
            continue
        while r.sum() < 3.0:
            r = r + 0.5
        out.append(r)
    return np.array(out)


@pytest.mark.parametrize("batch", [FEW, MANY], ids=["unrolled", "rolled"])
def test_control_flow_on_batched_predicates(batch):
    m = batch.asnumpy()
    (found,) = both(ms.vmap(settled), batch)
    np.testing.assert_array_equal(found, settled_rows(m))
    slope = np.where(m.sum(1) > 5, 4.0, 2.0)[:, None] * settled_rows(m)
    (found,) = both(lambda b: ms.vmap(ms.grad(lambda r: (settled(r) ** 2).sum()))(b), batch)
    np.testing.assert_allclose(found, slope)
    (found,) = both(lambda b: ms.grad(lambda c: (ms.vmap(settled)(c) ** 2).sum())(b), batch)
    np.testing.assert_allclose(found, slope)


def test_axes_of_arguments_and_results():
    m, v = MANY.asnumpy(), np.array([2.0, 3.0, 5.0])

    def fn(a, b, k):
        return ms.vmap(lambda p, q, w: (p * q, (p * w).sum(), w + 1.0), (0, 1, None), (1, 0, None))(
            a, b, k
        )

    first, second, third = both(fn, MANY, Tensor(m.T.copy()), Tensor(v))
    np.testing.assert_array_equal(first, (m * m).T)
    np.testing.assert_allclose(second, m @ v)
    np.testing.assert_array_equal(third, v + 1)
    (found,) = both(lambda a: ms.vmap(lambda p: p * 2.0, -1, -1)(a), MANY)
    np.testing.assert_array_equal(found, m * 2)


def test_nested_arguments_and_numbers():
    def fn(a, s):
        return ms.vmap(lambda pair, k: (pair[0] + pair[1] * k, 3.0, 7), ((0, None), None))(
            (a, a[0]), s
        )

    total, number, integer = both(fn, MANY, 2.5)
    np.testing.assert_array_equal(total, MANY.asnumpy() + MANY.asnumpy()[0] * 2.5)
    np.testing.assert_array_equal(number, np.full(12, 3.0, np.float32))
    assert integer.dtype == np.int64


def test_vmap_of_vmap():
    m = MANY.asnumpy()
    (found,) = both(
        lambda a: ms.vmap(ms.vmap(lambda p, q: p * q, (None, 0)), (1, None))(a, a[0]), MANY
    )
    np.testing.assert_array_equal(found, m.T[:, None, :] * m[0][None, :, None])


def test_closures_and_gradients_by_what_is_shared():
    m = MANY.asnumpy()

    def fn(a, w):
        def total(shared):
            return ms.vmap(lambda row: (row * shared).sum() ** 2)(a).sum()

        return ms.grad(total)(w)

    w = np.array([1.0, -2.0, 0.5])
    (found,) = both(fn, MANY, Tensor(w))
    np.testing.assert_allclose(found, 2 * (m @ w) @ m)


def test_gradients_of_each_example():
    net = nn.Dense(3, 1)
    weight = net.weight.asnumpy().astype(np.float64)
    found = ms.vmap(ms.grad(lambda row: net(row).sum() ** 2))(MANY.astype(ms.float32)).asnumpy()
    want = 2 * (MANY.asnumpy() @ weight.T + net.bias.asnumpy()) * weight
    np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-5)


def test_hessian_of_each_example():
    m = MANY.asnumpy()
    (found,) = both(lambda a: ms.vmap(ms.hessian(lambda r: (r**3).sum()))(a), MANY)
    np.testing.assert_allclose(found, np.eye(3) * 6 * m[:, :, None])


def test_jvp_of_vmap():
    m = MANY.asnumpy()
    found = both(lambda a: ms.jvp(ms.vmap(lambda r: ops.sin(r) * r), a, a), MANY)
    np.testing.assert_allclose(found[1], (np.cos(m) * m + np.sin(m)) * m)


def test_list_of_cells():
    cells = nn.CellList([nn.Dense(3, 2) for _ in range(4)])
    batch = FEW.astype(ms.float32)
    found = ms.vmap(cells)(batch)
    compiled = ms.jit(lambda a: ms.vmap(cells)(a))(batch)
    np.testing.assert_array_equal(found.asnumpy(), compiled.asnumpy())
    each = np.stack([c(r).asnumpy() for c, r in zip(cells, batch)])
    np.testing.assert_allclose(
        found.asnumpy(), each, rtol=1e-6, atol=1e-7
    )  # one product: other sums


def test_state_is_updated_by_each_example():
    count = ms.Parameter(Tensor(0.0), name="count")

    def counted(row):
        ops.assign(count, count + row.sum())
        return row + count

    def fn(a):
        before = count + 0.0
        return before, ms.vmap(counted)(a), count + 0.0

    batch = MANY.astype(ms.float32)
    eager = [t.asnumpy().copy() for t in fn(batch)]
    count.set_data(Tensor(0.0))
    compiled = [t.asnumpy() for t in ms.jit(fn)(batch)]
    for a, b in zip(eager, compiled):
        np.testing.assert_array_equal(a, b)
    assert compiled[0] == 0 and compiled[2] > 0


def test_compile_size_does_not_depend_on_the_batch():
    from minds.ir import walk
    from minds.jit.compile import stages

    def nodes(n):
        graph = stages(ms.vmap(settled), (Tensor(np.ones((n, 3))),))["tidy"]
        return sum(1 for g in walk.graphs(graph) for _ in g)

    assert nodes(20) == nodes(2000)


def test_refusals():
    with pytest.raises(ValueError, match="2 elements for 1 arguments"):
        ms.vmap(ops.sin, (0, 0))(FEW)
    with pytest.raises(ValueError, match="different lengths"):
        ms.vmap(ops.add)(FEW, MANY)
    with pytest.raises(ValueError, match="out of range"):
        ms.vmap(ops.sin, 2)(FEW)
    with pytest.raises(ValueError, match="maps no argument"):
        ms.vmap(ops.sin, None)(FEW)
    with pytest.raises(TypeError, match="holds 'x'"):
        ms.vmap(ops.sin, "x")(FEW)
    with pytest.raises(TypeError, match="results differ"):
        ms.vmap(lambda r: r if float(r.sum()) > 3.0 else r.sum())(FEW)


def test_an_open_number_of_examples():
    def fn(batch):
        return ms.vmap(settled)(batch), ms.vmap(ms.grad(lambda r: (settled(r) ** 2).sum()))(batch)

    compiled = ms.jit(fn, input_signature=Tensor(shape=[None, 3], dtype=ms.float64))
    for n in (4, 12, 30):
        batch = Tensor(np.arange(3.0 * n).reshape(n, 3) / n)
        for e, c in zip(fn(batch), compiled(batch)):
            np.testing.assert_array_equal(e.asnumpy(), c.asnumpy())
    assert len(ms.recompiles(compiled)) <= 2


def test_planning_takes_linear_time():
    """Each graph is looked at a bounded number of times, however many conditions follow each
    other.
    """
    from minds.batch import plan
    from minds.jit.compile import stages

    def sweeps(count, monkeypatch):
        seen = []
        monkeypatch.setattr(
            plan.Plan,
            "_sweep",
            lambda self, g, kept=plan.Plan._sweep: seen.append(g) or kept(self, g),
        )

        def fn(r, k):
            for i in range(count):
                r = r * 0.5 if r.sum() > i else r + 1.0
                k = k + 1 if k > i else k - 1
            return r * k

        stages(ms.vmap(fn, (0, None)), (FEW, ms.mutable(3)))
        return len(seen)

    with pytest.MonkeyPatch.context() as m:
        small = sweeps(4, m)
    with pytest.MonkeyPatch.context() as m:
        large = sweeps(8, m)
    assert large <= 2 * small + 4


@pytest.mark.parametrize("group", [1, 2])
def test_convolutions_of_each_without_their_kernel(group):
    """What a device without a kernel for stacks of convolutions computes: groups of channels."""
    rng = np.random.default_rng(group)
    shapes = {"x": (3, 2, 4, 6, 5), "w": (3, 6, 4 // group, 3, 2), "dout": (3, 2, 6, 3, 6)}
    made = {n: ms.Tensor(rng.standard_normal(s)) for n, s in shapes.items()}
    window = ((2, 1), (1, 0, 1, 1), (1, 1), group)
    cases = {
        "each_conv2d": (made["x"], made["w"], *window),
        "each_conv2d_dx": (made["dout"], made["w"], shapes["x"], *window),
        "each_conv2d_dw": (made["x"], made["dout"], shapes["w"], *window),
    }
    for name, args in cases.items():
        op = getattr(ops.P, name)
        np.testing.assert_allclose(
            op.decompose_rule(*args).asnumpy(), op(*args).asnumpy(), 1e-10, 1e-12
        )


@pytest.mark.parametrize(
    "change, want",
    [
        (lambda p: p.copy_(Tensor([5.0, 6.0])), [[5, 6], [5, 6]]),
        (lambda p: p.add_(1.0), [[2, 3], [4, 5]]),
        (lambda p: ops.assign(p, p * 2), [[2, 4], [6, 8]]),
        (lambda p: p.__setitem__(0, 9.0), [[9, 2], [9, 4]]),
        (lambda p: p.zero_(), [[0, 0], [0, 0]]),
        (lambda p: p[:1].mul_(3.0), [[3, 2], [9, 4]]),
        (lambda p: None, [[1, 2], [3, 4]]),
    ],
)
@pytest.mark.parametrize("shows", [True, False], ids=["in turn", "at once"])
@pytest.mark.parametrize("how", ["eager", "jit", "argument of a jit"])
def test_rows_of_a_parameter_that_are_written(change, want, shows, how, capfd):
    p = ms.Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="p")

    def f(row, x):
        if shows:
            print(x)  # an effect: the rows are taken in turn
        change(row)
        return (row * x).sum()

    def every(p, x):
        return ms.vmap(f)(p, x), p + 0.0

    run = {"eager": every, "jit": ms.jit(lambda x: every(p, x)), "argument of a jit": ms.jit(every)}
    x = Tensor([1.0, 10.0])
    found, after = run[how](x) if how == "jit" else run[how](p, x)
    np.testing.assert_array_equal(p.asnumpy(), want)
    np.testing.assert_array_equal(after.asnumpy(), want)
    np.testing.assert_array_equal(found.asnumpy(), np.sum(want, 1) * [1, 10])
