"""Parameters of which each process holds its part, and the layouts of optimizer parallel."""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.base.options import OptimizerParallel
from minds.parallel.plan import graph_of
from minds.sharding.cluster import cluster
from minds.sharding.cost import step_cost
from minds.sharding.files import Layouts, read, write
from minds.sharding.layout import Mesh, Sharding
from minds.sharding.propagate import propagate, shape_of
from minds.sharding.states import optimizer_parallel, states_of, weights_of
from minds.sharding.virtual import run


@pytest.mark.parametrize("n", (2, 4))
def test_parts(launch, tmp_path, n, whole):
    if n == 4 and not whole:
        pytest.skip("four processes: with --whole")
    code, out, err = launch(n, "parts.py", str(tmp_path))
    assert code == 0 and out.count("all is well") == n, out + err
    saved, end = [dict(np.load(tmp_path / f"{f}0.npz")) for f in ("saved", "reference")]
    files = [str(tmp_path / "parts" / f"rank_{r}" / "a.ckpt") for r in range(n)]
    goes_on(files, saved, end)
    divided_anew(tmp_path, files, saved)


@pytest.mark.parametrize("n", (2, 4))
def test_parts_of_stages(launch, compiled_elsewhere, tmp_path, n, whole):
    """Files of the stages of a pipeline become those of other stages, and of one process."""
    if n == 4 and not whole:
        pytest.skip("four processes: with --whole")
    code, out, err = launch(n, "stage_parts.py", str(tmp_path))
    assert code == 0 and out.count("all is well") == n, out + err
    saved = dict(np.load(tmp_path / "saved0.npz"))
    files = [str(tmp_path / "parts" / f"rank_{r}" / "a.ckpt") for r in range(n)]
    step = of_stages()
    ms.load_distributed_checkpoint(step, files)
    same(values(step), saved)
    with pytest.raises(RuntimeError, match=f"the part that rank 1 of {n} has saved"):
        ms.load_checkpoint(files[1], step)
    with pytest.raises(ValueError, match="is given as that"):
        ms.load_distributed_checkpoint(step, files[:1])
    strategy, new = str(tmp_path / "four.json"), str(tmp_path / "four")
    compiled_elsewhere(pipeline_stages=4, strategy_ckpt_save_file=strategy)
    of_stages(4).compile(ops.ones((8, 8)), ops.zeros((8,), ms.int32))
    ms.reset_auto_parallel_context()
    told = read(strategy)
    assert told.groups == 4 and told.owners["2.weight"] == 2 == told.owners["moment1.2.weight"]
    ms.transform_checkpoints(str(tmp_path / "parts"), new, "b", dst_strategy_file=strategy)
    held = [ms.load_checkpoint(f"{new}/rank_{r}/b{r}.ckpt") for r in range(4)]
    for r, of_rank in enumerate(held):
        assert of_rank.keys() == saved.keys()
        for name, v in saved.items():
            away = told.owners.get(name, r) != r
            np.testing.assert_array_equal(of_rank[name].asnumpy(), [] if away else v)
    ms.unified_safetensors(new, None, str(tmp_path / "unified"))
    found = ms.load_checkpoint(
        str(tmp_path / "unified" / "part0.safetensors"), format="safetensors"
    )
    same({n: p.asnumpy() for n, p in found.items()}, saved)
    for count, stages, way in ((2, 4, "interleaved"), (4, 4, ""), (2, 2, "")) if whole else ():
        code, out, err = launch(count, "stage_parts.py", str(tmp_path), str(stages), way)
        assert code == 0 and out.count("all is well") == count, out + err


def of_stages(stages=1):
    """The step of `programs/stage_parts.py`."""
    net = nn.SequentialCell(*[nn.Dense(8, 8, activation="tanh") for _ in range(3)], nn.Dense(8, 4))
    for i, cell in enumerate(net):
        cell.pipeline_stage = i * stages // 4
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    cell = nn.PipelineCell(nn.WithLossCell(net, loss), 4)
    return nn.TrainOneStepCell(cell, nn.Adam(net.trainable_params(), 0.05)).set_train()


def same(found, expected, rtol=0.0):
    assert found.keys() == expected.keys()
    for name, e in expected.items():
        np.testing.assert_allclose(found[name], e, rtol=rtol, atol=rtol / 10, err_msg=name)


def values(cell):
    return {p.name: p.asnumpy() for p in cell.get_parameters()}


