"""What processes tell one another beside their messages: who waits where, who has failed.

Each process has a file of notes in a directory that those of one host share. A process that waits for
others writes down in what and at which line, and reads the notes of those for whom it waits: a peer that
has ended or waits for something else is an error that names it. Nothing is written while nobody waits long.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable

from .errors import complain, is_library

_STEADY = 0.2  # seconds that two processes must wait for one another to be at cross-purposes
_HINT = 30.0  # seconds after which a waiting process says so
_MESSAGES = ("send ", "receive ")  # what single messages are called
_ANSWER = 1.0  # seconds to wait for the lines of others


def place() -> str:
    """A directory for notes: the launcher's, or a new one."""
    return os.environ.get("MINDS_NOTES") or tempfile.mkdtemp(prefix="minds-ranks-")


def timeout() -> float:
    """After how many seconds of waiting for others a collective fails: ``MINDS_COMM_TIMEOUT``."""
    return float(os.environ.get("MINDS_COMM_TIMEOUT", "300"))


_begun = threading.local()


def at_line(line: str) -> None:
    """Say at which line this thread's work was begun by another one."""
    _begun.line = line


def running_line(thread: int | None = None) -> str:
    """The innermost line outside of minds that a thread (default: this one) is at, or where its work was
    begun.
    """
    if thread is None and hasattr(_begun, "line"):
        return _begun.line
    frame = sys._getframe() if thread is None else sys._current_frames().get(thread)
    while frame is not None and (
        is_library(frame.f_code.co_filename) or frame.f_code.co_filename.startswith("<frozen")
    ):
        frame = frame.f_back
    return "an unknown line" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


