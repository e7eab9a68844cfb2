"""Indexing as NumPy: random mixtures of ints, slices, None, `...`, integer and bool tensors, read
and written, in both modes, with gradients.
"""

import random

import numpy as np
import pytest
from agreement import assert_same

import minds as ms
from minds import Tensor, ops

SHAPE = (3, 4, 2)
VALUES = np.arange(24, dtype=np.float32).reshape(SHAPE) / 4 - 2


def random_slice(r: random.Random, n: int) -> str:
    start, stop = (r.choice(("", *map(str, range(-n - 1, n + 2)))) for _ in range(2))
    step = r.choice(("", "", "", "1", "2", "-1", "-2", "3"))
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"


def random_array(r: random.Random, n: int, shape=None) -> str:
    shape = r.choice(((2,), (3,), (1,), (2, 2), (2, 1), ())) if shape is None else shape
    values = np.array([r.randrange(-n, n) for _ in range(int(np.prod(shape)))], np.int64).reshape(
        shape
    )
    return f"T({values.tolist()})"


def random_index(seed: int, masks: bool = True) -> str:
    """The text of an index for SHAPE; tensors are written `T(...)`."""
    r = random.Random(seed)
    parts, axis = [], 0
    shape = None
    while axis < len(SHAPE) and r.random() < 0.85:
        n, pick = SHAPE[axis], r.randrange(12)
        if pick < 3:
            parts.append(str(r.randrange(-n, n)))
        elif pick < 7:
            parts.append(random_slice(r, n))
        elif pick < 8:
            parts.append("None")
            continue
        elif pick < 10:
            parts.append(random_array(r, n, shape))
            shape = () if shape is None and r.random() < 0.5 else (2,) if shape is None else shape
            shape = None if r.random() < 0.2 else ()
        elif masks and pick < 11:
            parts.append(f"T({[r.random() < 0.6 for _ in range(n)]})")
            shape = ()
            masks = False
        else:
            parts.append("...")
            break
        axis += 1
    return ", ".join(parts) or "..."


def evaluated(fn, *args):
    """The result, or the class of the error."""
    try:
        return fn(*args)
    except (IndexError, ValueError) as e:
        return IndexError if isinstance(e, IndexError) else ValueError


SEEDS = range(300)


def program(text: str, directory, name: str):
    from random_programs import load

    source = (
        "from minds import Tensor as T, ops\n\n\n"
        f"def read(x):\n    return x[{text}]\n\n\n"
        f"def write(x, v):\n    y = x * 1.0\n    y[{text}] = v\n    return y\n\n\n"
        f"def update(x, v):\n    y = x * 1.0\n    y[{text}] *= v\n    return y\n"
    )
    return load(source, str(directory), name)


@pytest.mark.parametrize("start", range(0, len(SEEDS), 50))
def test_mixtures_as_numpy(start, tmp_path):
    for seed in SEEDS[start : start + 50]:
        text = random_index(seed)
        where = eval(f"np.s_[{text}]", {"np": np, "T": np.array})
        want = evaluated(lambda w=where: VALUES[w])
        module = program(text, tmp_path, f"index_{seed}")
        x = Tensor(VALUES)
        for run in (module.read, ms.jit(module.read)):
            got = evaluated(run, x)
            if isinstance(want, type):
                assert got is IndexError, (seed, text, got, want)
                continue
            assert not isinstance(got, type), (seed, text, got)
            np.testing.assert_array_equal(got.asnumpy(), want, err_msg=f"{seed}: x[{text}]")
        if isinstance(want, type) or want.size == 0:
            continue
        places = np.arange(24).reshape(SHAPE)[where]
        if len(set(places.reshape(-1).tolist())) < places.size:
            continue
        value = np.linspace(1, 2, want.size, dtype=np.float32).reshape(want.shape)
        for name, value in (
            ("write", value),
            ("update", np.float32(1.5) * value),
            ("write", value[..., :1] if value.ndim else value),
        ):
            expected = VALUES.copy()
            if name == "write":
                expected[where] = value
            else:
                expected[where] *= value
            fn, v = getattr(module, name), Tensor(value)
            for run in (fn, ms.jit(fn)):
                got = run(x, v).asnumpy()
                np.testing.assert_array_equal(got, expected, err_msg=f"{seed}: {name} x[{text}]")
        slopes = ms.grad(lambda x, v, fn=module.write: (fn(x, v) * ops.cos(x)).sum(), (0, 1))
        v = Tensor(np.linspace(1, 2, want.size, dtype=np.float32).reshape(want.shape))
        assert_same(ms.jit(lambda x, v, g=slopes: g(x, v))(x, v), slopes(x, v))


def set_scalar(x, m, v):
    x = x * 1.0
    x[m] = 0.5
    return x


