"""Pipelines: each operation against plain Python, determinism, epochs, threads, and what is
refused.
"""

import gc
import subprocess
import sys
import threading
import time
import traceback

import numpy as np
import pytest

import minds.dataset as ds
from minds.tensor import Tensor


@pytest.fixture(autouse=True)
def seed():
    ds.config.set_seed(3)


def arrays(data, **kwargs):
    return ds.NumpySlicesDataset(data, shuffle=False, **kwargs)


def rows(d, epochs=1):
    """All rows of all epochs as tuples of Python values."""
    it = d.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [tuple(v.tolist() for v in row) for _ in range(epochs) for row in it]


def column(d, epochs=1):
    return [row[0] for row in rows(d, epochs)]


def ten():
    return arrays(np.arange(10))


@pytest.mark.parametrize(
    "data, names, values",
    [
        ([1, 2, 3], ["column_0"], [(1,), (2,), (3,)]),
        ([[1, 2], [3, 4]], ["column_0"], [([1, 2],), ([3, 4],)]),
        (([1, 2], [3.5, 4.5]), ["column_0", "column_1"], [(1, 3.5), (2, 4.5)]),
        ({"a": [1, 2], "b": np.array([[3], [4]])}, ["a", "b"], [(1, [3]), (2, [4])]),
        (["x", "yz"], ["column_0"], [("x",), ("yz",)]),
        ([[1], [2, 3]], ["column_0"], [([1],), ([2, 3],)]),
    ],
)
def test_numpy_slices(data, names, values):
    d = arrays(data)
    assert (
        d.get_col_names() == names
        and rows(d) == values
        and d.get_dataset_size() == len(d) == len(values)
    )


def test_shapes_and_types():
    d = arrays({"x": np.zeros((4, 2, 3), np.float32), "s": ["a", "bc", "d", "e"]})
    assert d.output_shapes() == [[2, 3], []] and d.output_types() == [np.float32, np.dtype("U")]
    assert d.batch(3).output_shapes() == [[3, 2, 3], [3]] and d.batch(3).get_batch_size() == 3


def test_rows_are_the_callers_own():
    """A function that writes into its argument does not change the source."""
    source = np.zeros((3, 2))

    def spoil(x):
        x += 1
        return x

    assert column(arrays(source).map(spoil)) == [[1, 1]] * 3 and not source.any()
    next(arrays(source).batch(2).create_tuple_iterator(output_numpy=True))[0][:] = 5
    assert not source.any()


@pytest.mark.parametrize("drop, sizes", [(False, [4, 4, 2]), (True, [4, 4])])
def test_batch(drop, sizes):
    d = ten().batch(4, drop)
    assert [len(b) for b in column(d)] == sizes and d.get_dataset_size() == len(sizes)
    # The gathered path and the row by row path agree.
    assert column(d) == column(ten().map(lambda x: x).batch(4, drop))


def test_batch_size_function_and_per_batch_map():
    d = ten().batch(lambda info: info.get_batch_num() + 1)
    assert [len(b) for b in column(d)] == [1, 2, 3, 4] and d.get_dataset_size() == 4
    d = arrays({"a": [1, 2, 3], "b": [4, 5, 6]}).batch(
        2,
        per_batch_map=lambda a, info: ([v * 10 for v in a], [v + info.get_batch_num() for v in a]),
        input_columns=["a"],
        output_columns=["x", "y"],
    )
    assert d.get_col_names() == ["x", "y", "b"] and rows(d) == [
        ([10, 20], [1, 2], [4, 5]),
        ([30], [4], [6]),
    ]


def test_per_batch_map_sees_the_epoch():
    d = ten().batch(10, per_batch_map=lambda a, info: (np.full(len(a), info.get_epoch_num()),))
    assert column(d, 3) == [[e] * 10 for e in range(3)]


