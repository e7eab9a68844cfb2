"""Convolutions under torch's names and with torch's parameters."""

from __future__ import annotations

from ... import nn, ops
from ...base import dtype as dt
from ...base.errors import complain
from ...nn.layer import checks
from ...tensor import Parameter

_MODES = ("zeros", "reflect", "replicate", "circular")


def _padding(name: str, rank: int, kernel_size, padding, dilation, mode: str) -> tuple:
    """What is put around the input before, (first, last) of the last dimension first, or None; and
    the pad_mode and padding of minds' own layer.
    """
    checks.one_of(name, "padding_mode", mode, _MODES)
    word = isinstance(padding, str)
    if word:
        checks.one_of(name, "padding", padding, ("same", "valid"))
    pads = None if word else checks.ints(name, "padding", padding, rank, 0)
    if mode == "zeros" or padding == "valid":
        if word:
            return None, padding, 0
        return None, "pad", tuple(p for p in pads for _ in range(2)) if rank > 1 else pads[0]
    if word:
        kernel = checks.ints(name, "kernel_size", kernel_size, rank, 1)
        spread = checks.ints(name, "dilation", dilation, rank, 1)
        total = [(k - 1) * d for k, d in zip(kernel, spread)]
        pairs = [(n // 2, n - n // 2) for n in total]
    else:
        pairs = [(p, p) for p in pads]
    return tuple(p for pair in reversed(pairs) for p in pair), "valid", 0


class _Padded:
    """What torch's parameters add to a convolution of minds: a padding that is not of zeros is put
    around the input before.
    """

    rank: int
    """The number of dimensions that the window has."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        dtype=None,
    ):
        around, mode, sides = _padding(
            type(self).__name__, self.rank, kernel_size, padding, dilation, padding_mode
        )
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            mode,
            sides,
            dilation,
            groups,
            bias,
            dtype=dtype or dt.float32,
        )
        self.padding_mode, self.around, self.groups = padding_mode, around, groups
        if self.rank == 1:  # that of minds has a height of 1
            self.weight = Parameter(ops.squeeze(self.weight, 2), name="weight")

    def construct(self, input):
        if self.around is not None:
            input = ops.pad(input, self.around, self.padding_mode)
        return super().construct(input)


class Conv1d(_Padded, nn.Conv1d):
    """One-dimensional convolution over ``(N, C, L)``: `nn.Conv1d` with torch's parameters.

    Args:
        in_channels (int), out_channels (int): channels of input and output.
        kernel_size (int, tuple[int]): length of the window.
        stride (int, tuple[int]): steps of the window. Default 1.
        padding (int, tuple[int], str): zeros for all sides or (both ends,), or
            ``same`` or ``valid``. Default 0.
        dilation (int, tuple[int]): spacing of the window's elements. Default 1.
        groups (int): divides the channels into independent groups. Default 1.
        bias (bool): whether a bias is added. Default True.
        padding_mode (str): what the padding is: ``zeros``, ``reflect``, ``replicate`` or
            ``circular``. Default zeros.
        dtype (dtype): of the parameters. Default None, float32.

    Inputs:
        - **input** (Tensor[(N, in_channels, L), float])

    Outputs:
        Tensor[(N, out_channels, L')].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or the channels do not divide into the groups.

    Examples:
        >>> import minds as ms
        >>> ms.mint.nn.Conv1d(3, 8, 5, padding=1)(ms.ops.ones((1, 3, 9))).shape
        (1, 8, 7)
    """

    rank = 1


class Conv2d(_Padded, nn.Conv2d):
    """Two-dimensional convolution over ``(N, C, H, W)``: `nn.Conv2d` with torch's parameters.

    Args:
        in_channels (int), out_channels (int): channels of input and output.
        kernel_size (int, tuple[int]): height and width of the window.
        stride (int, tuple[int]): steps of the window. Default 1.
        padding (int, tuple[int], str): zeros for all sides or (vertical, horizontal), or
            ``same`` or ``valid``. Default 0.
        dilation (int, tuple[int]): spacing of the window's elements. Default 1.
        groups (int): divides the channels into independent groups. Default 1.
        bias (bool): whether a bias is added. Default True.
        padding_mode (str): what the padding is: ``zeros``, ``reflect``, ``replicate`` or
            ``circular``. Default zeros.
        dtype (dtype): of the parameters. Default None, float32.

    Inputs:
        - **input** (Tensor[(N, in_channels, H, W), float])

    Outputs:
        Tensor[(N, out_channels, H', W')].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or the channels do not divide into the groups.

    Examples:
        >>> import minds as ms
        >>> ms.mint.nn.Conv2d(3, 8, 5, padding=(2, 0))(ms.ops.ones((1, 3, 9, 9))).shape
        (1, 8, 9, 5)
    """

    rank = 2


class Conv3d(_Padded, nn.Conv3d):
    """Three-dimensional convolution over ``(N, C, D, H, W)``: `nn.Conv3d` with torch's parameters.

    Args:
        in_channels (int), out_channels (int): channels of input and output.
        kernel_size (int, tuple[int]): depth, height and width of the window.
        stride (int, tuple[int]): steps of the window. Default 1.
        padding (int, tuple[int], str): zeros for all sides or one number for each dimension, or
            ``same`` or ``valid``. Default 0.
        dilation (int, tuple[int]): spacing of the window's elements. Default 1.
        groups (int): divides the channels into independent groups. Default 1.
        bias (bool): whether a bias is added. Default True.
        padding_mode (str): what the padding is: ``zeros``, ``reflect``, ``replicate`` or
            ``circular``. Default zeros.
        dtype (dtype): of the parameters. Default None, float32.

    Inputs:
        - **input** (Tensor[(N, in_channels, D, H, W), float])

    Outputs:
        Tensor[(N, out_channels, D', H', W')].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or the channels do not divide into the groups.

    Examples:
        >>> import minds as ms
        >>> ms.mint.nn.Conv3d(3, 8, 3, padding=1)(ms.ops.ones((1, 3, 4, 9, 9))).shape
        (1, 8, 4, 9, 9)
    """

    rank = 3


class ConvTranspose2d(nn.Conv2dTranspose):
    """The gradient of a two-dimensional convolution with respect to its input, over ``(N, C, H, W)``:
    `nn.Conv2dTranspose` with torch's parameters.

    Args:
        in_channels (int), out_channels (int): channels of input and output.
        kernel_size (int, tuple[int]): height and width of the window.
        stride (int, tuple[int]): steps of the window in the output. Default 1.
        padding (int, tuple[int]): what is cut off on all sides or (vertical, horizontal). Default 0.
        output_padding (int, tuple[int]): rows and columns added at the ends. Default 0.
        groups (int): divides the channels into independent groups. Default 1.
        bias (bool): whether a bias is added. Default True.
        dilation (int, tuple[int]): spacing of the window's elements. Default 1.
        padding_mode (str): must be ``zeros``. Default zeros.
        dtype (dtype): of the parameters. Default None, float32.

    Inputs:
        - **input** (Tensor[(N, in_channels, H, W), float])

    Outputs:
        Tensor[(N, out_channels, H', W')].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or ``padding_mode`` is not ``zeros``.

    Examples:
        >>> import minds as ms
        >>> ms.mint.nn.ConvTranspose2d(3, 8, 4, 2, 1)(ms.ops.ones((1, 3, 5, 5))).shape
        (1, 8, 10, 10)
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        dtype=None,
    ):
        if padding_mode != "zeros":
            raise complain(
                ValueError,
                f"ConvTranspose2d: padding_mode is {padding_mode!r}",
                expected="'zeros'",
            )
        _, mode, sides = _padding("ConvTranspose2d", 2, kernel_size, padding, dilation, "zeros")
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            mode,
            sides,
            output_padding,
            dilation,
            groups,
            bias,
            dtype=dtype or dt.float32,
        )
        self.padding_mode = padding_mode

    def construct(self, input):
        return super().construct(input)


__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d"]
