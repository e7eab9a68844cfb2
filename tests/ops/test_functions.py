"""Public functions that are composites: values against NumPy and SciPy, both modes, gradients to
order two.
"""

import time

import numpy as np
import pytest
from function_cases import CASES, FLAT

import minds as ms
from minds import Tensor, ops
from minds.transforms.check_grad import check_grad


def _tuple(out):
    return out if isinstance(out, tuple) else (out,)


@pytest.mark.parametrize("name", CASES)
def test_values_in_both_modes(name):
    fn, arrays, reference = CASES[name]
    expected = [np.asarray(e) for e in _tuple(reference(*arrays))]
    eager, compiled = (
        _tuple(fn(*map(Tensor, arrays))),
        _tuple(ms.jit(lambda *x: fn(*x))(*map(Tensor, arrays))),
    )
    assert len(eager) == len(compiled) == len(expected)
    for f, g, e in zip(eager, compiled, expected, strict=False):
        assert f.shape == e.shape and f.dtype.np == e.dtype
        np.testing.assert_allclose(f.asnumpy(), e, rtol=1e-11, atol=1e-12)
        assert f.asnumpy().tobytes() == g.asnumpy().tobytes()


@pytest.mark.parametrize("name", [n for n in CASES if n not in FLAT])
def test_gradients_to_order_two(name):
    fn, arrays, _ = CASES[name]
    check_grad(fn, arrays, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize(
    "name", ["mean", "var", "gelu", "cross_entropy", "dense", "softplus", "norm", "clip_by_norm"]
)
def test_results_keep_a_low_precision(name, dtype):
    fn, arrays, reference = CASES[name]
    out = fn(*[Tensor(a, dtype) if a.dtype.kind == "f" else Tensor(a) for a in arrays])
    assert out.dtype.name == dtype
    np.testing.assert_allclose(
        out.asnumpy().astype(np.float64), reference(*arrays), rtol=0.05, atol=0.05
    )


@pytest.mark.parametrize(
    "fn,at,slope",
    [
        (ops.abs, 0.0, 0.0),
        (ops.relu, 0.0, 0.0),
        (ops.relu6, 6.0, 1.0),
        (ops.softplus, 0.0, 0.5),
        (ops.norm, 0.0, 0.0),
        (lambda x: ops.maximum(x, 2.0), 2.0, 0.5),
        (lambda x: ops.clamp(x, 1.0, 3.0), 3.0, 1.0),
        (lambda x: ops.clip_by_value(x, 1.0, 3.0), 3.0, 0.5),
        (lambda x: ops.pow(x, 2), 0.0, 0.0),
        (lambda x: ops.amax(ops.stack((x, x * 2, x + 1)), 0), 1.0, 1.5),
        (lambda x: ops.max(ops.stack((x * 3, x + 2)), 0)[0], 1.0, 3.0),
        (ops.hardswish, 3.0, 1.5),
        (ops.hardsigmoid, 3.0, 0.0),
        (lambda x: ops.leaky_relu(x, 0.1), 0.0, 0.1),
    ],
)
def test_slopes_where_a_function_bends(fn, at, slope):
    """As MindSpore 2.10 defines them."""
    assert abs(float(ms.grad(lambda x: ops.sum(fn(x)))(Tensor(at))) - slope) < 1e-6


def test_creation():
    assert ops.linspace(0, 1, 5).asnumpy().tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert ops.arange(5).dtype is ms.int64 and ops.arange(0, 1, 0.5).dtype is ms.float32
    assert ops.full((2,), 1.5).dtype is ms.int64 and ops.full_like(
        Tensor([1, 2]), 3
    ).asnumpy().tolist() == [3, 3]
    assert ops.eye(2, 3, ms.int32).asnumpy().tolist() == [[1, 0, 0], [0, 1, 0]]
    assert ops.one_hot(Tensor([1]), 3, Tensor(2.0), Tensor(-1.0)).asnumpy().tolist() == [
        [-1, 2, -1]
    ]
    assert ops.zeros((0, 3)).shape == (0, 3) and ops.ones(2).shape == (2,)


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_one_hot_takes_values_of_one_element(mode):
    def program(on, off):
        return ops.one_hot(Tensor([1, 0]), 3, on, off)

    run = ms.jit(program) if mode == "graph" else program
    got = run(Tensor([2.0]), Tensor([[-1.0]]))
    assert got.asnumpy().tolist() == [[-1, 2, -1], [2, -1, -1]]
    with pytest.raises(ValueError, match="on_value and off_value must be scalars"):
        run(Tensor([2.0, 3.0]), Tensor(0.0))


@pytest.mark.parametrize("mode", ["same", "valid"])
def test_padding_modes_of_conv2d(mode):
    x, w = ops.ones((1, 1, 5, 6)), ops.ones((1, 1, 3, 2))
    out = ops.conv2d(x, w, stride=2, pad_mode=mode)
    assert out.shape == ((1, 1, 3, 3) if mode == "same" else (1, 1, 2, 3))
    # With "same", rows -1 to 5: the odd zero is below and on the right.
    assert float(out[0, 0, 0, 0]) == (4 if mode == "same" else 6)


def test_pooling_with_ceil_mode():
    x = Tensor(np.arange(25.0).reshape(1, 1, 5, 5))
    assert ops.max_pool2d(x, 2, ceil_mode=True).asnumpy()[0, 0].tolist() == [
        [6, 8, 9],
        [16, 18, 19],
        [21, 23, 24],
    ]
    means = ops.avg_pool2d(x, 2, 2, ceil_mode=True).asnumpy()[0, 0]
    assert means.tolist() == [[3, 5, 6.5], [13, 15, 16.5], [20.5, 22.5, 24]]
    values, index = ops.max_pool2d(x, 2, return_indices=True)
    assert index.asnumpy()[0, 0].tolist() == [[6, 8], [16, 18]] and values.shape == (1, 1, 2, 2)


@pytest.mark.parametrize("make", [ms.Tensor, ms.numpy.array])
def test_python_floats_are_rounded_once(make):
    """A list of floats is float32 only where no dtype is given."""
    for dtype, kind in (
        (ms.float64, "float64"),
        (ms.float16, "float16"),
        (ms.complex128, "complex128"),
    ):
        held = [0.1, 1.3, 2049.0 + 2**-12, 1e300 if kind != "float16" else 7.0]
        for compiled in (False, True):
            got = ms.jit(lambda: make(held, dtype))() if compiled else make(held, dtype)
            assert got.asnumpy().tolist() == np.array(held, kind).tolist()
    assert Tensor([0.1]).dtype is ms.float32


@pytest.mark.parametrize("seed", range(4))
def test_a_range_of_floats_has_as_many_numbers_as_numpys(seed):
    rng = np.random.default_rng(seed)
    for _ in range(50):
        start, stop = (float(v) / 10 for v in rng.integers(-50, 50, 2))
        step = float(rng.integers(1, 50)) / 10 * rng.choice([-1, 1])
        want = np.arange(start, stop, step)
        got = ms.numpy.arange(start, stop, step, dtype=ms.float64).asnumpy()
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


def test_what_mindspore_gives():
    x = Tensor([1, 2, 3])
    for other, same in ((x, True), (Tensor([1, 2, 4]), False), (Tensor([1, 2]), False)):
        for equal in (ms.mint.equal, ms.jit(lambda a, b: ms.mint.equal(a, b))):
            assert equal(x, other).shape == () and bool(equal(x, other)) is same
    weights = Tensor([[0.0, 9.0, 4.0, 1.0]])
    for replacement in (True, False):
        assert ops.multinomial(weights, 2, replacement).dtype is ms.int32
    assert type(ops.atleast_2d([x, x])) is tuple
    shown = {"Float32, value= 0.1": ms.float32, "Complex64, value= 0.1+0j": ms.complex64}
    assert all(repr(Tensor(0.1, d)).endswith(f"{text})") for text, d in shown.items())


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_rows_of_one_tensor_are_taken_together(mode):
    """A tensor of thousands of rows is not taken apart."""
    rows = np.random.default_rng(3).standard_normal((4096, 2)).astype("float32")
    at = np.array([0, 4095, 7000, -1, 9, 100, 31, 2])

    def program(rows, at):
        clipped = ops.clip_by_global_norm(rows, 2.0)
        chosen = [at.reshape(4, 2).choose(rows, how) for how in ("clip", "wrap")]
        return clipped, *chosen, ms.numpy.choose(at.reshape(4, 2), rows)

    run = ms.jit(program) if mode == "graph" else program
    start = time.monotonic()
    clipped, clip, wrap, by_numpy = run(Tensor(rows), Tensor(at))
    assert time.monotonic() - start < 5.0
    np.testing.assert_allclose(clipped.asnumpy(), rows * 2.0 / np.linalg.norm(rows), rtol=1e-5)
    for got, how in ((clip, "clip"), (wrap, "wrap"), (by_numpy, "clip")):
        place = np.clip(at, 0, 4095) if how == "clip" else at % 4096
        np.testing.assert_array_equal(got.asnumpy().ravel(), rows[place, np.arange(8) % 2])
    weights = Tensor(np.ones((4, 2), "float32"))
    grads = (ms.jit if mode == "graph" else lambda f: f)(
        ms.grad(lambda rows: (Tensor(at).reshape(4, 2).choose(rows) * weights).sum())
    )(Tensor(rows))
    wanted = np.zeros_like(rows)
    np.add.at(wanted, (np.clip(at, 0, 4095), np.arange(8) % 2), 1)
    np.testing.assert_array_equal(grads.asnumpy(), wanted)
