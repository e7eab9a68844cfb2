"""Dense layers, dropout, and cells that rearrange."""

from __future__ import annotations

import math

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...base.late import all_of, late
from ...common.initializer import HeUniform, Uniform, initializer
from ...ops.define import P
from ...tensor import Parameter, Tensor
from ..cell import Cell
from . import checks
from .activation import activation_cell
from .arithmetic import affine


def weight_and_bias(
    cell: Cell, shape, weight_init, bias_init, has_bias: bool, dtype, bias_size: int
) -> None:
    """Give ``cell`` the parameters ``weight`` and ``bias``, drawn within 1/sqrt(fan in) where no
    initialiser is named.
    """
    bound = 1 / math.sqrt(math.prod(shape[1:]))
    cell.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
    _check_shape(cell, "weight_init", cell.weight_init, tuple(shape))
    cell.weight = Parameter(initializer(cell.weight_init, shape, dtype), name="weight")
    cell.bias, cell.bias_init = None, None
    if has_bias:
        cell.bias_init = Uniform(bound) if bias_init is None else bias_init
        _check_shape(cell, "bias_init", cell.bias_init, (bias_size,))
        cell.bias = Parameter(initializer(cell.bias_init, [bias_size], dtype), name="bias")


def _check_shape(cell: Cell, name: str, init, shape: tuple) -> None:
    if isinstance(init, Tensor) and init.shape != shape:
        raise complain(
            ValueError, f"{cell.cls_name}: {name} has shape {init.shape}", expected=f"{shape}"
        )


