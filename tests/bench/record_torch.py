"""Writes gradbench_torch.json, what eager torch gives for small inputs: run with an interpreter
that has torch.
"""

import json
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from benchmarks.gradbench import inputs

SIZES = {
    "llsq": {"n": 7, "m": 5},
    "lse": {"n": 9},
    "ode": {"n": 6, "s": 10},
    "det": {"ell": 4},
    "kmeans": {"n": 30, "k": 4, "d": 3},
    "gmm": {"d": 3, "k": 4, "n": 20, "m": 1, "gamma": 1.25},
    "ba": {"n": 3, "m": 5, "p": 7},
    "lstm": {"c": 12, "b": 5},
    "ht": {"vertices": 30, "correspondences": 8, "complicated": True},
}


def elements(found, array) -> np.ndarray:
    """All numbers of a result."""
    if isinstance(found, (tuple, list)):
        return np.concatenate([elements(f, array) for f in found])
    return array(found).ravel()


def main() -> None:
    """Run every function."""
    from benchmarks.gradbench.peer_torch import OBJECTIVES

    recorded = {}
    for name, sizes in SIZES.items():
        for function, run in OBJECTIVES[name](inputs.draw(name, **sizes)).items():
            recorded[f"{name}.{function}"] = elements(run(), lambda t: t.detach().numpy()).tolist()
    (Path(__file__).parent / "gradbench_torch.json").write_text(
        json.dumps(recorded, indent=0) + "\n"
    )


if __name__ == "__main__":
    main()
