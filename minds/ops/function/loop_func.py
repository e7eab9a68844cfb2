"""Loops and choices as functions of functions.

They are ordinary Python over whatever their functions compute: at once they run, in compiled code
their source is compiled with them (`frontend.loops`). So a loop whose end only data knows is one
loop of the program, and gradients of any order go through it.
"""

from __future__ import annotations

from ...base import dtype as dt
from ...base.errors import complain
from ..define import P
from ..faces import face
from .common import is_tensor, scan_length, scan_pair
from .decomposition_func import matrix_norm


@face(cls=True)
def while_loop(cond_func, loop_func, init_val):
    """``init_val``, passed through ``loop_func`` as long as ``cond_func`` of it holds.

    Args:
        cond_func (Callable): value to bool, a number, or a tensor of one element.
        loop_func (Callable): value to the next value, of the same structure, shapes and dtypes.
        init_val (Tensor, number, str, tuple, list, dict): the first value.
    Returns:
        The first value for which ``cond_func`` does not hold.
    Raises:
        TypeError: one of the functions cannot be called; in compiled code, if values have no common
            type.

    Examples:
        >>> int(ops.while_loop(lambda v: v < 100, lambda v: v * 3, 4))
        108
    """
    if not callable(cond_func):
        raise complain(TypeError, "while_loop: cond_func cannot be called", expected="a function")
    if not callable(loop_func):
        raise complain(TypeError, "while_loop: loop_func cannot be called", expected="a function")
    val = init_val
    while cond_func(val):
        val = loop_func(val)
    return val


@face(cls=True)
def fori_loop(lower, upper, loop_func, init_val, unroll=True):
    """``init_val``, passed through ``loop_func(i, value)`` for each ``i`` from ``lower`` to
    ``upper`` - 1.

    Args:
        lower (int, Tensor): the first index.
        upper (int, Tensor): where indices end.
        loop_func (Callable): index and value to the next value, of the same structure, shapes and
            dtypes.
        init_val (Tensor, number, str, tuple, list, dict): the first value.
        unroll (bool): has no effect. Short loops of known length are unrolled where that pays,
            whatever it says. Default: True.
    Returns:
        The last value.
    Raises:
        TypeError: ``loop_func`` cannot be called, or a bound is no integer; in compiled code, if
            values have no common type.

    Examples:
        >>> ops.fori_loop(0, 4, lambda i, total: total + i, 0)
        6
    """
    if not callable(loop_func):
        raise complain(TypeError, "fori_loop: loop_func cannot be called", expected="a function")
    _expect_bound(lower, "lower")
    _expect_bound(upper, "upper")
    val = init_val
    for i in range(int(lower), int(upper)):
        val = loop_func(i, val)
    return val


def _expect_bound(value, name: str) -> None:
    """Raise unless ``value`` can bound the indices of `fori_loop`."""
    kind = getattr(value, "dtype", dt.int64 if type(value) is int else None)
    if kind is None or kind.kind not in "iu":
        raise complain(TypeError, f"fori_loop: {name} is {value!r}", expected="an int")


def cond(pred=None, true_func=None, false_func=None, *operands, p=None, A=None):  # noqa: N803
    """``true_func(*operands)`` where ``pred`` holds, else ``false_func(*operands)``; only that one
    runs.

    As in MindSpore, of a matrix it is the condition number: ``cond(A, p)`` is the norm ``p`` of
    ``A`` times that of its inverse.

    Args:
        pred (bool, number, Tensor): the condition, of one element; or the matrices ``A``, of shape
            (..., N, N).
        true_func (Callable): what is called if it holds; or ``p``, an order of `matrix_norm`.
            Default: 2.
        false_func (Callable): what is called if not.
        operands (object): their arguments.
        p (int, float, str): the order, for a matrix.
        A (Tensor): the matrices, by this name.
    Returns:
        What the function gives; in compiled code both give the same structure, shapes and dtypes.
    Raises:
        TypeError: one of the functions cannot be called, or their results have no common type.

    Examples:
        >>> ops.cond(Tensor(3) > 2, lambda v: v + 1, lambda v: v - 1, 10)
        11
        >>> print(ops.cond(Tensor([[2.0, 0.0], [0.0, 1.0]]), 1))
        2.0
    """
    if false_func is None and not callable(true_func):
        return _condition_number(pred if A is None else A, true_func if p is None else p)
    if not callable(true_func):
        raise complain(TypeError, "cond: true_func cannot be called", expected="a function")
    if not callable(false_func):
        raise complain(TypeError, "cond: false_func cannot be called", expected="a function")
    if pred:
        return true_func(*operands)
    return false_func(*operands)


