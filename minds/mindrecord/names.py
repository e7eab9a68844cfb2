"""What names of files and numbers of shards and readers are allowed."""

from __future__ import annotations

import os

from .errors import ParamTypeError, ParamValueError

MOST_CONSUMERS = max(64, os.cpu_count() or 1)
_FORBIDDEN = set(r'\/:*?"<>|`&;' + "'")


def check_name(path) -> str:
    """``path``, the name of a file.

    Raises:
        ParamValueError: it is none.
    """
    if not path:
        raise ParamValueError("File path is not allowed None or empty!")
    if not isinstance(path, str):
        raise ParamValueError(f"File path: {path} is not string.")
    if path.endswith("/"):
        raise ParamValueError("File path can not end with '/'")
    name = os.path.basename(path)
    if set(name) & _FORBIDDEN:
        raise ParamValueError(r"File name should not contains \/:*?\"<>|`&;\'")
    if name != name.strip(" "):
        raise ParamValueError("File name should not start/end with space.")
    return path


def check_names(file_name):
    """One name, or a list of them."""
    if isinstance(file_name, (list, tuple)):
        if not file_name:
            raise ParamValueError("File path is not allowed None or empty!")
        return [check_name(f) for f in file_name]
    return check_name(file_name)


def check_consumers(num_consumer) -> None:
    """Whether ``num_consumer`` is a number of readers."""
    if num_consumer is None:
        raise ParamValueError("Parameter num_consumer is None.")
    if not isinstance(num_consumer, int):
        raise ParamValueError("Parameter num_consumer is not int.")
    if not 1 <= num_consumer <= MOST_CONSUMERS:
        raise ParamValueError(
            f"Parameter num_consumer: {num_consumer} should between 1 and {MOST_CONSUMERS}."
        )


def type_error(name: str, kind: str) -> ParamTypeError:
    """That an argument has a wrong type."""
    return ParamTypeError(f"'{name}' expect {kind} type.")