class Dense(Cell):
    r"""A fully connected layer: :math:`activation(x W^T + b)`.

    Args:
        in_channels (int): size of the last dimension of the input.
        out_channels (int): size of the last dimension of the output.
        weight_init (Tensor, str, Initializer, number): of the weight ``(out, in)``. Default
            HeUniform(sqrt(5)).
        bias_init (Tensor, str, Initializer, number): of the bias. Default uniform within
            ``1/sqrt(in_channels)``.
        has_bias (bool): whether to add a bias. Default True.
        activation (str, Cell, function): applied to the result. Default None.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(..., in_channels)])
    Outputs:
        Tensor[(..., out_channels)].
    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a size is not positive, or an initial Tensor has a wrong shape.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> layer = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
        >>> layer(ms.Tensor([[1.0, 2.0, 3.0]])).asnumpy().tolist()
        [[6.0, 6.0]]
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        weight_init=None,
        bias_init=None,
        has_bias=True,
        activation=None,
        dtype=dt.float32,
    ):
        super().__init__()
        self.in_channels = checks.positive_int("Dense", "in_channels", in_channels)
        self.out_channels = checks.positive_int("Dense", "out_channels", out_channels)
        self.has_bias = checks.boolean("Dense", "has_bias", has_bias)
        weight_and_bias(
            self, (out_channels, in_channels), weight_init, bias_init, has_bias, dtype, out_channels
        )
        self.activation = activation_cell("Dense", activation)

    @property
    def activation_flag(self) -> bool:
        """Whether there is an activation."""
        return self.activation is not None

    def construct(self, x):
        lead = x.shape[:-1]
        x = affine(x, self.weight, self.bias if self.has_bias else None)
        if self.activation is not None:
            x = self.activation(x)
        if len(lead) != 1:
            x = ops.reshape(x, lead + (self.out_channels,))
        return x

    def extend_repr(self):
        s = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        if self.has_bias:
            s += ", has_bias=True"
        return s if self.activation is None else s + f", activation={self.activation}"


class Linear(Dense):
    """A fully connected layer :math:`x W^T + b`: `Dense` under torch's names.

    Args:
        in_features (int), out_features (int): sizes of the last dimension of input and output.
        bias (bool): whether to add a bias. Default True.
        weight_init (Tensor, str, Initializer, number), bias_init (Tensor, str, Initializer,
            number): first values. Default None, as in `Dense`.
        dtype (dtype): of the parameters. Default None, float32.

    Inputs:
        - **x** (Tensor[(..., in_features), float])

    Outputs:
        Tensor[(..., out_features)].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a size is not positive, an initial Tensor has a wrong shape, or ``x`` has.

    Examples:
        >>> from minds import nn
        >>> nn.Linear(2, 3).weight.shape
        (3, 2)
    """

    def __init__(
        self, in_features, out_features, bias=True, weight_init=None, bias_init=None, dtype=None
    ):
        super().__init__(
            in_features, out_features, weight_init, bias_init, bias, dtype=dtype or dt.float32
        )
        self.in_features, self.out_features = in_features, out_features

    def extend_repr(self):
        text = f"input_features={self.in_features}, output_features={self.out_features}"
        return text + (", has_bias=True" if self.has_bias else "")


class BiDense(Cell):
    """A bilinear layer: :math:`y_k = x_1^T A_k x_2 + b_k`.

    Args:
        in1_channels (int), in2_channels (int), out_channels (int): sizes of the last dimensions.
        weight_init (Tensor, str, Initializer, number), bias_init (Tensor, str, Initializer,
            number): first values. Default uniform within ``1/sqrt(in1_channels)``.
        has_bias (bool): whether to add a bias. Default True.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **input1** (Tensor[(..., in1_channels)]), **input2** (Tensor[(..., in2_channels)])

    Outputs:
        Tensor[(..., out_channels)].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a size is not positive, or an initial Tensor has a wrong shape.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.BiDense(2, 3, 4)
        >>> net(ms.ops.ones((5, 2)), ms.ops.ones((5, 3))).shape
        (5, 4)
    """

    def __init__(
        self,
        in1_channels,
        in2_channels,
        out_channels,
        weight_init=None,
        bias_init=None,
        has_bias=True,
        dtype=dt.float32,
    ):
        super().__init__()
        self.in1_channels = checks.positive_int("BiDense", "in1_channels", in1_channels)
        self.in2_channels = checks.positive_int("BiDense", "in2_channels", in2_channels)
        self.out_channels = checks.positive_int("BiDense", "out_channels", out_channels)
        self.has_bias = checks.boolean("BiDense", "has_bias", has_bias)
        bound = Uniform(1 / math.sqrt(in1_channels))
        shape = (out_channels, in1_channels, in2_channels)
        weight_and_bias(
            self,
            shape,
            bound if weight_init is None else weight_init,
            bound if bias_init is None else bias_init,
            has_bias,
            dtype,
            out_channels,
        )

    def construct(self, input1, input2):
        lead = input1.shape[:-1]
        a = ops.reshape(input1, (-1, self.in1_channels))
        b = ops.reshape(input2, (-1, self.in2_channels))
        weight = ops.transpose(self.weight, (1, 0, 2))
        weight = ops.reshape(weight, (self.in1_channels, self.out_channels * self.in2_channels))
        left = ops.reshape(P.matmul(a, weight), (-1, self.out_channels, self.in2_channels))
        out = ops.sum(left * ops.expand_dims(b, 1), -1)
        if self.has_bias:
            out = out + self.bias
        return ops.reshape(out, lead + (self.out_channels,))

    def extend_repr(self):
        return (
            f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, "
            f"output_channels={self.out_channels}, has_bias={self.has_bias}"
        )


class Dropout(Cell):
    """In training, zeroes elements with probability p and scales the others by :math:`1/(1-p)`;
    otherwise the identity.

    Args:
        keep_prob (float): 1 - p; used where ``p`` is None. Default 0.5.
        p (float): the probability, in [0, 1). Default None.
        dtype (dtype): of the input, for compatibility.

    Inputs:
        - **x** (Tensor)

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: a probability is no number.
        ValueError: a probability is out of range.

    Source: Srivastava et al., Dropout, JMLR 2014.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Dropout(p=0.3)(ms.Tensor([1.0, 2.0])).asnumpy().tolist()
        [1.0, 2.0]
    """

    def __init__(self, keep_prob=0.5, p=None, dtype=dt.float32):
        super().__init__()
        self.keep_prob, self.p, self.dtype = keep_prob, p, dtype
        if p is None:
            checks.number_in("Dropout", "keep_prob", keep_prob, 0, 1, "(]")
        else:
            checks.number_in("Dropout", "p", p, 0, 1, "[)")

    def construct(self, x):
        rate = 1 - self.keep_prob if self.p is None else self.p
        if not self.training or rate == 0:
            return x
        return ops.dropout(x, rate, True)

    def extend_repr(self):
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class _ChannelDropout(Cell):
    """Dropout of whole channels of an input of ``rank`` dimensions, the first two of which are
    batch and channel.
    """

    ranks: tuple[int, ...] = ()

    def __init__(self, p=0.5):
        super().__init__()
        self.p = checks.number_in(self.cls_name, "p", p, 0, 1)

    def construct(self, x):
        if x.ndim not in self.ranks:
            raise ValueError(
                f"{self.cls_name}: the input has {x.ndim} dimensions; expected {self.ranks}"
            )
        if not self.training or self.p == 0:
            return x
        # An input without the batch dimension has its channels first.
        lead = 2 if x.ndim == self.ranks[-1] else 1
        shape = x.shape[:lead] + (1,) * (x.ndim - lead)
        if self.p == 1:
            return ops.zeros_like(x)
        return x * ops.dropout(ops.ones(shape, x.dtype), self.p, True)

    def extend_repr(self):
        return f"p={self.p}"


class Dropout1d(_ChannelDropout):
    """Dropout of whole channels of ``(N, C, L)`` or ``(C, L)`` in training; otherwise the identity.

    Args:
        p (float): the probability of a channel to be zeroed, in [0, 1]. Default 0.5.

    Inputs:
        - **x** (Tensor[(N, C, L) or (C, L), float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``p`` is no number.
        ValueError: ``p`` is out of range, or the rank of ``x`` is another.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> net = nn.Dropout1d(p=1.0).set_train()
        >>> print(net(ops.ones((1, 2, 3))))
        [[[0. 0. 0.]
          [0. 0. 0.]]]
    """

    ranks = (2, 3)


class Dropout2d(_ChannelDropout):
    """Dropout of whole channels of ``(N, C, H, W)`` or ``(C, H, W)`` in training; otherwise the
    identity.

    Args:
        p (float): the probability of a channel to be zeroed, in [0, 1]. Default 0.5.

    Inputs:
        - **x** (Tensor[(N, C, H, W) or (C, H, W), float])

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: ``p`` is no number.
        ValueError: ``p`` is out of range, or the rank of ``x`` is another.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Dropout2d(p=0.5)(ms.ops.ones((1, 2, 3, 3))).shape
        (1, 2, 3, 3)
    """

    ranks = (3, 4)


class Dropout3d(_ChannelDropout):
    """Dropout of whole channels of ``(N, C, D, H, W)`` or ``(C, D, H, W)`` in training; otherwise
    the identity.

    Args:
        p (float): the probability of a channel to be zeroed, in [0, 1]. Default 0.5.

    Inputs:
        - **x** (Tensor[(N, C, D, H, W) or (C, D, H, W), float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``p`` is no number.
        ValueError: ``p`` is out of range, or the rank of ``x`` is another.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> nn.Dropout3d(p=0.5)(ops.ones((1, 2, 3, 3, 3))).shape
        (1, 2, 3, 3, 3)
    """

    ranks = (4, 5)


class Flatten(Cell):
    """Makes one dimension of the dimensions ``start_dim`` to ``end_dim``.

    Args:
        start_dim (int), end_dim (int): first and last of them. Default 1 and -1.

    Inputs:
        - **x** (Tensor)

    Outputs:
        Tensor, of rank 2 by default.

    Raises:
        TypeError: an argument is no int.
        ValueError: a dimension is out of range, or ``start_dim`` lies behind ``end_dim``.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Flatten()(ms.ops.ones((2, 3, 4))).shape
        (2, 12)
    """

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        for name, v in (("start_dim", start_dim), ("end_dim", end_dim)):
            if not checks.is_int(v):
                raise complain(
                    TypeError, f"Flatten: {name} has type {type(v).__name__}", expected="an int"
                )
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x):
        shape = x.shape
        if len(shape) == 0:
            return ops.reshape(x, (1,))
        if not (
            -len(shape) <= self.start_dim < len(shape) and -len(shape) <= self.end_dim < len(shape)
        ):
            if not (len(shape) == 1 and self.start_dim == 1):
                raise ValueError(
                    "Flatten: start_dim and end_dim must be within the input's dimensions"
                )
            return ops.reshape(x, shape + (1,))
        first = self.start_dim + len(shape) if self.start_dim < 0 else self.start_dim
        last = self.end_dim + len(shape) if self.end_dim < 0 else self.end_dim
        if first > last:
            raise ValueError("Flatten: start_dim lies behind end_dim")
        size = 1
        for n in shape[first : last + 1]:
            size = size * n
        return ops.reshape(x, shape[:first] + (size,) + shape[last + 1 :])


class Unflatten(Cell):
    """Splits one dimension into several.

    Args:
        axis (int): the dimension.
        unflattened_size (tuple[int], list[int]): its new sizes, one of which may be -1.

    Inputs:
        - **input_x** (Tensor) - whose size along ``axis`` is the product of the new sizes.

    Outputs:
        Tensor of the same elements, with the new sizes in place of one.

    Raises:
        TypeError: ``axis`` is no int.
        ValueError: the sizes do not fit.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Unflatten(1, (2, -1))(ms.ops.ones((3, 6))).shape
        (3, 2, 3)
    """

    def __init__(self, axis, unflattened_size):
        super().__init__()
        if not checks.is_int(axis):
            raise complain(
                TypeError, f"Unflatten: axis has type {type(axis).__name__}", expected="an int"
            )
        self.axis, self.unflattened_size = axis, tuple(unflattened_size)

    def construct(self, input_x):
        axis = self.axis + input_x.ndim if self.axis < 0 else self.axis
        return ops.reshape(
            input_x, input_x.shape[:axis] + self.unflattened_size + input_x.shape[axis + 1 :]
        )


class Identity(Cell):
    """Returns its input.

    Args:
        args (Any), kwargs (Any): ignored.

    Inputs:
        - **input** (Any)

    Outputs:
        The input itself.

    Raises:
        TypeError: another number of inputs than one.

    Examples:
        >>> from minds import nn
        >>> nn.Identity(54, unused=True)(3)
        3
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def construct(self, input):
        return input


class OneHot(Cell):
    """One-hot vectors of class indices.

    Args:
        axis (int): where the new dimension goes. Default -1, the end.
        depth (int): number of classes. Default 1.
        on_value (number), off_value (number): written at the index and elsewhere. Default 1 and 0.
        dtype (dtype): of the result. Default float32.

    Inputs:
        - **indices** (Tensor[int])

    Outputs:
        Tensor with one more dimension, of size ``depth``.

    Raises:
        TypeError: ``indices`` are no ints.
        ValueError, IndexError: ``axis`` is out of range.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.OneHot(depth=3)(ms.Tensor([2, 0])).asnumpy().tolist()
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """

    def __init__(self, axis=-1, depth=1, on_value=1.0, off_value=0.0, dtype=dt.float32):
        super().__init__()
        self.axis, self.depth = axis, depth
        self.on_value, self.off_value = Tensor(on_value, dtype), Tensor(off_value, dtype)

    def construct(self, indices):
        return ops.one_hot(indices, self.depth, self.on_value, self.off_value, self.axis)


class ClipByNorm(Cell):
    """Scales a tensor down to a given Euclidean norm, where its norm is larger.

    Args:
        axis (None, int, tuple[int]): over which the norm is taken. Default None, all.

    Inputs:
        - **x** (Tensor), **clip_norm** (Tensor) - the input, and the bound, broadcastable to it.

    Outputs:
        Tensor of the same shape.

    Raises:
        ValueError: the shapes do not broadcast.
        TypeError: an input is no Tensor or number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.ClipByNorm()(ms.Tensor([3.0, 4.0]), ms.Tensor(1.0)).asnumpy().round(3).tolist()
        [0.6000000238418579, 0.800000011920929]
    """

    def __init__(self, axis=None):
        super().__init__()
        self.axis = axis if axis is None else checks.ints_of("ClipByNorm", "axis", axis)

    def construct(self, x, clip_norm):
        norm = ops.sqrt(ops.sum(x * x, self.axis, True))
        return x * clip_norm / ops.maximum(norm, clip_norm)


__all__ = [
    "BiDense",
    "ClipByNorm",
    "Dense",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "Flatten",
    "Identity",
    "Linear",
    "OneHot",
    "Unflatten",
    "weight_and_bias",
]

# MindSpore has other layers here too.
__getattr__, __dir__ = late(__name__, {}, (), all_of("nn"))
