"""What undoes a pool: the maxima at their places."""

from __future__ import annotations

from ... import ops
from ..cell import Cell


class _MaxUnpool(Cell):
    """What the inverses of pools share."""

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding


class MaxUnpool1d(_MaxUnpool):
    """Puts the maxima that `MaxPool1d` found back to their places, with zeros elsewhere.

    Args:
        kernel_size (int): as of the pool.
        stride (int): as of the pool. Default None, the kernel's size.
        padding (int): as of the pool. Default 0.

    Inputs:
        - **x** (Tensor[(N, C, L)]), **indices** (Tensor[(N, C, L), int64]) - what the pool gave.
        - **output_size** (tuple[int]) - of the result, where it cannot be told from the arguments.
          Default None.

    Outputs:
        Tensor[(N, C, L')].

    Raises:
        ValueError: the shapes of ``x`` and ``indices`` differ.

    Examples:
        >>> from minds import Tensor, nn
        >>> nn.MaxUnpool1d(2)(Tensor([[[4.0]]]), Tensor([[[1]]])).tolist()
        [[[0.0, 4.0]]]
    """

    def construct(self, x, indices, output_size=None):
        return ops.max_unpool1d(
            x, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class MaxUnpool2d(_MaxUnpool):
    """Puts the maxima that `MaxPool2d` found back to their places, with zeros elsewhere.

    Args:
        kernel_size (int, tuple[int]): as of the pool.
        stride (int, tuple[int]): as of the pool. Default None, the kernel's size.
        padding (int, tuple[int]): as of the pool. Default 0.

    Inputs:
        - **x** (Tensor[(N, C, H, W)]), **indices** (Tensor[(N, C, H, W), int64])
        - **output_size** (tuple[int]) - of the result, where it cannot be told from the arguments.
            Default None.

    Outputs:
        Tensor[(N, C, H', W')].

    Raises:
        ValueError: the shapes of ``x`` and ``indices`` differ.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> x = ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> nn.MaxUnpool2d(2)(*nn.MaxPool2d(2, 2, return_indices=True)(x)).asnumpy().tolist()
        [[[[0.0, 0.0], [0.0, 4.0]]]]
    """

    def construct(self, x, indices, output_size=None):
        return ops.max_unpool2d(
            x, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class MaxUnpool3d(_MaxUnpool):
    """Puts the maxima that `MaxPool3d` found back to their places, with zeros elsewhere.

    Args:
        kernel_size (int, tuple[int]): as of the pool.
        stride (int, tuple[int]): as of the pool. Default None, the kernel's size.
        padding (int, tuple[int]): as of the pool. Default 0.

    Inputs:
        - **x** (Tensor[(N, C, D, H, W)]), **indices** (Tensor[(N, C, D, H, W), int64]) - what the
          pool gave.
        - **output_size** (tuple[int]) - of the result, where it cannot be told from the arguments.
          Default None.

    Outputs:
        Tensor[(N, C, D', H', W')].

    Raises:
        ValueError: the shapes of ``x`` and ``indices`` differ.

    Examples:
        >>> from minds import Tensor, nn
        >>> nn.MaxUnpool3d((1, 1, 2))(Tensor([[[[[4.0]]]]]), Tensor([[[[[1]]]]])).tolist()
        [[[[[0.0, 4.0]]]]]
    """

    def construct(self, x, indices, output_size=None):
        return ops.max_unpool3d(
            x, indices, self.kernel_size, self.stride, self.padding, output_size
        )


__all__ = ["MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]
