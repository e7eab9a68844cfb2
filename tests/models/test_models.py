"""The zoo: each constructor's parameters, its result's shape, and three steps of training.

By default every other family trains a small network, and the rest show the shape of a result; ``--whole``
trains all families and makes every constructor as it is.
"""

from __future__ import annotations

import glob
import importlib
import os
import subprocess
import sys

import numpy as np
import pytest
from table import Row, WithLoss, shapes

import minds as ms
from minds import models, nn
from minds.common.initializer import Initializer

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = sorted(glob.glob(os.path.join(HERE, "rows_*.py")))
ROWS: list[Row] = [
    row
    for path in TABLES
    for row in importlib.import_module(os.path.basename(path).removesuffix(".py")).ROWS
]


FAMILIES = [row for row in ROWS if row.small]
QUICK = [row for row in ROWS if row.small or row.parameters < 10_000_000]


def pytest_generate_tests(metafunc):
    """``trained`` is of one half of the families, ``shown`` of the other, ``counted`` whatever is small;
    with ``--whole`` all families train, and the others are all rows.
    """
    whole = metafunc.config.getoption("whole")
    counted, trained, shown = QUICK, FAMILIES[::2], FAMILIES[1::2]
    if whole:
        counted, trained, shown = ROWS, FAMILIES, ROWS
    for name, rows in (("counted", counted), ("trained", trained), ("shown", shown)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, [pytest.param(row, id=row.name) for row in rows])


def test_every_constructor_has_a_row():
    assert sorted(row.name for row in ROWS) == models.list()


def test_parameters(counted, monkeypatch):
    monkeypatch.setattr(Initializer, "__call__", lambda self, arr: None)  # it is their number
    net = models.create(counted.name)
    assert sum(p.size for p in net.trainable_params()) == counted.parameters, counted.source


def test_forward(shown, monkeypatch):
    monkeypatch.setattr(Initializer, "__call__", lambda self, arr: arr.fill(1e-3))
    net = models.create(shown.name).set_train(False)
    assert shapes(net(*shown.inputs(np.random.RandomState(0)))) == shown.out


def losses_and_weights(row: Row, mode: int) -> tuple[list[float], list[np.ndarray]]:
    """Of three steps, and after them."""
    ms.set_context(mode=mode)
    ms.set_seed(3)
    small = row.small
    net = models.create(row.name, **small.settings)
    inputs, targets = small.batch(np.random.RandomState(5))
    opt = nn.Adam(net.trainable_params(), small.rate)
    step = nn.TrainOneStepCell(WithLoss(net, small.loss, len(inputs)), opt).set_train()
    losses = [float(step(*inputs, *targets)) for _ in range(4)]
    return losses, [p.asnumpy().copy() for p in net.get_parameters()]


def test_training(trained):
    eager, weights = losses_and_weights(trained, ms.PYNATIVE_MODE)
    compiled, after = losses_and_weights(trained, ms.GRAPH_MODE)
    assert compiled == eager and all(map(np.array_equal, weights, after))
    assert all(a > b for a, b in zip(eager, eager[1:])), eager


def test_names():
    assert models.list("lenet*") == ["lenet5"]
    assert models.lenet5.__name__ == "lenet5" and "lenet5" in dir(models)
    with pytest.raises(ValueError, match="there is no network 'lenet6'"):
        models.create("lenet6")
    with pytest.raises(TypeError, match="name has type int"):
        models.create(5)
    assert not hasattr(models, "lenet6")
    with pytest.raises(TypeError, match="depth"):
        models.create("lenet5", depth=3)


def test_importing_minds_imports_no_network():
    code = "import sys, minds; assert not [m for m in sys.modules if m.startswith('minds.models')]"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
