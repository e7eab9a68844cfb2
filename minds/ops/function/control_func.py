"""Assignment to parameters, gradients that stop, order, printing."""

from __future__ import annotations

from ...base.errors import complain
from ...ir import build
from ...ir.node import Node
from ...tensor import Parameter, Tensor
from ..control import expect_to_hold
from ..define import P
from ..faces import face
from .common import as_tensor, is_tensor


@face(cls=True)
def stop_gradient(value):
    """The same value, through which no gradient flows.

    Args:
        value (Tensor | number | tuple | list): what is passed on; of tuples and lists, each
            element.

    Returns:
        Tensor | tuple | list: ``value``.

    Examples:
        >>> print(ops.grad(lambda x: x * ops.stop_gradient(x))(Tensor(3.0)))
        3.0
    """
    if isinstance(value, (tuple, list)):
        return type(value)([stop_gradient(v) for v in value])
    plain = value is None or isinstance(value, (bool, int, float, complex, str))
    return value if plain else P.stop_gradient(value)


def _kind(v) -> str:
    return "Tensor" if hasattr(v, "abstract") else type(v).__name__


@face(cls=True)
def assign(variable, value):
    """Write a parameter, or change a tensor in place.

    Args:
        variable (Parameter | Tensor): what is written.
        value (Tensor | number): the new value, of the same shape; cast to the dtype of
            ``variable``.

    Returns:
        Tensor: the new value.

    Raises:
        TypeError: ``variable`` is no Parameter and no Tensor, or a Parameter of a dtype that does
            not hold all that ``value``'s does.
        ValueError: the shapes differ.

    Examples:
        >>> p = ms.Parameter(Tensor([1.0]))
        >>> print(ops.assign(p, Tensor([2.0])))
        [2.]
    """
    builder = build.current()
    if not isinstance(variable, Parameter):
        if not is_tensor(variable):
            raise complain(
                TypeError,
                f"assign: variable has type {_kind(variable)}",
                expected="a Parameter or a Tensor",
            )
        if is_tensor(value):
            expect_to_hold(variable, value.abstract.dtype)
        return builder.change(variable, value) if builder is not None else variable.copy_(value)
    if builder is not None:
        return builder.write(variable, value)
    if isinstance(value, Tensor) and value.abstract is variable.abstract:
        variable._exchange(value._array)
    else:
        if isinstance(value, Tensor) and value.shape != variable.shape:
            raise complain(
                ValueError,
                f"assign: Parameter {variable.name!r} has shape {variable.shape}, "
                f"the value {value.shape}",
            )
        if isinstance(value, Tensor):
            expect_to_hold(variable, value.dtype)
        variable._fill(value)
    return variable.value()


@face(cls=True)
def assign_add(variable, value):
    """Add to a parameter or a tensor. See `assign`.

    Args:
        variable (Parameter, Tensor): what changes.
        value (Tensor, number): is added.

    Returns:
        Tensor: the new value of ``variable``.

    Raises:
        TypeError: ``variable`` is not a Tensor.
        ValueError: the shape of ``value`` does not fit ``variable``.

    Examples:
        >>> print(ops.assign_add(ms.Parameter(Tensor([1.0])), Tensor([2.0])))
        [3.]
    """
    return assign(variable, P.add(variable, value))


@face(cls=True)
def assign_sub(variable, value):
    """Subtract from a parameter or a tensor. See `assign`.

    Args:
        variable (Parameter, Tensor): what changes.
        value (Tensor, number): is subtracted.

    Returns:
        Tensor: the new value of ``variable``.

    Raises:
        TypeError: ``variable`` is not a Tensor.
        ValueError: the shape of ``value`` does not fit ``variable``.

    Examples:
        >>> print(ops.assign_sub(ms.Parameter(Tensor([1.0])), Tensor([2.0])))
        [-1.]
    """
    return assign(variable, P.sub(variable, value))


