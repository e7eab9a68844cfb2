"""Calls every op of the registry with nonsense, in a process of its own: ``python nonsense.py
eager|graph``.

Each parameter in turn takes each kind of nonsense while the others are sensible; then all take it
at once. The last line printed is a JSON list of the calls that raised what they must not. The call
under way is in the file named by the second argument, for the case that the process dies.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys

import numpy as np

import minds as ms
from minds import Tensor
from minds.base.errors import complain
from minds.ops import P
from minds.ops.define import ATTR, TENSORS

ALLOWED = (
    TypeError,
    ValueError,
    IndexError,
    RuntimeError,
    MemoryError,
    OverflowError,
    SyntaxError,
    ZeroDivisionError,
)
SKIPPED = {"print", "raise", "host"}
"""Their arguments are the compiler's, not users'."""
SECONDS = 60


def nonsense() -> dict:
    """Name to value."""
    return {
        "None": None,
        "str": "nonsense",
        "object": object(),
        "objects": [object(), object()],
        "dict": {"a": 1},
        "bool": True,
        "minus one": -1,
        "zero": 0,
        "huge": 2**62,
        "beyond 64 bits": 2**70,
        "float": 0.5,
        "nan": float("nan"),
        "inf": float("inf"),
        "complex": 1j,
        "empty tuple": (),
        "zeros": (0, 0),
        "huge shape": (2**40, 2**40),
        "large shape": (2**42,),
        "negative shape": (-5, 2),
        "nested": ((1, (2,)), 3),
        "many": tuple(range(70)),
        "type": int,
        "function": len,
        "empty": Tensor(np.zeros((0, 3), np.float32)),
        "no batch": Tensor(np.zeros((0, 3, 4, 4), np.float32)),
        "rank 0": Tensor(1.5),
        "bools": Tensor([True, False]),
        "nans": Tensor(np.full((2, 3), np.nan, np.float32)),
        "ids": Tensor(np.array([[7, -9, 2**40]])),
        "bytes": Tensor(np.array([[255, 3, 1]], np.uint8)),
        "half": Tensor(np.ones((2, 3), np.float16)),
        "rank 5": Tensor(np.ones((1, 2, 1, 2, 1), np.float32)),
    }


def sensible(op) -> list:
    """Arguments of the right kinds."""
    image = Tensor(np.ones((2, 3, 4, 4) if "2d" in op.name else (2, 3), np.float32))
    args = []
    for name, kind, default in op.params:
        if name in ("indices", "index", "target"):
            args.append(Tensor(np.zeros((2, 1), np.int64)))
        elif name == "key":
            args.append(P.random_key())
        elif kind == TENSORS:
            args.append((image, image))
        elif kind != ATTR:
            args.append(image)
        elif default is not op.signature.empty:
            args.append(default)
        else:
            args.append(
                {"dtype": ms.float32, "shape": (2, 3), "axis": 0, "value": 0.0}.get(name, 1)
            )
    return args


def cases(op):
    """(what, arguments) of each call."""
    base = sensible(op)
    for what, value in nonsense().items():
        for i, (name, _, _) in enumerate(op.params):
            yield f"{op.name}: {name} = {what}", base[:i] + [value] + base[i + 1 :]
        if len(base) > 1:
            yield f"{op.name}: all = {what}", [value] * len(base)
    yield f"{op.name}: too many", [*base, 1]
    yield f"{op.name}: none", []


def call(op, args: list, mode: str) -> None:
    """One call, at once or compiled."""
    if mode == "eager":
        op(*args)
        return

    def program():
        return op(*args)

    ms.jit(program)()


def main(mode: str, journal: str, only: list) -> list:
    """The faults found, as texts."""

    def late(signum, frame):
        raise complain(TimeoutError, f"more than {SECONDS} s")

    signal.signal(signal.SIGALRM, late)
    faults, number = [], 0
    with open(journal, "w") as log:
        for op in list(P):
            if op.name in SKIPPED or only and op.name not in only:
                continue
            for what, args in cases(op):
                number += 1
                log.seek(0)
                log.write(f"{what:<100}")
                log.flush()
                signal.alarm(SECONDS)
                try:
                    with contextlib.redirect_stdout(io.StringIO()):
                        call(op, args, mode)
                except ALLOWED as e:
                    if not str(e).strip():
                        faults.append(f"{what}: {type(e).__name__} without a message")
                except Exception as e:
                    faults.append(f"{what}: {type(e).__name__}: {e}")
                finally:
                    signal.alarm(0)
    print(number, "calls")
    return faults


if __name__ == "__main__":
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):
        import resource

        resource.setrlimit(
            resource.RLIMIT_AS, (16 << 30, resource.getrlimit(resource.RLIMIT_AS)[1])
        )
    print(json.dumps(main(sys.argv[1], sys.argv[2], sys.argv[3:])))
