"""The rows of several datasets as one: one after the other, or side by side."""

from __future__ import annotations

import copy
import itertools

import numpy as np

from ..base.errors import complain
from .nodes import PassingNode
from .pipeline import DatasetError, Operation
from .samplers import DistributedSampler, RandomSampler, SequentialSampler


def _listed(types) -> str:
    """Dtypes by name."""
    return ", ".join(str(getattr(t, "__name__", t)) for t in types)


class ConcatNode(PassingNode):
    """The rows of several nodes: one after the other, or as a sampler says.

    Args:
        children (list[Operation]): the nodes.
        sampler (Sampler, optional): a `DistributedSampler` takes every n-th of all rows, a `RandomSampler`
            draws for each row which node gives its next one.
    """

    def __init__(self, children, sampler=None):
        children = tuple(children)
        super().__init__(children[0])
        self.children, self.joint = children, sampler
        for c in children[1:]:
            if c.columns != self.columns:
                raise DatasetError(
                    "Invalid columns, 'column name' or 'column order' of concat datasets should be the "
                    f"same. They are {', '.join(self.columns)} and {', '.join(c.columns)}."
                )

    def rows(self, run):
        rows = self._checked(self._joined(run))
        if isinstance(self.joint, DistributedSampler):
            return itertools.islice(rows, self._first(), None, self.joint.num_shards)
        return rows

    def _joined(self, run):
        if not isinstance(self.joint, RandomSampler):
            return itertools.chain.from_iterable(c.rows(run) for c in self.children)
        turns = np.repeat(np.arange(len(self.children)), [c.size() for c in self.children])
        rows = [iter(c.rows(run)) for c in self.children]
        return itertools.chain.from_iterable(
            itertools.islice(rows[i], 1) for i in run.draws(self).permutation(turns)
        )

    @staticmethod
    def _checked(rows):
        types = ranks = None
        for row in rows:
            found = [getattr(v, "dtype", dict) for v in row]
            kinds = [t.kind if t is not dict and t.kind in "US" else t for t in found]
            if types is not None and kinds != types:
                raise DatasetError(
                    "Concat: the data types of the two datasets to be concatenated should be the "
                    f"same, but got: {_listed(types)} and {_listed(kinds)}."
                )
            types = kinds
            found = [getattr(v, "ndim", 0) for v in row]
            if ranks is not None and found != ranks:
                raise DatasetError(
                    "Concat: the data tensor rank of the two datasets to be concatenated should be the "
                    f"same, but got: {_listed(ranks)} and {_listed(found)}."
                )
            ranks = found
            yield row

    def _first(self) -> int:
        """The first row of a share."""
        return (self.joint.shard_id - max(self.joint.offset, 0)) % self.joint.num_shards

    def size(self):
        total = sum(c.size() for c in self.children)
        if isinstance(self.joint, DistributedSampler):
            return len(range(self._first(), total, self.joint.num_shards))
        return total

    def sampled(self, sampler) -> ConcatNode:
        """The same nodes with another sampler.

        Raises:
            TypeError: ``sampler`` is neither distributed nor random, or a node gives batches.
            ValueError: ``sampler`` has an option that makes no sense here.
        """
        if not isinstance(sampler, (DistributedSampler, RandomSampler)):
            said = f"The parameter {sampler} of concat must be DistributedSampler or RandomSampler!"
            raise complain(TypeError, said)
        kind, odd = type(sampler).__name__, None
        if getattr(sampler, "replacement", False):
            odd = "The parameter replacement of RandomSampler must be False!"
        elif getattr(sampler, "shuffle", False):
            odd = "The parameter shuffle of DistributedSampler must be False!"
        elif sampler.num_samples is not None:
            odd = f"The parameter num_samples of {kind} is not support to be set!"
        if odd is not None:
            raise complain(ValueError, odd)
        if isinstance(sampler, DistributedSampler):
            self._check_shares()
            return ConcatNode(map(_in_order, self.children), sampler)
        return ConcatNode(self.children, sampler)

    def _check_shares(self) -> None:
        for c in self.children:
            if getattr(getattr(c, "sampler", None), "num_samples", None) is not None:
                said = (
                    f"The parameter NumSamples of {', '.join(c.columns)} is not support to be set!"
                )
                raise complain(ValueError, said)
            if c.batch_size is not None:
                said = "The parameter of concat must not be BatchDataset or PaddedBatchDataset!"
                raise complain(TypeError, said)


def _in_order(node):
    """A source without its shuffle: processes that shuffled apart would take rows twice, and leave others."""
    sampler = getattr(node, "sampler", None)
    if not isinstance(sampler, RandomSampler) or sampler.replacement:
        return node
    node = copy.copy(node)
    node.sampler = SequentialSampler()
    node.__dict__.pop("_first", None)
    return node


class ZipNode(Operation):
    """Rows of several nodes side by side, until the shortest ends."""

    def __init__(self, children):
        self.children = tuple(children)
        self.columns = tuple(c for child in children for c in child.columns)
        double = {c for c in self.columns if self.columns.count(c) > 1}
        if double:
            raise DatasetError(
                f"Invalid data, duplicate column {', '.join(sorted(double))} already exists when "
                "zipping datasets. Rename it in one of them."
            )
        self.batch_size, self.repeats = children[0].batch_size, children[0].repeats

    def rows(self, run):
        for parts in zip(*(c.rows(run) for c in self.children)):
            yield tuple(itertools.chain.from_iterable(parts))

    def size(self):
        return min(c.size() for c in self.children)
