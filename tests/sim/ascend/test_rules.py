"""What stands in for CANN refuses what the manual forbids."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

BEGIN = """
import ctypes as c, sys
folder = sys.argv[1]
acl, base, api = (c.CDLL(f"{folder}/{n}.so") for n in ("libascendcl", "libnnopbase", "libopapi"))
base.aclCreateTensor.restype = c.c_void_p
def ints(*v): return (c.c_int64 * len(v))(*v)
def tensor(at, n=4, dtype=0, storage=None, stride=1, offset=0):
    return c.c_void_p(base.aclCreateTensor(ints(n), c.c_uint64(1), dtype, ints(stride), c.c_int64(offset), 2,
                                           ints(storage or n), c.c_uint64(1), at))
def first(x, y):
    size, executor = c.c_uint64(), c.c_void_p()
    r = api.aclnnExpGetWorkspaceSize(x, y, c.byref(size), c.byref(executor))
    return r, size.value, executor
def second(executor, size=0, workspace=None, which="aclnnExp"):
    return getattr(api, which)(workspace, c.c_uint64(size), executor, stream)
"""
START = """
assert acl.aclInit(None) == 0 and acl.aclrtSetDevice(0) == 0
stream, memory = c.c_void_p(), c.c_void_p()
assert acl.aclrtCreateStream(c.byref(stream)) == 0
assert acl.aclrtMalloc(c.byref(memory), c.c_size_t(4096), 0) == 0
x, y = tensor(memory), tensor(memory.value + 512)
y_at = c.c_void_p(memory.value + 512)
"""
END = "\nbase.aclDestroyTensor(x), base.aclDestroyTensor(y)"

BROKEN = {
    "aclInit was not called": (False, "acl.aclrtSetDevice(0)"),
    "this thread has no context": (
        False,
        "acl.aclInit(None); acl.aclrtMalloc(c.byref(c.c_void_p()), c.c_size_t(8), 0)",
    ),
    "there is no such device": (False, "acl.aclInit(None); acl.aclrtSetDevice(7)"),
    "2 tensors were never destroyed": (True, ""),
    "1 executors were never destroyed": (True, "first(x, y)"),
    "a null tensor": (True, "first(None, y)"),
    "a tensor that was destroyed": (True, "base.aclDestroyTensor(x); first(x, y)"),
    "a tensor was destroyed between the phases": (
        True,
        "r, n, e = first(x, y); base.aclDestroyTensor(x); second(e)",
    ),
    "a dtype that the operator does not take": (True, "first(tensor(memory, dtype=3), y)"),
    "the shapes do not fit": (True, "first(x, tensor(memory, 5))"),
    "the view leaves its storage": (True, "tensor(memory, 4, stride=2, storage=6)"),
    "the address is not of the device": (True, "tensor(c.c_void_p(4096))"),
    "the executor is none, or was used up": (
        True,
        "r, n, e = first(x, y); assert second(e) == 0; second(e)",
    ),
    "the executor is of aclnnExp": (True, "r, n, e = first(x, y); second(e, which='aclnnLog')"),
    "the workspace has not the size that was told": (
        True,
        "r, n, e = first(tensor(memory, 4, stride=2, storage=8), y); assert n > 0; second(e)",
    ),
    "neither waits for the other": (
        True,
        "other = c.c_void_p(); acl.aclrtCreateStream(c.byref(other)); r, n, e = first(x, y); second(e);"
        " acl.aclrtMemsetAsync(y_at, c.c_size_t(16), 0, c.c_size_t(16), other)",
    ),
    "of another device than this thread's context": (
        True,
        "acl.aclrtSetDevice(1); acl.aclrtSynchronizeStream(stream)",
    ),
    "an index is below 0": (
        True,
        "i, w = tensor(memory, 2, dtype=9), tensor(memory.value + 1024, 2); acl.aclrtMemsetAsync(memory,"
        " c.c_size_t(16), -1, c.c_size_t(16), stream); size, e = c.c_uint64(), c.c_void_p();"
        " api.aclnnIndexSelectGetWorkspaceSize(y, c.c_int64(0), i, w, c.byref(size), c.byref(e));"
        " second(e, which='aclnnIndexSelect'); acl.aclrtSynchronizeStream(stream)",
    ),
    "the stream is none": (True, "r, n, e = first(x, y); stream = None; second(e)"),
    "the host's are not pinned": (
        True,
        "acl.aclrtMemcpyAsync(memory, c.c_size_t(8), b'12345678', c.c_size_t(8), 1, stream)",
    ),
    "not allocated by aclrtMalloc": (True, "acl.aclrtFree(c.c_void_p(memory.value + 512))"),
    "is not the caller's": (True, "r, n, e = first(x, y); base.aclDestroyAclOpExecutor(e)"),
    "is in no block that is in use": (
        True,
        "acl.aclrtFree(memory); r, n, e = first(x, y); second(e); acl.aclrtSynchronizeStream(stream)",
    ),
}


def run(program: str) -> str:
    """What a program says on stderr."""
    built = os.path.join(os.environ["MINDS_PLUGINS"].split(":")[0], "ascend")
    words = [sys.executable, "-c", textwrap.dedent(program), built]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_rule_is_told(rule):
    started, program = BROKEN[rule]
    assert rule in run(BEGIN + START * started + program)


def test_a_right_program_is_silent():
    assert run(BEGIN + START + "r, n, e = first(x, y); assert second(e) == 0" + END) == ""
