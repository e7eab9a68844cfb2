"""Small networks train on the device with the CPU's losses, bit for bit, in both modes."""

import pytest
from placed import MODES, assert_same
from small_nets import NETS, trained


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NETS)
def test_trains_as_on_the_cpu(name, mode, device):
    assert_same(lambda: trained(name), device, MODES[mode])
