"""What a pipeline says of itself: its columns, its size, its shapes and classes."""

from __future__ import annotations

import numpy as np

from .arguments import check_type
from .handle import DatasetHandle, whole
from .pipeline import DatasetError, Operation, start
from .sync import nodes_of


def _sampler(node: Operation):
    return getattr(node, "sampler", None) or getattr(node, "joint", None)


def _shuffles(node: Operation) -> bool:
    sampler = _sampler(node)
    return bool(
        getattr(sampler, "shuffles", False)
        or getattr(node, "shuffle", None)
        or hasattr(node, "buffer_size")
    )


def _shares(node: Operation) -> bool:
    count = getattr(_sampler(node), "num_shards", 1)
    return count > 1 or bool(getattr(node, "share", None))


class Facts(DatasetHandle):
    """The methods of `Dataset` that say what a pipeline is."""

    _part_of = "Dataset"

    def get_col_names(self) -> list[str]:
        """The names of the columns.

        Returns:
            list[str]: in the order of a row's values.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset({"x": [1, 2], "y": [3, 4]}).get_col_names()
            ['x', 'y']
        """
        return list(self._node.columns)

    def get_dataset_size(self) -> int:
        """The rows (or batches) of one epoch. Where only running can tell, the pipeline is run
        once.

        Returns:
            int: the number.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2, 3, 4, 5]).batch(2).get_dataset_size()
            3
        """
        self._size = self._node.size()
        return self._size

    __len__ = get_dataset_size

    @property
    def dataset_size(self) -> int | None:
        """What `get_dataset_size` has found, or None: trainers ask for it.

        Examples:
            >>> import minds.dataset as ds
            >>> rows = ds.NumpySlicesDataset([1, 2, 3])
            >>> rows.dataset_size, rows.get_dataset_size(), rows.dataset_size
            (None, 3, 3)
        """
        return vars(self).get("_size")

    def get_batch_size(self) -> int:
        """The batch size, or 1 if the rows are not batched.

        Returns:
            int: rows per batch; -1 where a function says how many.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2, 3, 4, 5]).batch(2).get_batch_size()
            2
        """
        return self._node.batch_size or 1

    @property
    def num_parallel_workers(self) -> int:
        """How many threads or processes the last operation has.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2]).map(lambda x: x, num_parallel_workers=2).num_parallel_workers
            2
        """
        return self._node.workers

    def is_shuffled(self) -> bool:
        """Whether a source or an operation shuffles the rows.

        Returns:
            bool: whether one does.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2], shuffle=False).shuffle(2).is_shuffled()
            True
        """
        return any(_shuffles(n) for n in nodes_of(self._node))

    def is_sharded(self) -> bool:
        """Whether a source gives this process a share of the rows.

        Returns:
            bool: whether one does.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2], num_shards=2, shard_id=0).is_sharded()
            True
        """
        return any(map(_shares, nodes_of(self._node)))

    @property
    def input_indexs(self) -> tuple:
        """Which columns a network takes, as MindSpore's sink mode asks; always all: ``()``.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2]).input_indexs
            ()
        """
        return ()

    def get_repeat_count(self) -> int:
        """How often the last `repeat` gives the data; -1 for without end.

        Returns:
            int: its count; 1 if there is none.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2]).repeat(3).get_repeat_count()
            3
        """
        return self._node.repeats

    def output_shapes(self, estimate: bool = False) -> list[list[int]]:
        """The shapes of the columns of the first row, whether or not they depend on the row.

        Args:
            estimate (bool): whether all rows are looked at: None stands for what differs among them.
                Default: False.

        Returns:
            list[list[int]]: one per column; empty for numbers.

        Raises:
            RuntimeError: with ``estimate``, rows have different numbers of dimensions.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([[1, 2], [3, 4]]).batch(2).output_shapes()
            [[2, 2]]
        """
        check_type("estimate", estimate, (bool,))
        if not estimate:
            return [list(getattr(v, "shape", ())) for v in self._node.first() or ()]
        shapes: list[list] = []
        for row in self._node.rows(start(self._node, 0, True)):
            found = [list(getattr(v, "shape", ())) for v in row]
            if [len(s) for s in shapes or found] != [len(s) for s in found]:
                raise DatasetError(
                    "Inconsistent shapes, expect same shape for each data row: output_shapes found rows of "
                    f"shapes {shapes} and {found}"
                )
            pairs = [zip(s, f) for s, f in zip(shapes or found, found)]
            shapes = [[a if a == b else None for a, b in pair] for pair in pairs]
        return shapes

    def output_types(self) -> list:
        """The NumPy dtypes of the columns of the first row.

        Returns:
            list[numpy.dtype]: one per column.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1.0, 2.0]).output_types()
            [dtype('float64')]
        """
        types = [
            v.dtype if hasattr(v, "dtype") else np.dtype(object) for v in self._node.first() or ()
        ]
        return [np.dtype(t.kind) if t.kind in "US" else t for t in types]

    def _source(self) -> Operation:
        node = self._node
        while node.children:
            node = node.children[0]
        return node

    def get_class_indexing(self) -> dict:
        """The classes of the source, where it has names for them.

        Returns:
            dict: name → number; for COCO a list of the number, and whether it is a thing.

        Examples:
            >>> import minds.dataset as ds
            >>> import os, tempfile
            >>> folder = tempfile.mkdtemp()
            >>> os.mkdir(os.path.join(folder, "cat"))
            >>> open(os.path.join(folder, "cat", "1.bin"), "wb").close()
            >>> ds.ImageFolderDataset(folder).get_class_indexing()
            {'cat': 0}
        """
        return dict(getattr(self._source(), "classes", {}))

    def num_classes(self) -> int | None:
        """The number of classes of the source, where it has names for them.

        Returns:
            int: the number, or None.

        Examples:
            >>> import minds.dataset as ds
            >>> import os, tempfile
            >>> folder = tempfile.mkdtemp()
            >>> os.mkdir(os.path.join(folder, "cat"))
            >>> open(os.path.join(folder, "cat", "1.bin"), "wb").close()
            >>> ds.ImageFolderDataset(folder).num_classes()
            1
        """
        return len(self.get_class_indexing()) or None

    def get_init_step(self) -> int:
        """The step that training resumes at.

        Returns:
            int: what `set_init_step` set. Default 0.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2]).get_init_step()
            0
        """
        return self._init_step

    def set_init_step(self, init_step: int) -> None:
        """Set the step that training resumes at: iterators leave out what comes before it.

        Args:
            init_step (int): rows of this dataset, over epochs, at least 0.

        Raises:
            TypeError: ``init_step`` is no int.
            ValueError: it is negative.

        Examples:
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset([1, 2])
            >>> d.set_init_step(1)
            >>> d.get_init_step()
            1
        """
        self._init_step = whole("init_step", init_step, 0)
