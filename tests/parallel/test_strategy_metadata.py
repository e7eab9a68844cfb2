"""What a network tells of how its parameters lie: the shapes of the parts that ranks have."""

import math

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.parallel import strategy


class Product(nn.Cell):
    def __init__(self, *strategies):
        super().__init__()
        self.mul = ops.Mul().shard(strategies)
        self.w = Parameter(Tensor(np.ones((64, 32), np.float32)), name="w1")

    def construct(self, x):
        return self.mul(x, self.w)


@pytest.fixture(autouse=True)
def kept():
    ms.set_context(mode=ms.GRAPH_MODE)
    strategy.enable_save_strategy_online()
    yield
    strategy.clear_strategy_metadata()
    ms.reset_auto_parallel_context()
    ms.set_context(mode=ms.PYNATIVE_MODE)


def divide(**settings):
    given = {"parallel_mode": "semi_auto_parallel", "full_batch": True} | settings
    ms.set_auto_parallel_context(**given)


def trained(net, *args):
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9)).set_train()
    step.compile(*args)
    return step


def part(told):
    """The shape of a part, by a layout's description."""
    layout, _, shape = told
    d = layout.to_dict()
    sizes = d["device_matrix"][::-1]
    found = []
    for n, axes in zip(shape, d["tensor_map"]):
        axes = axes if isinstance(axes, tuple) else (axes,)
        found.append(n // math.prod([sizes[a] for a in axes if a >= 0]))
    return found


def test_a_part_of_what_was_compiled():
    divide(device_num=16, global_rank=5)
    net = Product((4, 4), (4, 4))
    step = trained(net, ops.ones((64, 32)))
    (told,) = strategy.get_current_strategy_metadata(net).values()
    layout, dtype, shape = told["w1"]
    assert layout.to_dict()["device_matrix"] == (4, 4)
    assert layout.to_dict()["tensor_map"] == (1, 0)
    assert (dtype, shape) == ("Float32", [64, 32])
    every = strategy.get_strategy_metadata(step)
    assert sorted(every) == list(range(16))
    assert sorted(strategy.get_strategy_metadata(step, 7)) == [7]
    strategy.clear_strategy_metadata()
    assert strategy.get_strategy_metadata(step) is None


def test_axes_of_the_user():
    divide(device_num=8, global_rank=0)
    layout = ms.Layout((2, 2, 2), ("dp", "sp", "mp"))
    net = Product(layout("dp", ("mp", "sp")), layout("dp", ("mp", "sp")))
    net.compile(ops.ones((64, 32)))
    told = strategy.get_current_strategy_metadata(net)[0]["w1"]
    assert told[0].to_dict()["alias_name"] == ("dp", "sp", "mp")
    assert told[0].to_dict()["tensor_map"] == (2, (0, 1))


@pytest.mark.parametrize("stages", [1, 2])
@pytest.mark.parametrize("level", ["level1", "level3"])
def test_parts_are_those_of_the_program(stages, level):
    config = {"optimizer_level": level, "parallel_optimizer_threshold": 0}
    divide(
        device_num=8,
        global_rank=5,
        pipeline_stages=stages,
        enable_parallel_optimizer=True,
        parallel_optimizer_config=config,
    )
    net = nn.SequentialCell(nn.Dense(16, 16), nn.Dense(16, 8))
    net[0].pipeline_stage, net[1].pipeline_stage = 0, stages - 1
    loss = nn.WithLossCell(net, nn.MSELoss())
    loss = nn.PipelineCell(loss, 2) if stages > 1 else loss
    step = trained(loss, ops.ones((32, 16)), ops.ones((32, 8)))
    (told,) = strategy.get_current_strategy_metadata(net).values()
    compiled = step.parameter_layout_dict
    assert len(told) == len(compiled) - 4 * (stages - 1)  # weights and moments of the other stage
    for name, found in told.items():
        assert part(found) == compiled[name][2], name
        assert found[0].rank_list == list(range(8))[-8 // stages :]
    every = strategy.get_strategy_metadata(net)
    owners = [rank for rank in every if "0.weight" in every[rank]]
    assert owners == list(range(8 // stages))


def test_nothing_is_divided():
    net = nn.Dense(2, 3)
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    trained(net, ops.ones((4, 2)))
    assert strategy.get_strategy_metadata(net) is None
    assert strategy.get_current_strategy_metadata(net) is None


def test_refusals():
    divide(device_num=2, global_rank=0)
    net = Product((2, 1), (2, 1))
    net.compile(ops.ones((64, 32)))
    with pytest.raises(TypeError, match="get_strategy_metadata: network has type str"):
        strategy.get_strategy_metadata("net")
    with pytest.raises(TypeError, match="get_strategy_metadata: rank_id has type str"):
        strategy.get_strategy_metadata(net, "0")
    with pytest.raises(ValueError, match=r"(?s)get_strategy_metadata: rank_id is 2.*0 to 1"):
        strategy.get_strategy_metadata(net, 2)
