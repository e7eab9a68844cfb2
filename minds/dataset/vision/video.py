"""Videos, which PyAV decodes: whole files, their timestamps, or frames by number."""

from __future__ import annotations

import contextlib
import functools
import io
import math
import os
from fractions import Fraction

import numpy as np

from ...base import errors
from ...base.worded import complain
from ..recorded import Recorded

_UNITS = ("pts", "sec")
_NUMBERS = (float, Fraction, int)


@functools.cache
def _av():
    """The package av, that is PyAV, with the libraries of FFmpeg in it."""
    try:
        import av
    except ImportError:
        said = "reading a video needs PyAV"
        raise errors.complain(ImportError, said, cure="pip install av") from None
    return av


def _check_path(filename, what: str) -> None:
    if not isinstance(filename, str):
        said = f"Input filename is not of type {str}, but got: {type(filename)}."
        raise complain(TypeError, said)
    if not os.path.exists(filename):
        said = f"{what}: Invalid file path, {filename} does not exist."
        raise complain(RuntimeError, said)
    if not os.path.isfile(filename):
        said = f"{what}: Invalid file path, {filename} is not a regular file."
        raise complain(RuntimeError, said)


def _check_units(pts_unit, what: str) -> None:
    if not isinstance(pts_unit, str):
        said = f"Input pts_unit is not of type {str}, but got: {type(pts_unit)}."
        raise complain(TypeError, said)
    if pts_unit not in _UNITS:
        said = f"{what}: Not supported pts_unit for {pts_unit}"
        raise complain(RuntimeError, said, expected=" or ".join(_UNITS))


def _check_times(start_pts, end_pts) -> None:
    for name, value in (("start_pts", start_pts), ("end_pts", end_pts)):
        if not isinstance(value, _NUMBERS):
            listed = ", ".join(map(str, _NUMBERS))
            said = f"Input {name} is not of type [{listed}], but got: {type(value)}"
            raise complain(TypeError, said)
    if not start_pts >= 0:
        said = f"Not supported start_pts for {start_pts}. The start_pts should be >= 0."
        raise complain(ValueError, said)
    if not end_pts >= start_pts:
        said = f"Not supported end_pts for {end_pts}. start_pts = {start_pts}."
        raise complain(ValueError, f"{said} The end_pts should be >= start_pts.")


@contextlib.contextmanager
def _opened(source, what: str, shown: str):
    """The container of a file, or of a file in memory; what FFmpeg finds wrong is a RuntimeError."""
    av = _av()
    try:
        with av.open(source) as container:
            yield container
    except av.error.FFmpegError as e:
        raise complain(RuntimeError, f"{what}: Failed to open the file {shown}: {e}") from e


def _rate(stream) -> float:
    """Frames a second."""
    rate = stream.average_rate or stream.guessed_rate
    return float(rate) if rate else float(1 / stream.time_base)


def _frames(container, stream):
    """(number, timestamp, frame) of all frames; what has no timestamp has its number's."""
    each = round(1 / (stream.time_base * Fraction(_rate(stream)).limit_denominator(10**6)))
    for number, frame in enumerate(container.decode(stream)):
        stamp = frame.pts if frame.pts is not None else frame.dts
        yield number, number * each if stamp is None else stamp, frame


def _pixels(frame) -> np.ndarray:
    return frame.to_ndarray(format="rgb24")


def _empty_sound() -> np.ndarray:
    return np.empty((1, 0), np.float32)


def _sound(container) -> np.ndarray:
    """The samples of the first sound, (channels, samples), in the type that the file has."""
    parts = []
    for frame in container.decode(audio=0):
        samples, channels = frame.to_ndarray(), frame.layout.nb_channels
        parts.append(samples if frame.format.is_planar else samples.reshape(-1, channels).T)
    return np.concatenate(parts, 1) if parts else _empty_sound()


def _during(stamps: list, wanted: list, sound: np.ndarray) -> np.ndarray:
    """The part of a sound that belongs to the frames with the numbers ``wanted``."""
    if not sound.size or not stamps or len(wanted) == len(stamps):
        return sound
    each = sound.shape[1] / len(stamps)
    first = round(wanted[0] * each) if wanted else 0
    return sound[:, first : first + round(len(wanted) * each)]


