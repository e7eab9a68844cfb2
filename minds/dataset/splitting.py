"""`Dataset.split`: parts of the data that share no row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..base.errors import complain
from . import config, nodes
from .arguments import check_type
from .handle import DatasetHandle
from .orders import Draws
from .pipeline import DatasetError, Operation, start
from .samplers import RandomSampler
from .sources import ChosenNode

if TYPE_CHECKING:
    from .datasets import Dataset


class Splitting(DatasetHandle):
    """The method of `Dataset` that cuts it into parts."""

    _part_of = "Dataset"

    def split(self, sizes, randomize: bool = True) -> list[Dataset]:
        """Cut the data into parts that share no row.

        Args:
            sizes (list[int], list[float]): the rows of each part, or its fraction; they sum to all
                rows, or to 1.
            randomize (bool): whether the rows are dealt at random. The parts are fixed when they
                are made: every epoch of a part gives the same rows in the same order. Default:
                True.

        Returns:
            list[Dataset]: one per size.

        Raises:
            TypeError: ``sizes`` is no list, or ``randomize`` no bool.
            ValueError: ``sizes`` are not all ints or all floats, one is out of range, or fractions do
                not sum to 1.
            RuntimeError: the sizes do not sum to the number of rows, a part would be empty, or a source gives
                this process a share of the rows.

        Examples:
            >>> import minds.dataset as ds
            >>> a, b = ds.NumpySlicesDataset([1, 2, 3, 4], shuffle=False).split([3, 1], randomize=False)
            >>> [int(x) for x, in a], [int(x) for x, in b]
            ([1, 2, 3], [4])
        """
        check_type("randomize", randomize, (bool,))
        if self.is_sharded():
            raise DatasetError("Dataset should not be sharded before split.")
        total = self.get_dataset_size()
        counts = _part_sizes(sizes, total)
        seed = config.explicit_seed()
        draws = Draws(int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed)
        ends = np.cumsum(counts)
        view = self._node.view()
        if view is not None:
            order = (
                np.arange(total)
                if _is_permuted(self._node) and not randomize
                else view.order(start(self._node, config.get_seed(), True))
            )
            order = draws.permutation(order) if randomize else order
            return [
                self._over(ChosenNode(self._node, order[e - c : e])) for c, e in zip(counts, ends)
            ]
        node = self._node
        if randomize:
            node = nodes.ShuffleNode(node, max(total, 1), draws.seed)
        return [self._over(nodes.SliceNode(node, int(e - c), int(e))) for c, e in zip(counts, ends)]


def _is_permuted(node: Operation) -> bool:
    """Whether a node is a source whose sampler only permutes all its rows."""
    sampler = getattr(node, "sampler", None)
    return (
        isinstance(sampler, RandomSampler)
        and not isinstance(node, ChosenNode)
        and not sampler.replacement
        and node.size() == node.length
    )


def _part_sizes(sizes, total: int) -> list[int]:
    """The rows of each part of a split."""
    if not isinstance(sizes, tuple):
        check_type("sizes", sizes, (list,))
    if not sizes:
        raise complain(ValueError, "sizes cannot be empty.")
    if all(isinstance(s, (int, np.integer)) and not isinstance(s, bool) for s in sizes):
        counts = [int(s) for s in sizes]
        if min(counts) < 1:
            said = "sizes is a list of int, but there should be no negative or zero numbers."
            raise complain(ValueError, said)
        if sum(counts) != total:
            said = f"Sum of split sizes {sum(counts)} is not equal to dataset size {total}."
            raise DatasetError(said)
        return counts
    if not all(isinstance(s, (float, np.floating)) for s in sizes):
        raise complain(ValueError, f"sizes should be list of int or list of float. Got {sizes!r}")
    if not all(0 < s <= 1 for s in sizes):
        said = "sizes is a list of float, but there should be no numbers outside the range (0, 1]."
        raise complain(ValueError, said)
    if abs(sum(sizes) - 1) > 1e-9:
        said = "sizes is a list of float, but the percentages do not sum up to 1."
        raise complain(ValueError, f"{said} They sum to {sum(sizes)}.")
    counts = [round(s * total) for s in sizes]
    counts[0] += total - sum(counts)
    if min(counts) < 1:
        raise DatasetError(
            f"Split percentage {min(sizes)} is too small. There are {total} rows for {sizes!r}: a part "
            "would be empty."
        )
    return counts
