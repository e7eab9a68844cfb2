"""Resizing images and volumes: each dimension apart, as a product with the matrix of its
weights.
"""

from __future__ import annotations

import math

from ...base.errors import expect
from ..faces import face
from .sampling import through, weights_of

_RANK = {"linear": 3, "bilinear": 4, "trilinear": 5, "bicubic": 4}


@face(mint="nn.functional.interpolate nn.Upsample")
def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    *,
    sizes=None,
):
    """Signals, images or volumes in another size.

    Args:
        input (Tensor[(N, C, ...), float]): what to resize.
        size (int, tuple[int]): the new sizes. Default: from ``scale_factor``.
        scale_factor (float, tuple[float]): how many times larger each dimension becomes. Default:
            None.
        mode (str): ``"nearest"``, ``"nearest-exact"``, ``"linear"``, ``"bilinear"``,
            ``"trilinear"``, ``"bicubic"`` or ``"area"``. Default: ``"nearest"``.
        align_corners (bool): corners keep their values. Default: False.
        recompute_scale_factor (bool): take the scale from the sizes, which are whole. Default:
            False.
        sizes (tuple[int]): the name of ``size`` in older versions of MindSpore.

    Returns:
        ``Tensor[(N, C, *size)]``: of the same dtype.

    Raises:
        ValueError: none or both of ``size`` and ``scale_factor`` are given, or ``mode`` does not
            fit the rank.

    Examples:
        >>> print(ops.interpolate(Tensor([[[1.0, 3.0]]]), size=4))
        [[[1. 1. 3. 3.]]]
    """
    rank, size = len(input.shape), sizes if size is None else size
    expect(
        mode in (*_RANK, "nearest", "nearest-exact", "area"),
        "mode",
        "one of the seven modes",
        got=repr(mode),
    )
    expect(
        rank >= 3 and _RANK.get(mode, rank) == rank,
        "mode",
        f"one for a tensor of rank {rank}",
        got=repr(mode),
    )
    expect(
        (size is None) != (scale_factor is None), "size and scale_factor", "given one, and not both"
    )
    old = input.shape[2:]
    if size is not None:
        sizes = (size,) * len(old) if isinstance(size, int) else tuple(size)
        scales = (None,) * len(old)
    else:
        scales = (
            (scale_factor,) * len(old)
            if isinstance(scale_factor, (int, float))
            else tuple(scale_factor)
        )
        sizes = tuple(math.floor(n * s) for n, s in zip(old, scales, strict=True))
        scales = (None,) * len(old) if recompute_scale_factor else scales
    expect(len(sizes) == len(old), "size", f"of {len(old)} numbers", got=sizes)
    return through(
        input,
        [
            None if n == m and not s else weights_of(n, m, mode, s, bool(align_corners))
            for n, m, s in zip(old, sizes, scales, strict=True)
        ],
    )


def upsample(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
):
    """See `interpolate`.

    Args:
        input (Tensor[(N, C, ...), float]): the images.
        size (tuple[int]): the new sizes. Default: None.
        scale_factor (float, tuple[float]): the factors, instead of sizes. Default: None.
        mode (str): how to interpolate. Default: "nearest".
        align_corners (bool): corners keep their places. Default: None.
        recompute_scale_factor (bool): take factors from the sizes. Default: None.

    Returns:
        Tensor: of the new sizes.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> print(ops.upsample(Tensor([[[1.0, 3.0]]]), scale_factor=2.0))
        [[[1. 1. 3. 3.]]]
    """
    return interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)
