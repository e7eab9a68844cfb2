"""Processes that apply a function to items, in order: for functions in Python, which threads run one
at a time.

A process is forked for the epoch, so that the function may be anything; rows travel through memory
that both sides share. Items go round in groups, which are as large as some milliseconds of work: a
message costs as much as many calls of a short function.
"""

from __future__ import annotations

import hashlib
import itertools
import mmap
import multiprocessing
import os
import pickle
import random
import signal
import struct
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from multiprocessing import connection

import numpy as np

from ..base.errors import complain
from . import config, rowrng
from .pipeline import DatasetError

DEPTH = 2
"""Groups of items that a process has been given: while one travels, it works on the other."""

ROOM = 64 << 20
"""Bytes of a group or its results in shared memory; memory that is not used is never made. What is larger
goes through a pipe."""

_MOST = 128  # items of a group
_WORK = 4e-3  # seconds that a group is worth
_BYTES = 1 << 20  # that a group is worth

_ALIGNMENT = 64
_SMALL = 4096  # bytes of an array that goes with the message
_GLANCE = 0.1  # seconds between looks at whether the rows are still wanted
_WATCH = 0.5  # seconds between looks at whether the process that started this one runs


def ordered_processes(
    fn: Callable,
    items,
    workers: int,
    seed: tuple,
    is_stopped=None,
    stage=None,
    most: int = _MOST,
    first: int = 0,
) -> Iterator:
    """``fn`` over ``items`` in order, by ``workers`` processes.

    Args:
        fn (Callable): of an item.
        items (iterable): what can be pickled.
        workers (int): how many processes.
        seed (tuple[int, int, int]): of the iterator, the place and the epoch. For each item the
            global generators of NumPy and Python, and that of random transforms, start from it and
            the item's number, whichever process the item falls to.
        is_stopped (Callable, optional): whether nobody wants the results any more.
        stage (Meter, optional): counts results, and those that are there when they are asked for.
        most (int): items of a group; with 1, item n is the work of process n modulo ``workers``.
        first (int): the number of the first item.

    Raises:
        DatasetError: a process ended on its own.
        Exception: what ``fn`` raised, with the process's traceback.
    """
    team, pending, items = _team(fn, workers, seed), deque(), iter(items)
    turns, size, given = itertools.cycle(team), 1, first
    try:
        while True:
            group = list(itertools.islice(items, size))
            if len(pending) == DEPTH * workers or pending and not group:
                results, failure, worth = pending.popleft().take(is_stopped, stage)
                yield from results
                if failure is not None:
                    raise failure
                size = max(1, min(most, int(worth * len(results))))
            if group:
                worker = next(turns)
                worker.give(given, group)
                given += len(group)
                pending.append(worker)
            elif not pending:
                return
    except _Stopped:
        return
    finally:
        for worker in team:
            worker.end()


class _Stopped(Exception):
    """Nobody wants the results any more."""


def _team(fn: Callable, workers: int, seed: tuple) -> list[_Worker]:
    method = config.get_multiprocessing_start_method()
    if method != "fork":
        raise complain(
            DatasetError,
            f"python_multiprocessing: processes are not started by {method!r}",
            cure="call dataset.config.set_multiprocessing_start_method('fork'), or use threads",
        )
    context = multiprocessing.get_context(method)
    pipes = [context.Pipe() for _ in range(workers)]
    team: list[_Worker] = []
    try:
        for mine, theirs in pipes:
            others = [end for pair in pipes for end in pair if end is not theirs]
            team.append(_Worker(context, fn, seed, mine, theirs, others))
    except BaseException:
        for worker in team:
            worker.end()
        raise
    finally:
        for _, theirs in pipes:
            theirs.close()
    return team


class _Worker:
    """A process, seen from the one that gives it groups of items."""

    def __init__(self, context, fn: Callable, seed: tuple, pipe, theirs, others: list):
        self._memory = mmap.mmap(-1, 2 * DEPTH * ROOM)
        self._pipe, self._given, self._taken = pipe, 0, 0
        # Of the groups on their way: the first number, the last one, the bytes.
        self._groups: deque[tuple[int, int, int]] = deque()
        args = fn, seed, theirs, others, self._memory, os.getpid()
        self._process = context.Process(target=_serve, args=args, name="minds-dataset", daemon=True)
        self._process.start()

    def give(self, n: int, group: list) -> None:
        """Items from number ``n`` on."""
        place = self._given % DEPTH
        self._given += 1
        message, sizes = _written(group, _room(self._memory, place, 0))
        self._groups.append((n, n + len(group) - 1, _weight(message, sizes)))
        try:
            self._pipe.send((n, place, message, sizes))
        except OSError:
            raise self._lost() from None

    def take(self, is_stopped, stage):
        """Of the oldest group that it was given: (the results, the error that ended them or None, how
        many such groups one should be).
        """
        if stage is not None:
            stage.takes += 1
            stage.ready += self._pipe.poll()
        while not connection.wait([self._pipe, self._process.sentinel], _GLANCE):
            if is_stopped is not None and is_stopped():
                raise _Stopped
        try:
            message, sizes = self._pipe.recv()
        except (EOFError, OSError):
            raise self._lost() from None
        room = _room(self._memory, self._taken % DEPTH, 1)
        results, failure, seconds = _read(message, sizes, room)
        self._taken += 1
        weight = max(self._groups.popleft()[2], _weight(message, sizes))
        worth = min(_WORK / max(seconds, 1e-9), _BYTES / weight)
        if failure is None:
            return results, None, worth
        error, error.__cause__, text = failure
        (error.__cause__ or error).__cause__ = _Traceback(text)
        return results, error, worth

    def _lost(self) -> DatasetError:
        self._process.join(1)
        code = self._process.exitcode
        how = f"signal {signal.Signals(-code).name}" if code and code < 0 else f"exit code {code}"
        return DatasetError(
            f"a process of the dataset's workers (pid {self._process.pid}) ended by {how} while it worked "
            f"on rows {self._groups[0][0]} to {self._groups[-1][1]}"
        )

    def end(self) -> None:
        """End it now: what it works on is not wanted."""
        self._pipe.close()
        self._process.terminate()
        self._process.join(1)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
        self._memory.close()  # the process's handles go with it: a program that ends may still look at it


