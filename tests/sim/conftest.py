"""Tests on a device with memory of its own: `--device` names it, by default `sim`. Each holds the
device against the CPU.
"""

import pytest

from minds.base import devices


@pytest.fixture(scope="session")
def device(request) -> str:
    """The device to test, which is there: a test that finds none fails."""
    name = request.config.getoption("device")
    name = "sim" if name == "cpu" else name
    assert devices.find(name)
    return name
