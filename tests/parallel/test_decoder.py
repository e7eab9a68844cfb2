"""A decoder with a strategy at each op, by the names of MindSpore's scripts (`programs/decoder.py`):
trained by several processes as by one.
"""

import pytest

SAMPLE = [(1, 1, 2, "recompute", "zero")]
WAYS = [
    (2, 1, 1),
    (1, 2, 1),
    (1, 2, 1, "recompute", "interleaved"),
    (2, 1, 1, "recompute", "zero"),
    (1, 1, 2),
    (1, 1, 2, "interleaved"),
    (2, 2, 1),
    (2, 2, 1, "recompute", "zero"),
    (1, 2, 2, "recompute", "zero"),
    (2, 1, 2),
    (1, 1, 4),
]


@pytest.mark.parametrize("way", SAMPLE + WAYS, ids=lambda w: "-".join(map(str, w)))
def test_decoder(launch, whole, way):
    if not whole and way not in SAMPLE:
        pytest.skip("every way: with --whole")
    data, model, stages = way[:3]
    count = data * model * stages
    code, out, err = launch(count, "decoder.py", *map(str, way), seconds=600)
    assert code == 0 and out.count("is well") == count, out + err[-4000:]


@pytest.mark.parametrize("way", [(1, 2, 1), (1, 1, 2), (2, 2, 1), (1, 2, 2)])
def test_files_for_other_processes(launch, whole, way, tmp_path):
    if not whole:
        pytest.skip("trains anew in each way: with --whole")
    count = way[0] * way[1] * way[2]
    options = str(tmp_path), *map(str, way)
    code, out, err = launch(count, "decoder_files.py", *options, seconds=600)
    assert code == 0 and out.count("is well") == count, out + err[-4000:]
