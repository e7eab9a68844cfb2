"""Programs notice when the plug-in forgets a call: what stands in for CANN leaves it out
(MINDS_ASCEND_FORGET), and what the program computes is wrong, or an error. So a plug-in that forgot it
would be seen.
"""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np
import minds as ms
from minds import Tensor, ops
ms.set_context(device_target="Ascend")
wanted = np.arange(1 << 16, dtype=np.float32)
for turn in range(4):
    x = Tensor(wanted + turn)
    y = x * 2 + 1
    with ms.hal.StreamCtx(ms.hal.Stream()):
        z = Tensor(wanted) + 3
        event = ms.hal.Event()
        event.record()
    event.wait()
    w = y + z
    np.testing.assert_array_equal(w.asnumpy(), (wanted + turn) * 2 + 1 + wanted + 3)
    np.testing.assert_array_equal(y.asnumpy(), (wanted + turn) * 2 + 1)
print("nobody noticed")
"""
CALLS = ("aclrtSynchronizeStream", "aclrtStreamWaitEvent", "aclrtRecordEvent", "aclrtMemcpyAsync")


def run(forgotten: str) -> subprocess.CompletedProcess:
    built = os.path.join(os.environ["MINDS_PLUGINS"].split(":")[0], "ascend")
    env = {
        **os.environ,
        "MINDS_ASCEND_LIBRARIES": built,
        "MINDS_ASCEND_FORGET": forgotten,
        "MINDS_SIM_DELAY": "4000",
    }
    return subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=env)


def test_nothing_is_forgotten():
    done = run("")
    assert done.stdout == "nobody noticed\n" and done.stderr == ""


@pytest.mark.parametrize("call", CALLS)
def test_somebody_notices(call):
    done = run(call)
    assert done.returncode != 0 and "nobody noticed" not in done.stdout