@face(cls=True)
def depend(value, expr):
    """``value``, computed after ``expr``.

    Args:
        value (object): what is returned; tuples and lists may hold tensors.
        expr (Tensor, tuple, None): what must have run before: a tensor, a tuple of them, or None.

    Returns:
        ``value``.

    Raises:
        TypeError: ``expr`` has a wrong type.
        ValueError: ``value`` is nested very deep, or holds itself.

    Examples:
        >>> print(ops.depend(Tensor([1.0]), None))
        [1.]
    """
    for e in expr if isinstance(expr, (tuple, list)) else (expr,):
        value = depend(value, e) if isinstance(e, (tuple, list)) else _after(value, e, _DEEPEST)
    return value


_DEEPEST = 200
"""Lists in lists that `depend` takes."""


def _after(value, expr, depth: int):
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        if depth == 0:
            what = f"depend: value is nested more than {_DEEPEST} deep, or holds itself"
            raise complain(ValueError, what)
        return type(value)([_after(v, expr, depth - 1) for v in value])
    return value if expr is None or isinstance(value, (str, type(None))) else P.depend(value, expr)


@face(cls=True)
def print_(*input_x):
    """Print values when the program runs, in program order: each on lines of its own, a tensor with its
    shape and dtype.

    Args:
        input_x (Any): what is printed.

    Examples:
        >>> ops.print_("x is", Tensor([1.0, 2.0]))
        x is
        Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])
    """
    values: list = []
    form = "\n".join([_form(v, values) for v in input_x])
    if build.current() is None:
        print(form.format(*values), flush=True)
    else:
        P.print(tuple(values), form)


def _form(v, values: list) -> str:
    """The place of a value in what is printed; tensors, and what is known only at run time, join
    ``values``.
    """
    if isinstance(v, (Node, Tensor)):
        values.append(v)
        return "{!r}" if is_tensor(v) else "{}"
    if isinstance(v, (tuple, list)) and any(isinstance(e, (Node, Tensor, tuple, list)) for e in v):
        inner = ", ".join([_form(e, values) for e in v])
        if isinstance(v, list):
            return f"[{inner}]"
        return f"({inner},)" if len(v) == 1 else f"({inner})"
    return str(v).replace("{", "{{").replace("}", "}}")


def isconstant(x) -> bool:
    """Whether a value is known when the program is compiled.

    Args:
        x (object): any value.

    Returns:
        bool: False for what the running program computes, and for parameters and sequences that
            hold such; outside of compiled code True for everything but tensors.

    Examples:
        >>> ops.isconstant(3), ops.isconstant((1, Tensor([1.0])))
        (True, False)
    """
    if isinstance(x, (tuple, list)):
        return all(map(isconstant, x))
    if build.current() is None:
        return not isinstance(x, Tensor)
    return not isinstance(x, (Node, Parameter))


def is_sequence_value_unknown(input_data) -> bool:
    """Whether a sequence holds what only the running program knows.

    Args:
        input_data (tuple | list): the sequence.

    Returns:
        bool: False for elements that are known when the program is compiled.

    Examples:
        >>> ops.functional.is_sequence_value_unknown((1, 2))
        False
    """
    return not isconstant(input_data)


def is_sequence_shape_unknown(input_data) -> bool:
    """Whether only the running program knows the length of a sequence.

    Args:
        input_data (tuple | list): the sequence.

    Returns:
        bool: False outside of compiled code.

    Examples:
        >>> ops.functional.is_sequence_shape_unknown((1, 2))
        False
    """
    return False


@face(cls="MoveTo()")
def move_to(input, to="CPU", blocking=True):
    """A tensor on another device.

    Args:
        input (Tensor, list[int], tuple[int]): the tensor, or the elements of one.
        to (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; in a program its own device. Default: ``"CPU"``.
        blocking (bool): whether to wait until it is there. Default: True.

    Returns:
        Tensor: on that device.

    Raises:
        ValueError: there is no such device.

    Examples:
        >>> print(ops.move_to(Tensor([1.0]), "CPU"))
        [1.]
    """
    x = as_tensor(list(input)) if isinstance(input, (tuple, list)) else input
    return x.move_to(to, blocking)
