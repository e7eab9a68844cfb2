"""Datasets whose files are damaged: rows, or an error that says where; nothing hangs or stays open."""

import gc
import os

import numpy as np
import pytest
from dataset_folders import FAMILIES, cases

import minds.dataset as ds


def damaged(data: bytes, rng) -> bytes:
    """``data`` cut off, emptied, altered, longer, other bytes, or without a part."""
    data, kind = bytearray(data), rng.integers(6)
    at = int(rng.integers(len(data) + 1))
    if kind == 0:
        return bytes(data[:at])
    if kind == 1:
        return b""
    if kind == 2:
        for place in rng.integers(len(data), size=rng.choice([1, 3, 20])) if data else ():
            data[place] = rng.integers(256)
    elif kind == 3:
        data += rng.bytes(int(rng.choice([1, 7, 100])))
    elif kind == 4:
        return rng.bytes(int(rng.choice([1, 16, 300])))
    else:
        del data[at : at + int(rng.choice([1, 4, 40]))]
    return bytes(data)


def files(arguments: dict) -> list[str]:
    """The files that the arguments of a dataset name, and those of its folders."""
    given = [p for v in arguments.values() for p in (v if isinstance(v, list) else [v])]
    found = [p for p in given if isinstance(p, str) and os.path.isfile(p)]
    folders = [p for p in given if isinstance(p, str) and os.path.isdir(p)]
    return found + [os.path.join(r, f) for p in folders for r, _, fs in os.walk(p) for f in fs]


def read(name: str, arguments: dict) -> None:
    data = getattr(ds, name)(shuffle=False, **arguments)
    for _ in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        pass


def arrow(folder: str) -> list:
    """Cases of Arrow's files, which say themselves where their arrays lie."""
    pa = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    os.makedirs(folder)
    table = pa.table({"s": ["x" * (i % 5) for i in range(50)], "l": [[1.0] * 3] * 50})
    path = os.path.join(folder, "a.feather")
    feather.write_feather(table, path, compression="uncompressed")
    return [("ArrowDataset", {"dataset_files": path})] * 20


@pytest.mark.parametrize("family", [*FAMILIES, "arrow"])
def test_rows_or_an_error_that_says_where(family, tmp_path, pytestconfig):
    folder = str(tmp_path / family)
    made = arrow(folder) if family == "arrow" else cases(family, folder)
    rng, handles = np.random.default_rng(5), len(os.listdir("/proc/self/fd"))
    for _ in range(20 if pytestconfig.getoption("whole") else 1):
        for name, arguments in made:
            path = str(rng.choice(files(arguments)))
            with open(path, "rb") as f:
                before = f.read()
            with open(path, "wb") as f:
                f.write(damaged(before, rng))
            try:
                read(name, arguments)
            except (ds.DatasetError, ValueError) as e:
                assert folder in str(e) or "No such file" in str(e), (name, path)
            with open(path, "wb") as f:
                f.write(before)
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= handles


@pytest.mark.parametrize("size", [4096, 8192])
def test_an_lmdb_database_that_was_cut_off(tmp_path, size):
    lmdb = pytest.importorskip("lmdb")
    base = lmdb.open(str(tmp_path / "base"), map_size=1 << 20)
    with base.begin(write=True) as writing:
        for i in range(99):
            writing.put(b"%04d" % i, bytes(99))
    base.close()
    os.truncate(tmp_path / "base" / "data.mdb", size)
    with pytest.raises(ds.DatasetError, match=r"data.mdb needs \d+ bytes, but has|base: "):
        ds.LMDBDataset(str(tmp_path / "base"))
