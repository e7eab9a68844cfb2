"""`dataset.core.datatypes`: how a dataset's columns call a dtype. Here they are NumPy's."""

from __future__ import annotations

import numpy as np

from ..base import dtype as dt
from ..base.errors import complain


def nptype_to_detype(type_) -> np.dtype:
    """The dtype of a column for one of NumPy.

    Args:
        type_ (numpy.dtype): NumPy's dtype, or what makes one.

    Returns:
        numpy.dtype: the column's.

    Raises:
        TypeError: ``type_`` is no dtype.

    Examples:
        >>> import numpy as np
        >>> from minds.compat.datatypes import nptype_to_detype
        >>> nptype_to_detype(np.int8)
        dtype('int8')
    """
    return np.dtype(type_)


def mstype_to_detype(type_) -> np.dtype:
    """The dtype of a column for one of minds.

    Args:
        type_ (dtype): a dtype of minds.

    Returns:
        numpy.dtype: the column's.

    Raises:
        NotImplementedError: ``type_`` is none.

    Examples:
        >>> import minds as ms
        >>> from minds.compat.datatypes import mstype_to_detype
        >>> mstype_to_detype(ms.int8)
        dtype('int8')
    """
    if not isinstance(type_, dt.DType):
        raise complain(NotImplementedError, f"mstype_to_detype: {type_!r} is no dtype of minds")
    return np.dtype(type_.np)


__all__ = ["mstype_to_detype", "nptype_to_detype"]
