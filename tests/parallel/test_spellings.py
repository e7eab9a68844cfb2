"""What users of MindSpore's settings and cells for many devices rely on: names, values, refusals."""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.common.api import _cell_graph_executor
from minds.jit.compile import strategies_of
from minds.ops import operations
from minds.parallel import _cost_model_context as costs
from minds.parallel._auto_parallel_context import auto_parallel_context
from minds.parallel.auto_parallel import AutoParallel


@pytest.fixture(autouse=True)
def reset():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    auto_parallel_context().reset()
    costs.reset_cost_model_context()
    ms.set_context(mode=ms.PYNATIVE_MODE)


def divide(n=8, mode="semi_auto_parallel", **settings):
    settings = {"dataset_strategy": "full_batch", **settings}
    ms.set_auto_parallel_context(parallel_mode=mode, device_num=n, global_rank=0, **settings)


WRONG = [
    ({"device_num": 0}, ValueError),
    ({"device_num": 2.0}, TypeError),
    ({"global_rank": -1}, ValueError),
    ({"global_rank": 4096}, ValueError),
    ({"communi_parallel_mode": "wrong"}, ValueError),
    ({"comm_fusion": []}, TypeError),
    ({"comm_fusion": {"allreduce": 1}}, TypeError),
    ({"comm_fusion": {"allreduce": {"mode": "auto"}}}, KeyError),
    ({"comm_fusion": {"allreduce": {"mode": "best", "config": None}}}, KeyError),
    ({"comm_fusion": {"allgather": {"mode": "index", "config": []}}}, KeyError),
    ({"comm_fusion": {"allreduce": {"mode": "size", "config": "x"}}}, TypeError),
    ({"comm_fusion": {"send": {}}}, KeyError),
    ({"parallel_optimizer_config": {"gradient_accumulation_shard": 1}}, TypeError),
]


@pytest.mark.parametrize("settings, error", WRONG)
def test_refused_settings(settings, error):
    with pytest.raises(error):
        ms.set_auto_parallel_context(**settings)
    assert ms.get_auto_parallel_context("device_num") == 1


def test_settings_as_an_object():
    settings = auto_parallel_context()
    assert not settings.get_device_num_is_set() and settings.get_pipeline_scheduler() == "1f1b"
    divide(4, pipeline_stages=2, pipeline_config={"pipeline_interleave": True})
    assert settings.get_device_num_is_set() and settings.get_pipeline_interleave()
    settings.set_all_reduce_fusion_split_indices([10, 20], "a group")
    assert settings.get_all_reduce_fusion_split_indices("a group") == [10, 20]
    assert settings.get_all_reduce_fusion_split_indices() == []
    with pytest.raises(ValueError, match="each once"):
        settings.set_all_reduce_fusion_split_indices([1, 1])
    costs.set_cost_model_context(costmodel_beta=60.0)
    assert costs.get_cost_model_context("costmodel_beta") == 60.0
    costs.reset_cost_model_context()
    assert costs.get_cost_model_context("costmodel_beta") == 400.0
    with pytest.raises(ValueError, match="unknown setting"):
        costs.get_cost_model_context("nothing")


@pytest.mark.parametrize("strategy", [((8, 1), (8, 1)), ((8,),), ((3, 1),), ((8, 2),)])
def test_refused_arguments(strategy):
    divide(dataset_strategy=strategy)
    with pytest.raises(RuntimeError):
        nn.ReLU().compile(ops.ones((16, 16)))


class Product(nn.Cell):
    def __init__(self, strategy):
        super().__init__()
        self.product = ops.MatMul().shard(strategy)
        self.relu = ops.ReLU()
        self.w = Parameter(Tensor(np.ones((64, 32), np.float32)), name="w")

    def construct(self, x):
        return self.relu(self.product(x, self.w)).sum()


