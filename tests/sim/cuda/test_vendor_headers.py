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
    "nccl": "nccl.h",
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
#ifdef MINDS_{TABLE}_OPTIONAL
MINDS_{TABLE}_OPTIONAL(FUNCTION)
#endif
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
    assert_compiles(path)


def assert_compiles(path) -> None:
    include = [f"-I{f}" for f in [os.path.join(ROOT, "csrc"), *folders()]]
    # Deprecated functions of the vendor's are nobody's here.
    done = subprocess.run(
        ["g++", "-std=c++20", "-fsyntax-only", "-w", *include, str(path)],
        capture_output=True,
        text=True,
    )
    wrong = [line for line in done.stderr.split("\n") if re.search("error", line)]
    assert done.returncode == 0, "\n".join(wrong)


TYPEDEFS = "cudaTypedefs.h"
"""The driver's header of pointer types, one for each version in which a function's parameters changed."""
OLDEST = 12000
"""The version of CUDA whose drivers must have all functions but the optional ones."""


def entries(table: str, part: str) -> list[str]:
    """The functions of a part of a table."""
    with open(os.path.join(CUDA, f"{table}.tbl")) as f:
        text = f.read()
    begin = text.index(f"#define MINDS_{table.upper()}_{part}")
    return re.findall(
        r"\bF\((\w+), (?=\w+(?: \w+)*\*?, *(?:\\\s*)?\()", text[begin:].split("\n\n")[0]
    )


def test_the_driver_exports_what_is_asked_for(tmp_path):
    """By the name of an older meaning, a library gives a function with other parameters: the one without
    `_v2` must be the first that ever was.
    """
    places = [f for f in folders() if os.path.exists(os.path.join(f, TYPEDEFS))]
    if not places:
        pytest.skip(f"{TYPEDEFS} is not installed (pip install --group cuda-dev)")
    with open(os.path.join(places[0], TYPEDEFS)) as f:
        known = re.findall(r"^typedef CUresult *\(CUDAAPI \*PFN_(\w+?)_v(\d+)\)", f.read(), re.M)
    versions: dict[str, list[int]] = {}
    for name, version in known:
        versions.setdefault(name, []).append(int(version))
    required, optional = entries("driver", "FUNCTIONS"), entries("driver", "OPTIONAL")
    assert len(required) > 40
    lines = [f'#include "{TYPEDEFS}"', "#include <type_traits>", '#include "cuda/driver.tbl"']
    lines.append(
        "#define FUNCTION(name, result, parameters) using minds_##name = result(*) parameters;"
    )
    lines.append("MINDS_DRIVER_FUNCTIONS(FUNCTION)")
    for name in required + optional:
        base = re.sub(r"_v\d+$", "", name)
        assert versions.get(base), f"{name} is in no version"
        if name in required:
            assert min(versions[base]) <= OLDEST, f"{name} appeared in {min(versions[base])}"
            if name == base:
                pointer = f"PFN_{base}_v{min(versions[base])}"
                lines.append(f'static_assert(std::is_same_v<minds_{name}, {pointer}>, "{name}");')
        else:
            assert min(versions[base]) > OLDEST, f"{name} need not be optional"
    path = tmp_path / "versions.cc"
    path.write_text("\n".join(lines) + "\nint main() {}\n")
    assert_compiles(path)
