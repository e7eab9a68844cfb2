"""Orders by a seed: those that MindSpore 2.10 gave, recorded, epoch by epoch."""

import hashlib

import numpy as np
import pytest

import minds.dataset as ds
from minds.dataset.orders import linear_words
from minds.mindrecord import FileWriter

SEVEN = list(range(7))


@pytest.fixture(autouse=True)
def seeded(monkeypatch):
    monkeypatch.setitem(ds.config._settings, "seed", 58)
    monkeypatch.setitem(ds.config._settings, "num_parallel_workers", None)


def epochs(data, count=1):
    rows = data.create_tuple_iterator(num_epochs=count, output_numpy=True)
    return [[int(row[0]) for row in rows] for _ in range(count)]


def arrays(**arguments):
    return ds.NumpySlicesDataset(SEVEN, **arguments)


def stream():
    return ds.GeneratorDataset(lambda: ((np.array(i),) for i in range(7)), ["x"])


def chosen(sampler):
    return arrays(sampler=sampler)


WEIGHTS = [0.1, 0.2, 0.5, 0.9, 0.1, 0.3]


@pytest.mark.parametrize(
    "make, expected",
    [
        (arrays, [[1, 4, 5, 3, 6, 2, 0], [2, 6, 5, 3, 4, 1, 0], [0, 1, 2, 3, 6, 5, 4]]),
        (lambda: chosen(ds.RandomSampler(num_samples=4)), [[1, 4, 5, 3], [2, 6, 5, 3]]),
        (lambda: chosen(ds.RandomSampler(True, 4)), [[2, 5, 3, 6], [6, 5, 1, 4]]),
        (
            lambda: chosen(ds.SubsetRandomSampler([0, 1, 2, 3, 4, 5])),
            [[1, 5, 4, 2, 3, 0], [5, 0, 3, 4, 2, 1], [0, 1, 2, 3, 4, 5]],
        ),
        (lambda: chosen(ds.WeightedRandomSampler(WEIGHTS, 5)), [[4, 5, 5, 5, 3]]),
        (lambda: chosen(ds.WeightedRandomSampler(WEIGHTS, 5, False)), [[5, 3, 2, 4, 1]]),
        (lambda: arrays(num_shards=2, shard_id=0), [[5, 2, 1, 6], [6, 5, 4, 1]]),
        (lambda: arrays(num_shards=2, shard_id=1), [[4, 3, 0, 5], [0, 3, 2, 6]]),
        (
            lambda: arrays(shuffle=False).shuffle(3),
            [[2, 3, 4, 1, 5, 6, 0], [1, 0, 4, 5, 6, 3, 2], [0, 3, 1, 5, 4, 6, 2]],
        ),
        (
            lambda: arrays(shuffle=False).shuffle(9),
            [[3, 2, 6, 1, 4, 5, 0], [2, 3, 0, 1, 6, 4, 5], [4, 2, 3, 1, 6, 5, 0]],
        ),
        (lambda: arrays().repeat(2), [[1, 4, 5, 3, 6, 2, 0, 2, 6, 5, 3, 4, 1, 0]]),
        (lambda: stream().shuffle(4), [[0, 2, 5, 1, 6, 4, 3]]),
        (lambda: arrays(shuffle=False).split([2, 5])[1], [[5, 3, 6, 2, 0]] * 2),
        (lambda: stream().split([2, 5])[0], [[3, 2]] * 2),
    ],
)
def test_orders_of_a_seed(make, expected):
    assert epochs(make(), len(expected)) == expected


def digest(ids):
    return hashlib.md5(np.array(ids).tobytes()).hexdigest()[:8]


@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda: ds.NumpySlicesDataset(np.arange(5000)), ["f30e0138", "6481fb6d"]),
        (lambda: ds.NumpySlicesDataset(np.arange(70001)), ["5b24ac7d", "1ddb3028"]),
        (
            lambda: ds.NumpySlicesDataset(np.arange(70001), shuffle=False).shuffle(1000),
            ["811e0110", "4b5ae1b0"],
        ),
    ],
)
def test_orders_of_many_rows(make, expected):
    node = make()._node
    run = ds.pipeline.start(node, 58, True)
    assert [digest(node.view().order(run.at(e))) for e in (0, 1)] == expected
    assert digest(node.view().order(run)) == expected[0]  # an earlier epoch again


