"""Room for deeply nested programs.

Compilation follows the nesting of the user's source with Python's own calls. Where the usual stack
does not suffice (a thousand `elif`, say), it is done again in a thread with a large one.
"""

from __future__ import annotations

import _thread
import ctypes
import sys
import threading

from .errors import complain

STACK, LIMIT = 1 << 29, 60_000
"""Bytes and nested Python calls of a large stack; of a call there are some kilobytes on it."""

TOO_DEEP = "values or calls are nested too deep to compile"

_CPYTHONS = "maximum recursion depth exceeded"
"""What CPython says of its own calls, in ours perhaps behind the name of what was called."""

_lock = threading.Lock()


def with_room(fn, states: list):
    """``fn()``, if need be in a thread with a large stack, where each of ``states``
    (`threading.local`) is as here.

    Raises:
        RecursionError: that does not suffice either.
    """
    try:
        return fn()
    except RecursionError as e:
        complaint = getattr(e, "complaint", None)
        own = complaint is None or complaint.head == TOO_DEEP or _CPYTHONS in complaint.head
        if not own or sys.getrecursionlimit() >= LIMIT:
            raise
    known = [dict(vars(s)) for s in states]
    outcome: list = []
    ended = threading.Event()

    def run() -> None:
        try:
            for state, values in zip(states, known):
                vars(state).update(values)
            outcome.append((fn(), None))
        except RecursionError as e:  # without the thousands of frames that it keeps
            outcome.append((None, e.with_traceback(None)))
        except BaseException as e:  # raised again by the caller
            outcome.append((None, e))
        finally:
            ended.set()

    with _lock:
        usual, stack = sys.getrecursionlimit(), threading.stack_size(STACK)
        sys.setrecursionlimit(LIMIT)
        thread = None
        try:
            thread = _thread.start_new_thread(run, ())
            ended.wait()
        finally:
            if thread is not None:
                _end(thread, ended)
            sys.setrecursionlimit(usual)
            threading.stack_size(stack)
    result, error = outcome[0]
    if isinstance(error, RecursionError) and not hasattr(error, "complaint"):
        raise complain(RecursionError, TOO_DEEP, cure="does a list or dict hold itself?") from None
    if error is not None:
        raise error
    return result


def _end(thread: int, ended: threading.Event) -> None:
    """Wait for a thread to end, which is interrupted if whoever waited for it was (Ctrl-C): nothing
    may go on with the usual limit while the thread is deeper than that. (`Thread.join` that is
    interrupted takes the thread for ended.)
    """
    interrupt = ctypes.py_object(KeyboardInterrupt)
    while not ended.is_set():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), interrupt)
        ended.wait(0.1)