def test_padded_batch():
    d = arrays([[1], [2, 3]], column_names="x")
    assert rows(d.padded_batch(2, pad_info={"x": ([4], -1)})) == [
        ([[1, -1, -1, -1], [2, 3, -1, -1]],)
    ]
    assert rows(d.padded_batch(2, pad_info={})) == [([[1, 0], [2, 3]],)]


def test_bucket_batch_by_length():
    d = arrays([[i] * i for i in range(1, 8)], column_names="x")
    got = column(d.bucket_batch_by_length(["x"], [3, 5], [2, 2, 1]))
    assert got == [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4] * 4], [[5] * 5], [[6] * 6], [[7] * 7]]
    d = d.take(3)
    got = column(d.bucket_batch_by_length("x", [3, 5], [2, 2, 1], len, {"x": ([None], -1)}, True))
    assert got == [[[1, -1], [2, 2]], [[3, 3, 3, -1]]]
    assert d.bucket_batch_by_length("x", [3], [2, 2], drop_remainder=True).get_dataset_size() == 1
    with pytest.raises(ValueError, match="strictly increasing"):
        d.bucket_batch_by_length("x", [3, 2], [1, 1, 1])
    with pytest.raises(RuntimeError, match="last boundary"):
        column(d.bucket_batch_by_length("x", [2], [1, 1], len, {"x": ([None], 0)}, True))


def test_shuffle_is_a_permutation_and_differs_by_epoch():
    epochs = np.array(column(ten().shuffle(10), 3)).reshape(3, 10)
    assert (np.sort(epochs) == np.arange(10)).all() and len({tuple(e) for e in epochs}) == 3
    assert column(ten().shuffle(10), 3) == epochs.ravel().tolist()
    ds.config.set_seed(4)
    assert column(ten().shuffle(10), 3) != epochs.ravel().tolist()


def test_shuffle_buffer_bounds_how_far_a_row_can_come_forward():
    for d in (arrays(np.arange(100)), arrays(np.arange(100)).map(lambda x: x)):
        got = column(d.shuffle(8))
        assert sorted(got) == list(range(100)) and got != list(range(100))
        assert all(value <= place + 7 for place, value in enumerate(got))


def test_shuffle_by_index_equals_shuffle_by_row():
    assert column(ten().shuffle(4)) == column(
        ds.GeneratorDataset(lambda: iter(range(10)), "x").shuffle(4)
    )


def test_unseeded_iterators_differ(monkeypatch):
    monkeypatch.setitem(ds.config._settings, "seed", None)
    monkeypatch.setattr(ds.config.global_seed, "_seed", None)
    d = arrays(np.arange(1000)).shuffle(1000)
    assert column(d) != column(d) and ds.config.get_seed() == 5489


def test_sources_shuffle_unless_told():
    got = column(ds.NumpySlicesDataset(np.arange(50)))
    assert got != list(range(50)) and sorted(got) == list(range(50))


def test_repeat_skip_take_concat_zip():
    assert column(ten().take(2).repeat(3)) == [0, 1] * 3
    assert ten().repeat(3).get_dataset_size() == 30 and ten().repeat(3).get_repeat_count() == 3
    assert ten().repeat().get_repeat_count() == -1 and column(ten().repeat().skip(8).take(4)) == [
        8,
        9,
        0,
        1,
    ]
    assert (
        column(ten().skip(8)) == [8, 9]
        and column(ten().skip(20)) == []
        and ten().skip(20).get_dataset_size() == 0
    )
    assert column(ten().take(2) + ten().skip(9)) == [0, 1, 9]
    assert rows(arrays({"a": [1, 2, 3]}).zip(arrays({"b": [4, 5]}))) == [(1, 4), (2, 5)]
    assert rows(ds.zip((arrays({"a": [1]}), arrays({"b": [2]}), arrays({"c": [3]})))) == [(1, 2, 3)]


def test_inner_shuffle_differs_in_each_repetition():
    got = column(ten().shuffle(10).repeat(2))
    assert sorted(got[:10]) == sorted(got[10:]) and got[:10] != got[10:]


