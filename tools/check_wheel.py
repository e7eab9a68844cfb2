"""Checks a wheel as a user would meet it: its size, its contents, and that a fresh environment can
use it.

Run with the path of the wheel. The environment is temporary, and the checkout is not on its path.
"""

import os
import subprocess
import sys
import tempfile
import venv
import zipfile

LIMIT = 30e6
PROGRAM = """
import time
start = time.perf_counter()
import minds
seconds = time.perf_counter() - start
import numpy as np
from minds import _core
a = _core.Array.from_numpy(np.arange(6, dtype=np.float32))
spec = (a.shape, a.dtype)
total = _core.Kernel("add", "cpu", [spec, spec], [spec], {})(a, a).numpy()
assert (total == 2 * np.arange(6)).all()
print(f"import minds: {seconds:.3f} s, {_core.cpu_features()}, from {minds.__file__}")
"""


def check_contents(path: str) -> None:
    """One library of oneDNN with its licences, the plug-ins, no sources, no more than the allowed sizes."""
    files = zipfile.ZipFile(path).infolist()
    names = [f.filename for f in files]
    size = os.path.getsize(path)
    print(f"{os.path.basename(path)}: {size / 1e6:.1f} MB, {len(names)} files")
    assert size < LIMIT, f"the wheel has {size / 1e6:.1f} MB, more than {LIMIT / 1e6:.0f}"
    assert [n for n in names if "libdnnl" in n] == ["minds/lib/libdnnl.so.3"], "one copy of oneDNN"
    assert {"LICENSE", "THIRD-PARTY-PROGRAMS", "NOTICE"} <= {
        n.rsplit("/", 1)[1] for n in names if n.startswith("minds/lib/licenses/")
    }, "oneDNN's licences"
    assert sum(n.startswith("minds/_core.") and n.endswith(".so") for n in names) == 1, (
        "one native module"
    )
    plugins = {f.filename: f.file_size for f in files if "/libminds_" in f.filename}
    assert sorted(plugins) == [f"minds/lib/libminds_{n}.so" for n in ("ascend", "cuda")], (
        f"the plug-ins: {plugins}"
    )
    assert max(plugins.values()) < 2e6, f"a plug-in has more than 2 MB: {plugins}"
    strangers = {n.split("/")[0] for n in names} - {"minds"}
    assert all(s.endswith(".dist-info") for s in strangers), f"unexpected files: {strangers}"


def main(path: str) -> None:
    check_contents(path)
    with tempfile.TemporaryDirectory() as home:
        venv.create(home, with_pip=True)
        python = os.path.join(home, "bin", "python")
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_PRELOAD")}

        def run(*words, **more):
            subprocess.run([python, *words], check=True, cwd=home, env=environment | more)

        run("-m", "pip", "install", "-q", os.path.abspath(path))
        run("-c", PROGRAM)  # compiles the bytecode
        run("-c", PROGRAM)
        run("-c", PROGRAM, MINDS_ISA="generic")


if __name__ == "__main__":
    main(sys.argv[1])
