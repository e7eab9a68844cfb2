"""Pipelines as JSON, and back: the same text again, and the same rows."""

import json
import logging
import os

import numpy as np
import pytest

import minds as ms
import minds.dataset as ds
from minds.dataset import audio, text, transforms, vision

INTER = vision.Inter


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    image = pytest.importorskip("PIL.Image")
    home = tmp_path_factory.mktemp("images")
    rng = np.random.default_rng(2)
    for name in ("a", "b"):
        os.mkdir(home / name)
        for n in range(3):
            pixels = rng.integers(0, 256, (12, 14, 3), np.uint8)
            image.fromarray(pixels).save(home / name / f"{n}.png")
    return str(home)


def _again(d, tmp_path):
    """``d`` made of its description, which is the same text again."""
    first, second = str(tmp_path / "1.json"), str(tmp_path / "2.json")
    said = ds.serialize(d, first)
    assert json.loads(open(first).read()) == said == d.to_json()
    made = ds.deserialize(json_filepath=first)
    ds.serialize(made, second)
    assert open(first).read() == open(second).read()
    assert ds.compare(d, made) and ds.compare(d, ds.deserialize(said))
    return made


def _rows(d):
    return list(d.create_dict_iterator(num_epochs=1, output_numpy=True))


def _same(a, b):
    a, b = _rows(a), _rows(b)
    assert len(a) == len(b) and a
    for x, y in zip(a, b):
        assert x.keys() == y.keys()
        for k in x:
            np.testing.assert_array_equal(x[k], y[k])


def _child():
    outer = ds.SubsetSampler([2, 0])
    outer.add_child(ds.SequentialSampler(1, 4))
    return outer


SAMPLERS = [
    (lambda: ds.SequentialSampler(1, 2), {"num_samples": 2, "start_index": 1}),
    (
        lambda: ds.RandomSampler(True, 3),
        {
            "num_samples": 3,
            "replacement": True,
            "reshuffle_each_epoch": True,
            "shuffle_mode": 2,
        },
    ),
    (lambda: ds.SubsetSampler([0, 2]), {"indices": [0, 2], "num_samples": 0}),
    (lambda: ds.SubsetRandomSampler([0, 2]), {"indices": [0, 2], "num_samples": 0}),
    (
        lambda: ds.WeightedRandomSampler([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 2),
        {"num_samples": 2, "replacement": True, "weights": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]},
    ),
    (
        _child,
        {
            "indices": [2, 0],
            "num_samples": 0,
            "child_sampler": [
                {"num_samples": 4, "sampler_name": "SequentialSampler", "start_index": 1}
            ],
        },
    ),
]


@pytest.mark.parametrize("make, expected", SAMPLERS)
def test_samplers_are_mindspores(make, expected, folder, tmp_path):
    ds.config.set_seed(3)
    d = ds.ImageFolderDataset(folder, sampler=make())
    said = ds.serialize(d)["sampler"]
    assert said.pop("sampler_name") == type(make()).__name__
    assert said == expected
    _same(d, _again(d, tmp_path))


@pytest.mark.parametrize("shuffle", [True, False])
def test_shares_and_classes(shuffle, folder, tmp_path):
    ds.config.set_seed(3)
    given = {"num_shards": 2, "shard_id": 1, "shuffle": shuffle}
    d = ds.ImageFolderDataset(
        folder, decode=True, extensions=[".png"], class_indexing={"a": 5, "b": 7}, **given
    )
    said = ds.serialize(d)
    assert said["class_indexing"] == {"a": 5, "b": 7} and said["extensions"] == [".png"]
    assert said["sampler"]["shuffle_mode"] == (2 if shuffle else 0)
    _same(d, _again(d, tmp_path))


def test_operations(folder, tmp_path):
    ds.config.set_seed(5)
    d = ds.ImageFolderDataset(folder)
    d = d.map([vision.Decode(), vision.Resize((8, 6), INTER.BICUBIC)], "image")
    d = d.map(transforms.TypeCast(ms.int32), "label", "y", num_parallel_workers=1)
    d = d.shuffle(4).repeat(2).skip(1).take(9).project(["y", "image"]).rename("image", "x")
    d = d.batch(2, drop_remainder=True)
    said = ds.serialize(d)
    types = []
    at = said
    while at:
        types.append(at["op_type"])
        at = at["children"][0] if at["children"] else None
    assert types == [
        *("Batch", "Rename", "Project", "Take", "Skip", "Repeat", "Shuffle", "Map", "Map"),
        "ImageFolderDataset",
    ]
    assert said["drop_remainder"] is True and said["batch_size"] == 2
    _same(d, _again(d, tmp_path))


def test_several_children(folder, tmp_path):
    one = ds.ImageFolderDataset(folder, shuffle=False)
    two = ds.ImageFolderDataset(folder, shuffle=False).rename(["image", "label"], ["a", "b"])
    _same(ds.zip((one, two)), _again(ds.zip((one, two)), tmp_path))
    _same(one.concat(one), _again(one.concat(one), tmp_path))


