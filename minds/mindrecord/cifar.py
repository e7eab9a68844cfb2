"""MindRecord files from CIFAR's Python files."""

from __future__ import annotations

import os
import pickle

import numpy as np

from ..base.errors import complain
from .converters import Converter, jpeg
from .errors import PathNotExistsError
from .names import check_name
from .writer import MSRStatus

_ARRAYS = {"_reconstruct", "_frombuffer", "scalar", "ndarray", "dtype"}
_SIZE = 3 * 32 * 32


class ArraysOnly(pickle.Unpickler):
    """Reads dicts, lists and arrays: a pickle can name any function, and these run none but NumPy's."""

    def find_class(self, module, name):
        if module.split(".")[0] == "numpy" and name in _ARRAYS:
            return super().find_class(module, name)
        if (module, name) == ("_codecs", "encode"):  # how protocol 2 writes bytes
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"it names {module}.{name}")


def _batch(path: str, labels: tuple[str, ...]) -> tuple:
    """The images (N, 32, 32, 3) of one file, and a list per kind of labels.

    Raises:
        RuntimeError: it is none of CIFAR's files.
    """
    try:
        with open(path, "rb") as f:
            found = ArraysOnly(f, encoding="bytes").load()
        data, *kinds = (found[k.encode()] for k in ("data", *labels))
        data = np.asarray(data, np.uint8).reshape(-1, _SIZE)
        kinds = [[int(v) for v in kind] for kind in kinds]
    except Exception as e:  # what a damaged pickle raises is of any class
        raise RuntimeError(f"{path} is no file of CIFAR's Python version: {e!r}") from e
    if any(len(kind) != len(data) for kind in kinds):
        raise RuntimeError(f"{path} has {len(data)} images, and {len(kinds[0])} labels")
    return data.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), kinds


class CifarToMR(Converter):
    """What the converters of CIFAR-10 and CIFAR-100 share; a subclass says how the files begin and
    what their labels are called, in the files and in the rows.

    Args:
        source (str): the folder of the files.
        destination (str): the MindRecord file of the training rows; that of the test rows has
            ``_test`` behind its name.
    """

    files: tuple[str, str]
    labels: dict[str, str]

    def __init__(self, source: str, destination: str):
        check_name(source)
        if not os.path.isdir(source):
            raise complain(FileNotFoundError, f"{type(self).__name__}: there is no folder {source}")
        there = sorted(os.listdir(source))
        self.found = [[f for f in there if f.startswith(begin)] for begin in self.files]
        for begin, names in zip(self.files, self.found):
            if not names:
                raise PathNotExistsError(begin + "*" * begin.endswith("_"))
        super().__init__(destination)
        self.source = source

    def _rows(self, names: list[str]):
        number = 0
        for name in names:
            images, kinds = _batch(os.path.join(self.source, name), tuple(self.labels))
            for image, *labels in zip(images, *kinds):
                row = {"id": number, "data": jpeg(image, type(self).__name__)}
                yield row | dict(zip(self.labels.values(), labels))
                number += 1

    def transform(self, fields: list | None = None) -> MSRStatus:
        """Write the files.

        Args:
            fields (list[str], optional): the columns to index. Default: none.

        Returns:
            MSRStatus: ``SUCCESS``.

        Raises:
            ValueError: ``fields`` is no list.
            RuntimeError: a file cannot be read or written, or there is no such column.

        Examples:
            >>> import os, pickle, tempfile
            >>> import numpy as np
            >>> from minds.mindrecord import Cifar10ToMR, FileReader
            >>> folder = tempfile.mkdtemp()
            >>> for name in ("data_batch_1", "test_batch"):
            ...     with open(os.path.join(folder, name), "wb") as f:
            ...         pickle.dump({b"data": np.zeros((1, 3072), np.uint8), b"labels": [4]}, f)
            >>> made = os.path.join(folder, "a.mindrecord")
            >>> Cifar10ToMR(folder, made).transform(["label"]).name
            'SUCCESS'
            >>> [row["label"] for row in FileReader(made).get_next()]
            [4]
        """
        return self.run(fields)

    def run(self, fields: list | None = None) -> MSRStatus:
        """As `transform`.

        Args:
            fields (list[str], optional): the columns to index. Default: none.

        Returns:
            MSRStatus: ``SUCCESS``.

        Raises:
            ValueError: ``fields`` is no list.
            RuntimeError: a file cannot be read or written, or there is no such column.

        Examples:
            >>> import os, pickle, tempfile
            >>> import numpy as np
            >>> from minds.mindrecord import Cifar100ToMR
            >>> folder = tempfile.mkdtemp()
            >>> rows = {b"data": np.zeros((1, 3072), np.uint8)}
            >>> for name in ("train", "test"):
            ...     with open(os.path.join(folder, name), "wb") as f:
            ...         pickle.dump(rows | {b"fine_labels": [4], b"coarse_labels": [1]}, f)
            >>> Cifar100ToMR(folder, os.path.join(folder, "a.mindrecord")).run().name
            'SUCCESS'
        """
        if fields and not isinstance(fields, list):
            raise ValueError("The parameter fields should be None or list")
        names = ("id", *self.labels.values())
        schema = {**{n: {"type": "int64"} for n in names}, "data": {"type": "bytes"}}
        for names, path, about in zip(
            self.found, (self.destination, self.destination + "_test"), ("img_train", "img_test")
        ):
            self._write(path, schema, self._rows(names), about, fields)
        return MSRStatus.SUCCESS


class Cifar10ToMR(CifarToMR):
    """CIFAR-10's Python version as two MindRecord files, of numbers and labels (int64) and images
    (JPEG, by Pillow).

    Args:
        source (str): the folder of ``data_batch_1`` and so on, and ``test_batch``.
        destination (str): the MindRecord file of the training rows; that of the test rows has
            ``_test`` behind its name.

    Raises:
        RuntimeError: a name of a file is wrong, or a file is missing.
        FileNotFoundError: there is no such folder.

    Examples:
        >>> from minds.mindrecord import Cifar10ToMR
        >>> Cifar10ToMR.labels
        {'labels': 'label'}
    """

    files, labels = ("data_batch_", "test_batch"), {"labels": "label"}


class Cifar100ToMR(CifarToMR):
    """CIFAR-100's Python version as two MindRecord files, of numbers, fine and coarse labels (int64)
    and images (JPEG, by Pillow).

    Args:
        source (str): the folder of ``train`` and ``test``.
        destination (str): the MindRecord file of the training rows; that of the test rows has
            ``_test`` behind its name.

    Raises:
        RuntimeError: a name of a file is wrong, or a file is missing.
        FileNotFoundError: there is no such folder.

    Examples:
        >>> from minds.mindrecord import Cifar100ToMR
        >>> Cifar100ToMR.labels
        {'fine_labels': 'fine_label', 'coarse_labels': 'coarse_label'}
    """

    files = ("train", "test")
    labels = {"fine_labels": "fine_label", "coarse_labels": "coarse_label"}
