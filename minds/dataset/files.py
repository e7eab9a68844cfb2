"""Datasets of image files: a folder per class, CIFAR."""

from __future__ import annotations

import os

import numpy as np

from ..base.errors import complain
from . import samplers
from .datasets import Dataset, workers_of
from .engine import DatasetError
from .sources import IndexedNode, arrays_node
from .vision import Decode


def checked_folder(name: str, path) -> str:
    """``path`` as a str.

    Raises:
        TypeError: it is no str.
        ValueError: there is no such folder.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise complain(
            TypeError, f"{name}: dataset_dir has type {type(path).__name__}", expected="a str"
        )
    if not os.path.isdir(path):
        raise complain(ValueError, f"{name}: {os.fspath(path)!r} is no folder")
    return os.fspath(path)


class _Files:
    """The rows of an `ImageFolderDataset`: the bytes of a file, or its image, and its class."""

    def __init__(self, paths: list[str], labels: list[int], decode: bool):
        self.paths, self.labels = paths, labels
        self.decode = Decode() if decode else None

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, i: int):
        with open(self.paths[i], "rb") as f:
            data = f.read()
        if self.decode is None:
            return np.frombuffer(bytearray(data), np.uint8), np.int32(self.labels[i])
        try:
            return self.decode(data), np.int32(self.labels[i])
        except RuntimeError as e:
            raise DatasetError(f"ImageFolderDataset: {self.paths[i]}: {e}") from e


class ImageFolderDataset(Dataset):
    """Images from a folder that has one folder per class.

    Args:
        dataset_dir (str): the folder.
        num_samples (int, optional): how many rows at most. Default: all.
        num_parallel_workers (int, optional): threads that read. Default: the setting of ``config``.
        shuffle (bool, optional): whether each epoch has an order of its own. Default: None, which
            means True.
        sampler (Sampler, iterable, optional): chooses rows and their order; excludes ``shuffle``.
        extensions (list[str], optional): the endings of files to take, as ``".png"``. Default: all.
        class_indexing (dict, optional): folder name → class id; other folders are left out.
            Default: the folders in alphabetical order, counted from 0.
        decode (bool): whether images are decoded to RGB (by Pillow); else a row has the bytes of a
            file. Default: False.
        num_shards (int, optional): in how many parts the data is shared.
        shard_id (int, optional): which part this is.
        cache (None), decrypt (None): not supported.

    Raises:
        TypeError: ``dataset_dir`` is no str.
        ValueError: ``dataset_dir`` is no folder, or arguments exclude each other.
        RuntimeError: there is no file; or one is no image (raised when the pipeline runs).

    Examples:
        >>> import minds.dataset as ds
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> for name in ("cat", "dog"):
        ...     os.mkdir(os.path.join(folder, name))
        ...     with open(os.path.join(folder, name, "1.bin"), "wb") as f:
        ...         _ = f.write(b"12")
        >>> data = ds.ImageFolderDataset(folder, shuffle=False)
        >>> [(image.tolist(), int(label)) for image, label in data]
        [([49, 50], 0), ([49, 50], 1)]
    """

    def __init__(
        self,
        dataset_dir,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        extensions=None,
        class_indexing=None,
        decode=False,
        num_shards=None,
        shard_id=None,
        cache=None,
        decrypt=None,
    ):
        folder = checked_folder("ImageFolderDataset", dataset_dir)
        if cache is not None or decrypt is not None:
            raise complain(ValueError, "ImageFolderDataset: cache and decrypt are not supported")
        chosen = samplers.choose(sampler, shuffle, num_samples, num_shards, shard_id)
        found = sorted(e.name for e in os.scandir(folder) if e.is_dir())
        self._classes = (
            dict(class_indexing) if class_indexing else {n: i for i, n in enumerate(found)}
        )
        endings = None if extensions is None else tuple(e.lower() for e in extensions)
        paths, labels = [], []
        for name in found:
            if name not in self._classes:
                continue
            for root, _, files in sorted(os.walk(os.path.join(folder, name))):
                for file in sorted(files):
                    if endings is None or file.lower().endswith(endings):
                        paths.append(os.path.join(root, file))
                        labels.append(self._classes[name])
        if not paths:
            raise DatasetError(f"ImageFolderDataset: {folder} has no class folder with files")
        super().__init__(
            IndexedNode(
                _Files(paths, labels, decode),
                ("image", "label"),
                None,
                chosen,
                workers_of(num_parallel_workers),
            )
        )

    def num_classes(self) -> int:
        """The number of classes.

        Returns:
            int: the number.

        Examples:
            >>> import minds.dataset as ds
            >>> import os, tempfile
            >>> folder = tempfile.mkdtemp()
            >>> os.mkdir(os.path.join(folder, "cat"))
            >>> open(os.path.join(folder, "cat", "1.bin"), "wb").close()
            >>> ds.ImageFolderDataset(folder).num_classes()
            1
        """
        return len(self._classes)

    def get_class_indexing(self) -> dict[str, int]:
        """Folder name → class id.

        Returns:
            dict[str, int]: the classes.

        Examples:
            >>> import minds.dataset as ds
            >>> import os, tempfile
            >>> folder = tempfile.mkdtemp()
            >>> os.mkdir(os.path.join(folder, "cat"))
            >>> open(os.path.join(folder, "cat", "1.bin"), "wb").close()
            >>> ds.ImageFolderDataset(folder).get_class_indexing()
            {'cat': 0}
        """
        return dict(self._classes)


def _records(path: str, labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Images (N, 32, 32, 3) and label bytes (N, ``labels``) of a binary file of CIFAR."""
    record = labels + 3072
    size = os.path.getsize(path)
    if not size or size % record:
        raise DatasetError(f"{path}: {size} bytes are no whole number of records of {record} bytes")
    rows = np.fromfile(path, np.uint8).reshape(-1, record)
    return rows[:, labels:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), rows[:, :labels]