def test_strategies_of_a_program():
    """Those of the forward pass, by op; what follows from what was said too."""
    divide(16)
    net = Product(((4, 2), (2, 2)))
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    _cell_graph_executor.compile(step, ops.ones((128, 64)), phase="train")
    told = _cell_graph_executor._get_shard_strategy(step)
    assert [v for n, v in told.items() if "MatMul-op" in n] == [[[4, 2], [2, 2]]]
    assert [v for n, v in told.items() if "ReLU-op" in n] == [[[4, 2]]]
    assert _cell_graph_executor._get_shard_strategy(nn.ReLU()) == {}


def test_layouts_of_a_model():
    net = Product(((1, 2), (2, 4)))
    model = ms.Model(net)
    with pytest.raises(RuntimeError, match="programs are not divided"):
        model.infer_predict_layout(ops.ones((32, 64)))
    divide()
    assert model.infer_predict_layout(ops.ones((32, 64)))["w"][2] == [32, 8]
    model = ms.Model(net, optimizer=nn.Momentum(net.trainable_params(), 0.1, 0.9))
    data = ms.dataset.NumpySlicesDataset(np.ones((32, 64), np.float32), ["x"]).batch(32)
    told = model.infer_train_layout(data)
    assert told["w"][2] == told["moments.w"][2] == [32, 8]


@pytest.mark.parametrize("strategy, fits", [((8, 1), True), ((2, 4), True), ((3, 1), False)])
def test_one_hot(strategy, fits):
    """Its strategy is that of its result."""
    divide()
    one_hot = ops.OneHot().shard((strategy, (), ()))
    one, zero = Tensor(1.0), Tensor(0.0)

    class Net(nn.Cell):
        def construct(self, x):
            return one_hot(x, 32, one, zero)

    x = Tensor(np.arange(64) % 32, ms.int32)
    if fits:
        Net().compile(x)
    else:
        with pytest.raises(RuntimeError):
            Net().compile(x)


def test_marks_that_change_nothing():
    x = ops.ones((4, 2))
    assert operations._VirtualDataset()(x) is x
    assert [t.shape for t in operations._VirtualDataset()(x, x)] == [(4, 2), (4, 2)]
    net = nn.Dense(2, 1, weight_init="ones")
    for cell in (nn.MicroBatchInterleaved(net), nn.GradAccumulation(net, 4)):
        parts = 2 if cell is not None and hasattr(cell, "interleave_num") else 4
        np.testing.assert_allclose(
            cell(x).asnumpy(), sum(net(x[i::parts]).asnumpy() for i in range(parts))
        )
    with pytest.raises(ValueError, match="MicroBatchInterleaved: micro_size is 0"):
        nn.MicroBatchInterleaved(net, 0)
    with pytest.raises(TypeError, match="network has type function"):
        nn.GradAccumulation(lambda x: x, 2)
    reducer = nn.PipelineGradReducer([net.weight], 2.0)
    assert reducer((Tensor([1.0]),))[0].asnumpy() == 0.5
    with pytest.raises(ValueError, match="0 gradients for 1"):
        reducer(())


def test_interleaved_inside_of_stages():
    net = nn.CellList([nn.Dense(4, 4), nn.Dense(4, 4)])
    for i, cell in enumerate(net):
        cell.pipeline_stage = i

    class Stages(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = net

        def construct(self, x):
            for cell in self.net:
                x = cell(x)
            return (x * x).sum()

    divide(4, pipeline_stages=2)
    step = nn.TrainOneStepCell(
        nn.PipelineCell(nn.MicroBatchInterleaved(Stages()), 2), nn.SGD(net.trainable_params(), 0.1)
    )
    step.compile(ops.ones((16, 4)))


@pytest.mark.parametrize("batch,rows", (("data_parallel", 8), ("full_batch", 4)))
def test_loss_with_strategies(batch, rows):
    """What says nothing of its own lies as the loss asks for."""
    divide(dataset_strategy=batch)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    loss.softmax_cross_entropy.shard(((rows, 1), (rows, 1)))
    loss.one_hot.shard(((rows, 1), (), ()))
    net = nn.Dense(16, 32)
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, loss), nn.Momentum(net.trainable_params(), 0.1, 0.9)
    )
    step.compile(ops.ones((32, 16)), Tensor(np.zeros(32), ms.int32))
    assert dict(strategies_of(step))["log_softmax"] == [[rows, 1]]


