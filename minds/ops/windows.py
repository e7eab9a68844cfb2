"""Images that are divided along height or width: which rows a part of what sliding windows give is made of,
and what becomes of padding. What windows of a part cover of other parts comes from these; edges of the whole
image are padded as they were.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from .define import P
from .sharding import Rule, parse


@dataclass(frozen=True)
class Sliding:
    """A window that slides along one dimension.

    Attributes:
        size, count: of the image, and of the windows.
        stride, reach: of a window; from its first element to behind its last one.
        pad: how far windows reach over the first edge.
    """

    size: int
    count: int
    stride: int
    reach: int
    pad: int

    def rows(self, part: int, parts: int) -> tuple[int, int]:
        """The rows of the image that a part of the windows covers: from the first to behind the last."""
        n = self.count // parts
        return self.covered(part * n, (part + 1) * n)[:2]

    def covered(self, first: int, last: int) -> tuple[int, int, int, int]:
        """The rows that some windows cover, and how far these reach over the edges."""
        begin = first * self.stride - self.pad
        end = (last - 1) * self.stride + self.reach - self.pad
        return max(begin, 0), min(end, self.size), max(-begin, 0), max(end - self.size, 0)

    def pads(self, part: int, parts: int) -> tuple[int, int]:
        """How far a part of the windows reaches over the edges of the image."""
        n = self.count // parts
        return self.covered(part * n, (part + 1) * n)[2:]

    def windows(self, part: int, parts: int) -> tuple[int, int]:
        """The windows that cover a row of a part of the image: from the first to behind the last."""
        n = self.size // parts
        begin, end = part * n + self.pad, (part + 1) * n + self.pad
        first = max(-((self.reach - 1 - begin) // self.stride), 0)
        last = min((end - 1) // self.stride + 1, self.count)
        return first, max(first, last)


def sliding(image: tuple, count: tuple, kernel: tuple, stride: tuple, pad: tuple, dilation: tuple):
    """The windows of images by ``h`` and ``w``, without those that may lie outside of the image.

    Args:
        image, count (tuple[int]): height and width of the image, and of what the windows give.
        kernel, stride, pad, dilation (tuple[int]): as for `conv2d`.
    """
    found = {}
    for d, letter in enumerate("hw"):
        reach = (kernel[d] - 1) * dilation[d] + 1
        over = (count[d] - 1) * stride[d] + reach - pad[2 * d] - image[d]
        if pad[2 * d] < reach and over < reach:
            found[letter] = Sliding(image[d], count[d], stride[d], reach, pad[2 * d])
    return found


def divided(
    notation: str, slides: dict[str, Sliding], taken: tuple, compute: Callable, back: bool = False
) -> Rule:
    """A rule of images.

    Args:
        notation (str): as for `sharding.parse`, with ``h`` and ``w`` for height and width.
        slides (dict): the windows along those of them that can be divided.
        taken (tuple[int]): the operands of which a part takes what is its neighbours'.
        compute (Callable): see `Rule`.
        back (bool): whether these operands are what windows have, rather than images. Default: False.
    """
    for letter in "hw":
        if letter not in slides:
            notation = re.sub(rf"\b{letter}\b", ".", notation)
    reaches = {
        c: tuple([(k, "hw".index(c) + 2, s.windows if back else s.rows) for k in taken])
        for c, s in slides.items()
    }
    return replace(parse(notation), reaches=reaches, compute=compute)


def padded(slides: dict[str, Sliding], pad: tuple, places: dict) -> tuple:
    """The padding of a part, as far as the edges of the image are its edges."""
    for letter, place in places.items():
        at = 2 * "hw".index(letter)
        pad = (*pad[:at], *slides[letter].pads(*place), *pad[at + 2 :])
    return pad


def adjoint(
    slides: dict[str, Sliding], d, in_shape: tuple, pad: tuple, places: dict, run: Callable
):
    """A part of what the adjoint of sliding windows makes of images.

    Args:
        slides (dict): the windows.
        d: what the windows that cover the part have.
        in_shape (tuple[int]): of the part.
        pad (tuple[int]): of the image.
        places (dict): which part of how many this is, by dimension.
        run (Callable): the adjoint, of what windows have, the shape of the images and their padding.
    """
    if 0 in d.shape:
        return P.full(in_shape, 0, d.dtype)
    shape, begins = list(in_shape), {}
    for letter, place in places.items():
        dim = "hw".index(letter) + 2
        begin, end, *over = slides[letter].covered(*slides[letter].windows(*place))
        shape[dim], begins[dim] = end - begin, (begin, place[0] * in_shape[dim])
        pad = (*pad[: 2 * dim - 4], *over, *pad[2 * dim - 2 :])
    dx = run(d, tuple(shape), pad)
    for dim, (begin, first) in begins.items():
        dx = _own(dx, dim, begin, first, first + in_shape[dim])
    return dx


def _own(x, dim: int, begin: int, first: int, last: int):
    """The rows ``first`` to ``last`` of what has those from ``begin`` on; zeros where it has none."""
    front, behind = max(begin - first, 0), max(last - begin - x.shape[dim], 0)
    if front or behind:
        sides = [(front, behind) if d == dim else (0, 0) for d in range(len(x.shape))]
        x, begin = P.pad(x, tuple(sides), 0), begin - front
    starts = [first - begin if d == dim else 0 for d in range(len(x.shape))]
    ends = [last - begin if d == dim else n for d, n in enumerate(x.shape)]
    return P.strided_slice(x, tuple(starts), tuple(ends), (1,) * len(x.shape))


__all__ = ["Sliding", "adjoint", "divided", "padded", "sliding"]
