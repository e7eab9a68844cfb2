"""MindSpore's `DataLoader` and what goes with it: batches of any indexed or iterable object."""

from ...base.boundary import guard as _guard
from .collating import default_collate, default_convert
from .loader import DataLoader
from .orders import BatchSampler, DistributedSampler, RandomSampler, Sampler, SequentialSampler
from .sources import Dataset, IterableDataset, TensorDataset
from .workers import get_worker_info

__all__ = [
    "BatchSampler",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "TensorDataset",
    "default_collate",
    "default_convert",
    "get_worker_info",
]
_guard(__name__)