def test_auto_parallel_accepts():
    net = AutoParallel(nn.ReLU(), "sharding_propagation")
    net.comm_fusion({"allreduce": {"mode": "auto", "config": None}})
    with pytest.raises(TypeError, match="comm_fusion is"):
        net.comm_fusion([])


def test_functions_are_not_divided_in_data_parallel():
    fn = ms.shard(ops.abs, in_strategy=((2, 2),))
    divide(4, "data_parallel")
    with pytest.raises(RuntimeError, match="Only auto_parallel and semi_auto_parallel"):
        ms.jit(fn)(ops.ones((4, 4)))


def test_the_executor_takes_what_is_whole():
    """The shapes that tests of strategies compile for, without processes, are of all devices together."""
    ms.set_context(mode=ms.GRAPH_MODE)
    settings = {"parallel_mode": "semi_auto_parallel", "device_num": 8, "global_rank": 0}
    ms.set_auto_parallel_context(**settings)
    try:
        net = nn.Dense(4, 8)
        net.x = ms.Parameter(ops.ones((16, 4)), name="x")
        net.construct = lambda x: ops.matmul(x * net.x, net.weight.T)
        whole = _cell_graph_executor.compile(net, ops.ones((16, 4)))
        assert whole[1]
        with pytest.raises(ValueError, match="do not broadcast"):
            net.compile(ops.ones((16, 4)))
        ms.set_auto_parallel_context(dataset_strategy="full_batch")
        assert ms.get_auto_parallel_context("full_batch") is True
        net.compile(ops.ones((16, 4)))
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("strategy, part", [((2, 2, 2), [16, 16, 8]), ((1, 4, 2), [16, 16, 8])])
def test_tiles(strategy, part):
    """Their strategy is that of the result: what is repeated stays whole."""
    divide()

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.tile = ops.Tile().shard((strategy,))
            self.w = Parameter(ops.ones((16, 16, 16)), name="w")

        def construct(self, x):
            return x * self.tile(self.w, (8, 4, 1))

    net = Net()
    net.compile(ops.ones((128, 64, 16)))
    assert net.parameter_layout_dict["w"][2] == part
    _cell_graph_executor.compile(net, ops.ones((128, 64, 16)), phase="train")
    told = _cell_graph_executor._get_shard_strategy(net)
    assert [v[0] for n, v in told.items() if "Mul-op" in n] == [list(strategy)], told


def test_sizes_of_buckets():
    settings = auto_parallel_context()
    assert settings.fusion_threshold_mb() == settings.allgather_fusion_threshold_mb() == 64
    fusion = {
        "allreduce": {"mode": "size", "config": 8},
        "allgather": {"mode": "auto", "config": None},
    }
    ms.set_auto_parallel_context(comm_fusion=fusion)
    assert settings.fusion_threshold_mb() == 8 and settings.get_enable_all_reduce_fusion()
    assert settings.reducescatter_fusion_threshold_mb() == 64
    ms.set_auto_parallel_context(comm_fusion={"openstate": False})
    assert not settings.get_enable_all_reduce_fusion()
    assert not settings.get_enable_reduce_scatter_fusion()


def test_strides_of_four_dimensions():
    x, w = ops.ones((1, 2, 8, 8)), ops.ones((4, 2, 1, 1))
    for stride in (2, (2, 2), (1, 1, 2, 2)):
        assert ops.Conv2D(4, 1, stride=stride)(x, w).shape == (1, 4, 4, 4)
    with pytest.raises(ValueError, match="stride must be 1 for samples and channels"):
        ops.Conv2D(4, 1, stride=(2, 1, 1, 1))
