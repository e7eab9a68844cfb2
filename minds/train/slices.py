"""Parameters and checkpoints that are in several pieces, put together."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import numpy as np

from .. import _core
from ..base.errors import complain
from ..base.sealed import seal_of
from ..base.world import world
from ..sharding import files
from ..sharding.layout import Mesh, Sharding
from ..tensor import Parameter
from .serialization import chosen_of, load_param_into_net


@dataclass(frozen=True)
class SlicedBy:
    """How a parameter lies among devices.

    Attributes:
        mesh (Mesh): the devices.
        layout (Sharding): which axes of them divide which dimension.
    """

    mesh: Mesh
    layout: Sharding


def build_searched_strategy(strategy_filename: str) -> dict:
    """How the parameters of a strategy file lie.

    Args:
        strategy_filename (str): the file.

    Returns:
        dict: name → layout, for `merge_sliced_parameter`.

    Raises:
        TypeError: ``strategy_filename`` is no str.
        ValueError: there is no such file, or it is something else.

    Examples:
        >>> from minds.parallel import build_searched_strategy
        >>> build_searched_strategy("nowhere.json")
        Traceback (most recent call last):
        ...
        ValueError: build_searched_strategy: there is no strategy file 'nowhere.json'...
    """
    op = "build_searched_strategy"
    if not isinstance(strategy_filename, str):
        what = f"{op}: strategy_filename has type {type(strategy_filename).__name__}"
        raise complain(TypeError, what, expected="a str")
    found = files.read(strategy_filename)
    return {name: SlicedBy(found.mesh, layout) for name, layout in found.dims.items()}


def merge_sliced_parameter(sliced_parameters: list, strategy: dict | None = None) -> Parameter:
    """Put the parts of a parameter together.

    Args:
        sliced_parameters (list[Parameter]): the parts, of one name, in the order of the ranks.
        strategy (dict): of `build_searched_strategy`. Default: None, they are one after the other along
            dimension 0.

    Returns:
        Parameter: the whole.

    Raises:
        TypeError: an argument has a wrong type.
        KeyError: ``strategy`` does not have the parameter.
        ValueError: there are no parts, or their names, shapes, dtypes or number do not fit.

    Examples:
        >>> from minds import Parameter, Tensor
        >>> from minds.parallel import merge_sliced_parameter
        >>> parts = [Parameter(Tensor([1.0, 2.0]), "w"), Parameter(Tensor([3.0, 4.0]), "w")]
        >>> print(merge_sliced_parameter(parts).asnumpy())
        [1. 2. 3. 4.]
    """
    op, parts = "merge_sliced_parameter", sliced_parameters
    if not isinstance(parts, list) or not all(isinstance(p, Parameter) for p in parts):
        what = f"{op}: sliced_parameters has type {type(parts).__name__}"
        raise complain(TypeError, what, expected="a list of Parameters")
    if strategy is not None and not isinstance(strategy, dict):
        what = f"{op}: strategy has type {type(strategy).__name__}"
        raise complain(TypeError, what, expected="a dict")
    if not parts:
        raise complain(ValueError, f"{op}: sliced_parameters is empty")
    kinds = {(p.name, tuple(p.shape), p.dtype) for p in parts}
    if len(kinds) > 1:
        raise complain(
            ValueError,
            f"{op}: the parts differ: {', '.join(f'{n} {s} {t.name}' for n, s, t in sorted(kinds, key=str))}",
            expected="parts of one name, shape and dtype",
        )
    first = parts[0]
    arrays = [p.asnumpy() for p in parts]
    if strategy is None:
        if not first.shape:
            raise complain(ValueError, f"{op}: {first.name} has no dimension")
        return Parameter._holding(_held(np.concatenate(arrays), first), first.name)
    if first.name not in strategy:
        raise complain(KeyError, f"{op}: strategy has no {first.name!r}")
    return Parameter._holding(_held(_merged(op, first, arrays, strategy), first), first.name)


def _merged(op: str, first: Parameter, arrays: list, strategy: dict) -> np.ndarray:
    """The whole of a parameter that a strategy knows."""
    by = strategy[first.name]
    if not isinstance(by, SlicedBy):
        what = f"{op}: strategy has {type(by).__name__} for {first.name!r}"
        raise complain(TypeError, what, expected="what build_searched_strategy gives")
    if len(arrays) != by.mesh.size or len(by.layout.dims) != len(first.shape):
        what = f"{op}: {len(arrays)} parts of {len(first.shape)} dimensions"
        expected = f"{by.mesh.size} parts of {len(by.layout.dims)}"
        raise complain(ValueError, what, expected=expected)
    shape = tuple([n * by.layout.parts(by.mesh, d) for d, n in enumerate(first.shape)])
    out = np.empty(shape, arrays[0].dtype)
    for rank, part in enumerate(arrays):
        out[by.layout.part(by.mesh, shape, rank)] = part
    return out


def _held(a: np.ndarray, like: Parameter):
    return _core.Array.from_numpy(a, like.dtype.code, copy=False)


def load_segmented_checkpoints(
    ckpt_file_dir: str,
    net=None,
    strict_load: bool = False,
    filter_prefix=None,
    dec_key=None,
    dec_mode: str = "AES-GCM",
    specify_prefix=None,
    choice_func=None,
) -> dict:
    """Read all checkpoints of a folder, each of which has some parameters.

    Args:
        ckpt_file_dir (str): the folder.
        net (Cell): is given the parameters. Default: None.
        strict_load (bool): see `load_param_into_net`. Default: False.
        filter_prefix, dec_key, dec_mode, specify_prefix, choice_func: see `load_checkpoint`.

    Returns:
        dict: name → Parameter or str.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there is no such folder, it has no checkpoints, or one is broken.

    Examples:
        >>> import os, tempfile, minds as ms
        >>> from minds import nn
        >>> from minds.parallel import load_segmented_checkpoints
        >>> folder, net = tempfile.mkdtemp(), nn.Dense(2, 1)
        >>> ms.save_checkpoint([{"name": "weight", "data": net.weight}], os.path.join(folder, "a.ckpt"))
        >>> ms.save_checkpoint([{"name": "bias", "data": net.bias}], os.path.join(folder, "b.ckpt"))
        >>> sorted(load_segmented_checkpoints(folder, net))
        ['bias', 'weight']
    """
    op = "load_segmented_checkpoints"
    if not isinstance(ckpt_file_dir, str):
        what = f"{op}: ckpt_file_dir has type {type(ckpt_file_dir).__name__}"
        raise complain(TypeError, what, expected="a str")
    if not os.path.isdir(ckpt_file_dir):
        raise complain(ValueError, f"{op}: there is no folder {ckpt_file_dir!r}")
    seal = seal_of(op, dec_key, dec_mode, ("dec_key", "dec_mode"))
    found = {}
    for name in sorted(os.listdir(ckpt_file_dir)):
        if name.endswith(".ckpt"):
            path = os.path.join(ckpt_file_dir, name)
            found |= chosen_of(path, seal, filter_prefix, specify_prefix, choice_func)
    if not found:
        what = f"{op}: no checkpoint in {ckpt_file_dir!r} has a name that is wanted"
        raise complain(ValueError, what)
    if net is not None:
        parameters = {n: p for n, p in found.items() if isinstance(p, Parameter)}
        load_param_into_net(net, parameters, strict_load)
    return found


def get_ckpt_path_with_strategy(cur_ckpt_path: str, cur_strategy_path: str) -> str | None:
    """A checkpoint that has what this process needs: its own, or, where that is lost, that of another process
    with the same parts of all parameters.

    Args:
        cur_ckpt_path (str): the checkpoint of this process; a part ``rank_N`` of the path tells the
            processes' files apart. A path without one names the same file for all.
        cur_strategy_path (str): how parameters lie.

    Returns:
        str: a file that is there; None, if no process with the same parts has one.

    Raises:
        TypeError: an argument is no str.
        ValueError: ``cur_strategy_path`` is no strategy file, or of fewer processes than this one's number.

    Examples:
        >>> import os, tempfile, minds as ms
        >>> path = os.path.join(tempfile.mkdtemp(), "rank_0", "a.ckpt")
        >>> os.mkdir(os.path.dirname(path))
        >>> ms.save_checkpoint({"w": ms.Tensor([1.0])}, path)
        >>> ms.get_ckpt_path_with_strategy(path, "strategy.json") == path
        True
    """
    op = "get_ckpt_path_with_strategy"
    given = (("cur_ckpt_path", cur_ckpt_path), ("cur_strategy_path", cur_strategy_path))
    for name, value in given:
        if not isinstance(value, str):
            what = f"{op}: {name} has type {type(value).__name__}"
            raise complain(TypeError, what, expected="a str")
    if f"rank_{world.rank}" in cur_ckpt_path and os.path.isfile(cur_ckpt_path):
        return cur_ckpt_path
    for rank in _ranks_alike(op, files.read(cur_strategy_path)):
        path = re.sub(r"rank_\d+", f"rank_{rank}", cur_ckpt_path)
        if os.path.isfile(path):
            return path
    return None


def _ranks_alike(op: str, found: files.Layouts) -> tuple[int, ...]:
    """The ranks with the same parts of all parameters as this one: of its group of a pipeline, those that
    differ along axes which divide none.
    """
    if world.rank >= found.size:
        what = f"{op}: the strategy file is of {found.size} processes, and this one is {world.rank}"
        raise complain(ValueError, what)
    group, place = divmod(world.rank, found.mesh.size)
    held = [s for name, s in found.dims.items() if not found.is_away(name, world.rank)]
    free = [a for a in found.mesh.names if not any(a in s.axes for s in held)]
    return tuple(sorted(group * found.mesh.size + r for r in found.mesh.group(place, *free)))


__all__ = [
    "build_searched_strategy",
    "get_ckpt_path_with_strategy",
    "load_segmented_checkpoints",
    "merge_sliced_parameter",
]
