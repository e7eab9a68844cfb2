"""Random kernels against a Philox4x32-10 in NumPy, itself checked against the published known
answers.
"""

import numpy as np
import pytest
from driver import CODES, make, run
from scipy import stats

from minds import _core
from minds.base import dtype as mt

M0, M1, W0, W1 = (np.uint64(v) for v in (0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85))
LOW, SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32)
KEYS = [(0, 0), (1, 0), (1, 1), (-3, 2**40 + 5), (2**63 - 1, -1)]


def philox(counter, key):
    """The four words of each block; counter and key are sequences of arrays or numbers."""
    c, k = [np.asarray(v, np.uint64) for v in counter], [np.uint64(v) for v in key]
    for _ in range(10):
        p, q = M0 * c[0], M1 * c[2]
        c = [(q >> SHIFT) ^ c[1] ^ k[0], q & LOW, (p >> SHIFT) ^ c[3] ^ k[1], p & LOW]
        k = [(k[0] + W0) & LOW, (k[1] + W1) & LOW]
    return c


def words(key, n):
    """The first n 32-bit words of a key's stream."""
    seed, counter = (v % 2**64 for v in key)
    blocks = np.arange((n + 3) // 4, dtype=np.uint64)
    c = (blocks & LOW, blocks >> SHIFT, np.uint64(counter % 2**32), np.uint64(counter >> 32))
    return np.stack(np.broadcast_arrays(*philox(c, (seed % 2**32, seed >> 32))), 1).reshape(-1)[:n]


def longs(key, n):
    w = words(key, 2 * n)
    return w[1::2] << SHIFT | w[::2]


def draw(op, key, shape, dtype, **attrs):
    return run(
        op,
        [(np.array(key), "int64")],
        [(shape, dtype)],
        shape=shape,
        dtype=getattr(mt, dtype, mt.bool_),
        **attrs,
    )


@pytest.mark.parametrize(
    ("counter", "key", "answer"),
    [
        ([0] * 4, [0] * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ([2**32 - 1] * 4, [2**32 - 1] * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            [0xA4093822, 0x299F31D0],
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_known_answers_of_the_reference(counter, key, answer):
    assert " ".join(f"{int(v):08x}" for v in philox(counter, key)) == answer


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("size", [0, 1, 3, 63, 64, 65, 1024, 1027, 50_001])
def test_uniform_is_philox(key, size):
    np.testing.assert_array_equal(
        draw("uniform", key, (size,), "float32"), (words(key, size) >> np.uint64(8)) / 2.0**24
    )
    np.testing.assert_array_equal(
        draw("uniform", key, (size,), "float64"), (longs(key, size) >> np.uint64(11)) / 2.0**53
    )
    np.testing.assert_array_equal(
        draw("uniform", key, (size,), "float16"), (words(key, size) >> np.uint64(21)) / 2.0**11
    )
    np.testing.assert_array_equal(
        draw("uniform", key, (size,), "bfloat16"), (words(key, size) >> np.uint64(24)) / 2.0**8
    )


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("size", [0, 1, 2, 5, 64, 1027, 50_001])
def test_normal_is_box_muller(key, size):
    n = size + size % 2
    w = words(key, n)
    u = ((w[::2] >> np.uint64(1)).astype("float32") + np.float32(1)) / np.float32(2.0**31)
    r, a = np.sqrt(-2 * np.log(u.astype("float64"))), w[1::2] * (2 * np.pi / 2.0**32)
    want = np.stack([r * np.cos(a), r * np.sin(a)], 1).reshape(-1)[:size]
    got = draw("normal", key, (size,), "float32")
    np.testing.assert_allclose(got, want, rtol=0, atol=2e-6)
    np.testing.assert_array_equal(draw("normal", key, (size,), "float16"), got.astype("float16"))
    np.testing.assert_allclose(draw("normal", key, (size,), "bfloat16"), got, rtol=2.0**-8)
    w = longs(key, n)
    r, a = (
        np.sqrt(-2 * np.log(((w[::2] >> np.uint64(11)) + 1.0) / 2.0**53)),
        w[1::2] * (2 * np.pi / 2.0**64),
    )
    want = np.stack([r * np.cos(a), r * np.sin(a)], 1).reshape(-1)[:size]
    np.testing.assert_allclose(draw("normal", key, (size,), "float64"), want, rtol=0, atol=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distributions(dtype):
    u, z = draw("uniform", (7, 1), (400, 500), dtype), draw("normal", (7, 2), (400, 500), dtype)
    assert u.min() >= 0
    assert u.max() < 1
    assert stats.kstest(u.ravel(), "uniform").pvalue > 1e-3
    assert stats.kstest(z.ravel(), "norm").pvalue > 1e-3
    n = z.size
    for moment, want, spread in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs(np.mean(z**moment) - want) < 4 * np.sqrt(spread / n)
    assert abs(np.corrcoef(z[:, ::2].ravel(), z[:, 1::2].ravel())[0, 1]) < 4 / np.sqrt(n / 2)
    assert abs(np.corrcoef(u[:-1].ravel(), u[1:].ravel())[0, 1]) < 4 / np.sqrt(n)


@pytest.mark.parametrize("dtype", list(CODES))
@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_bernoulli(p, dtype):
    got = draw("bernoulli", (5, 9), (101, 99), dtype, p=p)
    np.testing.assert_array_equal(
        got, (words((5, 9), 9999) < np.uint64(round(p * 2**32))).reshape(101, 99)
    )
    assert abs(got.astype("float64").mean() - p) < 0.02


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64"])
@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 100), (-5, 6), (-(2**63), 2**63 - 1)])
def test_randint(low, high, dtype):
    got = draw("randint", (2, 3), (3000,), dtype, low=low, high=high)
    want = [low + (int(w) * (high - low) >> 64) for w in longs((2, 3), 3000)]
    bits = np.iinfo(dtype).bits
    np.testing.assert_array_equal(
        got, np.array([w % 2**bits for w in want], f"uint{bits}").astype(dtype)
    )
    if high - low == 100:
        assert stats.chisquare(np.bincount(got, minlength=100)).pvalue > 1e-3


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 5000])
def test_permutation(n, dtype):
    got = run("permutation", [(np.array([4, n]), "int64")], [((n,), dtype)], n=n)
    np.testing.assert_array_equal(np.sort(got), np.arange(n))
    if n == 5000:
        assert abs(np.corrcoef(got, np.arange(n))[0, 1]) < 0.06


def test_every_permutation_is_as_likely():
    counts = np.zeros((4, 4), int)
    kernel = make("permutation", [((2,), "int64")], [((4,), "int64")], n=4)
    for c in range(4000):
        counts[np.arange(4), kernel(_core.Array.from_numpy(np.array([1, c]))).numpy()] += 1
    assert stats.chisquare(counts.ravel()).pvalue > 1e-3


def test_keys_count():
    kernel = make("random_key", [], [((2,), "int64")])
    _core.seed(77)
    first, second = (kernel().numpy().tolist() for _ in range(2))
    assert first[0] == second[0] == 77
    assert second[1] == first[1] + 1
    _core.seed(77)
    assert kernel().numpy().tolist() == first


def test_streams_do_not_depend_on_threads():
    before = _core.get_num_threads()
    try:
        results = []
        for threads in (1, 2, 3):
            _core.set_num_threads(threads)
            results.append(draw("normal", (1, 2), (300_007,), "float32").tobytes())
        assert len(set(results)) == 1
    finally:
        _core.set_num_threads(before)


def test_refusals():
    def fails(message, op, key, out, error=ValueError, **attrs):
        with pytest.raises(error, match=message):
            make(op, [key], [out], **attrs)

    key, f3 = ((2,), "int64"), ((3,), "float32")
    fails("key has shape", "uniform", ((3,), "int64"), f3, shape=(3,), dtype=mt.float32)
    fails("the output has shape", "normal", key, f3, shape=(4,), dtype=mt.float32)
    fails("the output is float32", "normal", key, f3, TypeError, shape=(3,), dtype=mt.float64)
    fails("floating point", "uniform", key, ((3,), "int32"), TypeError, shape=(3,), dtype=mt.int32)
    fails(
        "integer type", "randint", key, f3, TypeError, shape=(3,), dtype=mt.float32, low=0, high=5
    )
    fails("is empty", "randint", key, ((3,), "int32"), shape=(3,), dtype=mt.int32, low=5, high=5)
    fails("probability", "bernoulli", key, f3, shape=(3,), dtype=mt.float32, p=1.5)
    fails("probability", "bernoulli", key, f3, shape=(3,), dtype=mt.float32, p=float("nan"))
    fails("cannot count to 129", "permutation", key, ((129,), "int8"), n=129)
