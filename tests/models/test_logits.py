"""Networks of the zoo answer as the reference implementations do, from the same weights."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from shared import CASES, told, value

import minds as ms
from minds import Tensor, models

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "logits.json")) as f:
    WANTED = json.load(f)


def filled(name: str, settings: dict):
    """A network with the shared weights, for inference."""
    net = models.create(name, **settings)
    shapes = [
        p for p in net.get_parameters() if not p.name.endswith(("moving_mean", "moving_variance"))
    ]
    for i, p in enumerate(shapes):
        norm = p.ndim == 1 and p.name.endswith(("gamma", "weight"))
        p.set_data(Tensor(value(i, p.shape, norm)))
    return net.set_train(False)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
@pytest.mark.parametrize("name", CASES)
def test_logits(name, mode, request):
    case = CASES[name]
    if case.whole and not request.config.getoption("whole"):
        pytest.skip("networks of full size: --whole")
    ms.set_context(mode=mode)
    out = case.call(filled(case.name, case.settings), *map(Tensor, case.inputs()))
    found = told([a.asnumpy() for a in out])
    for a, b in zip(found, WANTED[name], strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5 * b[-1] * 10)