def _condition_number(a, p):
    """The norm of matrices times that of their inverses."""
    order = 2 if p is None else p
    return matrix_norm(a, order) * matrix_norm(P.inverse(a), order)


@face(cls=True)
def switch(cond, true_branch, false_branch):
    """``true_branch`` where ``cond`` holds, else ``false_branch``: functions, or other values of
    one type.

    Args:
        cond (bool, number, Tensor): the condition, of one element.
        true_branch (Callable, Tensor): what stands for True.
        false_branch (Callable, Tensor): what stands for False, of the same type.

    Returns:
        one of the branches.

    Examples:
        >>> print(ops.switch(True, ops.square, ops.neg)(Tensor(3.0)))
        9.0
    """
    return true_branch if cond else false_branch


def switch_layer(index, layers):
    """The function or cell at place ``index`` of ``layers``, chosen when the program gets here.

    Args:
        index (int, Tensor): the place; a negative one counts from the end.
        layers (tuple, list, CellList): functions or cells that give the same structure, shapes and
            dtypes.
    Returns:
        Callable: that function.
    Raises:
        IndexError: ``index`` is out of range.

    Examples:
        >>> print(ops.switch_layer(Tensor(1), (ops.square, ops.neg))(Tensor(3.0)))
        -3.0
    """
    n, at = len(layers), int(index)
    if not -n <= at < n:
        raise complain(IndexError, f"index is {at}, with {n} layers")
    return layers[at]


@face(cls=True)
def scan(loop_func, init, xs, length=None, unroll=True):
    """A loop over a sequence that carries a value along and gives one result for each element.

    In a compiled program a sequence of alike elements, or the rows of a tensor, is one loop,
    however long.

    Args:
        loop_func (Callable): ``(carry, x)`` to ``(next carry, y)``; the carry keeps its structure,
            shapes and dtypes.
        init (Tensor, number, str, tuple, list, dict): the first carry.
        xs (tuple, list, Tensor, None): the elements, for a tensor its rows; None: ``length`` times
            None.
        length (int): the number of elements. Default: that of ``xs``.
        unroll (bool): has no effect. Short loops of known length are unrolled where that pays,
            whatever it says. Default: True.
    Returns:
        tuple: the last carry, and the results: a list, or for a tensor ``xs`` tensors with a new
            first dimension, in the structure of ``y``.

    Raises:
        TypeError: ``loop_func`` cannot be called, gives no pair, or ``xs`` is no sequence.
        ValueError: ``length`` is not that of ``xs``, or is not given where ``xs`` is None.

    Examples:
        >>> ops.scan(lambda total, x: (total + x, total + x), 0, [1, 2, 3, 4])
        (10, [1, 3, 6, 10])
        >>> steps = Tensor([1.0, 2.0, 3.0])
        >>> last, sums = ops.scan(lambda total, x: (total + x, total + x), Tensor(0.0), steps)
        >>> print(last, sums)
        6.0 [1. 3. 6.]
    """
    if not callable(loop_func):
        raise complain(TypeError, "scan: loop_func cannot be called", expected="a function")
    count = scan_length(xs, length)
    carry, ys = init, []
    for i in range(count):
        carry, y = scan_pair(loop_func(carry, None if xs is None else xs[i]))
        ys.append(y)
    return carry, _stacked(ys) if is_tensor(xs) else ys


_KINDS = {bool: dt.bool_, int: dt.int64, float: dt.float32}


def _stacked(ys: list):
    """Results of one structure as one, stacked leaf by leaf."""
    first = ys[0] if ys else None
    if isinstance(first, (tuple, list)):
        columns = [_stacked(list(c)) for c in zip(*ys, strict=True)]
        return type(first)(*columns) if hasattr(first, "_fields") else type(first)(columns)
    if isinstance(first, dict):
        return {k: _stacked([y[k] for y in ys]) for k in first}
    if first is None:
        return None
    return P.concat(
        tuple(
            [
                P.reshape(y, (1, *y.shape)) if is_tensor(y) else P.full((1,), y, _KINDS[type(y)])
                for y in ys
            ]
        ),
        0,
    )