class _Traceback(Exception):
    """Where an exception was raised, in the process that raised it."""

    def __str__(self) -> str:
        return f"in a process of the dataset's workers:\n\n{self.args[0]}"


def _serve(fn: Callable, seed: tuple, pipe, others: list, memory, parent: int) -> None:
    """What a process does: it ends with the pipe, or with the program, whatever it works on then."""
    for other in others:
        other.close()  # else they stay open when another process is killed
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the work
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        while True:
            n, place, *message = pipe.recv()
            group = _read(*message, _room(memory, place, 0))
            pipe.send(_answers(fn, group, seed, n, _room(memory, place, 1)))
    except (EOFError, OSError):
        return  # nobody is there


def _end_with(parent: int) -> None:
    """End this process when ``parent`` has ended: a user's function may take long, and other processes may
    hold the other end of the pipe.
    """
    while os.getppid() == parent:
        time.sleep(_WATCH)
    os._exit(1)


def _answers(fn: Callable, group: list, seed: tuple, n: int, room) -> tuple:
    """The message of a group's results: up to the first item that fails, and its error."""
    results, failure, begin = [], None, time.perf_counter()
    for number, item in enumerate(group, n):
        words = struct.unpack("<2I", _mixed(*seed, number))
        np.random.seed(words[0])
        random.seed(words[1])
        rowrng.begin_row(*seed, number)
        try:
            results.append(fn(item))
        except BaseException as e:
            failure = _of(e)
            break
    seconds = time.perf_counter() - begin
    try:
        return _written((results, failure, seconds), room)
    except Exception as e:  # a result that cannot travel
        results = list(itertools.takewhile(_travels, results))
        return _written((results, _of(e), seconds), None)


def _mixed(*numbers: int) -> bytes:
    """Eight bytes that look random, for a row's generators: every row pays for them, and `SeedSequence`
    costs as much as a short function.
    """
    text = b",".join(b"%d" % n for n in numbers)
    return hashlib.blake2b(text, digest_size=8).digest()


def _of(error: BaseException) -> tuple:
    """An exception, its cause and its traceback, as they travel."""
    return _portable(error), _portable(error.__cause__), traceback.format_exc()


def _travels(result) -> bool:
    """Whether a result can be pickled."""
    try:
        pickle.dumps(result, protocol=5)
    except Exception:
        return False
    return True


def _portable(error):
    """An exception that can be pickled: itself, or one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


# ---- values in shared memory


def _room(memory, place: int, side: int):
    """Where an item, or with ``side`` 1 its result, lies."""
    return memory, (2 * place + side) * ROOM


def _written(value, room) -> tuple[bytes, list[int] | None]:
    """A value as a message, and the sizes of its arrays in ``room``; None: all is in the message."""
    buffers: list[memoryview] = []

    def large(buffer) -> bool:
        raw = buffer.raw()
        if raw.nbytes >= _SMALL:
            buffers.append(raw)
        return raw.nbytes < _SMALL

    if room is not None:
        message = pickle.dumps(value, protocol=5, buffer_callback=large)
        sizes = [b.nbytes for b in buffers]
        if sum(map(_aligned, sizes)) <= ROOM:
            memory, at = room
            for b, size in zip(buffers, sizes, strict=True):
                memory[at : at + size] = b
                at += _aligned(size)
            return message, sizes
    return pickle.dumps(value, protocol=5), None


def _read(message: bytes, sizes: list[int] | None, room):
    """What was written, in memory of its own."""
    buffers = []
    if sizes:
        memory, at = room
        view = memoryview(memory)
        for size in sizes:
            buffers.append(bytearray(view[at : at + size]))
            at += _aligned(size)
        view.release()
    return pickle.loads(message, buffers=buffers)


def _weight(message: bytes, sizes: list[int] | None) -> int:
    """The bytes of what was written."""
    return len(message) + sum(sizes or ())


def _aligned(nbytes: int) -> int:
    return -(-nbytes // _ALIGNMENT) * _ALIGNMENT
