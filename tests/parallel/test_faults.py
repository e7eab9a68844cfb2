"""One rank of a training fails at some moment: all end within seconds, with an error that names it, and no
process is left.
"""

import os
import random
import time

import pytest

WAYS = ("data", "rows", "zero", "pipeline")
FAULTS = {
    "kill": (137, ["rank 1", "killed by SIGKILL"]),
    "int": (130, ["KeyboardInterrupt", "rank 1"]),
    "stop": (1, ["rank 1 has not reached it; it does not answer"]),
    "differ": (1, ["rank"]),
}
SAMPLE = {("pipeline", "stop"), ("zero", "differ")}
LIMIT = 2  # seconds that a rank waits for one that stands still
ANSWER = 1  # seconds that this has to say at which line it is


@pytest.mark.parametrize("how", FAULTS)
@pytest.mark.parametrize("way", WAYS)
def test_all_end(launch, whole, way, how):
    if not whole and (way, how) not in SAMPLE:
        pytest.skip("every fault in every way: with --whole")
    rng = random.Random(f"{way} {how}")
    for _ in range(4 if whole else 1):
        code, out, err = launch(
            2, "faults.py", way, how, str(rng.random()), MINDS_COMM_TIMEOUT=str(LIMIT)
        )
        ended = time.time()
        expected, said = FAULTS[how]
        assert code == expected, err
        for text in said:
            assert text in err, (text, err)
        began = float(out.split("at ")[1].split()[0])
        busy = max(os.getloadavg()[0] / os.cpu_count(), 1)  # all takes so much longer
        within = 5 * busy + (LIMIT + ANSWER if how == "stop" else 0)
        assert ended - began < within, (ended - began, err)
        assert not left(way, how), err


def left(way, how) -> list:
    """Processes of this case that are still there."""
    case = f"programs/faults.py\0{way}\0{how}\0".encode()
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                if case in f.read():
                    found.append(pid)
        except OSError:
            continue
    return found
