"""In-place methods of tensors, ``x.exp_()``: what the method without the underscore gives becomes
the value of ``x``, in its dtype, and ``x`` is returned.

One table: a name, and the function of the tensor and the arguments that gives the new value. How
the value is taken is not said here: `eager.py` exchanges the array and tells the tapes, the
frontend gives the names of ``x`` to the new value.
"""

from __future__ import annotations

import inspect

from ..base import dtype as dt
from ..base.boundary import refuse
from ..base.errors import complain
from .define import P
from .faces import offered
from .function.common import as_int64, as_tensor, is_tensor, own_stream
from .functional import WITHIN as F
from .rules import scaled_by
from .spellings.index import _index_added


def _copied(x, src, non_blocking=False):
    return P.broadcast_to(P.cast(as_tensor(src), x.dtype), x.shape)


def _filled(x, value):
    return P.broadcast_to(P.cast(as_tensor(value), x.dtype), x.shape)


def _added(x, other, *, alpha=1):
    return x + scaled_by(other, alpha)


def _subtracted(x, other, *, alpha=1):
    return x - scaled_by(other, alpha)


def _put(x, index, source, accumulate=False):
    """Elements of ``source`` at positions of the flattened tensor."""
    rows = P.reshape(as_int64(index, "index"), (-1, 1))
    flat = P.tensor_scatter(
        P.reshape(x, (-1,)),
        P.select(P.less(rows, 0), rows + x.size, rows),
        P.reshape(P.cast(source, x.dtype), (-1,)),
        "add" if accumulate else "update",
    )
    return P.reshape(flat, x.shape)


def _index_copy(x, dim, index, tensor):
    """Slices of ``tensor`` at positions along ``dim``."""
    front = F.swapaxes(x, 0, dim)
    rows = P.reshape(as_int64(index, "index"), (-1, 1))
    return F.swapaxes(
        P.tensor_scatter(front, rows, F.swapaxes(P.cast(tensor, x.dtype), 0, dim), "update"), 0, dim
    )


def _scattered(x, dim, index, src=None, *, value=None, reduce=None):
    src = value if src is None else src
    src = P.broadcast_to(P.cast(as_tensor(src), x.dtype), index.shape)
    if reduce is None:
        return F.scatter(x, dim, index, src)
    if reduce not in ("add", "multiply"):
        raise complain(
            ValueError, f"scatter_: reduce is {reduce!r}", expected="None, 'add' or 'multiply'"
        )
    return F.tensor_scatter_elements(x, index, src, dim, "mul" if reduce == "multiply" else "add")


def _scatter_added(x, dim, index, src):
    return F.tensor_scatter_elements(x, index, src, dim, "add")


def _bernoulli(x, p=0.5, *, generator=None):
    p = P.broadcast_to(P.cast(as_tensor(p), dt.float32), x.shape)
    return P.less(F.rand(*x.shape, seed=own_stream(generator)), p)


def _random(x, from_=0, to=None, *, generator=None):
    """Whole numbers in ``[from_, to)``; one number is the upper bound."""
    if to is None:
        from_, to = 0, from_ or (2**24 if x.dtype.is_float else 2 ** (8 * x.dtype.itemsize - 1) - 1)
    return F.randint(int(from_), int(to), x.shape, own_stream(generator))


def _normal(x, mean=0, std=1, *, generator=None):
    return F.randn(*x.shape, seed=own_stream(generator)) * std + mean


def _uniform(x, from_=0, to=1, *, generator=None):
    return F.rand(*x.shape, seed=own_stream(generator)) * (to - from_) + from_


def _exponential(x, lambd=1, *, generator=None):
    return -P.log(1 - F.rand(*x.shape, seed=own_stream(generator))) / lambd


def _masked_fill(x, mask, value):
    return F.masked_fill(x, mask, value)


def _index_filled(x, dim, index, value):
    return F.index_fill(x, dim, index, value)


TABLE = {
    "add_": _added,
    "sub_": _subtracted,
    "copy_": _copied,
    "fill_": _filled,
    "put_": _put,
    "index_copy_": _index_copy,
    "index_add_": _index_added,
    "scatter_": _scattered,
    "scatter_add_": _scatter_added,
    "bernoulli_": _bernoulli,
    "random_": _random,
    "masked_fill_": _masked_fill,
    "index_fill_": _index_filled,
    "zero_": lambda x: F.zeros_like(x),
    "mul_": lambda x, other: x * other,
    "div_": lambda x, other, *, rounding_mode=None: F.div(x, other, rounding_mode=rounding_mode),
    "floor_divide_": lambda x, other: F.floor_divide(x, other),
    "remainder_": lambda x, other: F.remainder(x, other),
    "pow_": lambda x, exponent: F.pow(x, exponent),
    "clamp_": lambda x, min=None, max=None: F.clamp(x, min, max),
    "addmm_": lambda x, mat1, mat2, *, beta=1, alpha=1: F.addmm(
        x, mat1, mat2, beta=beta, alpha=alpha
    ),
    "fill_diagonal_": lambda x, fill_value, wrap=False: x.fill_diagonal(fill_value, wrap),
    "index_put_": lambda x, indices, values, accumulate=False: x.index_put(
        indices, values, accumulate
    ),
    "masked_scatter_": lambda x, mask, source: F.masked_scatter(x, mask, source),
    "normal_": _normal,
    "uniform_": _uniform,
    "exponential_": _exponential,
    **{name: f.target for name, f in offered("method").items() if name.endswith("_")},
}
"""Name of each in-place method → the function that gives the new value."""