def goes_on(files, saved, end):
    """One process takes over what several have saved."""
    rng = np.random.default_rng(0)
    x = Tensor(rng.standard_normal((8, 8)).astype(np.float32))
    y = Tensor(rng.integers(0, 4, 8).astype(np.int32))
    net = nn.SequentialCell([nn.Dense(8, 16, activation="relu"), nn.Dense(16, 4)])
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Adam(net.trainable_params(), 0.05))
    found = ms.load_distributed_checkpoint(step, files, return_param_dict=True)
    assert found.keys() == saved.keys()
    same(values(step), saved)
    for _ in range(3):
        step(x, y)
    same(values(step), end, 3e-5)
    with pytest.raises(RuntimeError, match="the part that rank 1 of"):
        ms.load_checkpoint(files[1], step)
    for wrong in (files[::-1], files[:1]):
        with pytest.raises(ValueError, match="is of rank|is given as that"):
            ms.load_distributed_checkpoint(step, wrong)


def divided_anew(folder, files, saved):
    """For other ranks and other layouts, and back."""
    mesh, layouts = Mesh(("a", "b"), (2, 4)), {}
    for name, v in saved.items():
        if v.ndim:
            dims = [("a",) if n % 2 == 0 else () for n in v.shape[:1]]
            dims += [("b",) if n % 4 == 0 else () for n in v.shape[1:]]
            layouts[name] = Sharding(tuple(dims))
    strategy = str(folder / "eight.json")
    write(strategy, Layouts(mesh, layouts))
    new = str(folder / "eight")
    ms.transform_checkpoints(str(folder / "parts"), new, "b", dst_strategy_file=strategy)
    found = [ms.load_checkpoint(f"{new}/rank_{r}/b{r}.ckpt") for r in range(8)]
    for r, of_rank in enumerate(found):
        for name, v in saved.items():
            layout = layouts.get(name)
            part = v if layout is None else v[layout.part(mesh, v.shape, r)]
            np.testing.assert_array_equal(of_rank[name].asnumpy(), part)
    assert ms.rank_list_for_transform(0, strategy) == list(range(8))
    one = str(folder / "one.ckpt")
    ms.transform_checkpoint_by_rank(0, {r: f"{new}/rank_{r}/b{r}.ckpt" for r in range(8)}, one)
    same({n: p.asnumpy() for n, p in ms.load_checkpoint(one).items()}, saved)
    ms.unified_safetensors(new, None, str(folder / "unified"))
    holder = nn.CellList([])
    for name, v in saved.items():
        holder.insert_param_to_cell(name.replace(".", "_"), Parameter(Tensor(v * 0), name=name))
    found = ms.load_distributed_checkpoint(
        holder, unified_safetensors_dir=str(folder / "unified"), return_param_dict=True
    )
    same({n: p.asnumpy() for n, p in found.items()}, saved)


def test_foreign_files(tmp_path):
    path = str(tmp_path / "a.json")
    with pytest.raises(ValueError, match="there is no strategy file"):
        ms.transform_checkpoints(str(tmp_path), str(tmp_path), "b", dst_strategy_file=path)
    for text in ("{", "[]", '{"mesh": {"names": ["a"], "sizes": [0]}, "layouts": {}, "rank": 0}'):
        (tmp_path / "a.json").write_text(text)
        with pytest.raises(ValueError, match="tells no layouts"):
            ms.transform_checkpoints(str(tmp_path), str(tmp_path), "b", dst_strategy_file=path)
    with pytest.raises(ValueError, match="there is no folder 'rank_0'"):
        ms.transform_checkpoints(str(tmp_path), str(tmp_path), "b")
    with pytest.raises(ValueError, match="there is nothing to load"):
        ms.load_distributed_checkpoint(nn.Dense(1, 1))
    with pytest.raises(ValueError, match="output_format is 'zip'"):
        ms.transform_checkpoints(str(tmp_path), str(tmp_path), "b", output_format="zip")
    with pytest.raises(ValueError, match="no table of names"):
        (tmp_path / "param_name_map.json").write_text("[]")
        ms.load_distributed_checkpoint(nn.Dense(1, 1), unified_safetensors_dir=str(tmp_path))


