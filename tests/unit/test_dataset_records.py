"""`MindDataset` and `TFRecordDataset`: rows, orders, shares, schemas, damage."""

import json
import os

import numpy as np
import pytest

import minds.dataset as ds
from minds.mindrecord import FileWriter
from minds.records import layouts, tfrecord, wire
from minds.records.crc32c import crc32c


def read(data):
    return list(data.create_dict_iterator(num_epochs=1, output_numpy=True))


def numbers(data, column="s"):
    """The size that a dataset tells, and its rows' numbers."""
    return data.get_dataset_size(), [int(np.ravel(r[column])[0]) for r in read(data)]


# ---- MindRecord


@pytest.fixture
def shards(tmp_path):
    writer = FileWriter(str(tmp_path / "a.mr"), 4)
    writer.set_page_size(1 << 15)
    writer.set_header_size(1 << 14)
    writer.add_schema(
        {
            "z": {"type": "int32"},
            "label": {"type": "int32"},
            "name": {"type": "string"},
            "data": {"type": "bytes"},
            "v": {"type": "float32", "shape": [2]},
        }
    )
    writer.add_index(["name", "label"])
    writer.write_raw_data(
        [
            {
                "z": i,
                "label": i % 3,
                "name": f"n{i}",
                "data": b"d%d\0" % i,
                "v": np.array([i, 0.5], np.float32),
            }
            for i in range(10)
        ]
    )
    writer.commit()
    return str(tmp_path / "a.mr")


def test_values_have_mindspores_dtypes(shards):
    data = ds.MindDataset(shards + "0", shuffle=False)
    assert data.get_col_names() == ["data", "label", "name", "v", "z"]
    row = read(data)[7]
    assert row["z"].dtype == row["label"].dtype == np.int32 and row["z"] == 7
    assert row["name"] == "n7" and row["v"].tolist() == [7, 0.5]
    assert row["data"].shape == (1,) and row["data"].tobytes() == b"d7\0"


@pytest.mark.parametrize(
    "arguments, size, expected",
    [
        ({}, 10, range(10)),
        ({"num_samples": 3}, 3, [0, 1, 2]),
        ({"num_shards": 3, "shard_id": 0}, 4, [0, 3, 6, 9]),
        ({"num_shards": 3, "shard_id": 2}, 4, [2, 5, 8, 1]),
        ({"num_shards": 3, "shard_id": 2, "num_samples": 2}, 2, [2, 5]),
        ({"sampler": ds.SequentialSampler(2, 20)}, 8, range(2, 10)),
        ({"sampler": ds.DistributedSampler(3, 1, False)}, 4, [1, 4, 7, 0]),
        ({"sampler": ds.SubsetSampler([1, 2, 99])}, 3, [1, 2, 9]),
        ({"sampler": ds.PKSampler(2)}, 6, [0, 3, 1, 4, 2, 5]),
        ({"sampler": ds.PKSampler(4, None, False, "name", 5)}, 5, [0, 0, 0, 0, 1]),
    ],
)
def test_orders_of_mindrecord(shards, arguments, size, expected):
    if "sampler" not in arguments:
        arguments = {"shuffle": False, **arguments}
    assert numbers(ds.MindDataset(shards + "0", **arguments), "z") == (size, list(expected))


def test_shuffles_of_mindrecord(shards):
    files = [[0, 1, 2], [3, 4, 5], [6, 7], [8, 9]]
    _, order = numbers(ds.MindDataset(shards + "0", shuffle=ds.Shuffle.FILES), "z")
    assert sorted(order) == list(range(10))
    assert all("".join(map(str, f)) in "".join(map(str, order)) for f in files)
    _, order = numbers(ds.MindDataset(shards + "0", shuffle=ds.Shuffle.INFILE), "z")
    assert [sorted(order[a:b]) for a, b in ((0, 3), (3, 6), (6, 8), (8, 10))] == files
    parts = [
        numbers(ds.MindDataset(shards + "0", shuffle=s, num_shards=2, shard_id=i), "z")[1]
        for s in (True, ds.Shuffle.FILES)
        for i in (0, 1)
    ]
    assert sorted(parts[0] + parts[1]) == sorted(parts[2] + parts[3]) == list(range(10))


