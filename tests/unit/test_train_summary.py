"""Event files: read back here by the definition of TFRecord and of protobuf's wire format."""

import gc
import io
import os
import struct

import numpy as np
import pytest
from PIL import Image

import minds as ms
import minds.dataset as ds
from minds import nn, ops, train
from minds.ops.summary import LISTENERS


def crc32c(data):
    """The definition: bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def message(data):
    """Field number → values of a message; a length-delimited one as bytes."""
    found, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            value = varint()
        elif tag & 7 == 2:
            size = varint()
            value, at = data[at : at + size], at + size
        else:
            size, form = (8, "<d") if tag & 7 == 1 else (4, "<f")
            value, at = struct.unpack(form, data[at : at + size])[0], at + size
        found.setdefault(tag >> 3, []).append(value)
    return found


def values(path):
    """(step, tag, fields) of all values of an event file, whose checksums are checked."""
    with open(path, "rb") as f:
        data = f.read()
    at, found, first = 0, [], True
    while at < len(data):
        (size,) = struct.unpack("<Q", data[at : at + 8])
        body = data[at + 12 : at + 12 + size]
        assert struct.unpack("<I", data[at + 8 : at + 12])[0] == crc32c(data[at : at + 8])
        at += 12 + size + 4
        assert struct.unpack("<I", data[at - 4 : at])[0] == crc32c(body)
        event = message(body)
        if first:
            assert event[3] == [b"brain.Event:2"]
            first = False
            continue
        for value in message(event[5][0]).get(1, []):
            fields = message(value)
            found.append((event[2][0], fields[1][0].decode(), fields))
    return found


def test_what_is_written(tmp_path):
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    pictures = np.random.default_rng(1).integers(0, 255, (2, 3, 4, 5)).astype(np.float32)
    with train.SummaryRecord(str(tmp_path), export_options={"tensor_format": "npy"}) as record:
        record.add_value("scalar", "loss", ms.Tensor(7.0))
        record.add_value("scalar", "loss", ms.Tensor(0.5))
        record.add_value("histogram", "w", ms.Tensor(a))
        record.add_value("tensor", "t", ms.Tensor(a))
        record.add_value("image", "i", ms.Tensor(pictures))
        assert record.record(300) and record.record(301)
    assert not record.record(302)
    assert "tfevents" in os.path.basename(record.log_dir)
    found = {tag: fields for step, tag, fields in values(record.log_dir) if step == 300}
    assert sorted(found) == ["i/0", "i/1", "loss", "t", "w"]
    assert found["loss"][2] == [0.5]
    histogram = message(found["w"][5][0])
    assert [histogram[i][0] for i in range(1, 6)] == [0.0, 5.0, 6.0, 15.0, 55.0]
    limits, counts = (np.frombuffer(histogram[i][0], "<f8") for i in (6, 7))
    assert counts.sum() == 6 and limits[-1] == 5 and (np.diff(limits) > 0).all()
    tensor = message(found["t"][8][0])
    assert tensor[1] == [1] and np.frombuffer(tensor[4][0], "<f4").tolist() == a.ravel().tolist()
    assert [message(d)[1][0] for d in message(tensor[2][0])[2]] == [2, 3]
    picture = Image.open(io.BytesIO(message(found["i/1"][4][0])[4][0]))
    np.testing.assert_array_equal(np.asarray(picture), np.moveaxis(pictures[1], 0, -1))
    (exported,) = (p for p in tmp_path.rglob("*.npy"))
    np.testing.assert_array_equal(np.load(exported), a)


class Shows(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scalar, self.tensor = ops.ScalarSummary(), ops.TensorSummary()
        self.histogram, self.image = ops.HistogramSummary(), ops.ImageSummary()

    def construct(self, x, pictures):
        self.scalar("sum", x.sum())
        y = x * 2
        self.tensor("twice", y)
        self.histogram("spread", y)
        self.image("pictures", pictures)
        return y


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_what_programs_show_is_written(tmp_path, mode):
    ms.set_context(mode=mode)
    net, pictures = Shows(), ms.Tensor(np.zeros((1, 3, 2, 2), np.float32))
    with train.SummaryRecord(str(tmp_path)) as record:
        for step in (1, 2):
            net(ms.Tensor(np.full((2, 3), 7, np.float32)), pictures)
            net(ms.Tensor(np.full((2, 3), step, np.float32)), pictures)
            assert record.record(step)
        assert record.record(3)
    net(ms.Tensor(np.ones((2, 3), np.float32)), pictures)  # nobody listens any more
    found = {(step, tag): fields for step, tag, fields in values(record.log_dir)}
    assert sorted(found) == [
        (s, t) for s in (1, 2) for t in ("pictures/0", "spread", "sum", "twice")
    ]
    for step in (1, 2):
        assert found[step, "sum"][2] == [6.0 * step]
        data = message(found[step, "twice"][8][0])[4][0]
        assert np.frombuffer(data, "<f4").tolist() == [2.0 * step] * 6
        histogram = message(found[step, "spread"][5][0])
        assert [histogram[i][0] for i in (1, 2, 3)] == [2.0 * step, 2.0 * step, 6.0]


def test_a_record_that_nobody_holds_hears_nothing(tmp_path):
    before = len(LISTENERS)
    record = train.SummaryRecord(str(tmp_path))
    assert len(LISTENERS) == before + 1
    del record
    gc.collect()
    assert len(LISTENERS) == before


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_what_cannot_be_written_is_an_error_of_the_program(tmp_path, mode):
    ms.set_context(mode=mode)

    class Net(nn.Cell):
        def construct(self, x):
            ops.ScalarSummary()("x", x)
            return x

    with train.SummaryRecord(str(tmp_path)):
        with pytest.raises(ValueError, match=r"ScalarSummary: the value of shape \(3\)"):
            Net()(ms.Tensor(np.ones(3, np.float32)))


def test_a_disk_that_is_full_is_said_with_the_file(tmp_path, monkeypatch):
    record = train.SummaryRecord(str(tmp_path))
    record.add_value("scalar", "loss", ms.Tensor(1.0))
    assert record.record(1)
    monkeypatch.setattr(record, "_path", "/dev/full")
    monkeypatch.setattr(record, "_file", io.BufferedWriter(io.FileIO("/dev/full", "wb")))
    record.add_value("scalar", "loss", ms.Tensor(1.0))
    assert record.record(2)
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        record.close()


def test_a_full_file(tmp_path):
    with train.SummaryRecord(str(tmp_path), max_file_size=120) as record:
        done = []
        for step in range(5):
            record.add_value("scalar", "loss", ms.Tensor(0.5))
            done.append(record.record(step))
    assert done[0] and not done[-1] and os.path.getsize(record.log_dir) <= 120
    with train.SummaryRecord(str(tmp_path), max_file_size=60, raise_exception=True) as record:
        record.add_value("scalar", "loss", ms.Tensor(0.5))
        with pytest.raises(RuntimeError, match="max_file_size of 60 bytes is reached"):
            record.record(1)


REFUSED = [
    (lambda r: r.add_value("scaler", "a", ms.Tensor(1.0)), ValueError, 'no such "plugin" of'),
    (lambda r: r.add_value("graph", "a", ms.Tensor(1.0)), ValueError, "MindInsight"),
    (lambda r: r.add_value("scalar", 3, ms.Tensor(1.0)), ValueError, '"name" type should be str'),
    (lambda r: r.add_value("scalar", "a", 1.0), TypeError, "expect to be Tensor, but got float"),
    (
        lambda r: r.add_value("scalar", "a", ms.Tensor([1.0, 2])),
        ValueError,
        "no scalar or one element",
    ),
    (lambda r: r.add_value("image", "a", ms.Tensor([1.0])), ValueError, "ImageSummary"),
    (lambda r: r.record("1"), TypeError, "step"),
    (lambda r: r.record(1, 3), TypeError, "train_network"),
    (lambda r: r.set_mode("test"), ValueError, "'test' is not a recognized mode"),
    (lambda r: train.SummaryRecord(3), TypeError, "log_dir"),
    (lambda r: train.SummaryRecord("x", max_file_size="1"), TypeError, "max_file_size"),
    (lambda r: train.SummaryRecord("x", export_options={"a": 1}), ValueError, "unsupported"),
    (lambda r: train.SummaryCollector("x", 0), ValueError, "collect_freq"),
    (lambda r: train.SummaryCollector("x", 1, 1, {"colour": 1}), ValueError, "unsupported"),
]


@pytest.mark.parametrize("call,kind,said", REFUSED)
def test_refused(tmp_path, call, kind, said):
    with train.SummaryRecord(str(tmp_path)) as record, pytest.raises(kind, match=said):
        call(record)


def test_a_training(tmp_path):
    x = np.random.default_rng(0).random((12, 2), np.float32)
    data = ds.NumpySlicesDataset((x, x[:, :1]), ["x", "y"], shuffle=False).batch(2)
    net = nn.Dense(2, 1)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    model = train.Model(net, nn.MSELoss(), optimizer, metrics={"mae"})
    history = []
    seen = train.LambdaCallback(
        on_train_step_end=lambda c: history.append(float(c.original_args().net_outputs.asnumpy()))
    )
    collector = train.SummaryCollector(str(tmp_path), 3, 1, {"histogram_regular": ".*weight"})
    with collector:
        model.train(2, data, callbacks=[collector, seen])
        scores = model.eval(data, callbacks=[collector])
    (file,) = os.listdir(tmp_path)
    found = values(tmp_path / file)
    losses = {step: f[2][0] for step, tag, f in found if tag == "loss"}
    assert losses == {s: np.float32(history[s - 1]) for s in (1, 3, 6, 9, 12)}
    assert {tag for _, tag, _ in found} == {"loss", "weight", "eval/mae"}
    assert [f[2][0] for _, tag, f in found if tag == "eval/mae"] == [np.float32(scores["mae"])]


def test_what_a_summary_cannot_show_is_refused_where_a_record_is_open(tmp_path):
    def show(name, value):
        ms.ops.ScalarSummary()(name, value)

    show(None, ms.Tensor(0))  # nobody listens
    with train.SummaryRecord(str(tmp_path)):
        for name, value, kind in (
            (None, ms.Tensor(0), TypeError),
            ("", ms.Tensor(0), ValueError),
            ("tag", 3, TypeError),
            ("tag", ms.Tensor([[1.0]]), ValueError),
        ):
            with pytest.raises(kind):
                show(name, value)
        show("tag", ms.Tensor(0))


@pytest.mark.parametrize(
    "arguments, kind, said",
    [
        (
            {"collect_freq": 0.5},
            TypeError,
            "For `collect_freq` the type should be a valid type of ['int'], but got float.",
        ),
        (
            {"keep_default_action": 3},
            TypeError,
            "For `keep_default_action` the type should be a valid type of ['bool'], but got int.",
        ),
        (
            {"custom_lineage_data": {3: "c"}},
            TypeError,
            "For `custom_lineage_data -> 3` the type should be a valid type of ['str'], but got int.",
        ),
        ({"summary_dir": ""}, ValueError, "The summary_dir is invalid, it should be non-blank."),
    ],
)
def test_a_collector_refuses_in_the_words_of_mindspore_alone(tmp_path, arguments, kind, said):
    with pytest.raises(kind) as error:
        train.SummaryCollector(**{"summary_dir": str(tmp_path), **arguments})
    assert str(error.value) == said


def test_values_given_as_mindspores_tests_give_them(tmp_path):
    from minds.compat.summaries import _cache_summary_tensor_data

    with train.SummaryRecord(str(tmp_path)) as record:
        value = {"name": "x1[:Scalar]", "data": ms.Tensor(2.5)}
        assert _cache_summary_tensor_data([value]) and record.record(1)
        record.flush()
        size = os.path.getsize(os.path.join(tmp_path, os.listdir(tmp_path)[0]))
        record.record(2)
    assert os.path.getsize(os.path.join(tmp_path, os.listdir(tmp_path)[0])) == size
    with pytest.raises(ValueError, match="_cache_summary_tensor_data: a name is 'x1'"):
        _cache_summary_tensor_data([{"name": "x1", "data": ms.Tensor(2.5)}])
