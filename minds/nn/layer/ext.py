"""Layers with the arguments of torch, which `minds.mint.nn` exports under torch's names."""

from __future__ import annotations

import numpy as np

from ... import ops
from ...base import dtype as dt
from ...common.initializer import initializer
from ...tensor import Parameter, Tensor
from ..cell import Cell
from ..loss.regression import L1Loss
from . import checks
from .basic import Dropout, Dropout2d
from .norm import LayerNorm
from .softmax import LogSoftmax


class EmbeddingExt(Cell):
    """Looks up rows of a table.

    Args:
        num_embeddings (int), embedding_dim (int): shape of the table.
        padding_idx (int): a row that starts at zero and gets no gradient. Default None.
        max_norm (float): rows are scaled down to this norm when they are looked up, in the table too.
            Default None.
        norm_type (float): p of that norm. Default 2.
        scale_grad_by_freq (bool): whether the gradient of a row is divided by how often the indices
            have it. Default False.
        sparse (bool): not supported, must be False.
        _weight (Tensor): first values. Default None, normal.
        _freeze (bool): do not train the table. Default False.
        dtype (dtype): Default None, float32.

    Inputs:
        - **input** (Tensor[(...), int]) - indices of rows.

    Outputs:
        Tensor[(..., embedding_dim)].

    Raises:
        TypeError: a size is no int.
        ValueError: an argument is out of range or not supported.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.EmbeddingExt(5, 2)(ms.Tensor([[1, 4]])).shape
        (1, 2, 2)
    """

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
        _weight=None,
        _freeze=False,
        dtype=None,
    ):
        super().__init__()
        checks.positive_int("EmbeddingExt", "num_embeddings", num_embeddings)
        checks.positive_int("EmbeddingExt", "embedding_dim", embedding_dim)
        checks.one_of("EmbeddingExt", "sparse", sparse, (False,))
        if padding_idx is not None:
            checks.number_in(
                "EmbeddingExt", "padding_idx", padding_idx, -num_embeddings, num_embeddings, "[)"
            )
            padding_idx %= num_embeddings
        self.padding_idx, self.max_norm, self.norm_type = padding_idx, max_norm, float(norm_type)
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.dtype = dtype or dt.float32
        table = initializer(
            "normal" if _weight is None else _weight,
            [num_embeddings, embedding_dim],
            dtype or dt.float32,
        )
        if padding_idx is not None and _weight is None:
            values = np.array(table.asnumpy())
            values[padding_idx] = 0
            table = Tensor(values, table.dtype)
        self.weight = Parameter(table, name="weight", requires_grad=not _freeze)

    def construct(self, input):
        bound = self.max_norm, self.norm_type, self.scale_grad_by_freq
        return ops.embedding(input, self.weight, self.padding_idx, *bound)