def _read(source, what: str, shown: str, begin=0.0, end=math.inf, unit: str = "pts") -> tuple:
    """Pixels, sound and rates of a video between two times."""
    pixels, rates = np.empty((0, 1, 1, 3), np.uint8), {}
    stamps, wanted, made = [], [], []
    sound = _empty_sound()
    with _opened(source, what, shown) as container:
        streams = container.streams
        if not streams.video and not streams.audio:
            raise complain(RuntimeError, f"{what}: Neither audio nor visual is found in {shown}.")
        if streams.video:
            stream = streams.video[0]
            rates["video_fps"] = _rate(stream)
            pixels = np.empty((0, stream.height, stream.width, 3), np.uint8)
            scale = 1 if unit == "pts" else float(1 / stream.time_base)
            low, high = round(begin * scale), end * scale
            high = high if math.isinf(high) else round(high)
            for number, stamp, frame in _frames(container, stream):
                stamps.append(stamp)
                if low <= stamp <= high:
                    wanted.append(number)
                    made.append(_pixels(frame))
        if streams.audio:
            rates["audio_fps"] = streams.audio[0].rate
    if (
        "audio_fps" in rates
    ):  # from the beginning again: one pass for each, whatever the file's order
        if hasattr(source, "seek"):
            source.seek(0)
        with _opened(source, what, shown) as container:
            sound = _sound(container)
    if made:
        pixels = np.stack(made)
    return pixels, _during(stamps, wanted, sound), rates


def read_video(filename: str, start_pts=0, end_pts=None, pts_unit: str = "pts"):
    """The pictures and the sound of a video file, by PyAV.

    Args:
        filename (str): path of a file: AVI, H264, H265, MOV, MP4, WMV, or what else FFmpeg reads.
        start_pts (float, fractions.Fraction, int): the first time that is wanted. Default: 0.
        end_pts (float, fractions.Fraction, int, optional): the last one. Default: None, to the end.
        pts_unit (str): what times are counted in: "pts", the video's own ticks, or "sec". Default:
            "pts".

    Returns:
        tuple[numpy.ndarray, numpy.ndarray, dict]: the pictures (T, H, W, 3), uint8; the sound (channels,
        samples) in the file's type, the part that belongs to these pictures; and ``video_fps`` and
        ``audio_fps``, of what the file has.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a time or ``pts_unit`` is out of range.
        RuntimeError: there is no such file, or it is no video.
        ImportError: PyAV is not installed.

    Examples:
        >>> from minds.dataset import vision
        >>> try:
        ...     vision.read_video("missing.mp4")
        ... except RuntimeError:
        ...     print("there is no such file")
        there is no such file
        >>> pictures, sound, rates = vision.read_video("a.mp4")  # doctest: +SKIP
    """
    if not isinstance(filename, str):
        _check_path(filename, "read_video")
    end = math.inf if end_pts is None else end_pts
    _check_times(start_pts, end)
    _check_units(pts_unit, "read_video")
    _check_path(filename, "read_video")
    return _read(filename, "read_video", filename, start_pts, end, pts_unit)


def read_video_timestamps(filename: str, pts_unit: str = "pts"):
    """The times of a video's pictures, by PyAV.

    Args:
        filename (str): path of a file.
        pts_unit (str): what times are counted in: "pts", the video's own ticks, or "sec". Default:
            "pts".

    Returns:
        tuple[list, float]: a time, int or float, per picture, and the pictures a second; an empty list
        and None for a file without pictures.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: there is no such file, it is no video, or ``pts_unit`` is out of range.
        ImportError: PyAV is not installed.

    Examples:
        >>> from minds.dataset import vision
        >>> try:
        ...     vision.read_video_timestamps("missing.mp4")
        ... except RuntimeError:
        ...     print("there is no such file")
        there is no such file
        >>> times, rate = vision.read_video_timestamps("a.mp4", "sec")  # doctest: +SKIP
    """
    if not isinstance(filename, str):
        _check_path(filename, "read_video_timestamps")
    _check_units(pts_unit, "read_video_timestamps")
    _check_path(filename, "read_video_timestamps")
    with _opened(filename, "read_video_timestamps", filename) as container:
        if not container.streams.video:
            return [], None
        stream = container.streams.video[0]
        stamps = [stamp for _, stamp, _ in _frames(container, stream)]
        rate, tick = _rate(stream), float(stream.time_base)
    return (stamps if pts_unit == "pts" else [s * tick for s in stamps]), rate


