"""Programs under vmap, each example on its own way through them: eager = compiled to the bit, their
gradients but for the order of sums, and both what a loop over the examples gives, with gradients
inside and outside of vmap.

The random programs are those of `random_programs`, here with numbers that differ from example to
example, so that loops end at different times and branches part. ``MINDS_BATCHED`` is how many
(default 60), ``MINDS_SEED`` the first.
"""

import os

import numpy as np
import pytest
import random_programs
from agreement import Sums

import minds as ms
from minds import Tensor, ops

COUNT, FIRST = int(os.environ.get("MINDS_BATCHED", "60")), int(os.environ.get("MINDS_SEED", "0"))
PART = 10
NUMBERS = """

def one(x, y, n, m, p, q):
    return program(x, y, int(n), int(m), float(p), bool(q))


def loss_of_one(x, y, n, m, p, q):
    return loss(x, y, int(n), int(m), float(p), bool(q))
"""


def arrays(value) -> list:
    """The tensors and numbers in a result, as arrays of what vmap makes of them."""
    if isinstance(value, Tensor):
        return [value.asnumpy()]
    if isinstance(value, (tuple, list)):
        return [a for v in value for a in arrays(v)]
    if isinstance(value, dict):
        return [a for v in value.values() for a in arrays(v)]
    return [np.asarray(value, {bool: np.bool_, int: np.int64, float: np.float32}[type(value)])]


def batched(fn, args, tolerance=0.0) -> list:
    """``fn`` of a batch, eagerly and compiled, which must agree to the bit, as far as said, or as
    sums of cotangents do.
    """
    with Sums() as sums:
        eager = arrays(fn(*args))
    compiled = arrays(ms.jit(fn)(*args))
    for e, c in zip(eager, compiled, strict=True):
        np.testing.assert_allclose(c, e, rtol=tolerance, atol=max(tolerance, sums.tolerance(e)))
    return compiled


def agree(fn, args, tolerance=2e-5, modes=0.0) -> None:
    """``vmap(fn)`` is ``fn`` of each example.

    ``fn`` may change what it is given, and ``a[i]`` is a view of ``a``: the examples are copies.
    """
    examples = [[a[i].copy() for a in args] for i in range(len(args[0]))]
    expected = [np.stack(c) for c in zip(*[arrays(fn(*e)) for e in examples])]
    found = batched(lambda *a: ms.vmap(fn)(*a), args, modes)
    for f, e in zip(found, expected, strict=True):
        assert f.shape == e.shape and f.dtype == e.dtype
        np.testing.assert_allclose(f, e, rtol=tolerance, atol=tolerance)


def gradients_agree(loss, args, positions=0, tolerance=2e-5, modes=0.0) -> None:
    """The gradients of each example, and of the sum over the batch, are those of a loop; the two
    modes agree to ``modes``.
    """
    agree(ms.value_and_grad(loss, positions), args, tolerance, modes)
    each = batched(lambda *a: ms.vmap(ms.grad(loss, positions))(*a), args, modes)
    whole = batched(
        lambda *a: ms.grad(lambda *b: ms.vmap(loss)(*b).sum(), positions)(*a), args, modes
    )
    for e, w in zip(each, whole, strict=True):
        np.testing.assert_allclose(w, e, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT, PART))
def test_random_programs_from_seed(seed, tmp_path):
    failed = {}
    for k in range(seed, min(seed + PART, FIRST + COUNT)):
        module = random_programs.load(
            random_programs.write(k) + NUMBERS, str(tmp_path), f"batched_{k}"
        )
        rng = np.random.default_rng(k)
        x, y = (Tensor(rng.standard_normal((4, 3)).astype(np.float32)) for _ in range(2))
        args = (
            x,
            y,
            Tensor([2, 0, 4, 2]),
            Tensor([5, 1, 3, 5]),
            Tensor([0.75, -1.25, 2.5, 0.75]),
            Tensor([True, False, bool(k % 2), True]),
        )
        try:
            agree(module.one, args)
            # Below vmap a value with two names has two sums (docs/architecture.md): the last bit
            # may differ.
            gradients_agree(module.loss_of_one, args, (0, 1), modes=1e-6)
        except Exception as e:
            if not any(text in str(e) for text in random_programs.REFUSALS):
                failed[k] = f"{type(e).__name__}: {e}"
    assert not failed, "\n".join(
        f"seed {k}: {text}\n{random_programs.write(k)}" for k, text in failed.items()
    )


# ---- conditions and loops that examples take differently

ROWS = Tensor(
    np.array(
        [[0.5, -1.0, 2.0], [3.0, 0.25, 1.0], [-2.0, -0.5, -1.0], [6.0, 1.0, 2.5], [0.0, 0.0, 0.0]]
    )
)


def branch(r):
    if r.sum() > 2.0:
        return r * r
    return ops.sin(r)


def early_return(r):
    for i in range(6):
        r = r * 1.5 + 0.25
        if r.sum() > 5.0:
            return r * i
    return -r


def until_large(r):
    steps = 0
    while r.sum() < 10.0:
        r = r * 1.25 + 1.0
        steps += 1
        if steps == 7:
            break
    else:
        r = r - 1.0
    return r, steps


