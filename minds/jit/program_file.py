"""The file of a program: data, of which nothing is run when it is read.

It is a ZIP archive without compression: ``program.txt`` is the graph as `ir.text` writes it, before
it is lowered; ``program.json`` says what it takes and gives; ``tensors/…`` are the bytes of
parameters and of constants. Nothing is allocated before it is known to be in the file.

Parameters that are too large for one file lie beside it, as MindSpore lays them: of ``net``, the
archive is ``net_graph.mindir``, and they are in ``net_variables/data_0``, ``data_1``, … in the order
of their names. Each such file begins with 64 bytes, of which the first tells whether numbers are
little endian; each parameter begins at a multiple of 64. The archive has their checksums.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import mmap
import os
import sys
import zipfile
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .. import _core
from ..base import dtype as dt
from ..base.errors import InternalError, complain
from ..base.files import replacing
from ..ir.shape_env import Respecialise
from ..tensor import Tensor

FORMAT = "minds program 2"
_ARCHIVE = 22  # bytes that end an archive: a smaller file is none
_ENDING, _GRAPH, _FOLDER = ".mindir", "_graph.mindir", "_variables"
_ALIGN = 64
_PARAMETER = "parameter "


class Writing(NamedTuple):
    """How a program is written.

    Attributes:
        closed (Callable, optional): gives the content of a file that is encrypted.
        together (float): bytes of parameters above which they lie beside the program.
        each (float): bytes of a file of parameters.
    """

    closed: Callable[[bytes], bytes] | None = None
    together: float = math.inf
    each: float = math.inf


TOGETHER = Writing()
"""All in one file."""


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


def write(path: str, source: str, about: dict, tensors: dict, how: Writing = TOGETHER) -> None:
    """Write a program, atomically.

    Args:
        source (str): its text.
        about (dict): what else belongs to it, as JSON.
        tensors (dict): name → Tensor.
        how (Writing): whether it is encrypted, and what is too large for one file.

    Raises:
        RuntimeError: a parameter is too large for any file.
        OSError: the file cannot be written. An old one is then untouched.
    """
    shapes = {name: [v.dtype.name, list(v.shape)] for name, v in tensors.items()}
    about = {"format": FORMAT, **about, "tensors": shapes}
    parameters = [n for n in tensors if n.startswith(_PARAMETER)]
    apart = sum(tensors[n].nbytes for n in parameters) > how.together
    if apart:
        stem = path.removesuffix(_ENDING)
        path = stem + _GRAPH
        parameters.sort(key=lambda n: about["parameters"][int(n.removeprefix(_PARAMETER))]["name"])
        about["beside"] = _write_beside(stem + _FOLDER, {n: tensors[n] for n in parameters}, how)
        tensors = {n: v for n, v in tensors.items() if n not in about["beside"]}
    with replacing(path, "program") as f:
        _archived(f if how.closed is None else (plain := io.BytesIO()), source, about, tensors)
        if how.closed is not None:
            f.write(how.closed(plain.getvalue()))
    if apart:
        os.chmod(path, 0o400)


def _archived(file, source: str, about: dict, tensors: dict) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("program.txt", source)
        archive.writestr("program.json", json.dumps(about, indent=1))
        for name, value in tensors.items():
            archive.writestr(f"tensors/{name}", value.get_bytes())


def _write_beside(folder: str, tensors: dict, how: Writing) -> dict:
    """Write tensors to files in a folder; by name, which file, where in it, and the checksum."""
    files, size = [], math.inf
    for name, value in tensors.items():
        room = _aligned(value.nbytes)
        if size + room > how.each:
            files.append([])
            size = _ALIGN
        # MindSpore refuses it for a file that is not encrypted alone.
        if size + room > how.each and how.closed is None:
            what = f"export: a parameter of {value.nbytes} bytes is larger than a file may be"
            raise complain(RuntimeError, what, cure="split it")
        files[-1].append((name, size))
        size += room
    told: dict = {}
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for i, places in enumerate(files):
        path = os.path.join(folder, f"data_{i}")
        content = _content(i, places, tensors, told)
        with replacing(path, "program") as f:
            f.writelines(content if how.closed is None else [how.closed(b"".join(content))])
        os.chmod(path, 0o400)
    i = len(files)
    while os.path.exists(path := os.path.join(folder, f"data_{i}")):  # of a larger program
        os.unlink(path)
        i += 1
    return told


def _content(index: int, places: list, tensors: dict, told: dict) -> Iterator[bytes]:
    """The parts of a file of parameters; ``told`` gets where each is."""
    yield bytes([sys.byteorder == "little"]).ljust(_ALIGN, b"\0")
    for name, begin in places:
        data = tensors[name].get_bytes()
        told[name] = [index, begin, _core.crc32(data)]
        yield data
        yield bytes(_aligned(len(data)) - len(data))


def _aligned(n: int) -> int:
    return -(-n // _ALIGN) * _ALIGN


def read(path: str, opened: Callable[[str], bytes] | None = None) -> tuple[str, dict, dict]:
    """The text of a program, what else belongs to it, and its tensors.

    Args:
        opened (Callable, optional): gives what an encrypted file holds.

    Raises:
        ProgramFileError: `write` did not write the file.
        RuntimeError: a file beside it is missing.
        OSError: it cannot be read.
    """
    with (
        open(os.fspath(path), "rb") if opened is None else io.BytesIO(opened(path)) as file,
        refusing(path),
    ):
        size = file.seek(0, os.SEEK_END)
        if size < _ARCHIVE:
            raise ValueError(f"it has {size} bytes")
        with zipfile.ZipFile(file) as archive:
            members = _members(archive, size)
            about = json.loads(archive.read(members["program.json"]))
            if about["format"] != FORMAT:
                raise ValueError(f"its format is {about['format']!r}")
            beside = about.get("beside", {})
            tensors = {
                name: _tensor(archive, members[f"tensors/{name}"], *told)
                for name, told in about["tensors"].items()
                if name not in beside
            }
            source = archive.read(members["program.txt"]).decode()
    tensors |= _read_beside(path, about["tensors"], beside, opened)
    return source, about, tensors


def _read_beside(path: str, types: dict, beside: dict, opened) -> dict:
    """The tensors that lie in the files beside a program."""
    found, files, folder = {}, {}, path.removesuffix(_GRAPH) + _FOLDER
    for name, told in beside.items():
        with refusing(path):
            index, begin, crc = map(int, told)
            dtype, shape = dt.of(types[name][0]), types[name][1]
            size = _bytes_of(name, dtype, shape)
        where = os.path.join(folder, f"data_{index}")
        if not os.path.isfile(where):
            what = f"load: {where} is missing, in which parameters of {path} are;"
            raise complain(RuntimeError, f"{what} please check the correct of the file.")
        if where not in files:
            files[where] = memoryview(_mapped(where) if opened is None else opened(where))
        with refusing(path):
            data = files[where][begin:][:size]
            if len(data) != size or _core.crc32(data) != crc:
                raise ValueError(f"{where} is damaged (its checksum does not fit)")
            found[name] = _made(name, bytes(data), dtype, shape)
    return found


def _mapped(path: str):
    """The bytes of a file."""
    with open(os.fspath(path), "rb") as f:
        size = os.fstat(f.fileno()).st_size
        return mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) if size else b""


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
    if _bytes_of(member.filename, dtype, shape) != member.file_size:
        raise ValueError(f"{member.filename} of shape {shape} has {member.file_size} bytes")
    return _made(member.filename, archive.read(member), dtype, shape)


def _bytes_of(name: str, dtype, shape: list) -> int:
    """The bytes of a tensor that a file tells of."""
    if any(type(n) is not int or n < 0 for n in shape):
        raise ValueError(f"{name} has the shape {shape}")
    return math.prod(shape) * dtype.itemsize


def _made(name: str, data: bytes, dtype, shape: list) -> Tensor:
    if dtype.is_bool and data.strip(b"\0\1"):
        raise ValueError(f"{name} has a bool that is neither 0 nor 1")
    return Tensor.convert_bytes_to_tensor(data, tuple(shape), dtype)


__all__ = ["FORMAT", "ProgramFileError", "TOGETHER", "Writing", "read", "refusing", "write"]
