"""Datasets of known folders: their rows are MindSpore 2.10's, which dataset_rows_*.json has recorded."""

import json
import os

import pytest
from dataset_folders import FAMILIES, cases, rows_of

import minds.dataset as ds

HERE = os.path.dirname(__file__)
# MindSpore gives these in the order of a hash table, or reads as many files by turns as it has workers.
UNORDERED = {
    "WIDERFaceDataset",
    "PennTreebankDataset",
    "WikiTextDataset",
    "UDPOSDataset",
    "Multi30kDataset",
    "IWSLT2016Dataset",
    "IWSLT2017Dataset",
}


def recorded(family):
    with open(os.path.join(HERE, f"dataset_rows_{family}.json"), encoding="utf-8") as f:
        return json.load(f)


def in_order(name, rows):
    return sorted(rows, key=lambda r: json.dumps(r, sort_keys=True)) if name in UNORDERED else rows


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_are_those_of_mindspore(family, tmp_path):
    wrong, expected = [], recorded(family)
    found = cases(family, str(tmp_path))
    assert [n for n, _ in found] == [n for n, _, _ in expected] and len(found) > 30
    for (name, arguments), (_, shown, wanted) in zip(found, expected):
        if wanted is None:  # MindSpore refuses these small files
            continue
        count, rows = json.loads(json.dumps(rows_of(ds, name, arguments)))
        if count != len(rows) or in_order(name, rows) != in_order(name, wanted[1]):
            wrong.append(f"{name} {shown}: {str(rows)[:200]} instead of {str(wanted[1])[:200]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "arguments, kind, text",
    [
        ({}, TypeError, "missing a required argument: 'dataset_dir'"),
        ({"dataset_dir": 3}, TypeError, "Argument dataset_dir with value 3 is not of type"),
        ({"dataset_dir": "nowhere"}, ValueError, "does not exist or is not a directory"),
        ({"more": 1}, TypeError, "missing a required argument|unexpected keyword"),
        ({"dataset_dir": ".", "more": 1}, TypeError, "unexpected keyword argument 'more'"),
        ({"num_samples": -1}, ValueError, "num_samples exceeds the boundary"),
        ({"num_samples": "1"}, TypeError, "Argument num_samples with value 1 is not of type"),
        ({"num_parallel_workers": 0}, ValueError, "num_parallel_workers exceeds"),
        ({"num_parallel_workers": 256}, ValueError, "num_parallel_workers exceeds"),
        ({"shuffle": "x"}, TypeError, "Argument shuffle with value x"),
        (
            {"shuffle": True, "sampler": ds.SequentialSampler()},
            RuntimeError,
            "sampler and shuffle cannot be specified at the same time",
        ),
        (
            {"num_shards": 2, "shard_id": 0, "sampler": ds.SequentialSampler()},
            RuntimeError,
            "sampler and sharding cannot be specified at the same time",
        ),
        ({"num_shards": 2}, RuntimeError, "num_shards is specified and currently requires"),
        ({"shard_id": 2}, RuntimeError, "shard_id is specified but num_shards is not"),
        (
            {"num_shards": 2, "shard_id": 2},
            ValueError,
            r"Input shard_id is not within the required interval of \[0, 1\]",
        ),
        ({"num_shards": 2, "shard_id": "0"}, TypeError, "Argument shard_id with value 0"),
        ({"decode": 3}, TypeError, "Argument decode with value 3 is not of type"),
        ({"usage": "x"}, ValueError, r"valid set of \['train', 'test'\]"),
        ({"usage": 3}, TypeError, "Argument usage with value 3"),
        ({"cache": 3}, TypeError, "Argument cache with value 3"),
    ],
)
def test_arguments_are_checked_with_mindspores_words(tmp_path, arguments, kind, text):
    if arguments and "dataset_dir" not in arguments and "more" not in arguments:
        arguments = {"dataset_dir": str(tmp_path), **arguments}
    with pytest.raises(kind, match=text):
        ds.KITTIDataset(**arguments)


def test_a_function_that_fails_is_told_with_its_file(tmp_path):
    cases("images", str(tmp_path))
    data = ds.ImageFolderDataset(str(tmp_path / "folder"), shuffle=False).skip(3)

    def fail(x):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="The corresponding data files are: .*dog/0.jpg"):
        list(data.map(fail, "image"))


def test_cut_and_missing_files_are_refused(tmp_path):
    wrong = []
    for name, arguments in cases("images", str(tmp_path)):
        root = arguments.get("dataset_dir")
        if root is None or name in ("FakeImageDataset",):
            continue
        for folder, _, files in os.walk(root):
            for file in files:
                path = os.path.join(folder, file)
                with open(path, "rb") as f:
                    data = f.read()
                with open(path, "wb") as f:
                    f.write(data[: len(data) // 2])
    for name, arguments in cases_again(tmp_path):
        try:
            rows_of(ds, name, {**arguments})
        except (RuntimeError, ValueError):
            continue
        except Exception as e:
            wrong.append(f"{name} {arguments}: {type(e).__name__}: {e}")
    assert not wrong, "\n".join(wrong)


def cases_again(folder):
    """The cases over the folder as it is."""
    return [
        (n, {k: f"{folder}{v}" if k in PATHS else v for k, v in shown.items()})
        for n, shown, _ in recorded("images")
    ]


PATHS = ("dataset_dir", "annotation_file", "dataset_file")
