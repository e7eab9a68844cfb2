"""Ops that are one kernel on a device, and int8 products: compiled programs use the kernels, and their
numbers are the CPU's.
"""

import numpy as np
import pytest
from closeness import is_exact
from placed import on
from simulator import compiled

import minds as ms
from minds import Tensor, nn, ops
from minds.base import devices
from minds.ops.define import P
from minds.passes import join

r = np.random.RandomState(0)
LOGITS, CLASSES = r.randn(6, 5).astype("f4"), r.randint(0, 5, 6).astype("i4")
IMAGES, MORE = (r.randn(3, 2, 4, 4).astype("f4") for _ in range(2))
GAMMA, BETA = r.rand(2).astype("f4") + np.float32(0.5), r.randn(2).astype("f4")


def loss(x, t):
    return ops.cross_entropy(x, t)


def block(x, gamma, beta, more):
    y = P.batch_norm(x, gamma, beta, 1e-5)
    return ops.relu(y[0] + more).sum() + (y[1] * y[2]).sum()


CASES = [
    (loss, (LOGITS, CLASSES), (0,), "softmax_nll"),
    (block, (IMAGES, GAMMA, BETA, MORE), (0, 1, 2, 3), "batch_norm_relu"),
]


@pytest.mark.parametrize("fn, arrays, at, kernel", CASES, ids=[c[-1] for c in CASES])
def test_values_and_gradients(fn, arrays, at, kernel, device):
    at = at[0] if len(at) == 1 else at
    one = (lambda fn, at: lambda *a: (ms.grad(fn, at)(*a),)) if type(at) is int else ms.grad

    def both():
        args = [Tensor(a) for a in arrays]
        out, slopes = ms.jit(fn)(*args), ms.jit(one(fn, at))(*args)
        return [t.asnumpy() for t in (out, *slopes)]

    with on("CPU", ms.GRAPH_MODE):
        wanted = both()
    with on(device, ms.GRAPH_MODE):
        found = both()
        name = devices.find(device).name
        text = compiled(name, fn, tuple(map(Tensor, arrays))).text()
    for f, w in zip(found, wanted, strict=True):
        np.testing.assert_allclose(f, w, rtol=1e-4, atol=1e-5)
    assert (f"RUN {kernel}(" in text) == join.has_kernel(name, kernel)


def test_a_class_that_is_none(device):
    """It is the CPU's error, but for the name of the op."""
    said = []
    for where in ("CPU", device):
        with on(where, ms.GRAPH_MODE):
            x, t = Tensor(LOGITS), Tensor(np.full(6, 5, np.int32))
            with pytest.raises(ValueError) as e:
                ms.jit(loss)(x, t).asnumpy()
            said.append(str(e.value).split("\n")[0].partition(": ")[2])
    assert said[0] == said[1] != ""


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_int8_layers(mode, device):
    """To the bit."""
    found = []
    for where in ("CPU", device):
        with on(where, mode):
            ms.set_seed(3)
            net = ms.quantize(nn.SequentialCell([nn.Dense(30, 70), nn.Dense(70, 9)]))
            found.append(net(Tensor(r.__class__(1).randn(5, 30).astype("f4"))).asnumpy())
    assert is_exact(device) or found[0].tobytes() == found[1].tobytes()
