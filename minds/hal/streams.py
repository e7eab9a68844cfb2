"""Streams of work on a device, and events in them.

What a thread computes eagerly is queued on its current stream. On the CPU work has run when a call
returns, so all streams are done and events order nothing.
"""

from __future__ import annotations

from .. import _core
from ..base import devices
from ..base.errors import complain


class Stream:
    """Work queued on the device of the context, run in order.

    Args:
        priority (int): accepted; all streams have the same. Default 0.
        kwargs (Any): ``stream``: the native stream that it stands for.

    Raises:
        TypeError: ``priority`` is no int.

    Examples:
        >>> import minds as ms
        >>> s = ms.hal.Stream()
        >>> with ms.hal.StreamCtx(s):
        ...     y = ms.ops.add(ms.Tensor([1.0]), 1)
        >>> s.synchronize()
        >>> s.query()
        True
    """

    def __init__(self, priority: int = 0, **kwargs):
        if not isinstance(priority, int) or isinstance(priority, bool):
            what = f"Stream: priority has type {type(priority).__name__}"
            raise complain(TypeError, what, expected="an int")
        given = kwargs.pop("stream", None)
        if kwargs:
            raise complain(TypeError, f"Stream: unknown argument {', '.join(kwargs)}")
        self._native = devices.current().user_stream() if given is None else given

    @property
    def device(self) -> str:
        """The device whose work it is.

        Examples:
            >>> import minds as ms
            >>> ms.hal.current_stream().device
            'CPU'
        """
        return devices.shown(self._native.device)

    def record_event(self, event: Event | None = None) -> Event:
        """Put an event behind what was queued before.

        Args:
            event (Event): which. Default None, a new one.

        Returns:
            Event: that.

        Raises:
            ValueError: it is of another device.

        Examples:
            >>> import minds as ms
            >>> ms.hal.current_stream().record_event().query()
            True
        """
        event = Event(_device=self._native.device) if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Let what is queued from now on run after an event.

        Args:
            event (Event): which.

        Raises:
            ValueError: it is of another device.

        Examples:
            >>> import minds as ms
            >>> ms.hal.current_stream().wait_event(ms.hal.Event())
        """
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        """Let what is queued from now on run after what was queued on another stream.

        Args:
            stream (Stream): which.

        Raises:
            ValueError: it is of another device.

        Examples:
            >>> import minds as ms
            >>> ms.hal.current_stream().wait_stream(ms.hal.Stream())
        """
        self.wait_event(stream.record_event())

    def synchronize(self) -> None:
        """Wait on the host until all that was queued has run.

        Raises:
            RuntimeError: the device failed.

        Examples:
            >>> import minds as ms
            >>> ms.hal.Stream().synchronize()
        """
        self._native.synchronize()

    def query(self) -> bool:
        """Whether all that was queued has run.

        Returns:
            bool: whether.

        Examples:
            >>> import minds as ms
            >>> ms.hal.Stream().query()
            True
        """
        return self._native.idle()

    def __eq__(self, other) -> bool:
        return isinstance(other, Stream) and self._native is other._native

    def __hash__(self) -> int:
        return id(self._native)

    def __repr__(self) -> str:
        return f"Stream(device={self.device})"


class Event:
    """A point in a stream's work.

    Args:
        enable_timing (bool): whether `elapsed_time` will be asked for. Default False.
        blocking (bool): accepted; a thread that waits always sleeps. Default False.

    Raises:
        TypeError: an argument is no bool.

    Examples:
        >>> import minds as ms
        >>> begin, end = ms.hal.Event(enable_timing=True), ms.hal.Event(enable_timing=True)
        >>> begin.record()
        >>> y = ms.ops.add(ms.Tensor([1.0]), 1)
        >>> end.record()
        >>> end.synchronize()
        >>> begin.elapsed_time(end) >= 0
        True
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False, _device=None):
        for name, v in (("enable_timing", enable_timing), ("blocking", blocking)):
            if not isinstance(v, bool):
                what = f"Event: {name} has type {type(v).__name__}"
                raise complain(TypeError, what, expected="a bool")
        self._native, self._timed = (
            _core.Event(_device or devices.current(), enable_timing),
            enable_timing,
        )

    def record(self, stream: Stream | None = None) -> None:
        """Put the event behind what was queued before.

        Args:
            stream (Stream): where. Default None, the current one.

        Raises:
            ValueError: the stream is of another device.

        Examples:
            >>> import minds as ms
            >>> ms.hal.Event().record()
        """
        self._of(stream).record(self._native)

    def wait(self, stream: Stream | None = None) -> None:
        """Let what is queued from now on run after the event.

        Args:
            stream (Stream): where. Default None, the current one.

        Raises:
            ValueError: the stream is of another device.

        Examples:
            >>> import minds as ms
            >>> ms.hal.Event().wait()
        """
        self._of(stream).wait(self._native)

    def _of(self, stream: Stream | None):
        return _core.current_stream(self._native.device) if stream is None else stream._native

    def synchronize(self) -> None:
        """Wait on the host until the event has happened.

        Raises:
            RuntimeError: the device failed.

        Examples:
            >>> import minds as ms
            >>> ms.hal.Event().synchronize()
        """
        self._native.synchronize()

    def query(self) -> bool:
        """Whether the event has happened; one that was never recorded has.

        Returns:
            bool: whether.

        Examples:
            >>> import minds as ms
            >>> ms.hal.Event().query()
            True
        """
        return self._native.done()

    def elapsed_time(self, end_event: Event) -> float:
        """The time from this event to another, both made with ``enable_timing``.

        Args:
            end_event (Event): the later one.

        Returns:
            float: milliseconds.

        Raises:
            ValueError: one was not made with ``enable_timing``, or is of another device.

        Examples:
            >>> import minds as ms
            >>> begin, end = ms.hal.Event(enable_timing=True), ms.hal.Event(enable_timing=True)
            >>> begin.record()
            >>> end.record()
            >>> begin.elapsed_time(end) >= 0
            True
        """
        if not (self._timed and end_event._timed):
            what = "elapsed_time: an event was made without enable_timing"
            raise complain(ValueError, what, cure="Event(enable_timing=True)")
        return end_event._native.milliseconds_since(self._native)