@pytest.fixture
def compiled_elsewhere():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield lambda **settings: ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel", device_num=4, global_rank=0, full_batch=True, **settings
    )
    ms.reset_auto_parallel_context()
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_strategy_of_what_is_compiled(compiled_elsewhere, tmp_path):
    """The processes need not be there."""
    path, other = str(tmp_path / "a.json"), str(tmp_path / "b.json")
    x = ops.ones((8, 8))

    class Net(nn.Cell):
        def __init__(self, strategy):
            super().__init__()
            self.product, self.w = ops.MatMul(), Parameter(ops.ones((8, 4)), name="w")
            if strategy is not None:
                self.product.shard(strategy)

        def construct(self, x):
            return self.product(x, self.w)

    compiled_elsewhere(strategy_ckpt_save_file=path)
    Net(((2, 1), (1, 2))).compile(x)
    told = read(path)
    assert told.mesh.size == 4 and told.dims["w"].local(told.mesh, (8, 4)) == (8, 2)
    compiled_elsewhere(strategy_ckpt_config={"load_file": path, "save_file": other})
    Net(None).compile(x)
    assert read(other) == told
    (tmp_path / "a.json").write_text("nothing")
    with pytest.raises(ValueError, match="tells no layouts"):
        Net(None).compile(x)


class Mixed(nn.Cell):
    """An Adam of mixed precision, whose gradients are kept: 2 + 2 + 12 bytes for each weight."""

    def __init__(self, rows, columns):
        super().__init__()
        shape = (rows, columns)
        self.w = Parameter(ops.zeros(shape, ms.float16), name="w")
        self.gradient = Parameter(ops.zeros(shape, ms.float16), name="grads.w", requires_grad=False)
        self.states = [
            Parameter(ops.zeros(shape), name=f"{n}.w", requires_grad=False)
            for n in ("master", "m", "v")
        ]

    def construct(self, x):
        master, m, v = self.states
        g = ms.grad(lambda w: ops.matmul(x, w).sum().astype(ms.float32))(self.w)
        self.gradient = g
        g = g.astype(ms.float32)
        ops.assign(m, 0.9 * m + 0.1 * g)
        ops.assign(v, 0.99 * v + 0.01 * g * g)
        ops.assign(master, master - 0.1 * m / (ops.sqrt(v) + 1e-8))
        ops.assign(self.w, master.astype(ms.float16))
        return m.sum()


LEVELS = {
    0: (120.0, ()),
    1: (31.4, ("master.w", "m.w", "v.w")),
    2: (16.6, ("master.w", "m.w", "v.w", "grads.w")),
    3: (1.9, ("master.w", "m.w", "v.w", "grads.w", "w")),
}
"""GB for 7.5e9 weights on 64 devices, and what is divided."""


@pytest.mark.parametrize("level", LEVELS)
def test_memory_of_levels(level):
    expected, divided = LEVELS[level]
    rows, columns = 128, 8
    graph = graph_of(Mixed(rows, columns), (ops.ones((64, rows), ms.float16),))
    mesh, whole = Mesh(("dp",), (64,)), Sharding.whole(2)
    given = {
        p: Sharding((("dp",), ())) if p.name in divided else whole
        for p in graph.params
        if p.default is not None
    }
    given[graph.params[0]] = Sharding((("dp",), ()))
    held = step_cost(graph, propagate(graph, mesh, given), cluster("v100", 64)).held
    size = rows * columns
    assert held * 64 == size * {0: 16 * 64, 1: 4 * 64 + 12, 2: 2 * 64 + 14, 3: 16}[level]
    assert round(held * 7.5e9 / size / 1e9, 1) == expected


@pytest.fixture
def step():
    ms.set_context(mode=ms.GRAPH_MODE)
    net = nn.SequentialCell([nn.Dense(8, 16, activation="relu"), nn.Dense(16, 6)])
    cell = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9)
    )
    cell.set_train()
    yield cell
    ms.set_context(mode=ms.PYNATIVE_MODE)


def laid(step, mesh, level, threshold=0, most=-1):
    """(the graph, arguments, layouts by name) of a step whose arguments are divided by rows."""
    rng = np.random.default_rng(0)
    args = [Tensor(rng.standard_normal((8, n)).astype(np.float32)) for n in (8, 6)]
    graph = graph_of(step, tuple(args))
    given = {p: Sharding((("dp",), ())) for p in graph.params[:2]}
    given |= optimizer_parallel(graph, mesh, given, OptimizerParallel(level, threshold, most))
    shardings = propagate(graph, mesh, given)
    return graph, args, shardings, {p.name: shardings.of(p).dims for p in graph.params}


