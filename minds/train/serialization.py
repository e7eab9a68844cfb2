"""Checkpoints: save the parameters of a network, read them, put them into a network."""

from __future__ import annotations

import contextlib
import io
import os
import threading
import warnings

import numpy as np

from .. import _core
from ..arrays.host import array_of
from ..base import dtype as dt
from ..base import sealed
from ..base.errors import complain
from ..base.late import late
from ..base.world import world
from ..nn.cell import Cell
from ..sharding import files
from ..sharding.parts import PartsPlace, lay_part
from ..tensor import Parameter, Tensor
from . import checkpoint_file, mindspore_file, safetensors_file
from .checkpoint_file import CheckpointError
from .exporting import PARAMETER_SPLIT_SIZE, TOTAL_SAVE, ProgramFileError, export, load

WRITERS = {
    "ckpt": checkpoint_file.write,
    "mindspore": mindspore_file.write,
    "safetensors": safetensors_file.write,
}
PARTS = "minds.parts"
"""The text of a file whose arrays are the parts of one process: how they lie."""
_writers: list[_BackgroundSave] = []


class _BackgroundSave(threading.Thread):
    """One checkpoint being written in the background; the interpreter waits for it before it
    exits.
    """

    def __init__(self, write, *args):
        super().__init__(name="minds-checkpoint")
        self._write, self._args, self.error = write, args, None

    def run(self):
        try:
            self._write(*self._args)
        except BaseException as e:  # reported by the next save
            self.error = e


def _collect_writers(wait: bool) -> None:
    """Forget finished writers, and raise what one of them raised."""
    for w in list(_writers):
        if wait:
            w.join()
        if not w.is_alive():
            _writers.remove(w)
            if w.error is not None:
                raise complain(
                    RuntimeError, f"save_checkpoint: an asynchronous save failed: {w.error}"
                ) from w.error


def async_ckpt_thread_status() -> bool:
    """Whether a checkpoint is still being written by ``save_checkpoint(…, async_save=True)``.

    Returns:
        bool: whether.

    Examples:
        >>> import minds as ms
        >>> ms.async_ckpt_thread_status()
        False
    """
    return any(w.is_alive() for w in _writers)


def _value(name, v) -> Tensor | str:
    """What is stored for an entry; numbers become tensors of rank 0."""
    if not isinstance(name, str) or not name:
        raise complain(
            TypeError, f"save_checkpoint: a name is {name!r}", expected="a non-empty str"
        )
    if isinstance(v, (Tensor, str)):
        return v
    if isinstance(v, (bool, int, float, np.bool_, np.integer, np.floating)):
        return Tensor(v.item() if isinstance(v, np.generic) else v)
    raise complain(
        TypeError,
        f"save_checkpoint: {name!r} has type {type(v).__name__}",
        expected="a Parameter, a Tensor, a number or a str",
    )


def _entries(save_obj) -> dict:
    """Name → value of everything that ``save_obj`` holds."""
    if isinstance(save_obj, Cell):
        return dict(save_obj.parameters_dict())
    if isinstance(save_obj, dict):
        return {name: _value(name, v) for name, v in save_obj.items()}
    if isinstance(save_obj, list):
        found = {}
        for item in save_obj:
            if isinstance(item, Parameter):
                item = {"name": item.name, "data": item}
            if not isinstance(item, dict) or set(item) < {"name", "data"}:
                raise complain(
                    TypeError,
                    f"save_checkpoint: an element of the list is {item!r}",
                    expected="a Parameter, or a dict with the keys 'name' and 'data'",
                )
            if not isinstance(item["data"], (Tensor, str)):
                raise complain(
                    TypeError,
                    f"save_checkpoint: {item['name']!r} has type {type(item['data']).__name__}",
                    expected="a Parameter or a Tensor",
                )
            found[item["name"]] = _value(item["name"], item["data"])
        return found
    raise complain(
        TypeError,
        f"save_checkpoint: save_obj has type {type(save_obj).__name__}",
        expected="a Cell, a dict or a list of dicts",
    )


