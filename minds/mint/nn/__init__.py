"""Layers under torch's names and with torch's parameters.

A layer without weights is a face of the function that it applies (`ops.faces`): the constructor
takes the parameters of the function but its inputs.
"""

from __future__ import annotations

import inspect

from ... import nn
from ...base import dtype as dt
from ...base.boundary import guard as _guard
from ...base.errors import expect
from ...nn import Identity
from ...nn.cell import Cell
from ...ops import docs
from ..functions import functions
from . import functional
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose2d
from .norm import BatchNorm1d, BatchNorm2d, BatchNorm3d, SyncBatchNorm


class _Functional(Cell):
    """A layer that applies a function with the options of its constructor."""

    _function = None
    inputs = 1

    def __init__(self, *args, **kwargs):
        super().__init__()
        self.options = dict(type(self).__signature__.bind(*args, **kwargs).arguments)


class _One(_Functional):
    def construct(self, input):
        return self._function(input, **self.options)


class _Two(_Functional):
    inputs = 2

    def construct(self, input, target):
        return self._function(input, target, **self.options)


class _Option:
    """An attribute that stands for an option of a layer."""

    def __init__(self, o: inspect.Parameter):
        self.name, self.default = o.name, o.default

    def __get__(self, layer, owner: type | None = None):
        return self if layer is None else layer.options.get(self.name, self.default)

    def __set__(self, layer, value) -> None:
        layer.options[self.name] = value


def _layer(name: str, function) -> type:
    """The layer of a function; one whose name ends in ``Loss`` takes an input and a target."""
    base = _Two if name.endswith("Loss") else _One
    parts = docs.sections(function.__doc__)
    known = docs.entries(parts.get("Args", ""))
    given = inspect.signature(function)
    names = list(given.parameters)
    text = docs.joined(
        {
            "summary": parts["summary"],
            "Args": docs.picked(known, names[base.inputs :]),
            "Inputs": docs.picked(known, names[: base.inputs]),
            "Outputs": parts.get("Returns", ""),
            "Raises": parts.get("Raises", ""),
            "Examples": parts.get("Examples", ""),
        }
    )
    options = [
        given.parameters[n].replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for n in names[base.inputs :]
    ]
    fields = {o.name: _Option(o) for o in options if not hasattr(Cell, o.name)}
    fields |= {"_function": staticmethod(function), "__module__": __name__, "__doc__": text}
    return type(name, (base,), {**fields, "__signature__": inspect.Signature(options)})


globals().update({name: _layer(name, fn) for name, fn in functions("nn.").items()})


def _of_input(base: type) -> type:
    """A layer of `nn` whose operand is called ``input`` here."""

    class Layer(base):
        __doc__ = (base.__doc__ or "").replace("**x**", "**input**").replace("``x``", "``input``")

        def construct(self, input):
            return super().construct(input)

    Layer.__name__ = Layer.__qualname__ = base.__name__
    return Layer


ConstantPad1d, ConstantPad2d, ConstantPad3d, ZeroPad2d = map(
    _of_input, (nn.ConstantPad1d, nn.ConstantPad2d, nn.ConstantPad3d, nn.ZeroPad2d)
)
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = map(
    _of_input, (nn.ReflectionPad1d, nn.ReflectionPad2d, nn.ReflectionPad3d)
)
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = map(
    _of_input, (nn.ReplicationPad1d, nn.ReplicationPad2d, nn.ReplicationPad3d)
)


class MaxUnpool2d(nn.MaxUnpool2d):
    __doc__ = nn.MaxUnpool2d.__doc__.replace("**x**", "**input**")

    def construct(self, input, indices, output_size=None):
        return super().construct(input, indices, output_size)


class CosineEmbeddingLoss(nn.CosineEmbeddingLoss):
    __doc__ = (
        nn.CosineEmbeddingLoss.__doc__.replace("**logits_x1**", "**input1**")
        .replace("**logits_x2**", "**input2**")
        .replace("**labels**", "**target**")
    )

    def construct(self, input1, input2, target):
        return super().construct(input1, input2, target)


class Flatten(Cell):
    """Makes one dimension of the dimensions ``start_dim`` to ``end_dim``.

    Args:
        start_dim (int), end_dim (int): first and last of them. Default 1 and -1.

    Inputs:
        - **input** (Tensor) - of any shape.

    Outputs:
        Tensor of the same elements, of rank 2 by default.

    Raises:
        ValueError, IndexError: a dimension is out of range.

    Examples:
        >>> ms.mint.nn.Flatten()(ms.ops.ones((2, 3, 4))).shape
        (2, 12)
    """

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, input):
        return functional.flatten(input, self.start_dim, self.end_dim)


class Linear(nn.Dense):
    """A fully connected layer :math:`x W^T + b`.

    Args:
        in_features (int), out_features (int): sizes of the last dimension of input and output.
        bias (bool): whether to add b. Default True.
        weight_init (Tensor, str, Initializer, number), bias_init (Tensor, str, Initializer,
            number): first values. Default None, torch's.
        dtype (dtype): of the parameters. Default None, float32.

    Inputs:
        - **x** (Tensor[(..., in_features), float])

    Outputs:
        Tensor[(..., out_features)].

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a size is not positive, or the last dimension of ``x`` is another.

    Examples:
        >>> import minds as ms
        >>> ms.mint.nn.Linear(2, 3)(ms.ops.ones((4, 2))).shape
        (4, 3)
    """

    def __init__(
        self, in_features, out_features, bias=True, weight_init=None, bias_init=None, dtype=None
    ):
        super().__init__(
            in_features,
            out_features,
            weight_init=weight_init,
            bias_init=bias_init,
            has_bias=bias,
            dtype=dtype or dt.float32,
        )
        self.in_features, self.out_features = in_features, out_features
        if not bias:
            self.bias = None

    extend_repr = nn.Linear.extend_repr

    def __setattr__(self, name: str, value):
        super().__setattr__(name, value)
        if name == "bias":  # also one that it is given later
            self.has_bias = value is not None


