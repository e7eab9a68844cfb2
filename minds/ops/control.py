"""Ops that steer: what gradients pass, what runs before what, and what is printed."""

from __future__ import annotations

import numpy as np

from ..base import dtype as dt
from ..base.errors import complain, expect
from ..ir.abstract import NONE
from ..tensor import Parameter, Tensor
from .define import P, op
from .rules import same


@op(kernel="view", nondiff=True, batch="leading")
def stop_gradient(value: Tensor) -> Tensor:
    """The same value, through which no gradient flows.

    Args:
        value (Tensor): any tensor.

    Returns:
        Tensor: ``value``.

    Examples:
        >>> print(ops.grad(lambda x: x * ops.stop_gradient(x))(Tensor(3.0)))
        3.0
    """
    return same(value)


@op(kernel="view")
def depend(value: Tensor, expr: Tensor) -> Tensor:
    """``value``, computed after ``expr``.

    Effects keep program order without it; it exists for programs that say so explicitly.

    Args:
        value (Tensor): what is returned.
        expr (Tensor): what must have run before.

    Returns:
        Tensor: ``value``.

    Examples:
        >>> print(ops.depend(Tensor(1.0), Tensor(2.0)))
        1.0
    """
    return same(value)


@depend.bprop
def _(value, expr, out, dout):
    return dout, None


@depend.batch
def _(b, value, expr):
    return P.depend(b.every(value)[0], expr)


@op(kernel="view")
def placed(value: Tensor, dims: tuple, mesh: tuple, asked: bool = False) -> Tensor:
    """The same value, of which something is known of how devices share it (`minds.parallel`).

    Args:
        value (Tensor): any tensor.
        dims (tuple): for each dimension the axes of the mesh that divide it, or in how many parts it
            is divided.
        mesh (tuple): names and sizes of the axes; () for numbers of parts.
        asked (bool): whether that is about the op that takes the value, rather than the value.
            Default: False.

    Returns:
        Tensor: ``value``.

    Raises:
        ValueError: ``dims`` has not one entry per dimension.
    """
    expect(len(dims) == len(value.shape), "dims", f"{len(value.shape)} dimensions", got=dims)
    return same(value)


@placed.bprop
def _(value, dims, mesh, asked, out, dout):
    # A gradient lies as its value, behind the move and before it; what an op is to do does not concern its
    # gradient.
    return (dout if asked else P.cotangent(P.placed(dout, dims, mesh), value),)


@placed.batch
def _(b, value, dims, mesh, asked):
    return P.placed(value, (() if mesh else 1, *dims), mesh, asked)


def _print(values, form, end):
    print(form.format(*values), end=end, flush=True)


@op(effect=True, nondiff=True, host=_print)
def print_(values: tuple[Tensor, ...], form, end: str = "\n") -> Tensor:
    """Print values when the program runs, in program order.

    Args:
        values (tuple[Tensor]): what is printed.
        form (str): a format string with one ``{}`` per value.
        end (str): what follows.

    Examples:
        >>> ops.print_(ms.Tensor([1, 2]).shape)
        (2,)
    """
    return NONE


def _raise(values, error):
    raise (error if isinstance(error, BaseException) else error(*values)).with_traceback(None)


@op(effect=True, nondiff=True, host=_raise)
def raise_(values: tuple[Tensor, ...], error: Exception) -> Tensor:
    """Raise an exception when the program gets here: what `raise` under a condition on data
    compiles to.

    Args:
        values (tuple[Tensor]): what the exception says of the data.
        error (Exception | Callable): what is raised, or a function that makes it of ``values``.
    """
    return NONE


def _require(condition, values, count):
    if not np.all(condition):
        data = " ".join(str(np.ravel(v)[: None if count < 0 else count]) for v in values)
        raise RuntimeError(f"Assert: assert failed: the condition is false; input data: {data}")


@op(effect=True, nondiff=True, host=_require)
def require(condition: Tensor, values: tuple[Tensor, ...], count: int) -> Tensor:
    """Raise RuntimeError where the program gets here and a condition does not hold.

    Args:
        condition (Tensor[bool]): one element.
        values (tuple[Tensor]): what the message shows.
        count (int): how many elements of each; negative: all.
    """
    return NONE


def _call_host(values, call):
    return call.run(values)


@op(effect=True, host=_call_host)
def host_(values: tuple[Tensor, ...], call: object) -> Tensor:
    """Call a Python function when the program gets here: what a call of `minds.host` compiles to.

    Args:
        values (tuple[Tensor]): the tensors and run-time numbers among the arguments.
        call (object): the call: ``call.infer(abstracts)`` types its results, ``call.run(values)``
            computes them.
    """
    return call.infer(values)


@host_.bprop
def _(values, call, out, dout):
    raise call.no_gradient()


def expect_to_hold(variable, dtype: dt.DType, by_kind: bool = False) -> None:
    """Raise unless a tensor of this dtype may be assigned to a parameter or tensor: the two
    together have its dtype. Of a number only its kind counts.

    Raises:
        TypeError: it may not.
    """
    held = variable.abstract.dtype
    if by_kind:
        fits = "buif".index(dtype.kind) <= "buif".index(held.kind)
    else:
        fits = dt.promote(held, dtype) is held
    if not fits:
        what = f"Parameter {variable.name!r}" if isinstance(variable, Parameter) else "variable"
        raise complain(
            TypeError,
            f"assign: {what} is {held.name}, the value {dtype.name}",
            expected="a dtype that converts to that of the Parameter or Tensor",
            cure="cast the value first",
        )
