"""MindRecord: files are MindSpore's to the byte, and damaged ones are refused."""

import gzip
import hashlib
import json
import os
import sqlite3
import types

import numpy as np
import pytest

from minds.mindrecord import (
    SUCCESS,
    CsvToMR,
    FileReader,
    FileWriter,
    MindPage,
    MnistToMR,
    TFRecordToMR,
    errors,
)
from minds.records import tfrecord

SCHEMA = {
    "name": {"type": "string"},
    "label": {"type": "int32"},
    "score": {"type": "float64"},
    "vector": {"type": "float32", "shape": [-1]},
    "table": {"type": "int64", "shape": [2, -1]},
    "data": {"type": "bytes"},
}


def row(i):
    return {
        "name": f"né{i}",
        "label": i - 2,
        "score": 0.3 * i,
        "vector": np.arange(i + 1, dtype=np.float32),
        "table": np.array([[i, -i * 70000], [300, 2**40 * i]], np.int64),
        "data": b"\0ab" * i,
    }


def write(path, rows, shards=1, schema=SCHEMA, index=None, **sizes):
    writer = FileWriter(str(path), shards)
    writer.set_header_size(sizes.get("header", 1 << 14))
    writer.set_page_size(sizes.get("page", 1 << 15))
    writer.add_schema(schema, "some rows")
    if index:
        writer.add_index(index)
    writer.write_raw_data(rows)
    writer.commit()
    return str(path)


def same(a, b):
    return a.keys() == b.keys() and all(
        np.array_equal(a[k], b[k]) and type(a[k]) is type(b[k]) for k in a
    )


@pytest.mark.parametrize("shards", [1, 3])
def test_what_is_written_is_read(tmp_path, shards):
    path = write(tmp_path / "a.mindrecord", [row(i) for i in range(10)], shards)
    first = path if shards == 1 else f"{path}0"
    reader = FileReader(first)
    got = list(reader.get_next())
    assert reader.len() == 10 and reader.schema() == SCHEMA
    assert all(same(g, row(i)) for i, g in enumerate(got))
    assert list(FileReader(first, columns=["label", "data"]).get_next())[4] == {
        "label": 2,
        "data": b"\0ab" * 4,
    }
    reader.close()
    assert list(reader.get_next()) == []


def test_a_list_names_just_its_files(tmp_path):
    path = write(tmp_path / "a.mindrecord", [row(i) for i in range(10)], 4)
    got = FileReader([f"{path}2", f"{path}0"], columns=["label"]).get_next()
    assert [r["label"] + 2 for r in got] == [6, 7, 0, 1, 2]


# The header that MindSpore 2.10 writes for these rows, and the hash of its pages.
HEADER = (
    '{"header_size":16384,"index_fields":null,"page":[{"end_row_id":6,"page_id":0,"page_size":30198,'
    '"page_type":"BLOB_DATA","page_type_id":0,"row_group_ids":[{"id":0,"offset":0}],"shard_id":0,'
    '"start_row_id":0},{"end_row_id":0,"page_id":1,"page_size":130,"page_type":"RAW_DATA",'
    '"page_type_id":0,"row_group_ids":[{"id":0,"offset":0},{"id":1,"offset":78}],"shard_id":0,'
    '"start_row_id":0},{"end_row_id":10,"page_id":2,"page_size":30124,"page_type":"BLOB_DATA",'
    '"page_type_id":1,"row_group_ids":[{"id":0,"offset":0}],"shard_id":0,"start_row_id":6}],'
    '"page_size":32768,"compression_size":138,"schema":[{"blob_fields":["b","n"],"desc":"x",'
    '"schema":{"b":{"type":"bytes"},"n":{"shape":[-1],"type":"int64"}}}],"shard_addresses":'
    '["b3.mr0","b3.mr1"],"shard_id":0,"statistics":null,"version":"3.0"}'
)
HASHES = [
    "39350a65a6279819ef354a06b3ea1f087dbe93f4391c78f15cc8d8545ef30cdb",
    "6730dac5cee4159e9779aa951ee6493b0b8b0a9a87f0f9a275e905049cc9674a",
]


