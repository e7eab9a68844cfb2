"""The text of attention and of its gradient against NumPy, in all orders of threads and blocks."""

import numpy as np
import pytest
from texts import compile_file

PROBLEM = np.dtype(
    [(n, "i8") for n in "queries keys inner outer_step inner_step query_step key_step".split()]
    + [("scale", "f4")],
    align=True,
)
i64 = np.int64


def rounded(x, name):
    """float32 as 16-bit floats: their bits, and their values."""
    x = np.asarray(x, "f4")
    if name == "float":
        return x, x.astype("f8")
    if name == "f16_t":
        return x.astype("f2"), x.astype("f2").astype("f8")
    u = x.view("u4")
    bits = ((u + 0x7FFF + ((u >> 16) & 1)) >> 16).astype("u2")
    return bits, values(bits, name)


def values(bits, name):
    if name != "bf16_t":
        return bits.astype("f8")
    return (bits.astype("u4") << 16).view("f4").astype("f8")


def mask_of(kind, pairs, queries, keys, r):
    """The mask as an array and its steps for an outer and inner pair, a query and a key."""
    if kind == "causal":
        future = np.triu(np.ones((queries, keys)), keys - queries + 1)
        return np.where(future, -np.inf, 0), (0, 0, keys, 1)
    return np.where(r.rand(pairs[0], 1, keys) < 0.3, -1e4, 0), (keys, 0, 0, 1)


CASES = [
    ("float", (1, 1), 37, 34, 16, None),
    ("float", (1, 1), 17, 17, 80, "causal"),
    ("float", (2, 1), 5, 70, 64, "padding"),
    ("f16_t", (1, 1), 66, 34, 16, None),
    ("f16_t", (1, 1), 17, 17, 64, "causal"),
    ("f16_t", (2, 1), 5, 70, 16, "padding"),
    ("bf16_t", (1, 1), 9, 33, 96, None),
]


@pytest.mark.parametrize("name, pairs, queries, keys, head, masked", CASES)
def test_attention_and_its_gradient(name, pairs, queries, keys, head, masked):
    r = np.random.RandomState(0)
    count, scale = pairs[0] * pairs[1], np.float32(1 / np.sqrt(head))
    sizes = (queries, keys, keys, queries)
    (q, wide_q), (k, wide_k), (v, wide_v), (dout, wide_d) = (
        rounded(r.randn(count, n, head), name) for n in sizes
    )
    mask, added, steps = None, 0.0, (0, 0, 0, 0)
    if masked:
        plain, steps = mask_of(masked, pairs, queries, keys, r)
        mask, added = rounded(plain, name)
        added = added if masked == "causal" else np.repeat(added, pairs[1], 0)
    problem = np.array((queries, keys, pairs[1], *steps, scale), PROBLEM)[()]
    long = head > 64
    wide, each = name == "float", 64
    defines = {"ELEMENT": name, "HEAD": head, "MASKED": int(mask is not None)}
    if wide:
        defines["LANES"] = 8 if head > 32 else 4
        each = 128 // defines["LANES"]
    else:
        defines["COLUMNS"] = 32 if long else 64
    module = compile_file("attention_wide" if wide else "attention", defines)
    out, sums = np.zeros_like(q), np.zeros((count, queries), "f4")
    blocks = count * -(-queries // each)
    module.launch("forward", blocks, 128, q, k, v, mask, out, sums, problem)
    delta = np.zeros_like(sums)
    rows = count * queries
    module.launch("dots", -(-rows // 8), 256, dout, out, delta, i64(rows))
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    module.launch("backward_queries", blocks, 128, dout, q, k, v, mask, sums, delta, dq, problem)
    module.launch(
        "backward_keys",
        count * -(-keys // each),
        128,
        dout,
        q,
        k,
        v,
        mask,
        sums,
        delta,
        dk,
        dv,
        problem,
    )

    scores = wide_q @ wide_k.swapaxes(1, 2) * scale + added
    top = scores.max(-1, keepdims=True)
    e = np.exp(scores - top)
    w = e / e.sum(-1, keepdims=True)
    np.testing.assert_allclose(sums, (top + np.log(e.sum(-1, keepdims=True)))[..., 0], rtol=1e-5)
    dw = wide_d @ wide_v.swapaxes(1, 2)
    ds = w * (dw - (dw * w).sum(-1, keepdims=True)) * scale
    wanted = w @ wide_v, ds @ wide_k, ds.swapaxes(1, 2) @ wide_q, w.swapaxes(1, 2) @ wide_d
    # Of the largest: weights are rounded to 16 bits, but for float.
    close = {"float": 2e-6, "f16_t": 2e-3, "bf16_t": 1e-2}[name]
    for found, want in zip((out, dq, dk, dv), wanted):
        assert np.abs(values(found, name) - want).max() <= close * np.abs(want).max()
