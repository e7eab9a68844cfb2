"""`summary`: what the layers of a network give and compute; and networks as text."""

import pytest

import minds as ms
from minds import Tensor, models, nn, ops


class Net(nn.Cell):
    """Calls one cell twice, another in a loop of the run, and never the third."""

    def __init__(self):
        super().__init__()
        self.head, self.twice, self.looped = nn.Dense(6, 4), nn.Dense(4, 4), nn.Dense(4, 4)
        self.unused = nn.ReLU()

    def construct(self, x, steps):
        x = self.twice(self.twice(self.head(x)))
        i = ops.zeros((), ms.int32)
        while i < steps:
            x = self.looped(x)
            i = i + 1
        return x, ops.sum(x)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_layers(mode):
    ms.set_context(mode=mode)
    net = Net()
    found = ms.summary(net, (3, 6), Tensor(2, ms.int32))
    by_name = {layer.name: layer for layer in found.layers}
    assert list(by_name) == ["", "head", "twice", "looped", "unused"]
    assert by_name[""].outputs == [(3, 4), ()] and by_name[""].kind == "Net"
    assert by_name["head"].inputs == [(3, 6)] and by_name["head"].outputs == [(3, 4)]
    assert [by_name[n].calls for n in ("head", "twice", "unused")] == [1, 2, 0]
    assert by_name["twice"].flops == 2 * (2 * 3 * 4 * 4) == by_name["looped"].flops * 2
    assert by_name["head"].parameters == 28 == by_name["head"].trained
    assert by_name["twice"].bytes == 2 * 3 * 4 * 4
    assert found.flops == 2 * 3 * (6 * 4 + 3 * 4 * 4) and found.parameters == 28 + 20 + 20
    lines = str(found).splitlines()
    assert lines[4].split() == "twice: Dense (3, 4) ×2 20 192 96 B".split()
    assert lines[6].split() == "unused: ReLU - - - -".split()
    assert "_watcher" not in vars(net) and net(ops.ones((3, 6)), Tensor(2, ms.int32))[0].shape == (
        3,
        4,
    )


@pytest.mark.parametrize(
    "name, billions",
    [
        ("resnet18", 1.814),
        ("squeezenet1_1", 0.349),
        ("mobilenet_v2", 0.301),
        ("mobilenet_v3_large", 0.217),
        ("shufflenet_v2_x1_0", 0.145),
        ("densenet121", 2.834),
    ],
)
def test_as_many_products_as_published(name, billions):
    """torchvision's tables count a multiplication that is added up as one."""
    found = ms.summary(models.create(name), (1, 3, 224, 224))
    assert round(found.flops / 2e9, 3) == pytest.approx(billions, abs=0.0011)


def test_what_is_called_in_other_ways():
    class Own(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return (dout * 2,)

    net = nn.SequentialCell(nn.Dense(3, 4).to_float(ms.float16), Own(), nn.Dense(4, 2))
    net[2].register_forward_hook(lambda cell, inputs, out: out + 1)
    found = ms.summary(net.set_train(), (5, 3))
    assert [layer.outputs for layer in found.layers] == [[(5, 2)], [(5, 4)], [(5, 4)], [(5, 2)]]
    assert found.flops == 2 * 5 * (3 * 4 + 4 * 2)


def test_what_is_refused_leaves_no_trace():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Dense(5, 2))
    with pytest.raises(ValueError, match="5"):
        ms.summary(net, (2, 3))
    assert not [c for _, c in net.cells_and_names() if "_watcher" in vars(c)]
    with pytest.raises(TypeError, match="net has type function"):
        ms.summary(lambda x: x, (2, 3))


def test_a_network_as_text():
    net = nn.SequentialCell(nn.Dense(3, 1000), nn.ReLU(), nn.SequentialCell(nn.BatchNorm1d(2)))
    assert repr(net[:2]) == (
        "SequentialCell(\n"
        "  (0): Dense(input_channels=3, output_channels=1000, has_bias=True)\n"
        "  (1): ReLU()\n)"
    )
    lines = str(net).splitlines()
    assert lines[0] == "SequentialCell(  # 4,008 parameters"
    assert lines[1].endswith("has_bias=True)  # 4,000 parameters") and lines[2] == "  (1): ReLU()"
    assert lines[3] == "  (2): SequentialCell(  # 8 parameters" and lines[4].endswith(
        "# 8 parameters"
    )