class ZeroPad1d(ConstantPad1d):
    """Pads the last dimension with zeros.

    Args:
        padding (int, tuple[int]): (left, right); negative numbers cut.

    Inputs:
        - **x** (Tensor[(..., L)])

    Outputs:
        Tensor[(..., left + L + right)].

    Raises:
        TypeError: ``padding`` is neither an int nor a tuple of ints.
        ValueError: it does not hold one pair.

    Examples:
        >>> import minds as ms
        >>> print(ms.mint.nn.ZeroPad1d((1, 0))(ms.Tensor([[1.0, 2.0]])))
        [[0. 1. 2.]]
    """

    def __init__(self, padding):
        super().__init__(padding, 0)


class ZeroPad3d(ConstantPad3d):
    """Pads the last three dimensions with zeros.

    Args:
        padding (int, tuple[int]): (left, right, top, bottom, front, back); negative numbers cut.

    Inputs:
        - **x** (Tensor[(..., D, H, W)])

    Outputs:
        Tensor[(..., front + D + back, top + H + bottom, left + W + right)].

    Raises:
        TypeError: ``padding`` is neither an int nor a tuple of ints.
        ValueError: it does not hold one to three pairs.

    Examples:
        >>> import minds as ms
        >>> ms.mint.nn.ZeroPad3d(1)(ms.ops.ones((2, 3, 4))).shape
        (4, 5, 6)
    """

    def __init__(self, padding):
        super().__init__(padding, 0)


class Dropout(nn.Dropout):
    """In training, zeroes elements with probability p and scales the others by :math:`1/(1-p)`;
    otherwise the identity.

    Args:
        p (float): the probability, in [0, 1). Default 0.5.
        inplace (bool): accepted for torch's sake; the result is always a new tensor.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        ValueError: ``p`` is out of range, or no number.

    Examples:
        >>> import minds as ms
        >>> print(ms.mint.nn.Dropout(0.3)(ms.Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, p=0.5, inplace=False):
        super().__init__(p=float(p))
        self.inplace = inplace


class Dropout2d(nn.Dropout2d):
    """Dropout of whole channels of ``(N, C, H, W)`` or ``(C, H, W)`` in training; otherwise the
    identity.

    Args:
        p (float): the probability of a channel to be zeroed, in [0, 1]. Default 0.5.
        inplace (bool): accepted for torch's sake; the result is always a new tensor.

    Inputs:
        - **x** (Tensor[(N, C, H, W) or (C, H, W), float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        ValueError: ``p`` is out of range, or the rank of ``x`` is another.

    Examples:
        >>> import minds as ms
        >>> ms.mint.nn.Dropout2d(0.5)(ms.ops.ones((1, 2, 3, 3))).shape
        (1, 2, 3, 3)
    """

    def __init__(self, p=0.5, inplace=False):
        super().__init__(p=float(p))
        self.inplace = inplace


class Embedding(nn.EmbeddingExt):
    """Looks up rows of a table; see `nn.EmbeddingExt`.

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
        dtype (dtype): of the table. Default None, float32.

    Inputs:
        - **input** (Tensor[(...), int]) - indices of rows.

    Outputs:
        Tensor[(..., embedding_dim)].

    Raises:
        TypeError: a size is no int.
        ValueError: an argument is out of range or not supported.

    Examples:
        >>> import minds as ms
        >>> ms.mint.nn.Embedding(5, 2)(ms.Tensor([[1, 4]])).shape
        (1, 2, 2)
    """


class PReLU(nn.PReLUExt):
    """The identity above 0, and a learnt slope below; see `nn.PReLUExt`.

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
        >>> print(ms.mint.nn.PReLU()(ms.Tensor([-4.0, 4.0])))
        [-1.  4.]
    """


class GroupNorm(nn.GroupNorm):
    """Normalises groups of channels of each sample: `nn.GroupNorm` with torch's parameters and
    their names, ``weight`` and ``bias``; None without ``affine``.

    Args:
        num_groups (int): divides ``num_channels``.
        num_channels (int): the second dimension.
        eps (float): added to the variance. Default 1e-5.
        affine (bool): whether weight and bias are trained. Default True.
        dtype (dtype): of the parameters. Default None, float32.

    Inputs:
        - **input** (Tensor[(N, C, ...), float])

    Outputs:
        Tensor, of the shape and dtype of ``input``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``num_groups`` does not divide ``num_channels``.

    Examples:
        >>> import minds as ms
        >>> ms.mint.nn.GroupNorm(2, 2)(ms.ops.ones((1, 2, 4, 4))).shape
        (1, 2, 4, 4)
    """

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, dtype=None):
        super().__init__(
            num_groups, num_channels, eps=eps, affine=affine, dtype=dtype or dt.float32
        )
        weight, bias = self.gamma, self.beta
        del self.gamma, self.beta
        weight.name, bias.name = "weight", "bias"
        self.weight, self.bias = (weight, bias) if affine else (None, None)

    def construct(self, input):
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class LayerNorm(nn.LayerNormExt):
    """Normalises the last dimensions; see `nn.LayerNormExt`.

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

    Examples:
        >>> import minds as ms
        >>> print(ms.mint.nn.LayerNorm(2)(ms.Tensor([[1.0, -1.0]])).asnumpy().round(3))
        [[ 1. -1.]]
    """


__all__ = sorted(
    n for n, v in globals().items() if inspect.isclass(v) and not n.startswith("_")
) + ["functional"]
_guard(__name__)
