"""Programs as files: `export` and `load`."""

from __future__ import annotations

import os

from ..base.errors import complain
from ..jit import serialization as stored
from ..jit.compile import uncompiled
from ..jit.program_file import ProgramFileError


def export(net, *inputs, file_name: str, file_format: str, **kwargs) -> None:
    """Compile a cell or function for inputs like these, and write the program and its parameters to
    a file.

    The file is in the format of minds (`minds.jit.program_file`), by MindSpore's names: `load`
    reads it, `nn.GraphCell` runs it. It is replaced as a whole, or not at all.

    Args:
        net (Cell | Callable): what is exported.
        inputs (Any): examples of the inputs; of a Tensor of shape and dtype alone, such as
            ``Tensor(shape=[None, 8], dtype=ms.float32)``, the file is for all sizes of the open
            dimensions.
        file_name (str): the file; ``.mindir`` is added where it is missing.
        file_format (str): "MINDIR".
        kwargs (Any): MindSpore's other settings, of which none is supported.

    Raises:
        TypeError: ``net`` cannot be called.
        ValueError: another format or setting; or the program holds what a file cannot hold, or
            needs a size that is declared open.
        OSError: the file cannot be written.

    Examples:
        >>> import os, tempfile
        >>> import minds as ms
        >>> path = os.path.join(tempfile.mkdtemp(), "twice.mindir")
        >>> ms.export(lambda x: x * 2.0, ms.Tensor([1.0]), file_name=path, file_format="MINDIR")
        >>> print(ms.load(path)(ms.Tensor([3.0])))
        [6.]
    """
    if not callable(net):
        raise complain(
            TypeError, f"export: net is {type(net).__name__}", expected="a Cell or a function"
        )
    if file_format != "MINDIR":
        raise complain(ValueError, f"export: file_format is {file_format!r}", expected="'MINDIR'")
    if kwargs:
        raise complain(ValueError, f"export: {', '.join(kwargs)} is not supported")
    name = os.path.realpath(file_name)
    name += "" if name.endswith(".mindir") else ".mindir"
    os.makedirs(os.path.dirname(name), exist_ok=True)
    stored.write(name, uncompiled(net), inputs)


def load(file_name: str, **kwargs) -> stored.StoredProgram:
    """Read a program that `export` wrote.

    Args:
        file_name (str): the file, which ends with ``.mindir``.
        kwargs (Any): MindSpore's other settings, of which none is supported.

    Returns:
        StoredProgram: the program, which can be called; `nn.GraphCell` makes a cell of it.

    Raises:
        ValueError: the file is missing; or a setting.
        ProgramFileError: the file holds no such program. What a file says is data: nothing of it is
            run when it is read.

    Examples:
        >>> import minds as ms
        >>> ms.load("missing.mindir")
        Traceback (most recent call last):
            ...
        ValueError: load: there is no file missing.mindir
          ...
    """
    if kwargs:
        raise complain(ValueError, f"load: {', '.join(kwargs)} is not supported")
    if os.path.isdir(file_name):
        what = f"load: {file_name!r} is a folder"
        raise complain(ValueError, what, expected="a file that export has written")
    if not file_name.endswith(".mindir"):
        raise complain(
            ValueError,
            f"load: file_name is {file_name!r}",
            expected="a name that ends with '.mindir'",
        )
    if not os.path.exists(file_name):
        raise complain(
            ValueError, f"load: there is no file {file_name}", cure="write it with export"
        )
    return stored.StoredProgram(file_name)


__all__ = ["ProgramFileError", "export", "load"]
