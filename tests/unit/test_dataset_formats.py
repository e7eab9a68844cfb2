"""Parquet, Arrow, tar shards and LMDB: rows, orders, shares, damage."""

import io
import json
import tarfile

import lmdb
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import minds.dataset as ds


def rows(data):
    return list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


# ---- Parquet and Arrow


def table(first=0, n=5):
    numbers = list(range(first, first + n))
    return pyarrow.table(
        {
            "x": pyarrow.array(numbers, pyarrow.int16()),
            "name": [f"n{i}" for i in numbers],
            "raw": [bytes([i, i + 1]) for i in numbers],
            "box": [[i / 2] * (i % 3) for i in numbers],
            "grid": pyarrow.array([[[i, 1], [2, 3]] for i in numbers]),
        }
    )


def as_parquet(t, path):
    pyarrow.parquet.write_table(t, path, row_group_size=2)


def as_file(t, path):
    with pyarrow.ipc.new_file(path, t.schema) as out:
        out.write_table(t, max_chunksize=2)


def as_stream(t, path):
    with pyarrow.ipc.new_stream(path, t.schema) as out:
        out.write_table(t, max_chunksize=3)


@pytest.mark.parametrize("write", [as_parquet, as_file, as_stream])
def test_values_of_arrow_files(write, tmp_path):
    path = str(tmp_path / "a.data")
    write(table(), path)
    data = ds.ArrowDataset(path, shuffle=False)
    assert data.get_col_names() == ["x", "name", "raw", "box", "grid"]
    assert data.get_dataset_size() == 5
    for i, (x, name, raw, box, grid) in enumerate(rows(data)):
        assert (x, x.dtype, str(name)) == (i, np.int16, f"n{i}")
        assert raw.tolist() == [i, i + 1] and raw.dtype == np.uint8
        assert box.tolist() == [i / 2] * (i % 3) and box.dtype == np.float64
        assert grid.tolist() == [[i, 1], [2, 3]]
        x += 1  # it is the reader's own
    some = ds.ArrowDataset(path, ["name", "x"], shuffle=False, num_samples=2)
    assert [(str(n), int(x)) for n, x in rows(some)] == [("n0", 0), ("n1", 1)]


def test_shares_and_order_of_arrow_files(tmp_path):
    for k, (first, n) in enumerate([(0, 5), (5, 3), (8, 4)]):
        as_parquet(table(first, n), str(tmp_path / f"{k}.parquet"))
    files = str(tmp_path / "*.parquet")
    found = [
        [
            int(x)
            for (x,) in rows(ds.ArrowDataset(files, ["x"], shuffle=s, num_shards=2, shard_id=i))
        ]
        for s in (False, True)
        for i in (0, 1)
    ]
    assert sorted(found[0] + found[1]) == list(range(12)) and len(found[0]) == 6
    whole = [int(x) for (x,) in rows(ds.ArrowDataset(files, ["x"]))]
    assert sorted(whole) == list(range(12)) and whole != sorted(whole)


def test_faults_of_arrow_files(tmp_path):
    path = str(tmp_path / "a.parquet")
    as_parquet(table(), path)
    with pytest.raises(RuntimeError, match="has no column 'y'; it has x, name"):
        ds.ArrowDataset(path, ["y"])
    as_parquet(pyarrow.table({"x": [1, None, 3]}), path)
    with pytest.raises(RuntimeError, match=r"a\.parquet: column 'x' has rows without a value"):
        rows(ds.ArrowDataset(path))
    whole = (tmp_path / "a.parquet").read_bytes()
    for damaged in (b"", whole[:20], whole[:-8], b"x" * 40):
        (tmp_path / "b.parquet").write_bytes(damaged)
        with pytest.raises(RuntimeError, match=r"ArrowDataset: .*b\.parquet"):
            rows(ds.ArrowDataset(str(tmp_path / "b.parquet")))
    with pytest.raises(ValueError, match="did not match any files"):
        ds.ArrowDataset(str(tmp_path / "none.parquet"))


# ---- tar shards