def test_files_of_text(tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3,4\n")
    ds.config.set_seed(1)
    lines = ds.TextFileDataset(str(tmp_path / "a.txt"), num_samples=2)
    assert ds.serialize(lines)["shuffle"] == 2
    _same(lines, _again(lines, tmp_path))
    table = ds.CSVDataset(str(tmp_path / "a.csv"), column_defaults=[1, 2.0], shuffle=False)
    _same(table, _again(table, tmp_path))
    share = ds.CSVDataset(str(tmp_path / "a.csv"), shuffle=False, num_shards=2, shard_id=0)
    _same(share, _again(share, tmp_path))


IMAGES = [
    vision.RandomCrop((4, 5), (1, 2, 3, 4), True, 5, vision.Border.EDGE),
    vision.CenterCrop(3),
    vision.Rescale(0.5, 1.0),
    vision.Normalize([1.0, 2, 3], [4.0, 5, 6]),
    vision.HWC2CHW(),
    vision.RandomHorizontalFlip(0.3),
    vision.RandomRotation((0, 90), INTER.BILINEAR, True, (5, 5), 3),
    vision.RandomColorAdjust((0.5, 0.6)),
    vision.Pad((1, 2, 3, 4), 7),
    vision.ToTensor(np.float32),
    vision.RandomResizedCrop(3),
    vision.RandomAffine(15, (0.1, 0.2)),
    vision.Posterize(3),
    vision.GaussianBlur(3, 1.0),
    vision.CutOut(2, 1),
    vision.RandomSolarize((0, 127)),
    vision.UniformAugment([vision.Invert(), vision.HorizontalFlip()], 1),
    vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGR),
    vision.RandomSelectSubpolicy(
        [[(vision.RandomRotation((45, 45)), 0.5), (vision.Invert(), 1.0)]]
    ),
    vision.AutoAugment(vision.AutoAugmentPolicy.CIFAR10),
    transforms.TypeCast(np.float32),
    transforms.RandomApply([vision.Invert()], 0.3),
    transforms.RandomChoice([vision.Invert(), vision.VerticalFlip()]),
    transforms.Compose([vision.Invert()]),
]


@pytest.mark.parametrize("op", IMAGES, ids=lambda op: type(op).__name__)
def test_transforms_of_images(op, folder, tmp_path):
    ds.config.set_seed(9)
    d = ds.ImageFolderDataset(folder, decode=True, shuffle=False).map(op, "image")
    _same(d, _again(d, tmp_path))


@pytest.mark.parametrize(
    "op",
    [
        text.WhitespaceTokenizer(),
        text.RegexReplace("o", "x"),
        text.NormalizeUTF8(text.NormalizeForm.NFKD),
        text.CaseFold(),
    ],
    ids=lambda op: type(op).__name__,
)
def test_transforms_of_text(op, tmp_path):
    (tmp_path / "a.txt").write_text("one two\nThree four\n")
    d = ds.TextFileDataset(str(tmp_path / "a.txt"), shuffle=False).map(op, "text")
    _same(d, _again(d, tmp_path))


def test_the_other_modules():
    for op in (
        audio.Vol(0.5),
        audio.LowpassBiquad(8000, 100.0),
        transforms.Mask(transforms.Relational.GT, 2),
        transforms.PadEnd([3], 0),
        transforms.Slice(slice(0, 2)),
        transforms.OneHot(4),
    ):
        said = ds.serialize(ds.NumpySlicesDataset([1.0]).map(op))["operations"][0]
        made = ds.deserialize(
            {
                "op_type": "Map",
                "operations": [said],
                "input_columns": ["image"],
                "output_columns": ["image"],
                "num_parallel_workers": 1,
                "children": [ds.serialize(ds.FakeImageDataset(2))],
            }
        )
        again = ds.serialize(made)["operations"][0]
        assert again == said and again["tensor_op_name"] == type(op).__name__


def test_what_a_program_holds_is_described_but_not_made_again():
    data = ds.NumpySlicesDataset([1, 2])
    assert ds.serialize(data)["op_type"] == "GeneratorDataset"
    with pytest.raises(RuntimeError, match="GeneratorDataset cannot be made again"):
        ds.deserialize(ds.serialize(data))
    mapped = ds.FakeImageDataset(2).map(lambda x: x, "image")
    assert ds.serialize(mapped)["operations"][0]["tensor_op_name"] == "<lambda>"
    with pytest.raises(RuntimeError, match="Failed to find key 'tensor_op_params'"):
        ds.deserialize(ds.serialize(mapped))
    with pytest.raises(RuntimeError, match="Filter cannot be made again"):
        ds.deserialize(ds.serialize(ds.FakeImageDataset(2).filter(lambda *x: True)))
    with pytest.raises(RuntimeError, match="per_batch_map"):
        ds.deserialize(ds.serialize(ds.FakeImageDataset(2).batch(2, per_batch_map=lambda *x: x)))


@pytest.mark.parametrize(
    "said, kind, what",
    [
        (5, TypeError, "input_dict"),
        ({"a": 1}, RuntimeError, "without op_type"),
        ({"op_type": "os", "children": []}, RuntimeError, "unsupported operation type: os"),
        ({"op_type": "Nope", "children": []}, RuntimeError, "unsupported operation type: Nope"),
    ],
)
def test_what_is_no_description(said, kind, what):
    with pytest.raises(kind, match=what):
        ds.deserialize(said)


def test_show_and_compare(caplog):
    a = ds.FakeImageDataset(4)
    with caplog.at_level(logging.INFO, "minds"):
        ds.show(a.batch(2))
    assert '"op_type": "Batch"' in caplog.text
    assert ds.compare(a, ds.FakeImageDataset(4)) and not ds.compare(a, ds.FakeImageDataset(5))
    assert ds.deserialize() is None
    for wrong in (lambda: ds.serialize(5), lambda: ds.show(3), lambda: ds.compare(a, 5)):
        with pytest.raises(TypeError):
            wrong()


def test_a_file_that_cannot_be_written():
    with pytest.raises(OSError, match="nothere"):
        ds.serialize(ds.FakeImageDataset(4), "/nothere/x.json")


def test_a_transform_without_parameters_takes_none():
    with pytest.raises(TypeError):
        vision.HWC2CHW(3)
