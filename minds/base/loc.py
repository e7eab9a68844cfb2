"""Where a node comes from in the user's source: file, lines, columns, function, and the call that
led there.
"""

from __future__ import annotations

import linecache
import sys
from dataclasses import dataclass


@dataclass(slots=True, unsafe_hash=True)
class Loc:
    """A span of source, which never changes (a frozen dataclass takes five times as long to make,
    and every node has one). Columns count bytes from 0, as in `ast` (an end of 0 is unknown), lines
    from 1; ``caller`` is the `Loc` of the call site, or None.

    ``backward`` marks a node that a gradient rule made for the primal at this place.
    """

    file: str
    line: int
    col: int
    end_line: int
    end_col: int
    function: str
    caller: Loc | None = None
    backward: bool = False

    def as_backward(self) -> Loc:
        """The same place, marked as the gradient of what stands there."""
        return (
            self
            if self.backward
            else Loc(
                self.file,
                self.line,
                self.col,
                self.end_line,
                self.end_col,
                self.function,
                self.caller,
                True,
            )
        )

    def __str__(self) -> str:
        return f"{'◀ ' if self.backward else ''}{self.file}:{self.line}"

    def excerpt(self) -> str:
        """The two-line head and the source line with its caret, as errors print them."""
        mark = ", in the gradient of" if self.backward else ", in"
        head = f'  File "{self.file}", line {self.line}{mark} {self.function}'
        text = linecache.getline(self.file, self.line).rstrip("\n")
        if not text.strip():
            return head
        cut, raw = len(text) - len(text.lstrip()), text.encode()
        start, end = len(raw[: self.col].decode(errors="replace")), len(text)
        if self.end_line == self.line and self.end_col:
            end = len(raw[: self.end_col].decode(errors="replace"))
        start = max(start, cut)
        carets = " " * (start - cut) + "^" * max(1, end - start)
        return f"{head}\n    {text.strip()}\n    {carets}"

    def chain(self) -> list[Loc]:
        """The call sites from the outermost call to this place, without the place itself."""
        out, at = [], self.caller
        while at is not None:
            out.append(at)
            at = at.caller
        return out[::-1]


def _note_command() -> None:
    """Let `linecache` have the text of ``python -c``, which is in no file."""
    if sys.argv[:1] == ["-c"] and len(sys.orig_argv) >= len(sys.argv):
        text = sys.orig_argv[-len(sys.argv)]
        lines = text.splitlines(keepends=True)
        linecache.cache.setdefault("<string>", (len(text), None, lines, "<string>"))


_note_command()
