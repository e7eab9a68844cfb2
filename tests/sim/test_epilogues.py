"""Products with a bias, on a device that has them as one kernel."""

import numpy as np
import pytest
from closeness import KERNEL_ULPS, distance
from placed import assert_same

import minds as ms
from minds import _core, nn
from minds.base.devices import backend_of

KINDS = {"float16": "f2", "float32": "f4", "float64": "f8"}


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("trans_x, trans_y", [(False, True), (True, False)])
@pytest.mark.parametrize("dtype", KINDS)
def test_a_product_with_a_bias(dtype, trans_x, trans_y, relu, device):
    code = getattr(ms, dtype).code
    if not _core.has_kernel("matmul_bias", backend_of(device), code):
        pytest.skip("the device adds a bias by itself")
    r, kind = np.random.RandomState(5), KINDS[dtype]
    x, y = r.randn(70, 9).astype(kind), r.randn(9, 67).astype(kind)
    given = [x.T.copy() if trans_x else x, y.T.copy() if trans_y else y, r.randn(67).astype(kind)]
    attrs = {"transpose_a": trans_x, "transpose_b": trans_y, "relu": relu}
    here = _core.device(backend_of(device))
    specs = [(a.shape, code) for a in given]
    kernel = _core.Kernel("matmul_bias", here, specs, [((70, 67), code)], attrs)
    out = kernel(*[_core.Array.from_numpy(a, code).to(here) for a in given])
    wanted = x.astype("f8") @ y.astype("f8") + given[2].astype("f8")
    wanted = np.maximum(wanted, 0) if relu else wanted
    found = out.to(_core.device("cpu")).numpy()
    assert distance(found, wanted.astype(kind), dtype) <= KERNEL_ULPS


@pytest.mark.parametrize("shape", [(4, 5), (2, 3, 5)])
def test_layers(shape, device):
    def run():
        ms.common.set_seed(2)
        net = nn.SequentialCell(nn.Dense(5, 7, activation="relu"), nn.Dense(7, 3))
        x = ms.Tensor(np.random.RandomState(1).randn(*shape).astype("f"))
        grad = ms.value_and_grad(lambda x: net(x).sum(), 0, net.trainable_params())
        return ms.jit(grad)(x)

    assert_same(run, device, ms.GRAPH_MODE)
