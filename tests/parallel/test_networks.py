"""Networks that processes train together in every way (`programs/networks.py`): as one process does, and with
the bits of virtual ranks.
"""

import pytest

WAYS = ["data", "rows", "zero1", "zero2", "zero3", "tensor", "auto", "gpipe", "1f1b", "zb"]
CASES = {
    "lenet": [*WAYS, "interleaved"],
    "resnet18": [*WAYS, "interleaved"],
    "bert": [*WAYS, "interleaved", "sequence"],
    "gpt": [*WAYS, "interleaved", "sequence"],
    "experts": ["data", "rows", "zero1", "zero3", "experts", "exchanged", "auto"],
}
OF_FOUR = {
    "lenet": ["hybrid-pipeline"],
    "resnet18": ["hybrid", "hybrid-pipeline"],
    "bert": ["hybrid", "hybrid-sequence", "hybrid-pipeline"],
    "gpt": ["hybrid", "hybrid-sequence", "hybrid-pipeline"],
    "experts": ["hybrid-experts", "hybrid-exchanged"],
}
SAMPLE = ["lenet:zb", "gpt:sequence", "experts:zero3", "experts:exchanged"]


def _run(launch, count, cases):
    code, out, err = launch(count, "networks.py", *cases, seconds=600)
    assert code == 0, out[-2000:] + err[-4000:]
    for case in cases:
        assert out.count(f"{case} is well") == count, out


def test_a_sample(launch):
    _run(launch, 2, SAMPLE)


@pytest.mark.parametrize("count", (2, 4))
@pytest.mark.parametrize("name", CASES)
def test_every_way(launch, whole, name, count):
    if not whole:
        pytest.skip("every way: with --whole")
    ways = CASES[name] + (OF_FOUR[name] if count == 4 else [])
    _run(launch, count, [f"{name}:{way}" for way in ways])