class DecodeVideo(Recorded):
    """The bytes of a video file as its pictures and its sound, by PyAV: `map` gets two columns.

    Raises:
        TypeError: the input is no array (raised when it is called, as what follows).
        RuntimeError: it is not 1-D, not of uint8, empty, or no video.
        ImportError: PyAV is not installed.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> try:
        ...     vision.DecodeVideo()(np.zeros((2, 3), np.uint8))
        ... except RuntimeError:
        ...     print("a file has one dimension")
        a file has one dimension
        >>> pictures, sound = vision.DecodeVideo()(vision.read_file("a.mp4"))  # doctest: +SKIP
    """

    def __init__(self):
        pass

    def __call__(self, data):
        if not isinstance(data, np.ndarray):
            raise complain(TypeError, f"Input should be ndarray, got {type(data)}.")
        said = None
        if data.ndim != 1:
            said = f"invalid input shape, only support 1D input, got rank: {data.ndim}"
        elif data.dtype != np.uint8:
            said = f"The type of the elements of input data should be UINT8, but got {data.dtype}."
        elif not data.size:
            said = "Input Tensor has no data."
        if said is not None:
            raise complain(RuntimeError, f"DecodeVideo: {said}")
        return _read(io.BytesIO(data.tobytes()), "DecodeVideo", "in memory")[:2]


class VideoDecoder:
    """The pictures of a video file by their numbers, by PyAV.

    Args:
        source (str): path of a file.

    Raises:
        TypeError: ``source`` is no str.
        ValueError: there is no such file.
        RuntimeError: it is no video.
        ImportError: PyAV is not installed.

    Examples:
        >>> from minds.dataset import vision
        >>> try:
        ...     vision.VideoDecoder("missing.mp4")
        ... except ValueError:
        ...     print("there is no such file")
        there is no such file
        >>> vision.VideoDecoder("a.mp4").metadata["num_frames"]  # doctest: +SKIP
        250
    """

    def __init__(self, source: str):
        _check_path(source, "VideoDecoder")
        self.source = source
        self._metadata = self._found()

    def _found(self) -> dict:
        with self._stream() as (container, stream):
            duration, tick = stream.duration, stream.time_base
            seconds = duration * tick if duration else Fraction(container.duration or 0, 10**6)
            found = {
                "width": stream.width,
                "height": stream.height,
                "duration_seconds": round(float(seconds), 6),
                "num_frames": stream.frames,
                "average_fps": _rate(stream),
            }
            if not found["num_frames"]:  # a format that does not say it
                found["num_frames"] = sum(1 for _ in container.decode(stream))
        return found

    @contextlib.contextmanager
    def _stream(self):
        with _opened(self.source, "VideoDecoder", self.source) as container:
            if not container.streams.video:
                said = f"VideoDecoder: {self.source} has no pictures"
                raise complain(RuntimeError, said)
            yield container, container.streams.video[0]

    @property
    def metadata(self) -> dict:
        """What is known of the video: ``width``, ``height``, ``duration_seconds``, ``num_frames`` and
        ``average_fps``.

        Examples:
            >>> from minds.dataset import vision
            >>> vision.VideoDecoder("a.mp4").metadata["width"]  # doctest: +SKIP
            240
        """
        return dict(self._metadata)

    def get_frames_at(self, indices: list[int]) -> np.ndarray:
        """Pictures by their numbers.

        Args:
            indices (list[int]): the numbers, from 0, in any order.

        Returns:
            numpy.ndarray: (T, H, W, 3), uint8; (0,) where ``indices`` is empty.

        Raises:
            TypeError: ``indices`` is no list of ints.
            ValueError: there is no picture of a number.
            RuntimeError: the file is damaged.

        Examples:
            >>> from minds.dataset import vision
            >>> vision.VideoDecoder("a.mp4").get_frames_at([0, 2]).shape  # doctest: +SKIP
            (2, 160, 240, 3)
        """
        if not isinstance(indices, list) or not all(type(i) is int for i in indices):
            raise complain(TypeError, f"indices is {indices!r}", expected="a list of ints")
        count = self._metadata["num_frames"]
        for place, i in enumerate(indices):
            if not 0 <= i < count:
                said = f"Invalid frame index[{place}]={i}"
                raise complain(ValueError, said, expected=f"in [0, {count})")
        if not indices:
            return np.empty(0, np.uint8)
        wanted, found, last = set(indices), {}, max(indices)
        with self._stream() as (container, stream):
            for number, frame in enumerate(container.decode(stream)):
                if number in wanted:
                    found[number] = _pixels(frame)
                if number == last:
                    break
        if len(found) < len(wanted):
            said = f"VideoDecoder: {self.source} ends before frame {last}"
            raise complain(RuntimeError, said)
        return np.stack([found[i] for i in indices])
