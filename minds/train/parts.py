"""Checkpoints of parts: what each process has saved, put together, or divided in another way.

``save_checkpoint(…, integrated_save=False)`` in each process writes its parts of the parameters and how
they lie. Here such files, one for each rank, become those of another number of ranks or of other
layouts, on one process and a parameter at a time.
"""

from __future__ import annotations

import json
import os

import numpy as np

from .. import _core
from ..base import dtype as dt
from ..base.errors import complain
from ..base.sealed import Seal, seal_of
from ..nn.cell import Cell
from ..sharding import files
from ..sharding.layout import Mesh
from ..tensor import Parameter
from .serialization import PARTS, WRITERS, entries_of, load_param_into_net, read_entries

_PART_FILE, _MAP_FILE = "part{}.safetensors", "param_name_map.json"


class _Saved:
    """The checkpoints of all ranks.

    Attributes:
        names (list[str]): what they have.
        texts (dict): of the first.
    """

    def __init__(
        self, op: str, paths: list[str], strategy: files.Layouts | None, seal: Seal | None = None
    ):
        self.op, self.paths = op, paths
        self.arrays, self.layouts, self.texts = [], [], {}
        for rank, path in enumerate(paths):
            arrays, texts = entries_of(op, path, seal)
            said = texts.pop(PARTS, None)
            layouts = strategy if said is None else files.parse(said, f"checkpoint {path!r}")
            self.arrays.append(arrays)
            self.layouts.append(layouts)
            self.texts = self.texts or texts
            if said is not None and (layouts.rank, layouts.size) != (rank, len(paths)):
                raise complain(
                    ValueError,
                    f"{op}: {path!r} is of rank {layouts.rank} of {layouts.size}, it is given as that "
                    f"of rank {rank} of {len(paths)}",
                    cure="give the files of all ranks, in order",
                )
        self.names = list(dict.fromkeys(name for arrays in self.arrays for name in arrays))

    def whole(self, name: str) -> tuple[np.ndarray, dt.DType]:
        """All of a parameter."""
        layouts = self.layouts[0]
        layout = None if layouts is None else layouts.dims.get(name)
        if layout is None or not (layout.axes or name in layouts.owners):
            return self._of(0, name)
        if layouts.size != len(self.paths):
            what = f"{self.op}: {len(self.paths)} files for layouts on {layouts.size} devices"
            raise complain(ValueError, what, cure="give the files of all ranks, in order")
        mesh = layouts.mesh
        begin = layouts.owners.get(name, 0) * mesh.size
        first, dtype = self._of(begin, name)
        shape = tuple([n * layout.parts(mesh, d) for d, n in enumerate(first.shape)])
        out = np.empty(shape, first.dtype)
        for rank in range(mesh.size):
            part, where = self._of(begin + rank, name)[0], layout.part(mesh, shape, rank)
            if part.shape != first.shape:
                what = (
                    f"{self.op}: the parts of {name!r} have shapes {first.shape} and {part.shape}"
                )
                raise complain(ValueError, what)
            out[where] = part
        return out, dtype

    def _of(self, rank: int, name: str):
        if name not in self.arrays[rank]:
            raise complain(ValueError, f"{self.op}: {self.paths[rank]!r} has no {name!r}")
        return self.arrays[rank][name]


def _strategy(path: str | None) -> files.Layouts | None:
    return None if path is None else files.read(path)


def _latest(op: str, folder: str, ending: tuple) -> str:
    """The newest checkpoint in a folder."""
    found = [os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(ending)]
    if not found:
        raise complain(ValueError, f"{op}: there is no checkpoint in {folder!r}")
    return max(found, key=lambda f: (os.path.getmtime(f), f))


