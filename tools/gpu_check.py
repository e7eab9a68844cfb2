"""Everything that can be checked of minds on a real NVIDIA GPU, in one go, for a machine that has one:

    python tools/gpu_check.py [--out FOLDER] [--whole] [--skip PART ...]

Parts, each with a limit of time and a log of its own in FOLDER:
    texts       every kernel that the tests ask for compiles by this machine's NVRTC, without warnings or
                spills
    device      tests/sim and tests/kernels on the GPU against the CPU: ops, gradients, networks, streams
    sanitizer   some of them under compute-sanitizer, where that is installed: memory, races, barriers
    bench       benchmarks/suite on the GPU, with torch and torch.compile where they are installed
The last line says what held; the exit code is 0 if all that ran did. The driver is the machine's, the
libraries those of the wheels that `pip install minds[cuda]` brings.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SANITIZED = (
    "tests/sim/test_rows.py::test_eager",
    "-k",
    "float32 and (sum or softmax or sort or gather)",
)
TOOLS = ("memcheck", "racecheck", "synccheck")
LIMITS = {"texts": 300, "device": 420, "sanitizer": 420, "bench": 480}


class Part:
    """A part of the check: commands, run until one fails, into one log."""

    def __init__(self, name: str, out: pathlib.Path) -> None:
        self.name, self.log, self.result = name, out / f"{name}.txt", "held"
        self.begin = time.monotonic()
        self.log.write_text("")

    def run(self, *words: str, **env: str) -> bool:
        """Runs a command; False, and the part has failed, if it fails or takes too long."""
        left = LIMITS[self.name] - (time.monotonic() - self.begin)
        with self.log.open("a") as log:
            log.write(f"$ {' '.join(words)}\n")
            log.flush()
            try:
                code = subprocess.run(
                    words,
                    cwd=ROOT,
                    stdout=log,
                    stderr=log,
                    timeout=max(left, 1),
                    env={**os.environ, "PYTHONPATH": str(ROOT), **env},
                ).returncode
            except subprocess.TimeoutExpired:
                code = "the limit of time"
        if code != 0:
            self.result = f"FAILED ({code})"
        return code == 0

    def skip(self, why: str) -> None:
        self.result = f"did not run: {why}"


def check_texts(part: Part, out: pathlib.Path, whole: bool) -> None:
    record, script = out / "record", "tests/sim/cuda/compile_records.py"
    built = ROOT / "build" / "native" / "tests" / "sim" / "cuda"
    if not (built / "libcuda.so.1").exists():
        part.skip(f"{built} has not what records the texts (make native)")
        return
    env = {"MINDS_CUDA_RECORD": str(record)}
    words = ("-m", "pytest", "-q", "tests/sim/test_rows.py::test_compiled", "--device", "gpu")
    if part.run(sys.executable, *words, **env):
        table = ("--table", str(out / "kernels.txt"))
        part.run(sys.executable, script, str(record), *table, *([] if whole else ["--sample"]))


def check_device(part: Part, out: pathlib.Path, whole: bool) -> None:
    words = ["-m", "pytest", "-q", "--tb=short", "tests/sim", "tests/kernels", "--device", "gpu"]
    words += ["--ignore", "tests/sim/cuda", *(["--whole"] if whole else [])]
    part.run(sys.executable, *words, MINDS_REAL_GPU="1")


def check_sanitizer(part: Part, out: pathlib.Path, whole: bool) -> None:
    program = shutil.which("compute-sanitizer")
    if program is None:
        part.skip("compute-sanitizer is not installed")
        return
    for tool in TOOLS:
        words = (program, "--tool", tool, "--error-exitcode", "9", sys.executable, "-m", "pytest")
        part.run(*words, "-q", *SANITIZED, "--device", "gpu", MINDS_REAL_GPU="1")


def check_bench(part: Part, out: pathlib.Path, whole: bool) -> None:
    part.run(
        sys.executable, "benchmarks/suite/run.py", "--device", "cuda", "--peer", sys.executable
    )


PARTS = {
    "texts": check_texts,
    "device": check_device,
    "sanitizer": check_sanitizer,
    "bench": check_bench,
}


def machine() -> str:
    """The GPU, the driver, the libraries' versions; exits where there is no GPU for minds."""
    code = (
        "import minds as ms\n"
        "assert (ms.Tensor([1.0, 2.0]).to('GPU') * 2).asnumpy().tolist() == [2, 4]\n"
        "print(ms.hal.get_device_properties(0, 'GPU'))\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=env
    )
    if done.returncode != 0:
        sys.exit(f"minds does not run on a GPU here:\n{done.stderr}")
    return done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "gpu_check")
    parser.add_argument("--whole", action="store_true", help="all cases of the sweeps")
    parser.add_argument("--skip", nargs="*", default=[], choices=list(PARTS))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    summary = [time.strftime("%Y-%m-%d"), machine().strip()]
    print("\n".join(summary), flush=True)
    failed = False
    for name, check in PARTS.items():
        if name in given.skip:
            continue
        part = Part(name, given.out)
        check(part, given.out, given.whole)
        seconds = time.monotonic() - part.begin
        failed |= part.result.startswith("FAILED")
        summary.append(f"{name:10} {part.result:24} {seconds:6.0f} s   {part.log}")
        print(summary[-1], flush=True)
    (given.out / "summary.txt").write_text("\n".join(summary) + "\n")
    print("something failed" if failed else "all that ran held")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