FILES = {"1.txt": ["a", "b", "c"], "2.txt": ["d", "e"]}


@pytest.mark.parametrize(
    "files_at_once, seed, shuffle, expected",
    [
        (4, 987, False, "adbec"),
        (1, 987, False, "abcde"),
        (4, 135, ds.Shuffle.FILES, "adbec"),
        (1, 135, ds.Shuffle.FILES, "abcde"),
        (4, 246, ds.Shuffle.GLOBAL, "dceab"),
        (1, 246, ds.Shuffle.GLOBAL, "dcaeb"),
    ],
)
def test_orders_of_files(tmp_path, files_at_once, seed, shuffle, expected):
    for name, lines in FILES.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    ds.config.set_num_parallel_workers(files_at_once)
    ds.config._settings["seed"] = seed
    data = ds.TextFileDataset(str(tmp_path / "*.txt"), shuffle=shuffle)
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert "".join(str(text) for (text,) in rows) == expected


PIECES = ["abcde", "fghijklm", "n", "op", "qrs", "tuvwx", "yz"]


@pytest.mark.parametrize(
    "pieces, arguments, expected",
    [
        (PIECES, {}, ["gaehjbzpoikxtcmwqslvydrfun", "loshirympdeqwknfcbgvtzxauj"]),
        (PIECES, {"num_samples": 5}, ["yoazp", "higfj"]),
        (PIECES, {"num_shards": 2, "shard_id": 1}, ["oytpuzqxwsrvn", "edpfghcojkilm"]),
        (PIECES, {"num_shards": 3, "shard_id": 2, "num_samples": 7}, ["wuqxsvr", "gfjhlik"]),
        ("abcdefghijklmnopqrstuvwx", {}, ["jtskdeixbwpfmucohvlgrqan", "nmjobeahrlcvuwpsfkgiqdxt"]),
        (PIECES, {"shuffle": ds.Shuffle.INFILE}, ["abcdefghijklmnopqrstuvwxyz"] * 2),
    ],
)
def test_orders_of_many_files(tmp_path, monkeypatch, pieces, arguments, expected):
    monkeypatch.setitem(ds.config._settings, "seed", 5)
    monkeypatch.setitem(ds.config._settings, "num_parallel_workers", 1)
    names = [str(tmp_path / f"{i}.txt") for i in range(len(pieces))]
    for name, piece in zip(names, pieces):
        with open(name, "w") as f:
            f.write("\n".join(piece) + "\n")
    rows = ds.TextFileDataset(names, **arguments).create_tuple_iterator(None, 2, True)
    assert ["".join(str(line) for (line,) in rows) for _ in range(2)] == expected


@pytest.mark.parametrize("shuffle", [None, True])
def test_a_number_of_rows_is_drawn_with_replacement(monkeypatch, shuffle):
    monkeypatch.setitem(ds.config._settings, "seed", 5)
    for data in (
        ds.NumpySlicesDataset(list(range(8)), num_samples=8, shuffle=shuffle),
        ds.GeneratorDataset(list(range(8)), ["x"], num_samples=8, shuffle=shuffle),
    ):
        assert epochs(data, 2) == [[1, 0, 6, 6, 1, 2, 7, 7], [7, 7, 2, 1, 6, 0, 0, 2]]


M1 = [
    [8, 17, 4, 13, 10, 15, 16, 5, 2, 11, 19, 3, 0, 7, 9, 14, 18, 12, 6, 1],
    [18, 0, 3, 11, 4, 1, 15, 19, 14, 17, 8, 12, 10, 16, 13, 6, 9, 7, 5, 2],
]
FIVES = [range(5 * i, 5 * i + 5) for i in range(4)]


def records(path, rows, files=1):
    writer = FileWriter(str(path), files)
    writer.add_schema({"x": {"type": "int32"}})
    writer.write_raw_data([{"x": i} for i in range(rows)])
    writer.commit()
    return [f"{path}{i}" for i in range(files)] if files > 1 else str(path)


