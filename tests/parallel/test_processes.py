"""Programs of several processes: what they compute, and that none hangs when one fails."""

import mmap
import os
import signal
import subprocess
import sys
import time

import pytest

from minds.launch.segments import sweep

HOME = os.path.dirname(os.path.abspath(__file__))


def test_collectives_of_two(launch):
    code, out, err = launch(2, "collectives.py")
    assert code == 0, err
    assert sorted(out.split("\n")[:2]) == ["[0] all is well", "[1] all is well"]


def test_operands_that_are_shown(launch):
    code, out, err = launch(2, "shown.py")
    assert code == 0 and out.count("all is well") == 2, err


def test_torch_names(launch):
    code, out, err = launch(2, "torch_names.py")
    assert code == 0 and out.count("all is well") == 2, err


def test_collectives_of_four(launch, whole):
    if not whole:
        pytest.skip("four processes: with --whole")
    code, out, err = launch(4, "collectives.py")
    assert code == 0 and out.count("all is well") == 4, err


@pytest.mark.parametrize("count", (2, 4))
def test_divided_programs(launch, whole, count):
    if count > 2 and not whole:
        pytest.skip("four processes: with --whole")
    code, out, err = launch(count, "divided.py")
    assert code == 0 and out.count("all is well") == count, err


FAILURES = [
    ("kill", 137, ["rank 1", "SIGKILL", "rank 1 has died", "failing.py:35"]),
    ("raise", 1, ["ValueError: of its own", "rank 1 has failed: ValueError: of its own"]),
    ("exit", 3, ["rank 1 has ended", "ended with exit code 3"]),
    ("sleep", 1, ["for 2 s", "rank 1 has not reached it; it is at", "failing.py:28"]),
    ("sizes", 1, ["ValueError", "(5,), float32] from rank 0: rank 0 sends Tensor[(4,), float32]"]),
    ("several", 1, ["ValueError", "rank 0 sends Tensor[(4,), float32], Tensor[(3,), float32]"]),
    ("differ", 1, ["the ranks' programs differ", "all_gather", "all_reduce(sum)", "failing.py:30"]),
]


@pytest.mark.parametrize("how, code, said", FAILURES, ids=[f[0] for f in FAILURES])
def test_a_failing_rank_is_named_and_ends_all(launch, how, code, said):
    got, _, err = launch(2, "failing.py", how, MINDS_COMM_TIMEOUT="2")
    assert got == code, err
    for text in said:
        assert text in err, (text, err)


EXTRAS = {  # what both ranks say
    "root": ["rank 0 is at", "its collective 3", "rank 1 is at", "its collective 4", "extra.py:18"],
    "compiled": ["extra.py:28", "extra.py:34"],
    "late": ["has called 9 collectives of the group [0, 1]", "rank 1 10"],
    "eager": ["extra.py:34", "extra.py:42"],
    "async": ["rank 0 is at", "extra.py:34", "rank 1 is at", "extra.py:18"],
    "large": ["extra.py:39", "extra.py:42"],
    "message": ["rank 1 has sent rank 0 4 messages, of which it took 3"],
    "crossed": ["receive Tensor[(4,), float32] from rank 1", "from rank 0 at", "extra.py:55"],
}


@pytest.mark.parametrize("how", EXTRAS)
def test_a_rank_that_calls_more_is_noticed(launch, whole, how):
    if not whole and how not in ("root", "compiled"):
        pytest.skip("some of them: with --whole")
    code, _, err = launch(2, "extra.py", how)
    assert code == 1 and err.count("the ranks' programs differ") >= 2, err
    for text in EXTRAS[how]:
        assert text in err, (text, err)


def test_restarts(launch, tmp_path):
    """Ranks that are killed at different steps: all are started again, go on from what they all have saved,
    and end with the weights of a run without failures.
    """

    def weights(name, *fatal):
        folder = str(tmp_path / name)
        got, out, err = launch(
            2, "restarted.py", folder, "3", *fatal, options=("--max-restarts", "2")
        )
        assert not got, err
        found = {line.split("begun ")[1] for line in out.splitlines() if "weights" in line}
        return found, err

    (once,), _ = weights("once")
    (again,), err = weights("again", "3:1", "7:0")
    assert once.replace("0 weights", "2 weights") == again
    assert "start 2 of 2" in err


def test_restarts_end(launch):
    code, _, err = launch(2, "failing.py", "exit", options=("--max-restarts", "1"))
    assert code == 3 and err.count("ended with exit code 3") == 2 and "start 1 of 1" in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["SIGINT", "SIGKILL"])
def test_no_process_outlives_the_launcher(launch, number):
    path = os.path.join(HOME, "programs", "failing.py")
    command = [sys.executable, "-m", "minds.launch", "-n", "2", path, "wait"]
    launcher = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert launcher.stdout.readline() == "[1] sleeps\n"
    ranks = [int(p) for p in children(launcher.pid)]
    assert len(ranks) == 2
    began = time.monotonic()
    launcher.send_signal(number)
    launcher.wait(10)
    while any(map(is_alive, ranks)) and time.monotonic() - began < 10:
        time.sleep(0.05)
    assert not any(map(is_alive, ranks)) and time.monotonic() - began < 5
    launcher.stdout.close()


def children(pid: int) -> list:
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return f.read().split()


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
            return f.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_segments_of_the_dead_are_removed(tmp_path):
    """Those that a process still has, and young ones, stay."""
    own, left, young, other = [
        tmp_path / n for n in ("mpich_shm_1", "mpich_shm_2", "mpich_shm_3", "else")
    ]
    for path in (own, left, young, other):
        path.write_bytes(bytes(4096))
        if path is not young:
            os.utime(path, (1, 1))
    with open(own, "r+b") as f, mmap.mmap(f.fileno(), 0):
        assert sweep(str(tmp_path)) == [str(left)]
    assert {p.name for p in tmp_path.iterdir()} == {own.name, young.name, other.name}
    assert sweep(str(tmp_path / "nowhere")) == []
