"""Names of `mindspore.parallel` for parts of parameters, against NumPy."""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn
from minds.base.world import world
from minds.parallel import (
    build_searched_strategy,
    convert_checkpoints,
    load_segmented_checkpoints,
    merge_sliced_parameter,
    parameter_broadcast,
    set_op_strategy_config,
)
from minds.parallel.auto_parallel import AutoParallel
from minds.parallel.nn import Pipeline
from minds.sharding import files
from minds.sharding.layout import Mesh, Sharding


def test_parts_are_merged_as_a_strategy_file_says(tmp_path):
    mesh, path = Mesh(("dp", "mp"), (2, 3)), str(tmp_path / "s.json")
    layouts = {"w": Sharding((("mp",), ("dp",))), "v": Sharding(((), ("mp",)))}
    files.write(path, files.Layouts(mesh, layouts))
    whole = np.arange(48, dtype=np.float32).reshape(6, 8)
    strategy = build_searched_strategy(path)
    rows, columns = np.split(whole, 3), 4
    parts = [
        Parameter(Tensor(rows[m][:, d * columns : (d + 1) * columns]), "w")
        for d in range(2)
        for m in range(3)
    ]
    assert np.array_equal(merge_sliced_parameter(parts, strategy).asnumpy(), whole)
    v = np.arange(12, dtype=np.float16).reshape(2, 6)
    parts = [Parameter(Tensor(p), "v") for p in np.split(v, 3, 1)] * 2
    merged = merge_sliced_parameter(parts, strategy)
    assert merged.dtype == ms.float16 and np.array_equal(merged.asnumpy(), v)
    assert np.array_equal(
        merge_sliced_parameter(parts[:3]).asnumpy(), np.concatenate(np.split(v, 3, 1))
    )
    for wrong, error in (
        (lambda: merge_sliced_parameter(parts[:3], strategy), ValueError),
        (lambda: merge_sliced_parameter(parts, {}), KeyError),
        (lambda: merge_sliced_parameter([], strategy), ValueError),
        (lambda: merge_sliced_parameter([v]), TypeError),
        (lambda: merge_sliced_parameter([*parts, Parameter(Tensor(v), "v")]), ValueError),
    ):
        with pytest.raises(error, match="merge_sliced_parameter: "):
            wrong()


def test_checkpoints_of_a_folder(tmp_path):
    net, other = nn.Dense(3, 2), nn.Dense(3, 2)
    for p in (net.weight, net.bias):
        file = str(tmp_path / f"{p.name}.ckpt")
        ms.save_checkpoint([{"name": p.name, "data": p}], file)
    found = load_segmented_checkpoints(str(tmp_path), other)
    assert sorted(found) == ["bias", "weight"]
    assert np.array_equal(other.weight.asnumpy(), net.weight.asnumpy())
    assert list(load_segmented_checkpoints(str(tmp_path), choice_func=lambda n: n == "bias")) == [
        "bias"
    ]
    with pytest.raises(ValueError, match="load_segmented_checkpoints: there is no folder"):
        load_segmented_checkpoints(str(tmp_path / "none"))


def test_strategies_of_ops_are_kept_by_those_of_parameters(tmp_path):
    path = str(tmp_path / "s.json")
    x = Tensor(np.ones((4, 8), np.float32))

    def compiled(save=None, load=None):
        net = AutoParallel(nn.Dense(8, 8), parallel_mode="sharding_propagation")
        net.dataset_strategy("full_batch")
        net._set(device_num=4, global_rank=0)
        if save:
            net.network.shard(
                (None,), parameter_plan={"weight": ms.Layout((4,), ("a",))("a", "None")}
            )
            net.save_operator_strategy_file(save)
        if load:
            net.load_operator_strategy_file(load)
        net.compile(x)
        return net.network.parameter_layout_dict

    assert compiled(save=path) == compiled(load=path)
    for wrong in ("s.json", "/tmp/s.txt"):
        with pytest.raises(KeyError, match="set_op_strategy_config: path is"):
            set_op_strategy_config("SAVE", wrong)
    with pytest.raises(KeyError, match="set_op_strategy_config: mode is"):
        set_op_strategy_config("MERGE", path)


def test_other_names():
    net = Pipeline(nn.Dense(2, 1, weight_init="ones", bias_init="zeros"), 2)
    assert np.array_equal(net(Tensor(np.ones((4, 2), np.float32))).asnumpy(), [[4.0], [4.0]])
    with pytest.raises(ValueError, match="parameter_broadcast: net has no parameter"):
        parameter_broadcast(nn.Dense(2, 1), {"w": None})
    with pytest.raises(NotADirectoryError, match="convert_checkpoints: "):
        convert_checkpoints("nowhere", "new", "a")


def test_a_checkpoint_of_a_process_with_the_same_parts_is_found(tmp_path, monkeypatch):
    strategy = str(tmp_path / "s.json")
    mesh = Mesh(("dp", "mp"), (2, 2))
    layouts = {"w": Sharding((("mp",), ())), "v": Sharding(((),)), "u": Sharding((("dp",),))}
    groups = {"groups": 2, "owners": {"w": 0, "v": 1, "u": 1}}
    files.write(strategy, files.Layouts(mesh, layouts, **groups))
    monkeypatch.setattr(world, "size", 8)
    for rank in (0, 1, 6):
        (tmp_path / f"rank_{rank}").mkdir()
        ms.save_checkpoint({"w": Tensor([1.0])}, str(tmp_path / f"rank_{rank}" / "a.ckpt"))
    # the first group divides w by mp: 0 and 2, 1 and 3 are alike; the second u by dp: 4 and 5, 6 and 7
    for rank, other in ((0, 0), (1, 1), (2, 0), (3, 1), (4, None), (5, None), (6, 6), (7, 6)):
        monkeypatch.setattr(world, "rank", rank)
        found = ms.get_ckpt_path_with_strategy(str(tmp_path / f"rank_{rank}" / "a.ckpt"), strategy)
        assert found == (None if other is None else str(tmp_path / f"rank_{other}" / "a.ckpt"))
    monkeypatch.setattr(world, "rank", 8)
    with pytest.raises(ValueError, match="get_ckpt_path_with_strategy: .* of 8 processes"):
        ms.get_ckpt_path_with_strategy(str(tmp_path / "rank_8" / "a.ckpt"), strategy)


def test_programs_are_not_divided(tmp_path):
    (tmp_path / "a.mindir").touch()
    with pytest.raises(RuntimeError, match="export_split_mindir: .* divide"):
        ms.export_split_mindir(str(tmp_path / "a.mindir"))
    for wrong in (3, "a", str(tmp_path / "b.mindir")):
        with pytest.raises(ValueError, match="export_split_mindir: "):
            ms.export_split_mindir(wrong)
    for wrong, error in ((3, TypeError), ("a", ValueError)):
        with pytest.raises(error, match="restore_group_info_list: "):
            ms.restore_group_info_list(wrong)