def _of_ranks(op: str, folder: str) -> list[str]:
    """The newest checkpoint of each of the folders ``rank_0``, ``rank_1``, … of a folder."""
    paths: list[str] = []
    while os.path.isdir(os.path.join(folder, f"rank_{len(paths)}")):
        of_rank = os.path.join(folder, f"rank_{len(paths)}")
        paths.append(_latest(op, of_rank, (".ckpt", ".safetensors")))
    if not paths:
        raise complain(
            ValueError,
            f"{op}: there is no folder 'rank_0' in {folder!r}",
            expected="a folder rank_… for each process, with its checkpoint",
        )
    return paths


def _write_rank(
    saved: _Saved, path: str, rank: int, strategy: files.Layouts | None, format: str
) -> None:
    """What a rank has of everything as ``strategy`` says."""
    arrays, layouts = {}, {}
    to = strategy or files.Layouts(Mesh((), ()), {})
    owners = {name: g for name, g in to.owners.items() if name in saved.names}
    for name in saved.names:
        layout = to.dims.get(name)
        if layout is not None and (layout.axes or name in owners):
            layouts[name] = layout
        if to.is_away(name, rank):
            continue
        a, dtype = saved.whole(name)
        if layout is not None and layout.axes:
            layout.check(to.mesh, a.shape, f"{saved.op}: {name}")
            a = a[layout.part(to.mesh, a.shape, rank % to.mesh.size)]
        arrays[name] = a, dtype
    texts = dict(saved.texts)
    if layouts:
        texts[PARTS] = files.Layouts(to.mesh, layouts, rank, to.groups, owners).text()
    WRITERS[format](path, arrays, texts)


def _expect_format(op: str, format: str) -> None:
    if format not in WRITERS:
        what = f"{op}: output_format is {format!r}"
        raise complain(ValueError, what, expected="'ckpt' or 'safetensors'")


def rank_list_for_transform(
    rank_id: int, src_strategy_file: str | None = None, dst_strategy_file: str | None = None
) -> list[int]:
    """The ranks whose checkpoints are needed for that of a rank of another layout.

    Args:
        rank_id (int): the rank of the new layout.
        src_strategy_file (str): the layouts of the checkpoints; None, those of one process. Default: None.
        dst_strategy_file (str): the new layouts; None, those of one process. Default: None.

    Returns:
        list[int]: the ranks.

    Raises:
        ValueError: a strategy file is none, or there is no such rank.

    Examples:
        >>> import minds as ms
        >>> ms.rank_list_for_transform(0)
        [0]
    """
    source, to = _strategy(src_strategy_file), _strategy(dst_strategy_file)
    _expect_rank("rank_list_for_transform", rank_id, 1 if to is None else to.size)
    return list(range(1 if source is None else source.size))


def _expect_rank(op: str, rank, size: int) -> None:
    if type(rank) is not int:
        raise complain(
            TypeError, f"{op}: rank_id has type {type(rank).__name__}", expected="an int"
        )
    if not 0 <= rank < size:
        raise complain(ValueError, f"{op}: rank_id is {rank}", expected=f"in [0, {size})")


def merge_pipeline_strategys(src_strategy_dirs: str, dst_strategy_file: str) -> None:
    """Put the strategy files of the stages of a pipeline together. One of minds tells of all stages, so that
    a file of each process says the same; those of single stages are joined.

    Args:
        src_strategy_dirs (str): a folder with the files, all of which end in ``.ckpt`` or in ``.json``.
        dst_strategy_file (str): the new file; its folder is made.

    Raises:
        NotADirectoryError: there is no such folder.
        ValueError: it has no strategy files, or such of several kinds or meshes.

    Examples:
        >>> import os, tempfile, minds as ms
        >>> folder = tempfile.mkdtemp()
        >>> ms.merge_pipeline_strategys(folder, os.path.join(folder, "all.json"))
        Traceback (most recent call last):
        ...
        ValueError: merge_pipeline_strategys: ... expected strategy files that all end in .ckpt or in .json
    """
    op = "merge_pipeline_strategys"
    if not os.path.isdir(src_strategy_dirs):
        raise complain(NotADirectoryError, f"{op}: there is no folder {src_strategy_dirs!r}")
    names = sorted(os.listdir(src_strategy_dirs))
    kinds = [[n for n in names if n.endswith(end)] for end in (".ckpt", ".json")]
    if bool(kinds[0]) == bool(kinds[1]):
        what = f"{op}: {src_strategy_dirs!r} has {names}"
        raise complain(
            ValueError, what, expected="strategy files that all end in .ckpt or in .json"
        )
    found = [files.read(os.path.join(src_strategy_dirs, n)) for n in kinds[0] or kinds[1]]
    if len({(f.mesh, f.groups) for f in found}) > 1:
        raise complain(
            ValueError, f"{op}: the files in {src_strategy_dirs!r} are of several meshes"
        )
    dims, owners = {}, {}
    for f in found:
        dims.update(f.dims)
        owners.update(f.owners)
    os.makedirs(os.path.dirname(os.path.abspath(dst_strategy_file)), exist_ok=True)
    files.write(dst_strategy_file, files.Layouts(found[0].mesh, dims, -1, found[0].groups, owners))


