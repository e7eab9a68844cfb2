"""Messages to the user: `debug`, `info`, `warning`, `error`, `critical`, on standard error.

``GLOG_v`` in the environment, as in MindSpore, says from which level on they are shown: 0 debug, 1
info, 2 warning
(the default), 3 error, 4 critical.
"""

import functools
import logging
import os
import threading

from ..base.boundary import guard as _guard

_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)
_LEVEL = "GLOG_v"
_logger = logging.getLogger("minds")


def get_level() -> str:
    """The number of the level from which on messages are shown, as text.

    Returns:
        str: "0" (debug) to "4" (critical).

    Examples:
        >>> from minds import log
        >>> log.get_level() in "01234"
        True
    """
    return str(_LEVELS.index(_logger.level))


def _start() -> None:
    """Give the logger its level and, once, its handler."""
    text = os.environ.get(_LEVEL, "2")
    _logger.setLevel(
        _LEVELS[int(text)] if text.isdigit() and int(text) < len(_LEVELS) else logging.WARNING
    )
    if not _logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(
            logging.Formatter("[%(levelname)s] %(asctime)s [%(pathname)s:%(lineno)d] %(message)s")
        )
        _logger.addHandler(handler)
        _logger.propagate = False


_start()
debug, info, warning, error, critical = (
    _logger.debug,
    _logger.info,
    _logger.warning,
    _logger.error,
    _logger.critical,
)


class _LogActionOnce:
    """A decorator: what the function warns of through a logger is shown at its first call only.

    Args:
        logger (Logger, module): the logger; a module like this one stands for minds' own.
        key (str): what counts as the same.
        no_warning (bool): show nothing at all. Default False.
    """

    _shown: set[str] = set()
    _lock = threading.Lock()
    _quiet = threading.local()
    """In ``loggers``, those of which a thread shows no warning now."""

    def __init__(self, logger, key: str, no_warning: bool = False):
        self._logger = logger if isinstance(logger, logging.Logger) else _logger
        self._key, self._silent = key, no_warning
        self._logger.addFilter(self._lets_through)

    @classmethod
    def _lets_through(cls, record: logging.LogRecord) -> bool:
        quiet = record.name in getattr(cls._quiet, "loggers", ())
        return record.levelno != logging.WARNING or not quiet

    def __call__(self, fn):
        @functools.wraps(fn)
        def run(*args, **kwargs):
            with self._lock:
                again = self._key in self._shown
                self._shown.add(self._key)
            before = getattr(self._quiet, "loggers", ())
            if self._silent or again:
                self._quiet.loggers = (*before, self._logger.name)
            try:
                return fn(*args, **kwargs)
            finally:
                self._quiet.loggers = before

        return run


__all__ = ["critical", "debug", "error", "get_level", "info", "warning"]
_guard(__name__)
