"""What is done to the lines of a JPEG file while it is decoded is what is done to its image."""

import os
import subprocess
import sys

import numpy as np
import pytest

from minds.dataset import vision
from minds.dataset.vision.fused import fused

NOISE = np.random.default_rng(0).integers(0, 256, (61, 83, 3)).astype(np.uint8)
CHAINS = {
    "resize": lambda: [vision.Resize((17, 90))],
    "part": lambda: [vision.Crop((5, 30), (33, 41)), vision.Resize((16, 16))],
    "mirror": lambda: [vision.Crop((60, 0), (1, 83)), vision.HorizontalFlip()],
    "turned": lambda: [vision.Resize((30, 37)), vision.HorizontalFlip(), vision.VerticalFlip()],
    "planes": lambda: [vision.Crop((3, 9), (50, 33)), vision.HorizontalFlip(), vision.HWC2CHW()],
    "cubic": lambda: [vision.Resize((20, 100), vision.Inter.CUBIC), vision.HWC2CHW()],
    "numbers": lambda: [
        vision.Resize((31, 35)), vision.Normalize([9.0, 8.0, 7.0], [3.0, 4.0, 5.0]), vision.HWC2CHW()
    ],
}  # fmt: skip


@pytest.mark.parametrize("chain", CHAINS)
def test_lines_are_those_of_the_image(chain):
    file = vision.encode_jpeg(NOISE, 90)
    (together,) = fused([vision.Decode(), *CHAINS[chain]()])
    one_by_one = vision.Decode()(file)
    for step in CHAINS[chain]():
        one_by_one = step(one_by_one)
    np.testing.assert_array_equal(together(file), one_by_one)


def test_loops_for_any_processor_give_the_same():
    code = (
        "import sys, numpy as np; sys.path.insert(0, sys.argv[1]); import test_jpeg_rows as t\n"
        "from minds.dataset import vision as v\n"
        "f = v.encode_jpeg(t.NOISE, 90)\n"
        "for c in t.CHAINS.values(): sys.stdout.buffer.write(t.fused([v.Decode(), *c()])[0](f).tobytes())"
    )
    made = [
        subprocess.run(
            [sys.executable, "-c", code, os.path.dirname(__file__)],
            env={**os.environ, "MINDS_ISA": isa},
            capture_output=True,
            check=True,
        ).stdout
        for isa in ("", "generic")
    ]
    assert made[0] == made[1] and len(made[0]) > 10_000


def test_cut_files_fail_wherever_the_cut_is():
    file = vision.encode_jpeg(NOISE, 90)
    (chain,) = fused([vision.Decode(), vision.Resize((9, 9))])
    for size in range(4, len(file) - 200, 97):
        with pytest.raises(RuntimeError, match="Decode"):
            chain(file[:size])
