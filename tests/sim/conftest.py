"""Tests on a device with memory of its own: `--device` names it, by default `sim`. Each holds the
device against the CPU.
"""

import os
import sys

import pytest

from minds.base import devices

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cuda"))


@pytest.fixture(scope="session")
def device(request) -> str:
    """The device to test, as users name it; a test that finds none fails."""
    name = request.config.getoption("device")
    name = "sim" if name == "cpu" else name
    assert devices.find(name)
    return devices.target(name)