class LayerNormExt(LayerNorm):
    """Normalises the last dimensions.

    Args:
        normalized_shape (int, tuple[int]): their sizes.
        eps (float): added to the variance. Default 1e-5.
        elementwise_affine (bool): with trained scale and offset. Default True.
        bias (bool): with the offset. Default True.
        dtype (dtype): of the parameters. Default None, float32.

    Inputs:
        - **input** (Tensor[float]) - its last dimensions are ``normalized_shape``.

    Outputs:
        Tensor, of the shape and dtype of the input.

    Raises:
        TypeError: ``eps`` is no number.
        ValueError: the last dimensions of the input are others.

    Source: Ba et al., Layer Normalization, 2016.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.LayerNormExt(2)(ms.Tensor([[1.0, -1.0], [3.0, 5.0]])).asnumpy().round(3))
        [[ 1. -1.]
         [-1.  1.]]
    """

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, dtype=None):
        shape = (
            (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        )
        super().__init__(shape, -len(shape), -len(shape), epsilon=eps, dtype=dtype or dt.float32)
        self.weight, self.bias = self.gamma, self.beta
        del self.gamma, self.beta
        self.weight.name, self.bias.name = "weight", "bias"
        self.weight.requires_grad = elementwise_affine
        self.bias.requires_grad = elementwise_affine and bias
        self.elementwise_affine = elementwise_affine

    @property
    def eps(self) -> float:
        """What is added to the variance.

        Returns:
            float: ``eps`` of the constructor.

        Examples:
            >>> from minds import mint
            >>> mint.nn.LayerNorm(4, eps=1e-3).eps
            0.001
        """
        return self.epsilon

    def construct(self, input):
        shape = tuple(self.normalized_shape)
        return ops.layer_norm(input, shape, self.weight, self.bias, self.epsilon)

    def extend_repr(self):
        return f"normalized_shape={self.normalized_shape}, eps={self.epsilon}"


class DropoutExt(Dropout):
    """The layer `Dropout` with the probability to be zeroed first.

    Args:
        p (float): the probability, in [0, 1]. Default 0.5.
        inplace (bool): not supported, must be False.

    Inputs:
        - **input** (Tensor[float])

    Outputs:
        Tensor, of the shape and dtype of ``input``.

    Raises:
        TypeError: ``p`` is no number.
        ValueError: ``p`` is out of range, or ``inplace`` is True.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.DropoutExt(1.0).set_train()(ms.Tensor([1.0, 2.0])))
        [0. 0.]
    """

    def __init__(self, p=0.5, inplace=False):
        super().__init__(p=p) if p < 1 else Cell.__init__(self)
        checks.one_of("DropoutExt", "inplace", inplace, (False,))
        self.p = checks.number_in("DropoutExt", "p", p, 0, 1)

    def construct(self, input):
        if self.p == 1:
            return ops.zeros_like(input) if self.training else input
        return super().construct(input)


class Dropout2dExt(Dropout2d):
    """The layer `Dropout2d` with torch's arguments.

    Args:
        p (float): the probability of a channel to be zeroed, in [0, 1]. Default 0.5.
        inplace (bool): not supported, must be False.

    Inputs:
        - **x** (Tensor[(N, C, H, W) or (C, H, W), float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``p`` is no number.
        ValueError: ``p`` is out of range, or ``inplace`` is True.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> nn.Dropout2dExt(0.5)(ops.ones((1, 2, 3, 3))).shape
        (1, 2, 3, 3)
    """

    def __init__(self, p=0.5, inplace=False):
        super().__init__(p)
        checks.one_of("Dropout2dExt", "inplace", inplace, (False,))


class MaxPool2dExt(Cell):
    """The largest element of each window, with torch's arguments; see `ops.max_pool2d`.

    Args:
        kernel_size (int, tuple[int]): height and width of the window. Default 1.
        stride (int, tuple[int]): steps of the window. Default None, the kernel's size.
        padding (int, tuple[int]): rows and columns on each side, smaller than every element.
            Default 0.
        dilation (int, tuple[int]): spacing of the window's elements. Default 1.
        return_indices (bool): also return where in its plane each element was. Default False.
        ceil_mode (bool): let the last window reach over the end. Default False.

    Inputs:
        - **input** (Tensor[(N, C, H, W) or (C, H, W)])

    Outputs:
        Tensor[(N, C, H', W') or (C, H', W')], and the int64 indices where asked for.

    Raises:
        ValueError: an argument is out of range.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.MaxPool2dExt(2)(ms.Tensor([[[1.0, 2.0], [3.0, 4.0]]])))
        [[[4.]]]
    """

    def __init__(
        self,
        kernel_size=1,
        stride=None,
        padding=0,
        dilation=1,
        return_indices=False,
        ceil_mode=False,
    ):
        super().__init__()
        self.settings = (kernel_size, stride, padding, dilation, return_indices, ceil_mode)

    def construct(self, input):
        return ops.max_pool2d(input, *self.settings)


class AvgPool2dExt(Cell):
    """The mean of each window, with torch's arguments; see `ops.avg_pool2d`.

    Args:
        kernel_size (int, tuple[int]): height and width of the window.
        stride (int, tuple[int]): steps of the window. Default None, the kernel's size.
        padding (int, tuple[int]): rows and columns of zeros on each side. Default 0.
        ceil_mode (bool): let the last window reach over the end. Default False.
        count_include_pad (bool): whether padding counts. Default True.
        divisor_override (int): divides the sum instead of the window's size. Default None.

    Inputs:
        - **input** (Tensor[(N, C, H, W) or (C, H, W), float])

    Outputs:
        Tensor[(N, C, H', W') or (C, H', W')].

    Raises:
        ValueError: an argument is out of range.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.AvgPool2dExt(2)(ms.Tensor([[[1.0, 2.0], [3.0, 4.0]]])))
        [[[2.5]]]
    """

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.settings = (padding, ceil_mode, count_include_pad, divisor_override or 0)

    def construct(self, input):
        return ops.avg_pool2d(input, self.kernel_size, self.stride, *self.settings)


class AvgPool3dExt(AvgPool2dExt):
    """The mean of each window of volumes, with torch's arguments; see `ops.avg_pool3d`.

    Args:
        kernel_size (int, tuple[int]): depth, height and width of the window.
        stride (int, tuple[int]): steps of the window. Default None, the kernel's size.
        padding (int, tuple[int]): zeros on each side. Default 0.
        ceil_mode (bool): let the last window reach over the end. Default False.
        count_include_pad (bool): whether padding counts. Default True.
        divisor_override (int): divides the sum instead of the window's size. Default None.

    Inputs:
        - **input** (Tensor[(N, C, D, H, W) or (C, D, H, W), float])

    Outputs:
        Tensor[(N, C, D', H', W') or (C, D', H', W')].

    Raises:
        ValueError: an argument is out of range.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.AvgPool3dExt(3, 1)(ms.ops.ones((1, 2, 4, 4, 5))).shape
        (1, 2, 2, 2, 3)
    """

    def construct(self, input):
        return ops.avg_pool3d(input, self.kernel_size, self.stride, *self.settings)


class AvgPool1dExt(Cell):
    """The mean of each window of ``(N, C, L)`` or ``(C, L)``, with torch's arguments.

    Args:
        kernel_size (int): size of the window.
        stride (int): steps of the window. Default None, the kernel's size.
        padding (int): zeros on each side. Default 0.
        ceil_mode (bool): let the last window reach over the end. Default False.
        count_include_pad (bool): whether padding counts. Default True.

    Inputs:
        - **input** (Tensor[(N, C, L) or (C, L), float])

    Outputs:
        Tensor[(N, C, L') or (C, L')].

    Raises:
        TypeError: a size is no int.
        ValueError: a size is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.AvgPool1dExt(2)(ms.Tensor([[1.0, 2.0, 3.0, 4.0]])))
        [[1.5 3.5]]
    """

    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True
    ):
        super().__init__()
        size = checks.ints("AvgPool1dExt", "kernel_size", kernel_size, 1)
        step = size if stride is None else checks.ints("AvgPool1dExt", "stride", stride, 1)
        pad = checks.ints("AvgPool1dExt", "padding", padding, 1, 0)
        self.settings = ((1,) + size, (1,) + step, (0,) + pad, ceil_mode, count_include_pad)

    def construct(self, input):
        return ops.squeeze(
            ops.avg_pool2d(ops.expand_dims(input, input.ndim - 1), *self.settings), input.ndim - 1
        )


