"""MNIST's IDX files: reading, and refusal of damaged ones."""
import gzip
import struct

import numpy as np
import pytest

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
    assert [int(r["label"]) for r in got] == (LABELS.tolist() if usage != "test" else [])[:n] + (
        LABELS[:2].tolist() if usage != "train" else [])


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
    with pytest.raises(ValueError, match="no folder"):
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