class StreamCtx:
    """A context in which a stream is the current one.

    Args:
        ctx_stream (Stream): the stream; None changes nothing.

    Raises:
        TypeError: it is no Stream.

    Examples:
        >>> import minds as ms
        >>> with ms.hal.StreamCtx(ms.hal.Stream()):
        ...     y = ms.ops.add(ms.Tensor([1.0]), 1)
    """

    def __init__(self, ctx_stream: Stream | None):
        if ctx_stream is not None and not isinstance(ctx_stream, Stream):
            what = f"StreamCtx: ctx_stream has type {type(ctx_stream).__name__}"
            raise complain(TypeError, what, expected="a Stream or None")
        self.stream, self._before = ctx_stream, None

    def __enter__(self) -> StreamCtx:
        if self.stream is not None:
            self._before = _core.current_stream(self.stream._native.device)
            _core.set_stream(self.stream._native)
        return self

    def __exit__(self, *raised) -> None:
        if self.stream is not None:
            _core.set_stream(self._before)


def current_stream() -> Stream:
    """The stream on which this thread's eager work is queued.

    Returns:
        Stream: of the device of the context.

    Examples:
        >>> import minds as ms
        >>> ms.hal.current_stream()
        Stream(device=CPU)
    """
    return Stream(stream=_core.current_stream(devices.current()))


def default_stream() -> Stream:
    """The stream that is current where none was set.

    Returns:
        Stream: of the device of the context.

    Examples:
        >>> import minds as ms
        >>> ms.hal.default_stream() == ms.hal.current_stream()
        True
    """
    return Stream(stream=devices.current().stream())


def communication_stream() -> Stream:
    """The stream of collective operations; where the device has none for them, the default one.

    Returns:
        Stream: of the device of the context.

    Examples:
        >>> import minds as ms
        >>> ms.hal.communication_stream()
        Stream(device=CPU)
    """
    return default_stream()


def set_cur_stream(stream: Stream) -> None:
    """Make a stream the current one of this thread.

    Args:
        stream (Stream): which.

    Raises:
        TypeError: it is no Stream.

    Examples:
        >>> import minds as ms
        >>> ms.hal.set_cur_stream(ms.hal.default_stream())
    """
    if not isinstance(stream, Stream):
        what = f"set_cur_stream: stream has type {type(stream).__name__}"
        raise complain(TypeError, what, expected="a Stream")
    _core.set_stream(stream._native)


def synchronize() -> None:
    """Wait on the host until all work of the device of the context has run.

    Raises:
        RuntimeError: the device failed. What kernels found wrong with their data is raised here
            too, as the exception that the CPU raises at once.

    Examples:
        >>> import minds as ms
        >>> ms.hal.synchronize()
    """
    devices.current().synchronize()


__all__ = [
    "Event",
    "Stream",
    "StreamCtx",
    "communication_stream",
    "current_stream",
    "default_stream",
    "set_cur_stream",
    "synchronize",
]
