"""Pooling over windows, and adaptive pooling to a given output size."""

from __future__ import annotations

from ... import ops
from ...base.errors import complain
from ...base.late import all_of, late
from ...ops.define import P
from ...ops.function.common import window_pad
from ...ops.function.windows import edges_of
from ..cell import Cell
from . import checks


class _Pool(Cell):
    """What the pooling cells share: windows over the last two dimensions of a ``(N, C, H, W)`` or
    ``(C, H, W)`` input.

    ``dims`` is 1 or 2; a one-dimensional pool runs with a height of 1.
    """

    dims = 2
    _ceils = ("PAD",)  # the modes of padding that go with ``ceil_mode``

    def __init__(
        self, kernel_size, stride, pad_mode, padding, ceil_mode, dilation=1, data_format="NCHW"
    ):
        super().__init__()
        name, n = self.cls_name, self.dims
        lead = (1,) * (2 - n)
        self.kernel_size = lead + checks.ints(name, "kernel_size", kernel_size, n)
        self.stride = lead + checks.ints(name, "stride", stride, n)
        self.shown = (kernel_size, stride) if n == 2 else (self.kernel_size, self.stride)
        self.dilation = lead + checks.ints(name, "dilation", dilation, n)
        self.pad_mode = checks.word_of(
            name, "pad_mode", pad_mode, ("valid", "same", "pad"), any_case=True
        ).upper()
        self.padding = (0,) * (2 - n) + checks.ints(name, "padding", padding, n, 0)
        self.ceil_mode = checks.boolean(name, "ceil_mode", ceil_mode)
        self.format = checks.one_of(name, "data_format", data_format, ("NCHW", "NHWC"))
        if self.pad_mode != "PAD" and any(self.padding):
            raise complain(
                ValueError,
                f"{name}: padding is {padding} with pad_mode {pad_mode!r}",
                expected="0 unless pad_mode is 'pad'",
            )
        if ceil_mode and self.pad_mode not in self._ceils:
            raise complain(
                ValueError,
                f"{name}: ceil_mode is True with pad_mode {pad_mode!r}",
                expected="False unless pad_mode is 'pad'",
            )

    def extend_repr(self):
        return f"kernel_size={self.shown[0]}, stride={self.shown[1]}, pad_mode={self.pad_mode}"

    def _pads(self, x):
        """``(top, bottom, left, right)`` for this input."""
        if self.pad_mode == "SAME":
            return window_pad("same", 0, x.shape[2:], self.kernel_size, self.stride, self.dilation)
        return self._pads_along(x.shape[2], 0) + self._pads_along(x.shape[3], 1)

    def _pads_along(self, size, axis):
        """Explicit padding; with ``ceil_mode`` enough behind the end that the last window fits."""
        pad, stride = self.padding[axis], self.stride[axis]
        if not self.ceil_mode:
            return (pad, pad)
        reach = self.dilation[axis] * (self.kernel_size[axis] - 1) + 1
        count = -(-(size + 2 * pad - reach) // stride) + 1
        # A window that would start in the padding behind the end is left out.
        if (count - 1) * stride >= size + pad:
            count = count - 1
        return (pad, max((count - 1) * stride + reach - size - pad, pad))

    def _images(self, x):
        """The input as ``(N, C, H, W)``."""
        if self.format == "NHWC":
            return ops.transpose(x, (0, 3, 1, 2))
        if self.dims == 1:
            x = ops.expand_dims(x, x.ndim - 1)
        return ops.expand_dims(x, 0) if x.ndim == 3 else x

    def _back(self, out, x):
        """``out`` in the layout of ``x``."""
        if self.format == "NHWC":
            return ops.transpose(out, (0, 2, 3, 1))
        if x.ndim == self.dims + 1:
            out = ops.squeeze(out, 0)
        return ops.squeeze(out, out.ndim - 2) if self.dims == 1 else out


class MaxPool2d(_Pool):
    """The largest element of each window of ``(N, C, H, W)`` or ``(C, H, W)``.

    Args:
        kernel_size (int, tuple[int]): height and width of the window. Default 1.
        stride (int, tuple[int]): steps of the window. Default 1.
        pad_mode (str): ``same``, ``valid`` or ``pad``. Default valid.
        padding (int, tuple[int]): with ``pad``, rows and columns on each side, smaller than every
            element. Default 0.
        dilation (int, tuple[int]): spacing of the window's elements. Default 1.
        return_indices (bool): also return where in its plane each element was. Default False.
        ceil_mode (bool): with ``pad``, let the last window reach over the end. Default False.
        data_format (str): ``NCHW`` or ``NHWC``. Default NCHW.

    Inputs:
        - **x** (Tensor[(N, C, H, W) or (C, H, W)])

    Outputs:
        Tensor[(N, C, H', W') or (C, H', W')], and the int64 indices where asked for.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or padding or ``ceil_mode`` without mode ``pad``.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.MaxPool2d(2, 2)(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])).asnumpy().item()
        4.0
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
        data_format="NCHW",
    ):
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, dilation, data_format)
        self.return_indices = checks.boolean(self.cls_name, "return_indices", return_indices)

    def construct(self, x):
        images = self._images(x)
        out, index = P.max_pool2d(
            images, self.kernel_size, self.stride, self._pads(images), self.dilation
        )
        out = self._back(out, x)
        if self.return_indices:
            return out, self._back(index, x)
        return out


class MaxPool1d(MaxPool2d):
    """The largest element of each window of ``(N, C, L)`` or ``(C, L)``.

    Args:
        kernel_size (int): size of the window. Default 1.
        stride (int): steps of the window. Default 1.
        pad_mode (str): ``same``, ``valid`` or ``pad``. Default valid.
        padding (int): with ``pad``, elements on each side, smaller than every other. Default 0.
        dilation (int): spacing of the window's elements. Default 1.
        return_indices (bool): also return where in its row each element was. Default False.
        ceil_mode (bool): with ``pad``, let the last window reach over the end. Default False.

    Inputs:
        - **x** (Tensor[(N, C, L) or (C, L)])

    Outputs:
        Tensor[(N, C, L') or (C, L')], and the int64 indices where asked for.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or padding or ``ceil_mode`` without mode ``pad``.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.MaxPool1d(3, 1)(ms.ops.ones((1, 2, 4))).shape
        (1, 2, 2)
    """

    dims = 1

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
        super().__init__(
            kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode
        )


class AvgPool2d(_Pool):
    """The mean of each window of ``(N, C, H, W)`` or ``(C, H, W)``.

    Args:
        kernel_size (int, tuple[int]): height and width of the window. Default 1.
        stride (int, tuple[int]): steps of the window. Default 1.
        pad_mode (str): ``same``, ``valid`` or ``pad``. Default valid.
        padding (int, tuple[int]): with ``pad``, rows and columns of zeros on each side. Default 0.
        ceil_mode (bool): let the last window reach over the end. Default False.
        count_include_pad (bool): whether padding counts as zeros; with ``same`` and without
            ``ceil_mode`` it never does. Default True.
        divisor_override (int): divides the sum instead of the window's size. Default None.
        data_format (str): ``NCHW`` or ``NHWC``. Default NCHW.

    Inputs:
        - **x** (Tensor[(N, C, H, W) or (C, H, W), float])

    Outputs:
        Tensor[(N, C, H', W') or (C, H', W')].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or padding without mode ``pad``.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.AvgPool2d(2)(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])).asnumpy().item()
        2.5
    """

    _ceils = ("PAD", "VALID", "SAME")

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
        data_format="NCHW",
    ):
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, 1, data_format)
        self.count_include_pad = checks.boolean(
            self.cls_name, "count_include_pad", count_include_pad
        )
        if divisor_override is not None:
            checks.positive_int(self.cls_name, "divisor_override", divisor_override)
        self.divisor_override = divisor_override

    def construct(self, x):
        images = self._images(x)
        same = self.pad_mode == "SAME"
        if same and not self.ceil_mode and self.divisor_override is None:
            out = P.avg_pool2d(images, self.kernel_size, self.stride, self._pads(images), False)
        else:
            pads = self._pads(images) if same else self.padding
            out = ops.avg_pool2d(
                images,
                self.kernel_size,
                self.stride,
                pads,
                self.ceil_mode and not same,
                self.count_include_pad,
                0 if self.divisor_override is None else self.divisor_override,
            )
        return self._back(out, x)


class AvgPool1d(AvgPool2d):
    """The mean of each window of ``(N, C, L)`` or ``(C, L)``.

    Args:
        kernel_size (int): size of the window. Default 1.
        stride (int): steps of the window. Default 1.
        pad_mode (str): ``same``, ``valid`` or ``pad``. Default valid.
        padding (int): with ``pad``, zeros on each side. Default 0.
        ceil_mode (bool): let the last window reach over the end. Default False.
        count_include_pad (bool): whether padding counts as zeros; with ``same`` and without
            ``ceil_mode`` it never does. Default True.

    Inputs:
        - **x** (Tensor[(N, C, L) or (C, L), float])

    Outputs:
        Tensor[(N, C, L') or (C, L')].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or padding without mode ``pad``.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.AvgPool1d(3, 1)(ms.ops.ones((1, 2, 4))).shape
        (1, 2, 2)
    """

    dims = 1

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
    ):
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad)


class _AdaptivePool(Cell):
    """Pools to a given output size."""

    dims = 2

    def __init__(self, output_size):
        super().__init__()
        name = self.cls_name
        if checks.is_int(output_size):
            output_size = (output_size,) * self.dims
        if not isinstance(output_size, tuple) or len(output_size) != self.dims:
            raise complain(
                TypeError,
                f"{name}: output_size is {output_size!r}",
                expected=f"an int or a tuple of {self.dims} ints or None",
            )
        for n in output_size:
            if n is not None:
                checks.positive_int(name, "output_size", n)
        self.output_size = output_size

    def construct(self, x):
        images = x
        if self.dims == 1:
            images = ops.expand_dims(images, x.ndim - 1)
        if x.ndim == self.dims + 1:
            images = ops.expand_dims(images, 0)
        out = self._pool(
            images,
            tuple(
                n if w is None else w
                for n, w in zip(images.shape[2:], (None,) * (2 - self.dims) + self.output_size)
            ),
        )
        if x.ndim == self.dims + 1:
            out = ops.squeeze(out, 0)
        if self.dims == 1:
            out = ops.squeeze(out, out.ndim - 2)
        return out


class AdaptiveAvgPool2d(_AdaptivePool):
    """The means of blocks of ``(N, C, H, W)`` or ``(C, H, W)``, such that the output has a given
    size.

    Args:
        output_size (int, tuple[int]): height and width; None keeps the input's.

    Inputs:
        - **x** (Tensor[(N, C, H, W) or (C, H, W), float])

    Outputs:
        ``Tensor[(N, C, *output_size) or (C, *output_size)]``.

    Raises:
        TypeError: ``output_size`` is neither an int nor a tuple of two.
        ValueError: one is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.AdaptiveAvgPool2d((2, None))(ms.ops.ones((1, 3, 5, 7))).shape
        (1, 3, 2, 7)
    """

    def _pool(self, x, size):
        return ops.adaptive_avg_pool2d(x, size)


class AdaptiveAvgPool1d(AdaptiveAvgPool2d):
    """The means of blocks of ``(N, C, L)`` or ``(C, L)``, such that the output has a given size.

    Args:
        output_size (int): the size.

    Inputs:
        - **x** (Tensor[(N, C, L) or (C, L), float])

    Outputs:
        Tensor[(N, C, output_size) or (C, output_size)].

    Raises:
        TypeError: ``output_size`` is no int.
        ValueError: it is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.AdaptiveAvgPool1d(2)(ms.Tensor([[1.0, 2.0, 3.0, 4.0]])))
        [[1.5 3.5]]
    """

    dims = 1


class AdaptiveMaxPool2d(_AdaptivePool):
    """The largest elements of blocks of ``(N, C, H, W)`` or ``(C, H, W)``, such that the output has
    a given size.

    Args:
        output_size (int, tuple[int]): height and width; None keeps the input's.
        return_indices (bool): also return where in its plane each element was; needs blocks of
            equal size. Default False.

    Inputs:
        - **input** (Tensor[(N, C, H, W) or (C, H, W), float])

    Outputs:
        ``Tensor[(N, C, *output_size) or (C, *output_size)]``, and the int64 indices where asked for.

    Raises:
        TypeError: ``output_size`` is neither an int nor a tuple of two, or ``return_indices`` no
            bool.
        ValueError: a size is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.AdaptiveMaxPool2d((1, 2))(ms.Tensor([[[1.0, 2.0, 3.0], [6.0, 5.0, 4.0]]])))
        [[[6. 5.]]]
    """

    def __init__(self, output_size, return_indices=False):
        super().__init__(output_size)
        self.return_indices = checks.boolean(self.cls_name, "return_indices", return_indices)

    def construct(self, input):
        if not self.return_indices:
            return super().construct(input)
        return ops.adaptive_max_pool2d(input, self.output_size, True)

    def _pool(self, x, size):
        height, width = x.shape[2], x.shape[3]
        if height % size[0] == 0 and width % size[1] == 0:
            window = (height // size[0], width // size[1])
            return P.max_pool2d(x, window, window, (0, 0, 0, 0), (1, 1))[0]
        x = ops.stack(
            [ops.amax(x[:, :, first:last], 2) for first, last in edges_of(height, size[0])], 2
        )
        return ops.stack(
            [ops.amax(x[:, :, :, first:last], 3) for first, last in edges_of(width, size[1])], 3
        )


class AdaptiveMaxPool1d(AdaptiveMaxPool2d):
    """The largest elements of blocks of ``(N, C, L)`` or ``(C, L)``, such that the output has a
    given size.

    Args:
        output_size (int): the size.

    Inputs:
        - **x** (Tensor[(N, C, L) or (C, L), float])

    Outputs:
        Tensor[(N, C, output_size) or (C, output_size)].

    Raises:
        TypeError: ``output_size`` is no int.
        ValueError: it is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.AdaptiveMaxPool1d(2)(ms.Tensor([[1.0, 2.0, 3.0, 4.0]])))
        [[2. 4.]]
    """

    dims = 1

    def __init__(self, output_size):
        super().__init__(output_size)


__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "MaxPool1d",
    "MaxPool2d",
]

# MindSpore has other layers here too.
__getattr__, __dir__ = late(__name__, {}, (), all_of("nn"))
