"""MindSpore's classes of what the methods of a dataset return: here each returns a `Dataset`, and these
tell by ``isinstance`` which operation it ends with.
"""

from __future__ import annotations

from ..dataset import joined, nodes, rows_of_files, sources
from ..dataset.datasets import Dataset
from ..dataset.sync import SyncNode


class _EndsWith(type):
    """The class of the kinds."""

    node: type | tuple = object

    def __instancecheck__(cls, v) -> bool:
        return type.__instancecheck__(Dataset, v) and isinstance(v._node, cls.node)


def _kind(name: str, node: type | tuple) -> _EndsWith:
    doc = f"""Datasets that end with `{name.removesuffix("Dataset").lower()}`.

    Args:
        node (Operation): the last operation; use the method.

    Raises:
        TypeError: ``node`` is no operation.

    Examples:
        >>> import minds.dataset as ds
        >>> isinstance(ds.NumpySlicesDataset([1, 2]).batch(2), ds.BatchDataset)
        True
    """
    made = _EndsWith(name, (Dataset,), {"__doc__": doc})
    made.node = node
    return made


BatchDataset = _kind("BatchDataset", nodes.BatchNode)
ConcatDataset = _kind("ConcatDataset", joined.ConcatNode)
FilterDataset = _kind("FilterDataset", nodes.FilterNode)
MapDataset = _kind("MapDataset", nodes.MapNode)
ProjectDataset = _kind("ProjectDataset", nodes.ProjectNode)
RepeatDataset = _kind("RepeatDataset", nodes.RepeatNode)
ShuffleDataset = _kind("ShuffleDataset", nodes.ShuffleNode)
SkipDataset = _kind("SkipDataset", nodes.SliceNode)
SyncWaitDataset = _kind("SyncWaitDataset", SyncNode)
TakeDataset = _kind("TakeDataset", nodes.SliceNode)
ZipDataset = _kind("ZipDataset", joined.ZipNode)

_FILES = rows_of_files.EntriesNode, rows_of_files.ReadNode
MappableDataset = _kind("MappableDataset", (*_FILES, sources.SampledNode))
SourceDataset = _kind("SourceDataset", (*MappableDataset.node, sources.IterableNode))
VisionBaseDataset = _kind("VisionBaseDataset", _FILES)
TextBaseDataset = _kind("TextBaseDataset", _FILES)

__all__ = [
    "BatchDataset",
    "ConcatDataset",
    "FilterDataset",
    "MapDataset",
    "MappableDataset",
    "ProjectDataset",
    "RepeatDataset",
    "ShuffleDataset",
    "SkipDataset",
    "SourceDataset",
    "SyncWaitDataset",
    "TakeDataset",
    "TextBaseDataset",
    "VisionBaseDataset",
    "ZipDataset",
]
