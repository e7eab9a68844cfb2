"""Datasets of known folders: their rows are MindSpore 2.10's, which dataset_rows_*.json has recorded."""

import importlib.util
import json
import os
import struct

import numpy as np
import pytest
from dataset_folders import FAMILIES, cases, rows_of

import minds.dataset as ds
from minds.dataset import DatasetError
from minds.dataset.matlab import read_mat

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
    "TedliumDataset",
}


def recorded(family):
    with open(os.path.join(HERE, f"dataset_rows_{family}.json"), encoding="utf-8") as f:
        return json.load(f)


def in_order(name, rows):
    if name == "TedliumDataset":  # MindSpore gives zeros for files that are so short
        rows = [{c: v for c, v in r.items() if c != "waveform"} for r in rows]
    return sorted(rows, key=lambda r: json.dumps(r, sort_keys=True)) if name in UNORDERED else rows


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_are_those_of_mindspore(family, tmp_path):
    wrong, expected = [], recorded(family)
    found = cases(family, str(tmp_path))
    assert [n for n, _ in found] == [n for n, _, _ in expected] and len(found) > 20
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

    with pytest.raises(RuntimeError, match="The corresponding data file is: .*dog/0.jpg"):
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


def wav(code, bits, channels, body):
    head = struct.pack("<HHIIHH", code, channels, 8000, 1, 1, bits)
    parts = b"WAVEjunk" + struct.pack("<I", 3) + b"abc\0" + b"fmt " + struct.pack("<I", 16) + head
    parts += b"data" + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(parts)) + parts


@pytest.mark.parametrize(
    "file, values",
    [
        (wav(1, 16, 1, struct.pack("<4h", 32767, -32767, 0, 1)), [[1, -1, 0, 1 / 32767]]),
        (wav(1, 16, 2, struct.pack("<4h", 32767, -32767, 0, 1)), [[1, 0], [-1, 1 / 32767]]),
        (wav(1, 8, 1, bytes([0, 128, 255])), [[-1, 0, 127 / 128]]),
        (wav(1, 24, 1, bytes([0, 0, 128, 255, 255, 127])), [[-1, 1 - 2**-23]]),
        (wav(1, 32, 1, struct.pack("<2i", -(2**31), 2**30)), [[-1, 0.5]]),
        (wav(3, 32, 1, struct.pack("<2f", 0.5, -2)), [[0.5, -2]]),
        (wav(1, 16, 1, b""), [[]]),
    ],
)
def test_wav_files(tmp_path, file, values):
    (tmp_path / "0_0_1_1_0_1_0_1.wav").write_bytes(file)
    waveform, rate, labels = next(
        ds.YesNoDataset(str(tmp_path)).create_tuple_iterator(output_numpy=True)
    )
    assert np.allclose(waveform, np.array(values, np.float32), atol=1e-9)
    assert waveform.shape == np.shape(values) and waveform.dtype == np.float32
    assert int(rate) == 8000 and labels.tolist() == [0, 0, 1, 1, 0, 1, 0, 1]


@pytest.mark.parametrize(
    "file, text",
    [
        (b"", "no WAV file"),
        (wav(1, 16, 1, b"1234")[:-2], "ends after 2"),
        (wav(2, 4, 1, b"1234"), "format 2 with 1 channels of 4 bits"),
        (wav(1, 16, 0, b"1234"), "format 1 with 0 channels"),
        (wav(1, 16, 1, b"1234")[:24], "no samples"),
    ],
)
def test_damaged_wav_files(tmp_path, file, text):
    (tmp_path / "0_0_1_1_0_1_0_1.wav").write_bytes(file)
    with pytest.raises(ds.DatasetError, match=f"0_0_1_1_0_1_0_1.wav.*{text}.*row 0"):
        next(ds.YesNoDataset(str(tmp_path)).create_tuple_iterator())


def test_segments_of_a_sphere_file(tmp_path):
    name, arguments = cases("sounds", str(tmp_path))[-1]
    samples = np.random.RandomState(3).randint(-32768, 32767, 40)
    (row,) = ds.TedliumDataset(**arguments).create_dict_iterator(num_epochs=1, output_numpy=True)
    assert np.allclose(row["waveform"], samples[2:12] / 32767)


def test_the_page_lists_all_datasets():
    path = os.path.join(HERE, "..", "docs", "datasets_table.py")
    spec = importlib.util.spec_from_file_location("datasets_table", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    with open(made.PAGE, encoding="utf-8") as f:
        text = f.read()
    assert made.page(text) == text, "python tests/docs/datasets_table.py writes it"
    assert sum(map(len, made.declared().values())) >= 66


def test_damaged_files_of_matlab(tmp_path):
    """Each is refused before SciPy reads it, which some would end the process of; of those taken, the
    values differ only where the alteration is.
    """
    from scipy.io import savemat

    boundary = np.zeros((1,), [("Boundaries", object), ("Segmentation", object)])
    boundary[0] = (np.zeros((2, 1), object), np.arange(6, dtype=np.uint8).reshape(2, 3))
    path, rng = tmp_path / "a.mat", np.random.default_rng(5)
    savemat(path, {"GTcls": boundary, "labels": np.arange(5), "s": "text"})
    whole, refused = path.read_bytes(), 0
    assert read_mat("A", str(path), ("GTcls",))["GTcls"][0]["Segmentation"][0][1, 2] == 5
    for at in [553, 480, 624, 370, 246, 207, 181, 625, *rng.integers(128, len(whole), 200)]:
        altered = bytearray(whole)
        altered[at] ^= int(rng.integers(1, 256))
        path.write_bytes(altered)
        try:
            read_mat("A", str(path))
        except DatasetError as e:
            assert str(path) in str(e)
            refused += 1
    assert refused > 100
    path.write_bytes(whole[:-9])
    with pytest.raises(DatasetError, match="an element of .* bytes has"):
        read_mat("A", str(path))


@pytest.mark.parametrize("label", ["-1", "99999999999999999999"])
def test_a_number_that_no_label_holds(tmp_path, label):
    path = tmp_path / "train.json"
    path.write_text(f'{{"sentence": "a", "label": {label}, "label_desc": "b"}}\n')
    data = ds.CLUEDataset(str(path), task="TNEWS", usage="train")
    with pytest.raises(DatasetError, match="train.json at line 1"):
        list(data.create_dict_iterator(num_epochs=1))


@pytest.mark.parametrize("write", ["write_png", "write_jpeg", "write_file"])
def test_a_file_that_cannot_be_written(tmp_path, write):
    image = np.zeros((3, 3, 3) if write != "write_file" else 9, np.uint8)
    name = "".join(map(str.title, write.split("_")))
    for path in (tmp_path / "none" / "a.png", tmp_path):
        with pytest.raises(RuntimeError, match=f"^{name}: filename is '{path}': "):
            getattr(ds.vision, write)(str(path), image)
