"""Files that ``torch.save`` writes: a zip with a pickle of what refers to tensors, and their bytes.

A pickle is a program. Of this one nothing is run but what makes tensors and containers: every function
that it names is looked up in a table here, and what is not there is refused.
"""

from __future__ import annotations

import pickle
import sys
import zipfile
from collections import OrderedDict

import numpy as np

from ..base.errors import complain
from ..train.checkpoint_file import CheckpointError

_TYPES = {
    "DoubleStorage": "<f8",
    "FloatStorage": "<f4",
    "HalfStorage": "<f2",
    "BFloat16Storage": "bfloat16",
    "LongStorage": "<i8",
    "IntStorage": "<i4",
    "ShortStorage": "<i2",
    "CharStorage": "<i1",
    "ByteStorage": "<u1",
    "BoolStorage": "|b1",
    "ComplexFloatStorage": "<c8",
    "ComplexDoubleStorage": "<c16",
}
"""NumPy's types of torch's storages; bfloat16 is read as its bits."""

_ERRORS = (
    pickle.UnpicklingError,
    zipfile.BadZipFile,
    AttributeError,
    EOFError,
    IndexError,
    KeyError,
    NotImplementedError,
    RecursionError,
    RuntimeError,
    TypeError,
    UnicodeDecodeError,
    ValueError,
)
"""What reading a damaged file may raise."""


def read(path: str):
    """What a file holds, with NumPy arrays in place of tensors; bfloat16 becomes float32.

    Args:
        path (str): a file that ``torch.save`` wrote.

    Returns:
        Any: mostly a dict from names to arrays, or one that holds such a dict.

    Raises:
        CheckpointError: the file is damaged, of the format before torch 1.6, or refers to more than tensors
            and containers.
        OSError: it cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if any(i.compress_type != zipfile.ZIP_STORED for i in archive.infolist()):
                raise ValueError("an entry is compressed, which torch.save does not do")
            [index] = [n for n in archive.namelist() if n.rpartition("/")[2] == "data.pkl"]
            with archive.open(index) as f:
                return _TensorPickle(f, archive, index.removesuffix("data.pkl")).load()
    except CheckpointError:
        raise
    except _ERRORS as e:
        raise complain(
            CheckpointError,
            f"{path}: it is no file of tensors that torch.save wrote: {e}",
            cure="write it anew with torch.save of torch 1.6 or later",
        ) from e


class _TensorPickle(pickle._Unpickler):
    """A pickle of tensors whose bytes are in an archive, below ``folder``.

    The unpickler is the one in Python: that in C allocates as much as a damaged pickle asks for.
    """

    def __init__(self, file, archive: zipfile.ZipFile, folder: str):
        super().__init__(file, encoding="utf-8")
        self._archive, self._folder, self._read = archive, folder, {}
        order = f"{folder}byteorder"
        self._order = archive.read(order).decode() if order in archive.namelist() else sys.byteorder

    def find_class(self, module: str, name: str):
        # What is given back is made anew, so that nothing the pickle sets on it outlives the reading.
        if module in ("torch", "torch.storage") and name in _TYPES:
            return name
        if module == "torch._utils" and name in ("_rebuild_tensor_v2", "_rebuild_tensor"):
            return lambda storage, offset, size, stride, *_: _tensor(storage, offset, size, stride)
        if module == "torch._utils" and name.startswith("_rebuild_parameter"):
            return lambda data, *_: data
        if (module, name) == ("collections", "OrderedDict"):
            return lambda *args: OrderedDict(*args)
        if (module, name) == ("torch", "Size"):
            return lambda sizes=(): tuple(sizes)
        raise complain(
            CheckpointError,
            f"the file refers to {module}.{name}, which is no tensor and no container",
            cure="save net.state_dict() alone, or write it with safetensors",
        )

    def persistent_load(self, pid) -> np.ndarray:
        """The elements of a storage."""
        kind, name, key, _, count = pid
        if kind != "storage" or not isinstance(key, str):
            raise ValueError(f"unknown reference {pid!r}")
        if key not in self._read:
            self._read[key] = self._storage(_TYPES[name], key)
        found = self._read[key]
        if found.size < count:
            raise ValueError(f"storage {key} has {found.size} of {count} elements")
        return found

    def _storage(self, kind: str, key: str) -> np.ndarray:
        data = self._archive.read(f"{self._folder}data/{key}")
        bits = np.dtype("<u2" if kind == "bfloat16" else kind)
        if self._order == "big":
            bits = bits.newbyteorder(">")
        found = np.frombuffer(data, bits).astype(bits.newbyteorder("="), copy=False)
        if kind == "bfloat16":
            found = (found.astype(np.uint32) << 16).view(np.float32)
        return found


def _tensor(storage: np.ndarray, offset: int, size: tuple, stride: tuple) -> np.ndarray:
    """The elements of a storage that a tensor has."""
    numbers = (offset, *size, *stride)
    if len(size) != len(stride) or any(type(n) is not int or n < 0 for n in numbers):
        raise ValueError(f"a tensor has offset {offset}, shape {size} and strides {stride}")
    last = offset + sum((n - 1) * step for n, step in zip(size, stride))
    if 0 in size:
        return np.empty(size, storage.dtype)
    if last >= storage.size:
        raise ValueError(f"a tensor of shape {size} reaches over the end of its storage")
    strides = [step * storage.itemsize for step in stride]
    view = np.lib.stride_tricks.as_strided(storage[offset:], size, strides, writeable=False)
    return view if view.flags.c_contiguous else _compact(view, storage)


def _compact(view: np.ndarray, storage: np.ndarray) -> np.ndarray:
    """A copy without gaps. Where strides of 0 repeat elements, shape and file need not be of one size."""
    if view.size > max(storage.size, 1 << 20):
        raise ValueError(f"a tensor of shape {view.shape} repeats {storage.size} elements")
    return np.ascontiguousarray(view)
