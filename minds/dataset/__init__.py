"""Data pipelines: sources of rows, operations on them, iterators. See `Dataset`."""

from enum import Enum

from ..base.boundary import guard as _guard
from . import audio, config, text, transforms, vision
from .datasets import BatchInfo, Dataset
from .datasets import zip_datasets as zip
from .engine import DatasetError
from .files import Cifar10Dataset, Cifar100Dataset, ImageFolderDataset
from .iterators import DictIterator, TupleIterator
from .samplers import (
    DistributedSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from .standard import GeneratorDataset, MnistDataset, NumpySlicesDataset


class Shuffle(str, Enum):
    """How the rows of several files are shuffled.

    Examples:
        >>> import minds.dataset as ds
        >>> ds.Shuffle.GLOBAL.value
        'global'
    """

    GLOBAL = "global"
    FILES = "files"
    INFILE = "infile"


__all__ = [
    "BatchInfo",
    "Cifar100Dataset",
    "Cifar10Dataset",
    "Dataset",
    "DatasetError",
    "DictIterator",
    "DistributedSampler",
    "GeneratorDataset",
    "ImageFolderDataset",
    "MnistDataset",
    "NumpySlicesDataset",
    "PKSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Shuffle",
    "SubsetRandomSampler",
    "SubsetSampler",
    "TupleIterator",
    "WeightedRandomSampler",
    "audio",
    "config",
    "text",
    "transforms",
    "vision",
    "zip",
]
_guard(__name__)
