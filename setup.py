"""Builds minds._core with CMake. Everything else is declared in pyproject.toml."""

import os
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = os.path.dirname(os.path.abspath(__file__))
DEVELOPERS = os.path.join(ROOT, "build", "native")
"""The objects that `make native` keeps, and that an editable install shares."""


class BuildWithCMake(build_ext):
    """``build_ext`` that hands the one extension to CMake and ninja."""

    def build_extension(self, ext):
        target = os.path.dirname(os.path.abspath(self.get_ext_fullpath(ext.name)))
        # A wheel may reuse the objects of a folder.
        build = os.environ.get("MINDS_BUILD") or os.path.abspath(self.build_temp)
        if self.editable_mode:
            target, build = os.path.join(ROOT, "minds"), DEVELOPERS
        command = [
            "cmake",
            "-S",
            ROOT,
            "-B",
            build,
            "-G",
            "Ninja",
            f"-DPython_EXECUTABLE={sys.executable}",
            f"-DMINDS_OUTPUT={target}",
            "-DCMAKE_BUILD_TYPE=Release",
        ]
        # In an isolated build these are fresh at every run, a stale cache would name programs that
        # are gone.
        make = shutil.which("ninja")
        if make:
            command.append(f"-DCMAKE_MAKE_PROGRAM={make}")
        subprocess.run(command, check=True)
        subprocess.run(["cmake", "--build", build, "--target", "_core"], check=True)

    def copy_extensions_to_source(self):
        """Nothing: an editable install's core is built where it belongs."""


setup(ext_modules=[Extension("minds._core", sources=[])], cmdclass={"build_ext": BuildWithCMake})
