"""Pooling of volumes ``(N, C, D, H, W)``, and pools of random windows."""

from __future__ import annotations

from ... import ops
from ...base.errors import complain
from ...ops.function.windows import ceiled_pads, max_volume, mean_volume, same_pads
from ..cell import Cell
from . import checks


def volume_pads(cell: str, pad_mode: str, padding) -> tuple:
    """``padding`` as (front, back, top, bottom, left, right); one or three ints are for both
    sides.
    """
    if not checks.is_int(padding) and isinstance(padding, (tuple, list)) and len(padding) == 3:
        padding = tuple(p for p in padding for _ in range(2))
    pads = checks.ints(cell, "padding", padding, 6, 0)
    if pad_mode != "pad" and any(pads):
        raise complain(
            ValueError,
            f"{cell}: padding is {padding} with pad_mode {pad_mode!r}",
            expected="0 unless pad_mode is 'pad'",
        )
    return pads


class _Pool3d(Cell):
    """What the pools share."""

    def __init__(self, kernel_size, stride, pad_mode, padding, ceil_mode, dilation=1):
        super().__init__()
        name = self.cls_name
        self._given = kernel_size, stride
        self.kernel_size = checks.ints(name, "kernel_size", kernel_size, 3)
        self.stride = checks.ints(name, "stride", stride, 3)
        self.dilation = checks.ints(name, "dilation", dilation, 3)
        self.pad_mode = checks.word_of(
            name, "pad_mode", pad_mode, ("valid", "same", "pad"), any_case=True
        )
        self.pads = volume_pads(name, self.pad_mode, padding)
        self.ceil_mode = checks.boolean(name, "ceil_mode", ceil_mode)

    def _pads_for(self, size):
        """The padding of each dimension, two numbers each, without what ceil_mode adds."""
        if self.pad_mode == "same":
            return same_pads(size, self.kernel_size, self.stride, self.dilation)
        return self.pads

    def extend_repr(self):
        size, step = self._given
        return f"kernel_size={size}, stride={step}, pad_mode={self.pad_mode.upper()}"


class MaxPool3d(_Pool3d):
    """The largest element of each window of ``(N, C, D, H, W)`` or ``(C, D, H, W)``.

    Args:
        kernel_size (int, tuple[int]): depth, height and width of the window. Default 1.
        stride (int, tuple[int]): steps of the window. Default 1.
        pad_mode (str): ``same``, ``valid`` or ``pad``. Default valid.
        padding (int, tuple[int]): with ``pad``: for all sides, for each dimension, or for each
            side. Default 0.
        dilation (int, tuple[int]): spacing of the window's elements. Default 1.
        return_indices (bool): also return where in its volume each element was. Default False.
        ceil_mode (bool): let the last window reach over the end. Default False.

    Inputs:
        - **x** (Tensor[(N, C, D, H, W) or (C, D, H, W), float])

    Outputs:
        Tensor[(N, C, D', H', W') or (C, D', H', W')], and the int64 indices where asked for.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or padding without mode ``pad``.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.MaxPool3d(2, 2)(ms.ops.ones((1, 3, 4, 4, 5))).shape
        (1, 3, 2, 2, 2)
    """

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        dilation=1,
        return_indices=False,
        ceil_mode=False,
    ):
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, dilation)
        self.return_indices = checks.boolean("MaxPool3d", "return_indices", return_indices)

    def construct(self, x):
        size = x.shape[-3:]
        pads = self._pads_for(size)
        if self.ceil_mode:
            pads = ceiled_pads(size, self.kernel_size, self.stride, pads, self.dilation)
        out, index = max_volume(x, self.kernel_size, self.stride, pads, self.dilation)
        return (out, index) if self.return_indices else out


class AvgPool3d(_Pool3d):
    """The mean of each window of ``(N, C, D, H, W)`` or ``(C, D, H, W)``.

    Args:
        kernel_size (int, tuple[int]): depth, height and width of the window. Default 1.
        stride (int, tuple[int]): steps of the window. Default 1.
        pad_mode (str): ``same``, ``valid`` or ``pad``. Default valid.
        padding (int, tuple[int]): with ``pad``: for all sides, for each dimension, or for each
            side. Default 0.
        ceil_mode (bool): let the last window reach over the end. Default False.
        count_include_pad (bool): whether padding counts as zeros. Default True.
        divisor_override (int): divides the sum instead of the window's size. Default None.

    Inputs:
        - **x** (Tensor[(N, C, D, H, W) or (C, D, H, W), float])

    Outputs:
        Tensor[(N, C, D', H', W') or (C, D', H', W')].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or padding without mode ``pad``.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.AvgPool3d(2, 2)(ms.ops.ones((1, 3, 4, 4, 5))).shape
        (1, 3, 2, 2, 2)
    """

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode)
        self.count_include_pad = checks.boolean("AvgPool3d", "count_include_pad", count_include_pad)
        if divisor_override is not None:
            checks.positive_int("AvgPool3d", "divisor_override", divisor_override)
        self.divisor_override = divisor_override

    def construct(self, x):
        return mean_volume(
            x,
            self.kernel_size,
            self.stride,
            self._pads_for(x.shape[-3:]),
            self.count_include_pad,
            self.ceil_mode,
            self.divisor_override,
        )


