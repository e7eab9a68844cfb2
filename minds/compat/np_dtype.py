"""`common.np_dtype`: NumPy's types of tensors whose own types NumPy does not have."""

from __future__ import annotations

import numpy as np

bfloat16 = np.dtype(np.float32)
"""What `Tensor.asnumpy` gives of a bfloat16 tensor: float32 holds each of its numbers. MindSpore adds a type
to NumPy; an array of this one makes a float32 tensor, unless ``dtype=ms.bfloat16`` says otherwise."""


def np_dtype_valid(set_exception: bool = False) -> bool:
    """Whether NumPy has a type for bfloat16 tensors: always.

    Args:
        set_exception (bool): accepted.
    """
    return True


__all__ = ["bfloat16", "np_dtype_valid"]
