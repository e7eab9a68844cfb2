"""`mstx`: the user's own marks and ranges on the timeline."""

from __future__ import annotations

import itertools
import time

from ..base import marks
from ..base.errors import complain

_DEFAULT = "default"
_numbers = itertools.count(1)
_open: dict[int, tuple[str, str, int]] = {}


def _named(message, domain) -> str:
    for name, value in (("message", message), ("domain", domain)):
        if not isinstance(value, str) or not value:
            raise complain(TypeError, f"mstx: {name} is {value!r}", expected="a str with a letter")
    return message if domain == _DEFAULT else f"{domain}: {message}"


class mstx:
    """Marks and ranges, which a profiler that runs keeps.

    Examples:
        >>> from minds.profiler import mstx
        >>> number = mstx.range_start("load")
        >>> mstx.range_end(number)
    """

    @staticmethod
    def mark(message: str, stream=None, domain: str = _DEFAULT) -> None:
        """Note a moment.

        Args:
            message (str): its name.
            stream (Stream, optional): accepted; the moment is the host's.
            domain (str): what it belongs to. Default: ``"default"``.

        Raises:
            TypeError: a name is no str, or empty.

        Examples:
            >>> from minds.profiler import mstx
            >>> mstx.mark("epoch 1")
        """
        now = time.perf_counter_ns()
        marks.mark(_named(message, domain), now, now)

    @staticmethod
    def range_start(message: str, stream=None, domain: str = _DEFAULT) -> int:
        """Begin a stretch of time.

        Args:
            message (str): its name.
            stream (Stream, optional): accepted.
            domain (str): what it belongs to. Default: ``"default"``.

        Returns:
            int: its number, for `range_end`.

        Raises:
            TypeError: a name is no str, or empty.

        Examples:
            >>> from minds.profiler import mstx
            >>> mstx.range_end(mstx.range_start("load"))
        """
        number = next(_numbers)
        _open[number] = (_named(message, domain), domain, time.perf_counter_ns())
        return number

    @staticmethod
    def range_end(range_id: int, domain: str = _DEFAULT) -> None:
        """End a stretch of time.

        Args:
            range_id (int): what `range_start` gave.
            domain (str): what it belongs to. Default: ``"default"``.

        Raises:
            ValueError: no such stretch was begun in this domain.

        Examples:
            >>> from minds.profiler import mstx
            >>> mstx.range_end(mstx.range_start("load"))
        """
        name, where, begin = _open.get(range_id, (None, None, 0))
        if where != domain:
            raise complain(
                ValueError,
                f"mstx.range_end: no range {range_id!r} was begun in the domain {domain!r}",
            )
        del _open[range_id]
        marks.mark(name, begin, time.perf_counter_ns())


def kept_domains(found: list, domains: tuple) -> list:
    """The marks of the domains that are wanted: (those to keep, or none for all; those to leave
    out). A mark without a domain is of the default one, and minds' own are always kept.
    """
    include, exclude = domains
    if not include and not exclude:
        return found

    def wanted(mark) -> bool:
        domain = mark.name.split(": ")[0] if ": " in mark.name else _DEFAULT
        return domain in include if include else domain not in exclude

    return [m for m in found if wanted(m)]
