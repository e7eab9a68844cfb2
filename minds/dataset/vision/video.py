"""Videos, which minds does not decode: their names, which refuse."""

from __future__ import annotations

import os

import numpy as np

from ...base.worded import complain

_CURE = "decode the file outside, as by PyAV or ffmpeg, and feed its frames by GeneratorDataset"


def _refused(what: str) -> Exception:
    return complain(RuntimeError, f"{what}: minds has no decoder for videos", cure=_CURE)


def _exists(filename, what: str) -> None:
    if not isinstance(filename, str):
        said = f"Input filename is not of type {str}, but got: {type(filename)}."
        raise complain(TypeError, said)
    if not os.path.exists(filename):
        raise complain(ValueError, f"{what}: Invalid file path, {filename} does not exist.")
    if not os.path.isfile(filename):
        raise complain(ValueError, f"{what}: Invalid file path, {filename} should be a file.")


def _units(pts_unit) -> None:
    if not isinstance(pts_unit, str):
        said = f"Input pts_unit is not of type {str}, but got: {type(pts_unit)}."
        raise complain(TypeError, said)
    if pts_unit not in ("pts", "sec"):
        raise complain(ValueError, f"Not supported pts_unit for {pts_unit}")


def read_video(filename: str, start_pts=0, end_pts=None, pts_unit: str = "pts"):
    """Refused: minds does not decode videos.

    Args:
        filename (str): path of a file.
        start_pts (float): accepted: where to begin. Default: 0.
        end_pts (float, None): accepted: where to end. Default: None, at the end.
        pts_unit (str): "pts" or "sec". Default: "pts".

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there is no such file.
        RuntimeError: otherwise.

    Examples:
        >>> from minds.dataset import vision
        >>> try:
        ...     vision.read_video("missing.mp4")
        ... except ValueError:
        ...     print("there is no such file")
        there is no such file
    """
    _exists(filename, "read_video")
    _units(pts_unit)
    raise _refused("read_video")


def read_video_timestamps(filename: str, pts_unit: str = "pts"):
    """Refused: minds does not decode videos.

    Args:
        filename (str): path of a file.
        pts_unit (str): "pts" or "sec". Default: "pts".

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there is no such file.
        RuntimeError: otherwise.

    Examples:
        >>> from minds.dataset import vision
        >>> try:
        ...     vision.read_video_timestamps("missing.mp4")
        ... except ValueError:
        ...     print("there is no such file")
        there is no such file
    """
    _exists(filename, "read_video_timestamps")
    _units(pts_unit)
    raise _refused("read_video_timestamps")


class DecodeVideo:
    """Refused when it is called: minds does not decode videos.

    Raises:
        TypeError: the input is no array.
        RuntimeError: otherwise.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> try:
        ...     vision.DecodeVideo()(np.zeros(3, np.uint8))
        ... except RuntimeError:
        ...     print("refused")
        refused
    """

    def __call__(self, data):
        if not isinstance(data, np.ndarray):
            raise complain(TypeError, f"Input should be ndarray, got {type(data)}.")
        raise _refused("DecodeVideo")


class VideoDecoder:
    """Refused: minds does not decode videos.

    Args:
        source (str): path of a file.

    Raises:
        RuntimeError: always.

    Examples:
        >>> from minds.dataset import vision
        >>> try:
        ...     vision.VideoDecoder("a.mp4")
        ... except RuntimeError:
        ...     print("refused")
        refused
    """

    def __init__(self, source):
        raise _refused("VideoDecoder")