def test_project_and_rename():
    d = arrays({"a": [1, 2], "b": [3, 4], "c": [5, 6]})
    assert rows(d.project(["c", "a"])) == [(5, 1), (6, 2)]
    assert d.rename(["a", "c"], ["x", "y"]).get_col_names() == ["x", "b", "y"]
    assert rows(d.project("b").batch(2)) == [([3, 4],)]


def test_filter():
    d = arrays({"a": [1, 2, 3], "b": [4, 5, 6]}).filter(lambda b: b != 5, "b")
    assert rows(d) == [(1, 4), (3, 6)] and d.get_dataset_size() == 2


def test_map_columns():
    d = arrays({"a": [1, 2], "b": [3, 4]})
    assert rows(d.map([lambda a: a + 1, lambda a: a * 10], "a")) == [(20, 3), (30, 4)]
    both = d.map(lambda b, a: b - a, ["b", "a"], ["c"])
    assert both.get_col_names() == ["c"] and rows(both) == [(2,), (2,)]
    more = d.map(lambda a: (a, a * a), "a", ["n", "square"])
    assert more.get_col_names() == ["n", "square", "b"] and rows(more) == [(1, 1, 3), (2, 4, 4)]
    assert rows(d.map(lambda a: a, "a", "b")) == [(1,), (2,)]


def test_threads_keep_order_and_random_draws():
    def slow(x):
        time.sleep(0.002 * (int(x) % 3))
        return x * 2

    assert column(ten().map(slow, num_parallel_workers=4)) == [2 * i for i in range(10)]
    images = arrays(np.arange(20 * 36, dtype=np.uint8).reshape(20, 6, 6))
    crop = ds.vision.RandomCrop(3)
    one = rows(images.map(crop, num_parallel_workers=1), 2)
    assert one == rows(images.map(crop, num_parallel_workers=4), 2) and one[:20] != one[20:]


def test_flat_map_and_apply():
    d = arrays([1, 2]).flat_map(lambda x: arrays([int(x), int(x) * 10]))
    assert column(d) == [1, 10, 2, 20] and d.get_dataset_size() == 4
    assert column(ten().apply(lambda d: d.take(1))) == [0]


@pytest.mark.parametrize("source", [ten, lambda: ds.GeneratorDataset(lambda: iter(range(10)), "x")])
def test_split(source):
    parts = source().split([0.7, 0.3])
    got = [column(p, 2) for p in parts]
    assert [len(g) for g in got] == [14, 6] and sorted(got[0][:7] + got[1][:3]) == list(range(10))
    assert got[0][:7] == got[0][7:]
    assert [column(p) for p in source().split([6, 4], randomize=False)] == [
        [0, 1, 2, 3, 4, 5],
        [6, 7, 8, 9],
    ]


def test_split_of_a_shuffled_source_shares_no_row():
    parts = ds.NumpySlicesDataset(np.arange(100)).split([50, 50])
    assert sorted(column(parts[0]) + column(parts[1])) == list(range(100))


def test_settings(monkeypatch):
    monkeypatch.setitem(ds.config._settings, "num_parallel_workers", None)  # and back
    for name in ds.config.__all__:
        if name.startswith("get_") and name not in ("get_seed", "get_iterator_mode"):
            value = getattr(ds.config, name)()
            getattr(ds.config, "set_" + name[4:])(value)
            assert getattr(ds.config, name)() == value
            text = name in ("get_multiprocessing_start_method", "get_video_backend")
            with pytest.raises(ValueError if text else TypeError):
                getattr(ds.config, "set_" + name[4:])("x")
    ds.config.set_iterator_mode(do_copy=True)
    assert ds.config.get_iterator_mode() == {"do_copy": True, "parallel_convert": False}
    ds.config.set_iterator_mode()
    with pytest.raises(TypeError):
        ds.config.set_iterator_mode("x")
    with pytest.raises(ValueError):
        ds.config.set_seed(-1)
    with pytest.raises(ValueError):
        ds.config.set_prefetch_size(0)
    ds.config.set_num_parallel_workers(3)
    assert column(ten().map(lambda x: x + 1)) == list(range(1, 11))


