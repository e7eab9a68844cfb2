"""What `mindspore.parallel` has besides for checkpoints and parameters of parts, by minds' own functions."""

from __future__ import annotations

import os

from ..ad import tape
from ..base.errors import complain
from ..base.world import world
from ..ir.build import building
from ..nn.cell import Cell
from ..ops.define import P
from ..sharding.parts import lay_part
from ..tensor import Tensor
from ..train.parts import (
    rank_list_for_transform,
    transform_checkpoint_by_rank,
    transform_checkpoints,
)
from .context import get_auto_parallel_context, set_auto_parallel_context


def convert_checkpoints(
    src_checkpoints_dir: str,
    dst_checkpoints_dir: str,
    ckpt_prefix: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
    process_num: int = 1,
    output_format: str = "ckpt",
) -> None:
    """`transform_checkpoints` by its newer name: write the checkpoints of all ranks of one layout for those
    of another.

    Args:
        src_checkpoints_dir (str), dst_checkpoints_dir (str): have a folder ``rank_0``, … for each process.
        ckpt_prefix (str): begins the names of the new files.
        src_strategy_file (str), dst_strategy_file (str): the layouts. Default: None.
        process_num (int): accepted. Default: 1.
        output_format (str): ``"ckpt"`` or ``"safetensors"``. Default: ``"ckpt"``.

    Raises:
        NotADirectoryError: there is no folder to read.
        ValueError: files or ranks are missing, or the new layouts do not fit.

    Examples:
        >>> from minds.parallel import convert_checkpoints
        >>> convert_checkpoints("nowhere", "new", "a")
        Traceback (most recent call last):
        ...
        NotADirectoryError: convert_checkpoints: there is no folder 'nowhere'...
    """
    if not os.path.isdir(src_checkpoints_dir):
        what = f"convert_checkpoints: there is no folder {src_checkpoints_dir!r}"
        raise complain(NotADirectoryError, what)
    strategies = src_strategy_file, dst_strategy_file
    where = src_checkpoints_dir, dst_checkpoints_dir, ckpt_prefix
    transform_checkpoints(*where, *strategies, process_num, output_format)


def convert_checkpoint_by_rank(
    rank_id: int,
    checkpoint_files_map: dict,
    save_checkpoint_file_name: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
) -> None:
    """`transform_checkpoint_by_rank` by its newer name: write the checkpoint of one rank of a new layout.

    Args:
        rank_id (int): the rank.
        checkpoint_files_map (dict): rank → checkpoint, of those that `rank_list_for_convert` gives.
        save_checkpoint_file_name (str): the new file.
        src_strategy_file (str), dst_strategy_file (str): the layouts. Default: None.

    Raises:
        TypeError: ``checkpoint_files_map`` is no dict.
        ValueError: files or ranks are missing, or the new layouts do not fit.

    Examples:
        >>> import os, tempfile, minds as ms
        >>> from minds.parallel import convert_checkpoint_by_rank
        >>> old, new = [os.path.join(tempfile.mkdtemp(), n) for n in ("a.ckpt", "b.ckpt")]
        >>> ms.save_checkpoint({"w": ms.Tensor([1.0])}, old)
        >>> convert_checkpoint_by_rank(0, {0: old}, new)
    """
    given = rank_id, checkpoint_files_map, save_checkpoint_file_name
    transform_checkpoint_by_rank(*given, src_strategy_file, dst_strategy_file)


def rank_list_for_convert(
    rank_id: int, src_strategy_file: str | None = None, dst_strategy_file: str | None = None
) -> list[int]:
    """`rank_list_for_transform` by its newer name: whose checkpoints are needed for that of a rank.

    Args:
        rank_id (int): the rank of the new layout.
        src_strategy_file (str), dst_strategy_file (str): the layouts. Default: None.

    Returns:
        list[int]: the ranks.

    Raises:
        ValueError: a strategy file is none, or there is no such rank.

    Examples:
        >>> from minds.parallel import rank_list_for_convert
        >>> rank_list_for_convert(0)
        [0]
    """
    return rank_list_for_transform(rank_id, src_strategy_file, dst_strategy_file)


def restore_group_info_list(group_info_file_name: str) -> list:
    """Refused: minds writes no files of groups.

    Args:
        group_info_file_name (str): a file.

    Returns:
        list[int]: nothing is returned.

    Raises:
        TypeError: ``group_info_file_name`` is no str.
        ValueError: else.
    """
    if not isinstance(group_info_file_name, str):
        kind = type(group_info_file_name).__name__
        what = f"restore_group_info_list: group_info_file_name has type {kind}"
        raise complain(TypeError, what, expected="a str")
    raise complain(
        ValueError,
        f"restore_group_info_list: {group_info_file_name!r}: minds writes no files of groups",
        cure="a strategy file tells which ranks have the same part: rank_list_for_transform",
    )


def export_split_mindir(
    file_name: str, device_num: int = 8, rank_id: int = 0, dynamic: bool = True, sapp: bool = True
) -> None:
    """Refused: a program that was exported is not divided; networks are, when they are compiled.

    Args:
        file_name (str): a file that ends in ``.mindir``.
        device_num (int), rank_id (int), dynamic (bool), sapp (bool): unused.

    Raises:
        ValueError: ``file_name`` is no str, does not end so, or there is no such file.
        RuntimeError: else.
    """
    op = "export_split_mindir"
    if not isinstance(file_name, str) or not file_name.endswith(".mindir"):
        what = f"{op}: file_name is {file_name!r}"
        raise complain(ValueError, what, expected="a path that ends in .mindir")
    if not os.path.isfile(file_name):
        raise complain(ValueError, f"{op}: there is no file {file_name!r}")
    raise complain(
        RuntimeError,
        f"{op}: minds does not divide exported programs",
        cure="divide the network itself: set_auto_parallel_context(parallel_mode=...), or parallel.shard",
    )