def save_checkpoint(
    save_obj,
    ckpt_file_name: str,
    integrated_save: bool = True,
    async_save=False,
    append_dict: dict | None = None,
    enc_key=None,
    enc_mode: str = "AES-GCM",
    choice_func=None,
    crc_check: bool = False,
    format: str = "ckpt",
    **kwargs,
) -> None:
    """Write parameters to a file: atomically, with checksums, without code.

    Args:
        save_obj (Cell, dict, list): a network; or name → Parameter, Tensor, number or str; or
            a list of Parameters or of ``{"name": …, "data": …}``.
        ckpt_file_name (str): the file; the format's ending is appended where it is missing.
        integrated_save (bool): whether parameters that lie in parts on several processes are saved whole, for
            which all processes must call this; else each saves its own parts. Default: True.
        async_save (bool, str): whether a thread writes a copy while the program goes on. What fails
            there is raised by the next save. Default: False.
        append_dict (dict, optional): further names → numbers, str, Tensors.
        enc_key (bytes, optional): a key of 16, 24 or 32 bytes, with which the file is encrypted by the
            package ``cryptography``. Default: None.
        enc_mode (str): ``"AES-GCM"``, by which a changed file is told from a whole one, ``"AES-CBC"``, or
            ``"SM4-CBC"`` with a key of 16 bytes. Default: ``"AES-GCM"``.
        choice_func (Callable, optional): tells from a name whether it is saved.
        crc_check (bool): accepted; checksums are always written.
        format (str): ``"ckpt"``; or ``"mindspore"``, a ``.ckpt`` file that MindSpore loads too; or
            ``"safetensors"``. These two have no checksums. Default: ``"ckpt"``.
        kwargs (Any): accepted, without effect.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``format`` is unknown, cannot be encrypted, or there is nothing to save.
        ImportError: there is a key, and the package ``cryptography`` is not installed.
        OSError: the file cannot be written.

    Examples:
        >>> import os, tempfile, minds as ms
        >>> path = os.path.join(tempfile.mkdtemp(), "w.ckpt")
        >>> ms.save_checkpoint({"w": ms.Tensor([1.0, 2.0])}, path)
        >>> ms.load_checkpoint(path)["w"].asnumpy().tolist()
        [1.0, 2.0]
    """
    seal = _seal("save_checkpoint", enc_key, enc_mode, format, ("enc_key", "enc_mode"))
    more = () if seal is None else (seal,)
    path = _path("save_checkpoint", ckpt_file_name)
    path += "" if path.endswith(_ending(format)) else _ending(format)
    entries = _entries(save_obj)
    if append_dict is not None and not isinstance(append_dict, dict):
        raise complain(
            TypeError,
            f"save_checkpoint: append_dict has type {type(append_dict).__name__}",
            expected="a dict",
        )
    entries.update((name, _value(name, v)) for name, v in (append_dict or {}).items())
    if choice_func is not None:
        entries = {name: v for name, v in entries.items() if choice_func(name)}
    if not entries:
        raise complain(ValueError, "save_checkpoint: there is nothing to save")
    _collect_writers(wait=False)
    texts = {n: v for n, v in entries.items() if isinstance(v, str)}
    tensors = {n: v for n, v in entries.items() if n not in texts}
    parts = {} if integrated_save else _parts(tensors, texts)
    away = {n for n, part in parts.items() if part is None}
    arrays = {
        n: (parts[n] if n in parts else v._raw(), v.dtype)
        for n, v in tensors.items()
        if n not in away
    }
    if not async_save:
        WRITERS[format](path, arrays, texts, *more)
        return
    # Writers of one process follow one another, so that a later save of the same name wins.
    _collect_writers(wait=True)
    writer = _BackgroundSave(
        WRITERS[format], path, {n: (a.copy(), t) for n, (a, t) in arrays.items()}, texts, *more
    )
    _writers.append(writer)
    writer.start()


def _parts(tensors: dict, texts: dict) -> dict[str, np.ndarray | None]:
    """This process's parts of those that lie in parts, None of what another stage keeps; ``texts`` gets how
    they lie.
    """
    lying = {n: v.lies for n, v in tensors.items() if getattr(v, "lies", None) is not None}
    if lying:
        place = next(iter(lying.values())).place
        dims = {n: lies.layout for n, lies in lying.items()}
        owners = {n: lies.place.owner for n, lies in lying.items() if lies.place.owner is not None}
        rank = place.group * place.mesh.size + place.rank
        texts[PARTS] = files.Layouts(place.mesh, dims, rank, place.groups, owners).text()
    return {n: None if lies.place.is_away else lies.array.numpy() for n, lies in lying.items()}


