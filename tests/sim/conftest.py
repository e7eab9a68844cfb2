"""Tests on a device with memory of its own: `--device` names it, by default `sim`. Each holds the
device against the CPU.
"""

import os
import sys

import pytest

from minds.base import devices

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cuda"))

# What stands in for a vendor's libraries is found by the rest of a process too, once it is loaded.
collect_ignore = [] if os.environ.get("MINDS_APART") else ["ascend", "cuda/test_driver.py"]


@pytest.fixture(scope="session")
def device(request) -> str:
    """The device to test, as users name it; a test that finds none fails."""
    name = request.config.getoption("device")
    name = "sim" if name == "cpu" else name
    assert devices.find(name)
    return devices.target(name)
