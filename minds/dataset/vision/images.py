"""What transforms of images share: what they take, and how they treat Pillow images and arrays."""

from __future__ import annotations

import functools

import numpy as np

from ...base.errors import BackendError
from ...base.worded import complain
from ..source_arguments import one_of
from ..transforms.base import RowTransform, given
from . import words
from .job import Job

WANTS_PILLOW = (
    "img should be PIL image. Got {}. Use Decode() for encoded data or ToPIL() for decoded data."
)


@functools.cache
def pillow():
    """The package PIL, with the modules that transforms use."""
    try:
        import PIL.ImageDraw
        import PIL.ImageEnhance
        import PIL.ImageFont
        import PIL.ImageOps
    except ImportError as e:
        raise BackendError("this transform needs Pillow: pip install pillow") from e
    return PIL


def is_pillow(x) -> bool:
    return type(x).__module__.startswith("PIL.")


def pair(size) -> tuple:
    """An int for both sides, or both."""
    return (size, size) if isinstance(size, int) else tuple(size)


def triple(fill) -> tuple:
    """A byte for all channels, or one for each."""
    return (fill,) * 3 if isinstance(fill, (int, float)) else tuple(fill)


def border(fill, channels: int) -> tuple:
    """One number per channel; a fourth is 0."""
    values = triple(fill)
    return (*values, *[0] * (channels - len(values)))[:channels]


def fill_for(image, fill):
    """A fill of three channels for a Pillow image, which may have one."""
    values = triple(fill)
    return values if len(image.getbands()) == 3 else values[0]


def like(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Numbers in ``a``'s dtype: rounded to even and cut to its range where that is of integers."""
    if a.dtype.kind not in "iu":
        return x.astype(a.dtype, copy=False)
    limits = np.iinfo(a.dtype)
    return np.clip(np.rint(x), limits.min, limits.max).astype(a.dtype)


class ImageTransform(RowTransform):
    """A transform of an image (H, W) or (H, W, C), as an array or of Pillow.

    A subclass defines `transform` for arrays, and `_of_pillow` where a Pillow image becomes one.

    Attributes:
        ranks: the numbers of dimensions that it takes.
        channels: the numbers of channels that it takes; empty for all.
        dtypes: the dtypes that it takes; empty for all numbers.
    """

    ranks: tuple = (2, 3)
    channels: tuple = ()
    dtypes: tuple = ()
    _of_pillow = None

    def device(self, device_target: str = "CPU"):
        """Where images are transformed, which is the CPU.

        Args:
            device_target (str): "CPU"; "Ascend" is known to MindSpore too. Default: "CPU".

        Returns:
            ImageTransform: this one.

        Raises:
            TypeError: ``device_target`` is no str.
            ValueError: it is neither of the two.
            RuntimeError: it is "Ascend", which has no transforms of images here.

        Examples:
            >>> import numpy as np
            >>> from minds.dataset import vision
            >>> vision.Invert().device("CPU")(np.full((1, 1, 3), 1, np.uint8)).tolist()
            [[[254, 254, 254]]]
        """
        if one_of("device_target", device_target, ("CPU", "Ascend")) == "Ascend":
            raise complain(
                RuntimeError, f"{type(self).__name__}.device: images are transformed on the CPU"
            )
        return self

    def __call__(self, *values):
        made = tuple([self._one(v) for v in given(values)])
        return made[0] if len(made) == 1 else made

    def _one(self, value):
        if is_pillow(value):
            if self._of_pillow is not None:
                return self._of_pillow(value)
            value = np.asarray(value)
        elif not isinstance(value, np.ndarray):
            raise complain(TypeError, f"Input should be NumPy or PIL image, got {type(value)}.")
        self._fits(value)
        return self.transform(value)

    def _fits(self, a: np.ndarray, called: str | None = None) -> None:
        """Raises what an array has that this transform, ``called`` so, does not take."""
        name = called or type(self).__name__
        if a.ndim not in self.ranks:
            raise complain(RuntimeError, words.of_rank(name, a, self.ranks))
        if self.channels and words.channels_of(a) not in self.channels:
            raise complain(RuntimeError, words.of_channels(name, a, self.channels))
        if a.dtype.kind not in "biuf" or self.dtypes and a.dtype.name not in self.dtypes:
            kind = RuntimeError if a.dtype.kind in "biuf" else TypeError
            raise complain(kind, words.of_dtype(name, a, self.dtypes))
        if 0 in a.shape:
            said = f"Input Tensor has no data. {name} got an image of shape {a.shape}."
            raise complain(RuntimeError, said)


class PillowTransform(ImageTransform):
    """A transform of Pillow images only."""

    in_python = True

    def _one(self, value):
        if not is_pillow(value):
            raise complain(TypeError, WANTS_PILLOW.format(type(value)))
        return self._of_pillow(value)


class Planned(ImageTransform):
    """A transform that cuts, resizes, mirrors or normalises: it adds to a `Job`, so that several
    which follow one another are one walk over the image.
    """

    ranks = (2, 3, 4)

    def _draw(self, height: int, width: int) -> tuple:
        """What is random about it, for an image of this size."""
        return ()

    def _plan(self, job: Job, *drawn) -> None:
        """Adds to ``job``."""
        raise NotImplementedError

    def _plan_row(self, job: Job) -> None:
        """Draws, and adds to ``job``."""
        self._plan(job, *self._draw(job.height, job.width))

    def transform(self, a):
        if a.ndim < 4:
            job = Job(a)
            self._plan_row(job)
            return job.finish()
        drawn, frames = self._draw(*a.shape[-3:-1]), []
        for frame in a.reshape(-1, *a.shape[-3:]):
            job = Job(frame)
            self._plan(job, *drawn)
            frames.append(job.run())
        return np.stack(frames).reshape(*a.shape[:-3], *frames[0].shape)
