"""Each row under vmap: what its op computes for many examples is what it computes for each,
stacked.

The examples are batched in the first operand, in the last, and in all of them, along the first
dimension and the last. They must agree to the bit.
"""

import numpy as np
import pytest
from test_rows import ROWS

import minds as ms
from minds import Tensor
from minds.batch import rows as row_loop

N = 3


def _tuple(out):
    return out if isinstance(out, tuple) else (out,)


def _samples(row):
    """N samples of the operands, as lists of arrays."""
    dtype = row.dtypes[-1] if row.dtypes[-1] != "bfloat16" else "float32"
    fixed = row.sample(dtype)
    out = []
    for k in range(N):
        rng = np.random.default_rng(k)
        drawn = [np.asarray(a) for a in row.operands(rng)]
        out.append([a.astype(t.asnumpy().dtype) for a, t in zip(drawn, fixed)])
    return out


def _mapped(row, axes):
    """(batched operands, those of each example)."""
    samples = _samples(row)
    columns = list(zip(*samples))
    operands = [
        Tensor(c[0] if axis is None else np.stack(c, axis)) for c, axis in zip(columns, axes)
    ]
    each = [
        [Tensor(c[0] if axis is None else c[k]) for c, axis in zip(columns, axes)] for k in range(N)
    ]
    return operands, each


def _axes(row):
    count = len(row.sample(row.dtypes[0]))
    cases = {
        (0,) * count,
        (-1,) * count,
        (0,) + (None,) * (count - 1),
        (None,) * (count - 1) + (0,),
    }
    return sorted(cases, key=repr) if count else []


CASES = [(r, axes) for r in ROWS for axes in _axes(r)]


@pytest.mark.parametrize("row,axes", CASES, ids=[f"{r}{a}" for r, a in CASES])
def test_many_examples_are_each_example(row, axes, monkeypatch):
    looped = []
    monkeypatch.setattr(
        row_loop,
        "loop",
        lambda b, g, *a, kept=row_loop.loop: looped.append(g.name) or kept(b, g, *a),
    )
    operands, each = _mapped(row, axes)
    expected = [np.stack([t.asnumpy() for t in c]) for c in zip(*[_tuple(row(*e)) for e in each])]
    many = ms.vmap(row.__call__, axes)
    found, compiled = _tuple(many(*operands)), _tuple(ms.jit(many)(*operands))
    assert not looped, f"{looped} have no rule"
    for f, c, e in zip(found, compiled, expected, strict=True):
        f, c = f.asnumpy(), c.asnumpy()
        assert f.shape == e.shape and f.dtype == e.dtype
        assert f.tobytes() == c.tobytes()
        np.testing.assert_array_equal(f, e)
