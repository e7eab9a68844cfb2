"""Programs for the CPU stay byte for byte what they were: texts of graphs, as they were optimised
once, and the hashes of the programs that they became then.

A change of the optimiser does not touch them. A change of lowering that is meant to alter programs for
the CPU records them anew: ``python test_lowered_bytes.py``.
"""

from __future__ import annotations

import hashlib
import json
import pathlib

import pytest

from minds import Tensor
from minds.ir import text
from minds.lower.program import lower
from minds.ops.define import P

FOLDER = pathlib.Path(__file__).parent / "lowered"
NAMES = sorted(p.stem for p in FOLDER.glob("*.txt"))


def lowered_hash(name: str) -> str:
    graph = text.parse((FOLDER / f"{name}.txt").read_text(), P, Tensor)
    return hashlib.sha256(lower(graph).code).hexdigest()


@pytest.mark.parametrize("name", NAMES)
def test_the_bytes_of_a_program(name):
    assert lowered_hash(name) == json.loads((FOLDER / "hashes.json").read_text())[name]


if __name__ == "__main__":
    found = {name: lowered_hash(name) for name in NAMES}
    (FOLDER / "hashes.json").write_text(json.dumps(found, indent=1) + "\n")
