"""Optimisers keep what MindSpore 2.10 keeps, under its names and in its order, so that checkpoints of
training steps go both ways (recorded by optimizer_states.py).
"""

import json
import pathlib

import optimizer_states as cases
import pytest

import minds as ms

WANT = json.loads((pathlib.Path(__file__).parent / "optimizer_states.json").read_text())
# MindSpore keeps these beside the cell's parameters, so that they are lost in its checkpoints; not here.
BESIDE = {"later.ASGD": ("mu_", "eta_"), "later.NAdam": ("mu_product_",)}


@pytest.mark.parametrize("case", WANT)
def test_states(case):
    found, want = cases.states(ms, case), WANT[case]
    beside = BESIDE.get(case.split()[0])
    if beside is not None:
        found["optimizer"] = [r for r in found["optimizer"] if not r[1].startswith(beside)]
    assert found == want
