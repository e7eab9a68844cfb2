"""Values that are marked with how devices share them: what strategies of ops and functions become.

A strategy is a ``Layout`` of `minds.parallel`, or a tuple of numbers, in how many parts each dimension
is.
"""

from __future__ import annotations

from ..base.errors import complain
from .define import P


def place(value, strategy, asked=False):
    """A value with what a strategy says of it: a ``Layout``, numbers of parts, or None."""
    if strategy is None or not getattr(value, "shape", ()) or not dims_of(strategy):
        return value
    return P.placed(value, dims_of(strategy), mesh_of(strategy), asked)


def dims_of(strategy) -> tuple:
    """The entries of a strategy.

    Raises:
        TypeError: it is none.
    """
    if hasattr(strategy, "tensor_map"):
        return strategy.to_dict() and strategy.tensor_map
    if isinstance(strategy, tuple) and all(type(n) is int and n > 0 for n in strategy):
        return strategy
    raise complain(
        TypeError,
        f"shard: a strategy is {strategy!r}",
        expected="a Layout or a tuple of positive ints",
    )


def mesh_of(strategy) -> tuple:
    """The axes that a strategy names."""
    return getattr(strategy, "mesh", ())


def place_all(values: tuple, strategies, asked=False) -> tuple:
    """The operands of an op, or the arguments or results of a function, as strategies say."""
    if strategies is None:
        return values
    check_strategies(strategies, len(values))
    return tuple([place(v, s, asked) for v, s in zip(values, strategies)])


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
            ValueError,
            f"shard: {len(strategies)} strategies for {count} tensors",
            expected="as many",
        )


__all__ = ["check_strategies", "dims_of", "mesh_of", "place", "place_all"]
