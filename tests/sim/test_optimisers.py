"""Optimisers on a device: all parameters in few launches where it has the kernel `tiles`."""

import numpy as np
import pytest
from placed import assert_same

import minds as ms
from minds import _core, nn
from minds.base import dtype as dt
from minds.base.devices import backend_of


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.CellList([nn.Dense(n, n + 1, activation="relu") for n in (3, 4, 5)])
        r = np.random.RandomState(1)
        for p in self.trainable_params():
            p.set_data(ms.Tensor(r.randn(*p.shape).astype("f")))

    def construct(self, x):
        for d in self.dense:
            x = d(x)
        return x


OPTIMISERS = {
    "SGD": {"learning_rate": 0.1},
    "Momentum": {"learning_rate": 0.1, "momentum": 0.9, "weight_decay": 0.01},
    "Adam": {},
    "AdamWeightDecay": {},
    "RMSProp": {"learning_rate": 0.1},
}


@pytest.mark.parametrize("name", OPTIMISERS)
def test_steps(name, device):
    def run():
        net = Net()
        opt = getattr(nn, name)(net.trainable_params(), **OPTIMISERS[name])
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), opt)
        r = np.random.RandomState(2)
        x, y = (ms.Tensor(r.randn(2, n).astype("f")) for n in (3, 6))
        losses = [step(x, y) for _ in range(3)]
        return losses, [p.value() for p in net.trainable_params()]

    assert_same(run, device, ms.GRAPH_MODE)


def tiles(device: str, sizes: list, dtype: dt.DType) -> tuple:
    """The kernel for x - rate * g, -g of tensors of these sizes; and what it is given."""
    attrs = {"ops": "mul sub neg", "args": (0, 2, 1, 3, 2), "casts": (), "outs": (4, 5)}
    attrs |= {"numbers": 1, "parts": len(sizes)}
    ins = [((), dtype.code)] + [((n,), dtype.code) for n in sizes for _ in range(2)]
    outs = [((n,), dtype.code) for n in sizes for _ in range(2)]
    r = np.random.RandomState(3)
    kind = {"float32": "f4", "float16": "f2", "int64": "i8"}[dtype.name.lower()]
    given = [np.asarray(r.randint(-9, 9, s), kind) for s, _ in ins]
    return _core.Kernel("tiles", _core.device(backend_of(device)), ins, outs, attrs), given


@pytest.mark.parametrize("dtype", [ms.float32, ms.float16, ms.int64])
@pytest.mark.parametrize("sizes", [[2], [5, 1000, 8, 4097], list(range(2, 302))])
def test_parts_of_many_sizes(sizes, dtype, device):
    if not _core.has_kernel("tiles", backend_of(device), dtype.code):
        pytest.skip("the device runs each part by itself")
    kernel, given = tiles(device, sizes, dtype)
    arrays = [
        _core.Array.from_numpy(a, dtype.code).to(_core.device(backend_of(device))) for a in given
    ]
    out = [o.to(_core.device("cpu")).numpy() for o in kernel(*arrays)]
    for n in range(len(sizes)):
        x, g = given[1 + 2 * n : 3 + 2 * n]
        np.testing.assert_array_equal(out[2 * n], x - given[0] * g)
        np.testing.assert_array_equal(out[2 * n + 1], -g)


def test_parts_that_are_not_there_hold_no_old_addresses(device):
    """A launch has room for 4, 8, 16 ... parts; of 3 the last is empty, though an earlier launch had 4
    there, of memory that is another's since.
    """
    if not _core.has_kernel("tiles", backend_of(device), ms.float32.code):
        pytest.skip("the device runs each part by itself")
    place = _core.device(backend_of(device))
    kernels = [tiles(device, [n + 1] * n, ms.float32) for n in (3, 4)]
    for n in (0, 1, 0):
        kernel, given = kernels[n]
        arrays = [_core.Array.from_numpy(a, ms.float32.code).to(place) for a in given]
        out = kernel(*arrays)
        np.testing.assert_array_equal(out[1].to(_core.device("cpu")).numpy(), -given[2])
        del arrays, out
        place.synchronize()


@pytest.mark.parametrize("change", [{"parts": 2}, {"parts": 0}, {"numbers": 0}, {"numbers": 4}])
def test_operands_that_are_no_parts_are_refused(change, device):
    if not _core.has_kernel("tiles", backend_of(device), ms.float32.code):
        pytest.skip("the device runs each part by itself")
    f, here = ms.float32.code, _core.device(backend_of(device))
    attrs = {"ops": "mul sub neg", "args": (0, 2, 1, 3, 2), "casts": (), "outs": (4, 5)}
    attrs |= {"numbers": 1, "parts": 1}
    ins, outs = [((), f), ((4,), f), ((4,), f)], [((4,), f), ((4,), f)]
    with pytest.raises(ValueError, match="of tiles|parts|number"):
        _core.Kernel("tiles", here, ins, outs, attrs | change)
    with pytest.raises(ValueError, match="the parts differ"):
        _core.Kernel("tiles", here, [*ins, ((5,), f), ((4,), f)], outs * 2, attrs | {"parts": 2})
