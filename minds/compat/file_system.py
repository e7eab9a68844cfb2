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


__all__ = ["FileSystem"]
