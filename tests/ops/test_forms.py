"""Each row again in other forms of the same operands: as views with other strides, with numbers that are
not finite, of rank 0, without elements, broadcast and large, with open dimensions, and with what is no
operand at all. Values are held against the row's reference.
"""

import numpy as np
import pytest
import rows_elementwise as elementwise
from rows import FLOATS, Row, agree, outputs, squares
from test_rows import ROWS

import minds as ms
from minds import Tensor, ops

CASES = [(r, d) for r in ROWS for d in r.dtypes]
MODES = pytest.mark.parametrize("mode", ["eager", "compiled"])


def _through(fn, mode):
    return ms.jit(lambda *xs: fn(*xs)) if mode == "compiled" else fn


def _expected(row, tensors):
    with np.errstate(all="ignore"):
        wide = [t.asnumpy() for t in tensors]
        return outputs(
            row.reference(*[a.astype(np.float64) if a.dtype.kind == "f" else a for a in wide])
        )


def _stepped(a):
    base = np.repeat(a, 2, -1) if a.ndim else np.stack([a, a])
    return base, (lambda t: t[..., ::2]) if a.ndim else (lambda t: t[1])


def _inner(a):
    base = np.pad(a, 1, "edge" if a.size else "constant") if a.ndim else np.stack([a, a, a])
    at = (slice(1, -1),) * a.ndim if a.ndim else (1,)
    return base, lambda t: t[at]


def _turned(a):
    return np.ascontiguousarray(a.T), lambda t: ops.transpose(t, tuple(reversed(range(a.ndim))))


def _backwards(a):
    at = (slice(None, None, -1),) * a.ndim
    return np.ascontiguousarray(a[at]), lambda t: t[at] if at else t


VIEWS = {"stepped": _stepped, "inner": _inner, "turned": _turned, "backwards": _backwards}


def _laid(tensors, view):
    """The same operands as parts of others: those, and the function that takes the parts."""
    laid = [VIEWS[view](t.asnumpy()) for t in tensors]
    bases = [Tensor(base, t.dtype) for (base, _), t in zip(laid, tensors)]
    return bases, lambda fn: lambda *xs: fn(*[take(x) for (_, take), x in zip(laid, xs)])


@MODES
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("row,dtype", CASES, ids=str)
def test_views(row, dtype, view, mode):
    tensors = row.sample(dtype)
    bases, of_parts = _laid(tensors, view)
    agree(row, _through(of_parts(row), mode)(*bases), _expected(row, tensors))


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("row", [r for r in ROWS if r.grad and "float32" in r.dtypes], ids=str)
def test_gradients_of_views(row, view):
    """The gradient of what a view is a part of is the gradient of the part, laid there."""
    tensors = row.sample("float32")
    at = tuple(i for i, t in enumerate(tensors) if t.dtype.is_float)
    bases, of_parts = _laid(tensors, view)
    want = outputs(ms.grad(squares(row), at)(*tensors))
    found = outputs(ms.grad(of_parts(squares(row)), at)(*bases))
    for f, w, i in zip(found, want, at):
        part = VIEWS[view](tensors[i].asnumpy())[1](f)
        assert f.shape == bases[i].shape and f.dtype is bases[i].dtype
        scale = max(1.0, float(np.abs(w.asnumpy()).max(initial=0)))
        np.testing.assert_allclose(part.asnumpy(), w.asnumpy(), rtol=1e-4, atol=1e-5 * scale)
        np.testing.assert_allclose(
            f.asnumpy().sum(dtype=np.float64),
            w.asnumpy().sum(dtype=np.float64),
            rtol=1e-3,
            atol=1e-4 * scale * max(1, w.size),
        )


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf], ids=str)
@pytest.mark.parametrize("row,dtype", [c for c in CASES if c[1] in FLOATS], ids=str)
def test_one_number_that_is_not_finite(row, dtype, number):
    """Both modes agree on where it leads."""
    tensors = row.sample(dtype)
    for i, t in enumerate(tensors):
        if t.dtype.is_float and t.size:
            a = t.asnumpy().copy()
            a.flat[a.size // 2] = number
            tensors[i] = Tensor(a, t.dtype)
            break
    try:
        eager = outputs(row(*tensors))
    except Exception as e:
        with pytest.raises(type(e)):
            _through(row, "compiled")(*tensors)
        return
    for e, c in zip(eager, outputs(_through(row, "compiled")(*tensors)), strict=True):
        assert e.shape == c.shape and e.dtype is c.dtype
        np.testing.assert_array_equal(e.asnumpy(), c.asnumpy())


SHAPES = {
    "rank 0": [(), ()],
    "rank 0 and 2": [(), (2, 3)],
    "empty": [(2, 0, 3), (1, 0, 1)],
    "none": [(0,), (1,)],
    "rows and columns": [(4, 1), (1, 5)],
    "other ranks": [(3,), (2, 1, 3)],
    "large": [(257, 301), (257, 301)],
    "large rows": [(70001,), (1,)],
    "many dimensions": [(2, 1, 2, 1, 3, 2), (1, 2, 1, 2, 1, 2)],
}
SIMPLE = {r.op: r for r in elementwise.ROWS if r.op not in ("placed", "scalar_to_tensor")}


def _of_shape(row, dtype, shapes):
    """The row's own numbers, repeated to other shapes."""
    made = []
    for i, t in enumerate(row.sample(dtype)):
        a = t.asnumpy()
        made.append(Tensor(np.resize(a, shapes[min(i, 1)]).astype(a.dtype), t.dtype))
    return made


@MODES
@pytest.mark.parametrize("form", SHAPES)
@pytest.mark.parametrize("row,dtype", [(r, d) for r in SIMPLE.values() for d in r.dtypes], ids=str)
def test_shapes_of_elementwise_ops(row, dtype, form, mode):
    tensors = _of_shape(row, dtype, SHAPES[form])
    agree(row, _through(row, mode)(*tensors), _expected(row, tensors))


@pytest.mark.parametrize("form", ["rank 0", "rank 0 and 2", "rows and columns", "other ranks"])
@pytest.mark.parametrize("row", [r for r in SIMPLE.values() if r.grad], ids=str)
def test_gradients_of_shapes(row, form):
    ms.ops.check_grad(row, _of_shape(row, "float64", SHAPES[form]), order=2, rtol=1e-4, atol=1e-5)


WRONG = {"a text": "text", "nothing": None, "a list of texts": ["a"], "an object": object()}


@MODES
@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("row", [r for r in ROWS if r.sample(r.dtypes[0])], ids=str)
def test_what_is_no_operand_is_refused(row, wrong, mode):
    tensors = row.sample(row.dtypes[0])
    tensors[0] = WRONG[wrong]
    with pytest.raises((TypeError, ValueError)):
        _through(row, mode)(*tensors)