def skipping(r):
    total = r * 0.0
    for i in range(8):
        if (r * i).sum() > 6.0:
            continue
        total = total + r * i
    return total


def nested_loops(r):
    out = r
    for i in range(3):
        k = 0
        while out.sum() < 4.0 * (i + 1) and k < 5:
            out = out + ops.cos(r) * 0.5
            k += 1
        out = out * 1.1
    return out


def left_together(r):
    for i in range(3):
        for j in range(4):
            r = r + 0.5
            if r.sum() > 3.0 + i + j:
                return r * (10 * i + j)
    return r


def newton(r):
    x = r.abs().sum() + 1.0
    y = x
    while (y * y - x).abs() > 1e-9:
        y = (y + x / y) / 2
    return y


def halvings(r):
    def count(v):
        if v < 1.0:
            return v
        return count(v / 2) + 1.0

    return count(r.abs().sum())


def tree(r):
    def leaves(n):
        if n < 2:
            return r.sum()
        return leaves(n - 1) + leaves(n - 2) * 0.5

    return leaves(int(r.abs().sum()))


def picks(r):
    best = r[0]
    for v in r:
        best = v if v > best else best
    return best, int(best)


def by_index(r):
    k = int(ops.argmax(r, 0))
    out = r * 1.0
    out[k] = 0.0
    return out, r[k]


def two_levels(r):
    a, b = r[0], r[1]
    if a > 0.0:
        if b > 0.0:
            c = ops.sqrt(a * b)
        else:
            c = ops.log(a)
    elif b > 0.0:
        c = ops.log(b)
    else:
        c = a * b
    return c + r[2]


PROGRAMS = [
    branch,
    early_return,
    until_large,
    skipping,
    nested_loops,
    left_together,
    newton,
    halvings,
    tree,
    picks,
    by_index,
    two_levels,
]


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda f: f.__name__)
def test_each_example_goes_its_own_way(fn):
    agree(fn, (ROWS,), 1e-12)

    def loss(r):
        out = fn(r)
        return ((out[0] if isinstance(out, tuple) else out) ** 2).sum()

    gradients_agree(loss, (ROWS,), tolerance=1e-10)


@pytest.mark.parametrize("fn", [branch, until_large, newton], ids=lambda f: f.__name__)
def test_vmap_of_vmap_with_control_flow(fn):
    cube = Tensor(np.stack([ROWS.asnumpy(), ROWS.asnumpy()[::-1] * 0.5]))
    agree(ms.vmap(fn), (cube,), 1e-12)


def test_vmap_in_a_loop_and_a_loop_in_vmap():
    def fn(batch):
        total = batch[0] * 0.0
        for i in range(12):
            total = total + ms.vmap(branch)(batch * (0.1 * i)).sum(0)
        return total

    found = batched(fn, (ROWS,))[0]
    rows = ROWS.asnumpy()
    scaled = [rows * (0.1 * i) for i in range(12)]
    expected = sum(np.where(s.sum(1, keepdims=True) > 2.0, s * s, np.sin(s)).sum(0) for s in scaled)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_no_nan_of_a_branch_that_a_row_does_not_take():
    def root(v):
        if v > 0.0:
            return ops.sqrt(v) + ops.log(v)
        return v * 2.0

    v = np.array([0.0, 4.0, -1.0, 0.25])
    with np.errstate(all="ignore"):
        value = np.where(v > 0, np.sqrt(v) + np.log(np.where(v > 0, v, 1)), 2 * v)
        slope = np.where(
            v > 0, 0.5 / np.sqrt(np.where(v > 0, v, 1)) + 1 / np.where(v > 0, v, 1), 2.0
        )
    np.testing.assert_allclose(batched(ms.vmap(root), (Tensor(v),))[0], value, rtol=1e-12)
    for fn in (ms.vmap(ms.grad(root)), ms.grad(lambda a: ms.vmap(root)(a).sum())):
        np.testing.assert_allclose(batched(fn, (Tensor(v),))[0], slope, rtol=1e-12)


def test_a_loop_of_a_row_that_would_not_end_in_a_branch_it_does_not_take():
    def doubled(v):
        if v > 0.0:
            while v < 10.0:
                v = v * 2.0
        return v

    found = batched(ms.vmap(doubled), (Tensor([0.0, 3.0, -1.0, 0.5]),))[0]
    np.testing.assert_array_equal(found, np.array([0.0, 12.0, -1.0, 16.0], np.float32))


def test_prints_and_errors_come_in_the_order_of_the_examples(capfd):
    def told(v):
        print("at", v)
        if v < 0.0:
            raise ValueError("negative")
        return v

    for fn in (ms.vmap(told), ms.jit(lambda b: ms.vmap(told)(b))):
        capfd.readouterr()
        with pytest.raises(ValueError, match="negative"):
            fn(Tensor([1.0, -2.0, 3.0]))
        assert capfd.readouterr().out.split() == ["at", "1.0", "at", "-2.0"]


def test_random_numbers_differ_between_examples():
    def noise(v):
        return v + ops.rand(4)

    for fn in (ms.vmap(noise), ms.jit(lambda b: ms.vmap(noise)(b))):
        found = fn(Tensor(np.zeros(20))).asnumpy()
        assert len(np.unique(found)) == found.size
