"""Image files: read, written, encoded, measured."""

from __future__ import annotations

import io
import os

import numpy as np

from ...base.worded import complain
from .images import is_pillow, pillow
from .utils import ImageReadMode

_READABLE = ("JPEG", "PNG", "BMP", "TIFF")


def _of_type(name: str, value, kind: type) -> None:
    if not isinstance(value, kind) or kind is int and isinstance(value, bool):
        said = f"Input {name} is not of type {kind}, but got: {type(value)}."
        raise complain(TypeError, said)


def _open(filename, what: str) -> str:
    _of_type("filename", filename, str)
    if not os.path.exists(filename):
        said = f"{what}: Invalid file path, {filename} does not exist."
        raise complain(RuntimeError, said)
    if not os.path.isfile(filename):
        said = f"{what}: Invalid file path, {filename} is not a regular file."
        raise complain(RuntimeError, said)
    return filename


def read_file(filename: str) -> np.ndarray:
    """The bytes of a file.

    Args:
        filename (str): its path.

    Returns:
        numpy.ndarray: 1-D, uint8.

    Raises:
        TypeError: ``filename`` is no str.
        RuntimeError: there is no such file.

    Examples:
        >>> import os, tempfile
        >>> from minds.dataset import vision
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open(os.path.join(folder, "a"), "wb") as f:
        ...         _ = f.write(b"abc")
        ...     vision.read_file(os.path.join(folder, "a")).tolist()
        [97, 98, 99]
    """
    with open(_open(filename, "ReadFile"), "rb") as f:
        return np.frombuffer(bytearray(f.read()), np.uint8)


def read_image(filename: str, mode: ImageReadMode = ImageReadMode.UNCHANGED) -> np.ndarray:
    """The image of a JPEG, PNG, BMP or TIFF file, turned as the file says unless ``mode`` is UNCHANGED.

    Args:
        filename (str): its path.
        mode (ImageReadMode): its channels. Default: ``ImageReadMode.UNCHANGED``, colours or grey as in the
            file.

    Returns:
        numpy.ndarray: (H, W, 3) or (H, W, 1), uint8.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: there is no such file, or it is no image.

    Examples:
        >>> import os, tempfile
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "a.png")
        ...     vision.write_png(path, np.zeros((2, 3, 3), np.uint8))
        ...     vision.read_image(path).shape
        (2, 3, 3)
    """
    _of_type("filename", filename, str)
    _of_type("mode", mode, ImageReadMode)
    path = _open(filename, "ReadImage")
    try:
        image = pillow().Image.open(path)
        kind, bands = image.format, len(image.getbands())
        if mode is not ImageReadMode.UNCHANGED:
            image = pillow().ImageOps.exif_transpose(image)
        grey = (
            mode is ImageReadMode.GRAYSCALE
            or mode is ImageReadMode.UNCHANGED
            and (bands == 1 and image.mode != "P")
        )
        made = np.array(image.convert("L" if grey else "RGB"))
    except Exception as e:  # Pillow's readers raise many kinds for broken files
        raise complain(RuntimeError, f"ReadImage: Failed to read file {filename}: {e}") from e
    if kind not in _READABLE:
        said = f"ReadImage: Failed to read file {filename}: a {kind} file"
        raise complain(RuntimeError, said, expected="JPEG, PNG, BMP or TIFF")
    return made[..., None] if made.ndim == 2 else made


def _bytes_of(value, name: str, what: str, shown: str) -> np.ndarray:
    """The array of uint8 that an array or a Tensor is."""
    a = value.asnumpy() if hasattr(value, "asnumpy") else value
    if not isinstance(a, np.ndarray):
        said = f"Input {name} is not of type {np.ndarray} or <class 'minds.Tensor'>"
        raise complain(TypeError, f"{said}, but got: {type(value)}.")
    if a.dtype != np.uint8:
        said = f"{what}: The type of the {shown} should be UINT8, but got {a.dtype}."
        raise complain(RuntimeError, said)
    return a


def _pixels(image, what: str, shown: str) -> np.ndarray:
    """An image (H, W), (H, W, 1) or (H, W, 3) of bytes, of an array or a Tensor."""
    a = _bytes_of(image, "image", what, shown)
    if a.ndim not in (2, 3):
        raise complain(
            RuntimeError,
            f"{what}: The image has invalid dimensions. It should have two or three dimensions, "
            f"but got {a.ndim} dimensions.",
        )
    if a.ndim == 3 and a.shape[2] not in (1, 3):
        raise complain(
            RuntimeError,
            f"{what}: The image has invalid channels. It should have 1 or 3 channels, "
            f"but got {a.shape[2]} channels.",
        )
    if not a.size:
        raise complain(RuntimeError, f"{what}: an image of shape {a.shape} has no pixels")
    return a[..., 0] if a.ndim == 3 and a.shape[2] == 1 else a


def _encoded(image, what: str, shown: str, kind: str, **how) -> bytes:
    data = io.BytesIO()
    a = np.ascontiguousarray(_pixels(image, what, shown))
    pillow().Image.fromarray(a).save(data, kind, **how)
    return data.getvalue()


def _jpeg(image, quality, what: str, shown: str) -> bytes:
    _of_type("quality", quality, int)
    if not 1 <= quality <= 100:
        said = f"{what}: Invalid quality {quality}, should be in range of [1, 100]."
        raise complain(RuntimeError, said)
    return _encoded(image, what, shown, "jpeg", quality=quality)


def _png(image, level, what: str, shown: str) -> bytes:
    _of_type("compression_level", level, int)
    if not 0 <= level <= 9:
        said = f"{what}: Invalid compression_level {level}, should be in range of [0, 9]."
        raise complain(RuntimeError, said)
    return _encoded(image, what, shown, "png", compress_level=level)


