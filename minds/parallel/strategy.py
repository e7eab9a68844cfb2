"""How the parameters of a network lie on each rank, asked of the network and not of a file."""

from __future__ import annotations

import math

from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..jit.divided import divided
from ..nn.cell import Cell
from .shard import Layout

__all__ = [
    "clear_strategy_metadata",
    "enable_save_strategy_online",
    "get_current_strategy_metadata",
    "get_strategy_metadata",
]


def enable_save_strategy_online() -> None:
    """Keep the layouts of what is compiled from now on, so that they can be asked for.

    Examples:
        >>> from minds.parallel.strategy import enable_save_strategy_online
        >>> enable_save_strategy_online()
    """
    divided.begin()


def clear_strategy_metadata() -> None:
    """Forget the layouts that were kept.

    Examples:
        >>> from minds.parallel.strategy import clear_strategy_metadata
        >>> clear_strategy_metadata()
    """
    divided.forget()


def get_strategy_metadata(network, rank_id=None) -> dict | None:
    """How the parameters lie in the program with those of a network that was compiled last for several
    processes.

    Args:
        network (Cell): what was compiled, such as ``model.train_network``, or a part of it.
        rank_id (int, optional): the rank that is meant. Default: None, all.

    Returns:
        dict[int, dict[str, list]]: for each rank, for each parameter that it has, its `Layout`, the name of
        its dtype and its whole shape. None where nothing was divided, or `enable_save_strategy_online` was
        not called.

    Raises:
        TypeError: ``network`` is no Cell, or ``rank_id`` no int.
        ValueError: there is no such rank.

    Examples:
        >>> from minds import nn
        >>> from minds.parallel.strategy import get_strategy_metadata
        >>> print(get_strategy_metadata(nn.Dense(2, 3)))
        None
    """
    op = "get_strategy_metadata"
    found = _found(op, network)
    if rank_id is not None and type(rank_id) is not int:
        kind = type(rank_id).__name__
        raise complain(TypeError, f"{op}: rank_id has type {kind}", expected="an int")
    if found is None or rank_id is None:
        return found
    if rank_id not in found:
        raise complain(ValueError, f"{op}: rank_id is {rank_id}", expected=f"0 to {len(found) - 1}")
    return {rank_id: found[rank_id]}


def get_current_strategy_metadata(network) -> dict | None:
    """How the parameters lie that this rank has: as `get_strategy_metadata` tells it.

    Args:
        network (Cell): what was compiled.

    Returns:
        dict[int, dict[str, list]]: under the number 0. None where `get_strategy_metadata` gives None.

    Raises:
        TypeError: ``network`` is no Cell.

    Examples:
        >>> from minds import nn
        >>> from minds.parallel.strategy import get_current_strategy_metadata
        >>> print(get_current_strategy_metadata(nn.Dense(2, 3)))
        None
    """
    found = _found("get_current_strategy_metadata", network)
    return None if found is None else {0: found[_rank(network)]}


def _found(op: str, network) -> dict | None:
    """What is known of all ranks."""
    if not isinstance(network, Cell):
        what = f"{op}: network has type {type(network).__name__}"
        raise complain(TypeError, what, expected="a Cell")
    places = _places(network)
    if not places:
        return None
    (first, *_) = [place for _, place in places.values()]
    width = first.mesh.size
    found: dict = {rank: {} for rank in range(width * first.groups)}
    for name, (p, place) in places.items():
        groups = range(place.groups) if place.owner is None else (place.owner,)
        for group in groups:
            ranks = list(range(group * width, (group + 1) * width))
            told = [_layout(place, ranks), str(p.dtype), list(p.shape)]
            for rank in ranks:
                found[rank][name] = list(told)
    return found


def _places(network) -> dict:
    return divided.places(network.get_parameters())


def _rank(network) -> int:
    (place, *_) = [place for _, place in _places(network).values()]
    return place.group * place.mesh.size + place.rank


def _layout(place, ranks: list) -> Layout:
    """In the user's axes; those that minds has made up are told as few as they can be."""
    mesh, dims = place.mesh, [tuple(axes) for axes in place.layout.dims]
    made_up = all(name == f"axis{i}" for i, name in enumerate(mesh.names))
    groups = _joined(mesh.names, dims) if made_up else [(name,) for name in mesh.names]
    length = dict(zip(mesh.names, mesh.sizes))
    sizes = [math.prod([length[a] for a in group]) for group in groups]
    names = tuple([g[0] for g in groups])
    entries = [tuple([a for a in axes if a in names]) or "None" for axes in dims]
    made = Layout(tuple(sizes), names)(*entries)
    made.rank_list = ranks
    return made


def _joined(names: tuple, dims: list) -> list[tuple]:
    """Axes side by side that divide one dimension, one after the other, or none."""
    follows = {(a, b) for axes in dims for a, b in zip(axes, axes[1:])}
    used = {a for axes in dims for a in axes}
    groups = [names[:1]]
    for before, name in zip(names, names[1:]):
        if (before, name) in follows or not {before, name} & used:
            groups[-1] += (name,)
        else:
            groups.append((name,))
    return groups


_guard(__name__)
