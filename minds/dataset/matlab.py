"""MATLAB's files, read by SciPy."""

from __future__ import annotations

import io
import os

from .matlab_check import check_mat
from .pipeline import DatasetError


def read_mat(name: str, path: str, wanted=()) -> dict:
    """The variables of a file.

    Args:
        name (str): what messages call the dataset.
        path (str): the file.
        wanted (sequence[str]): variables that it must have.

    Returns:
        dict: name → array.

    Raises:
        DatasetError: there is no such file, or it is damaged or lacks a variable.
    """
    from scipy.io import loadmat

    if not os.path.isfile(path):
        raise DatasetError(f"{name}: there is no file {path}")
    try:
        with open(path, "rb") as f:
            content = f.read()
        check_mat(content)
        data = loadmat(io.BytesIO(content), squeeze_me=False)
    except Exception as e:  # SciPy raises whatever its parser meets
        raise DatasetError(f"{name}: {path} is damaged: {e}") from e
    missing = [w for w in wanted if w not in data]
    if missing:
        raise DatasetError(f"{name}: {path} has no variable {missing[0]!r}")
    return data