def encode_jpeg(image: np.ndarray, quality: int = 75) -> np.ndarray:
    """An image as the bytes of a JPEG file.

    Args:
        image (numpy.ndarray, Tensor): (H, W), (H, W, 1) or (H, W, 3), uint8.
        quality (int): in [1, 100]. Default: 75.

    Returns:
        numpy.ndarray: 1-D, uint8.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: ``quality`` is out of range, or ``image`` no such image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.encode_jpeg(np.zeros((2, 3), np.uint8))[:3].tolist()
        [255, 216, 255]
    """
    data = _jpeg(image, quality, "EncodeJpeg", "image data")
    return np.frombuffer(bytearray(data), np.uint8)


def encode_png(image: np.ndarray, compression_level: int = 6) -> np.ndarray:
    """An image as the bytes of a PNG file.

    Args:
        image (numpy.ndarray, Tensor): (H, W), (H, W, 1) or (H, W, 3), uint8.
        compression_level (int): in [0, 9]. Default: 6.

    Returns:
        numpy.ndarray: 1-D, uint8.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: the level is out of range, or ``image`` no such image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> bytes(vision.encode_png(np.zeros((2, 3), np.uint8))[1:4])
        b'PNG'
    """
    data = _png(image, compression_level, "EncodePng", "image data")
    return np.frombuffer(bytearray(data), np.uint8)


def _write(name: str, filename: str, data: bytes) -> None:
    try:
        with open(filename, "wb") as f:
            f.write(data)
    except OSError as e:
        raise complain(RuntimeError, f"{name}: filename is {filename!r}: {e.strerror}") from e


def write_file(filename: str, data: np.ndarray) -> None:
    """Write bytes to a file.

    Args:
        filename (str): its path.
        data (numpy.ndarray, Tensor): 1-D, uint8.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: ``data`` is not 1-D or not of bytes, or the file cannot be written.

    Examples:
        >>> import os, tempfile
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "a")
        ...     vision.write_file(path, np.array([1, 2], np.uint8))
        ...     vision.read_file(path).tolist()
        [1, 2]
    """
    _of_type("filename", filename, str)
    a = _bytes_of(data, "data", "WriteFile", "elements of data")
    if a.ndim != 1:
        raise complain(
            RuntimeError,
            "WriteFile: The data has invalid dimensions. It should have only one dimension, "
            f"but got {a.ndim} dimensions.",
        )
    _write("WriteFile", filename, a.tobytes())


def write_jpeg(filename: str, image: np.ndarray, quality: int = 75) -> None:
    """Write an image to a JPEG file.

    Args:
        filename (str): its path.
        image (numpy.ndarray, Tensor): (H, W), (H, W, 1) or (H, W, 3), uint8.
        quality (int): in [1, 100]. Default: 75.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: ``quality`` is out of range, ``image`` no such image, or the file cannot be written.

    Examples:
        >>> import os, tempfile
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "a.jpg")
        ...     vision.write_jpeg(path, np.zeros((2, 3, 3), np.uint8))
        ...     vision.read_image(path).shape
        (2, 3, 3)
    """
    _of_type("filename", filename, str)
    _write("WriteJpeg", filename, _jpeg(image, quality, "WriteJpeg", "elements of image"))


def write_png(filename: str, image: np.ndarray, compression_level: int = 6) -> None:
    """Write an image to a PNG file.

    Args:
        filename (str): its path.
        image (numpy.ndarray, Tensor): (H, W), (H, W, 1) or (H, W, 3), uint8.
        compression_level (int): in [0, 9]. Default: 6.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: the level is out of range, ``image`` no such image, or the file cannot be written.

    Examples:
        >>> import os, tempfile
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "a.png")
        ...     vision.write_png(path, np.zeros((2, 3), np.uint8))
        ...     vision.read_image(path).shape
        (2, 3, 1)
    """
    _of_type("filename", filename, str)
    _write("WritePng", filename, _png(image, compression_level, "WritePng", "elements of image"))


def _shape(image, what: str) -> tuple:
    if is_pillow(image):
        return image.height, image.width, len(image.getbands())
    if not isinstance(image, np.ndarray):
        raise complain(
            TypeError,
            f"Input image is not of type {np.ndarray} or <class 'PIL.Image.Image'>, "
            f"but got: {type(image)}.",
        )
    if image.ndim < 2:
        raise complain(
            RuntimeError,
            f"{what}: invalid parameter, image should have at least two dimensions, "
            f"but got: {image.ndim}",
        )
    return (*image.shape, 1) if image.ndim == 2 else image.shape[-3:]


def get_image_size(image) -> list[int]:
    """Height and width of an image.

    Args:
        image (numpy.ndarray, PIL.Image.Image): (H, W) or (..., H, W, C).

    Returns:
        list[int]: both.

    Raises:
        TypeError: ``image`` is neither.
        RuntimeError: it has less than two dimensions.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.get_image_size(np.zeros((4, 5, 3)))
        [4, 5]
    """
    return list(_shape(image, "GetImageSize")[:2])


def get_image_num_channels(image) -> int:
    """The number of channels of an image.

    Args:
        image (numpy.ndarray, PIL.Image.Image): (H, W) or (..., H, W, C).

    Returns:
        int: the number.

    Raises:
        TypeError: ``image`` is neither.
        RuntimeError: it has less than two dimensions.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.get_image_num_channels(np.zeros((4, 5, 3)))
        3
    """
    return _shape(image, "GetImageNumChannels")[2]


__all__ = [
    "encode_jpeg",
    "encode_png",
    "get_image_num_channels",
    "get_image_size",
    "read_file",
    "read_image",
    "write_file",
    "write_jpeg",
    "write_png",
]
