"""Prints, as JSON, where the build requirements lie: of Python, pybind11 and oneDNN.

Called with a folder in which Python's headers may be put: Debian keeps them in a package of their
own (python3-dev), which a machine that has Python need not have.
"""

import glob
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import sysconfig

import pybind11


def of(distribution: str, ending: str) -> str:
    """The installed file of ``distribution`` whose name ends in ``ending``."""
    for entry in importlib.metadata.files(distribution) or ():
        if str(entry).endswith(ending):
            return os.path.realpath(entry.locate())
    raise SystemExit(f"{distribution} has no {ending}; reinstall it")


def python_include(folder: str) -> list[str]:
    """The folders of Python's headers: the installed ones, or Debian's package unpacked into
    ``folder``.
    """
    include = sysconfig.get_path("include")
    if os.path.exists(os.path.join(include, "Python.h")):
        return [include]
    version = sysconfig.get_python_version()
    unpacked = os.path.join(folder, "usr", "include")
    headers = os.path.join(unpacked, f"python{version}")
    if not os.path.exists(os.path.join(headers, "Python.h")):
        package = f"libpython{version}-dev"
        if shutil.which("apt-get") and shutil.which("dpkg-deb"):
            os.makedirs(folder, exist_ok=True)
            subprocess.run(
                ["apt-get", "download", package], cwd=folder, stdout=sys.stderr, check=False
            )
            for archive in glob.glob(os.path.join(folder, f"{package}_*.deb")):
                subprocess.run(["dpkg-deb", "-x", archive, folder], stdout=sys.stderr, check=False)
        if not os.path.exists(os.path.join(headers, "Python.h")):
            raise SystemExit(
                f"{include} has no Python.h: install its package, python3-dev on Debian and "
                "Ubuntu, python3-devel on Fedora"
            )
    return [headers, unpacked]


print(
    json.dumps(
        {
            "python_include": ";".join(python_include(sys.argv[1])),
            "pybind11_include": pybind11.get_include(),
            "onednn_include": os.path.dirname(of("onednn-devel-cpu-gomp", "include/dnnl.hpp")),
            "onednn_licenses": [
                of("onednn-cpu-gomp", "doc/onednn/LICENSE"),
                of("onednn-cpu-gomp", "THIRD-PARTY-PROGRAMS"),
            ],
            "onednn_library": of("onednn-cpu-gomp", "libdnnl.so.3"),
            "suffix": sysconfig.get_config_var("EXT_SUFFIX"),
        }
    )
)