@pytest.mark.parametrize("level", (1, 2, 3))
@pytest.mark.parametrize("sizes", ((4,), (2, 2)))
def test_levels_compute_the_same(step, level, sizes):
    mesh = Mesh(("dp", "mp")[: len(sizes)], sizes)
    graph, args, shardings, layouts = laid(step, mesh, level)
    names = [p.name for p in graph.params][2:]
    held = {p.name: p for p in step.get_parameters()}
    values = [*args, *[held[n].copy() for n in names]]
    axes = mesh.names if mesh.size == 4 and len(sizes) == 1 else ("dp", "mp")
    assert layouts["moments.0.weight"] == (axes, ())
    assert layouts["0.weight"] == ((axes, ()) if level == 3 else ((), ()))
    for _ in range(3):
        found, values = run(graph, shardings, values)
        expected = step(*args)
        for loss in found[0]:
            np.testing.assert_allclose(loss.asnumpy(), expected.asnumpy(), rtol=3e-6)
    for name, value in zip(names, values[2:]):
        expected = held[name].asnumpy()
        np.testing.assert_allclose(value.asnumpy(), expected, rtol=2e-5, atol=1e-6, err_msg=name)


def test_what_stays_whole(step):
    mesh = Mesh(("dp", "mp"), (2, 2))
    assert laid(step, mesh, 3, most=2)[3]["0.weight"] == (("dp",), ())
    assert laid(step, mesh, 3)[3]["1.bias"] == (("dp",),)  # 6 elements; 4 do not divide them
    small = laid(step, mesh, 3, threshold=6 * 16 * 4 + 1)[3]
    assert small["0.weight"] == (("dp", "mp"), ()) and small["1.weight"] == ((), ())
    step.network.trainable_params()[0].parallel_optimizer = False
    kept = laid(step, mesh, 3)[3]
    assert kept["0.weight"] == kept["moments.0.weight"] == ((), ())


def test_state_of_a_longer_name(step):
    graph = laid(step, Mesh(("dp",), (2,)), 1)[0]
    for p in graph.params:
        if p.name.startswith("moments."):
            p.name = f"optimizer.{p.name}"
    weights = weights_of(graph)
    found = {s.name: w.name for s, w in states_of(graph, weights).items()}
    assert found["optimizer.moments.0.weight"] == "0.weight"
    assert all(shape_of(s) == shape_of(w) for s, w in states_of(graph, weights).items())


@pytest.mark.parametrize(
    "config,error,match",
    [
        (1, TypeError, "parallel_optimizer_config is 1"),
        ({"optimizer_level": "level4"}, ValueError, "optimizer_level is 'level4'"),
        ({"parallel_optimizer_threshold": -1}, ValueError, "threshold is -1"),
        ({"parallel_optimizer_threshold": 0.5}, TypeError, "threshold has type float"),
        ({"optimizer_weight_shard_size": -2}, ValueError, "shard_size is -2"),
    ],
)
def test_settings_are_checked(config, error, match):
    with pytest.raises(error, match=match):
        ms.set_auto_parallel_context(parallel_optimizer_config=config)


def test_strategies_of_stages_are_joined(tmp_path):
    """Files of single stages, and one that tells of all."""
    mesh, new = Mesh(("a",), (2,)), tmp_path / "new" / "all.json"
    folder = tmp_path / "stages"
    with pytest.raises(NotADirectoryError, match="there is no folder"):
        ms.merge_pipeline_strategys(str(folder), str(new))
    folder.mkdir()
    each = [("w", 0), ("v", 1)]
    for name, stage in each:
        layouts = {name: Sharding((("a",), ()))}
        write(str(folder / f"{stage}.json"), Layouts(mesh, layouts, -1, 2, {name: stage}))
    ms.merge_pipeline_strategys(str(folder), str(new))
    found = read(str(new))
    assert found.owners == dict(each) and found.dims.keys() == {"w", "v"} and found.size == 4
    write(str(folder / "2.json"), Layouts(Mesh(("a",), (4,)), {}))
    with pytest.raises(ValueError, match="several meshes"):
        ms.merge_pipeline_strategys(str(folder), str(new))
    (folder / "a.ckpt").write_text("")
    with pytest.raises(ValueError, match=r"all end in .ckpt or in .json"):
        ms.merge_pipeline_strategys(str(folder), str(new))