_ARGS = {
    "other": "(Tensor, number): the other operand, which broadcasts to this tensor.",
    "alpha": "(number): the factor of what is added. Default: 1.",
    "beta": "(number): the factor of this tensor. Default: 1.",
    "src": "(Tensor, number): what is written.",
    "source": "(Tensor): what is written.",
    "tensor": "(Tensor): what is written.",
    "values": "(Tensor): what is written.",
    "value": "(Tensor, number): what is written.",
    "fill_value": "(number): what is written.",
    "non_blocking": "(bool): makes no difference. Default: False.",
    "accumulate": "(bool): add instead of writing. Default: False.",
    "index": "(Tensor[int]): the positions.",
    "indices": "(tuple[Tensor]): the positions in each dimension.",
    "dim": "(int): the dimension.",
    "reduce": '(str): ``"add"``, ``"multiply"`` or None, which writes. Default: None.',
    "p": "(float, Tensor): the probability of 1. Default: 0.5.",
    "generator": "(Generator): what numbers are drawn from. Default: that of `set_seed`.",
    "from_": "(number): the least.",
    "to": "(number): is not reached.",
    "mask": "(Tensor[bool]): the places; broadcasts.",
    "rounding_mode": '(str): ``"floor"``, ``"trunc"`` or None. Default: None.',
    "exponent": "(Tensor, number): the exponent.",
    "min": "(Tensor, number): the lower bound. Default: None.",
    "max": "(Tensor, number): the upper bound. Default: None.",
    "mat1": "(Tensor[(M, K)]): the left factor.",
    "mat2": "(Tensor[(K, N)]): the right factor.",
    "wrap": "(bool): begin anew behind a tall matrix. Default: False.",
    "mean": "(number): the mean. Default: 0.",
    "std": "(number): the standard deviation. Default: 1.",
    "lambd": "(number): the rate. Default: 1.",
}
_CALLS = {
    "add_": "2.0",
    "sub_": "2.0",
    "copy_": "Tensor([3.0])",
    "fill_": "3.0",
    "put_": "Tensor([0]), Tensor([3.0])",
    "index_copy_": "0, Tensor([0]), Tensor([3.0])",
    "index_add_": "0, Tensor([0]), Tensor([3.0])",
    "scatter_": "0, Tensor([0]), Tensor([3.0])",
    "scatter_add_": "0, Tensor([0]), Tensor([3.0])",
    "masked_fill_": "Tensor([True]), 3.0",
    "index_fill_": "0, Tensor([0]), 3.0",
    "mul_": "2.0",
    "div_": "2.0",
    "floor_divide_": "2.0",
    "remainder_": "2.0",
    "pow_": "2.0",
    "clamp_": "0.0, 1.0",
    "addmm_": "Tensor([[2.0]]), Tensor([[3.0]])",
    "fill_diagonal_": "3.0",
    "index_put_": "(Tensor([0]),), Tensor([3.0])",
    "masked_scatter_": "Tensor([True]), Tensor([3.0])",
}
_MATRICES = ("addmm_", "fill_diagonal_")


def doc(name: str) -> str:
    """The docstring of an in-place method."""
    taken = list(inspect.signature(TABLE[name]).parameters)[1:]
    args = "".join(f"\n    {n} {_ARGS[n]}" for n in taken)
    operand = "[[0.5]]" if name in _MATRICES else "[0.5]"
    return (
        f"`Tensor.{name[:-1]}` in place: the result becomes the value of this tensor.\n\n"
        + (f"Args:{args}\n\n" if args else "")
        + "Returns:\n    Tensor: this one.\n\n"
        "Raises:\n    TypeError: an argument is of a type that is not supported.\n"
        "    RuntimeError: the result would have another shape.\n\n"
        f"Examples:\n    >>> x = Tensor({operand})\n"
        f"    >>> x.{name}({_CALLS.get(name, '')}) is x\n    True\n"
    )


def new_value(x, name: str, args: tuple, kwargs: dict):
    """What ``x.name(*args, **kwargs)`` makes the value of ``x``.

    Raises:
        RuntimeError: its shape is not that of ``x``.
    """
    fn = TABLE[name]
    try:
        new = fn(x, *args, **kwargs)
    except Exception as e:
        return refuse(e, name, fn, (x, *args), kwargs, doc(name))
    if not is_tensor(new):
        new = as_tensor(new)
    if new.shape != x.shape:
        raise complain(
            RuntimeError,
            f"{name}: the result has shape {new.shape}, the tensor {x.shape}",
            expected="the shape of the tensor",
            cure="use the method without the underscore",
        )
    return new if new.dtype is x.dtype else P.cast(new, x.dtype)


__all__ = ["TABLE", "doc", "new_value"]
