"""The plug-in finds and calls the real NVRTC, where that is installed, beside the simulated driver, which
cannot load what it makes.
"""

import glob
import os
import subprocess
import sys

import compile_records
import pytest
import texts

PROGRAM = """
import minds as ms
print((ms.Tensor([1.0]).to("GPU") + 1).asnumpy())
"""


def test_the_plugin_compiles_by_the_real_compiler(tmp_path):
    if not compile_records.library():
        pytest.skip("NVRTC is not installed (pip install --group cuda-dev)")
    driver = [
        os.path.join(texts.BUILT, f) for f in ("libcuda.so.1", "cuda_device", "libcuda_on_cpu.so")
    ]
    compiler = glob.glob(os.path.join(os.path.dirname(compile_records.library()), "libnvrtc*"))
    for path in driver + compiler:
        os.symlink(os.path.realpath(path), tmp_path / os.path.basename(path))
    env = {**os.environ, "MINDS_CUDA_LIBRARIES": str(tmp_path), "MINDS_CUDA_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=env)
    assert "add: cuModuleLoadData: device kernel image is invalid" in done.stderr, done.stderr
