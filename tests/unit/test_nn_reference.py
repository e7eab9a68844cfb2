"""`minds.nn` against numbers recorded from MindSpore 2.10 (see `nn_cases` and `record_nn`), eagerly
and compiled.
"""

from __future__ import annotations

import json
import os
import sys

import numpy as np
import pytest

import minds as ms

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import nn_tables
from nn_cases import CASES

with open(os.path.join(HERE, "nn_reference.json")) as _f:
    REFERENCE = json.load(_f)


_eager: dict[str, list] = {}


def _arrays(name: str) -> list:
    return CASES[name](ms)


@pytest.mark.parametrize("name", CASES)
def test_as_recorded(name):
    """Eager numbers are MindSpore's to float32 accuracy; a case without a reference runs and is
    finite.
    """
    ms.set_context(mode=ms.PYNATIVE_MODE)
    found = _eager[name] = _arrays(name)
    if name not in REFERENCE:
        assert all(np.isfinite(a).all() for a in found)
        return
    wanted = REFERENCE[name]
    assert [list(a.shape) for a in found] == [w["shape"] for w in wanted]
    for i, (a, w) in enumerate(zip(found, wanted)):
        np.testing.assert_allclose(
            a, np.reshape(w["values"], w["shape"]), rtol=2e-4, atol=2e-5, err_msg=f"array {i}"
        )


@pytest.mark.parametrize("name", [n for n in CASES if n != "dynamic_learning_rates"])
def test_graph_as_eager(name):
    """Compiled and eager numbers are equal bit for bit."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    eager = _eager.get(name) or _arrays(name)
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        found = _arrays(name)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert len(found) == len(eager)
    for i, (a, b) in enumerate(zip(found, eager)):
        np.testing.assert_array_equal(a, b, err_msg=f"array {i}")
