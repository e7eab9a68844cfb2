"""The zoo's networks answer as torchvision's do, from the same weights under torchvision's names."""

import json

import numpy as np
from torchvision_logits import PATH, QUICK, SETTINGS, image, kept, value

import minds as ms
from minds import Tensor, models
from minds.common.initializer import Initializer
from minds.compat import torch as compat

with open(PATH) as f:
    WANTED = json.load(f)


def pytest_generate_tests(metafunc):
    if "name" in metafunc.fixturenames:
        whole = metafunc.config.getoption("whole")
        metafunc.parametrize("name", WANTED if whole else QUICK)


def test_logits(name, monkeypatch):
    monkeypatch.setattr(Initializer, "__call__", lambda self, arr: None)
    net = models.create(name, **SETTINGS.get(name, {})).set_train(False)
    weights = {n: value(n, p.shape) for n, p in compat.names(net).items()}
    compat.load_state_dict(net, weights)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    found = kept(net(Tensor(image(name))).asnumpy())
    size = WANTED[name][-1]
    assert 0.01 < size < 1000  # an answer that tells weights apart
    np.testing.assert_allclose(found, WANTED[name], rtol=1e-3, atol=1e-4 * size)