def _path(op: str, name) -> str:
    if not isinstance(name, (str, os.PathLike)):
        raise complain(
            TypeError, f"{op}: ckpt_file_name has type {type(name).__name__}", expected="a str"
        )
    path = os.fspath(name)
    if not path:
        raise complain(ValueError, f"{op}: ckpt_file_name is empty")
    return path


def _seal(op: str, key, mode, format: str, names: tuple[str, str]) -> sealed.Seal | None:
    """What encrypts or opens a file of the format, if there is a key."""
    if format not in WRITERS:
        raise complain(
            ValueError,
            f"{op}: format is {format!r}",
            expected="'ckpt', 'mindspore' or 'safetensors'",
        )
    if key is not None and format != "ckpt":
        raise complain(
            ValueError, f"{op}: {names[0]} is given for format {format!r}", cure="format='ckpt'"
        )
    return sealed.seal_of(op, key, mode, names)


def _ending(format: str) -> str:
    return ".safetensors" if format == "safetensors" else ".ckpt"


def _prefixes(name: str, value) -> tuple[str, ...]:
    values = (value,) if isinstance(value, str) else tuple(value or ())
    if not all(isinstance(v, str) and v for v in values):
        raise complain(
            TypeError,
            f"load_checkpoint: {name} is {value!r}",
            expected="a non-empty str or a list of them",
        )
    return values


def load_checkpoint(
    ckpt_file_name: str,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix=None,
    dec_key=None,
    dec_mode: str = "AES-GCM",
    specify_prefix=None,
    choice_func=None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str = "ckpt",
) -> dict:
    """Read a file that `save_checkpoint` wrote, here or in MindSpore.

    Args:
        ckpt_file_name (str): the file, with the format's ending.
        net (Cell, optional): also put the parameters into this network.
        strict_load (bool): see `load_param_into_net`. Default: False.
        filter_prefix (str, list[str], optional): leave out names that start so.
        dec_key (bytes, optional), dec_mode (str): what the file was encrypted with. Default: None,
            ``"AES-GCM"``.
        specify_prefix (str, list[str], optional): read only names that start so.
        choice_func (Callable, optional): tells from a name whether it is read.
        crc_check (bool), remove_redundancy (bool): accepted; checksums are always compared.
        format (str): ``"ckpt"`` or ``"mindspore"``, of which either reads both; or ``"safetensors"``, which
            has no checksums. Default: ``"ckpt"``.

    Returns:
        dict: name → Parameter, or str. What another stage of a pipeline keeps is empty in a file of parts.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the file is missing, foreign, truncated or damaged, the key or the mode is another
            one, or no name is left.
        ImportError: there is a key, and the package ``cryptography`` is not installed.

    Examples:
        >>> import minds as ms
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "w.ckpt")
        >>> ms.save_checkpoint({"a": ms.Tensor([1.0]), "b": ms.Tensor([2.0])}, path)
        >>> list(ms.load_checkpoint(path, filter_prefix="a"))
        ['b']
    """
    seal = _seal("load_checkpoint", dec_key, dec_mode, format, ("dec_key", "dec_mode"))
    path = _path("load_checkpoint", ckpt_file_name)
    if os.path.isdir(path):
        what = f"load_checkpoint: {path!r} is a folder"
        raise complain(ValueError, what, expected="a file that save_checkpoint has written")
    if not path.endswith(_ending(format)):
        raise complain(ValueError, f"load_checkpoint: {path!r} does not end in {_ending(format)}")
    if not os.path.isfile(path):
        raise complain(ValueError, f"load_checkpoint: there is no file {path!r}")
    found = chosen_of(path, seal, filter_prefix, specify_prefix, choice_func)
    if not found:
        raise complain(
            ValueError, f"load_checkpoint: no name of {path!r} is left after the filters"
        )
    if net is not None:
        load_param_into_net(
            net, {n: p for n, p in found.items() if isinstance(p, Parameter)}, strict_load
        )
    return found