def test_settings_of_a_file(tmp_path, monkeypatch):
    monkeypatch.setitem(ds.config._settings, "num_parallel_workers", None)
    path = tmp_path / "settings.json"
    path.write_text('{"numParallelWorkers": 3, "opConnectorSize": 7, "logFilePath": "x"}')
    before = ds.config.get_prefetch_size()
    ds.config.load(str(path))
    assert (ds.config.get_num_parallel_workers(), ds.config.get_prefetch_size()) == (3, 7)
    ds.config.set_prefetch_size(before)
    path.write_text("[1")
    with pytest.raises(RuntimeError, match="settings.json"):
        ds.config.load(str(path))


# Generators.


class Squares:
    def __len__(self):
        return 5

    def __getitem__(self, i):
        return np.array(i), np.array([i * i])


def test_generator_kinds():
    assert rows(ds.GeneratorDataset(Squares(), ["a", "b"], shuffle=False)) == [
        (i, [i * i]) for i in range(5)
    ]
    assert column(ds.GeneratorDataset([3, 1], "x", shuffle=False)) == [3, 1]
    d = ds.GeneratorDataset(lambda: ((i,) for i in range(3)), "x")
    assert column(d, 2) == [0, 1, 2] * 2 and d.get_dataset_size() == 3
    assert column(ds.GeneratorDataset((i for i in range(3)), "x")) == [0, 1, 2]
    assert column(ds.GeneratorDataset(lambda: iter(range(9)), "x", num_samples=2)) == [0, 1]


