"""What the networks for images' classes do besides a forward."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, models
from minds.common.initializer import Initializer
from minds.models.parts.vision import DropPath


@pytest.mark.parametrize(
    "name, size, trained, heads",
    [("googlenet", 32, 13_004_888, 3), ("inception_v3", 75, 27_161_264, 2)],
)
def test_heads_in_the_middle(name, size, trained, heads, monkeypatch):
    monkeypatch.setattr(Initializer, "__call__", lambda self, arr: arr.fill(1e-3))
    net = models.create(name, aux_logits=True)
    assert sum(p.size for p in net.trainable_params()) == trained  # torchvision's
    x = ms.ops.ones((2, 3, size, size))
    if name == "googlenet":
        assert [y.shape for y in net.set_train()(x)] == [(2, 1000)] * heads
    assert net.set_train(False)(x).shape == (2, 1000)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_paths_that_are_dropped(mode):
    """Whole examples are, and the mean stays."""
    ms.set_context(mode=mode)
    ms.set_seed(1)
    cell, x = DropPath(0.25), Tensor(np.ones((4000, 2, 3), np.float32))
    y = cell.set_train()(x).asnumpy()
    rows = y.reshape(4000, -1)
    assert (rows == rows[:, :1]).all() and set(np.unique(rows[:, 0])) == {0, np.float32(4 / 3)}
    assert abs(y.mean() - 1) < 0.03
    np.testing.assert_array_equal(cell.set_train(False)(x).asnumpy(), x.asnumpy())


def test_images_whose_size_no_window_divides():
    """A Swin transformer fills them up; the mask's places are then still those of the image."""
    net = models.swin_t(num_classes=3, width=8, layers=(2,), heads=(2,), window=3).set_train(False)
    for size in (20, 23, 8):
        x = Tensor(np.random.RandomState(0).randn(1, 3, size, size).astype(np.float32))
        assert np.isfinite(net(x).asnumpy()).all()
