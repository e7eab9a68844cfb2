"""Functions of users in processes: the rows of threads, errors with row and traceback, no orphans."""

import contextlib
import gc
import multiprocessing
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import minds.dataset as ds
from minds.dataset import vision


def rows(data):
    return list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


def numbers(n=40):
    return ds.NumpySlicesDataset(np.arange(n, dtype=np.float32), "x", shuffle=False)


def children() -> list[int]:
    """The workers of this process that run: each is the child of a thread, with this one's program."""
    found = []
    for thread in pathlib.Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):  # the thread has ended
            found += map(int, thread.read_text().split())
    return [pid for pid in found if command(pid) == command(os.getpid())]


def command(pid: int) -> bytes:
    """With what a process was started; a child that is forked has its parent's."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


PARALLEL = {"num_parallel_workers": 3, "python_multiprocessing": True}


def test_rows_are_made_in_other_processes_and_in_order():
    data = numbers().map(lambda x: (x * 2, np.int64(os.getpid())), "x", ["y", "pid"], **PARALLEL)
    found = rows(data)
    assert [float(y) for y, _ in found] == [2.0 * i for i in range(40)]
    pids = {int(p) for _, p in found}
    assert len(pids) == 3 and os.getpid() not in pids


@pytest.mark.parametrize(
    "value",
    [
        np.arange(6).reshape(2, 3),
        np.array(["a", "ß"]),
        np.asfortranarray(np.arange(200_000, dtype=np.float64).reshape(500, 400)),
        np.zeros((0, 3), np.int8),
        np.array(True),
    ],
    ids=["small", "text", "large", "empty", "scalar"],
)
def test_values_arrive_as_they_were_sent(value):
    data = numbers(5).map(lambda x: (x, value), "x", ["x", "v"], **PARALLEL)
    for i, (x, v) in enumerate(rows(data)):
        assert x == i and v.dtype == value.dtype and v.flags.writeable
        np.testing.assert_array_equal(v, value)


def test_rows_larger_than_the_shared_memory(monkeypatch):
    monkeypatch.setattr(ds.processes, "ROOM", 8192)
    big = np.arange(5000.0)
    found = rows(numbers(7).map(lambda x: x + big, "x", **PARALLEL))
    np.testing.assert_array_equal(np.stack([v for (v,) in found]), np.arange(7)[:, None] + big)


def test_random_rows_do_not_depend_on_the_number_of_processes():
    image = np.random.default_rng(0).integers(0, 256, (12, 10, 3), np.uint8)
    images = ds.NumpySlicesDataset(np.stack([image] * 12), "x", shuffle=False)

    def found(**how):
        ds.config.set_seed(5)
        crops = images.map([vision.RandomCrop(6), lambda x: x + np.random.randint(9)], **how)
        return np.stack([v for (v,) in rows(crops)])

    two = found(num_parallel_workers=2, python_multiprocessing=True)
    np.testing.assert_array_equal(two, found(**PARALLEL))
    assert len({v.tobytes() for v in two}) > 6
    ds.config.set_seed(5)
    alone = rows(images.map(vision.RandomCrop(6)))
    ds.config.set_seed(5)
    shared = rows(images.map(vision.RandomCrop(6), **PARALLEL))
    np.testing.assert_array_equal(np.stack([v for (v,) in alone]), np.stack([v for (v,) in shared]))


class Source:
    def __len__(self):
        return 30

    def __getitem__(self, i):
        return i, os.getpid()


def test_a_source_in_processes():
    data = ds.GeneratorDataset(Source(), ["i", "pid"], num_parallel_workers=2, shuffle=False)
    found = rows(data)
    assert [int(i) for i, _ in found] == list(range(30))
    assert len({int(p) for _, p in found} - {os.getpid()}) == 2
    threads = ds.GeneratorDataset(
        Source(), ["i", "pid"], num_parallel_workers=2, python_multiprocessing=False
    )
    assert {int(p) for _, p in rows(threads)} == {os.getpid()}


def test_per_batch_map_in_processes():
    def total(xs, info):
        return ([np.sum(xs)],)

    data = numbers(8).batch(2, per_batch_map=total, input_columns=["x"], **PARALLEL)
    assert [float(v[0]) for (v,) in rows(data)] == [1.0, 5.0, 9.0, 13.0]


def test_an_exception_says_row_and_line():
    def root(x):
        if x == 7:
            raise KeyError("seven")
        return x

    with pytest.raises(ds.DatasetError, match=r"root raised KeyError: 'seven'; in row 7") as error:
        rows(numbers().map(root, "x", **PARALLEL))
    assert isinstance(error.value.__cause__, KeyError)
    assert 'raise KeyError("seven")' in str(error.value.__cause__.__cause__)
    assert children() == []


def test_an_exception_that_cannot_be_pickled():
    def bad(x):
        raise type("Odd", (Exception,), {})("odd one")

    with pytest.raises(ds.DatasetError, match="bad raised Odd: odd one; in row 0"):
        rows(numbers().map(bad, "x", **PARALLEL))


def test_samples_with_errors_are_left_out():
    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.SKIP)
    try:
        found = rows(numbers(6).map(lambda x: x if x != 2 else 1 // 0, "x", **PARALLEL))
    finally:
        ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)
    assert [float(v) for (v,) in found] == [0, 1, 3, 4, 5]


def test_a_process_that_is_killed():
    def die(x):
        if x == 9:
            os.kill(os.getpid(), signal.SIGKILL)
        return x

    with pytest.raises(
        ds.DatasetError, match=r"ended by signal SIGKILL while it worked on rows \d+ to \d+$"
    ):
        rows(numbers().map(die, "x", **PARALLEL))
    assert children() == []


def test_an_iterator_that_is_dropped_ends_its_processes():
    data = numbers(10_000).map(lambda x: x, "x", **PARALLEL)
    iterator = data.create_tuple_iterator(num_epochs=1)
    next(iterator)
    assert len(children()) == 3
    del iterator
    until = time.monotonic() + 10
    while children() and time.monotonic() < until:
        time.sleep(0.02)
    assert children() == []


PROGRAM = """
import os, signal, time
import numpy as np
import minds.dataset as ds