def shard(path, samples, mode="w"):
    with tarfile.open(path, mode) as tar:
        for name, data in samples:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def array(value) -> bytes:
    out = io.BytesIO()
    np.save(out, value)
    return out.getvalue()


def samples(first=0, n=3):
    return [
        item
        for i in range(first, first + n)
        for item in [
            (f"part/{i:03}.cls", str(i).encode()),
            (f"part/{i:03}.seg.npy", array(np.full((2, 2), i, np.float32))),
            (f"part/{i:03}.txt", f"grüße {i}".encode()),
            (f"part/{i:03}.bin", bytes([i, 255])),
        ]
    ]


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_samples_of_shards(mode, tmp_path):
    path = str(tmp_path / "a.tar")
    shard(path, samples(), mode)
    data = ds.WebDataset(path, shuffle=False)
    assert data.get_col_names() == ["bin", "cls", "seg.npy", "txt"]
    assert data.get_dataset_size() == 3
    for i, (raw, label, mask, text) in enumerate(rows(data)):
        assert raw.tolist() == [i, 255] and (label, label.dtype) == (i, np.int64)
        assert mask.dtype == np.float32 and (mask == i).all() and str(text) == f"grüße {i}"
    named = rows(ds.WebDataset(path, ["__key__", "cls"], shuffle=False))
    assert [(str(k), int(c)) for k, c in named] == [(f"part/{i:03}", i) for i in range(3)]


def test_several_shards(tmp_path):
    for k in range(3):
        shard(str(tmp_path / f"{k}.tar"), samples(3 * k))
    files = str(tmp_path / "?.tar")
    parts = [
        [int(c) for (c,) in rows(ds.WebDataset(files, ["cls"], num_shards=2, shard_id=i))]
        for i in (0, 1)
    ]
    assert {*parts[0], *parts[1]} == set(range(9)) and len(parts[0]) == len(parts[1]) == 5


def test_faults_of_shards(tmp_path):
    path = tmp_path / "a.tar"
    shard(str(path), [*samples(0, 1), ("part/001.txt", b"no label")])
    with pytest.raises(RuntimeError, match=r"sample 'part/001' has no \.cls; it has txt"):
        rows(ds.WebDataset(str(path), ["cls"], shuffle=False))
    shard(str(path), [("0.npy", array(np.array([{}], object)))])
    with pytest.raises(RuntimeError, match=r"a\.tar: .*allow_pickle"):
        rows(ds.WebDataset(str(path)))
    for damaged in (b"", b"no tar" * 200, b"\x1f\x8b" + b"x" * 50):
        path.write_bytes(damaged)
        with pytest.raises(RuntimeError, match=r"WebDataset: .*a\.tar"):
            ds.WebDataset(str(path))


# ---- LMDB


def test_rows_of_lmdb(tmp_path):
    with lmdb.open(str(tmp_path / "base")) as base, base.begin(write=True) as writing:
        for i in range(6):
            writing.put(f"k{5 - i}".encode(), json.dumps({"v": 5 - i}).encode())
    data = ds.LMDBDataset(str(tmp_path / "base"), shuffle=False)
    assert data.get_dataset_size() == 6
    found = [(bytes(k).decode(), json.loads(bytes(v))["v"]) for k, v in rows(data)]
    assert found == [(f"k{i}", i) for i in range(6)]
    part = ds.LMDBDataset(str(tmp_path / "base"), shuffle=False, num_shards=3, shard_id=1)
    assert [bytes(k) for k, _ in rows(part)] == [b"k1", b"k4"]
    values = ds.LMDBDataset(str(tmp_path / "base")).map(
        lambda v: np.int64(json.loads(bytes(v))["v"]), "value", num_parallel_workers=2
    )
    assert sorted(int(v) for _, v in rows(values)) == list(range(6))


def test_faults_of_lmdb(tmp_path):
    with pytest.raises(ValueError, match="does not exist"):
        ds.LMDBDataset(str(tmp_path / "none"))
    (tmp_path / "data.mdb").write_bytes(b"no database" * 400)
    with pytest.raises(RuntimeError, match="LMDBDataset: "):
        ds.LMDBDataset(str(tmp_path))
