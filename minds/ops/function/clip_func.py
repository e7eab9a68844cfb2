"""Limiting values and norms."""

from __future__ import annotations

import math

from ...base.errors import expect
from ..define import P
from ..faces import face
from ..repeated import repeated
from .common import is_tensor, like, wide
from .elsewhere import elsewhere
from .math_func import addn

_KINDS = "buifc"
"""The kinds of dtypes, each beside those that it holds."""


@face(method=True, mint="clamp nn.functional.clamp")
@repeated
def clamp(input, min=None, max=None):
    """``input`` limited to [``min``, ``max``]. The gradient is 1 on the limits and 0 beyond.

    Args:
        input (Tensor): the operand.
        min (Tensor | number): the lower limit, or None. Default: None.
        max (Tensor | number): the upper limit, or None. Default: None.

    Returns:
        Tensor: of the same shape and dtype; of integers with floating point limits floating point.

    Raises:
        ValueError: both limits are None.

    Examples:
        >>> print(ops.clamp(Tensor([-1.0, 0.5, 2.0]), 0, 1))
        [0.  0.5 1. ]
    """
    expect(min is not None or max is not None, "min or max", "given")
    x = input
    if min is not None:
        x = P.select(P.less(x, min), _limit(min, input), x)
    if max is not None:
        x = P.select(P.greater(x, max), _limit(max, input), x)
    return x


def _limit(value, x):
    """A limit in the dtype of ``x``, unless that is of a lesser kind and would cut it."""
    if not is_tensor(value) or _KINDS.index(value.dtype.kind) > _KINDS.index(x.dtype.kind):
        return value
    return P.cast(value, x.dtype)


@face(method=True, mint=True)
def clip(input, min=None, max=None):
    """``input`` limited to [``min``, ``max``]. See `clamp`.

    Args:
        input (Tensor): the operand.
        min (number, Tensor): the lower bound. Default: None, which is none.
        max (number, Tensor): the upper bound. Default: None.

    Returns:
        Tensor: of the shape of ``input``.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.clip(Tensor([-1.0, 0.5, 2.0]), 0, 1))
        [0.  0.5 1. ]
    """
    return clamp(input, min, max)


def clip_by_value(x, clip_value_min=None, clip_value_max=None):
    """``x`` (or each tensor of a sequence) limited to a range; all is the upper limit where that is below
    the lower one. Values on a limit pass half of the gradient.

    Args:
        x (Tensor, tuple[Tensor], list[Tensor]): the operand.
        clip_value_min (Tensor | number): the lower limit, or None. Default: None.
        clip_value_max (Tensor | number): the upper limit, or None. Default: None.

    Returns:
        Tensor: of the shape and dtype of ``x``; a tuple of such for a sequence.

    Raises:
        ValueError: both limits are None.

    Examples:
        >>> print(ops.clip_by_value(Tensor([-1.0, 0.5, 2.0]), 0, 1))
        [0.  0.5 1. ]
    """
    expect(
        clip_value_min is not None or clip_value_max is not None,
        "clip_value_min or clip_value_max",
        "given",
    )
    if isinstance(x, (tuple, list)):
        return tuple([clip_by_value(t, clip_value_min, clip_value_max) for t in x])
    found = x
    if clip_value_min is not None:
        found = P.maximum(found, _limit(clip_value_min, x))
    if clip_value_max is not None:
        found = P.minimum(found, _limit(clip_value_max, x))
    return found if found.dtype is x.dtype else P.cast(found, x.dtype)


def _total_norm(tensors, power: float):
    """The ``power``-norm of all elements of several tensors together."""
    if power == math.inf:
        norms = [P.amax(P.abs(wide(t))) for t in tensors]
        total = norms[0]
        for n in norms[1:]:
            total = P.maximum(total, n)
        return total
    total = addn(
        [P.sum(P.square(wide(t)) if power == 2 else P.pow(P.abs(wide(t)), power)) for t in tensors]
    )
    return P.sqrt(total) if power == 2 else P.pow(total, 1 / power)


def clip_by_norm(x, max_norm, norm_type=2.0, error_if_nonfinite=False):
    r"""Scale tensors down so that their norm, taken together, does not exceed ``max_norm``.

    Args:
        x (Tensor, tuple[Tensor], list[Tensor]): what is scaled.
        max_norm (float): the largest norm.
        norm_type (float): the order of the norm. Default: 2.0.
        error_if_nonfinite (bool): raise where the norm is nan or infinite (PyNative mode only).
            Default: False.

    Returns:
        like ``x``: scaled by :math:`\min(1, max\_norm / (norm + 10^{-6}))`.

    Raises:
        TypeError: ``max_norm`` has a wrong type.

    Examples:
        >>> print(ops.clip_by_norm(Tensor([3.0, 4.0]), 10.0))
        [3. 4.]
    """
    many = isinstance(x, (tuple, list))
    tensors = list(x) if many else [x]
    norm = _total_norm(tensors, float(norm_type))
    if error_if_nonfinite:
        expect(math.isfinite(float(norm)), "the norm of x", "finite", got=float(norm))
    scale = P.minimum(max_norm / (norm + 1e-6), 1.0)
    scaled = [like(t * scale, t) for t in tensors]
    return type(x)(scaled) if many else scaled[0]


def clip_by_global_norm(x, clip_norm=1.0, use_norm=None):
    r"""Scale tensors down so that their common 2-norm does not exceed ``clip_norm``.

    Args:
        x (Tensor, tuple[Tensor], list[Tensor]): what is scaled.
        clip_norm (float): the largest norm. Default: 1.0.
        use_norm (None): as in MindSpore, must be None.

    Returns:
        like ``x``: each times :math:`clip\_norm / \max(norm, clip\_norm)`.

    Raises:
        ValueError: ``use_norm`` is given.

    Examples:
        >>> print(ops.clip_by_global_norm((Tensor([3.0]), Tensor([4.0])), 10.0)[0])
        [3.]
    """
    expect(use_norm is None, "use_norm", "None", got=use_norm)
    if is_tensor(x):
        return clip_by_global_norm((x,), clip_norm)[0]
    norm = _total_norm(list(x), 2.0)
    limit = clip_norm if is_tensor(clip_norm) else float(clip_norm)
    scale = limit / P.maximum(norm, limit)
    return type(x)([like(t * scale, t) for t in x])


# MindSpore has other functions here too.
__getattr__, __dir__ = elsewhere(__name__)