class Watch:
    """The notes of one process.

    Args:
        rank (int): which it is.
        pids (list[int]), hosts (list[str]): of all ranks.
        directory (str): where the notes are; a host that lacks it knows nothing of others.
        counts (callable): how many collectives each group has had here, and how many messages each rank got
            and gave.
    """

    def __init__(self, rank: int, pids: list, hosts: list, directory: str, counts: Callable):
        self.rank, self.pids, self.hosts, self.directory = rank, pids, hosts, directory
        self.counts = counts
        self.failed, self.number, self.hinted = False, 0, False
        self.crossed: dict = {}  # what was seen of others: since when, and the numbers of their notes
        self.waits = 0  # the thread whose wait is noted
        self.cause: int | None = None  # the rank that it waited for in vain
        self.error: Exception | None = None  # of the first exchange that failed
        self.reachable = os.path.isdir(directory)
        self.note("running")
        threading.Thread(target=self._answer, daemon=True, name="minds-ranks").start()

    # ---- own notes

    def _path(self, name: str, rank: int) -> str:
        return os.path.join(self.directory, f"{name}-{rank}")

    def _write(self, name: str, **what) -> None:
        if not self.reachable:
            return
        path = self._path(name, self.rank)
        own = f"{path}.{threading.get_ident()}"
        with contextlib.suppress(OSError):
            with open(own, "w", encoding="utf-8") as f:
                json.dump(what, f)
            os.replace(own, path)

    def note(self, state: str, **more) -> None:
        """Say in which state this process is: running, waiting, failed or ended."""
        self.number += 1
        self._write("rank", state=state, number=self.number, **more)

    def fail(self, why: str) -> None:
        """Say that this process fails."""
        if not self.failed:
            self.failed = True
            self.note("failed", why=why, cause=self.cause)

    def _answer(self) -> None:
        """Tell who asks at which line this process is."""
        main = threading.main_thread().ident
        while True:
            time.sleep(0.1)
            try:
                os.remove(self._path("ask", self.rank))
            except OSError:
                continue
            self._write("line", line=running_line(main))

    # ---- others'

    def _read(self, name: str, rank: int) -> dict:
        try:
            with open(self._path(name, rank), encoding="utf-8") as f:
                return json.load(f)
        except (OSError, ValueError):
            return {}

    def _is_gone(self, rank: int) -> bool:
        """Whether the process of a rank of this host has died."""
        if self.hosts[rank] != self.hosts[self.rank]:
            return False
        try:
            with open(f"/proc/{self.pids[rank]}/stat", encoding="utf-8", errors="replace") as f:
                return f.read().rpartition(")")[2].split()[0] in "ZX"
        except OSError:
            return True

    def lines(self, ranks: list) -> dict:
        """At which lines some processes are, of those that answer."""
        for r in ranks:
            with contextlib.suppress(OSError):
                os.remove(self._path("line", r))
            with contextlib.suppress(OSError), open(self._path("ask", r), "w"):
                pass
        until, found = time.monotonic() + _ANSWER, {}
        while len(found) < len(ranks) and time.monotonic() < until:
            time.sleep(0.05)
            for r in ranks:
                line = self._read("line", r).get("line")
                if line is not None:
                    found[r] = line
        return found

    # ---- waiting

    def waiting(self, what: str, site: str, ranks: list, seconds: float) -> None:
        """Asked by the core every 50 ms while this process waits for ``ranks``.

        Raises:
            RuntimeError: it would wait for ever, or has waited too long.
        """
        if self.failed or not ranks:
            raise self.error or complain(RuntimeError, f"{what}: communication was interrupted")
        try:
            self._check(what, site, ranks, seconds)
        except RuntimeError as e:
            self.error = e
            raise

    def _check(self, what: str, site: str, ranks: list, seconds: float) -> None:
        # What runs beside the program keeps the order of its collectives, but not that of single messages.
        here = threading.current_thread() is threading.main_thread() or not what.startswith(
            _MESSAGES
        )
        line = site or running_line()
        if seconds < 0.1:  # the first time in this call
            self.crossed.clear()
            self.hinted = False
        if here:
            self.waits = threading.get_ident()
            self.own = {"what": what, "line": line, "ranks": ranks, "messages": self.counts()[1]}
            self.note("waiting", **self.own)
        for r in ranks:
            self._expect(r, what, line, here)
        if seconds > timeout():
            raise self._too_late(what, line, ranks, seconds)
        if seconds > _HINT and not self.hinted:
            self.hinted = True
            print(self._told(what, line, ranks, seconds), file=sys.stderr, flush=True)

    def _expect(self, r: int, what: str, line: str, here: bool) -> None:
        """Raise the error of a peer that will not come."""
        note = self._read("rank", r)
        state = note.get("state")
        if state == "failed":
            why = note.get("why", "").partition("\n")[0]
            self.cause = r
            raise self._lost(what, line, f"rank {r} has failed: {why}")
        if state == "ended" or (state and self._is_gone(r)):
            how = "ended" if state == "ended" else "died"
            if self._stays((r, how)):
                self.cause = r
                raise self._lost(what, line, f"rank {r} has {how}")
        elif here and state == "waiting" and (found := self._round(r, note)):
            # A note is renewed while its rank waits; where all stay in the same calls, none will come.
            key = (r, *[(n["what"], n["line"]) for _, n in found])
            if self._stays(key, [n["number"] for _, n in found]):
                told = ", and ".join(
                    f"rank {at} waits in {n['what']} at {n['line']}" for at, n in found
                )
                raise self._lost(what, line, told, "differ")
        else:
            self.crossed = {k: t for k, t in self.crossed.items() if k[0] != r}

    def _round(self, r: int, note: dict) -> list:
        """The ranks, beginning with one that this one waits for, and their notes, of which each waits for the
        next, and the last for this one; all in something else. Empty if there are none.
        """
        ways = [[(r, note)]] if self._keeps(self.rank, self.own, r, note) else []
        seen = {self.rank, r}
        for way in ways:
            at, waits = way[-1]
            for other in waits["ranks"]:
                theirs = self.own if other == self.rank else self._read("rank", other)
                if other == self.rank and self._keeps(at, waits, other, theirs):
                    return way
                is_new = other not in seen and theirs.get("state") == "waiting"
                if is_new and self._keeps(at, waits, other, theirs):
                    seen.add(other)
                    ways.append([*way, (other, theirs)])
        return []

    def _keeps(self, at: int, waits: dict, other: int, theirs: dict) -> bool:
        """Whether a rank that waits for another one gets nothing from it as long as that waits too."""
        if not waits["what"].startswith(_MESSAGES):
            return waits["what"] != theirs["what"]
        sent, taken = waits["messages"][other]
        given, got = theirs["messages"][at]
        return taken > given or sent > got

    def _stays(self, seen: tuple, numbers: list | None = None) -> bool:
        """Whether this was seen for a while; with numbers of notes, whether these were renewed meanwhile: a
        process that does not run renews none.
        """
        since, first = self.crossed.setdefault(seen, (time.monotonic(), numbers or []))
        renewed = all(now - before > 2 for now, before in zip(numbers or [], first))
        return renewed and time.monotonic() - since > _STEADY

    def _lost(self, what: str, line: str, why: str, how: str = "") -> Exception:
        head = f"rank {self.rank} waits in {what} at {line}, but {why}"
        if how == "differ":
            return complain(
                RuntimeError,
                f"the ranks' programs differ: {head}",
                cure="all ranks of a group must call the same collectives in the same order",
            )
        return complain(RuntimeError, head)

    def _told(self, what: str, line: str, ranks: list, seconds: float) -> str:
        found = self.lines(ranks)
        told = [f"rank {self.rank} waits in {what} at {line} for {seconds:.0f} s"]
        for r in ranks:
            note = self._read("rank", r)
            if note.get("state") == "waiting":
                where = f"waits in {note['what']} at {note['line']}"
            else:
                where = f"is at {found[r]}" if r in found else "does not answer"
            told.append(f"rank {r} has not reached it; it {where}")
        return "\n  ".join(told)

    def _too_late(self, what: str, line: str, ranks: list, seconds: float) -> Exception:
        return complain(
            RuntimeError,
            self._told(what, line, ranks, seconds),
            cure="MINDS_COMM_TIMEOUT sets how many seconds a rank waits",
        )

    def left(self) -> None:
        """Told by the core when this process waits no more."""
        if threading.get_ident() == self.waits and not self.failed:
            self.waits = 0
            self.note("running")

    # ---- the end

    def leave(self) -> bool:
        """Say that this process ends, and wait for the others. Whether all end in order.

        Raises:
            RuntimeError: a rank has taken part in something that another one has not.
        """
        if self.failed:
            return False
        groups, messages = self.counts()
        own = {"groups": groups, "messages": messages}
        self.note("ended", **own)
        if not self.reachable:
            return True
        left, notes = [r for r in range(len(self.pids)) if r != self.rank], {}
        while left:
            notes |= {r: self._read("rank", r) for r in left}
            states = {r: notes[r].get("state") for r in left}
            if any(s == "failed" or s != "ended" and self._is_gone(r) for r, s in states.items()):
                return False
            left = [r for r in left if states[r] != "ended"]
            time.sleep(0.02)
        for r, theirs in sorted(notes.items()):
            self._compare(own, r, theirs)
        return True

    def _compare(self, own: dict, r: int, theirs: dict) -> None:
        """Raise an error if a rank that has ended took part in something without this one, or reversely."""
        known = {tuple(ranks): count for ranks, count in theirs["groups"]}
        for ranks, count in own["groups"]:
            other = known.get(tuple(ranks), 0)
            if r in ranks and other != count:
                called = f"rank {self.rank} has called {count} collectives of the group"
                raise self._unequal(f"{called} {list(ranks)}, rank {r} {other}")
        sent, taken = own["messages"][r]
        given, got = theirs["messages"][self.rank]
        for giver, count, taker, came in (
            (self.rank, sent, r, got),
            (r, given, self.rank, taken),
        ):
            if count != came:
                what = (
                    f"rank {giver} has sent rank {taker} {count} messages, of which it took {came}"
                )
                raise self._unequal(what)

    def _unequal(self, what: str) -> Exception:
        return complain(
            RuntimeError,
            f"the ranks' programs differ: {what}",
            cure="all ranks of a group must call the same collectives in the same order",
        )


__all__ = ["Watch", "at_line", "place", "running_line", "timeout"]
