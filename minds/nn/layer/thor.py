"""Layers that keep what THOR, a second-order optimiser (`nn.optim.thor`), reads: the covariance A of
their inputs and that of the gradients of their outputs, G.

While ``thor`` is true a layer notes A where it runs and G where it is differentiated; both are
Parameters that are not trained. The averages are those that MindSpore takes where it has no kernel of
Ascend's.
"""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...ops.define import P
from ...ops.function.common import window_pad
from ...tensor import Parameter
from . import checks
from .arithmetic import affine, convolve
from .basic import Dense
from .conv import Conv2d
from .embedding import Embedding, EmbeddingLookup


def _kept(cell, **shapes) -> None:
    """Let ``cell`` keep matrices of these shapes."""
    for name, shape in shapes.items():
        setattr(cell, name, Parameter(ops.zeros(shape, dt.float32), name, requires_grad=False))
    cell.thor = True
    cell.note_gradient = ops.InsertGradientOf(cell._save_gradient)


def _keep(matrix, value) -> None:
    ops.assign(matrix, ops.cast(value, matrix.dtype))


class DenseThor(Dense):
    r"""`Dense` that keeps :math:`A = x^T x / C_{in}` and :math:`G = d^T d / N`, where d is the gradient
    of :math:`x W^T`.

    Args:
        in_channels (int): size of the last dimension of the input.
        out_channels (int): size of the last dimension of the output.
        weight_init (Tensor, str, Initializer, number): of the weight ``(out, in)``. Default normal.
        bias_init (Tensor, str, Initializer, number): of the bias. Default zeros.
        has_bias (bool): whether to add a bias. Default True.
        activation (str, Cell, function): applied to the result. Default None.

    Inputs:
        - **x** (Tensor[(N, in_channels)])

    Outputs:
        Tensor[(N, out_channels)].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a size is not positive, or an initial Tensor has a wrong shape.

    Source: Chen et al., THOR, Trace-Based Hardware-Driven Layer-Oriented Natural Gradient Descent
        Computation, 2021.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> layer = nn.DenseThor(2, 1, weight_init="ones")
        >>> _ = layer(ms.Tensor([[1.0, 2.0]]))
        >>> layer.matrix_a.asnumpy().tolist()
        [[0.5, 1.0], [1.0, 2.0]]
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        weight_init="normal",
        bias_init="zeros",
        has_bias=True,
        activation=None,
    ):
        super().__init__(in_channels, out_channels, weight_init, bias_init, has_bias, activation)
        _kept(self, matrix_a=(in_channels, in_channels), matrix_g=(out_channels, out_channels))
        _keep(self.matrix_a, ops.eye(in_channels))
        _keep(self.matrix_g, ops.eye(out_channels))

    def _save_gradient(self, dout):
        """Keep G of a gradient, which is given back."""
        _keep(self.matrix_g, P.matmul(dout, dout, True, False) / dout.shape[0])
        return dout

    def construct(self, x):
        if not self.thor:
            return super().construct(x)
        _keep(self.matrix_a, P.matmul(x, x, True, False) / self.in_channels)
        x = self.note_gradient(affine(x, self.weight, None))
        if self.has_bias:
            x = x + self.bias
        return x if self.activation is None else self.activation(x)


class Conv2dThor(Conv2d):
    r"""`Conv2d` that keeps :math:`A = c c^T / L` and :math:`G = d d^T / L`: c are the L windows of the
    mean over the batch of the input, padded as ``"same"`` does, and d the gradient's mean over the batch.

    Args:
        in_channels (int): channels of the input.
        out_channels (int): channels of the output.
        kernel_size (int, tuple[int]): of the window.
        stride (int, tuple[int]): of the window. Default 1.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default ``"same"``.
        padding (int, tuple[int]): with ``"pad"``, of each side. Default 0.
        dilation (int, tuple[int]): between the window's elements. Default 1.
        group (int): must be 1. Default 1.
        has_bias (bool): whether to add a bias. Default False.
        weight_init (Tensor, str, Initializer, number): of the weight. Default normal.
        bias_init (Tensor, str, Initializer, number): of the bias. Default zeros.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W)])

    Outputs:
        Tensor[(N, out_channels, H', W')].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a size is not positive, or an initial Tensor has a wrong shape.

    Source: Chen et al., THOR, 2021.

    Examples:
        >>> from minds import nn, ops
        >>> layer = nn.Conv2dThor(1, 2, 1, weight_init="ones")
        >>> _ = layer(ops.ones((1, 1, 2, 2)))
        >>> float(layer.matrix_a[0, 0]), float(layer.a_normalizer[0])
        (1.0, 4.0)
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        has_bias=False,
        weight_init="normal",
        bias_init="zeros",
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
        )
        checks.one_of("Conv2dThor", "group", self.group, (1,))
        wide = in_channels * self.kernel_size[0] * self.kernel_size[1]
        _kept(
            self,
            matrix_a=(wide, wide),
            matrix_g=(out_channels, out_channels),
            a_normalizer=(1,),
            g_normalizer=(1,),
        )
        _keep(self.a_normalizer, ops.ones((1,)))
        _keep(self.g_normalizer, ops.ones((1,)))

    def _save_gradient(self, dout):
        """Keep G of a gradient, which is given back."""
        count = dout.shape[2] * dout.shape[3]
        rows = ops.reshape(ops.mean(dout, 0), (self.out_channels, count))
        _keep(self.g_normalizer, ops.full((1,), count, dtype=dt.float32))
        _keep(self.matrix_g, P.matmul(rows, rows, False, True) / count)
        return dout

    def construct(self, x):
        if not self.thor:
            return super().construct(x)
        self._keep_windows(ops.mean(x, 0, True))
        pads = self._pads_for(x.shape[2], x.shape[3])
        x = convolve(x, self.weight, None, self.stride, pads, self.dilation, self.group)
        x = self.note_gradient(x)
        return x + ops.reshape(self.bias, (1, -1, 1, 1)) if self.has_bias else x

    def _keep_windows(self, x):
        sizes, one = x.shape[2:], (1, 1)
        top, bottom, left, right = window_pad("same", 0, sizes, self.kernel_size, self.stride, one)
        x = P.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), 0)
        windows = ops.unfold(x, self.kernel_size, stride=self.stride)
        rows = ops.reshape(windows, (-1, windows.shape[-1]))
        _keep(self.a_normalizer, ops.full((1,), rows.shape[1], dtype=dt.float32))
        _keep(self.matrix_a, P.matmul(rows, rows, False, True) / rows.shape[1])


