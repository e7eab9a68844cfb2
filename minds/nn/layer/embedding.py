"""Embedding tables."""

from __future__ import annotations

import numpy as np

from ... import ops
from ...base import dtype as dt
from ...base.late import all_of, late
from ...common.initializer import initializer
from ...ops.define import P
from ...tensor import Parameter, Tensor
from ..cell import Cell
from . import checks


class Embedding(Cell):
    """Looks up rows of a table.

    Args:
        vocab_size (int): rows of the table.
        embedding_size (int): size of a row.
        use_one_hot (bool): multiply by one-hot vectors instead of gathering. Default False.
        embedding_table (Tensor, str, Initializer, number): first values. Default ``normal``.
        dtype (dtype): of the table. Default float32.
        padding_idx (int): a row that starts at zero. Default None.

    Inputs:
        - **ids** (Tensor[(...), int]) - indices of rows.

    Outputs:
        Tensor[(..., embedding_size)].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.Embedding(3, 2, embedding_table=ms.Tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]))
        >>> net(ms.Tensor([2, 0])).asnumpy().tolist()
        [[4.0, 5.0], [0.0, 1.0]]
    """

    def __init__(
        self,
        vocab_size,
        embedding_size,
        use_one_hot=False,
        embedding_table="normal",
        dtype=dt.float32,
        padding_idx=None,
    ):
        super().__init__()
        self.vocab_size = checks.positive_int("Embedding", "vocab_size", vocab_size)
        self.embedding_size = checks.positive_int("Embedding", "embedding_size", embedding_size)
        self.use_one_hot = checks.boolean("Embedding", "use_one_hot", use_one_hot)
        self.dtype, self.padding_idx = dtype, padding_idx
        table = initializer(embedding_table, [vocab_size, embedding_size], dtype)
        if padding_idx is not None:
            checks.number_in("Embedding", "padding_idx", padding_idx, 0, vocab_size, "[)")
            values = np.array(table.asnumpy())
            values[padding_idx] = 0
            table = Tensor(values, dtype)
        self.embedding_table = Parameter(table, name="embedding_table")

    def construct(self, ids):
        if self.use_one_hot:
            rows = ops.one_hot(ops.reshape(ids, (-1,)), self.vocab_size, 1, 0, -1)
            out = P.matmul(ops.cast(rows, self.embedding_table.dtype), self.embedding_table)
            return ops.reshape(out, ids.shape + (self.embedding_size,))
        return P.gather(self.embedding_table, ids, 0)

    def extend_repr(self):
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, "
            f"use_one_hot={self.use_one_hot}, embedding_table={self.embedding_table}, "
            f"dtype={self.dtype}, padding_idx={self.padding_idx}"
        )


_SLICES = ("batch_slice", "field_slice", "table_row_slice", "table_column_slice")


class EmbeddingLookup(Cell):
    """`Embedding` under an older interface.

    Args:
        vocab_size (int), embedding_size (int): shape of the table.
        param_init (Tensor, str, Initializer, number): first values. Default ``normal``.
        target (str), slice_mode (str): where MindSpore keeps the table, ``CPU`` or ``DEVICE``, and
            how it shares it among devices; without effect.
        manual_shapes (tuple), sparse (bool): for several devices; without effect.
        max_norm (float): rows are scaled down to this Euclidean norm. Default None.
        dtype (dtype): of the table. Default float32.

    Inputs:
        - **indices** (Tensor[(...), int])

    Outputs:
        Tensor[(..., embedding_size)].

    Raises:
        TypeError: a size is no int.
        ValueError: a size is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.EmbeddingLookup(4, 2)(ms.Tensor([[1, 0], [3, 2]])).shape
        (2, 2, 2)
    """

    def __init__(
        self,
        vocab_size,
        embedding_size,
        param_init="normal",
        target="CPU",
        slice_mode="batch_slice",
        manual_shapes=None,
        max_norm=None,
        sparse=True,
        dtype=dt.float32,
    ):
        super().__init__()
        self.vocab_size = checks.positive_int("EmbeddingLookup", "vocab_size", vocab_size)
        self.embedding_size = checks.positive_int(
            "EmbeddingLookup", "embedding_size", embedding_size
        )
        self.target = checks.one_of("EmbeddingLookup", "target", target, ("CPU", "DEVICE"))
        checks.one_of("EmbeddingLookup", "slice_mode", slice_mode, _SLICES)
        checks.boolean("EmbeddingLookup", "sparse", sparse)
        if max_norm is not None:
            checks.any_number("EmbeddingLookup", "max_norm", max_norm)
        self.max_norm = max_norm
        self.embedding_table = Parameter(
            initializer(param_init, [vocab_size, embedding_size], dtype), name="embedding_table"
        )

    def construct(self, indices):
        out = P.gather(self.embedding_table, indices, 0)
        if self.max_norm is None:
            return out
        norm = ops.sqrt(ops.sum(out * out, -1, True))
        return out * (self.max_norm / ops.maximum(norm, self.max_norm))


