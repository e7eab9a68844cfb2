"""Tests on a device with memory of its own: `--device` names it, by default `sim`. Each holds the
device against the CPU.
"""

import pytest


@pytest.fixture(scope="session")
def device(request) -> str:
    """The device to test, which is there: a test that finds none fails."""
    from minds.base import devices

    name = request.config.getoption("device") or "sim"
    assert devices.find(name)
    return name
