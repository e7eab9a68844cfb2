"""Layers take NumPy's numbers for Python's, as rates that `numpy.linspace` gives: the results are equal."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, mint, nn

X = Tensor(np.random.RandomState(0).rand(2, 4, 6, 6).astype(np.float32))
SEQUENCE = Tensor(np.random.RandomState(1).rand(3, 2, 4).astype(np.float32))
HALF, TINY = np.float64(0.5), np.linspace(0, 2e-3, 3)[1]
TWO, ONE = np.int64(2), np.int32(1)
CASES = {
    "Dropout": (lambda n: nn.Dropout(p=n(HALF)), X),
    "Dropout of keep_prob": (lambda n: nn.Dropout(keep_prob=n(HALF)), X),
    "Dropout2d": (lambda n: nn.Dropout2d(n(HALF)), X),
    "LayerNorm": (lambda n: nn.LayerNorm((6,), epsilon=n(TINY)), X),
    "BatchNorm2d": (lambda n: nn.BatchNorm2d(4, eps=n(TINY), momentum=n(HALF)), X),
    "GroupNorm": (lambda n: nn.GroupNorm(2, 4, eps=n(TINY)), X),
    "InstanceNorm2d": (lambda n: nn.InstanceNorm2d(4, eps=n(TINY)), X),
    "Softmax": (lambda n: nn.Softmax(n(ONE)), X),
    "ZeroPad2d": (lambda n: nn.ZeroPad2d((n(TWO),) * 4), X),
    "ConstantPad2d": (lambda n: nn.ConstantPad2d(1, n(HALF)), X),
    "AdaptiveAvgPool2d": (lambda n: nn.AdaptiveAvgPool2d(n(TWO)), X),
    "mint.nn.LayerNorm": (lambda n: mint.nn.LayerNorm((6,), eps=n(TINY)), X),
    "TransformerEncoderLayer": (
        lambda n: nn.TransformerEncoderLayer(4, 2, 8, dropout=n(HALF), layer_norm_eps=n(TINY)),
        SEQUENCE,
    ),
}


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("name", CASES)
def test_equals_the_layer_of_python_numbers(name, mode):
    ms.set_context(mode=mode)
    make, x = CASES[name]
    found = []
    for number in (lambda v: v, lambda v: v.item()):
        ms.set_seed(3)
        found.append(make(number).set_train()(x).asnumpy())
    np.testing.assert_array_equal(*found)
