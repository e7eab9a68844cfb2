"""Landscapes of a loss, against the loss computed by NumPy."""

import json
import os

import numpy as np
import pytest

import minds as ms
import minds.dataset as ds
from minds import nn, train

X = np.random.default_rng(3).normal(size=(32, 3)).astype(np.float32)
Y = (X @ np.array([[1.0], [-2.0], [0.5]])).astype(np.float32)


def _data():
    return ds.NumpySlicesDataset((X, Y), ["x", "y"], shuffle=False).batch(8)


def _parts():
    net = nn.Dense(3, 1)
    return train.Model(net, nn.MSELoss(), metrics={"Loss": train.Loss()}), net, _data(), None


def _kept(folder, **landscape):
    net = nn.Dense(3, 1, "zeros", "zeros")
    model = train.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.05, 0.9))
    keep = train.SummaryCollector(
        folder, collect_specified_data={"collect_landscape": {"landscape_size": 5, **landscape}}
    )
    model.train(4, _data(), keep)
    return net


def _loss(flat):
    return float(np.mean((X @ flat[:3, None] + flat[3] - Y) ** 2))


@pytest.mark.parametrize("unit, numbers", [("step", [2, 5, 9, 16]), ("epoch", [1, 2, 3, 4])])
def test_the_plane_of_a_path(unit, numbers, tmp_path):
    folder = str(tmp_path)
    net = _kept(folder, unit=unit, intervals=[numbers])
    train.SummaryLandscape(folder).gen_landscapes_with_multi_process(_parts)
    kept = [
        ms.load_checkpoint(os.path.join(folder, "ckpt_dir", f"{unit}_{n}.ckpt")) for n in numbers
    ]
    flat = np.stack([np.concatenate([w["weight"].asnumpy()[0], w["bias"].asnumpy()]) for w in kept])
    np.testing.assert_array_equal(flat[-1][:3], net.weight.asnumpy()[0])
    found = np.load(os.path.join(folder, "landscape_1.npz"))
    assert found["loss"].shape == (5, 5) and found["path"][-1].tolist() == [0, 0]
    np.testing.assert_allclose(found["path_loss"][-1], _loss(flat[-1]), rtol=1e-5)
    # The plane's directions are of length 1 and hold as much of the path as two can.
    moves = flat - flat[-1]
    best = np.sqrt((np.linalg.svd(moves, compute_uv=False)[:2] ** 2).sum())
    np.testing.assert_allclose(np.linalg.norm(found["path"]), best, rtol=1e-4)
    other = np.load(os.path.join(folder, "landscape_2.npz"))
    np.testing.assert_allclose(other["loss"][2, 2], _loss(flat[-1]), rtol=1e-5)
    assert other["loss"].min() >= other["loss"][2, 2] - 1e-4  # near the minimum
    train.SummaryLandscape(folder).clean_ckpt()
    assert not os.path.exists(os.path.join(folder, "ckpt_dir"))


def test_other_settings_afterwards(tmp_path):
    folder, out = str(tmp_path / "a"), str(tmp_path / "b")
    _kept(folder, intervals=[[1, 2, 3, 4]])
    settings = {
        "landscape_size": 3,
        "num_samples": 8,
        "create_landscape": {"train": True, "result": False},
    }
    planes = train.SummaryLandscape(folder)
    planes.gen_landscapes_with_multi_process(_parts, settings, [0], out)
    assert sorted(f for f in os.listdir(out) if f.endswith("npz")) == ["landscape_1.npz"]
    assert np.load(os.path.join(out, "landscape_1.npz"))["loss"].shape == (3, 3)
    said = json.load(open(os.path.join(folder, "ckpt_dir", "train_metadata.json")))
    assert said["landscape_size"] == 5 and list(said["model_params_file_map"]) == [
        "1",
        "2",
        "3",
        "4",
    ]
    with pytest.raises(ValueError, match="weights of 99 were not kept"):
        planes.gen_landscapes_with_multi_process(_parts, {"intervals": [[1, 2, 99]]})


@pytest.mark.parametrize(
    "given, kind, said",
    [
        ({"landscape_size": 2}, ValueError, "landscape_size is 2"),
        ({"landscape_size": "a"}, TypeError, "landscape_size is 'a'"),
        ({"unit": "day"}, ValueError, "unit is 'day'"),
        ({"intervals": [[1, 2]]}, ValueError, "at least three"),
        ({"intervals": [1, 2, 3]}, TypeError, "list of lists"),
        ({"create_landscape": {"train": 1}}, TypeError, "dict of bools"),
        ({"nope": 1}, ValueError, "'nope'"),
        (3, TypeError, "collect_landscape is 3"),
    ],
)
def test_settings_are_checked(given, kind, said, tmp_path):
    with pytest.raises(kind, match=said):
        train.SummaryCollector(str(tmp_path), collect_specified_data={"collect_landscape": given})


def test_nothing_was_kept(tmp_path):
    with pytest.raises(FileNotFoundError, match="train_metadata.json"):
        train.SummaryLandscape(str(tmp_path)).gen_landscapes_with_multi_process(_parts)
    with pytest.raises(TypeError, match="summary_dir is 3"):
        train.SummaryLandscape(3)
