"""What runs beside the program, and the handles by which it is waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable

from .. import _core
from ..ad import tape
from ..base.ranks_watch import at_line, running_line
from ..base.world import world
from ..ir import build
from ..ops.define import P


class CommHandle:
    """Something that processes exchange while the program goes on.

    Examples:
        >>> from minds import Tensor
        >>> from minds.communication.comm_func import all_reduce
        >>> total, handle = all_reduce(Tensor([1.0]), async_op=True)
        >>> handle.wait()
        >>> print(total)
        [1.]
    """

    def __init__(self, settle: Callable | None = None):
        self._over = threading.Event()
        self._result = self._error = None
        self._settle = settle

    def _run(self, work: Callable, line: str = "") -> None:
        try:
            if line:
                at_line(line)
            self._result = work()
        except BaseException as e:
            self._error = e
        finally:
            self._over.set()

    def wait(self) -> None:
        """Wait until it is over; what it gives is in place then.

        Raises:
            RuntimeError: it failed.
        """
        while not self._over.wait(0.05):  # so that Ctrl-C is noticed
            pass
        settle, self._settle = self._settle, None
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        if settle is not None:
            settle(self._result)

    def is_completed(self) -> bool:
        """Whether it is over.

        Returns:
            bool: whether `wait` would not wait.
        """
        return self._over.is_set()


def _is_beside() -> bool:
    """Whether eager work may run beside the program: a compiled one has its own order, and a tape
    records what this thread does.
    """
    return build.current() is None and not tape.active()


def begin(work: Callable, settle: Callable) -> CommHandle:
    """Start a collective; ``settle(result)`` is done by `CommHandle.wait`.

    Collectives run one after the other, in the order in which they were begun.
    """
    handle = CommHandle(settle)
    if _is_beside():
        line = running_line() if world.size > 1 else ""
        _core.comm_begin(lambda: handle._run(work, line))
    else:
        handle._run(work)
        handle.wait()
    return handle


_last: dict = {}


def begin_message(key: tuple, work: Callable, settle: Callable) -> CommHandle:
    """Start to send or receive; those of a ``key`` keep their order, and others pass them by."""
    handle = CommHandle(settle)
    if not _is_beside():
        handle._run(work)
        handle.wait()
        return handle
    before, _last[key] = _last.get(key), handle
    line = running_line()

    def run():
        if before is not None:
            before._over.wait()
        handle._run(work, line)

    threading.Thread(target=run, daemon=True, name="minds-message").start()
    return handle


def maybe_beside(async_op: bool, like, work):
    """``work()`` and None; or tensors that are to have its result, of the shapes and dtypes ``like``,
    and a handle.
    """
    if not async_op:
        return work(), None
    places = [P.full(tuple(shape), 0, dtype) for shape, dtype in like]
    one = len(places) == 1

    def settle(result):
        for place, value in zip(places, (result,) if one else result):
            place.assign_value(value)

    return (places[0] if one else tuple(places)), begin(work, settle)
