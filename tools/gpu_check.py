"""Everything that can be checked of minds on a real NVIDIA GPU, in one go:

    python tools/gpu_check.py [--out FOLDER] [--budget SECONDS] [--only PART ...] [--skip PART ...]

Parts run in this order, each in a process of its own and with a limit of its own; what fails stops nothing:
    build       minds for this Python, if it is not there
    steps       single steps (tools/gpu_steps.py): the driver, copies, kernels, programs, memory, speed
    nets        LeNet, ResNet, BERT, LSTM train with the CPU's losses, in both modes
    rows        each row of the table of ops, eager and compiled, and its gradient
    bench       benchmarks/suite beside torch, torch.compile and JAX, where they are installed
    kernels     tests/kernels: each kernel by itself against the CPU's
    device      the other tests of tests/sim: streams, memory, errors, language, recorded runs
    texts       what the tests ask the compiler for, by this machine's NVRTC: warnings, spills, registers
    sanitizer   some of it under compute-sanitizer, where that is installed: memory, races, barriers
Packages that this Python lacks come from a folder of wheels (--wheels); nothing is fetched.
FOLDER gets summary.txt, summary.json and log.txt, kept up to date, so that what is known is there when a
time limit ends it all. Parts that the budget has no time for are named. The exit code is 0 if all held.
`--simulated` runs the same on what stands in for a GPU (tests/sim/cuda), small: a check of this program.
The driver is the machine's, the libraries those of `pip install minds[cuda]` or of torch.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = ROOT / "build" / "native"
WORK = ROOT / "build" / "gpu_check"
"""For what is large, or of no interest."""
TESTS = ("-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "--device", "gpu")
STEP_LIMIT = 120
LIMITS = {
    "build": 540,
    "nets": 240,
    "rows": 300,
    "bench": 540,
    "kernels": 300,
    "device": 400,
    "texts": 300,
    "sanitizer": 300,
}
TOOLS = ("memcheck", "racecheck", "synccheck")
CASES = """
resnet50_bf16 bert_bf16 gpt mlp elementwise lstm resnet50 bert eager_mlp eager_adds lenet resnet18 loop
resnet50_inference
""".split()
"""Of the benchmark, the most telling first."""
MACHINE = """
import json, torch
p = torch.cuda.get_device_properties(0)
print(json.dumps([torch.__version__, torch.version.cuda, torch.backends.cudnn.version(), p.name]))
"""


class Check:
    """What has run, and what came of it; writes it down after each step."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given, self.begin, self.rows = given, time.monotonic(), []
        self.python = sys.executable  # that runs what is checked
        given.out.mkdir(parents=True, exist_ok=True)
        WORK.mkdir(parents=True, exist_ok=True)
        self.log = given.out / "log.txt"
        self.log.write_text("")

    def left(self) -> float:
        return self.given.budget - (time.monotonic() - self.begin)

    def note(self, name: str, result: str, seconds: float = 0.0, facts: dict | None = None) -> None:
        self.rows.append(
            {"name": name, "result": result, "seconds": round(seconds, 1), "facts": facts or {}}
        )
        print(f"{name:24} {seconds:6.1f} s  {result}", flush=True)
        (self.given.out / "summary.json").write_text(json.dumps(self.rows, indent=1) + "\n")
        (self.given.out / "summary.txt").write_text(self.summary())

    def summary(self) -> str:
        lines = []
        for row in self.rows:
            lines.append(f"{row['name']:24} {row['seconds']:6.1f} s  {row['result']}")
            for key, value in row["facts"].items():
                shown = f"{value:.5g}" if isinstance(value, float) else str(value)
                lines.append(f"    {key}: {shown[:600]}")
        return "\n".join(lines) + "\n"

    def environment(self) -> dict:
        path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONUNBUFFERED": "1"}
        kind = "simulated" if self.given.simulated else "real"
        env.setdefault("MINDS_PLUGINS", str(BUILT / "tests" / "sim"))
        env["MINDS_CUDA_CACHE"] = str(WORK / f"cache_{kind}")
        if self.given.simulated:
            env["MINDS_CUDA_LIBRARIES"] = str(BUILT / "tests" / "sim" / "cuda")
        else:
            env["MINDS_REAL_GPU"] = "1"
        return env

    def run(self, name: str, *words, limit: float, **env: str) -> str | None:
        """Runs a command and notes how it went. Returns what it printed; None if it failed."""
        limit = min(limit, self.left())
        if limit < 5:
            self.note(name, "did not run: no time is left")
            return None
        begin, words = time.monotonic(), [str(w) for w in words]
        with self.log.open("a") as log:
            log.write(f"\n==== {name}: {' '.join(words)}\n")
        output = WORK / "output.txt"
        with output.open("w") as file:
            process = subprocess.Popen(
                words,
                cwd=ROOT,
                stdout=file,
                stderr=subprocess.STDOUT,
                env={**self.environment(), **env},
                start_new_session=True,
            )
            try:
                code = process.wait(limit)
                how = "held" if code == 0 else f"FAILED (exit code {code})"
            except subprocess.TimeoutExpired:
                how = f"FAILED (stopped after {limit:.0f} s)"
            end(process)
        text = output.read_text(errors="replace")
        with self.log.open("a") as log:
            log.write(text[-400_000:])
        facts = last_json(text)
        if how != "held":
            facts["end"] = " | ".join([r for r in text.split("\n") if r.strip()][-3:])
        elif " passed" in text:
            facts["tests"] = text.strip().split("\n")[-1]
        self.note(name, how, time.monotonic() - begin, facts)
        return text if how == "held" else None

    def tests(self, name: str, *words, limit: float, **env: str) -> str | None:
        """Runs tests, on several processors where there are some."""
        many = min((os.cpu_count() or 1) // 2, 8)
        spread = ("-n", many) if many > 1 and importlib.util.find_spec("xdist") else ()
        whole = ("--whole",) if self.given.whole else ()
        return self.run(name, self.python, *TESTS, *spread, *whole, *words, limit=limit, **env)


def end(process: subprocess.Popen) -> None:
    """Ends a command and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def last_json(text: str) -> dict:
    """What a step found: the last line that is an object of JSON."""
    for line in reversed(text.split("\n")):
        if line.startswith("{"):
            try:
                return json.loads(line)
            except ValueError:
                continue
    return {}


def install(check: Check, wheels: pathlib.Path) -> None:
    """An environment that has this Python's packages and the wheels, for all that follows."""
    home = WORK / "venv"
    venv.create(home, clear=True, with_pip=False)
    python = home / "bin" / "python"
    [site] = home.glob("lib/python*/site-packages")
    paths = {sysconfig.get_path(kind) for kind in ("purelib", "platlib")}
    (site / "parent.pth").write_text("\n".join(sorted(paths)) + "\n")
    words = (sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-index")
    found = sorted(wheels.glob("*.whl"))
    check.run("packages", *words, "--no-deps", *found, limit=120)
    check.python = str(python)


def build(check: Check) -> None:
    there = subprocess.run(
        [check.python, "-c", "import minds"], cwd=ROOT, env=check.environment(), capture_output=True
    )
    if there.returncode == 0 and not check.given.build:
        return
    BUILT.mkdir(parents=True, exist_ok=True)
    words = ("-G", "Ninja", f"-DPython_EXECUTABLE={check.python}", "-DCMAKE_BUILD_TYPE=Release")
    words += ("-DMINDS_TESTS=ON", f"-DMINDS_OUTPUT={ROOT / 'minds'}")
    if check.run("build: configure", "cmake", "-S", ".", "-B", BUILT, *words, limit=120) is None:
        return
    words = ("cmake", "--build", BUILT, "--parallel", os.cpu_count() or 1, "--target")
    check.run("build: compile", *words, "_core", "minds_cuda", "minds_sim", limit=LIMITS["build"])


def steps(check: Check) -> None:
    listing = subprocess.run(
        [check.python, "tools/gpu_steps.py", "--list"],
        cwd=ROOT,
        env=check.environment(),
        capture_output=True,
        text=True,
    )
    if listing.returncode != 0:
        check.note("steps", f"FAILED: {listing.stderr.strip()[-600:]}")
        return
    small = ("--small",) if check.given.simulated else ()
    for name in listing.stdout.split():
        words = (check.python, "tools/gpu_steps.py", name, *small)
        check.run(f"steps: {name}", *words, limit=STEP_LIMIT)


def nets(check: Check) -> None:
    some = ("-k", "lstm") if check.given.simulated else ()
    check.tests("nets", "tests/sim/test_nets.py", *some, limit=LIMITS["nets"])


def rows(check: Check) -> None:
    some = ("-k", "softmax and float32") if check.given.simulated else ()
    check.tests("rows", "tests/sim/test_rows.py", *some, limit=LIMITS["rows"])


def bench(check: Check) -> None:
    if check.given.simulated:
        cases = ("--rounds", "2", "--bare", "loop")
    else:
        cases = ("--rounds", "5", *CASES)
    options = ("--device", "cuda", "--threads", min(os.cpu_count() or 1, 8), "--patience", 150)
    found = ("--json", check.given.out / "bench.json")
    words = (check.python, "benchmarks/suite/run.py", *options, *found)
    # JAX would take three quarters of the GPU's memory, which all are to share.
    share = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    check.run("bench", *words, *cases, limit=LIMITS["bench"], **share)


def kernels(check: Check) -> None:
    some = ("-k", "softmax") if check.given.simulated else ()
    check.tests("kernels", "tests/kernels", *some, limit=LIMITS["kernels"])


def device(check: Check) -> None:
    apart = ("test_nets.py", "test_rows.py", "test_apart.py", "cuda", "ascend")
    words = [w for a in apart for w in ("--ignore", f"tests/sim/{a}")]
    some = ("-k", "pickle") if check.given.simulated else ()
    check.tests("device", "tests/sim", *words, *some, limit=LIMITS["device"])


def texts(check: Check) -> None:
    """The texts come from the stand-in of NVRTC, which writes down what it is asked for."""
    stand_in = BUILT / "tests" / "sim" / "cuda"
    if not (stand_in / "libnvrtc.so.13").exists():
        check.note("texts", f"did not run: {stand_in} has not what writes them down")
        return
    record, script = WORK / "record", "tests/sim/cuda/compile_records.py"
    shutil.rmtree(record, ignore_errors=True)
    some = ("-k", "softmax") if check.given.simulated else ()
    env = {"MINDS_CUDA_RECORD": str(record), "MINDS_CUDA_LIBRARIES": str(stand_in)}
    words = ("tests/sim/test_rows.py::test_compiled", *some)
    if check.tests("texts: asked for", *words, limit=LIMITS["texts"], MINDS_REAL_GPU="", **env):
        table = ("--table", WORK / "kernels.txt")
        words = (check.python, script, record, *table)
        check.run("texts: compiled", *words, "--sample", limit=LIMITS["texts"])


def sanitizer(check: Check) -> None:
    program = shutil.which("compute-sanitizer")
    if program is None or check.given.simulated:
        check.note(
            "sanitizer", "did not run: compute-sanitizer is not installed, or nothing for it"
        )
        return
    for tool in TOOLS:
        words = (program, "--tool", tool, "--error-exitcode", "9", check.python)
        for name in ("ops_alone", "programs", "attention"):
            script = ("tools/gpu_steps.py", name, "--small")
            check.run(f"sanitizer: {tool}, {name}", *words, *script, limit=LIMITS["sanitizer"])


PARTS = {
    p.__name__: p for p in (build, steps, nets, rows, bench, kernels, device, texts, sanitizer)
}


def machine(check: Check) -> None:
    """What the machine is; nothing depends on it."""
    words = ("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader")
    if shutil.which(words[0]) and not check.given.simulated:
        check.run("machine: nvidia-smi", *words, limit=30)
    if importlib.util.find_spec("torch") and not check.given.simulated:
        check.run("machine: torch", check.python, "-c", MACHINE, limit=120)
    check.note(
        "machine",
        "held",
        0,
        {
            "python": sys.version.split()[0],
            "processors": os.cpu_count(),
            "date": time.strftime("%F"),
        },
    )


def main() -> int:
    out = pathlib.Path(os.environ.get("OUT") or ROOT / "build" / "gpu_check" / "out")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=pathlib.Path, default=out, help="default: $OUT, or in build/")
    parser.add_argument("--budget", type=float, default=3600, help="seconds for all of it")
    parser.add_argument("--only", nargs="+", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--skip", nargs="+", default=[], choices=list(PARTS))
    parser.add_argument("--whole", action="store_true", help="all cases of the sweeps")
    parser.add_argument("--build", action="store_true", help="build even if minds is there")
    parser.add_argument("--wheels", type=pathlib.Path, help="a folder of wheels to install first")
    parser.add_argument("--simulated", action="store_true", help="on what stands in for a GPU")
    check = Check(parser.parse_args())
    if check.given.wheels:
        install(check, check.given.wheels)
    machine(check)
    for name, part in PARTS.items():
        if name in check.given.only and name not in check.given.skip:
            part(check)
    failed = [row["name"] for row in check.rows if row["result"].startswith("FAILED")]
    print("failed: " + ", ".join(failed) if failed else "all that ran held")
    print(f"{check.given.out}: summary.txt, summary.json, log.txt")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
