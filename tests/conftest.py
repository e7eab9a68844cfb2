"""Makes the helper modules beside the tests importable; test files themselves may share names
(importlib mode).
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE] + sorted(
    e.path for e in os.scandir(HERE) if e.is_dir() and not e.name.startswith("__")
)

NATIVE = (
    "kernels",
    "unit/test_core.py",
    "unit/test_runtime.py",
    "unit/test_random_programs.py",
    "errors/test_bad_input.py",
)
"""What drives the native core hard: run once more under AddressSanitizer and
UndefinedBehaviorSanitizer.
"""


def pytest_collection_modifyitems(items) -> None:
    for item in items:
        place = os.path.relpath(str(item.path), HERE).replace(os.sep, "/")
        if place.startswith(NATIVE):
            item.add_marker("native")
