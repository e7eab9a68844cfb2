"""`nn.MultiFieldEmbeddingLookup` against loops over elements."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn


def merged(table, indices, weights, fields, count, how):
    out = np.zeros((*indices.shape[:1], count, table.shape[1]))
    for n, f in np.ndindex(len(indices), count):
        at = [i for i, field in enumerate(fields[n]) if field == f]
        rows = [table[indices[n, i]] * weights[n, i] for i in at]
        if how == "MAX":
            rows = [r for r, i in zip(rows, at, strict=True) if weights[n, i]]
            out[n, f] = np.max(rows, axis=0) if rows else 0
        else:
            total = sum(abs(weights[n, i]) for i in at) if how == "MEAN" else 1
            out[n, f] = np.sum(rows, axis=0) / total if rows and total else 0
    return out


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["eager", "compiled"])
@pytest.mark.parametrize("how", ["SUM", "MEAN", "MAX"])
def test_fields(how, mode):
    ms.set_context(mode=mode)
    rng = np.random.default_rng(2)
    table = rng.standard_normal((6, 3))
    indices, fields = rng.integers(0, 6, (4, 5)), rng.integers(0, 3, (4, 5))
    weights = rng.standard_normal((4, 5)) * rng.integers(0, 2, (4, 5))
    net = nn.MultiFieldEmbeddingLookup(6, 3, 4, Tensor(table.astype(np.float32)), operator=how)
    given = Tensor(indices), Tensor(weights.astype(np.float32)), Tensor(fields)
    want = merged(table, indices, weights, fields, 4, how)
    np.testing.assert_allclose(net(*given).asnumpy(), want, rtol=1e-5, atol=1e-6)
    found = ms.grad(lambda *a: (net(*a) ** 2).sum(), None, net.trainable_params())(*given)[0]
    move, h = rng.standard_normal(table.shape), 1e-6
    up, down = (
        (merged(table + s * move, indices, weights, fields, 4, how) ** 2).sum() for s in (h, -h)
    )
    slope = (up - down) / (2 * h)
    np.testing.assert_allclose((found.asnumpy() * move).sum(), slope, rtol=1e-4)


def test_refusals():
    with pytest.raises(ValueError, match="operator"):
        nn.MultiFieldEmbeddingLookup(4, 2, 2, operator="MIN")
    with pytest.raises(ValueError, match="dimensions"):
        one = Tensor([1])
        nn.MultiFieldEmbeddingLookup(4, 2, 2)(one, one.astype(ms.float32), one)