def transform_checkpoints(
    src_checkpoints_dir: str,
    dst_checkpoints_dir: str,
    ckpt_prefix: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
    process_num: int = 1,
    output_format: str = "ckpt",
) -> None:
    """Write the checkpoints of all ranks of one layout for those of another.

    Args:
        src_checkpoints_dir (str): has a folder ``rank_0``, ``rank_1``, … for each process; the newest
            checkpoint in it is read.
        dst_checkpoints_dir (str): gets the same, with ``rank_0/PREFIX0.ckpt``, …
        ckpt_prefix (str): begins the names of the new files.
        src_strategy_file (str): the layouts of what is read, where the files do not tell them. Default: None.
        dst_strategy_file (str): the new layouts; None, everything is whole, for one process. Default: None.
        process_num (int): accepted; one process does it. Default: 1.
        output_format (str): ``"ckpt"`` or ``"safetensors"``. Default: ``"ckpt"``.

    Raises:
        ValueError: files or ranks are missing, or the new layouts do not fit.
        OSError: a file cannot be written.

    Examples:
        >>> import os, tempfile, minds as ms
        >>> folder = tempfile.mkdtemp()
        >>> os.makedirs(os.path.join(folder, "old", "rank_0"))
        >>> ms.save_checkpoint({"w": ms.Tensor([1.0])}, os.path.join(folder, "old", "rank_0", "a.ckpt"))
        >>> ms.transform_checkpoints(os.path.join(folder, "old"), os.path.join(folder, "new"), "b")
        >>> os.listdir(os.path.join(folder, "new", "rank_0"))
        ['b0.ckpt']
    """
    op = "transform_checkpoints"
    _expect_format(op, output_format)
    to = _strategy(dst_strategy_file)
    saved = _Saved(op, _of_ranks(op, src_checkpoints_dir), _strategy(src_strategy_file))
    for rank in range(1 if to is None else to.size):
        folder = os.path.join(dst_checkpoints_dir, f"rank_{rank}")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"{ckpt_prefix}{rank}.{output_format}")
        _write_rank(saved, path, rank, to, output_format)


