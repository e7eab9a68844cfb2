"""Datasets of files: reading, and refusal of damaged ones."""

import gzip
import struct

import numpy as np
import pytest
from PIL import Image

import minds.dataset as ds
from minds.dataset import mnist


def idx(a):
    return struct.pack(f">BBBB{a.ndim}I", 0, 0, 8, a.ndim, *a.shape) + a.tobytes()


IMAGES = np.arange(5 * 28 * 28, dtype=np.uint8).reshape(5, 28, 28)
LABELS = np.array([3, 1, 4, 1, 5], np.uint8)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "train-images-idx3-ubyte").write_bytes(idx(IMAGES))
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(idx(LABELS))
    (tmp_path / "t10k-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(IMAGES[:2])))
    (tmp_path / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(LABELS[:2])))
    return tmp_path


@pytest.mark.parametrize("usage, n", [("train", 5), ("test", 2), ("all", 7), (None, 7)])
def test_parts(folder, usage, n):
    d = ds.MnistDataset(str(folder), usage, shuffle=False)
    got = list(d.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert len(got) == n == d.get_dataset_size() and d.get_col_names() == ["image", "label"]
    assert got[0]["image"].shape == (28, 28, 1) and got[0]["image"].dtype == np.uint8
    assert (got[0]["image"][..., 0] == IMAGES[0]).all() and got[0]["label"].dtype == np.uint32
    # In the order of the files' names, as in MindSpore: the test part comes first.
    assert [int(r["label"]) for r in got] == (LABELS[:2].tolist() if usage != "train" else []) + (
        LABELS.tolist() if usage != "test" else []
    )


@pytest.mark.parametrize(
    "damage, reason",
    [
        (lambda b: b[:3], "ends within its header"),
        (lambda b: b"", "ends within its header"),
        (lambda b: b[:-1], "claims 5 bytes of data, it has 4"),
        (lambda b: b + b"x", "it has 6"),
        (lambda b: b"\1" + b[1:], "not with 00 00 08 01"),
        (lambda b: b[:3] + b"\3" + b[4:], "not with 00 00 08 01"),
        (lambda b: b[:4] + b"\xff" * 4 + b[8:], "claims the shape"),
        (lambda b: b[:4] + struct.pack(">I", 9_000_000) + b[8:], "claims 9000000 bytes"),
    ],
)
def test_damaged_files_are_refused(folder, damage, reason):
    path = folder / "train-labels-idx1-ubyte"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ds.DatasetError, match=reason) as e:
        ds.MnistDataset(str(folder), "train")
    assert "train-labels-idx1-ubyte" in str(e.value)


@pytest.mark.parametrize(
    "damage, reason",
    [
        (lambda b: gzip.compress(b)[:-9], "ended|truncated|end-of-stream"),
        (lambda b: b, "gzip|Not a gzipped"),
        (lambda b: gzip.compress(b + bytes(1 << 20)), "it has more"),
        (lambda b: gzip.compress(b[:-1]), "it has 1"),
    ],
)
def test_damaged_gzip_is_refused(folder, damage, reason):
    path = folder / "t10k-labels-idx1-ubyte.gz"
    path.write_bytes(damage(idx(LABELS[:2])))
    with pytest.raises(ds.DatasetError, match=reason):
        ds.MnistDataset(str(folder), "test")


def test_missing_and_mismatched(folder, tmp_path):
    (folder / "train-labels-idx1-ubyte").write_bytes(idx(LABELS[:4]))
    with pytest.raises(RuntimeError, match="5 images.*4 labels"):
        ds.MnistDataset(str(folder), "train")
    (folder / "train-labels-idx1-ubyte").unlink()
    with pytest.raises(RuntimeError, match="no file train-labels-idx1-ubyte"):
        ds.MnistDataset(str(folder), "train")
    with pytest.raises(ValueError, match="does not exist or is not a directory"):
        ds.MnistDataset(str(tmp_path / "nowhere"))
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(RuntimeError, match="no MNIST files"):
        ds.MnistDataset(str(empty))
    with pytest.raises(ValueError, match="usage"):
        ds.MnistDataset(str(folder), "testing")


def test_read_idx_rank(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(idx(IMAGES))
    assert (mnist.read_idx(str(path), 3) == IMAGES).all()
    with pytest.raises(ds.DatasetError, match="IDX file with 1 dimension of bytes"):
        mnist.read_idx(str(path), 1)


@pytest.fixture
def photos(tmp_path):
    for name, colours in (("cat", (10, 20)), ("ant", (30,))):
        (tmp_path / name).mkdir()
        for c in colours:
            Image.fromarray(np.full((4, 5, 3), c, np.uint8)).save(tmp_path / name / f"{c}.png")
    (tmp_path / "cat" / "note.txt").write_text("no image")
    return tmp_path


def read(d):
    return list(d.create_dict_iterator(num_epochs=1, output_numpy=True))


def test_image_folder(photos):
    d = ds.ImageFolderDataset(
        str(photos), shuffle=False, decode=True, extensions=[".png"], num_parallel_workers=2
    )
    got = [(int(r["image"][0, 0, 0]), r["image"].shape, int(r["label"])) for r in read(d)]
    assert got == [(30, (4, 5, 3), 0), (10, (4, 5, 3), 1), (20, (4, 5, 3), 1)]
    assert d.num_classes() == 2 and d.get_class_indexing() == {"ant": 0, "cat": 1}
    raw = read(ds.ImageFolderDataset(str(photos), shuffle=False, class_indexing={"cat": 7}))
    assert (
        raw[0]["image"].tobytes() == (photos / "cat" / "10.png").read_bytes()
        and raw[0]["label"] == 7
    )
    assert raw[0]["label"].dtype == np.int32 and len(raw) == 3
    with pytest.raises(RuntimeError, match="note.txt"):
        read(ds.ImageFolderDataset(str(photos), decode=True))
    with pytest.raises(RuntimeError, match="interface mismatch or no data found"):
        ds.ImageFolderDataset(str(photos / "cat"))
    with pytest.raises(ValueError, match="does not exist or is not a directory"):
        ds.ImageFolderDataset(str(photos / "dog"))


def test_cifar(tmp_path):
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (6, 3, 32, 32), np.uint8)
    for i, p in enumerate(pixels):
        name = f"data_batch_{i + 1}.bin" if i < 5 else "test_batch.bin"
        (tmp_path / name).write_bytes(bytes([i]) + p.tobytes())
    for usage, n in (("train", 5), ("test", 1), ("all", 6), (None, 6)):
        got = read(ds.Cifar10Dataset(str(tmp_path), usage, shuffle=False))
        assert len(got) == n
    assert (got[5]["image"] == pixels[5].transpose(1, 2, 0)).all() and got[5]["label"] == 5
    (tmp_path / "train.bin").write_bytes(bytes([3, 42]) + pixels[0].tobytes())
    row = read(ds.Cifar100Dataset(str(tmp_path)))[0]
    assert (row["coarse_label"], row["fine_label"]) == (3, 42)
    assert list(row) == ["image", "coarse_label", "fine_label"]
    with pytest.raises(RuntimeError, match="test.bin"):
        ds.Cifar100Dataset(str(tmp_path), "test")
    (tmp_path / "test_batch.bin").write_bytes(bytes(3000))
    with pytest.raises(RuntimeError, match="3000 bytes are no whole number"):
        ds.Cifar10Dataset(str(tmp_path), "test")
