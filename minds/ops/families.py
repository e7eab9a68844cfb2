"""Families: elementwise ops of one and of two operands, one row per op.

A row says the op's name, what it is, an example, what it takes and its faces; the family gives the
inference, promotion, donation, batching rule and docstring. `minds.ops.faces` says what a face is.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

from ..base import dtype as dt
from ..base.errors import expect
from ..ir.abstract import AbstractTensor
from .define import Op, op
from .rules import holomorphic, integral, joined, numeric

_ONE = """{summary}

    Args:
        {x} (Tensor[any shape, {on}] | number): the operand.{cast}

    Returns:
        Tensor: elementwise, of the shape {dtype} of ``{x}``.

    Raises:
        TypeError: ``{x}`` is neither a Tensor nor a number{refused}.

    Examples:
        >>> print({code})
        {result}
    """
_TWO = """{summary}

    Args:
        {x} (Tensor[any shape, {on}] | number): the first operand.
        {y} (Tensor[any shape, {on}] | number): the second operand; shapes broadcast, dtypes are
            promoted to their common one, and a number never widens a tensor of its own kind.{cast}

    Returns:
        Tensor: elementwise, of the broadcast shape and {dtype}.

    Raises:
        TypeError: an operand is neither a Tensor nor a number{refused}.
        ValueError: the shapes do not broadcast.

    Examples:
        >>> print({code})
        {result}
    """
_SHOWN = {"bits": "int or bool"}
_CAST = " Integers and bools are taken as float32."
_REFUSED = {
    "number": ", or is bool",
    "int": ", or is floating point or bool",
    "bits": ", or is floating point",
}


def _bits(x, name: str) -> None:
    """Raise TypeError if ``x`` is floating point."""
    expect(not x.dtype.is_float, name, "of an integer dtype or bool", TypeError, got=x.dtype.name)


_CHECKS = {"number": numeric, "int": integral, "bits": _bits}


def _doc(template: str, summary: str, example: str, on: str, **words) -> str:
    code, _, result = example.rpartition(" -> ")
    return template.format(
        summary=summary,
        code=code,
        result=result,
        on=_SHOWN.get(on, on),
        cast=_CAST if on == "float" else "",
        refused=_REFUSED.get(on, ""),
        **words,
    )


def _define(rule: Callable, name: str, names: str, doc: str, on: str, dtype, options: dict) -> Op:
    """The op of an inference rule that takes ``names``, with what both families share."""
    rule.__name__ = rule.__qualname__ = name
    rule.__doc__ = doc
    operands = names.split()
    rule.__signature__ = inspect.Signature(
        [
            inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="Tensor")
            for n in operands
        ],
        return_annotation="Tensor",
    )
    # Which operands the result may overwrite: with equal dtypes, equal bytes mean nothing is
    # broadcast.
    if not isinstance(dtype, dt.DType):
        options["inplace"] = {"out": names}
    if on == "float":
        options["floating"] = True
    if on == "float" or len(operands) == 2:
        options["promote"] = names
    public = options.get("function", True) is not False
    faces = dict.fromkeys(("function", "method", "cls", "mint", "numpy"), public)
    return op(rule, elementwise=True, **{**faces, **options})


def unary(
    name: str,
    summary: str,
    example: str,
    gradient: Callable | None = None,
    *,
    on: str = "float",
    dtype: dt.DType | Callable | None = None,
    operand: str = "input",
    **options,
) -> Op:
    """Define an elementwise op of one operand, with all faces unless ``options`` say otherwise.

    Args:
        name (str): its name in `P`.
        summary (str): the head of its docstring.
        example (str): an expression and what it prints, ``"ops.exp(Tensor([0.0])) -> [1.]"``.
        gradient (callable): of the operand, the result and its cotangent, that of the operand, as
            `rules.holomorphic` takes it. Default: None, there is none.
        on (str): what it takes: ``float`` (integers are cast to float32), ``number``, ``int``,
            ``bits`` (integers and bools) or ``any``.
        dtype (dtype): of the result, or a function of the operand that gives it. Default: the
            operand's.
        operand (str): the name of the operand.
        **options: faces, and further options of `define.op`.
    """
    check = _CHECKS.get(on)

    def rule(x):
        if check is not None:
            check(x, operand)
        return AbstractTensor(x.shape, dtype(x) if callable(dtype) else dtype or x.dtype)

    shown = f"and dtype {dtype.name}," if isinstance(dtype, dt.DType) else "and dtype"
    doc = _doc(_ONE, summary, example, on, x=operand, dtype=shown)
    options.setdefault("nondiff", gradient is None)
    made = _define(rule, name, operand, doc, on, dtype, options)
    if gradient is not None:
        made.bprop(holomorphic(lambda x, out, dout: (gradient(x, out, dout),)))
    return made


def binary(
    name: str,
    summary: str,
    example: str,
    *,
    on: str = "number",
    dtype: dt.DType | None = None,
    operands: str = "input other",
    **options,
) -> Op:
    """Define a broadcasting elementwise op of two operands, as `unary` does. Its gradient, where it
    has one, follows with ``@NAME.bprop``.
    """
    check = _CHECKS.get(on)
    first, second = operands.split()

    def rule(x, y):
        if check is not None:
            check(x, first)
        return joined(x, y, dtype)

    shown = "the common dtype" if dtype is None else f"dtype {dtype.name}"
    doc = _doc(_TWO, summary, example, on, x=first, y=second, dtype=shown)
    return _define(rule, name, operands, doc, on, dtype, options)


__all__ = ["binary", "unary"]
