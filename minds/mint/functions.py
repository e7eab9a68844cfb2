"""The functions of `minds.mint`: those of `minds.ops`, with torch's names and order of parameters.

Those of `ops` as they are say so where they are defined; `OTHER` gives the ones whose parameters
differ, each in terms of ops.
"""

from __future__ import annotations

import numpy as np

from ..base import dtype as dt
from ..base.errors import expect
from ..ir.dim import is_size
from ..ops import functional as F
from ..ops.define import P
from ..ops.faces import offered
from ..ops.function.common import is_tensor
from ..tensor import Tensor


def _extreme(whole, along):
    """``max(input)``, ``max(input, dim)`` with positions, or of two tensors."""

    def extreme(input, dim=None, keepdim=False, other=None):
        other = dim if is_tensor(dim) else other
        if other is not None:
            return (P.maximum if whole is P.amax else P.minimum)(input, other)
        if dim is None:
            return whole(input, None, False)
        values, index = along(input, dim, keepdim)
        return values, P.cast(index, dt.int64)

    return extreme


def _median(input, dim=None, keepdim=False):
    if dim is None:
        return F.median(P.reshape(input, (-1,)), 0)[0]
    return F.median(input, dim, keepdim)


def _sorted(input, *, dim=-1, descending=False, stable=False):
    out = P.sort(input, dim, descending)
    return out[0], out[1]


def _take(input, index):
    return P.gather(P.reshape(input, (-1,)), index, 0)


def _normal(mean=0.0, std=1.0, size=None, generator=None):
    if size is None:
        size = mean.shape if is_tensor(mean) else std.shape
    return F.normal(size, mean, std)


def _unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    found = np.unique(input.asnumpy(), return_inverse=True, return_counts=True, axis=dim)
    inverse = found[1].reshape(input.shape if dim is None else -1)
    out = [Tensor(found[0])]
    out += [Tensor(inverse.astype(np.int64))] if return_inverse else []
    out += [Tensor(found[2].astype(np.int64))] if return_counts else []
    return out[0] if len(out) == 1 else tuple(out)


def _index_add(input, dim, index, source, *, alpha=1):
    return F.index_add(input, index, source if alpha == 1 else source * alpha, dim)


def _linspace(start, end, steps, *, dtype=None):
    out = F.linspace(start, end, steps)
    return out if dtype is None else P.cast(out, dt.of(dtype))


def _flatten(input, start_dim=0, end_dim=-1):
    return (
        P.reshape(input, (1,))
        if not input.shape
        else F.flatten(input, start_dim=start_dim, end_dim=end_dim)
    )


def _bernoulli(input, *, generator=None):
    return F.bernoulli(input, input)


def _diag(input, diagonal=0):
    return F.diag_embed(input, diagonal) if len(input.shape) == 1 else F.diagonal(input, diagonal)


def _where(condition, input=None, other=None):
    return (
        F.nonzero(condition, as_tuple=True) if input is None else F.where(condition, input, other)
    )


def _randint(*args, generator=None, dtype=None, device=None):
    low, high, size = args if len(args) == 3 else (0, *args)
    return F.randint(low, high, size, dtype=dtype)


def _repeat_interleave(input, repeats, dim=None, *, output_size=None):
    return F.repeat_interleave(input, repeats, dim)


def _squeeze(input, dim=None):
    if dim is None:
        return F.squeeze(input)
    dims = (dim,) if isinstance(dim, int) else dim
    dims = tuple(d for d in dims if input.shape and input.shape[d] == 1)
    return F.squeeze(input, dims) if dims else input


def _permute(input, dims):
    return P.transpose(input, tuple(dims))


def _norm(input, p="fro", dim=None, keepdim=False, *, dtype=None):
    return F.norm(
        input,
        p if p != "fro" or isinstance(dim, tuple) and len(dim) == 2 else 2,
        dim,
        keepdim,
        dtype=dtype,
    )


def _scalar_of(input):
    expect(input.size == 1, "input", "of one element", got=f"shape {input.shape}")
    return input.item()


