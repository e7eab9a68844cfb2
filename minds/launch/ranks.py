"""The processes of one launch: started, listened to, and ended together."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import pathlib
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from .pmi import Server

_GRACE = 1.0  # seconds that the others get to say what they were doing, and again to end
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG, linux/prctl.h
_libc = ctypes.CDLL(None)


def _before(parent: int):
    """What a new process does first: it dies with the launcher, whatever that dies of."""

    def prepare():
        _libc.prctl(_DIES_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return prepare


class Launched:
    """Starts ``size`` processes of a command and sees to their end.

    Args:
        command (list[str]): what each runs.
        size (int): how many.
        log_dir (str): a directory for a file of each one's output, as well. Default ``""``, none.
        restarts (int): how often they were started before. Default: 0.
    """

    def __init__(self, command: list, size: int, log_dir: str = "", restarts: int = 0):
        self.size, self.server, self.restarts = size, Server(size), restarts
        self.selector = selectors.DefaultSelector()
        self.notes = tempfile.mkdtemp(prefix="minds-ranks-")
        self.processes: dict[int, subprocess.Popen] = {}
        self.running: set[int] = set()
        self.begun: dict[tuple, bytes] = {}  # lines that have no end yet
        self.logs: dict = {}
        self.open_logs = contextlib.ExitStack()
        self.code, self.stopped_at, self.ended = 0, 0.0, 0
        self.codes: dict[int, int] = {}
        self.blamed = -1  # the rank that failed first
        self.is_interrupted = False
        if log_dir:
            os.makedirs(log_dir, exist_ok=True)
        self.sent: set[tuple] = set()  # which rank was sent which signal
        self.command, self.log_dir = command, log_dir

    def _start(self, rank: int) -> None:
        if self.log_dir:
            path = pathlib.Path(self.log_dir, f"worker_{rank}.log")
            self.logs[rank] = self.open_logs.enter_context(
                path.open("ab" if self.restarts else "wb")
            )
        link = self.server.link(rank)
        threads = max(1, len(os.sched_getaffinity(0)) // self.size)
        given = {"OMP_NUM_THREADS": str(threads), "PYTHONUNBUFFERED": "1"} | os.environ
        process = subprocess.Popen(
            self.command,
            env=given
            | {
                "PMI_RANK": str(rank),
                "PMI_SIZE": str(self.size),
                "PMI_FD": str(link.fileno()),
                "MINDS_NOTES": self.notes,
                "RANK_ID": str(rank),
                "RANK_SIZE": str(self.size),
                "DEVICE_ID": str(rank),
                "LOCAL_RANK": str(rank),
                "LOCAL_RANK_SIZE": str(self.size),
                "MINDS_RESTARTS": str(self.restarts),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[link.fileno()],
            start_new_session=True,
            preexec_fn=_before(os.getpid()),
        )
        link.close()
        self.processes[rank] = process
        self.running.add(rank)
        read = selectors.EVENT_READ
        self.selector.register(self.server.links[rank], read, ("pmi", rank))
        self.selector.register(process.stdout, read, ("out", rank))
        self.selector.register(process.stderr, read, ("err", rank))

    # ---- listening

    def run(self) -> int:
        """Until all have ended. The exit code: 0, or that of the first that failed."""
        try:
            for rank in range(self.size):
                if not self.is_interrupted:  # by now
                    self._start(rank)
            while self.running or self._has_output():
                for key, _ in self.selector.select(timeout=0.05):
                    self._hear(key)
                self._reap()
                self._stop_late()
        finally:
            self._kill(signal.SIGKILL)
            for p in self.processes.values():
                p.wait()
            self.open_logs.close()
            shutil.rmtree(self.notes, ignore_errors=True)
        own = self.codes.get(self.blamed, 0)
        if own < 0 and (self.blamed, -own) not in self.sent:  # it was killed, but not from here
            own = 128 - own
        return own if own > 0 and self.code and not self.is_interrupted else self.code

    def _has_output(self) -> bool:
        """Whether output may come; a grandchild that keeps a pipe open is not waited for."""
        late = self.ended and time.monotonic() - self.ended > _GRACE
        return not late and any(k.data[0] != "pmi" for k in self.selector.get_map().values())

    def _hear(self, key) -> None:
        kind, rank = key.data
        if kind == "pmi":
            if not self.server.read(rank):
                self.selector.unregister(key.fileobj)
            if self.server.aborted is not None and not self.stopped_at:
                self._fail(f"rank {rank} ended the program", self.server.aborted or 1)
            return
        got = os.read(key.fileobj.fileno(), 65536)
        if got and rank in self.logs:
            self.logs[rank].write(got)
            self.logs[rank].flush()
        *lines, rest = (self.begun.get(key.data, b"") + got).split(b"\n")
        if not got:
            self.selector.unregister(key.fileobj)
            lines, rest = ([rest] if rest else []), b""
        self.begun[key.data] = rest
        to = sys.stdout if kind == "out" else sys.stderr
        for line in lines:
            to.buffer.write(b"[%d] %s\n" % (rank, line))
        to.flush()

    # ---- ending

    def _reap(self) -> None:
        for rank in sorted(self.running):
            code = self.processes[rank].poll()
            if code is None:
                continue
            self.running.discard(rank)
            if not self.running:
                self.ended = time.monotonic()
            self.codes[rank] = code
            if code and not self.stopped_at:
                self.blamed = self._cause(rank)
                waited = f", as it waited for rank {self.blamed}" if self.blamed != rank else ""
                self._fail(self._end_of(rank) + waited, code if code > 0 else 128 - code)
            elif code and rank == self.blamed:
                print(f"minds.launch: {self._end_of(rank)}", file=sys.stderr, flush=True)

    def _end_of(self, rank: int) -> str:
        """How a process has ended."""
        code, who = self.codes[rank], f"rank {rank} (process {self.processes[rank].pid})"
        if code < 0:
            return f"{who} was killed by {signal.Signals(-code).name}"
        return f"{who} ended with exit code {code}"

    def _cause(self, rank: int, seen: tuple = ()) -> int:
        """The rank for which one that has failed waited in vain, or itself."""
        try:
            note = pathlib.Path(self.notes, f"rank-{rank}").read_text(encoding="utf-8")
            cause = json.loads(note).get("cause")
        except (OSError, ValueError):
            return rank
        known = cause is None or cause in (rank, *seen)
        return rank if known else self._cause(cause, (*seen, rank))

    def _fail(self, what: str, code: int) -> None:
        self.code, self.stopped_at = code, time.monotonic()
        others = " of the others" if self.running else ""
        told = f"; ending the {len(self.running)}{others}" if self.running else ""
        print(f"minds.launch: {what}{told}", file=sys.stderr, flush=True)

    def interrupt(self, number: int) -> None:
        """Hand a signal on; who does not end soon is killed."""
        self.is_interrupted, self.code = True, 128 + number
        self.stopped_at = self.stopped_at or time.monotonic()
        self._kill(number)

    def _stop_late(self) -> None:
        """After a failure: the others end by themselves, or are ended."""
        if not self.stopped_at or not self.running:
            return
        late = time.monotonic() - self.stopped_at
        if late > 2 * _GRACE:
            self._kill(signal.SIGKILL)
        elif late > _GRACE:
            self._kill(signal.SIGTERM)

    def _kill(self, number: int) -> None:
        """Signal the running processes and those that they have started."""
        for rank in self.running:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.processes[rank].pid, number)
                self.sent.add((rank, number))