def test_files_are_those_of_mindspore(tmp_path):
    writer = FileWriter(str(tmp_path / "b3.mr"), 2)
    writer.set_page_size(1 << 15)
    writer.set_header_size(1 << 14)
    writer.add_schema({"n": {"type": "int64", "shape": [-1]}, "b": {"type": "bytes"}}, "x")
    for factor in (-70000, 7):
        writer.write_raw_data(
            [{"n": np.array([i, i * factor]), "b": b"z" * (3000 * i)} for i in range(9)]
        )
    writer.commit()
    for shard in range(2):
        data = (tmp_path / f"b3.mr{shard}").read_bytes()
        length = int.from_bytes(data[:8], "little")
        if shard == 0:
            assert data[8 : 8 + length].decode() == HEADER
        assert hashlib.sha256(data).hexdigest() == HASHES[shard]
    db = sqlite3.connect(tmp_path / "b3.mr0.db")
    assert db.execute("SELECT * FROM INDEXES WHERE ROW_ID > 4").fetchall()[:2] == [
        (5, 1, 65, 78, 0, 0, 30167, 30198),
        (6, 1, 78, 91, 1, 2, 0, 3031),
    ]
    db.close()


def test_rows_that_do_not_fit_are_left_out(tmp_path, caplog):
    path = write(
        tmp_path / "a.mr",
        [{"a": 1}, {"a": "x"}, {"b": 1}, {"a": 2**40}, {"a": np.int32(3)}],
        schema={"a": {"type": "int32"}},
    )
    assert [r["a"] for r in FileReader(path).get_next()] == [1, 3]
    assert "1 th data is wrong" in caplog.text and "2 th data" in caplog.text
    writer = FileWriter(str(tmp_path / "b.mr"))
    writer.add_schema({"a": {"type": "int32"}})
    with pytest.raises(RuntimeError, match="There is no valid data"):
        writer.write_raw_data([{"a": "x"}])


def test_appending_and_overwriting(tmp_path):
    path = write(tmp_path / "a.mr", [row(i) for i in range(3)])
    writer = FileWriter.open_for_append(path)
    writer.write_raw_data([row(7)])
    writer.commit()
    assert [r["label"] for r in FileReader(path).get_next()] == [-2, -1, 0, 5]
    with pytest.raises(RuntimeError, match="Not allowed to call `write_raw_data`"):
        writer.write_raw_data([row(1)])
    with pytest.raises(RuntimeError, match="mindrecord files already exist"):
        write(path, [row(1)])
    again = FileWriter(path, overwrite=True)
    again.add_schema(SCHEMA)
    again.write_raw_data([row(9)])
    again.commit()
    assert [r["label"] for r in FileReader(path).get_next()] == [7]


def test_no_rows_and_parallel_writing(tmp_path):
    writer = FileWriter(str(tmp_path / "a.mr"))
    writer.add_schema(SCHEMA)
    writer.commit()
    assert FileReader(str(tmp_path / "a.mr")).len() == 0
    writer = FileWriter(str(tmp_path / "b.mr"), 2)
    writer.add_schema({"a": {"type": "int32"}})
    for i in range(4):
        writer.write_raw_data([{"a": i}], True)
    writer.commit()
    assert [r["a"] for r in FileReader(str(tmp_path / "b.mr0")).get_next()] == [0, 2, 1, 3]


def test_pages_by_category(tmp_path):
    rows = [{"label": i % 3, "name": f"n{i}", "data": bytes([i])} for i in range(10)]
    schema = {n: SCHEMA[n] for n in ("label", "name", "data")}
    path = write(tmp_path / "a.mr", rows, 2, schema, ["name", "label"])
    pages = MindPage(path + "0")
    assert pages.candidate_fields == ["name", "label"] and pages.category_field is None
    pages.category_field = "label"
    info = json.loads(pages.read_category_info())
    assert info["key"] == "label_0" and [c["count"] for c in info["categories"]] == [4, 3, 3]
    assert [r["name"] for r in pages.read_at_page_by_id(0, 1, 3)] == ["n9"]
    assert pages.read_at_page_by_name("1", 0, 9) == [rows[1], rows[4], rows[7]]
    for call, text in (
        (
            lambda: pages.read_at_page_by_id(9, 0, 1),
            r"category_id: 9 must be in the range \[0, 3\]",
        ),
        (lambda: pages.read_at_page_by_name("x", 0, 1), "category_name: x could not found"),
        (lambda: pages.read_at_page_by_id(-1, 0, 1), "Category id should be int"),
        (lambda: pages.read_at_page_by_id(0, "0", 1), "Page should be int"),
        (lambda: pages.read_at_page_by_id(0, 0, 0), "num_row should be int"),
        (lambda: setattr(pages, "category_field", "data"), "is not a candidate"),
    ):
        with pytest.raises(errors.MindRecordException, match=text):
            call()


