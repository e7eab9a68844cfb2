"""How users say how tensors are divided: layouts with named axes, and strategies of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..base import data_parallel
from ..base.errors import complain
from ..ops.placed import check_strategies, dims_of, mesh_of, place, place_all


def _check(holds: bool, error: type, what: str, expected: str) -> None:
    if not holds:
        raise complain(error, f"Layout: {what}", expected=expected)


_INTERLEAVED = "interleaved_parallel"
"""The name of an axis whose parts MindSpore computes in turn."""


class Layout:
    """The devices as a box with named axes; called with an entry for each dimension of a tensor, how
    that is divided.

    Args:
        device_matrix (tuple[int]): the sizes of the axes, whose product is the number of devices.
        alias_name (tuple[str]): their names.
        rank_list (list[int], optional): the ranks in the box; must be in order. Default: None.

    Inputs:
        - **tensor_map** (str, tuple[str]) - for each dimension the axis that divides it, several, the major
          one first, or ``"None"``.

    Outputs:
        Layout: with the tensor map.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the lengths differ, a name is empty, ``"None"`` or used twice, or an axis is
            not there.

    Examples:
        >>> from minds.parallel import Layout
        >>> layout = Layout((2, 2, 2), ("dp", "sp", "mp"))
        >>> layout("dp", ("sp", "mp"), "None").to_dict()["tensor_map"]
        (2, (1, 0), -1)
    """

    _static_instances = True  # one may be made in compiled code

    def __init__(self, device_matrix, alias_name, rank_list=None):
        tuples = isinstance(device_matrix, tuple), isinstance(alias_name, tuple)
        _check(tuples[0], TypeError, f"device_matrix is {device_matrix!r}", "a tuple of ints")
        _check(tuples[1], TypeError, f"alias_name is {alias_name!r}", "a tuple of strs")
        same = len(device_matrix) == len(alias_name)
        _check(
            same, ValueError, f"{len(alias_name)} names for {len(device_matrix)} axes", "as many"
        )
        for n in device_matrix:
            whole = isinstance(n, int) and not isinstance(n, bool)
            _check(whole, TypeError, f"device_matrix has {n!r}", "ints")
            _check(n > 0, ValueError, f"device_matrix has {n!r}", "positive ints")
        for name in alias_name:
            _check(isinstance(name, str), TypeError, f"alias_name has {name!r}", "strs")
            _check(name not in ("", "None"), ValueError, f"alias_name has {name!r}", "a name")
        _check(len(set(alias_name)) == len(alias_name), ValueError, "a name is used twice", "names")
        count = math.prod(device_matrix)
        if rank_list is not None:
            _check(isinstance(rank_list, list), TypeError, f"rank_list is {rank_list!r}", "a list")
            _check(rank_list == list(range(count)), ValueError, "rank_list is not in order", "None")
        self.device_matrix, self.alias_name = device_matrix, alias_name
        self.rank_list = list(range(count)) if rank_list is None else rank_list
        self.tensor_map: tuple | None = None

    def __call__(self, *tensor_map):
        made = Layout(self.device_matrix, self.alias_name)
        made.tensor_map = tuple([self._axes(entry) for entry in tensor_map])
        used = [a for axes in made.tensor_map for a in axes]
        _check(len(set(used)) == len(used), ValueError, "an axis is used twice", "each once")
        return made

    def _emit(self, ip, args, kwargs):
        """In compiled code."""
        return ip.native(Layout.__call__, self, *args, **kwargs)

    def _axes(self, entry) -> tuple[str, ...]:
        axes = (entry,) if isinstance(entry, str) else entry
        _check(isinstance(axes, tuple), TypeError, f"an entry is {entry!r}", "a str or a tuple")
        if axes == ("None",):
            return ()
        for a in axes:
            _check(a in self.alias_name, ValueError, f"no axis {a!r}", ", ".join(self.alias_name))
        return axes

    @property
    def mesh(self) -> tuple:
        """Names and sizes of the axes.

        Examples:
            >>> from minds.parallel import Layout
            >>> Layout((2, 4), ("dp", "mp")).mesh
            (('dp', 'mp'), (2, 4))
        """
        return self.alias_name, self.device_matrix

    def to_dict(self) -> dict:
        """MindSpore's description: axes by their number from the right.

        Returns:
            dict: ``device_matrix``, ``tensor_map``, ``interleaved_parallel``, ``alias_name`` and
            ``rank_list``.

        Raises:
            ValueError: the layout was not called with a tensor map.

        Examples:
            >>> from minds.parallel import Layout
            >>> Layout((2, 4), ("dp", "mp"))("mp", "dp").to_dict()["tensor_map"]
            (0, 1)
        """
        _check(self.tensor_map is not None, ValueError, "it has no tensor map", "layout(...)")
        last = len(self.alias_name) - 1

        def number(axes):
            found = tuple([last - self.alias_name.index(a) for a in axes])
            return -1 if not found else found[0] if len(found) == 1 else found

        return {
            "device_matrix": self.device_matrix,
            "tensor_map": tuple(map(number, self.tensor_map)),
            "interleaved_parallel": _INTERLEAVED in self.alias_name,
            "alias_name": self.alias_name,
            "rank_list": self.rank_list,
        }


def reshard(tensor, layout):
    """The same tensor, which devices share as a layout says from here on.

    Args:
        tensor (Tensor): any tensor.
        layout (Layout): called with one entry for each of its dimensions.

    Returns:
        Tensor: ``tensor``.

    Raises:
        TypeError: ``layout`` is no Layout.
        ValueError: it has not one entry per dimension.

    Examples:
        >>> from minds.parallel import Layout
        >>> from minds.parallel.function import reshard
        >>> layout = Layout((2, 2), ("dp", "mp"))
        >>> reshard(ops.ones((4, 4)), layout("dp", "None")).shape
        (4, 4)
    """
    if not isinstance(layout, Layout):
        raise complain(
            TypeError, f"reshard: layout has type {type(layout).__name__}", expected="a Layout"
        )
    return place(tensor, layout, name="reshard")


def shard(
    fn: Callable, in_strategy, out_strategy=None, parameter_plan: dict | None = None
) -> Callable:
    """A function whose arguments and results devices share as strategies say, with what lies between as
    follows from that.

    Args:
        fn (Callable, Cell): the function.
        in_strategy (tuple): for each argument a `Layout`, a tuple of numbers of parts, or None.
        out_strategy (tuple): the same for the results. Default: None.
        parameter_plan (dict): the same for parameters of a Cell, by name. Default: None.

    Returns:
        Callable: takes what ``fn`` takes, and gives what it gives.

    Raises:
        TypeError: a strategy has a wrong type.
        ValueError: there are too many, or a parameter is not there.
        RuntimeError: the ``parallel_mode`` is data_parallel, when it is called.

    Examples:
        >>> from minds.parallel import Layout, shard
        >>> layout = Layout((2, 2), ("dp", "mp"))
        >>> f = shard(lambda x: x * 2, (layout("dp", "None"),))
        >>> print(f(Tensor([[1.0], [2.0]])).asnumpy().T)
        [[2. 4.]]
    """
    for strategies in (in_strategy, out_strategy):
        if strategies is not None:
            check_strategies(strategies, len(strategies) if isinstance(strategies, tuple) else 0)
            for s in strategies:
                if s is not None:
                    dims_of(s)
    if parameter_plan:
        _plan(fn, parameter_plan)

    def sharded(*args):
        if data_parallel.settings.on:
            raise complain(
                RuntimeError, "shard: Only auto_parallel and semi_auto_parallel support shard."
            )
        result = fn(*place_all(args, in_strategy))
        if isinstance(result, tuple):
            return place_all(result, out_strategy)
        return place_all((result,), out_strategy)[0]

    return sharded


def _plan(cell, plan: dict) -> None:
    held = {p.name: p for p in cell.get_parameters()}
    for given, strategy in plan.items():
        name = given.removeprefix("self.")
        if name not in held:
            raise complain(
                ValueError, f"shard: there is no parameter {name!r}", expected=", ".join(held)
            )
        held[name].strategy = dims_of(strategy), mesh_of(strategy)


__all__ = ["Layout", "reshard", "shard"]