def sync_pipeline_shared_parameters(net) -> None:
    """Nothing needs to be done: of a parameter that several stages use, one keeps it, and the others are sent
    it in each run.

    Args:
        net (Cell): the network.

    Raises:
        TypeError: ``net`` is no Cell.

    Examples:
        >>> from minds import nn
        >>> from minds.parallel import sync_pipeline_shared_parameters
        >>> sync_pipeline_shared_parameters(nn.Dense(2, 1))
    """
    if not isinstance(net, Cell):
        what = f"sync_pipeline_shared_parameters: net has type {type(net).__name__}"
        raise complain(TypeError, what, expected="a Cell")


def set_op_strategy_config(mode: str = "SAVE", path: str = "") -> None:
    """Keep in a file how what is compiled from now on lies, or take it from there. What is kept are the
    layouts of parameters: those of ops follow from them.

    Args:
        mode (str): ``"SAVE"`` or ``"LOAD"``. Default: ``"SAVE"``.
        path (str): the file, from the root, which ends in ``.json``. Default: ``""``.

    Raises:
        KeyError: there is no such mode, or the path is no such path.

    Examples:
        >>> import minds as ms
        >>> from minds.parallel import set_op_strategy_config
        >>> set_op_strategy_config("SAVE", "/tmp/strategy.json")
        >>> ms.reset_auto_parallel_context()
    """
    op = "set_op_strategy_config"
    if mode not in ("SAVE", "LOAD"):
        raise complain(KeyError, f"{op}: mode is {mode!r}", expected="'SAVE' or 'LOAD'")
    expect_strategy_path(op, "path", path)
    set_auto_parallel_context(strategy_ckpt_config={f"{mode.lower()}_file": path})


def expect_strategy_path(op: str, name: str, path) -> None:
    """Raise unless a path is one of a strategy file.

    Raises:
        TypeError: it is no str.
        KeyError: it does not begin at the root, or end in ``.json``.
    """
    if not isinstance(path, str):
        raise complain(TypeError, f"{op}: {name} has type {type(path).__name__}", expected="a str")
    if not os.path.isabs(path) or not path.endswith(".json"):
        expected = "a path from the root that ends in .json"
        raise complain(KeyError, f"{op}: {name} is {path!r}", expected=expected)


def parameter_broadcast(net, layout: dict, cur_rank: int = 0, initial_rank: int = 0) -> None:
    """Let all processes that have the same part of a parameter hold what the first of them does. All of them
    call this.

    Args:
        net (Cell): has the parameters.
        layout (dict): names those that are meant, such as ``Cell.parameter_layout_dict``; how they lie, they
            know themselves.
        cur_rank (int): this process. Default: 0.
        initial_rank (int): the first process of its stage of a pipeline. Default: 0.

    Raises:
        TypeError: ``net`` is no Cell, or ``layout`` no dict.
        ValueError: ``cur_rank`` is another process, ``initial_rank`` the first of none, or ``net`` has no
            such parameter.

    Examples:
        >>> from minds import nn
        >>> from minds.parallel import parameter_broadcast
        >>> parameter_broadcast(nn.Dense(2, 1), {"weight": None})
    """
    op = "parameter_broadcast"
    for name, value, kind in (("net", net, Cell), ("layout", layout, dict)):
        if not isinstance(value, kind):
            what = f"{op}: {name} has type {type(value).__name__}"
            raise complain(TypeError, what, expected=f"a {kind.__name__}")
    if cur_rank != world.rank:
        raise complain(ValueError, f"{op}: cur_rank is {cur_rank}", expected=f"{world.rank}")
    width = max(world.size // get_auto_parallel_context("pipeline_stages"), 1)
    first = cur_rank // width * width
    if initial_rank != first:
        raise complain(ValueError, f"{op}: initial_rank is {initial_rank}", expected=f"{first}")
    own = net.parameters_dict()
    for name in layout:
        if name not in own:
            raise complain(ValueError, f"{op}: net has no parameter {name!r}")
    for name in layout if world.size > 1 else ():
        _agree(own[name], tuple(range(first, first + width)))


def _agree(p, stage: tuple) -> None:
    """Take what the first of those with the same part has."""
    lies = p.lies
    with building(None), tape.suspended():
        if lies is None:
            p.set_data(P.broadcast_from(p.value(), 0, stage))
        elif not lies.place.is_away:
            same = [a for a in lies.mesh.names if a not in lies.layout.axes]
            begin = lies.place.group * lies.mesh.size
            ranks = tuple([begin + r for r in lies.mesh.group(lies.rank, *same)])
            part = P.broadcast_from(Tensor._wrap(lies.array), 0, ranks)
            lay_part(p, lies.place, part._array)


__all__ = [
    "convert_checkpoint_by_rank",
    "convert_checkpoints",
    "export_split_mindir",
    "parameter_broadcast",
    "rank_list_for_convert",
    "restore_group_info_list",
    "set_op_strategy_config",
    "sync_pipeline_shared_parameters",
]