def chosen_of(path: str, seal, filter_prefix=None, specify_prefix=None, choice_func=None) -> dict:
    """What a checkpoint has of the names that are wanted.

    Args:
        path (str), seal (Seal): the file.
        filter_prefix, specify_prefix, choice_func: see `load_checkpoint`.

    Returns:
        dict: name → Parameter or str.
    """
    without, only = (
        _prefixes("filter_prefix", filter_prefix),
        _prefixes("specify_prefix", specify_prefix),
    )

    def wanted(name: str) -> bool:
        try:
            chosen = choice_func is None or choice_func(name)
        except Exception as e:
            said = f"load_checkpoint: choice_func({name!r}) raised {type(e).__name__}: {e}"
            raise complain(ValueError, said) from e
        return (
            not (name.startswith(without) if without else False)
            and (not only or name.startswith(only))
            and chosen
        )

    arrays, texts = read_entries(path, lambda name: name == PARTS or wanted(name), seal)
    found = {
        name: Parameter._holding(_core.Array.from_numpy(a, dtype.code, copy=False), name)
        for name, (a, dtype) in arrays.items()
    }
    if PARTS in texts:
        layouts = files.parse(texts.pop(PARTS), f"load_checkpoint: {path!r}")
        for name in filter(wanted, layouts.dims):
            if layouts.is_away(name, layouts.rank):
                found[name] = Parameter._holding(_core.Array.full((0,), dt.float32.code, 0), name)
            if name in found:
                found[name].part_of = layouts
    found.update(texts)
    return found


def entries_of(op: str, path, seal: sealed.Seal | None = None) -> tuple[dict, dict]:
    """The arrays and texts of a file, which must be there."""
    path = _path(op, path)
    if not os.path.isfile(path):
        raise complain(ValueError, f"{op}: there is no file {path!r}")
    return read_entries(path, seal=seal)


def read_entries(
    path: str, wanted=lambda name: True, seal: sealed.Seal | None = None
) -> tuple[dict, dict]:
    """The wanted arrays and texts of a file of minds or of MindSpore, which may be encrypted."""
    if path.endswith(".safetensors"):
        return safetensors_file.read(path, wanted)
    file = None if seal is None else _plain(path, seal)
    with open(path, "rb") if file is None else contextlib.nullcontext(file) as f:
        head = f.read(len(checkpoint_file.MARK))
    if seal is None and sealed.is_sealed(head):
        raise CheckpointError(f"checkpoint {path}: it is encrypted; its key is dec_key")
    if mindspore_file.is_mindspore(head):
        return mindspore_file.read(path, wanted, file)
    with checkpoint_file.Reader(path, file) as reader:
        return (
            {n: reader.read(n) for n in filter(wanted, reader.names)},
            {n: t for n, t in reader.texts.items() if wanted(n)},
        )


def _plain(path: str, seal: sealed.Seal) -> io.BytesIO:
    """What an encrypted file holds."""
    with open(path, "rb") as f:
        data = f.read()
    try:
        return io.BytesIO(seal.opened(data))
    except sealed.WrongKey as e:
        raise CheckpointError(f"checkpoint {path}: {e}") from e


def load_param_into_net(
    net: Cell, parameter_dict: dict, strict_load: bool = False, remove_redundancy: bool = False
) -> tuple[list[str], list[str]]:
    """Put parameters into a network or an optimizer, by name. Nothing is changed if one of them
    does not fit.

    Where a name of ``net`` is missing and names in ``parameter_dict`` are it with a prefix, all that
    are still missing are taken with this prefix, and a warning says so; not with ``strict_load``.

    Args:
        net (Cell): the network or optimizer.
        parameter_dict (dict): name → Parameter, as `load_checkpoint` gives.
        strict_load (bool): whether dtypes must be equal; else a dtype of the same kind is cast.
            Default: False.
        remove_redundancy (bool): accepted.

    Returns:
        tuple[list[str], list[str]]: names of ``net`` that got nothing, and names that ``net`` does
        not have.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: a shape or a dtype does not fit.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.Dense(2, 1, weight_init="zeros")
        >>> ms.load_param_into_net(net, {"weight": ms.Parameter([[1.0, 2.0]]), "other": ms.Parameter([0.0])})
        (['bias'], ['other'])
        >>> net.weight.asnumpy().tolist()
        [[1.0, 2.0]]
    """
    if not isinstance(net, Cell):
        raise complain(
            TypeError, f"load_param_into_net: net has type {type(net).__name__}", expected="a Cell"
        )
    if not isinstance(parameter_dict, dict):
        raise complain(
            TypeError,
            f"load_param_into_net: parameter_dict has type {type(parameter_dict).__name__}",
            expected="a dict",
        )
    own = net.parameters_dict()
    for name, p in parameter_dict.items():
        if isinstance(p, str):
            continue
        if not isinstance(name, str) or not isinstance(p, Parameter):
            raise complain(
                TypeError,
                f"load_param_into_net: {name!r} has type {type(p).__name__}",
                expected="a str as name and a Parameter as value",
            )
        if name in own:
            check_fit(own[name], p, strict_load)
    prefixed = {} if strict_load else load_by_prefix(own, parameter_dict)
    for name, p in own.items():
        if name in parameter_dict:
            _take(p, parameter_dict[name])
    return (
        [n for n in own if n not in parameter_dict and n not in prefixed],
        [n for n, p in parameter_dict.items() if n not in own and isinstance(p, Parameter)],
    )


