"""Convolutions and pooling of images that are divided along height and width, against those of one device:
values and gradients, bit for bit, as all numbers are whole.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops
from minds.ops.define import P
from minds.parallel.plan import graph_of
from minds.sharding.layout import Mesh, Sharding
from minds.sharding.partition import partition
from minds.sharding.propagate import propagate
from minds.sharding.virtual import run

MESH = Mesh(("h", "w"), (4, 2))
RNG = np.random.default_rng(0)


def whole_numbers(*shape):
    return Tensor(RNG.integers(-2, 3, shape).astype(np.float64))


def divided(fn, args, layouts):
    """Run a function and its gradients on all devices and on one."""

    def step(*args):
        return ms.value_and_grad(lambda *a: (fn(*a) * fn(*a)).sum(), tuple(range(len(args))))(*args)

    graph = graph_of(step, args)
    shardings = propagate(graph, MESH, dict(zip(graph.params, layouts)))
    loss, grads = ms.jit(step)(*args)
    found, _ = run(graph, shardings, list(args))
    flat = [loss, *(grads if isinstance(grads, tuple) else (grads,))]
    for value, every in zip(flat, found, strict=True):
        for one in every:
            np.testing.assert_array_equal(one.asnumpy(), value.asnumpy())
    return graph, shardings


def space(rank=4):
    return Sharding(((),) * (rank - 2) + (("h",), ("w",)))


CONVOLUTIONS = [
    ((1, 1), 3, (1, 1, 1, 1), 1),
    ((2, 2), 3, (1, 0, 1, 0), 1),
    ((1, 1), 5, (2, 2, 2, 2), 1),
    ((1, 1), 3, (2, 2, 2, 2), 2),
    ((2, 1), 2, (0, 0, 0, 1), 1),
    ((1, 1), 7, (4, 2, 3, 3), 1),
]


@pytest.mark.parametrize("stride, kernel, pad, dilation", CONVOLUTIONS)
@pytest.mark.parametrize("group", (1, 2))
def test_convolutions(stride, kernel, pad, dilation, group):
    """A window may reach over more than the next part."""
    about = stride, pad, (dilation, dilation), group
    x, w = whole_numbers(1, 2, 16, 8), whole_numbers(2, 2 // group, kernel, kernel)
    graph, shardings = divided(
        lambda x, w: ms.ops.clamp(conv(x, w, about), -60, 60), (x, w), [space(), Sharding.whole(4)]
    )
    names = [n.fn.name for n in partition(graph, shardings, 3) if hasattr(n.fn, "name")]
    assert "exchange" in names
    convs = [n for n in shardings.rules if n.fn.name.startswith("conv2d")]
    assert {n.fn.name for n in convs} == {"conv2d", "conv2d_dx", "conv2d_dw"}
    assert all("h" in shardings.rules[n][1]["h"] for n in convs)


def conv(x, w, about):
    stride, pad, dilation, group = about
    return ops.Conv2D(
        w.shape[0],
        w.shape[2],
        pad_mode="pad",
        pad=pad,
        stride=stride,
        dilation=dilation,
        group=group,
    )(x, w)


@pytest.mark.parametrize("pool", ("max", "max over", "mean", "mean over", "mean of the image"))
def test_pooling(pool):
    """With ties, of which the first is the maximum; padding counts in the mean or does not."""
    cells = {
        "max": nn.MaxPool2d(2, 2),
        "max over": nn.MaxPool2d(3, 2, pad_mode="pad", padding=1),
        "mean": nn.AvgPool2d(2, 2),
        "mean over": nn.AvgPool2d(4, 2, pad_mode="pad", padding=1),
        "mean of the image": nn.AvgPool2d(4, 2, pad_mode="pad", padding=1, count_include_pad=False),
    }
    x = whole_numbers(1, 2, 16, 8) * 9.0  # nine divides what a window that is not whole counts
    graph, shardings = divided(cells[pool], (x,), [space()])
    pools = {n.fn.name: shardings.rules[n][1] for n in shardings.rules if "pool" in n.fn.name}
    assert len(pools) == 2 and all("h" in axes["h"] for axes in pools.values()), pools


def test_networks():
    """Of several layers, on parts of the samples besides."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.pool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)

        def construct(self, x, w, v):
            x = ops.relu(ops.conv2d(x, w, stride=1, pad_mode="same"))
            x = ops.clamp(self.pool(x), 0, 9)
            return ops.relu(ops.conv2d(x, v, stride=2, padding=1, pad_mode="pad"))

    args = whole_numbers(2, 2, 16, 16), whole_numbers(3, 2, 3, 3), whole_numbers(2, 3, 3, 3)
    images = Sharding((("w",), (), ("h",), ()))
    graph, shardings = divided(Net(), args, [images, Sharding.whole(4), Sharding.whole(4)])
    kinds = [n.fn.name for n in partition(graph, shardings, 0) if hasattr(n.fn, "name")]
    assert kinds.count("all_gather") == 2  # of the gradient of the images, which is returned
    assert (
        kinds.count("exchange") == 9
    )  # three for each convolution, and one for each operand of pooling


def test_what_is_refused():
    """In one line: a size that does not divide, and windows that may lie outside of the image."""
    for size, kernel, pad in ((9, 3, 1), (8, 1, 4)):
        op = ops.Conv2D(2, kernel, pad_mode="pad", pad=pad).shard(((1, 1, 2, 1), (1, 1, 1, 1)))
        x, w = whole_numbers(1, 2, size, 8), whole_numbers(2, 2, kernel, kernel)
        with pytest.raises(ValueError, match=r"shard: dimension 2 of .* is to be divided in 2"):
            propagate(graph_of(lambda x, w, op=op: op(x, w), (x, w)), Mesh(("a",), (2,)), {})


def test_of_a_strategy():
    op = ops.Conv2D(2, 3, pad_mode="pad", pad=1).shard(((1, 1, 4, 2), (1, 1, 1, 1)))
    x, w = whole_numbers(1, 2, 8, 8), whole_numbers(2, 2, 3, 3)
    graph = graph_of(lambda x, w: op(x, w), (x, w))
    shardings = propagate(graph, MESH, {})
    assert next(shardings.of(n) for n in graph if n.fn is P.conv2d) == space()
    for one in run(graph, shardings, [x, w])[0][0]:
        np.testing.assert_array_equal(one.asnumpy(), op(x, w).asnumpy())