def transform_checkpoint_by_rank(
    rank_id: int,
    checkpoint_files_map: dict,
    save_checkpoint_file_name: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
) -> None:
    """Write the checkpoint of one rank of a new layout.

    Args:
        rank_id (int): the rank.
        checkpoint_files_map (dict): rank → checkpoint, of those that `rank_list_for_transform` gives.
        save_checkpoint_file_name (str): the new file, which ends in ``.ckpt`` or ``.safetensors``.
        src_strategy_file (str), dst_strategy_file (str): as for `transform_checkpoints`.

    Raises:
        TypeError: ``checkpoint_files_map`` is no dict.
        ValueError: files or ranks are missing, or the new layouts do not fit.

    Examples:
        >>> import os, tempfile, minds as ms
        >>> old, new = [os.path.join(tempfile.mkdtemp(), n) for n in ("a.ckpt", "b.ckpt")]
        >>> ms.save_checkpoint({"w": ms.Tensor([1.0])}, old)
        >>> ms.transform_checkpoint_by_rank(0, {0: old}, new)
        >>> ms.load_checkpoint(new)["w"].asnumpy().tolist()
        [1.0]
    """
    op = "transform_checkpoint_by_rank"
    if not isinstance(checkpoint_files_map, dict):
        what = f"{op}: checkpoint_files_map has type {type(checkpoint_files_map).__name__}"
        raise complain(TypeError, what, expected="a dict of rank → file")
    to, count = _strategy(dst_strategy_file), len(checkpoint_files_map)
    _expect_rank(op, rank_id, 1 if to is None else to.size)
    if sorted(checkpoint_files_map) != list(range(count)) or not count:
        what = f"{op}: checkpoint_files_map has the ranks {sorted(checkpoint_files_map)}"
        raise complain(ValueError, what, expected="all ranks that saved one, from 0 on")
    format = save_checkpoint_file_name.rpartition(".")[2]
    _expect_format(op, format)
    paths = [checkpoint_files_map[r] for r in range(count)]
    saved = _Saved(op, paths, _strategy(src_strategy_file))
    _write_rank(saved, save_checkpoint_file_name, rank_id, to, format)


def load_distributed_checkpoint(
    network: Cell,
    checkpoint_filenames: list | None = None,
    predict_strategy=None,
    train_strategy_filename: str | None = None,
    strict_load: bool = False,
    dec_key=None,
    dec_mode: str = "AES-GCM",
    format: str = "ckpt",
    unified_safetensors_dir: str | None = None,
    dst_safetensors_dir: str | None = None,
    rank_id: int | None = None,
    output_format: str = "safetensors",
    name_map: dict | None = None,
    max_process_num: int = 64,
    return_param_dict: bool = False,
) -> dict | None:
    """Put what all ranks have saved into a network, however that lies in this process.

    Args:
        network (Cell): the network.
        checkpoint_filenames (list[str]): the files of all ranks, in order. Default: None.
        predict_strategy (Any): accepted; parameters lie as the program of ``network`` says.
        train_strategy_filename (str): the layouts of the files, where these do not tell them. Default: None.
        strict_load (bool): see `load_param_into_net`. Default: False.
        dec_key (bytes, optional), dec_mode (str): see `load_checkpoint`. Default: None, ``"AES-GCM"``.
        format (str): accepted; the endings of files tell it.
        unified_safetensors_dir (str): a folder of `unified_safetensors`, in place of the files.
            Default: None.
        dst_safetensors_dir (None), rank_id (None), output_format (str): accepted.
        max_process_num (int): accepted; one process does it. Default: 64.
        name_map (dict): names of the files → names of the network. Default: None.
        return_param_dict (bool): whether the parameters are returned. Default: False.

    Returns:
        dict, None: name → Parameter, whole, if asked for.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: files are missing or do not belong together, or neither files nor a folder are given.
        RuntimeError: a shape or a dtype does not fit.

    Examples:
        >>> import os, tempfile, minds as ms
        >>> from minds import nn
        >>> path, net = os.path.join(tempfile.mkdtemp(), "0.ckpt"), nn.Dense(2, 1)
        >>> ms.save_checkpoint(net, path, integrated_save=False)
        >>> ms.load_distributed_checkpoint(nn.Dense(2, 1), [path])
    """
    op = "load_distributed_checkpoint"
    seal = seal_of(op, dec_key, dec_mode, ("dec_key", "dec_mode"))
    if unified_safetensors_dir is not None:
        arrays = _unified(op, unified_safetensors_dir)
    elif checkpoint_filenames:
        saved = _Saved(op, list(checkpoint_filenames), _strategy(train_strategy_filename), seal)
        arrays = {name: saved.whole(name) for name in saved.names}
    else:
        expected = "checkpoint_filenames or unified_safetensors_dir"
        raise complain(ValueError, f"{op}: there is nothing to load", expected=expected)
    found = {}
    for name, (a, dtype) in arrays.items():
        name = (name_map or {}).get(name, name)
        found[name] = Parameter._holding(_core.Array.from_numpy(a, dtype.code, copy=False), name)
    load_param_into_net(network, found, strict_load)
    return found if return_param_dict else None


