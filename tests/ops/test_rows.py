"""Each row: values against the reference in each dtype, eager and compiled bit for bit, gradients
to order 2.
"""

import numpy as np
import pytest
import rows_array
import rows_elementwise
import rows_host
import rows_nn
from rows import agree, outputs, squares

import minds as ms
from minds import Tensor
from minds.ops import P
from minds.ops.define import NO_KERNEL
from minds.transforms.check_grad import check_grad

ROWS = rows_elementwise.ROWS + rows_array.ROWS + rows_nn.ROWS + rows_host.ROWS
# No values to compare here: random numbers have their own tests, as has what several processes compute
# together (tests/parallel); the others steer programs or need scalars.
APART = {
    "all_gather",
    "all_reduce",
    "all_reduce_bucket",
    "barrier",
    "broadcast_from",
    "exchange",
    "reduce_scatter",
    "reduce_to",
    "reduction_begin",
    "reduction_end",
    "random_key",
    "uniform",
    "normal",
    "bernoulli",
    "randint",
    "permutation",
    "print",
    "require",
    "summary",
    "item",
    "scalar_cast",
    "fit",
    "raise",
    "host",
    "micro_joined",
    "micro_part",
    "micro_same",
    "micro_total",
}


def _reference(row, tensors):
    with np.errstate(all="ignore"):
        return outputs(
            row.reference(
                *[
                    t.asnumpy().astype(np.float64) if t.dtype.is_float else t.asnumpy()
                    for t in tensors
                ]
            )
        )


@pytest.mark.parametrize(
    "row,dtype", [(r, d) for r in ROWS for d in r.dtypes], ids=lambda v: str(v)
)
def test_values(row, dtype):
    tensors = row.sample(dtype)
    agree(row, row(*tensors), _reference(row, tensors))


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_compiled_is_eager_bit_for_bit(row):
    tensors = row.sample(row.dtypes[-1] if row.dtypes[-1] != "bfloat16" else "float32")
    eager, compiled = outputs(row(*tensors)), outputs(ms.jit(row.__call__)(*tensors))
    assert len(eager) == len(compiled)
    for e, c in zip(eager, compiled, strict=False):
        assert e.dtype is c.dtype and e.shape == c.shape
        assert e.asnumpy().tobytes() == c.asnumpy().tobytes()


@pytest.mark.parametrize("row", [r for r in ROWS if r.grad], ids=str)
def test_gradients_to_order_two(row):
    check_grad(row, row.sample("float64"), order=2, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("row", [r for r in ROWS if r.grad], ids=str)
def test_compiled_gradients_are_eager_bit_for_bit(row):
    tensors = row.sample("float32" if "float32" in row.dtypes else "float64")
    at = tuple(i for i, t in enumerate(tensors) if t.dtype.is_float)
    rng = np.random.default_rng(0)
    along = [Tensor(rng.standard_normal(tensors[i].shape), tensors[i].dtype) for i in at]
    gradient = ms.grad(squares(row), at)

    def slope(*xs):
        total = Tensor(0.0, "float64")
        for g, v in zip(outputs(gradient(*xs)), along, strict=False):
            total = total + P.sum(P.cast(g * v, "float64"))
        return total

    for fn in (gradient, ms.grad(slope, at)):
        for e, c, i in zip(outputs(fn(*tensors)), outputs(ms.jit(fn)(*tensors)), at, strict=False):
            assert e.shape == tensors[i].shape and e.dtype is tensors[i].dtype
            assert e.asnumpy().tobytes() == c.asnumpy().tobytes()


@pytest.mark.parametrize(
    "row,dtype",
    [(r, d) for r in ROWS if r.grad for d in r.dtypes if d in ("float16", "bfloat16")],
    ids=str,
)
def test_gradients_keep_the_dtype(row, dtype):
    tensors = row.sample(dtype)
    at = tuple(i for i, t in enumerate(tensors) if t.dtype.is_float)
    for g, i in zip(outputs(ms.grad(squares(row), at)(*tensors)), at, strict=False):
        assert g.dtype is tensors[i].dtype and g.shape == tensors[i].shape


@pytest.mark.parametrize("op", list(P), ids=lambda o: o.name)
def test_every_op_is_complete(op):
    assert op.bprop_rule is not None or op.nondiff, "no gradient, and not said to have none"
    assert (
        op.host is not None
        or op.kernel in ("view", NO_KERNEL)
        or op.decompose_rule is not None
        or any(k[1] == op.kernel for k in ms._core.kernels())
        or any(k[0] == op.kernel for k in ms._core.number_forms())
    ), "no kernel"
    assert op.name in APART or any(r.op == op.name for r in ROWS), "no row"
