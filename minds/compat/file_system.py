"""What MindSpore's scripts import from its module `common.file_system`."""

from __future__ import annotations


class FileSystem:
    """How files are opened: by Python's `open`.

    Attributes:
        create, create_args: what opens a file to be written, and the arguments after its path.
        open, open_args: what opens a file to be read, and its arguments.
        backend (str): "basic".

    Examples:
        >>> from minds.common.file_system import FileSystem
        >>> FileSystem().open_args
        ('rb',)
    """

    def __init__(self):
        self.create, self.create_args = open, ("ab",)
        self.open, self.open_args = open, ("rb",)
        self.backend = "basic"


def _register_basic_file_system(fs: FileSystem) -> bool:
    """Let ``fs`` open files with `open`; whether it does."""
    fs.__init__()
    return True


def _register_mindio_file_system(fs: FileSystem) -> bool:
    """Let ``fs`` open files by MindIO, a library that stays outside; whether it does."""
    return False


__all__ = ["FileSystem"]
