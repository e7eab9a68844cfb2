"""`LineReader`: any line of a text file, without reading those before it."""

from __future__ import annotations

import os

import numpy as np

from ..base.boundary import guard as _guard
from ..base.errors import complain
from .arguments import check_type
from .drawing import imshow_det_bbox


class LineReader:
    """The lines of a text file by number. The file is read once for where its lines begin.

    Args:
        filename (str): the file, in UTF-8.

    Raises:
        TypeError: ``filename`` is no str.
        RuntimeError: there is no such file.

    Examples:
        >>> import os, tempfile
        >>> import minds.dataset as ds
        >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
        >>> with open(path, "w") as f:
        ...     _ = f.write("one\\ntwo\\n")
        >>> reader = ds.LineReader(path)
        >>> len(reader), reader.readline(2)
        (2, 'two')
    """

    def __init__(self, filename: str):
        check_type("filename", filename, (str,))
        if not os.path.exists(filename):
            raise complain(RuntimeError, f"The input file [{filename}] does not exist.")
        if not os.path.isfile(filename):
            raise complain(RuntimeError, f"The input file [{filename}] is not a regular file.")
        self.filename, self._file = os.path.realpath(filename), None
        with open(self.filename, "rb") as f:
            lengths = [len(line) for line in f]
        self._ends = np.cumsum([0, *lengths])

    def len(self) -> int:
        """How many lines there are.

        Returns:
            int: the number.

        Examples:
            >>> import os, tempfile
            >>> import minds.dataset as ds
            >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
            >>> open(path, "w").close()
            >>> ds.LineReader(path).len()
            0
        """
        return len(self._ends) - 1

    __len__ = len

    def readline(self, line: int) -> str:
        """A line.

        Args:
            line (int): its number, from 1.

        Returns:
            str: without what ends it.

        Raises:
            TypeError: ``line`` is no int.
            ValueError: there is no such line.

        Examples:
            >>> import os, tempfile
            >>> import minds.dataset as ds
            >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
            >>> with open(path, "w") as f:
            ...     _ = f.write("one\\ntwo")
            >>> ds.LineReader(path).readline(1)
            'one'
        """
        check_type("line", line, (int,))
        count = self.len()
        if not 1 <= line <= count:
            said = f"Input line is not within the required interval of [1, {count}]."
            raise complain(ValueError, said)
        if self._file is None:
            self._file = os.open(self.filename, os.O_RDONLY)
        first, end = self._ends[line - 1 : line + 1].tolist()
        text = os.pread(self._file, end - first, first).decode("utf-8")
        for ending in ("\r\n", "\n", "\r"):
            if text.endswith(ending):
                return text[: -len(ending)]
        return text

    def __getitem__(self, line: int) -> str:
        return self.readline(line)

    def close(self) -> None:
        """Close the file; `readline` opens it again.

        Examples:
            >>> import os, tempfile
            >>> import minds.dataset as ds
            >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
            >>> open(path, "w").close()
            >>> ds.LineReader(path).close()
        """
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __del__(self):
        if getattr(self, "_file", None) is not None:
            self.close()


__all__ = ["LineReader", "imshow_det_bbox"]
_guard(__name__)