signal.signal(signal.SIGINT, signal.default_int_handler)  # it may have been started without one

def slow(x):
    time.sleep(0.01)
    return np.int64(os.getpid())

data = ds.NumpySlicesDataset(np.arange(100_000), "x", shuffle=False)
data = data.map(slow, "x", num_parallel_workers=2, python_multiprocessing=True)
for i, (pid,) in enumerate(data.create_tuple_iterator(num_epochs=1, output_numpy=True)):
    if i < 2:
        print(int(pid), flush=True)
"""


@pytest.mark.parametrize("number, within", [(signal.SIGKILL, 10), (signal.SIGINT, 5)])
def test_no_orphans(number, within, tmp_path):
    """Killed or interrupted, a program leaves no process."""
    (tmp_path / "program.py").write_text(PROGRAM)
    program = subprocess.Popen(
        [sys.executable, tmp_path / "program.py"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    pids = [int(program.stdout.readline()) for _ in range(2)]
    program.send_signal(number)
    try:
        program.wait(10)
    finally:
        program.kill()
    until = time.monotonic() + within
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(alive, pids))
    program.stdout.close()


def test_a_long_call_does_not_outlive_the_program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM.replace("0.01", "0.01 if x < 9 else 100"))
    program = subprocess.Popen([sys.executable, tmp_path / "program.py"], stdout=subprocess.PIPE)
    pids = [int(program.stdout.readline()) for _ in range(2)]
    time.sleep(0.3)  # both sleep
    program.kill()
    program.wait(10)
    until = time.monotonic() + 10
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(alive, pids))
    program.stdout.close()


def alive(pid: int) -> bool:
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_processes_are_forked(monkeypatch):
    monkeypatch.setitem(ds.config._settings, "multiprocessing_start_method", "spawn")
    with pytest.raises(ds.DatasetError, match="processes are not started by 'spawn'"):
        rows(numbers(4).map(np.negative, "x", **PARALLEL))


def test_a_program_that_ends_can_join_what_has_ended():
    """Python's own exit joins the processes that it saw; the handles go with the objects."""
    before = len(os.listdir("/proc/self/fd"))
    read = numbers().map(lambda x: x, **PARALLEL).create_tuple_iterator(output_numpy=True)
    next(read)
    seen = multiprocessing.active_children()
    assert len(seen) >= 3
    read.stop()
    deadline = time.monotonic() + 20  # the thread that ends them may be the one that sees their end
    for process in seen:
        process.join(10)
        while process.exitcode is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert process.exitcode is not None
    del read, seen, process
    while len(os.listdir("/proc/self/fd")) > before and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.05)
    assert len(os.listdir("/proc/self/fd")) <= before


