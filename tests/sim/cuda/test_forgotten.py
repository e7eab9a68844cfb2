"""Programs notice when the plug-in forgets a call: the simulated driver leaves it out (MINDS_CUDA_FORGET),
and what the program computes is wrong, or an error, or its end. So the simulator would see a plug-in that
forgot it.
"""

import os
import subprocess
import sys

import pytest
import texts

PROGRAM = """
import numpy as np
import minds as ms
from minds import Tensor, ops
ms.set_context(device_target="GPU")
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
CALLS = (
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
    "cuEventRecord",
    "cuMemcpyHtoDAsync",
    "cuMemFreeAsync",
)
LOST = """
import numpy as np
import minds as ms
ms.set_context(device_target="GPU")
x = ms.Tensor(np.arange(1000, dtype=np.float32))
for run in (lambda x: x * 2 + 1, ms.jit(lambda x: ms.ops.sin(x) + 1), lambda x: x.sum().item()):
    try:
        str(run(x))
    except Exception as e:
        print(type(e).__name__, e)
print("still here")
"""


def run(forgotten: str, program: str = PROGRAM) -> subprocess.CompletedProcess:
    env = {
        **os.environ,
        "MINDS_CUDA_LIBRARIES": texts.BUILT,
        "MINDS_CUDA_FORGET": forgotten,
        "MINDS_SIM_DELAY": "4000",
        "MINDS_SIM_MEMORY": str(3 << 20),  # so that what is never freed is missed
    }
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env)


def test_nothing_is_forgotten():
    done = run("")
    assert done.stdout == "nobody noticed\n", done.stderr


@pytest.mark.parametrize("call", CALLS)
def test_somebody_notices(call):
    done = run(call)
    assert done.returncode != 0 and "nobody noticed" not in done.stdout


def test_what_is_never_copied_back_is_no_crash():
    """Numbers of the device that are none are not followed."""
    done = run("cuMemcpyDtoHAsync", LOST)
    assert done.returncode == 0 and done.stdout.endswith("still here\n"), done.stdout + done.stderr
