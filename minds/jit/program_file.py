"""The file of a program: data, of which nothing is run when it is read.

It is a ZIP archive without compression: ``program.txt`` is the graph as `ir.text` writes it, before
it is lowered; ``program.json`` says what it takes and gives; ``tensors/…`` are the bytes of
parameters and of constants. Nothing is allocated before it is known to be in the file.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import zipfile

from ..base import dtype as dt
from ..base.errors import InternalError
from ..base.files import replacing
from ..ir.shape_env import Respecialise
from ..tensor import Tensor

FORMAT = "minds program 2"
_ARCHIVE = 22  # bytes that end an archive: a smaller file is none


class ProgramFileError(ValueError):
    """A file that holds no exported program, or a damaged one.

    Examples:
        >>> import minds as ms
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "net.mindir")
        >>> with open(path, "wb") as f:
        ...     _ = f.write(b"something else")
        >>> try:
        ...     ms.load(path)
        ... except ms.train.ProgramFileError:
        ...     print("refused")
        refused
    """


@contextlib.contextmanager
def refusing(path: str):
    """What is wrong in the block is wrong in the file ``path``."""
    try:
        yield
    except ProgramFileError:
        raise
    except InternalError as e:
        raise _refused(path, e.__cause__) from e
    except (Exception, Respecialise) as e:
        raise _refused(path, e) from e


def _refused(path: str, e: BaseException) -> ProgramFileError:
    complaint = getattr(e, "complaint", None)
    said = complaint.head if complaint is not None else str(e)
    return ProgramFileError(f"load: {path} holds no exported program: {said or type(e).__name__}")


def write(path: str, source: str, about: dict, tensors: dict) -> None:
    """Write a program, atomically.

    Args:
        source (str): its text.
        about (dict): what else belongs to it, as JSON.
        tensors (dict): name → Tensor.

    Raises:
        OSError: the file cannot be written. An old one is then untouched.
    """
    shapes = {name: [v.dtype.name, list(v.shape)] for name, v in tensors.items()}
    about = {"format": FORMAT, **about, "tensors": shapes}
    with replacing(path, "program") as f, zipfile.ZipFile(f, "w") as archive:
        archive.writestr("program.txt", source)
        archive.writestr("program.json", json.dumps(about, indent=1))
        for name, value in tensors.items():
            archive.writestr(f"tensors/{name}", value.get_bytes())


def read(path: str) -> tuple[str, dict, dict]:
    """The text of a program, what else belongs to it, and its tensors.

    Raises:
        ProgramFileError: `write` did not write the file.
        OSError: it cannot be read.
    """
    with open(path, "rb") as file, refusing(path):
        size = os.fstat(file.fileno()).st_size
        if size < _ARCHIVE:
            raise ValueError(f"it has {size} bytes")
        with zipfile.ZipFile(file) as archive:
            members = _members(archive, size)
            about = json.loads(archive.read(members["program.json"]))
            if about["format"] != FORMAT:
                raise ValueError(f"its format is {about['format']!r}")
            tensors = {
                name: _tensor(archive, members[f"tensors/{name}"], *told)
                for name, told in about["tensors"].items()
            }
            return archive.read(members["program.txt"]).decode(), about, tensors


def _members(archive: zipfile.ZipFile, size: int) -> dict:
    """The parts of an archive by name, which are not larger than it."""
    members = {m.filename: m for m in archive.infolist()}
    if len(members) < len(archive.infolist()):
        raise ValueError("a part comes twice")
    if any(m.compress_type != zipfile.ZIP_STORED or m.flag_bits & 1 for m in members.values()):
        raise ValueError("a part is compressed or encrypted")
    if sum(max(m.file_size, m.compress_size) for m in members.values()) > size:
        raise ValueError("its parts are larger than the file")
    return members


def _tensor(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, shape: list) -> Tensor:
    dtype = dt.of(name)
    if any(type(n) is not int or n < 0 for n in shape):
        raise ValueError(f"{member.filename} has the shape {shape}")
    if math.prod(shape) * dtype.itemsize != member.file_size:
        raise ValueError(f"{member.filename} of shape {shape} has {member.file_size} bytes")
    data = archive.read(member)
    if dtype.is_bool and data.strip(b"\0\1"):
        raise ValueError(f"{member.filename} has a bool that is neither 0 nor 1")
    return Tensor.convert_bytes_to_tensor(data, tuple(shape), dtype)


__all__ = ["FORMAT", "ProgramFileError", "read", "refusing", "write"]
