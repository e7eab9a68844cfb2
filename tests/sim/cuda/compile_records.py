"""Compiles texts in CUDA C by the real NVRTC; no GPU is needed.

    compile_records.py FOLDER [--sample] [--table FILE]

FOLDER holds what the stand-in of NVRTC was asked for (MINDS_CUDA_RECORD). Each text is compiled for sm_80,
sm_90 and sm_120. A warning, a spilled register, or too many registers fail; the table lists each kernel
with its registers and its shared memory. NVRTC comes from `pip install --group cuda-dev`, or from the
folder MINDS_NVRTC.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import glob
import multiprocessing
import os
import re
import sys
import zlib

ARCHITECTURES = ("sm_80", "sm_90", "sm_120")
MOST = 128
"""Registers of a thread: so many that two blocks of 256 threads are on a multiprocessor at once."""
MOST_ELEMENTWISE = 64
ELEMENTWISE = ("elementwise", "fill8", "fill16", "put_words", "select", "cast")
"""Kernels whose threads do little for each element that they load: more of them hide the loads."""
LONG = ("digamma", "lgamma", "tgamma", "erfinv")
"""Functions of many steps, for which that does not hold."""
KERNEL = re.compile(r"Compiling entry function '(\w+)' for '(\w+)'")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers(?:.*?(\d+) bytes smem)?")


def library() -> str:
    """Where NVRTC is; empty: nowhere."""
    places = [os.environ.get("MINDS_NVRTC", "")]
    places += [os.path.join(p, "nvidia", "*", "lib") for p in sys.path]
    found = [f for p in places if p for f in glob.glob(os.path.join(p, "libnvrtc.so.1[23]"))]
    return found[-1] if found else ""


@functools.cache
def nvrtc():
    return ctypes.CDLL(library())


def compile_text(text: str, options: list[str]) -> tuple[int, str]:
    """(the compiler's code, its log)."""
    lib, program, size = nvrtc(), ctypes.c_void_p(), ctypes.c_size_t()
    lib.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"text.cu", 0, None, None)
    words = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
    code = lib.nvrtcCompileProgram(program, len(options), words)
    lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    lib.nvrtcGetProgramLog(program, log)
    lib.nvrtcDestroyProgram(ctypes.byref(program))
    return code, log.value.decode()


def check(case: tuple[str, str]) -> tuple[list, list]:
    """(rows of the table, what is wrong) of one text for one architecture."""
    path, arch = case
    with open(path) as f:
        text = f.read()
    with open(path[: -len(".cu")] + ".options") as f:
        options = [o for o in f.read().split("\n") if o]
    code, log = compile_text(text, [*options, f"--gpu-architecture={arch}", "--ptxas-options=-v"])
    name = os.path.basename(path).split(".")[0]
    if code != 0:
        return [], [f"{path} {arch}: {log}"]
    wrong = [f"{path} {arch}: {line}" for line in log.split("\n") if "warning" in line.lower()]
    rows = []
    for part in re.split(r"(?=ptxas info\s*: Compiling entry function)", log):
        kernel, used, spills = KERNEL.search(part), USED.search(part), SPILLS.search(part)
        if not kernel or not used:
            continue
        registers, shared = int(used[1]), int(used[2] or 0)
        most = MOST_ELEMENTWISE if kernel[1] in ELEMENTWISE and name not in LONG else MOST
        rows.append((name, kernel[1], arch, registers, shared, os.path.basename(path)))
        if spills and spills.groups() != ("0", "0"):
            wrong.append(f"{path} {arch}: {kernel[1]} spills: {spills[0]}")
        if registers > most:
            wrong.append(f"{path} {arch}: {kernel[1]} uses {registers} registers, more than {most}")
    return rows, wrong if rows else [*wrong, f"{path} {arch}: there is no kernel"]


def cases(folder: str, sample: bool) -> list[tuple[str, str]]:
    """Texts and architectures; of a sample each text for one of them."""
    texts = sorted(glob.glob(os.path.join(folder, "*.cu")))
    if not sample:
        return [(t, a) for t in texts for a in ARCHITECTURES]
    return [(t, ARCHITECTURES[zlib.crc32(os.path.basename(t).encode()) % 3]) for t in texts]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--sample", action="store_true", help="each text for one architecture")
    parser.add_argument("--table", help="the file of the table, instead of a summary")
    given = parser.parse_args()
    if not library():
        print("NVRTC is not installed (pip install --group cuda-dev): no text was compiled")
        return 0
    todo = cases(given.folder, given.sample)
    with multiprocessing.Pool(min(os.cpu_count() or 1, 8)) as pool:
        done = pool.map(check, todo, chunksize=4)
    rows = sorted({r[:5] for rows, _ in done for r in rows})
    wrong = [w for _, part in done for w in part]
    if given.table:
        with open(given.table, "w") as f:
            f.write(table(rows))
    else:
        print(table(worst(rows)))
    print(f"{len(todo)} texts, {len(rows)} kernels, {len(wrong)} of them wrong")
    print("\n".join(wrong))
    return 1 if wrong or not rows else 0


def worst(rows: list) -> list:
    """Of each kernel's variants the one with most registers."""
    most = {}
    for r in rows:
        key = r[:3]
        if key not in most or most[key][3] < r[3]:
            most[key] = r
    return list(most.values())


def table(rows: list) -> str:
    lines = [f"{'text':16} {'kernel':28} {'arch':7} {'registers':>9} {'shared':>7}"]
    return (
        "\n".join([*lines, *(f"{a:16} {b:28} {c:7} {d:9} {e:7}" for a, b, c, d, e in rows)]) + "\n"
    )


if __name__ == "__main__":
    sys.exit(main())