class LogSoftmaxExt(LogSoftmax):
    """The logarithm of the softmax along a dimension, with torch's argument.

    Args:
        dim (int): the dimension. Default None: 0 for ranks 0, 1 and 3, else 1.

    Inputs:
        - **x** (Tensor[float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``dim`` is no int.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.LogSoftmaxExt()(ms.Tensor([0.0, 1000.0])))
        [-1000.     0.]
    """

    def __init__(self, dim=None):
        super().__init__(-1 if dim is None else dim)
        self.dim = dim

    def construct(self, x):
        axis = self.dim if self.dim is not None else 0 if x.ndim in (0, 1, 3) else 1
        return ops.log_softmax(x, axis)


class L1LossExt(L1Loss):
    """The absolute difference as `L1Loss`, under the name that `minds.mint` exports.

    Args:
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.

    Inputs:
        - **logits** (Tensor[float]), **labels** (Tensor[float]) - of shapes that broadcast.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``.

    Raises:
        ValueError: another reduction, or the shapes do not broadcast.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.L1LossExt()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])))
        1.0
    """


class PReLUExt(Cell):
    """The activation `PReLU` with torch's arguments; its parameter is named ``weight``.

    Args:
        num_parameters (int): 1 or the number of channels. Default 1.
        init (float): the first slope. Default 0.25.
        dtype (dtype): of the parameter. Default None, float32.

    Inputs:
        - **input** (Tensor[(N, C, ...), float])

    Outputs:
        Tensor, of the shape and dtype of the input.

    Raises:
        ValueError: the channels are others.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.PReLUExt()(ms.Tensor([-4.0, 4.0])))
        [-1.  4.]
    """

    def __init__(self, num_parameters=1, init=0.25, dtype=None):
        super().__init__()
        self.weight = Parameter(
            initializer(float(init), [num_parameters], dtype or dt.float32), name="weight"
        )

    def construct(self, input):
        return ops.prelu(input, self.weight)


__all__ = [
    "AvgPool1dExt",
    "AvgPool2dExt",
    "AvgPool3dExt",
    "Dropout2dExt",
    "DropoutExt",
    "EmbeddingExt",
    "L1LossExt",
    "LayerNormExt",
    "LogSoftmaxExt",
    "MaxPool2dExt",
    "PReLUExt",
]