def _sizes(cell: str, output_size):
    """``output_size``, which must be an int, or ints and None in a tuple."""
    for n in output_size if isinstance(output_size, tuple) else (output_size,):
        if n is not None or n is output_size:
            checks.int_at_least(cell, "output_size", n, 0)
    return output_size


class AdaptiveAvgPool3d(Cell):
    """The means of blocks of ``(N, C, D, H, W)`` or ``(C, D, H, W)``, such that the output has a
    given size.

    Args:
        output_size (int, tuple[int]): the sizes of the result; None keeps a size.

    Inputs:
        - **input** (Tensor[(N, C, D, H, W) or (C, D, H, W), float])

    Outputs:
        ``Tensor[(N, C, *output_size) or (C, *output_size)]``.

    Raises:
        ValueError: ``output_size`` has another number of elements than 3.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.AdaptiveAvgPool3d((2, None, 3))(ms.ops.ones((1, 3, 4, 5, 7))).shape
        (1, 3, 2, 5, 3)
    """

    def __init__(self, output_size):
        super().__init__()
        self.output_size = _sizes(self.cls_name, output_size)

    def construct(self, input):
        return ops.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool3d(Cell):
    """The largest elements of blocks of ``(N, C, D, H, W)`` or ``(C, D, H, W)``, such that the
    output has a given size.

    Args:
        output_size (int, tuple[int]): the sizes of the result; None keeps a size.
        return_indices (bool): also return where the maxima are. Default False.

    Inputs:
        - **input** (Tensor[(N, C, D, H, W) or (C, D, H, W), float])

    Outputs:
        ``Tensor[(N, C, *output_size) or (C, *output_size)]``, and the indices where asked for.

    Raises:
        TypeError: ``return_indices`` is no bool.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.AdaptiveMaxPool3d((2, 2, 3))(ms.ops.ones((1, 3, 4, 5, 7))).shape
        (1, 3, 2, 2, 3)
    """

    def __init__(self, output_size, return_indices=False):
        super().__init__()
        self.output_size = _sizes(self.cls_name, output_size)
        self.return_indices = checks.boolean("AdaptiveMaxPool3d", "return_indices", return_indices)

    def construct(self, input):
        return ops.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class _FractionalMaxPool(Cell):
    """What the pools of random windows share."""

    def __init__(
        self,
        kernel_size,
        output_size=None,
        output_ratio=None,
        return_indices=False,
        _random_samples=None,
    ):
        super().__init__()
        self.kernel_size, self.output_size, self.output_ratio = (
            kernel_size,
            output_size,
            output_ratio,
        )
        self.return_indices = checks.boolean(self.cls_name, "return_indices", return_indices)
        self._random_samples = _random_samples


class FractionalMaxPool2d(_FractionalMaxPool):
    """The maxima of windows whose distances are drawn at random; see `ops.fractional_max_pool2d`.

    Args:
        kernel_size (int, tuple[int]): height and width of the windows.
        output_size (int, tuple[int]): height and width of the result. Default None.
        output_ratio (float, tuple[float]): the result's size as a part of the input's, in (0, 1).
            Default None.
        return_indices (bool): also return where in its plane each element was. Default False.
        _random_samples (Tensor[(N, C, 2), float]): what is drawn, in [0, 1). Default None.

    Inputs:
        - **input** (Tensor[(N, C, H, W) or (C, H, W), float])

    Outputs:
        Tensor of the output size, and the int64 indices where asked for.

    Raises:
        TypeError: ``return_indices`` is no bool.
        ValueError: neither ``output_size`` nor ``output_ratio``, or both.

    Source: Graham, Fractional Max-Pooling, 2014.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.FractionalMaxPool2d(2, output_ratio=(0.5, 0.6))(ms.ops.ones((1, 3, 5, 5))).shape
        (1, 3, 2, 3)
    """

    def construct(self, input):
        return ops.fractional_max_pool2d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            self._random_samples,
        )


class FractionalMaxPool3d(_FractionalMaxPool):
    """The maxima of windows of volumes whose distances are drawn at random; see
    `ops.fractional_max_pool3d`.

    Args:
        kernel_size (int, tuple[int]): depth, height and width of the windows.
        output_size (int, tuple[int]): depth, height and width of the result. Default None.
        output_ratio (float, tuple[float]): the result's size as a part of the input's, in (0, 1).
            Default None.
        return_indices (bool): also return where in its volume each element was. Default False.
        _random_samples (Tensor[(N, C, 3), float]): what is drawn, in [0, 1). Default None.

    Inputs:
        - **input** (Tensor[(N, C, D, H, W) or (C, D, H, W), float])

    Outputs:
        Tensor of the output size, and the int64 indices where asked for.

    Raises:
        TypeError: ``return_indices`` is no bool.
        ValueError: neither ``output_size`` nor ``output_ratio``, or both.

    Source: Graham, Fractional Max-Pooling, 2014.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.FractionalMaxPool3d(2, output_size=(2, 2, 3))(ms.ops.ones((1, 3, 5, 5, 5))).shape
        (1, 3, 2, 2, 3)
    """

    def construct(self, input):
        return ops.fractional_max_pool3d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            self._random_samples,
        )


__all__ = [
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool3d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "MaxPool3d",
    "volume_pads",
]