def test_errors_name_the_row_or_the_batch():
    class Source:
        def __getitem__(self, i):
            return [1, 2, 3][i]

        def __len__(self):
            return 3

    data = ds.GeneratorDataset(Source(), ["x"], batch_sampler=[[1, 2], [0, 5]])
    with pytest.raises(ds.DatasetError, match="Source raised IndexError: .*; in batch 1"):
        list(data.create_tuple_iterator(num_epochs=1))
    data = arrays([1, 2]).flat_map(lambda x: arrays([3 // (2 - int(x))]))
    with pytest.raises(ds.DatasetError, match="flat_map: the function raised Zero.*; in row 1"):
        list(data.create_tuple_iterator(num_epochs=1))


def test_generator_threads_and_batch_sampler():
    d = ds.GeneratorDataset(Squares(), ["a", "b"], shuffle=False, num_parallel_workers=3)
    assert rows(d) == [(i, [i * i]) for i in range(5)]
    d = ds.GeneratorDataset(Squares(), ["a", "b"], batch_sampler=[[0, 4], [2]])
    assert rows(d) == [([0, 4], [[0], [16]]), ([2], [[4]])]
    d = ds.GeneratorDataset(
        Squares(), ["n"], batch_sampler=[[0, 4], [2]], collate_fn=lambda rows: len(rows)
    )
    assert column(d) == [2, 1]


def test_skip_does_not_load_rows():
    loaded = []

    class Source(Squares):
        def __getitem__(self, i):
            loaded.append(i)
            return i, i

    assert column(ds.GeneratorDataset(Source(), ["a", "b"], shuffle=False).skip(3)) == [
        3,
        4,
    ] and loaded == [
        3,
        4,
    ]


def test_column_types():
    assert column(ds.GeneratorDataset([1, 2], "x", ["int64"], shuffle=False)) == [1, 2]
    with pytest.raises(RuntimeError, match="column 'x' is int64, but column_types says float32"):
        column(ds.GeneratorDataset([1, 2], "x", ["float32"], shuffle=False))


# Iterators.


def test_values_are_tensors_by_default():
    row = next(ten().batch(2).create_dict_iterator())
    assert isinstance(row["column_0"], Tensor) and row["column_0"].asnumpy().tolist() == [0, 1]
    assert [type(v) for v in next(iter(ten()))] == [Tensor]


def test_tuple_iterator_columns():
    d = arrays({"a": [1], "b": [2]})
    assert [
        v.item() for v in next(d.create_tuple_iterator(columns=["b", "a"], output_numpy=True))
    ] == [2, 1]


def test_epochs_of_an_iterator_are_bounded():
    it = ten().create_tuple_iterator(num_epochs=2)
    assert [len(list(it)), len(list(it))] == [10, 10]
    with pytest.raises(RuntimeError, match="given all its epochs"):
        next(it)


def test_dropped_iterator_stops_its_thread():
    def mine():
        return {t for t in threading.enumerate() if t.name == "minds-dataset"}

    before = mine()  # of other tests' iterators, which may end meanwhile
    it = ten().repeat().create_tuple_iterator()
    next(it)
    assert len(mine() - before) == 1
    del it
    gc.collect()
    deadline = time.time() + 5
    while mine() - before and time.time() < deadline:
        time.sleep(0.01)
    assert not mine() - before


def test_prefetch_is_bounded():
    ds.config.set_prefetch_size(2)
    try:
        made = []
        d = ds.GeneratorDataset(lambda: (made.append(i) or i for i in range(100)), "x")
        it = d.create_tuple_iterator()
        next(it)
        time.sleep(0.1)
        assert len(made) <= 5
    finally:
        ds.config.set_prefetch_size(16)


# What goes wrong.


def user_function(x):
    return 1 // (int(x) - 2)


@pytest.mark.parametrize(
    "d",
    [
        lambda: ten().map(user_function),
        lambda: ten().map(user_function, num_parallel_workers=2),
        lambda: ten().filter(user_function),
        lambda: ds.GeneratorDataset(lambda: (user_function(i) for i in range(5)), "x"),
    ],
)
def test_users_exception_comes_with_its_traceback_and_row(d):
    with pytest.raises(ds.DatasetError, match="ZeroDivisionError.*in row 2$") as e:
        column(d())
    cause = e.value.__cause__
    assert isinstance(cause, ZeroDivisionError)
    assert any(f.name == "user_function" for f in traceback.extract_tb(cause.__traceback__))


@pytest.mark.parametrize(
    "make, error, message",
    [
        (
            lambda: ten().map(lambda x: x, "zz"),
            RuntimeError,
            "input column name: zz doesn't exist in the dataset columns. The columns are 'column_0'",
        ),
        (
            lambda: column(ten().map(lambda x: (x, x))),
            RuntimeError,
            "returned in 'map' operations: 2, the number of 'output_columns': 1",
        ),
        (lambda: column(ten().map(lambda x: None)), RuntimeError, "gave None"),
        (lambda: ten().map(3), ValueError, "operation is 3"),
        (
            lambda: column(arrays([[1], [2, 3]]).batch(2)),
            RuntimeError,
            "different shapes.*\\(1,\\).*\\(2,\\)",
        ),
        (lambda: ten().batch(0), ValueError, "batch_size"),
        (lambda: ten().batch(2.0), TypeError, "batch_size"),
        (lambda: ten().batch(2, wrong=1), TypeError, "'wrong'"),
        (lambda: ten().shuffle(1), ValueError, "buffer_size"),
        (lambda: ten().repeat(0), ValueError, "count"),
        (lambda: ten().take(0), ValueError, "count"),
        (lambda: ten().skip(-1), ValueError, "count"),
        (lambda: ten().project(["q"]), RuntimeError, "column name: q does not exist"),
        (lambda: ten().rename(["column_0"], ["a", "b"]), ValueError, "rename"),
        (lambda: ten().zip(ten()), RuntimeError, "duplicate column column_0 already exists"),
        (
            lambda: arrays({"a": [1]}) + arrays({"b": [1]}),
            RuntimeError,
            "of concat datasets should be the same. They are a and b",
        ),
        (lambda: column(arrays([1]) + arrays([1.5])), RuntimeError, "but got: int64 and float64"),
        (
            lambda: ten().split([5, 6]),
            RuntimeError,
            "Sum of split sizes 11 is not equal to dataset size 10",
        ),
        (lambda: ten().split([0.5, 0.6]), ValueError, "sum to"),
        (lambda: ten().create_tuple_iterator(num_epochs=0), ValueError, "num_epochs"),
        (lambda: ds.NumpySlicesDataset([]), ValueError, "empty"),
        (lambda: ds.NumpySlicesDataset(3), TypeError, "type int"),
        (lambda: ds.NumpySlicesDataset(([1], [1, 2])), ValueError, "different lengths"),
        (lambda: ds.NumpySlicesDataset([1], ["a", "b"]), ValueError, "2 column names"),
        (lambda: ds.GeneratorDataset(3, "x"), TypeError, "source has type int"),
        (lambda: ds.GeneratorDataset([1]), ValueError, "column_names"),
        (
            lambda: ds.GeneratorDataset(lambda: iter([1]), "x", sampler=ds.RandomSampler()),
            ValueError,
            "__getitem__",
        ),
        (
            lambda: column(ds.GeneratorDataset(Squares(), ["a"])),
            RuntimeError,
            "2 values for 1 column",
        ),
        (
            lambda: column(ds.GeneratorDataset([[{}, 1]], ["a", "b", "c"])),
            RuntimeError,
            "2 values for 3 columns",
        ),
    ],
)
def test_errors(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("workers", [1, 2])
def test_stop_iteration_of_a_user_does_not_end_the_epoch(workers):
    def stop(x):
        return next(iter([])) if x == 2 else x

    with pytest.raises(RuntimeError, match="StopIteration"):
        column(ten().map(stop, num_parallel_workers=workers))


_WAITING = """
import os, signal, threading, time
import minds.dataset as ds

def wait(x):
    time.sleep(60)

threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
signal.signal(signal.SIGINT, signal.default_int_handler)
data = ds.NumpySlicesDataset(list(range(10))).map(wait, num_parallel_workers=2)
try:
    list(data.create_tuple_iterator())
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_a_program_whose_workers_wait():
    done = subprocess.run(
        [sys.executable, "-c", _WAITING], capture_output=True, text=True, timeout=30
    )
    assert (done.returncode, done.stdout.strip()) == (0, "interrupted"), done.stderr


@pytest.mark.parametrize("step, epochs", [(0, [3, 3]), (2, [1, 3]), (3, [3]), (5, [1]), (6, [])])
def test_init_step_leaves_out_what_came_before(step, epochs):
    d = ds.NumpySlicesDataset([1, 2, 3], shuffle=True)
    whole = d.create_tuple_iterator(num_epochs=2, output_numpy=True)
    rows = [int(x) for _ in range(2) for (x,) in whole]
    d.set_init_step(step)
    rest = d.create_tuple_iterator(num_epochs=2, output_numpy=True)
    got = [[int(x) for (x,) in rest] for _ in epochs]
    assert [len(e) for e in got] == epochs
    assert sum(got, []) == rows[step:]


def test_texts_are_filled_and_padded_whole():
    words = ds.NumpySlicesDataset([["a", "bb"], ["ccc", "d"]], shuffle=False)
    filled = words.map(ds.transforms.Fill("longer"))
    assert [x.tolist() for (x,) in filled.create_tuple_iterator(output_numpy=True)] == [
        ["longer", "longer"]
    ] * 2
    padded = words.padded_batch(2, pad_info={"column_0": ([3], "filler")})
    (batch,) = next(padded.create_tuple_iterator(output_numpy=True))
    assert batch.tolist() == [["a", "bb", "filler"], ["ccc", "d", "filler"]]
    with pytest.raises(
        ds.DatasetError, match="fill_value data type string and input tensor data type int64"
    ):
        ds.transforms.Fill("x")([1, 2])


def test_empty_dataset():
    d = ds.GeneratorDataset(lambda: iter([]), "x")
    assert (
        column(d.batch(2).shuffle(2).repeat(2)) == []
        and d.get_dataset_size() == 0
        and d.output_shapes() == []
    )
