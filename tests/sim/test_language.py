"""The small programs of tests/lang on the simulated device: the bits and the errors of the CPU."""

from __future__ import annotations

import pytest
import simulator
import test_programs as language

import minds as ms

pytestmark = pytest.mark.usefixtures("device")
PARTS = 16


@pytest.mark.parametrize("seed", range(PARTS))
def test_programs_of_the_language(seed):
    """A part of them each, so that a quarter is what a sample takes."""
    for name in sorted(language.PROGRAMS)[seed::PARTS]:
        simulator.assert_same(language.PROGRAMS[name], language.X, ms.mutable(3))