class _Cifar(Dataset):
    """Shared by both: the files of each part, how many label bytes a record has, the columns'
    names.
    """

    _files: dict[str, list[str]] = {}
    _columns: tuple[str, ...] = ()

    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ):
        name = type(self).__name__
        folder = checked_folder(name, dataset_dir)
        if usage not in (None, "train", "test", "all"):
            raise complain(
                ValueError, f"{name}: usage is {usage!r}", expected="'train', 'test' or 'all'"
            )
        if cache is not None:
            raise complain(ValueError, f"{name}: cache is not supported")
        chosen = samplers.choose(sampler, shuffle, num_samples, num_shards, shard_id)
        parts = [usage] if usage in self._files else list(self._files)
        paths = [os.path.join(folder, f) for part in parts for f in self._files[part]]
        missing = [p for p in paths if not os.path.isfile(p)]
        if usage is None:
            paths = [p for p in paths if p not in missing]
        elif missing:
            raise DatasetError(f"{name}: there is no file {missing[0]}")
        if not paths:
            raise DatasetError(
                f"{name}: {folder} holds none of the files of CIFAR (such as "
                f"{self._files['test'][0]})"
            )
        labels = len(self._columns) - 1
        loaded = [_records(p, labels) for p in paths]
        ids = np.concatenate([c for _, c in loaded]).astype(np.uint32)
        images = np.concatenate([x for x, _ in loaded])
        # The file has the coarse label first, the columns have it last.
        super().__init__(arrays_node((images, *ids.T[::-1]), list(self._columns), chosen))


class Cifar10Dataset(_Cifar):
    """Images (uint8, 32×32×3) and labels (uint32) from the binary files of CIFAR-10.

    Args:
        dataset_dir (str): the folder of ``data_batch_1.bin`` to ``data_batch_5.bin`` and
            ``test_batch.bin``.
        usage (str, optional): ``"train"``, ``"test"`` or ``"all"``. Default: all files that are
            there.
        num_samples (int, optional): how many rows at most. Default: all.
        num_parallel_workers (int, optional): accepted; rows are gathered by whole batches.
        shuffle (bool, optional): whether each epoch has its own random order. Default: None, which
            means True.
        sampler (Sampler, iterable, optional): chooses rows and their order; excludes ``shuffle``.
        num_shards (int, optional): in how many parts the data is shared.
        shard_id (int, optional): which part this is.
        cache (None): not supported.

    Raises:
        TypeError: ``dataset_dir`` is no str.
        ValueError: ``dataset_dir`` is no folder or ``usage`` is unknown.
        RuntimeError: a file is missing or has a wrong length.

    Source: Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009.

    Examples:
        >>> import minds.dataset as ds
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "test_batch.bin"), "wb") as f:
        ...     _ = f.write(bytes([7]) + bytes(3072))
        >>> [(image.shape, int(label)) for image, label in ds.Cifar10Dataset(folder, "test")]
        [((32, 32, 3), 7)]
    """

    _files = {"train": [f"data_batch_{i}.bin" for i in range(1, 6)], "test": ["test_batch.bin"]}
    _columns = ("image", "label")


class Cifar100Dataset(_Cifar):
    """Images (uint8, 32×32×3), fine and coarse labels (uint32) from the binary files of CIFAR-100.

    Args:
        dataset_dir (str): the folder with ``train.bin`` and ``test.bin``.
        usage (str, optional): ``"train"``, ``"test"`` or ``"all"``. Default: all files that are
            there.
        num_samples (int, optional): how many rows at most. Default: all.
        num_parallel_workers (int, optional): accepted; rows are gathered by whole batches.
        shuffle (bool, optional): whether each epoch has its own random order. Default: None, which
            means True.
        sampler (Sampler, iterable, optional): chooses rows and their order; excludes ``shuffle``.
        num_shards (int, optional): in how many parts the data is shared.
        shard_id (int, optional): which part this is.
        cache (None): not supported.

    Raises:
        TypeError: ``dataset_dir`` is no str.
        ValueError: ``dataset_dir`` is no folder or ``usage`` is unknown.
        RuntimeError: a file is missing or has a wrong length.

    Source: Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009.

    Examples:
        >>> import minds.dataset as ds
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "test.bin"), "wb") as f:
        ...     _ = f.write(bytes([3, 42]) + bytes(3072))
        >>> [(int(fine), int(coarse)) for _, fine, coarse in ds.Cifar100Dataset(folder, "test")]
        [(42, 3)]
    """

    _files = {"train": ["train.bin"], "test": ["test.bin"]}
    _columns = ("image", "fine_label", "coarse_label")


__all__ = ["Cifar100Dataset", "Cifar10Dataset", "ImageFolderDataset", "checked_folder"]
