"""WAV and SPHERE files as waveforms: float32 from -1 to 1, one row per channel. Samples of 16 bits are
divided by 32767, as in MindSpore.
"""

from __future__ import annotations

import numpy as np

from ..collection import file_bytes

_INTEGERS = {1: 128.0, 2: 32767.0, 3: 8388608.0, 4: 2147483648.0}


def read_wav(path: str) -> tuple[np.ndarray, int]:
    """The waveform (channels, samples) and the sample rate of a WAV file.

    Raises:
        ValueError: the file is no WAV file, is cut off, or is compressed.
    """
    data = file_bytes(path)
    if len(data) < 12 or data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise ValueError("it is no WAV file")
    layout, at = None, 12
    while at + 8 <= len(data):
        kind, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        body = data[at + 8 : at + 8 + size]
        if len(body) < size:
            raise ValueError(f"its part {kind!r} of {size} bytes ends after {len(body)}")
        if kind == b"fmt ":
            layout = _layout(body)
        elif kind == b"data":
            if layout is None:
                raise ValueError("its samples come before their format")
            return _samples(body, *layout[:3]), layout[3]
        at += 8 + size + size % 2
    raise ValueError("it has no samples")


def _layout(body: bytes) -> tuple[int, int, int, int]:
    """Code of the format, channels, bytes per sample, rate."""
    if len(body) < 16:
        raise ValueError("its format has less than 16 bytes")
    code, channels, rate = (
        int.from_bytes(body[a:b], "little") for a, b in ((0, 2), (2, 4), (4, 8))
    )
    bits = int.from_bytes(body[14:16], "little")
    if code == 0xFFFE and len(body) >= 26:
        code = int.from_bytes(body[24:26], "little")
    fits = code == 1 and bits in (8, 16, 24, 32) or code == 3 and bits in (32, 64)
    if not fits or not 1 <= channels <= 256 or not rate:
        raise ValueError(
            f"its format {code} with {channels} channels of {bits} bits at {rate} Hz is not supported"
        )
    return code, channels, bits // 8, rate


def _samples(body: bytes, code: int, channels: int, width: int) -> np.ndarray:
    frames = len(body) // (channels * width)
    body = body[: frames * channels * width]
    if code == 3:
        values = np.frombuffer(body, f"<f{width}").astype(np.float32)
    elif width == 3:
        raw = np.frombuffer(body, np.uint8).reshape(-1, 3)
        wide = np.zeros((len(raw), 4), np.uint8)
        wide[:, 1:] = raw
        values = (wide.view("<i4").reshape(-1) >> 8).astype(np.float32) / np.float32(_INTEGERS[3])
    else:
        values = np.frombuffer(body, np.uint8 if width == 1 else f"<i{width}")
        values = values.astype(np.float32) - (128 if width == 1 else 0)
        values = values / np.float32(_INTEGERS[width])
    return np.ascontiguousarray(values.reshape(frames, channels).T)


def read_sphere(path: str) -> tuple[np.ndarray, int]:
    """The samples (channels, samples) and the sample rate of a SPHERE file of 16-bit PCM.

    Raises:
        ValueError: the file is no SPHERE file, is cut off, or is compressed.
    """
    data = file_bytes(path)
    lines = data[:16].split(b"\n")
    if len(lines) < 2 or lines[0] != b"NIST_1A" or not lines[1].strip().isdigit():
        raise ValueError("it is no SPHERE file")
    size = int(lines[1])
    about = {}
    for line in data[16:size].decode("ascii", "replace").split("\n"):
        if line.startswith("end_head"):
            break
        name, _, rest = line.strip().partition(" ")
        about[name] = rest.partition(" ")[2]
    rate, channels = int(about["sample_rate"]), int(about.get("channel_count", "1"))
    if about.get("sample_coding", "pcm") != "pcm" or about.get("sample_n_bytes", "2") != "2":
        raise ValueError("only 16-bit PCM is supported")
    order = "<" if about.get("sample_byte_format", "01") == "01" else ">"
    body = data[size:]
    frames = int(about.get("sample_count", len(body) // (2 * channels)))
    if len(body) < frames * channels * 2:
        raise ValueError(f"it has {len(body)} bytes for {frames} samples")
    values = np.frombuffer(body, f"{order}i2", frames * channels).reshape(frames, channels).T
    return np.ascontiguousarray(values.astype(np.float32) / np.float32(_INTEGERS[2])), rate