def _count_words(cell, ids) -> None:
    words = ops.one_hot(ops.reshape(ids, (-1,)), cell.vocab_size, 1, 0, -1)
    _keep(cell.matrix_a, ops.sum(ops.cast(words, dt.float32), 0))


def _keep_rows(cell, dout):
    rows = ops.cast(ops.reshape(dout, (-1, cell.embedding_size)), dt.float32)
    _keep(cell.matrix_g, P.matmul(rows, rows, True, False) / dout.shape[0])
    return dout


class EmbeddingThor(Embedding):
    """`Embedding` that keeps how often each row was looked up, A, and :math:`G = d^T d / N` of the
    gradient d of the rows.

    Args:
        vocab_size (int): rows of the table.
        embedding_size (int): size of a row.
        use_one_hot (bool): multiply by one-hot vectors instead, and keep nothing. Default False.
        embedding_table (Tensor, str, Initializer, number): first values. Default ``normal``.
        dtype (dtype): of the table. Default float32.
        padding_idx (int): a row that starts at zero. Default None.

    Inputs:
        - **ids** (Tensor[(...), int]) - indices of rows.

    Outputs:
        Tensor[(..., embedding_size)].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Source: Chen et al., THOR, 2021.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.EmbeddingThor(3, 2)
        >>> net(ms.Tensor([2, 0, 2])).shape, net.matrix_a.asnumpy().tolist()
        ((3, 2), [1.0, 0.0, 2.0])
    """

    def __init__(
        self,
        vocab_size,
        embedding_size,
        use_one_hot=False,
        embedding_table="normal",
        dtype=dt.float32,
        padding_idx=None,
    ):
        super().__init__(
            vocab_size, embedding_size, use_one_hot, embedding_table, dtype, padding_idx
        )
        _kept(self, matrix_a=(vocab_size,), matrix_g=(embedding_size, embedding_size))

    def _save_gradient(self, dout):
        """Keep G of a gradient, which is given back."""
        return _keep_rows(self, dout)

    def construct(self, ids):
        if self.use_one_hot or not self.thor:
            return super().construct(ids)
        _count_words(self, ids)
        rows = self.note_gradient(P.gather(self.embedding_table, ops.reshape(ids, (-1,)), 0))
        return ops.reshape(rows, ids.shape + (self.embedding_size,))


class EmbeddingLookupThor(EmbeddingLookup):
    """`EmbeddingThor` under an older interface, of a table of float16; it keeps what it does where
    ``target`` is ``"DEVICE"``.

    Args:
        vocab_size (int), embedding_size (int): shape of the table.
        param_init (Tensor, str, Initializer, number): first values. Default ``normal``.
        target (str): ``"CPU"`` or ``"DEVICE"``. Default ``"CPU"``.
        slice_mode (str), manual_shapes (tuple), sparse (bool): for several devices; without effect.
        max_norm (float): rows are scaled down to this Euclidean norm. Default None.

    Inputs:
        - **indices** (Tensor[(...), int])

    Outputs:
        Tensor[(..., embedding_size), float16].

    Raises:
        TypeError: a size is no int.
        ValueError: a size is not positive.

    Source: Chen et al., THOR, 2021.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.EmbeddingLookupThor(3, 2, target="DEVICE")
        >>> net(ms.Tensor([[2, 0]])).shape, net.matrix_a.asnumpy().tolist()
        ((1, 2, 2), [1.0, 0.0, 1.0])
    """

    def __init__(
        self,
        vocab_size,
        embedding_size,
        param_init="normal",
        target="CPU",
        slice_mode="batch_slice",
        manual_shapes=None,
        max_norm=None,
        sparse=True,
    ):
        super().__init__(
            vocab_size,
            embedding_size,
            param_init,
            target,
            slice_mode,
            manual_shapes,
            max_norm,
            sparse,
            dt.float16,
        )
        _kept(self, matrix_a=(vocab_size,), matrix_g=(embedding_size, embedding_size))

    def _save_gradient(self, dout):
        """Keep G of a gradient, which is given back."""
        return _keep_rows(self, dout)

    def construct(self, indices):
        rows = super().construct(indices)
        if self.target == "CPU" or not self.thor:
            return rows
        _count_words(self, indices)
        return self.note_gradient(rows)


__all__ = ["Conv2dThor", "DenseThor", "EmbeddingLookupThor", "EmbeddingThor"]
