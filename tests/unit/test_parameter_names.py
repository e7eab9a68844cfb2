"""Names of parameters after changes of containers, and of layers and optimisers that hold others:
as MindSpore 2.10 gives them (its names, recorded).
"""

from collections import OrderedDict

import pytest

from minds import nn

S, L = nn.SequentialCell, nn.CellList


def dense():
    return nn.Dense(1, 1, has_bias=False)


def pair():
    return S([dense(), dense()])


class Net(nn.Cell):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = blocks


def grown(cells, *more):
    for cell in more:
        cells.append(cell)
    return cells


def changed(cells, change):
    net = Net(cells)
    change(net.blocks)
    return net


def _list(blocks):
    blocks.append(dense())
    blocks.extend([dense(), dense()])
    blocks[1] = dense()
    blocks.insert(1, pair())


def _row(blocks):
    blocks.append(dense())
    blocks[0] = dense()


def _shorter(blocks):
    del blocks[0]
    del blocks[-1:]
    blocks.append(dense())


def _named(blocks):
    blocks.append(dense())
    del blocks[0]


def _dict(blocks):
    blocks["c"] = dense()
    blocks.update({"a": dense()})


def _inserted():
    cells = L([S([dense()])])
    cells.insert(0, S([dense()]))
    cells.insert(2, dense())
    return cells


CASES = {
    "a row grows": (lambda: grown(pair(), dense(), dense()), "0 1 2 3"),
    "one nested cell, then more": (
        lambda: grown(S([S([dense()])]), dense(), dense()),
        "0.0 0.1 0.2",
    ),
    "nested twice": (
        lambda: grown(S([S([S(dense())])]), S([dense()]), S([dense()])),
        "0.0.0 0.0.1.0 0.0.2.0",
    ),
    "a list of pairs": (
        lambda: grown(L(), pair(), pair(), pair()),
        "0.0 0.1 0.1.0 0.1.1 0.2.0 0.2.1",
    ),
    "below a net": (lambda: changed(pair(), _row), "blocks.0 blocks.1 blocks.2"),
    "a list below a net": (
        lambda: changed(L([dense(), dense()]), _list),
        "blocks.0 blocks.1.0 blocks.1.1 blocks.2 blocks.3 blocks.4 blocks.5",
    ),
    "a list shrinks": (
        lambda: changed(L([dense() for _ in range(3)]), _shorter),
        "blocks.0 blocks.1",
    ),
    "names and numbers": (
        lambda: changed(S(OrderedDict(x=dense(), y=dense())), _named),
        "blocks.y blocks.1",
    ),
    "insertion": (_inserted, "0.0.0 0.1 0.2"),
    "a dict below a net": (
        lambda: changed(nn.CellDict({"a": dense(), "b": dense()}), _dict),
        "blocks.a blocks.b blocks.c",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_containers(case):
    make, want = CASES[case]
    assert [p.name.removesuffix(".weight") for p in make().get_parameters()] == want.split()


def test_layers():
    def names(net):
        return [p.name for p in net.get_parameters()]

    kept = ["moving_mean", "moving_variance", "gamma", "beta"]
    assert names(nn.BatchNorm3d(2)) == [f"bn2d.{n}" for n in kept]
    assert names(nn.SSIM(filter_size=3)) == ["conv.weight"]
    assert names(nn.MSSSIM(filter_size=3)) == [f"multi_convs_list.{i}.weight" for i in range(5)]


@pytest.mark.parametrize(
    "name,more,want",
    [
        ("SGD", {}, "momentum accum.w stat.w"),
        ("LazyAdam", {}, "beta1_power beta2_power moment1.w moment2.w"),
        ("Lamb", {}, "lamb_m.w lamb_v.w"),
        ("AdaMax", {}, "beta1_power moment1.w moment2.w"),
    ],
)
def test_optimisers(name, more, want):
    net = dense()
    net.weight.name = "w"
    made = getattr(nn, name)([net.weight], learning_rate=0.1, **more)
    found = [
        p for p in made.get_parameters() if p.name not in ("w", "global_step", "learning_rate")
    ]
    assert [p.name for p in found] == want.split()
    assert all(p.shape == (1,) for p in found if p.name.endswith("power"))