def test_padded_rows_and_columns(shards):
    pad = {"z": -1, "label": -1, "name": "", "data": b"", "v": np.zeros(2, np.float32)}
    data = ds.MindDataset(
        shards + "0", ["z", "name"], shuffle=False, padded_sample=pad, num_padded=2
    )
    assert numbers(data, "z") == (12, [*range(10), -1, -1]) and list(read(data)[0]) == ["z", "name"]
    columns = ["z", "label", "name", "data", "v"]
    shared = {"padded_sample": {**pad, "name": 7}, "shuffle": False, "num_shards": 4, "shard_id": 3}
    data = ds.MindDataset(shards + "0", columns, num_padded=2, **shared)
    assert numbers(data, "z") == (3, [3, 7, -1]) and read(data)[2]["name"] == "7"
    with pytest.raises(RuntimeError, match="can not be divisible by the value of 'num_shards'"):
        ds.MindDataset(shards + "0", columns, num_padded=1, **shared)


@pytest.mark.parametrize(
    "arguments, kind, text",
    [
        ({"columns_list": ["nope"]}, RuntimeError, "column name: nope can not found in schema"),
        ({"columns_list": "z"}, TypeError, "Argument columns_list with value z is not of type"),
        ({"columns_list": ["z", "z"]}, RuntimeError, "duplicate column names are not allowed"),
        ({"num_padded": 2}, RuntimeError, "num_padded is specified but padded_sample is not"),
        ({"padded_sample": {"z": 1}}, RuntimeError, "padded_sample is specified and requires"),
        (
            {"columns_list": ["z", "data"], "padded_sample": {"z": 1}, "num_padded": 1},
            ValueError,
            "has no 'data'",
        ),
        (
            {"padded_sample": {"z": 1}, "num_padded": 1},
            RuntimeError,
            "padded_sample is specified and requires columns_list",
        ),
        ({"sampler": [0]}, ValueError, "The sampler is not supported yet"),
        ({"shuffle": 3}, TypeError, "shuffle must be of boolean or enum"),
    ],
)
def test_wrong_arguments_of_mindrecord(shards, arguments, kind, text):
    with pytest.raises(kind, match=text):
        ds.MindDataset(shards + "0", **arguments)


def test_rows_are_kept_by_a_cache(shards, tmp_path):
    cache = ds.DatasetCache(os.getpid())
    data = ds.MindDataset(shards + "0", shuffle=False, cache=cache)
    first = numbers(data, "z")
    for i in range(4):
        (tmp_path / f"a.mr{i}").write_bytes(b"")
    assert numbers(data, "z") == first and cache.get_stat()["num_mem_cached"] == 10


# ---- CRC-32C and the wire format


def test_crc32c_of_known_texts():
    for text, crc in (
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (bytes(range(32)), 0x46DD794E),
    ):
        raw = np.frombuffer(text, np.uint8)
        assert crc32c(raw, [0], [len(raw)])[0] == crc


def test_crc32c_of_parts_of_all_lengths():
    raw = np.random.default_rng(0).integers(0, 256, 3000, np.uint8)
    begins, ends = np.array([0, 5, 5, 40, 700, 0]), np.array([3000, 5, 261, 807, 701, 512])

    def slowly(data):
        crc = 0xFFFFFFFF
        for byte in data.tolist():
            crc ^= byte
            for _ in range(8):
                crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        return crc ^ 0xFFFFFFFF

    assert crc32c(raw, begins, ends).tolist() == [slowly(raw[a:b]) for a, b in zip(begins, ends)]


@pytest.mark.parametrize("count", [0, 1, 3, 40])
def test_numbers_of_messages(count):
    rng = np.random.default_rng(count)
    values = rng.integers(-(2**63), 2**63 - 1, count) >> rng.integers(0, 63, count)
    packed = b"".join(wire.write_varint(int(v)) for v in values)
    assert wire.varints(packed, 0, len(packed)).tolist() == values.tolist()
    with pytest.raises(wire.BadMessage):
        wire.varints(packed + b"\xff", 0, len(packed) + 1)


# ---- TFRecord


def example(k):
    return {
        "i": np.array([k, -k, 2**40 * k]),
        "s": np.array([k]),
        "f": np.array([0.5 * k, k], np.float32),
        "b": [b"ab%d" % k, "é".encode()],
        "one": b"only%d" % k,
    }


@pytest.fixture
def files(tmp_path):
    for name, first, n in (("a", 0, 5), ("b", 100, 3)):
        rows = [tfrecord.write_example(example(first + k)) for k in range(n)]
        tfrecord.write(str(tmp_path / f"{name}.tf"), rows)
        for kind in ("GZIP", "ZLIB"):
            tfrecord.write(str(tmp_path / f"{name}.{kind}"), rows, kind)
    return tmp_path