def set_number(x, m, v):
    x = x * 1.0
    x[m] = v.sum()
    return x


def add_to(x, m, v):
    x = x * 1.0
    x[m] += v[0]
    x[m] *= 2.0
    return x


def divide(x, m, v):
    x = x * 1.0
    x[m] /= v[0] + 3.0
    x[m] **= 2
    return x


def in_rows(x, m, v):
    x = x * 1.0
    x[m[:, 0, 0]] = v
    return x


def in_columns(x, m, v):
    x = x * 1.0
    x[m[:, 0, 0], 1:3] = v[:2].reshape(2, 1)
    return x


def behind_an_int(x, m, v):
    x = x * 1.0
    x[0, m[0, :, 0]] = v[1]
    x[..., m[0, 0]] -= 1.0
    return x


def chained(x, m, v):
    x = x * 1.0
    x[x < 0] = 0.0
    x[x > 1] = x.mean()
    return x


MASKS = [VALUES > 0, VALUES < -100, VALUES > -100, VALUES * 7 % 2 > 1]


@pytest.mark.parametrize(
    "fn", [set_scalar, set_number, add_to, divide, in_rows, in_columns, behind_an_int, chained]
)
def test_masks_known_at_run_time(fn):
    x, compiled = Tensor(VALUES), ms.jit(fn)
    for mask in MASKS:
        v = Tensor(np.array([1.0, -2.0, 4.0, 0.5], np.float32))
        if fn is in_rows:
            v = v[:2]
        m = Tensor(mask)
        assert_same(compiled(x, m, v), fn(x, m, v))

        def gradient(x, m, v):
            return ms.grad(lambda x, v: (fn(x, m, v) * ops.cos(x)).sum(), (0, 1))(x, v)

        for got, want in zip(ms.jit(gradient)(x, m, v), gradient(x, m, v)):
            np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=2e-5, atol=1e-6)


def one_value_per_place(x, m, v):
    x = x * 1.0
    x[m] = v
    return x


@pytest.mark.parametrize("mask", MASKS)
def test_a_value_for_each_true_element(mask):
    x, m, n = Tensor(VALUES), Tensor(mask), int(mask.sum())
    v = Tensor(np.arange(max(n, 2), dtype=np.float32))
    if n != v.size:
        with pytest.raises(ValueError, match="shape mismatch"):
            ms.jit(one_value_per_place)(x, m, v)
        return
    assert_same(ms.jit(one_value_per_place)(x, m, v), one_value_per_place(x, m, v))

    def gradient(x, m, v):
        return ms.grad(lambda x, v: (one_value_per_place(x, m, v) * ops.cos(x)).sum(), (0, 1))(x, v)

    assert_same(ms.jit(gradient)(x, m, v), gradient(x, m, v))


def test_a_gradient_of_unchosen_elements_is_no_nan():
    def f(x):
        y = x * 1.0
        y[y > 0] **= 0.5
        return y.sum()

    x = Tensor([-1.0, 0.0, 4.0])
    np.testing.assert_array_equal(ms.jit(lambda x: ms.grad(f)(x))(x).asnumpy(), [1.0, 1.0, 0.25])


@pytest.mark.parametrize(
    "fn, error",
    [
        (lambda x, m: x[4], IndexError),
        (lambda x, m: x[0, 0, 0, 0], IndexError),
        (lambda x, m: x[..., 0, ...], IndexError),
        (lambda x, m: x[Tensor([3])], IndexError),
        (lambda x, m: x[Tensor([True, False])], IndexError),
        (lambda x, m: x[:, -5], IndexError),
    ],
)
def test_errors_in_both_modes(fn, error):
    x, m = Tensor(VALUES), Tensor(VALUES > 0)
    for run in (fn, ms.jit(fn)):
        with pytest.raises(error):
            run(x, m)


@pytest.mark.parametrize("run", [lambda fn: fn, ms.jit], ids=["pynative", "graph"])
def test_sequences_inside_of_an_index_and_of_new_items(run):
    a = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)

    def fn(x, u, v):
        y = x + 0
        y[0] = (u, v, u + v)
        y[1, 1:] = [u, 2.0 * v]
        return x[(0, 1), (2, 0)], x[[0, 1], ..., (3, 1)], y

    u, v = np.float32([1, 2, 3, 4]), np.float32([5, 6, 7, 8])
    found = run(fn)(Tensor(a), Tensor(u), Tensor(v))
    want = a.copy()
    want[0], want[1, 1:] = (u, v, u + v), (u, 2 * v)
    for got, expected in zip(found, (a[(0, 1), (2, 0)], a[[0, 1], ..., (3, 1)], want)):
        np.testing.assert_array_equal(got.asnumpy(), expected)
