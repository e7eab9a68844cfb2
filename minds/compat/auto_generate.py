"""MindSpore's generated spellings of ops: functions and classes by name, ``name_op`` and
``name_view`` for ``name``.

A name is looked up among the public functions, the primitives and the classes; a suffix says how
MindSpore calls its kernel: ``abs_op`` is ``abs``, ``transpose_view`` a ``transpose``; ``gather_ext``
takes torch's parameters, as that of `mint`; ``add_scalar`` and ``inplace_add`` are kinds of ``add``.
A class such as ``SumExt`` makes primitives that call the function ``sum_ext``.
"""

from __future__ import annotations

import inspect
import re

from .. import mint
from ..ops import functional, operations
from ..ops.define import P
from ..ops.operations import _grad_ops, derive
from ..scipy.linalg import lstsq
from ..tensor import Tensor
from ..transforms.vjp import vjp

arg_max_with_value_, arg_min_with_value_ = (
    operations.ArgMaxWithValue(),
    operations.ArgMinWithValue(),
)
_SUFFIXES = ("_op", "_impl", "_view", "_ext")


def slice_ext(input, dim, start, end, step):
    """Elements ``start``, ``start + step``, … before ``end`` of a dimension.

    Args:
        input (Tensor): the operand.
        dim (int): the dimension.
        start, end (int): the bounds; negative ones count from the end.
        step (int): the distance, positive.

    Examples:
        >>> print(ops.auto_generate.slice_ext(Tensor([1, 2, 3, 4]), 0, 1, 4, 2))
        [2 4]
    """
    index = [slice(None)] * len(input.shape)
    index[dim] = slice(start, end, step)
    return input[tuple(index)]


def softmax_ext(input, dim=None, dtype=None):
    """The softmax along a dimension.

    Args:
        input (Tensor): the operand.
        dim (int): the dimension. Default: 0 where the rank is 0, 1 or 3, else 1.
        dtype (DType): the dtype to compute in. Default: that of ``input``.

    Examples:
        >>> print(ops.auto_generate.softmax_ext(Tensor([[0.0, 0.0]])))
        [[0.5 0.5]]
    """
    if dim is None:
        dim = 0 if len(input.shape) in (0, 1, 3) else 1
    return mint.nn.functional.softmax(input, dim, dtype=dtype)


def split_with_size(input, split_sizes, dim=0):
    """Pieces of given sizes.

    Args:
        input (Tensor): the operand.
        split_sizes (tuple[int]): the size of each piece.
        dim (int): the dimension. Default: 0.

    Examples:
        >>> print(ops.auto_generate.split_with_size(Tensor([1, 2, 3]), (1, 2))[1])
        [2 3]
    """
    return mint.split(input, tuple(split_sizes), dim)


def lstsq_v2_grad_op(gX, A, B):
    """The gradients of the least squares solutions of A X = B.

    Args:
        gX (Tensor[(..., N, K), float]): the gradient of X.
        A (Tensor[(..., M, N), float]): the matrices.
        B (Tensor[(..., M, K), float]): the right sides.

    Returns:
        tuple[Tensor]: by ``A`` and by ``B``.

    Examples:
        >>> g = ops.auto_generate.lstsq_v2_grad_op(Tensor([[1.0]]), Tensor([[2.0]]), Tensor([[4.0]]))
        >>> print(g[0], g[1])
        [[-1.]] [[0.5]]
    """
    return vjp(lambda a, b: lstsq(a, b)[0], A, B)[1](gX)


def max_dim(input, dim, keepdim=False):
    """The maximum along a dimension and its place.

    Args:
        input (Tensor): the operand.
        dim (int): the dimension.
        keepdim (bool): whether the dimension stays, with size 1. Default: False.

    Examples:
        >>> value, place = ops.auto_generate.MaxDim()(Tensor([0.5, 2.0]), 0, False)
        >>> print(value, place)
        2.0 1
    """
    return mint.max(input, dim, keepdim)


def min_dim(input, dim, keepdim=False):
    """The minimum along a dimension and its place; parameters as of ``max_dim``.

    Examples:
        >>> value, place = ops.auto_generate.MinDim()(Tensor([0.5, 2.0]), 0, True)
        >>> print(value, place)
        [0.5] [0]
    """
    return mint.min(input, dim, keepdim)


def upsample_nearest1d(input, output_size=None, scales=None):
    """Each element repeated, along the last dimension.

    Args:
        input (Tensor[(N, C, W)]): the operand.
        output_size (tuple[int], optional): the new size. Default: None.
        scales (tuple[float], optional): how many times the size, in place of it. Default: None.

    Examples:
        >>> print(ops.auto_generate.UpsampleNearest1D()(Tensor([[[1.0, 2.0]]]), [4], None))
        [[[1. 1. 2. 2.]]]
    """
    size, scales = (None if v is None else tuple(v) for v in (output_size, scales))
    return functional.interpolate(input, size, scales, "nearest")


upsample_nearest2d = upsample_nearest1d  # the rank of the operand says along which dimensions


_KINDS = ("_scalar_tensor", "_tensor_scalar", "_scalar", "_tensor", "s")
"""What MindSpore adds to the name of an op that it has for operands of several kinds."""


def _of_stem(stem: str):
    """The function of a name: an op's, or ``x.abs_`` of ``inplace_abs``."""
    found = globals().get(stem) or functional.NAMES.get(stem) or getattr(P, stem, None)
    if found is None and stem.startswith("inplace_"):
        found = getattr(Tensor, stem.removeprefix("inplace_") + "_", None)
    if found is None and stem.startswith("new_"):
        found = getattr(Tensor, stem, None)
    return found


def _function(name: str):
    stem = name
    while True:
        found = _of_stem(stem)
        if callable(found):
            return found
        suffix = next((s for s in _SUFFIXES if stem.endswith(s)), None)
        if suffix is None:
            break
        stem = stem.removesuffix(suffix)
        if suffix == "_ext" and hasattr(mint, stem):
            return _positional(getattr(mint, stem))
    kinds = [stem.removesuffix(k) for k in _KINDS if stem.endswith(k)]
    return next((fn for stem in kinds if callable(fn := _of_stem(stem))), None)


def _snake(name: str) -> str:
    """``SumExt`` as ``sum_ext``, ``FFT2`` as ``fft2``, ``UpsampleNearest1D`` as ``upsample_nearest1d``."""
    name = re.sub(r"(?<=[0-9])D$", "d", name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _positional(fn):
    """``fn`` with its keyword-only parameters after the others, as primitives take them."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return fn
    only = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    if not only or any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return fn
    count = len(parameters) - len(only)

    def call(*args, **kwargs):
        return fn(*args[:count], **dict(zip(only, args[count:])), **kwargs)

    return call


def _primitive(name: str):
    """The class of primitives of a name: one of `operations`, or of the function ``sum_ext`` for
    ``SumExt``.
    """
    for module in (operations, _grad_ops):
        found = getattr(module, name, None)
        if found is not None:
            return found
    fn = _function(_snake(name)) or _function(name.lower())
    if fn is None:
        return None
    call = _positional(fn)
    return derive(name, lambda: call, fn.__doc__)


def __getattr__(name: str):
    found = None
    if not name.startswith("__"):
        found = _primitive(name) if name[0].isupper() else _function(name)
        if found is None and not name.startswith("_"):
            found = getattr(operations, name, None)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found
