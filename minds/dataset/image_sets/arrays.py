"""Small images that are in memory as one array: MNIST and its kin, CIFAR, STL-10, Semeion, SVHN."""

from __future__ import annotations

import functools
import os

import numpy as np

from ...base.errors import complain
from .. import mnist, samplers
from .. import source_arguments as arguments
from ..collection import COMMON, Collection, Declared
from ..matlab import read_mat
from ..pipeline import DatasetError
from ..sources import arrays_node

_THREE = ("train", "test", "all")


class InMemory(Declared):
    """A dataset whose columns are arrays: ``_arrays(a)`` gives them."""

    columns = ("image", "label")

    def _node_of(self, a):
        chosen = samplers.choose(a.sampler, a.shuffle, a.num_samples, a.num_shards, a.shard_id)
        columns = self._columns_of(a)
        a.files = []
        node = arrays_node(tuple(self._arrays(a)), list(columns), chosen)
        node.file = functools.partial(_file_of, a.files, str(a.dataset_dir))
        node.label_column = columns[1] if len(columns) > 1 else None
        return node

    def _columns_of(self, a) -> tuple[str, ...]:
        """The columns that the arguments ask for."""
        return self.columns

    def _arrays(self, a) -> tuple:
        """The columns' values; ``a.files`` may be given the pairs (file, its number of rows)."""
        raise NotImplementedError


def _file_of(files: list, folder: str, row: int) -> str:
    """The file that holds a row, or the folder if the files are not known."""
    for path, count in files:
        if row < count:
            return path
        row -= count
    return folder


def _digits(name: str, folder: str, usage: str | None, names=None) -> tuple:
    images, labels = mnist.load(folder, usage, name, names)
    return images[..., np.newaxis], labels.astype(np.uint32)


class MnistDataset(InMemory):
    """Images (uint8, 28×28×1) and labels (uint32) from the IDX files of MNIST, plain or ``.gz``.

    Source: LeCun, Cortes, Burges, The MNIST database of handwritten digits, 1998.
    """

    parameters, usages = f"dataset_dir, usage=None, {COMMON}", _THREE

    def _arrays(self, a):
        return _digits("MnistDataset", a.dataset_dir, a.usage)


class KMnistDataset(InMemory):
    """Images (uint8, 28×28×1) and labels (uint32) of Kuzushiji-MNIST, named as MNIST's files.

    Source: Clanuwat et al., Deep Learning for Classical Japanese Literature, 2018.
    """

    parameters, usages = f"dataset_dir, usage=None, {COMMON}", _THREE

    def _arrays(self, a):
        return _digits("KMnistDataset", a.dataset_dir, a.usage)


class FashionMnistDataset(InMemory):
    """Images (uint8, 28×28×1) and labels (uint32) of Fashion-MNIST, named as MNIST's files.

    Source: Xiao, Rasul, Vollgraf, Fashion-MNIST, 2017.
    """

    parameters, usages = f"dataset_dir, usage=None, {COMMON}", _THREE

    def _arrays(self, a):
        return _digits("FashionMnistDataset", a.dataset_dir, a.usage)


