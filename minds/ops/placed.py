"""Values that are marked with how devices share them: what strategies of ops and functions become.

A strategy is a ``Layout`` of `minds.parallel`, or a tuple of numbers, in how many parts each dimension
is.
"""

from __future__ import annotations

from ..base.errors import StrategyError, complain
from .define import P


def place(value, strategy, asked=False, name="shard"):
    """A value with what a strategy says of it: a ``Layout``, numbers of parts, or None; ``name`` is what
    users call.
    """
    if strategy is None or not getattr(value, "shape", ()) or not dims_of(strategy):
        return value
    dims = dims_of(strategy)
    if len(dims) != len(value.shape) and _is_whole(dims):
        return value
    if len(dims) != len(value.shape) or any(type(n) is int and n < 1 for n in dims):
        expected = f"{len(value.shape)} positive numbers, one for each dimension"
        raise complain(StrategyError, f"{name}: a strategy is {strategy!r}", expected=expected)
    return P.placed(value, dims, mesh_of(strategy), asked)


def _is_whole(strategy) -> bool:
    """Whether a strategy leaves each dimension in one part, and says nothing so."""
    return isinstance(strategy, tuple) and all(n == 1 for n in strategy)


def dims_of(strategy) -> tuple:
    """The entries of a strategy.

    Raises:
        TypeError: it is none.
    """
    if hasattr(strategy, "tensor_map"):
        return strategy.to_dict() and strategy.tensor_map
    if isinstance(strategy, tuple) and all(type(n) is int for n in strategy):
        return strategy
    raise complain(
        TypeError, f"shard: a strategy is {strategy!r}", expected="a Layout or a tuple of ints"
    )


def mesh_of(strategy) -> tuple:
    """The axes that a strategy names."""
    return getattr(strategy, "mesh", ())


def place_all(values: tuple, strategies) -> tuple:
    """The arguments or results of a function, as strategies say; what has none stays as it is."""
    if strategies is None:
        return values
    return tuple([place(v, s) for v, s in zip(values, for_each(strategies, len(values)))])


def for_each(strategies, count: int) -> tuple:
    """A strategy, or None, for each of ``count`` values."""
    check_strategies(strategies, count)
    return (*strategies, *(None,) * (count - len(strategies)))


def place_operands(values: tuple, strategies: tuple) -> tuple:
    """The operands of an op, as strategies ask of it: one for each tensor, those of a tuple each by
    itself, or one for each operand.

    Raises:
        ValueError: there are more or fewer.
    """
    told = tuple(leaves_of(strategies, is_strategies))
    operands = list(leaves_of(values, lambda v: isinstance(v, (tuple, list))))
    tensors = [hasattr(v, "shape") for v in operands]
    if len(told) not in (sum(tensors), len(operands)) and all(map(_is_whole, told)):
        return values
    if len(told) not in (sum(tensors), len(operands)):
        what = f"shard: {len(told)} strategies for {sum(tensors)} tensors"
        raise complain(StrategyError, what, expected="as many")
    each = iter(told)
    takes = len(told) == len(operands)

    def placed(v):
        if isinstance(v, (tuple, list)):
            return type(v)([placed(e) for e in v])
        return place(v, next(each), True) if takes or hasattr(v, "shape") else v

    return tuple(map(placed, values))


def place_result(value, strategies: tuple):
    """The first result of an op, or its only one, as a strategy says.

    Raises:
        ValueError: there are more strategies than results.
    """
    count = len(value) if isinstance(value, tuple) else 1
    check_strategies(strategies, count)
    return place(value, strategies[0])


def leaves_of(value, is_inner):
    """What is within tuples, in order."""
    for v in value:
        yield from leaves_of(v, is_inner) if is_inner(v) else (v,)


def is_strategies(value) -> bool:
    """Whether that is a tuple of strategies, rather than one."""
    return isinstance(value, tuple) and bool(value) and not isinstance(value[0], int)


def check_strategies(strategies, count: int) -> None:
    """Raise unless there is a strategy for each of some tensors.

    Raises:
        TypeError: it is no tuple.
        ValueError: there are more or fewer.
    """
    if not isinstance(strategies, tuple):
        raise complain(
            TypeError, f"shard: the strategies are {strategies!r}", expected="a tuple, one for each"
        )
    if len(strategies) > count:
        raise complain(
            StrategyError,
            f"shard: {len(strategies)} strategies for {count} tensors",
            expected="as many",
        )


__all__ = [
    "check_strategies",
    "dims_of",
    "for_each",
    "is_strategies",
    "leaves_of",
    "mesh_of",
    "place",
    "place_all",
    "place_operands",
    "place_result",
]
