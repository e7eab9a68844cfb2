"""Prints, as JSON, where the build requirements lie: pybind11's headers, oneDNN's headers and library."""

import importlib.metadata
import json
import os

import pybind11


def of(distribution: str, ending: str) -> str:
    """The installed file of ``distribution`` whose name ends in ``ending``."""
    for entry in importlib.metadata.files(distribution) or ():
        if str(entry).endswith(ending):
            return os.path.realpath(entry.locate())
    raise SystemExit(f"{distribution} has no {ending}; reinstall it")


print(
    json.dumps(
        {
            "pybind11_include": pybind11.get_include(),
            "onednn_include": os.path.dirname(of("onednn-devel-cpu-gomp", "include/dnnl.hpp")),
            "onednn_licenses": [
                of("onednn-cpu-gomp", "doc/onednn/LICENSE"),
                of("onednn-cpu-gomp", "THIRD-PARTY-PROGRAMS"),
            ],
            "onednn_library": of("onednn-cpu-gomp", "libdnnl.so.3"),
        }
    )
)