@pytest.mark.parametrize(
    "make, kind, text",
    [
        (lambda: FileWriter("a", None), "ParamValueError", "Parameter shard_num is None."),
        (lambda: FileWriter("a", "2"), "ParamValueError", "shard_num's type is not int"),
        (lambda: FileWriter("a", 1001), "ParamValueError", "1001 should between 1 and 1000"),
        (lambda: FileWriter("a", 1, 1), "ParamValueError", "overwrite's type is not bool"),
        (lambda: FileWriter("a*b"), "ParamValueError", "File name should not contains"),
        (lambda: FileWriter(""), "ParamValueError", "not allowed None or empty"),
        (lambda: FileWriter("a").add_index(["x"]), "MRMGetMetaError", "Failed to get meta info"),
        (lambda: FileWriter("a").add_schema({}), "MRMInvalidSchemaError", "content is empty"),
        (
            lambda: FileWriter("a").add_schema({"a": {"type": "str"}}),
            "MRMInvalidSchemaError",
            "illegal attribute 'str'",
        ),
        (
            lambda: FileWriter("a").add_schema({"a b": {"type": "int32"}}),
            "MRMInvalidSchemaError",
            "should be composed of",
        ),
        (lambda: FileWriter("a").set_page_size(1), "MRMInvalidPageSizeError", "32768 bytes"),
        (
            lambda: FileWriter("a").set_page_size(32769),
            "MRMInvalidPageSizeError",
            "divided by four",
        ),
        (lambda: FileWriter("a").set_header_size(1), "MRMInvalidHeaderSizeError", "16384 bytes"),
        (lambda: FileReader("a", None), "ParamValueError", "Parameter num_consumer is None."),
        (lambda: MindPage("a", "2"), "ParamValueError", "Parameter num_consumer is not int."),
        (lambda: FileReader("nothing"), "DamagedFile", "can not be found"),
        (lambda: FileReader("nothing", columns="a"), "ParamTypeError", "expect list type"),
    ],
)
def test_wrong_arguments(make, kind, text):
    with pytest.raises(getattr(errors, kind), match=text):
        make()


def test_a_row_larger_than_a_page_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match="is too small to save a blob row"):
        write(tmp_path / "a.mr", [{"d": b"q" * 40000}], schema={"d": {"type": "bytes"}})


def test_missing_and_renamed_files(tmp_path):
    path = write(tmp_path / "a.mr", [row(i) for i in range(4)], 2)
    os.rename(f"{path}1.db", tmp_path / "kept")
    with pytest.raises(RuntimeError, match=".db exists and do not rename the mindrecord file"):
        FileReader(f"{path}0")
    os.rename(tmp_path / "kept", f"{path}1.db")
    os.rename(f"{path}1", tmp_path / "kept")
    with pytest.raises(RuntimeError, match="do not rename the mindrecord file."):
        FileReader(f"{path}0")
    one = write(tmp_path / "b.mr", [row(1)])
    os.rename(one, tmp_path / "c.mr")
    os.rename(f"{one}.db", tmp_path / "c.mr.db")
    with pytest.raises(RuntimeError, match="b.mr can not be found"):
        FileReader(str(tmp_path / "c.mr"))


def test_damaged_files_are_refused(tmp_path):
    """Each altered file is read to its end or ends in one kind of error."""
    path = write(tmp_path / "a.mr", [row(i) for i in range(5)])
    whole, index = (tmp_path / "a.mr").read_bytes(), (tmp_path / "a.mr.db").read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    pages = [8 + int(rng.integers(700)) for _ in range(40)]
    pages += [(1 << 14) + int(rng.integers(300)) for _ in range(60)]
    pages += [(3 << 14) + int(rng.integers(200)) for _ in range(60)]
    for at in pages:
        data = bytearray(whole)
        data[at] ^= int(rng.integers(1, 256))
        (tmp_path / "a.mr").write_bytes(data)
        refused += is_refused(path)
    for end in rng.integers(0, len(whole), 40):
        (tmp_path / "a.mr").write_bytes(whole[:end])
        refused += is_refused(path)
    (tmp_path / "a.mr").write_bytes(whole)
    for _ in range(60):
        data = bytearray(index)
        data[int(rng.integers(len(index)))] ^= int(rng.integers(1, 256))
        (tmp_path / "a.mr.db").write_bytes(data)
        refused += is_refused(path)
    assert refused > 60


def is_refused(path):
    try:
        list(FileReader(path).get_next())
    except errors.MindRecordException:
        return True
    return False


def test_a_file_that_shrinks_while_it_is_read(tmp_path):
    path = write(tmp_path / "a.mr", [row(i) for i in range(5)])
    rows = FileReader(path).get_next()
    next(rows)
    os.truncate(path, 1 << 14)
    with pytest.raises(RuntimeError, match="row 1"):
        list(rows)


