"""A write that fails leaves no open file and no rows that were not there before."""

import errno
import os

import numpy as np
import pytest

import minds.dataset as ds
from minds.mindrecord import CsvToMR, FileReader, FileWriter, errors


def writer_of(path, shards=1, **k):
    writer = FileWriter(str(path), shards, **k)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema({"x": {"type": "int32"}, "b": {"type": "bytes"}})
    return writer


def rows(first, n=40):
    return [{"x": i, "b": bytes(1000)} for i in range(first, first + n)]


def handles(folder) -> list:
    """The open files of this process that lie in ``folder``."""
    found = []
    for fd in os.listdir("/proc/self/fd"):
        try:
            path = os.readlink(f"/proc/self/fd/{fd}")
        except OSError:
            continue
        if path.startswith(str(folder)):
            found.append(path)
    return found


@pytest.fixture
def full(monkeypatch):
    """Lets the disk be full after so many writes."""

    def after(writes):
        left, true = [writes], os.pwrite

        def pwrite(*args):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return true(*args)

        monkeypatch.setattr(os, "pwrite", pwrite)

    yield after


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("writes", [0, 1, 3])
def test_disk_full_while_rows_are_written(tmp_path, full, shards, writes):
    writer = writer_of(tmp_path / "a.mindrecord", shards)
    full(writes)
    with pytest.raises(errors.MRMWriteDatasetError, match="No space left"):
        for i in range(9):
            writer.write_raw_data(rows(40 * i))
    assert handles(tmp_path) == [] and os.listdir(tmp_path) == []
    for call in (writer.commit, lambda: writer.write_raw_data(rows(0))):
        with pytest.raises(errors.MRMWriteDatasetError, match="an earlier write failed"):
            call()


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_disk_full_while_the_headers_are_written(tmp_path, full, writes):
    writer = writer_of(tmp_path / "a.mindrecord", 3)
    writer.write_raw_data(rows(0))
    full(writes)
    with pytest.raises(errors.MRMWriteDatasetError, match="No space left"):
        writer.commit()
    assert handles(tmp_path) == [] and os.listdir(tmp_path) == []


@pytest.mark.parametrize("fails", ["rows", "first header", "second header"])
def test_what_is_appended_to_is_as_it_was(tmp_path, monkeypatch, fails):
    path = str(tmp_path / "a.mindrecord")
    writer = writer_of(path, 2)
    writer.write_raw_data(rows(0))
    writer.commit()
    writer = FileWriter.open_for_append(path + "0")
    true, failing = os.pwrite, [2 if fails == "second header" else 1]

    def pwrite(fd, data, at):
        if (at == 0) is ("header" in fails) and len(data) > 100:
            failing[0] -= 1
            if failing[0] == 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return true(fd, data, at)

    monkeypatch.setattr(os, "pwrite", pwrite)
    with pytest.raises(errors.MRMWriteDatasetError, match="No space left"):
        writer.write_raw_data(rows(40))
        writer.commit()
    monkeypatch.undo()
    assert handles(tmp_path) == []
    assert sorted(r["x"] for r in FileReader(path + "0").get_next()) == list(range(40))
    writer = FileWriter.open_for_append(path + "0")
    writer.write_raw_data(rows(40))
    writer.commit()
    assert sorted(r["x"] for r in FileReader(path + "0").get_next()) == list(range(80))
    assert handles(tmp_path) == []


def test_a_row_that_is_too_large_harms_no_other(tmp_path):
    path = tmp_path / "a.mindrecord"
    writer = writer_of(path, 2)
    writer.write_raw_data(rows(0))
    with pytest.raises(errors.MRMWriteDatasetError, match="is too small to save a blob row"):
        writer.write_raw_data([*rows(40), {"x": 0, "b": bytes(1 << 15)}])
    writer.write_raw_data(rows(80))
    writer.commit()
    found = sorted(r["x"] for r in FileReader(f"{path}0").get_next())
    assert found == [*range(40), *range(80, 120)]


def test_no_file_is_made_for_rows_that_do_not_fit(tmp_path):
    writer = writer_of(tmp_path / "a.mindrecord")
    with pytest.raises(errors.MRMWriteDatasetError, match="There is no valid data"):
        writer.write_raw_data([{"x": "one", "b": b""}])
    assert os.listdir(tmp_path) == []


def test_files_that_cannot_be_opened(tmp_path):
    path = tmp_path / "a.mindrecord"
    os.mkdir(f"{path}1.db")
    writer = FileWriter(str(path), 2, overwrite=False)
    writer.add_schema({"x": {"type": "int32"}})
    with pytest.raises(errors.MRMOpenError):
        writer.write_raw_data([{"x": 1}])
    assert handles(tmp_path) == [] and os.listdir(tmp_path) == ["a.mindrecord1.db"]


def test_a_pipeline_that_fails_while_it_is_saved(tmp_path):
    path = str(tmp_path / "a.mindrecord")

    def broken(x):
        if x == 300:
            raise ValueError("row 300")
        return x

    data = ds.NumpySlicesDataset(np.arange(400, dtype=np.int32), ["x"], shuffle=False)
    with pytest.raises(RuntimeError, match="row 300"):
        data.map(broken, "x").save(path)
    assert handles(tmp_path) == [] and os.listdir(tmp_path) == []


def test_a_converter_that_fails(tmp_path, full):
    with open(tmp_path / "a.csv", "w") as f:
        f.write("x\n" + "1\n" * 600)
    full(1)
    with pytest.raises(errors.MRMWriteDatasetError):
        CsvToMR(str(tmp_path / "a.csv"), str(tmp_path / "a.mindrecord")).run()
    assert os.listdir(tmp_path) == ["a.csv"] and handles(tmp_path) == []


def test_discard_after_commit_does_nothing(tmp_path):
    path = tmp_path / "a.mindrecord"
    writer = writer_of(path)
    writer.write_raw_data(rows(0))
    writer.commit()
    writer.discard()
    assert len(list(FileReader(str(path)).get_next())) == 40
