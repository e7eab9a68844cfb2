"""Programs as files: `export` and `load`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from ..base.errors import complain
from ..base.sealed import WrongKey, is_sealed, seal_of
from ..jit import serialization as stored
from ..jit.compile import uncompiled
from ..jit.program_file import ProgramFileError, Writing

TOTAL_SAVE = 1024 * 1024
PARAMETER_SPLIT_SIZE = 1024 * 1024 * 1024
_SETTINGS = f"{__package__}.serialization"
"""The module at which users change the two numbers, as MindSpore's have it."""


def export(
    net,
    *inputs,
    file_name: str,
    file_format: str,
    enc_key: bytes | None = None,
    enc_mode: str | Callable = "AES-GCM",
    **kwargs,
) -> None:
    """Compile a cell or function for inputs like these, and write the program and its parameters to
    a file.

    The file is in the format of minds (`minds.jit.program_file`), by MindSpore's names: `load`
    reads it, `nn.GraphCell` runs it. It is replaced as a whole, or not at all. Parameters of more than
    1 GiB (`train.serialization.TOTAL_SAVE`, in KiB) lie beside it: instead of ``net.mindir`` there are
    ``net_graph.mindir``, which is what `load` takes, and files ``net_variables/data_0``, …

    Args:
        net (Cell | Callable): what is exported.
        inputs (Any): examples of the inputs; of a Tensor of shape and dtype alone, such as
            ``Tensor(shape=[None, 8], dtype=ms.float32)``, the file is for all sizes of the open
            dimensions.
        file_name (str): the file; ``.mindir`` is added where it is missing.
        file_format (str): "MINDIR".
        enc_key (bytes, optional): a key of 16, 24 or 32 bytes, with which the files are encrypted by the
            package ``cryptography``. Default: None.
        enc_mode (str, Callable): ``"AES-GCM"``, by which a changed file is told from a whole one,
            ``"AES-CBC"``, or ``"SM4-CBC"`` with a key of 16 bytes; or a function of a file's content and
            ``enc_key`` that gives the content of the encrypted one. Default: ``"AES-GCM"``.
        kwargs (Any): MindSpore's other settings, of which none is supported.

    Raises:
        TypeError: ``net`` cannot be called, or the key is not bytes.
        ValueError: another format or setting; or the program holds what a file cannot hold, or
            needs a size that is declared open; or the key has another length.
        RuntimeError: one parameter is larger than a file may be.
        ImportError: there is a key, and the package ``cryptography`` is not installed.
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
    settings = sys.modules[_SETTINGS]
    together, each = settings.TOTAL_SAVE * 1024, settings.PARAMETER_SPLIT_SIZE * 1024
    how = Writing(_closing(enc_key, enc_mode), together, each)
    stored.write(name, uncompiled(net), inputs, how)


def _closing(key, mode) -> Callable[[bytes], bytes] | None:
    """What encrypts the content of a file."""
    if key is None or not callable(mode):
        seal = seal_of("export", key, mode)
        return seal and seal.closed

    def closed(content: bytes) -> bytes:
        found = mode(content, key)
        if not isinstance(found, bytes):
            what = f"export: enc_mode gave {type(found).__name__}"
            raise complain(TypeError, what, expected="bytes")
        return found

    return closed


def _opening(key, mode) -> Callable[[str], bytes] | None:
    """What gives the content of an encrypted file."""
    if key is not None and callable(mode):
        return lambda path: mode(path, key)
    seal = seal_of("load", key, mode, ("dec_key", "dec_mode"))

    def opened(path: str) -> bytes:
        with open(path, "rb") as f:
            data = f.read()
        try:
            return seal.opened(data)
        except WrongKey as e:
            raise ProgramFileError(f"load: {path} is not opened by this key: {e}") from e

    return seal and opened


def load(
    file_name: str,
    dec_key: bytes | None = None,
    dec_mode: str | Callable = "AES-GCM",
    **kwargs,
) -> stored.StoredProgram:
    """Read a program that `export` wrote.

    Args:
        file_name (str): the file, which ends with ``.mindir``.
        dec_key (bytes, optional): the key with which it was encrypted. Default: None.
        dec_mode (str, Callable): how it was encrypted, as `export` has it, or a function of a file's path and
            ``dec_key`` that gives what it holds. Default: ``"AES-GCM"``.
        kwargs (Any): MindSpore's other settings, of which none is supported.

    Returns:
        StoredProgram: the program, which can be called; `nn.GraphCell` makes a cell of it.

    Raises:
        TypeError: the key is not bytes.
        ValueError: the file is missing; or a setting.
        RuntimeError: a file with parameters beside it is missing.
        ImportError: there is a key, and the package ``cryptography`` is not installed.
        ProgramFileError: the file holds no such program, or key or mode are others. What a file says is
            data: nothing of it is run when it is read.

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
    opened = _opening(dec_key, dec_mode)
    if opened is None:
        with open(file_name, "rb") as f:
            if is_sealed(f.read(16)):
                raise ProgramFileError(f"load: {file_name} is encrypted; its key is dec_key")
    return stored.StoredProgram(file_name, opened)


__all__ = ["PARAMETER_SPLIT_SIZE", "TOTAL_SAVE", "ProgramFileError", "export", "load"]
