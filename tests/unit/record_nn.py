"""Run the cases of `nn_cases` under MindSpore 2.10 (CPU, PyNative) and write ``nn_reference.json``
beside this file.

Needs an environment with mindspore: ``python tests/unit/record_nn.py``. A case that MindSpore
refuses on CPU is left out and named; the test then only checks that minds runs it.
"""

from __future__ import annotations

import json
import os
import sys

import mindspore as ms
import numpy as np
from mindspore import nn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import nn_tables
from nn_cases import CASES, NOT_AS_MINDSPORE

ms.nn = nn


def main() -> None:
    """Record every case."""
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    found = {}
    try:
        # The first reshape of a process fails where MindSpore's NumPy is older than the installed
        # one; the next succeeds.
        ms.ops.reshape(ms.Tensor(np.ones(2, np.float32)), (2, 1))
    except SystemError:
        pass
    for name, fn in CASES.items():
        if name in NOT_AS_MINDSPORE:
            continue
        try:
            arrays = fn(ms)
        except Exception as e:  # whatever MindSpore raises: the case is then without a reference
            print(f"{name}: {type(e).__name__}: {(str(e).strip().splitlines() or [''])[0][:150]}")
            continue
        found[name] = [
            {
                "shape": list(a.shape),
                "dtype": str(a.dtype),
                "values": [float(f"{v:.9g}") for v in np.asarray(a, np.float64).ravel()],
            }
            for a in arrays
        ]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nn_reference.json")
    with open(path, "w") as f:
        f.write(
            "{\n"
            + ",\n".join(f"{json.dumps(n)}: {json.dumps(v)}" for n, v in found.items())
            + "\n}\n"
        )
    print(f"{len(found)} of {len(CASES)} cases recorded")


if __name__ == "__main__":
    main()