def test_orders_of_records(tmp_path, monkeypatch):
    monkeypatch.setitem(ds.config._settings, "seed", 1)
    one, four = records(tmp_path / "m", 20), records(tmp_path / "k", 20, 4)
    assert epochs(ds.MindDataset(one), 2) == epochs(ds.MindDataset(four), 2) == M1
    assert epochs(ds.MindDataset(one, sampler=ds.RandomSampler()), 2) == M1
    share = ds.MindDataset(one, sampler=ds.DistributedSampler(2, 0))
    assert epochs(share, 2) == [M1[0][::2], [16, 11, 2, 5, 15, 0, 4, 3, 14, 7]]
    picked = ds.MindDataset(one, sampler=ds.SubsetRandomSampler([1, 5, 7, 9]))
    assert epochs(picked, 2) == [[7, 1, 5, 9]] * 2
    monkeypatch.setitem(ds.config._settings, "seed", 5)
    share = ds.MindDataset(one, num_shards=3, shard_id=1)
    assert epochs(share, 2) == [[16, 5, 9, 0, 4, 15, 18], [6, 15, 3, 18, 7, 0, 8]]


def test_orders_of_files_of_records(tmp_path, monkeypatch):
    monkeypatch.setitem(ds.config._settings, "seed", 5)
    four = records(tmp_path / "k", 20, 4)
    files = ds.MindDataset(four, shuffle=ds.Shuffle.FILES)
    assert epochs(files, 2) == [
        [n for i in o for n in FIVES[i]] for o in ([1, 3, 2, 0], [3, 1, 2, 0])
    ]
    within = ds.MindDataset(four, shuffle=ds.Shuffle.INFILE)
    orders = [4, 0, 1, 3, 2], [1, 4, 0, 2, 3]
    assert epochs(within, 2) == [[f[i] for f in FIVES for i in o] for o in orders]
    share = ds.MindDataset(four, shuffle=ds.Shuffle.FILES, num_shards=3, shard_id=1)
    assert epochs(share, 2) == [[6, 9, 17, 10, 13, 1, 4], [6, 9, 2, 10, 13, 16, 19]]


def test_the_rest_of_an_epoch_of_records_is_the_same(tmp_path, monkeypatch):
    monkeypatch.setitem(ds.config._settings, "seed", 5)
    data = ds.MindDataset(records(tmp_path / "m", 20))
    rows = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    list(rows)
    for _ in range(7):
        next(rows)
    again = data.create_tuple_iterator(num_epochs=2, output_numpy=True, state=rows.state())
    assert [int(x) for (x,) in again] == [int(x) for (x,) in rows]


def test_numbers_of_the_linear_generator():
    # the 10,000th number is said by the standard of C++, [rand.predef]
    assert linear_words(1, 10_000)[-1] + 1 == 1043618065
    assert linear_words(0, 3).tolist() == linear_words(2**31 - 1, 3).tolist()


def test_files_come_by_their_names(tmp_path):
    for name in ("b", "a", "10", "9", "C"):
        (tmp_path / name).write_text(name)
    given = [str(tmp_path / name) for name in ("b", "a", "10", "9", "C")]
    rows = ds.TextFileDataset(given, shuffle=False).create_tuple_iterator(None, 1, True)
    assert [str(line) for (line,) in rows] == ["10", "9", "C", "a", "b"]


def test_a_fault_of_a_row_names_its_file(tmp_path):
    for name, lines in FILES.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")

    def fail(text):
        if str(text) == "e":
            raise KeyError("e")
        return text

    data = ds.TextFileDataset(str(tmp_path / "*.txt"), shuffle=ds.Shuffle.GLOBAL).map(fail)
    with pytest.raises(RuntimeError, match=r"The corresponding data file is: .*2\.txt"):
        list(data.create_tuple_iterator(num_epochs=1))


def test_without_a_seed_orders_differ(monkeypatch):
    monkeypatch.setattr(ds.config, "explicit_seed", lambda: None)
    many = ds.NumpySlicesDataset(list(range(100)))
    assert epochs(many) != epochs(many)
    shares = [ds.NumpySlicesDataset(SEVEN, num_shards=2, shard_id=i) for i in (0, 1)]
    assert set(sum((epochs(s)[0] for s in shares), [])) == set(SEVEN)