def _select(*args, **kwargs):
    """A position of a dimension: ``select(input, dim, index)``; or elements by condition."""
    if (
        args
        and is_tensor(args[0])
        and len(args) + len(kwargs) == 3
        and "other" not in kwargs
        and not (args[0].dtype.is_bool and len(args) == 3 and not isinstance(args[1], int))
    ):
        return _position(*args, **kwargs)
    return F.select(*args, **kwargs)


def _position(input, dim, index):
    out = F.narrow(input, dim, index, 1)
    return F.squeeze(out, dim)


OTHER = {
    "addcdiv": lambda input, tensor1, tensor2, *, value=1: F.addcdiv(
        input, tensor1, tensor2, value
    ),
    "addcmul": lambda input, tensor1, tensor2, *, value=1: F.addcmul(
        input, tensor1, tensor2, value
    ),
    "all": lambda input, dim=None, keepdim=False: P.all(input, dim, keepdim),
    "allclose": lambda input, other, rtol=1e-05, atol=1e-08, equal_nan=False: input.allclose(
        other, rtol, atol, equal_nan
    ),
    "amax": lambda input, dim=(), keepdim=False: P.amax(input, dim, keepdim),
    "amin": lambda input, dim=(), keepdim=False: P.amin(input, dim, keepdim),
    "any": lambda input, dim=None, keepdim=False: P.any(input, dim, keepdim),
    "argmin": lambda input, dim=None, keepdim=False: P.cast(
        F.argmin(input, dim, keepdim), dt.int64
    ),
    "argsort": lambda input, dim=-1, descending=False, stable=False: P.sort(input, dim, descending)[
        1
    ],
    "baddbmm": lambda input, batch1, batch2, *, beta=1, alpha=1: F.baddbmm(
        input, batch1, batch2, beta=beta, alpha=alpha
    ),
    "bernoulli": _bernoulli,
    "bmm": lambda input, mat2: P.matmul(input, mat2),
    "cat": lambda tensors, dim=0: F.concat(tensors, dim),
    "cdist": lambda x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary": F.cdist(
        x1, x2, p
    ),
    "chunk": lambda input, chunks, dim=0: F.chunk(input, chunks, dim),
    "clone": lambda input: P.copy(input),
    "concat": lambda tensors, dim=0: F.concat(tensors, dim),
    "conv2d": lambda input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1: F.conv2d(
        input,
        weight,
        bias,
        stride,
        padding if isinstance(padding, str) else "pad",
        0 if isinstance(padding, str) else padding,
        dilation,
        groups,
    ),
    "count_nonzero": lambda input, dim=None: P.cast(
        F.count_nonzero(input, () if dim is None else dim), dt.int64
    ),
    "cummax": lambda input, dim: P.cummax(input, dim),
    "cummin": lambda input, dim: P.cummin(input, dim),
    "cumsum": lambda input, dim, dtype=None: F.cumsum(input, dim, dtype),
    "diag": _diag,
    "diff": lambda input, n=1, dim=-1, prepend=None, append=None: F.diff(
        input, n, dim, prepend, append
    ),
    "empty": lambda *size, dtype=None, device=None: F.zeros(
        size[0] if len(size) == 1 and not is_size(size[0]) else size, dtype or dt.float32
    ),
    "empty_like": lambda input, *, dtype=None, device=None: F.zeros(
        input.shape, dtype or input.dtype
    ),
    "fix": lambda input: P.trunc(input),
    "flatten": _flatten,
    "gather": lambda input, dim, index: P.gather_d(input, dim, index),
    "index_add": _index_add,
    "index_select": lambda input, dim, index: P.gather(input, index, dim),
    "item": _scalar_of,
    "linspace": _linspace,
    "max": _extreme(P.amax, F.max),
    "mean": lambda input, dim=None, keepdim=False, *, dtype=None: F.mean(
        input if dtype is None else P.cast(input, dt.of(dtype)), dim, keepdim
    ),
    "median": _median,
    "meshgrid": lambda *tensors, indexing=None: F.meshgrid(
        *(tensors[0] if len(tensors) == 1 and not is_tensor(tensors[0]) else tensors),
        indexing=indexing or "ij",
    ),
    "min": _extreme(P.amin, F.min),
    "multinomial": lambda input, num_samples, replacement=False, *, generator=None: F.multinomial(
        input, num_samples, replacement
    ),
    "mv": lambda input, vec: F.matmul(input, vec),
    "narrow": lambda input, dim, start, length: F.narrow(input, dim, start, length),
    "norm": _norm,
    "normal": _normal,
    "add": lambda input, other, *, alpha=1: P.add(input, other if alpha == 1 else other * alpha),
    "sub": lambda input, other, *, alpha=1: P.sub(input, other if alpha == 1 else other * alpha),
    "ones": lambda size, *, dtype=None: F.ones(size, dtype),
    "permute": _permute,
    "prod": lambda input, dim=None, keepdim=False, *, dtype=None: F.prod(
        input, dim, keepdim, dtype
    ),
    "rand": lambda *size, generator=None, dtype=None, device=None: F.rand(*size, dtype=dtype),
    "rand_like": lambda input, *, dtype=None, device=None: F.rand_like(input, dtype=dtype),
    "randint": _randint,
    "randint_like": lambda input, *bounds, dtype=None, device=None: _randint(
        *bounds, input.shape, dtype=dtype or input.dtype
    ),
    "randn": lambda *size, generator=None, dtype=None, device=None: F.randn(*size, dtype=dtype),
    "randn_like": lambda input, *, dtype=None, device=None: F.randn_like(input, dtype=dtype),
    "randperm": lambda n, *, generator=None, dtype=dt.int64: F.randperm(n, dtype=dtype),
    "repeat_interleave": _repeat_interleave,
    "scatter": lambda input, dim, index, src: F.scatter(input, dim, index, src),
    "scatter_add": lambda input, dim, index, src: P.scatter_add_d(input, dim, index, src),
    "select": _select,
    "softmax": lambda input, dim, *, dtype=None: F.softmax(input, dim, dtype=dtype),
    "sort": _sorted,
    "split": lambda tensor, split_size_or_sections, dim=0: F.split(
        tensor, split_size_or_sections, dim
    ),
    "squeeze": _squeeze,
    "stack": lambda tensors, dim=0: F.stack(tensors, dim),
    "std": lambda input, dim=None, *, correction=1, keepdim=False: F.std(
        input, dim, correction, keepdim
    ),
    "std_mean": lambda input, dim=None, *, correction=1, keepdim=False: F.std_mean(
        input, dim, correction, keepdim
    ),
    "sum": lambda input, dim=None, keepdim=False, *, dtype=None: F.sum(
        input, dim, keepdim, dtype=dtype
    ),
    "t": F.t,
    "take": _take,
    "transpose": lambda input, dim0, dim1: F.swapaxes(input, dim0, dim1),
    "unbind": lambda input, dim=0: F.unstack(input, dim),
    "unique": _unique,
    "unsqueeze": lambda input, dim: F.expand_dims(input, dim),
    "var": lambda input, dim=None, *, correction=1, keepdim=False: F.var(
        input, dim, correction, keepdim
    ),
    "var_mean": lambda input, dim=None, *, correction=1, keepdim=False: F.var_mean(
        input, dim, correction, keepdim
    ),
    "vdot": lambda input, other: F.dot(input, other),
    "where": _where,
    "zeros": lambda size, *, dtype=None: F.zeros(size, dtype),
}


def named(table: dict) -> dict:
    """The functions of a table, each with its name, its module and a docstring."""
    for name, fn in table.items():
        if getattr(fn, "__module__", "").startswith("minds.mint"):
            fn.__name__ = fn.__qualname__ = name
            fn.__doc__ = fn.__doc__ or f"`ops.{name}`, with torch's parameters."
    return table


FUNCTIONS = {**{n: f.target for n, f in offered("mint").items() if "." not in n}, **named(OTHER)}
__all__ = ["FUNCTIONS", "named"]
