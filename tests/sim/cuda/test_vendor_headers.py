"""The plug-in's own declarations of the vendors' libraries, held against their headers where these are
installed (`pip install --group cuda-dev`): types of functions, values of constants.
"""

import glob
import os
import re
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
CUDA = os.path.join(ROOT, "csrc", "cuda")
HEADERS = {
    "driver": "cuda.h",
    "nvrtc": "nvrtc.h",
    "cublaslt": "cublasLt.h",
    "cudnn": "cudnn.h",
    "cusolver": "cusolverDn.h",
    "cufft": "cufft.h",
}


def folders() -> list[str]:
    """Where headers of the vendors' wheels are, beside this Python's packages or in MINDS_CUDA_HEADERS."""
    given = os.environ.get("MINDS_CUDA_HEADERS")
    if given:
        return given.split(":")
    return [
        f for p in sys.path for f in sorted(glob.glob(os.path.join(p, "nvidia", "*", "include")))
    ]


def has(header: str) -> bool:
    return any(os.path.exists(os.path.join(f, header)) for f in folders())


def tables() -> list[str]:
    return sorted(f[:-4] for f in os.listdir(CUDA) if f.endswith(".tbl"))


def test_each_table_has_its_header():
    assert set(tables()) <= set(HEADERS)


# The names of types in a table mean the vendor's here and ours in the plug-in, so one text is read with both.
PROGRAM = """
#include <type_traits>
#include <cstdint>
#include <cstddef>
#include "{header}"
#include "cuda/{table}.tbl"
#define FUNCTION(name, result, parameters) \\
  static_assert(std::is_same_v<decltype(&::name), result(*) parameters>, #name " is declared otherwise");
#define CONSTANT(type, name, value) \\
  static_assert(static_cast<long long>(name) == static_cast<long long>(value), #name " has another value");
MINDS_{TABLE}_FUNCTIONS(FUNCTION)
#ifdef MINDS_{TABLE}_CONSTANTS
MINDS_{TABLE}_CONSTANTS(CONSTANT)
#endif
int main() {{}}
"""


@pytest.mark.parametrize("table", tables())
def test_declarations_are_the_vendors(table, tmp_path):
    header = HEADERS[table]
    if not has(header):
        pytest.skip(f"{header} is not installed (pip install --group cuda-dev)")
    path = tmp_path / f"{table}.cc"
    path.write_text(PROGRAM.format(header=header, table=table, TABLE=table.upper()))
    include = [f"-I{f}" for f in [os.path.join(ROOT, "csrc"), *folders()]]
    # Deprecated functions of the vendor's are nobody's here.
    done = subprocess.run(
        ["g++", "-std=c++20", "-fsyntax-only", "-w", *include, str(path)],
        capture_output=True,
        text=True,
    )
    wrong = [line for line in done.stderr.split("\n") if re.search("error", line)]
    assert done.returncode == 0, "\n".join(wrong)
