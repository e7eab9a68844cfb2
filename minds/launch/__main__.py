"""The command line of ``python -m minds.launch``: msrun's options."""

from __future__ import annotations

import argparse
import os
import signal
import sys

from .ranks import Launched
from .segments import sweep

_ACCEPTED = """master_addr master_port node_rank cluster_time_out bind_core bind_numa sim_level
    rank_table_file worker_log_name tail_worker_log hostname""".split()


def options(arguments: list) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m minds.launch",
        description="Run a program in several processes, which minds.communication.init() makes a world.",
    )
    parser.add_argument(
        "-n",
        "--worker_num",
        type=int,
        default=None,
        help="how many processes; default: one per core",
    )
    parser.add_argument(
        "--local_worker_num", type=int, default=None, help="of them on this machine"
    )
    parser.add_argument(
        "--log_dir", default="", help="also write each one's output to worker_N.log there"
    )
    parser.add_argument(
        "--max-restarts",
        "--max_restarts",
        type=int,
        default=0,
        help="how often to start all of them again when one has failed; default: 0. MINDS_RESTARTS in their "
        "environment is how often that was, and they go on from what they have saved",
    )
    parser.add_argument("--join", default="True", help="accepted: the launcher always waits")
    for name in _ACCEPTED:
        parser.add_argument(f"--{name}", default=None, help=argparse.SUPPRESS)
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module")
    parser.add_argument("program", help="the script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    found = parser.parse_args(arguments)
    if found.worker_num is None:
        found.worker_num = found.local_worker_num or len(os.sched_getaffinity(0))
    if found.max_restarts < 0:
        parser.error(f"--max-restarts is {found.max_restarts}, expected at least 0")
    if found.worker_num < 1:
        parser.error(f"--worker_num is {found.worker_num}, expected at least 1")
    if found.local_worker_num not in (None, found.worker_num):
        parser.error(
            "this launcher starts processes on one machine: --local_worker_num must be --worker_num; "
            "for several machines use mpiexec or srun"
        )
    return found


def main(arguments: list) -> int:
    """Launch, and return the exit code."""
    found = options(arguments)
    is_script = not found.module and (
        found.program.endswith(".py") or not _is_command(found.program)
    )
    start = [sys.executable, *(["-m"] if found.module else [])] if found.module or is_script else []
    command = [*start, found.program, *found.arguments]
    running: list[Launched] = []
    signals: list[int] = []

    def interrupt(number: int, _) -> None:
        signals.append(number)
        for launched in running[-1:]:
            launched.interrupt(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    for restarts in range(found.max_restarts + 1):
        sweep()
        running.append(Launched(command, found.worker_num, found.log_dir, restarts))
        for number in signals[:1]:  # that came before there was what to end
            running[-1].interrupt(number)
        code = running[-1].run()
        if signals:
            return 128 + signals[0]
        if not code or restarts == found.max_restarts:
            break
        told = f"start {restarts + 1} of {found.max_restarts} after a failure"
        print(f"minds.launch: {told}", file=sys.stderr, flush=True)
    return code


def _is_command(program: str) -> bool:
    """Whether it is a program of its own, such as ``python``."""
    return os.path.basename(program).startswith("python") or os.access(program, os.X_OK)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