def test_rows_of_tfrecord(files):
    data = ds.TFRecordDataset(str(files / "a.tf"), shuffle=False)
    assert data.get_col_names() == ["b", "f", "i", "one", "s"] and data.get_dataset_size() == 5
    row = read(data)[3]
    assert {c: str(v.dtype) for c, v in row.items()} == {
        "b": "uint8",
        "f": "float32",
        "i": "int64",
        "one": "uint8",
        "s": "int64",
    }
    assert row["b"].tobytes() == b"ab3\xc3\xa9 " and row["one"].tobytes() == b"only3"
    assert row["i"].tolist() == [3, -3, 3 * 2**40] and row["f"].tolist() == [1.5, 3]


@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_compressed_files(files, kind):
    data = ds.TFRecordDataset(str(files / f"a.{kind}"), shuffle=False, compression_type=kind)
    assert numbers(data) == (5, [0, 1, 2, 3, 4])
    data = bytearray((files / f"a.{kind}").read_bytes())
    (files / "cut").write_bytes(data[: len(data) // 2])
    with pytest.raises(RuntimeError, match="cut"):
        read(ds.TFRecordDataset(str(files / "cut"), compression_type=kind))


@pytest.mark.parametrize(
    "arguments, size, expected",
    [
        ({}, 8, [0, 100, 1, 101, 2, 102, 3, 4]),
        ({"num_samples": 4}, 4, [0, 100, 1, 101]),
        ({"num_shards": 2, "shard_id": 1}, 3, [100, 101, 102]),
        ({"num_shards": 2, "shard_id": 0, "shard_equal_rows": True}, 4, [0, 1, 2, 3]),
        ({"num_shards": 2, "shard_id": 1, "shard_equal_rows": True}, 4, [4, 100, 101, 102]),
        ({"num_shards": 3, "shard_id": 2, "shard_equal_rows": True}, 3, [101, 0, 102]),
        ({"columns_list": ["s"]}, 8, [0, 100, 1, 101, 2, 102, 3, 4]),
    ],
)
def test_orders_of_tfrecord(files, arguments, size, expected):
    paths = [str(files / "a.tf"), str(files / "b.tf")]
    data = ds.TFRecordDataset(paths, shuffle=False, **arguments)
    assert numbers(data) == (size, expected)


def test_shuffled_tfrecord(files):
    paths = str(files / "*.tf")
    epochs = ds.TFRecordDataset(paths).create_dict_iterator(num_epochs=2, output_numpy=True)
    first, second = ([int(r["s"][0]) for r in epochs] for _ in range(2))
    assert sorted(first) == sorted(second) == [0, 1, 2, 3, 4, 100, 101, 102] and first != second


def test_schemas(files):
    path = str(files / "a.tf")
    schema = ds.Schema()
    schema.add_column("s", "int32", [])
    schema.add_column("f", "float32", [2, 1])
    schema.add_column("b", "string", [2])
    schema.add_column("one", "uint8")
    row = read(ds.TFRecordDataset(path, schema, shuffle=False))[2]
    assert row["s"].dtype == np.int32 and row["s"].shape == () and row["f"].tolist() == [[1], [2]]
    assert row["b"].tolist() == ["ab2", "é"] and row["one"].tobytes() == b"only2"
    found = {
        "numRows": 3,
        "columns": {"s": {"type": "int64"}, "i": {"type": "int64", "shape": [3]}},
    }
    (files / "schema.json").write_text(json.dumps(found))
    data = ds.TFRecordDataset(path, str(files / "schema.json"), shuffle=False)
    assert data.get_col_names() == ["i", "s"] and numbers(data) == (3, [0, 1, 2])
    for column, shape, text in (
        (("i", "int64"), [2], "3 elements for the shape"),
        (("i", "float32"), [3], "holds int64, not float32"),
        (("zz", "int64"), [1], "column name: zz does not exist in tfrecord file"),
        (("b", "int64"), [1], "holds bytes, not int64"),
    ):
        schema = ds.Schema()
        schema.add_column(*column, shape)
        with pytest.raises(RuntimeError, match=text):
            read(ds.TFRecordDataset(path, schema, shuffle=False))
    again = ds.Schema()
    again.from_json(json.loads(schema.to_json()))
    assert again.columns == schema.columns
    for wrong, kind in (
        ({"columns": {"x": {"shape": []}}}, RuntimeError),
        ({"more": 1, "columns": []}, RuntimeError),
        ({}, RuntimeError),
        ({"columns": 3}, RuntimeError),
        ({"columns": {"x": {"type": "int31"}}}, TypeError),
    ):
        with pytest.raises(kind):
            ds.Schema().from_json(wrong)


@pytest.mark.parametrize(
    "arguments, kind, text",
    [
        ({"columns_list": ["nope"]}, RuntimeError, "failed to find column name: nope"),
        ({"compression_type": "X"}, ValueError, "Input compression_type can only be either"),
        (
            {"num_samples": -1},
            ValueError,
            r"num_samples is not within the required interval of \(0",
        ),
        ({"num_shards": 2, "shard_id": 0}, RuntimeError, "should not less than num_shards"),
        ({"schema": "nope"}, ValueError, "does not exist or permission denied"),
        ({"dataset_files": "nope"}, ValueError, "patterns did not match any files"),
        ({"dataset_files": []}, ValueError, "dataset_files can not be empty"),
        ({"dataset_files": 3}, TypeError, "Argument dataset files with value 3"),
    ],
)
def test_wrong_arguments_of_tfrecord(files, arguments, kind, text):
    with pytest.raises(kind, match=text):
        ds.TFRecordDataset(**{"dataset_files": str(files / "a.tf"), **arguments})


def test_damaged_tfrecord(files):
    """Each byte is under a CRC: what is altered is refused, and so is a file that is cut off."""
    whole, rng = (files / "a.tf").read_bytes(), np.random.default_rng(0)
    for at in rng.integers(0, len(whole), 60):
        data = bytearray(whole)
        data[at] ^= int(rng.integers(1, 256))
        (files / "bad").write_bytes(data)
        with pytest.raises(RuntimeError, match="bad"):
            read(ds.TFRecordDataset(str(files / "bad"), shuffle=False))
    for end in rng.integers(0, len(whole), 30):
        (files / "bad").write_bytes(whole[:end])
        try:
            rows = len(read(ds.TFRecordDataset(str(files / "bad"), shuffle=False)))
        except RuntimeError:
            continue
        assert rows < 5


def test_messages_that_are_none(files):
    rng, good = np.random.default_rng(1), tfrecord.write_example(example(3))
    for i in range(200):
        data = bytearray(good)
        data[int(rng.integers(len(good)))] ^= int(rng.integers(1, 256))
        data = bytes(data[: int(rng.integers(len(good)))]) if i % 2 else bytes(data)
        try:
            tfrecord.example(tfrecord.Record(data, 0, len(data)))
        except ValueError:
            pass


# ---- rows of no file, saving, callbacks


def test_saved_rows_come_back(tmp_path):
    columns = {
        "i8": np.arange(3, dtype=np.int8),
        "u32": np.arange(3, dtype=np.uint32),
        "b": np.array([True, False, True]),
        "f16": np.arange(3, dtype=np.float16),
        "f64": np.arange(3.0),
        "s": ["a", "é", "d"],
        "m": np.arange(12, dtype=np.uint8).reshape(3, 2, 2),
    }
    data = ds.NumpySlicesDataset(columns, shuffle=False)
    for files in (1, 2):
        data.save(str(tmp_path / "a"), files)
    before = (tmp_path / "a").read_bytes()
    with pytest.raises(RuntimeError, match=r"save: .*already exist.*a\. Remove it"):
        data.save(str(tmp_path / "a"))
    assert (tmp_path / "a").read_bytes() == before
    rows = read(ds.MindDataset(str(tmp_path / "a"), shuffle=False))
    assert {c: v.dtype.name for c, v in rows[1].items() if c != "s"} == {
        "i8": "int32",
        "u32": "int64",
        "b": "int32",
        "f16": "float32",
        "f64": "float64",
        "m": "int32",
    }
    assert all((np.asarray(r[c]) == columns[c][i]).all() for i, r in enumerate(rows) for c in r)
    for arguments, kind in (
        ((3,), TypeError),
        (("a", 0), ValueError),
        (("a", 1, "csv"), ValueError),
    ):
        with pytest.raises(kind):
            data.save(*arguments)
    with pytest.raises(RuntimeError, match="column 'x' of row 1"):
        ds.GeneratorDataset([np.zeros((1, 2)), np.zeros((1, 3))], "x", shuffle=False).save(
            str(tmp_path / "c")
        )


def test_rows_of_no_file():
    rows = [{"a": np.zeros(1, np.uint8)}, {"a": np.ones(2, np.uint8)}]
    data = ds.PaddedDataset(rows)
    assert data.get_dataset_size() == 2 and read(data)[1]["a"].tolist() == [1, 1]
    schema = ds.Schema()
    schema.add_column("image", "uint8", [2, 3])
    schema.add_column("x", "float32", [])
    data = ds.RandomDataset(4, schema)
    first, again = read(data), read(data)
    assert len(first) == 4 and first[0]["image"].shape == (2, 3) and first[0]["x"].shape == ()
    assert all((a["image"] == b["image"]).all() for a, b in zip(first, again))
    with pytest.raises(NotImplementedError, match="MindDataset"):
        ds.OBSMindDataset("a", "server", "ak", "sk", "path")
    for wrong, kind in (
        (3, TypeError),
        ([], ValueError),
        ([{}], ValueError),
        ([{"a": None}], ValueError),
    ):
        with pytest.raises(kind):
            ds.PaddedDataset(wrong)


def test_callbacks_of_map():
    seen = []

    class Watch(ds.DSCallback):
        def ds_begin(self, context):
            seen.append("begin")

        def ds_epoch_begin(self, context):
            seen.append(f"epoch {context.cur_epoch_num}")

        def ds_step_begin(self, context):
            seen.append((context.cur_step_num_in_epoch, context.cur_step_num))

        def ds_epoch_end(self, context):
            seen.append(f"end {context.cur_epoch_num}")

    data = ds.NumpySlicesDataset([1, 2, 3], "x", shuffle=False)
    rows = data.map(lambda x: x, callbacks=Watch(2)).create_dict_iterator(num_epochs=2)
    for _ in range(2):
        assert [int(r["x"]) for r in rows] == [1, 2, 3]
    steps = ["begin", "epoch 1", (1, 1), (3, 3), "end 1", "epoch 2", (1, 4), (3, 6), "end 2"]
    assert seen == steps
    with pytest.raises(TypeError, match="DSCallback"):
        data.map(lambda x: x, callbacks=[3])


def test_records_of_one_layout_are_read_by_their_places(tmp_path):
    """As one by one, where layouts are alike, of one length but different, and damaged anywhere."""
    rng, made = np.random.default_rng(4), []
    for k in range(400):
        names = ["a", "b", "c"] if k % 3 else ["c", "a", "b"]
        floats = rng.normal(size=3 if k % 7 else 4).astype(np.float32)
        values = {"a": floats, "b": rng.integers(0, 300, 4), "c": [rng.bytes(5), rng.bytes(k % 2)]}
        made.append(tfrecord.write_example({n: values[n] for n in names}))
    for _ in range(400):
        data = bytearray(made[rng.integers(len(made))])
        data[rng.integers(len(data))] = rng.integers(256)
        made.append(bytes(data))
    for wanted in (None, {"b", "c"}):
        read = layouts.Examples(wanted)
        for data in made:
            record = tfrecord.Record(b"**" + data + b"*", 2, 2 + len(data))
            try:
                expected = tfrecord.example(record, wanted)
            except ValueError as e:
                with pytest.raises(type(e)):
                    read(record)
                continue
            found = read(record)
            assert found.keys() == expected.keys()
            for name, value in expected.items():
                assert type(found[name]) is type(value)
                np.testing.assert_array_equal(found[name], value)
                assert isinstance(value, (list, type(None))) or found[name].flags.writeable


def test_rows_are_drawn_with_replacement(shards):
    before = ds.config.get_seed()
    ds.config.set_seed(58)
    try:
        data = ds.MindDataset(shards + "0", num_samples=12)
        assert data.get_dataset_size() == 12
        rows = data.create_dict_iterator(num_epochs=2, output_numpy=True)
        first, second = ([int(row["z"]) for row in rows] for _ in range(2))
        assert first == [9, 3, 8, 0, 5, 3, 2, 1, 5, 2, 2, 9]  # recorded from MindSpore 2.10
        assert set(second) - set(first)  # drawn from all rows
        sampler = ds.RandomSampler(True, 4)
        assert numbers(ds.MindDataset(shards + "0", sampler=sampler), "z") == (4, [9, 3, 8, 0])
        sampler = ds.RandomSampler(True)
        sampler.add_child(ds.SequentialSampler(7))
        size, drawn = numbers(ds.MindDataset(shards + "0", sampler=sampler), "z")
        assert size == len(drawn) == 3 and set(drawn) <= {7, 8, 9}
    finally:
        ds.config.set_seed(before)
