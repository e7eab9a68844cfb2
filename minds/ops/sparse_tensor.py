"""Sparse tensors: `COOTensor` by coordinates, `CSRTensor` by rows, `RowTensor` of some slices; and the
functions on them.
"""

from __future__ import annotations

from . import sparse_coo, sparse_csr, sparse_csr_forms
from .faces import offered
from .functional import public_of
from .sparse_base import RowTensor, RowTensorInner, expect_kind
from .sparse_coo import COOTensor, SparseTensor
from .sparse_csr import CSRTensor

_EACH = """`ops.{name}` of each stored element.

Args:
    x ({kind}): the operand.

Returns:
    {kind}: of the same shape.

Raises:
    TypeError: ``x`` is not a {kind}.

Examples:
    >>> x = ops.dense_to_sparse_{prefix}(Tensor([[0.0, 1.0], [0.5, 0.0]]))
    >>> ops.{prefix}_{name}(x).shape
    (2, 2)
"""


def _each(prefix: str, name: str, function):
    kind = COOTensor if prefix == "coo" else CSRTensor

    def apply(x):
        expect_kind(f"{prefix}_{name}: x", x, kind)
        return x.with_values(function(x.values))

    apply.__name__ = apply.__qualname__ = f"{prefix}_{name}"
    apply.__doc__ = _EACH.format(prefix=prefix, name=name, kind=kind.__name__)
    return apply


ELEMENTWISE = {
    f"{prefix}_{name}": _each(prefix, name, f.target)
    for prefix in ("coo", "csr")
    for name, f in offered("sparse").items()
}
NAMES = ELEMENTWISE | dict(
    pair for module in (sparse_coo, sparse_csr, sparse_csr_forms) for pair in public_of(module)
)
"""The functions, which are among `ops`."""

globals().update(NAMES)
__all__ = ["COOTensor", "CSRTensor", "RowTensor", "RowTensorInner", "SparseTensor", *NAMES]