class MultiFieldEmbeddingLookup(EmbeddingLookup):
    """`EmbeddingLookup` of weighted indices, whose rows are merged by field: features of one or of
    several values side by side.

    Args:
        vocab_size (int), embedding_size (int): shape of the table.
        field_size (int): how many fields there are.
        param_init (Tensor, str, Initializer, number): first values. Default ``normal``.
        target (str), slice_mode (str): where MindSpore keeps the table, ``CPU`` or ``DEVICE``, and
            how it shares it among devices; without effect.
        feature_num_list (tuple), sparse (bool): for several devices; without effect.
        max_norm (float): rows are scaled down to this Euclidean norm. Default None.
        operator (str): how the rows of a field are merged: ``SUM``, ``MEAN``, by the sum of the
            weights' absolute values, or ``MAX`` of those whose weight is not 0. Default ``SUM``.
        dtype (dtype): of the table. Default float32.

    Inputs:
        - **input_indices** (Tensor[(N, L), int32 | int64]), **input_values** (Tensor[(N, L), float32]) -
          rows of the table and their weights.
        - **field_ids** (Tensor[(N, L), int32 | int64]) - to which field each belongs.

    Outputs:
        Tensor[(N, field_size, embedding_size)], 0 where a field has nothing.

    Raises:
        TypeError: a size is no int, or an input has another dtype.
        ValueError: a size is not positive, ``operator`` is another, or an input is not of rank 2.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.MultiFieldEmbeddingLookup(4, 1, 2, param_init="ones")
        >>> x, weights = ms.Tensor([[1, 2, 3]]), ms.Tensor([[1.0, 2.0, 0.5]])
        >>> print(net(x, weights, ms.Tensor([[0, 0, 1]]))[0])
        [[3. ]
         [0.5]]
    """

    def __init__(
        self,
        vocab_size,
        embedding_size,
        field_size,
        param_init="normal",
        target="CPU",
        slice_mode="batch_slice",
        feature_num_list=None,
        max_norm=None,
        sparse=True,
        operator="SUM",
        dtype=dt.float32,
    ):
        super().__init__(
            vocab_size,
            embedding_size,
            param_init,
            target,
            slice_mode,
            feature_num_list,
            max_norm,
            sparse,
            dtype,
        )
        name = "MultiFieldEmbeddingLookup"
        self.field_size = checks.positive_int(name, "field_size", field_size)
        self.operator = checks.one_of(name, "operator", operator, ("SUM", "MEAN", "MAX"))

    def construct(self, input_indices, input_values, field_ids):
        for given in (input_indices, input_values, field_ids):
            if given.ndim != 2:
                checks.refuse_rank(self.cls_name, given, (2,))
        checks.tensor_of(self.cls_name, "input_indices", input_indices, (dt.int32, dt.int64))
        checks.tensor_of(self.cls_name, "input_values", input_values, (dt.float32,))
        checks.tensor_of(self.cls_name, "field_ids", field_ids, (dt.int32, dt.int64))
        rows = super().construct(input_indices) * ops.expand_dims(input_values, -1)
        fields = ops.arange(self.field_size)
        # (N, fields, L): which elements a field has.
        has = ops.equal(ops.expand_dims(field_ids, 1), ops.reshape(fields, (1, -1, 1)))
        if self.operator == "MAX":
            has = ops.logical_and(has, ops.expand_dims(input_values, 1) != 0)
            least = float("-inf")
            seen = ops.select(ops.expand_dims(has, -1), ops.expand_dims(rows, 1), least)
            return ops.select(has.any(-1, True), ops.amax(seen, 2), 0.0)
        weights = ops.cast(has, rows.dtype)
        total = ops.matmul(weights, rows)
        if self.operator == "SUM":
            return total
        size = ops.matmul(weights, ops.expand_dims(ops.abs(input_values), -1))
        return ops.select(size != 0, total / ops.select(size != 0, size, 1.0), 0.0)


__all__ = ["Embedding", "EmbeddingLookup", "MultiFieldEmbeddingLookup"]

# MindSpore has other layers here too.
__getattr__, __dir__ = late(__name__, {}, (), all_of("nn"))