class EMnistDataset(InMemory):
    """Images (uint8, 28×28×1) and labels (uint32) of a split of EMNIST: files named as
    ``emnist-letters-train-images-idx3-ubyte``.

    Source: Cohen et al., EMNIST: an extension of MNIST to handwritten letters, 2017.
    """

    parameters, usages = f"dataset_dir, name, usage=None, {COMMON}", _THREE
    checks = {"name": ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")}
    about = {"name": f"str): the split: {', '.join(checks['name'])}"}

    def _arrays(self, a):
        names = {p: f"emnist-{a.name}-{p}" for p in ("test", "train")}
        return _digits("EMnistDataset", a.dataset_dir, a.usage, names)


class QMnistDataset(InMemory):
    """Images (uint8, 28×28×1) and labels (uint32) of QMNIST, of MNIST's classes or with all that is
    known of the writer (8 numbers).

    Source: Yadav, Bottou, Cold Case: The Lost MNIST Digits, 2019.
    """

    parameters = f"dataset_dir, usage=None, compat=True, {COMMON}"
    usages = ("train", "test", "test10k", "test50k", "nist", "all")
    checks = {"compat": lambda n, v: arguments.of_type(n, v, bool)}
    about = {"compat": "bool): whether a label is the digit alone"}
    _parts = {
        "train": [("qmnist-train", 0, None)],
        "test": [("qmnist-test", 0, None)],
        "test10k": [("qmnist-test", 0, 10000)],
        "test50k": [("qmnist-test", 10000, None)],
        "nist": [("xnist", 0, None)],
    }

    def _arrays(self, a):
        usage = a.usage or "all"
        names = ("train", "test", "nist") if usage == "all" else (usage,)
        images, labels = [], []
        for name, begin, end in [p for n in names for p in self._parts[n]]:
            paths = [
                mnist.find(a.dataset_dir, f"{name}-{kind}")
                for kind in ("images-idx3-ubyte", "labels-idx2-int")
            ]
            if None in paths:
                raise DatasetError(f"QMnistDataset: {a.dataset_dir} has no files {name}-…")
            x, y = mnist.read_idx(paths[0], 3), mnist.read_idx(paths[1], 2, np.dtype(">i4"))
            if len(x) != len(y):
                raise DatasetError(
                    f"QMnistDataset: {paths[0]} has {len(x)} images, but {paths[1]} {len(y)} labels"
                )
            images.append(x[begin:end, ..., None])
            labels.append((y[begin:end, 0] if a.compat else y[begin:end]).astype(np.uint32))
        return np.concatenate(images), np.concatenate(labels)


class SemeionDataset(InMemory):
    """Images (uint8, 16×16) and labels (uint32) of Semeion: a file of text.

    Source: Buscema, MetaNet: The Theory of Independent Judges, 1998.
    """

    parameters = f"dataset_dir, {COMMON}"

    def _arrays(self, a):
        path = os.path.join(a.dataset_dir, "semeion.data")
        try:
            with open(path, encoding="ascii") as f:
                rows = [[float(v) for v in line.split()] for line in f if line.strip()]
            table = np.array(rows).reshape(len(rows), 266)
        except (OSError, ValueError) as e:
            raise DatasetError(f"SemeionDataset: {path}: {e}") from e
        if not len(table):
            raise DatasetError(f"SemeionDataset: {path} has no rows")
        images = (table[:, :256] != 0).astype(np.uint8).reshape(-1, 16, 16)
        return images, table[:, 256:].argmax(1).astype(np.uint32)


class STL10Dataset(InMemory):
    """Images (uint8, 96×96×3) and labels (int32) of STL-10's binary files; what has no label has -1.

    Source: Coates, Lee, Ng, An Analysis of Single-Layer Networks in Unsupervised Feature Learning, 2011.
    """

    parameters = f"dataset_dir, usage=None, {COMMON}"
    usages = ("train", "test", "unlabeled", "train+unlabeled", "all")

    def _arrays(self, a):
        usage = a.usage or "all"
        parts = ("test", "train", "unlabeled") if usage == "all" else usage.split("+")
        loaded = [self._part(a.dataset_dir, p) for p in parts]
        return tuple(np.concatenate(c) for c in zip(*loaded))

    def _part(self, folder: str, part: str) -> tuple:
        path = os.path.join(folder, f"{part}_X.bin")
        try:
            images = np.fromfile(path, np.uint8).reshape(-1, 3, 96, 96).transpose(0, 3, 2, 1)
            if part == "unlabeled":
                return images, np.full(len(images), -1, np.int32)
            path = os.path.join(folder, f"{part}_y.bin")
            labels = np.fromfile(path, np.uint8)
        except (OSError, ValueError) as e:
            raise DatasetError(f"STL10Dataset: {path}: {e}") from e
        if len(labels) != len(images):
            raise DatasetError(
                f"STL10Dataset: {path} has {len(labels)} labels for {len(images)} images"
            )
        return images, labels.astype(np.int32) - np.int32(1)


class SVHNDataset(InMemory):
    """Images (uint8, 32×32×3) and labels (uint32) of the cropped digits of SVHN; reads MATLAB's files
    by SciPy.

    Source: Netzer et al., Reading Digits in Natural Images with Unsupervised Feature Learning, 2011.
    """

    parameters = (
        "dataset_dir, usage=None, num_samples=None, num_parallel_workers=1, shuffle=None, "
        "sampler=None, num_shards=None, shard_id=None"
    )
    usages = ("train", "test", "extra", "all")

    def _arrays(self, a):
        images, labels = [], []
        for part in ("train", "test", "extra") if a.usage in (None, "all") else (a.usage,):
            path = os.path.join(a.dataset_dir, f"{part}_32x32.mat")
            data = read_mat("SVHNDataset", path, ("X", "y"))
            images.append(np.transpose(data["X"], (3, 0, 1, 2)))
            y = data["y"].reshape(-1).astype(np.uint32)
            labels.append(np.where(y == 10, 0, y).astype(np.uint32))
        return np.concatenate(images), np.concatenate(labels)


class FakeImageDataset(Collection):
    """Images of random pixels (uint8) with random labels (uint32), the same for the same seed."""

    parameters = f"num_images=1000, image_size=None, num_classes=10, base_seed=0, {COMMON}"
    columns = ("image", "label")
    checks = {
        "num_images": lambda n, v: arguments.between(n, v, 1),
        "num_classes": lambda n, v: arguments.between(n, v, 1),
        "image_size": lambda n, v: _image_size(n, v),
        "base_seed": lambda n, v: arguments.between(n, v, 0),
    }
    about = {
        "num_images": "int): how many",
        "image_size": "tuple[int], optional): height, width and channels. Default: (224, 224, 3)",
        "num_classes": "int): of how many classes",
        "base_seed": "int): what the images and labels begin from",
    }

    def _entries(self, a):
        return range(a.num_images)

    def _row(self, a, entry):
        rng = np.random.default_rng((a.base_seed, entry))
        label = np.uint32(rng.integers(a.num_classes))
        return rng.integers(0, 256, a.image_size, np.uint8), label


def _image_size(name: str, value) -> tuple:
    if value is None:
        return (224, 224, 3)
    if len(arguments.of_type(name, value, tuple, list)) != 3:
        raise complain(
            ValueError, f"Argument {name} should be a list or tuple of length 3, got {value}."
        )
    return tuple(arguments.between(name, v, 1) for v in value)


class Cifar10Dataset(InMemory):
    """Images (uint8, 32×32×3) and labels (uint32) from the binary files of CIFAR-10,
    ``data_batch_1.bin`` to ``data_batch_5.bin`` and ``test_batch.bin``.

    Source: Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009.
    """

    parameters, usages = f"dataset_dir, usage=None, {COMMON}", _THREE
    _files = {"train": [f"data_batch_{i}.bin" for i in range(1, 6)], "test": ["test_batch.bin"]}

    def _arrays(self, a):
        return _cifar("Cifar10Dataset", a, self._files, 1)


class Cifar100Dataset(InMemory):
    """Images (uint8, 32×32×3), coarse and fine labels (uint32) from the binary files of CIFAR-100,
    ``train.bin`` and ``test.bin``.

    Source: Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009.
    """

    parameters, usages = f"dataset_dir, usage=None, {COMMON}", _THREE
    columns = ("image", "coarse_label", "fine_label")

    def _arrays(self, a):
        return _cifar("Cifar100Dataset", a, {"test": ["test.bin"], "train": ["train.bin"]}, 2)


def _cifar(name: str, a, files: dict, labels: int) -> tuple:
    parts = [a.usage] if a.usage in files else list(files)
    paths = [os.path.join(a.dataset_dir, f) for part in parts for f in files[part]]
    paths = [p for p in paths if os.path.isfile(p)]
    if not paths and not any(f.endswith(".bin") for f in os.listdir(a.dataset_dir)):
        raise DatasetError(
            f"{name}: No .bin files found: cifar(.bin) files are missing under {a.dataset_dir} (such as "
            f"{files['test'][0]})"
        )
    if not paths:
        raise DatasetError(
            f"Invalid data, {name} API can't read the data file (interface mismatch or no data found). "
            f"Check file in directory: {a.dataset_dir} (such as {files[parts[0]][0]})"
        )
    loaded = [_records(p, labels) for p in paths]
    a.files += [(p, len(c)) for p, (_, c) in zip(paths, loaded)]
    ids = np.concatenate([c for _, c in loaded]).astype(np.uint32)
    return (np.concatenate([x for x, _ in loaded]), *ids.T)


def _records(path: str, labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Images (N, 32, 32, 3) and label bytes (N, ``labels``) of a binary file of CIFAR."""
    record = labels + 3072
    size = os.path.getsize(path)
    if not size or size % record:
        raise DatasetError(f"{path}: {size} bytes are no whole number of records of {record} bytes")
    rows = np.fromfile(path, np.uint8).reshape(-1, record)
    return rows[:, labels:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), rows[:, :labels]
