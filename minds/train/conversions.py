"""Checkpoints in another format, and checkpoints that a thread reads."""

from __future__ import annotations

import os
import re
from concurrent.futures import Future, ThreadPoolExecutor

from ..base.errors import complain
from .serialization import load_checkpoint, save_checkpoint


def _convert(name: str, path, save_path, name_map, pattern, source: str, target: str) -> None:
    """Write ``path``, a file or all of a folder, with the names of ``name_map``."""
    if not isinstance(path, str) or not os.path.exists(path):
        raise complain(ValueError, f"{name}: there is no file or folder {path!r}")
    if save_path and os.path.splitext(save_path)[1]:
        raise complain(ValueError, f"{name}: save_path is {save_path!r}", expected="a folder")
    if name_map is not None and not isinstance(name_map, dict):
        kind = type(name_map).__name__
        raise complain(ValueError, f"{name}: name_map has type {kind}", expected="a dict")
    if os.path.isfile(path):
        folder, files = os.path.dirname(path), [path]
        if not path.endswith("." + source):
            raise complain(ValueError, f"{name}: {path!r} is no .{source} file")
    else:
        folder = path
        walk = os.walk(path)
        files = [os.path.join(d, f) for d, _, fs in walk for f in sorted(fs)]
        files = [f for f in files if f.endswith("." + source)]
    chosen = [f for f in files if pattern is None or re.search(pattern, f)]
    if not chosen:
        raise complain(ValueError, f"{name}: no .{source} file of {path!r} fits {pattern!r}")
    for file in chosen:
        found = load_checkpoint(file, format=source)
        named = [{"name": (name_map or {}).get(n, n), "data": p} for n, p in found.items()]
        made = os.path.join(save_path or folder, os.path.relpath(file, folder or "."))
        os.makedirs(os.path.dirname(made) or ".", exist_ok=True)
        save_checkpoint(named, made.removesuffix(source) + target, format=target)


def ckpt_to_safetensors(
    file_path: str, save_path=None, name_map=None, file_name_regex=None, processes_num: int = 1
) -> None:
    """Write checkpoints in the format safetensors.

    Args:
        file_path (str): a ``.ckpt`` file, or a folder with some.
        save_path (str, optional): the folder to write to. Default: beside each.
        name_map (dict, optional): new names of parameters by the old ones.
        file_name_regex (str, optional): which files of the folder. Default: all.
        processes_num (int): accepted; one process does it. Default: 1.

    Raises:
        ValueError: there is no such file, or an argument does not fit.
        CheckpointError: a file is damaged.

    Examples:
        >>> import os, tempfile
        >>> import minds as ms
        >>> from minds import nn
        >>> path = os.path.join(tempfile.mkdtemp(), "a.ckpt")
        >>> _ = ms.save_checkpoint(nn.Dense(2, 1), path)
        >>> ms.ckpt_to_safetensors(path, name_map={"bias": "b"})
        >>> sorted(ms.load_checkpoint(path.replace("ckpt", "safetensors"), format="safetensors"))
        ['b', 'weight']
    """
    given = file_path, save_path, name_map, file_name_regex
    _convert("ckpt_to_safetensors", *given, "ckpt", "safetensors")


def safetensors_to_ckpt(
    file_path: str, save_path=None, name_map=None, file_name_regex=None, processes_num: int = 1
) -> None:
    """Write files in the format safetensors as checkpoints.

    Args:
        file_path (str): a ``.safetensors`` file, or a folder with some.
        save_path (str, optional): the folder to write to. Default: beside each.
        name_map (dict, optional): new names of parameters by the old ones.
        file_name_regex (str, optional): which files of the folder. Default: all.
        processes_num (int): accepted; one process does it. Default: 1.

    Raises:
        ValueError: there is no such file, or an argument does not fit.
        CheckpointError: a file is damaged.

    Examples:
        >>> import os, tempfile
        >>> import minds as ms
        >>> from minds import nn
        >>> path = os.path.join(tempfile.mkdtemp(), "a.safetensors")
        >>> _ = ms.save_checkpoint(nn.Dense(2, 1), path, format="safetensors")
        >>> ms.safetensors_to_ckpt(path)
        >>> sorted(ms.load_checkpoint(path.replace("safetensors", "ckpt")))
        ['bias', 'weight']
    """
    given = file_path, save_path, name_map, file_name_regex
    _convert("safetensors_to_ckpt", *given, "safetensors", "ckpt")


def load_checkpoint_async(ckpt_file_name: str, *args, **kwargs) -> Future:
    """Read a checkpoint in a thread.

    Args:
        ckpt_file_name (str): the file; one that ends in ``.safetensors`` is of that format.
        *args (Any): as of `load_checkpoint`.
        **kwargs (Any): likewise.

    Returns:
        Future: its ``result()`` is what `load_checkpoint` gives, or raises what it raises.

    Examples:
        >>> import os, tempfile
        >>> import minds as ms
        >>> from minds import nn
        >>> path = os.path.join(tempfile.mkdtemp(), "a.ckpt")
        >>> _ = ms.save_checkpoint(nn.Dense(2, 1), path)
        >>> sorted(ms.load_checkpoint_async(path).result())
        ['bias', 'weight']
    """
    if ckpt_file_name.endswith(".safetensors"):
        kwargs.setdefault("format", "safetensors")
    pool = ThreadPoolExecutor(1)
    future = pool.submit(load_checkpoint, ckpt_file_name, *args, **kwargs)
    pool.shutdown(wait=False)
    return future


__all__ = ["ckpt_to_safetensors", "load_checkpoint_async", "safetensors_to_ckpt"]
