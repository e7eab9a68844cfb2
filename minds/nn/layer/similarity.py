"""Structural similarity of images."""

from __future__ import annotations

import math

import numpy as np

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...ops.define import P
from ...tensor import Tensor
from ..cell import Cell
from . import checks
from .container import CellList
from .conv import Conv2d


def _window(size: int, sigma: float) -> Tensor:
    """A normal distribution over a square."""
    line = np.exp(-0.5 * ((np.arange(size) - (size - 1) / 2) / sigma) ** 2)
    return Tensor((np.outer(line, line) / line.sum() ** 2)[None, None].astype(np.float32))


class SSIM(Cell):
    r"""Structural similarity: luminance, contrast and structure compared in Gaussian windows,
    averaged over each image.

    .. math::
        \frac{(2\mu_x\mu_y + c_1)(2\sigma_{xy} + c_2)}
        {(\mu_x^2 + \mu_y^2 + c_1)(\sigma_x^2 + \sigma_y^2 + c_2)}

    Args:
        max_val (number): the largest possible value. Default 1.
        filter_size (int): side of the window. Default 11.
        filter_sigma (float): its standard deviation. Default 1.5.
        k1 (float), k2 (float): in (0, 1); :math:`c_i = (k_i\,max)^2`. Default 0.01 and 0.03.

    Inputs:
        - **img1** (Tensor[(N, C, H, W)]), **img2** (Tensor[(N, C, H, W)]) - of one dtype,
          float16 or float32.
    Outputs:
        Tensor[(N,), float32].
    Raises:
        TypeError: an argument has a wrong type, or the images differ in dtype.
        ValueError: an argument is out of range, or the images are not of one shape of rank 4.

    Source: Wang et al., Image quality assessment: from error visibility to structural similarity,
        2004.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.SSIM()(ms.ops.ones((1, 3, 16, 16)), ms.ops.ones((1, 3, 16, 16))).asnumpy().round(4).tolist()
        [1.0]
    """

    def __init__(self, max_val=1.0, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
        super().__init__()
        name = self.cls_name
        self.max_val = float(checks.number_in(name, "max_val", max_val, 0, math.inf, "()"))
        checks.positive_int(name, "filter_size", filter_size)
        checks.number_in(name, "filter_sigma", filter_sigma, 0, math.inf, "()")
        self.c1 = (checks.number_in(name, "k1", k1, 0, 1, "()") * self.max_val) ** 2
        self.c2 = (checks.number_in(name, "k2", k2, 0, 1, "()") * self.max_val) ** 2
        self._windows(_window(filter_size, filter_sigma))

    def _windows(self, window: Tensor) -> None:
        self.conv = Conv2d(1, 1, window.shape[-1], weight_init=window, pad_mode="valid")
        self.conv.weight.requires_grad = False

    def construct(self, img1, img2):
        img1, img2 = _same_images(self.cls_name, img1, img2, (dt.float16, dt.float32))
        whole, _ = self._parts(img1, img2, self.conv.weight)
        return ops.mean(whole, 1)

    def _parts(self, img1, img2, window):
        """The similarity, and its contrast-structure factor, of each channel: ``(N, C)``."""
        shape = img1.shape[:2]
        x, y = (ops.reshape(i, (-1, 1) + i.shape[2:]) for i in (img1, img2))
        window = ops.cast(window, x.dtype)
        mx, my = P.conv2d(x, window), P.conv2d(y, window)
        both = mx * my
        squares = ops.square(mx) + ops.square(my)
        luminance = (2 * both + self.c1) / (squares + self.c1)
        rest = (2 * (P.conv2d(x * y, window) - both) + self.c2) / (
            P.conv2d(ops.square(x) + ops.square(y), window) - squares + self.c2
        )
        whole = ops.mean(luminance * rest, (1, 2, 3))
        return ops.reshape(whole, shape), ops.reshape(ops.mean(rest, (1, 2, 3)), shape)


class MSSSIM(SSIM):
    """`SSIM` over several scales, each half the size of the one before: the product of powers of
    its factors.

    Args:
        max_val (number): the largest possible value. Default 1.
        power_factors (tuple[float], list[float]): one per scale. Default (0.0448, 0.2856, 0.3001,
            0.2363, 0.1333).
        filter_size (int): side of the window. Default 11.
        filter_sigma (float): its standard deviation. Default 1.5.
        k1 (float), k2 (float): in (0, 1), as in `SSIM`. Default 0.01 and 0.03.

    Inputs:
        - **img1** (Tensor[(N, C, H, W)]), **img2** (Tensor[(N, C, H, W)]) - of one dtype,
          uint8 or floating point; the window fits at the smallest scale.

    Outputs:
        Tensor[(N,), float32].

    Raises:
        TypeError: an argument has a wrong type, or the images differ in dtype.
        ValueError: an argument is out of range, or the images are not of one shape of rank 4.

    Source: Wang et al., Multiscale structural similarity for image quality assessment, 2003.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> net = nn.MSSSIM(power_factors=(0.5, 0.5), filter_size=3)
        >>> print(net(ops.ones((1, 3, 16, 16)), ops.ones((1, 3, 16, 16))).asnumpy().round(4))
        [1.]
    """

    def __init__(
        self,
        max_val=1.0,
        power_factors=(0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        filter_size=11,
        filter_sigma=1.5,
        k1=0.01,
        k2=0.03,
    ):
        if not isinstance(power_factors, (tuple, list)):
            raise complain(
                TypeError,
                f"MSSSIM: power_factors has type {type(power_factors).__name__}",
                expected="a tuple of floats",
            )
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        self.power_factors = tuple(power_factors)
        window = _window(filter_size, filter_sigma)
        layers = [
            Conv2d(1, 1, filter_size, weight_init=window, pad_mode="valid") for _ in power_factors
        ]
        self.multi_convs_list = CellList(layers)
        for p in self.multi_convs_list.get_parameters():
            p.requires_grad = False

    def _windows(self, window: Tensor) -> None:
        """Each scale has its own, below."""

    def construct(self, img1, img2):
        dtypes = dt.uint8, dt.float16, dt.float32, dt.float64
        img1, img2 = _same_images(self.cls_name, img1, img2, dtypes)
        product = 1.0
        last = len(self.power_factors) - 1
        for i, power in enumerate(self.power_factors):
            whole, rest = self._parts(img1, img2, self.multi_convs_list[i].weight)
            product = product * ops.relu(whole if i == last else rest) ** power
            if i != last:
                img1, img2 = _halved(img1), _halved(img2)
        return ops.mean(product, 1)


def _same_images(name, img1, img2, dtypes):
    """The images in float32.

    Raises:
        TypeError: their dtypes differ, or are none of ``dtypes``.
        ValueError: they are not of one shape of rank 4.
    """
    if img1.dtype != img2.dtype:
        raise TypeError(f"{name}: img1 is {img1.dtype}, img2 {img2.dtype}; expected one dtype")
    if img1.ndim != 4 or img1.shape != img2.shape:
        raise ValueError(
            f"{name}: img1 has shape {img1.shape}, img2 {img2.shape}; expected one shape of rank 4"
        )
    if img1.dtype not in dtypes:
        raise TypeError(f"{name}: the images are {img1.dtype}; expected one of {dtypes}")
    return ops.cast(img1, dt.float32), ops.cast(img2, dt.float32)


def _halved(x):
    """Means of blocks of 2 by 2; an odd row or column is averaged by itself."""
    return P.avg_pool2d(x, (2, 2), (2, 2), (0, x.shape[2] % 2, 0, x.shape[3] % 2), False)


__all__ = ["MSSSIM", "SSIM"]