# ---- converters


def test_csv_becomes_mindrecord(tmp_path):
    source, made = tmp_path / "a.csv", str(tmp_path / "made")
    source.write_text('Age,Name,Sales,Over18,Empty\n1,"x, y",0.5,TRUE,\n-2,é,3,FALSE,4\n')
    assert CsvToMR(str(source), made, partition_number=2).transform() == SUCCESS
    rows = list(FileReader(made + "0").get_next())
    assert [dict(r, Empty=str(r["Empty"])) for r in rows] == [
        {"Age": 1, "Name": "x, y", "Sales": 0.5, "Over18": 1, "Empty": "nan"},
        {"Age": -2, "Name": "é", "Sales": 3.0, "Over18": 0, "Empty": "4.0"},
    ]
    CsvToMR(str(source), made + "x", ["Sales"]).transform()
    assert list(FileReader(made + "x").get_next()) == [{"Sales": 0.5}, {"Sales": 3.0}]
    for arguments, text in (
        (
            (["Age", "ssales"],),
            "The parameter columns_list is illegal, column ssales does not exist.",
        ),
        ((["Age", 2],), "The parameter columns_list must be list of str."),
        ((None, 0), "Invalid parameter value"),
        ((None, None), "The parameter partition_number must be int"),
    ):
        with pytest.raises(Exception, match=text):
            CsvToMR(str(source), made + "y", *arguments).transform()
    with pytest.raises(Exception, match="File name should not contains"):
        CsvToMR(str(source), "not_*ok").transform()
    with pytest.raises(OSError, match="do not exist"):
        CsvToMR(str(tmp_path / "none"), made + "z").transform()


def feature(dtype, *shape):
    return types.SimpleNamespace(dtype=dtype, shape=list(shape))


FEATURES = {
    "file-name": feature("string"),
    "image": feature("string"),
    "n": feature("int64"),
    "one": feature("float32", 1),
    "many": feature("int64", 3),
}


def test_tfrecord_becomes_mindrecord(tmp_path):
    source, made = str(tmp_path / "a.tf"), str(tmp_path / "made")
    rows = [
        {
            "file-name": b"a%d.jpg" % i,
            "image": b"\xff\0%d" % i,
            "n": [i],
            "one": [i / 2],
            "many": [i, -i, 2**40],
        }
        for i in range(3)
    ]
    tfrecord.write(source, [tfrecord.write_example(r) for r in rows])
    converter = TFRecordToMR(source, made, FEATURES, ["image"])
    assert converter.transform() == SUCCESS
    for i, (row, given) in enumerate(
        zip(FileReader(made).get_next(), converter.tfrecord_iterator())
    ):
        assert same(row, {**given}) and row["file_name"] == f"a{i}.jpg" and row["n"] == i
        assert row["image"] == b"\xff\0%d" % i and row["one"].tolist() == [i / 2]
        assert row["many"].tolist() == [i, -i, 2**40]
    for name, wrong in (
        ("n", feature("int64", 2)),
        ("many", feature("int64")),
        ("many", feature("float32", 3)),
        ("file-name", feature("string", 1)),
        ("one", feature("float32", 2, 2)),
        ("one", feature("complex64", 1)),
        ("missing", feature("int64")),
    ):
        with pytest.raises(ValueError):
            TFRecordToMR(source, made + name, {**FEATURES, name: wrong}, ["image"]).transform()


def test_mnist_becomes_mindrecord(tmp_path):
    images = np.random.default_rng(0).integers(0, 256, (3, 28, 28), np.uint8)
    for part, n in (("train", 3), ("t10k", 2)):
        head = bytes([0, 0, 8, 3, 0, 0, 0, n, 0, 0, 0, 28, 0, 0, 0, 28])
        (tmp_path / f"{part}-images-idx3-ubyte.gz").write_bytes(
            gzip.compress(head + images[:n].tobytes())
        )
        (tmp_path / f"{part}-labels-idx1-ubyte.gz").write_bytes(
            gzip.compress(bytes([0, 0, 8, 1, 0, 0, 0, n]) + bytes(range(4, 4 + n)))
        )
    MnistToMR(str(tmp_path), str(tmp_path / "m")).transform()
    rows = list(FileReader(str(tmp_path / "m_train.mindrecord")).get_next())
    assert [r["label"] for r in rows] == [4, 5, 6] and rows[0]["data"][:2] == b"\xff\xd8"
    assert FileReader(str(tmp_path / "m_test.mindrecord")).len() == 2