def test_short_calls_travel_in_groups_and_rows_stay_what_they_are():
    """Hundreds of rows of different work: order, numbers drawn and the row of an error are those of one."""

    def work(x):
        if x % 97 == 5:
            time.sleep(0.002)
        return x, np.random.randint(1 << 30), np.zeros(int(x) % 3000, np.uint8)

    def parts(workers):
        ds.config.set_seed(3)
        d = numbers(800).map(work, "x", ["x", "r", "z"], workers, python_multiprocessing=True)
        return [(float(x), int(r), z.nbytes) for x, r, z in rows(d)]

    two = parts(2)
    assert [p[0] for p in two] == list(range(800)) and two == parts(3)
    assert [p[2] for p in two] == [x % 3000 for x in range(800)]

    def fails(x):
        return 1 / (x - 678) if x == 678 else x

    def unpicklable(x):
        return (lambda: x) if x == 678 else x

    for broken in (fails, unpicklable):
        seen = []
        read = (
            numbers(800)
            .map(broken, **PARALLEL)
            .create_tuple_iterator(num_epochs=1, output_numpy=True)
        )
        with pytest.raises(Exception, match="."):
            for (x,) in read:
                seen.append(int(x))
        assert seen == list(range(len(seen))) and len(seen) <= 678


def resumed(data, given: int):
    """The rows of an epoch that a new iterator gives, from where another one was after ``given`` rows."""
    begun = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    for _ in range(given):
        next(begun)
    state = begun.state()
    return list(data.create_tuple_iterator(num_epochs=1, output_numpy=True, state=state))


def drawn(x):
    return x + np.float32(np.random.random() + random.random())


@pytest.mark.parametrize("given", [1, 5])
@pytest.mark.parametrize(
    "data",
    [
        numbers(9).map(drawn, "x", **PARALLEL),
        numbers(9).map(drawn, "x", **PARALLEL).batch(2),
        ds.GeneratorDataset([1, 2, 3, 4, 5, 6, 7], "x", shuffle=True, num_parallel_workers=2).map(
            drawn, "x", **PARALLEL
        ),
        numbers(12).batch(
            2, per_batch_map=lambda x, info: ([drawn(v) for v in x],), input_columns="x", **PARALLEL
        ),
    ],
    ids=["rows", "batches", "source", "per_batch_map"],
)
def test_the_rest_of_an_epoch_draws_what_it_would_have_drawn(data, given):
    ds.config.set_seed(3)
    try:
        assert_same(resumed(data, given), rows(data)[given:])
    finally:
        ds.config.set_seed(5489)


def assert_same(found, wanted):
    assert [[v.tolist() for v in row] for row in found] == [
        [v.tolist() for v in row] for row in wanted
    ]


@pytest.mark.parametrize("mode", ["SKIP", "REPLACE"])
@pytest.mark.parametrize("processes", [False, True])
def test_the_rest_of_an_epoch_with_rows_that_fail(mode, processes):
    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode[mode])
    try:
        data = numbers(9).map(
            lambda x: x if x % 4 else 1 // 0,
            "x",
            num_parallel_workers=2,
            python_multiprocessing=processes,
        )
        assert_same(resumed(data, 4), rows(data)[4:])
    finally:
        ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)
