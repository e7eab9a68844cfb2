"""Makes the helper modules beside the tests importable (test files themselves may share names:
importlib mode), and samples the sweeps.
"""

import collections
import functools
import gc
import importlib
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable

import pytest

import minds as ms
from minds.base.devices import backend_of, target

HERE = os.path.dirname(os.path.abspath(__file__))
# Plug-ins that only the tests use lie where they were built.
os.environ.setdefault(
    "MINDS_PLUGINS", os.path.join(os.path.dirname(HERE), "build", "native", "tests", "sim")
)
sys.path[:0] = [HERE] + sorted(
    e.path for e in os.scandir(HERE) if e.is_dir() and not e.name.startswith("__")
)
devices = importlib.import_module("devices")

NATIVE = (
    "errors/test_bad_input.py",
    "kernels",
    "lang/test_views.py",
    "parallel/test_processes.py",
    "unit/test_core.py",
    "unit/test_derivatives.py",
    "unit/test_eager.py",
    "unit/test_hostile_programs.py",
    "unit/test_latest.py",
    "unit/test_random_programs.py",
    "unit/test_repeated.py",
    "unit/test_runtime.py",
    "unit/test_sinking.py",
    "unit/test_vision.py",
)
"""What drives the native core hard: run once more under AddressSanitizer and
UndefinedBehaviorSanitizer.
"""

SWEEPS = (
    "kernels",
    "lang/test_batched_programs.py",
    "lang/test_captures.py",
    "lang/test_derivative_matrix.py",
    "lang/test_random_programs.py",
    "lang/test_random_writes.py",
    "lang/test_views.py",
    "ops/test_batching.py",
    "ops/test_example_gradients.py",
    "ops/test_forms.py",
    "ops/test_rows.py",
    "passes/test_random.py",
    "sim/ascend/test_rows.py",
    "sim/test_constructs.py",
    "sim/test_language.py",
    "sim/test_rows.py",
    "unit/test_random_programs.py",
)
"""Tests with many cases, the products of shapes, dtypes, modes, transforms and seeds."""
THIN = {
    "ops/test_forms.py": 96,
    "lang/test_random_programs.py": 24,
    "lang/test_batched_programs.py": 24,
    "lang/test_random_writes.py": 120,
}
"""Of those of which a sample has less than a twelfth, one in how many it has."""


def pytest_addoption(parser) -> None:
    parser.addoption(
        "--whole",
        action="store_true",
        default=os.environ.get("MINDS_WHOLE", "0") not in ("", "0"),
        help="run all cases of the sweeps instead of a sample (or MINDS_WHOLE=1)",
    )
    parser.addoption(
        "--device",
        default="cpu",
        metavar="NAME",
        help="the device of tests that can run on another one and compare it with the CPU bit for bit",
    )


def pytest_configure(config) -> None:
    devices.NAME = backend_of(config.getoption("device"))
    if devices.NAME == "cuda" and not os.environ.get("MINDS_REAL_GPU"):
        config.add_cleanup(simulate_cuda())
    if devices.NAME == "ascend":
        built = os.path.join(os.environ["MINDS_PLUGINS"].split(":")[0], "ascend")
        os.environ.setdefault("MINDS_ASCEND_LIBRARIES", built)


def simulate_cuda() -> Callable:
    """What stands in for NVIDIA's libraries is found instead of them, and each text that is compiled is
    recorded, for the real compiler (tests/sim/cuda/compile_records.py). Returns what cleans up.
    """
    built = os.path.join(os.environ["MINDS_PLUGINS"].split(":")[0], "cuda")
    os.environ.setdefault("MINDS_CUDA_LIBRARIES", built)
    os.environ.setdefault("MINDS_CUDA_RECORD", os.path.join(built, "record"))
    # Nothing is found compiled, or it would not be recorded; what stands in for the compiler has a cache.
    cache = os.environ["MINDS_CUDA_CACHE"] = tempfile.mkdtemp(prefix="minds_cuda_cache")
    return functools.partial(shutil.rmtree, cache, ignore_errors=True)


@pytest.fixture(autouse=True)
def the_device(request):
    """Tests begin on the device of the option; those of tests/sim and tests/kernels choose for themselves."""
    place = os.path.relpath(str(request.path), HERE).replace(os.sep, "/")
    if devices.NAME == "cpu" or place.startswith(("sim/", "kernels/")):
        yield
        return
    ms.set_context(device_target=target(devices.NAME))
    yield
    ms.set_context(device_target="CPU")


@pytest.fixture(scope="module", autouse=True)
def small_heap():
    """What earlier modules left is not looked through by each full collection of this one."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def the_mode():
    """A test that chooses a mode chooses it for itself alone: which one is next depends on the run."""
    before = ms.get_context("mode")
    yield
    ms.set_context(mode=before)


def pytest_collection_modifyitems(config, items) -> None:
    sweeps = collections.defaultdict(list)
    for item in items:
        place = os.path.relpath(str(item.path), HERE).replace(os.sep, "/")
        if place.startswith(NATIVE):
            item.add_marker("native")
        if place.startswith(SWEEPS) and hasattr(item, "callspec"):
            sweeps[place, item.originalname].append(item)
    if config.getoption("whole"):
        return
    left_out = {item for cases in sweeps.values() for item in cases} - {
        item for (place, _), cases in sweeps.items() for item in sample(cases, THIN.get(place, 12))
    }
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def sample(cases: list, part: int):
    """Every value of every parameter at least once, and one in ``part`` of the other cases; of seeds
    likewise. The same ones in each run.
    """
    seen = set()
    for item in sorted(cases, key=place_in_sample):
        # "case" is the same in all, so that there is one where only seeds differ.
        values = {(k, str(v) if k != "seed" else "case") for k, v in item.callspec.params.items()}
        if place_in_sample(item) % part == 0 or not values <= seen:
            seen |= values
            yield item


def place_in_sample(item) -> int:
    """A number that a case always has."""
    return zlib.crc32(item.nodeid.encode())
