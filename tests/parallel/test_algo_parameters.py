"""Settings of the search, under MindSpore's names: what they refuse, and what they do."""

import math

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.base.options import SearchLimits
from minds.parallel import Cluster, Link
from minds.parallel.plan import graph_of
from minds.sharding.layout import Mesh
from minds.sharding.search import Search

NEAR = Cluster(1e9, 1e9, 1e9, (Link(4, 1e12, 0.0),))
FAR = Cluster(1e12, 1e12, 1e9, (Link(4, 1e3, 1.0),))


@pytest.fixture(autouse=True)
def reset():
    yield
    ms.reset_algo_parameters()
    ms.reset_auto_parallel_context()
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_settings():
    defaults = {
        "fully_use_devices": False,
        "elementwise_op_strategy_follow": False,
        "enable_algo_approxi": False,
        "algo_approxi_epsilon": 0.1,
        "tensor_slice_align_enable": False,
        "tensor_slice_align_size": 16,
    }
    others = [True, True, True, 0.2, True, 8]
    ms.set_algo_parameters(**dict(zip(defaults, others)))
    assert [ms.get_algo_parameters(n) for n in defaults] == others
    ms.reset_algo_parameters()
    assert {n: ms.get_algo_parameters(n) for n in defaults} == defaults


REFUSED = [
    (lambda: ms.set_algo_parameters(fully_use_devices=1), TypeError, "has type int"),
    (lambda: ms.set_algo_parameters(algo_approxi_epsilon=1), TypeError, "has type int"),
    (lambda: ms.set_algo_parameters(algo_approxi_epsilon=0.0), ValueError, r"\(0, 1\]"),
    (lambda: ms.set_algo_parameters(tensor_slice_align_size=1025), ValueError, r"\[1, 1024\]"),
    (lambda: ms.set_algo_parameters(nothing=1), ValueError, "unknown setting 'nothing'"),
    (lambda: ms.get_algo_parameters("nothing"), ValueError, "unknown setting 'nothing'"),
    (lambda: ms.set_auto_parallel_context(search_mode="best"), ValueError, "search_mode is 'best'"),
]


@pytest.mark.parametrize("call, error, said", REFUSED)
def test_refusals(call, error, said):
    with pytest.raises(error, match=said):
        call()
    assert ms.get_algo_parameters("tensor_slice_align_size") == 16


def search(cluster, shape=(8, 8), **limits):
    w = Parameter(ops.ones(shape), name="w")
    graph = graph_of(lambda x: ops.matmul(x, w).sum(), (ops.ones((16, shape[0])),))
    mesh = Mesh(("dp", "mp"), (2, 2))
    return Search(graph, mesh, cluster, {}, SearchLimits(**limits))


def test_every_device_takes_part():
    """Where messages cost far more than the work, all devices had better do the same, unless told."""
    for asked, idle in ((False, 1), (True, 0)):
        found = search(FAR, fully_use_devices=asked)
        assert found._idle(found.graph, found.shardings(found.run())) == idle


def test_fewer_are_tried():
    many, few = search(NEAR), search(NEAR, enable_algo_approxi=True, algo_approxi_epsilon=0.5)
    many.run(), few.run()
    assert all(len(options) == 2 for options in few.options) and few.tried == 4 < many.tried


@pytest.mark.parametrize("columns, parts", ((64, {1, 2, 4}), (32, {1, 2}), (16, {1})))
def test_parts_of_weights_are_aligned(columns, parts):
    found = search(NEAR, (8, columns), tensor_slice_align_enable=True)
    (options,) = [o for g, o in zip(found.groups, found.options) if g[0].name == "w"]
    assert {s.parts(found.mesh, 1) for s in options} == parts


class Net(nn.Cell):
    def __init__(self, strategy=None):
        super().__init__()
        self.product = ops.MatMul()
        self.w = Parameter(Tensor(np.ones((64, 32), np.float32)), name="w")
        if strategy is not None:
            self.product.shard(strategy)

    def construct(self, x):
        return self.product(x, self.w)


@pytest.mark.parametrize("rank", (0, 5, 15))
def test_modes_of_search(rank):
    """What is said holds in each; only a search divides what nothing is said of."""
    ms.set_context(mode=ms.GRAPH_MODE)
    x = ops.ones((128, 64))
    for mode in ("recursive_programming", "dynamic_programming", "sharding_propagation"):
        ms.set_auto_parallel_context(
            parallel_mode="auto_parallel",
            search_mode=mode,
            device_num=16,
            global_rank=rank,
            full_batch=True,
        )
        assert ms.get_auto_parallel_context("auto_parallel_search_mode") == mode
        net = Net(((2, 4), (4, 2)))
        net.compile(x)
        assert net.parameter_layout_dict["w"][2] == [16, 16]
        other = Net()
        other.compile(x)
        sizes, dims, part, *_ = other.parameter_layout_dict["w"]
        assert math.prod(sizes) == 16
        if mode == "sharding_propagation":
            assert part == [64, 32] and dims == [-1, -1]
