"""What a layer reads when it is called may change between calls: compiled, it computes with what stands
there at the call, as in eager mode.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, mint, nn

X = Tensor((np.random.default_rng(0).standard_normal((4, 4, 6, 6)) * 2).astype(np.float32))
LAYERS = {
    "Conv2d": (4, 3, 3),
    "GroupNorm": (2, 4),
    "LayerNorm": ((6,),),
    "BatchNorm2d": (4,),
    "Flatten": (),
    "MaxPool2d": (2,),
    "ConstantPad2d": (1, 1.5),
    "LeakyReLU": (),
    "Softplus": (),
    "Hardshrink": (),
}


def other(value):
    """Another value of the same type; None where there is none to be tried."""
    if isinstance(value, bool):
        return not value
    return value * 0.5 + 0.07 if isinstance(value, float) else None


@pytest.mark.parametrize("namespace", [nn, mint.nn], ids=["nn", "mint.nn"])
def test_settings_are_read_at_the_call(namespace):
    tried = 0
    for name, args in LAYERS.items():
        kind = getattr(namespace, name, None)
        if kind is None:
            continue
        layer = kind(*args)
        layer.set_train(False)
        for setting, before in list(vars(layer).items()):
            if setting.startswith("_") or setting == "training" or other(before) is None:
                continue
            results = []
            for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
                ms.set_context(mode=mode)
                setattr(layer, setting, before)
                layer(X)
                setattr(layer, setting, other(before))
                out = layer(X)
                results.append((out[0] if isinstance(out, tuple) else out).asnumpy())
            np.testing.assert_array_equal(*results, err_msg=f"{name}.{setting}")
            setattr(layer, setting, before)
            tried += 1
    assert tried >= 10


def test_numbers_that_shape_the_result():
    layer = mint.nn.Flatten()
    ms.set_context(mode=ms.GRAPH_MODE)
    assert layer(X).shape == (4, 144)
    layer.start_dim = 2
    assert layer(X).shape == (4, 4, 36)