def load_by_prefix(own: dict, loaded: dict) -> dict:
    """Give the parameters of ``own`` that ``loaded`` has under longer names their values; these names
    by theirs.
    """
    missing, found = [n for n in own if n not in loaded], {}
    parameters = [n for n, p in loaded.items() if isinstance(p, Parameter)]
    for name in missing:
        longer = next((n for n in parameters if n.endswith(f".{name}")), None)
        if longer is None or name in found:
            continue
        prefix = longer.removesuffix(name)
        more = {n: prefix + n for n in missing if n not in found and prefix + n in loaded}
        for own_name, other in more.items():
            check_fit(own[own_name], loaded[other], strict=False)
        warnings.warn(
            f"load_param_into_net: {len(more)} parameters are loaded from names with the prefix "
            f"{prefix!r}",
            stacklevel=3,
        )
        found.update(more)
    for own_name, other in found.items():
        _take(own[own_name], loaded[other])
    return found


def _take(own: Parameter, new: Parameter) -> None:
    """Let a parameter have the value of a loaded one, which may be this process's part."""
    layouts = getattr(new, "part_of", None)
    if layouts is None:
        own.set_data(new)
    else:
        group, rank = divmod(layouts.rank, layouts.mesh.size)
        lies, owner = layouts.dims[new.name], layouts.owners.get(new.name)
        place = PartsPlace(layouts.mesh, lies, owner, layouts.groups, rank, group)
        lay_part(own, place, array_of(new, own.dtype))


def _shape_of(own: Parameter, new: Parameter) -> tuple:
    """The shape of a loaded parameter, all of it."""
    layouts = getattr(new, "part_of", None)
    if layouts is None:
        return new.shape
    mesh, layout = layouts.mesh, layouts.dims[new.name]
    if (world.size, world.rank) != (layouts.size, layouts.rank):
        raise complain(
            RuntimeError,
            f"load_param_into_net: {own.name!r} is the part that rank {layouts.rank} of {layouts.size} has "
            f"saved, this is rank {world.rank} of {world.size}",
            cure="load_distributed_checkpoint with the files of all ranks",
        )
    if layouts.is_away(new.name, layouts.rank):
        return own.shape
    return tuple([n * layout.parts(mesh, d) for d, n in enumerate(new.shape)])


def check_fit(own: Parameter, new: Parameter, strict: bool) -> None:
    if own.shape != _shape_of(own, new):
        raise complain(
            RuntimeError,
            f"load_param_into_net: {own.name!r} has shape {own.shape}, the loaded one {new.shape}",
            cure="load it into the network that it was saved from",
        )
    if not new.size:  # another stage keeps it
        return
    if own.dtype is not new.dtype and (strict or own.dtype.kind != new.dtype.kind):
        raise complain(
            RuntimeError,
            f"load_param_into_net: {own.name!r} is {own.dtype.name}, the loaded one "
            f"{new.dtype.name}",
            expected="equal dtypes" if strict else "dtypes of one kind",
        )


__all__ = [
    "PARAMETER_SPLIT_SIZE",
    "TOTAL_SAVE",
    "CheckpointError",
    "ProgramFileError",
    "async_ckpt_thread_status",
    "export",
    "load",
    "load_checkpoint",
    "load_param_into_net",
    "save_checkpoint",
]

__getattr__, __dir__ = late(
    __name__,
    {
        "compat.checkpoints": """_exec_save _get_merged_param_data _load_dismatch_prefix_params _save_graph
            _update_param tensor_to_ms_type tensor_to_np_type""",
        "common.initializer": "initializer",
        "communication": "get_group_size get_rank",
        "compat.checkpoint_parts": "export_split_mindir restore_group_info_list",
        "ops": "Cast",
        "ops.generator": "Generator",
        "train": """ckpt_to_safetensors load_checkpoint_async load_distributed_checkpoint
            safetensors_to_ckpt build_searched_strategy get_ckpt_path_with_strategy merge_sliced_parameter""",
    },
)