def unified_safetensors(
    src_dir: str,
    src_strategy_file: str | None,
    dst_dir: str,
    merge_with_redundancy: bool = True,
    file_suffix: str | None = None,
    max_process_num: int = 64,
    choice_func=None,
    split_dst_file: tuple = (),
) -> None:
    """Put the checkpoints of all ranks together: whole parameters in safetensors files, and a table of which
    file has which.

    Args:
        src_dir (str): has a folder ``rank_0``, ``rank_1``, … for each process.
        src_strategy_file (str): the layouts, where the files do not tell them.
        dst_dir (str): gets ``part0.safetensors`` and ``param_name_map.json``.
        merge_with_redundancy (bool), max_process_num (int), split_dst_file (tuple): accepted.
        file_suffix (str): files whose names end so alone are read. Default: None.
        choice_func (Callable): tells from a name whether it is kept, or its new name. Default: None.

    Raises:
        ValueError: files are missing or do not belong together.
        OSError: a file cannot be written.

    Examples:
        >>> import os, tempfile, minds as ms
        >>> folder = tempfile.mkdtemp()
        >>> os.makedirs(os.path.join(folder, "rank_0"))
        >>> ms.save_checkpoint({"w": ms.Tensor([1.0])}, os.path.join(folder, "rank_0", "a.ckpt"))
        >>> ms.unified_safetensors(folder, None, folder)
        >>> ms.load_checkpoint(os.path.join(folder, "part0.safetensors"), format="safetensors")["w"].asnumpy()
        array([1.], dtype=float32)
    """
    op = "unified_safetensors"
    paths = _of_ranks(op, src_dir)
    if file_suffix is not None:
        ending = (f"{file_suffix}.ckpt", f"{file_suffix}.safetensors")
        paths = [_latest(op, os.path.dirname(p), ending) for p in paths]
    saved = _Saved(op, paths, _strategy(src_strategy_file))
    arrays = {}
    for name in saved.names:
        kept = True if choice_func is None else choice_func(name)
        if kept:
            arrays[name if kept is True else kept] = saved.whole(name)
    os.makedirs(dst_dir, exist_ok=True)
    file = _PART_FILE.format(0)
    WRITERS["safetensors"](os.path.join(dst_dir, file), arrays, saved.texts)
    with open(os.path.join(dst_dir, _MAP_FILE), "w", encoding="utf-8") as f:
        json.dump(dict.fromkeys(arrays, file), f, indent=1)


def _unified(op: str, folder: str) -> dict:
    """The arrays of a folder of `unified_safetensors`."""
    table = os.path.join(folder, _MAP_FILE)
    if not os.path.isfile(table):
        raise complain(ValueError, f"{op}: there is no {_MAP_FILE} in {folder!r}")
    with open(table, encoding="utf-8") as f:
        try:
            names = {n: p for n, p in json.load(f).items() if p.endswith(".safetensors")}
        except (ValueError, AttributeError) as e:
            raise complain(ValueError, f"{op}: {table!r} is no table of names ({e})") from None
    found = {}
    for file in sorted(set(names.values())):
        arrays, _ = read_entries(os.path.join(folder, os.path.basename(file)))
        found.update({n: a for n, a in arrays.items() if n in names})
    return found


__all__ = [
    "load_distributed_checkpoint",
    "merge_pipeline_strategys",
    "rank_list_for_transform",
    "transform_checkpoint_by_rank",
    "transform_checkpoints",
    "unified_safetensors",
]
