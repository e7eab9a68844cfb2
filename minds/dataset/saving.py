"""A pipeline's rows as MindRecord files."""

from __future__ import annotations

import os

import numpy as np

from ..base.errors import complain
from ..mindrecord.writer import FileWriter
from . import source_arguments as arguments
from .pipeline import DatasetError, Operation, start

_BATCH = 256
_KINDS = {
    **dict.fromkeys(("bool", "int8", "uint8", "int16", "uint16", "int32"), "int32"),
    **dict.fromkeys(("uint32", "int64", "uint64"), "int64"),
    "float16": "float32",
    "float32": "float32",
    "float64": "float64",
}


def save(node: Operation, file_name: str, num_files: int, file_type: str, seed: int) -> None:
    """Write one epoch of a pipeline; numbers are widened to what MindRecord holds.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        DatasetError: a row cannot be written, or a file exists.
    """
    arguments.of_type("file_name", file_name, str)
    arguments.of_type("num_files", num_files, int)
    arguments.of_type("file_type", file_type, str)
    if not 0 < num_files <= 1000:
        raise complain(ValueError, "num_files should between 0 and 1000.")
    if file_type != "mindrecord":
        raise complain(ValueError, f"{file_type} dataset format is not supported.")
    paths = [file_name]
    if num_files > 1:
        digits = len(str(num_files - 1))
        paths = [f"{file_name}{i:0{digits}}" for i in range(num_files)]
    for path in [n for p in paths for n in (p, f"{p}.db")]:
        if os.path.exists(path):
            said = "Invalid file, mindrecord files already exist. Please check file path"
            raise DatasetError(f"save: {said}: {path}. Remove it, or save under another name.")
    writer = FileWriter(file_name, num_files)
    try:
        _write(writer, node, seed)
        writer.commit()
    except BaseException:
        writer.discard()
        raise


def _write(writer: FileWriter, node: Operation, seed: int) -> None:
    fields, batch = None, []
    for number, row in enumerate(node.rows(start(node, seed, True))):
        if fields is None:
            fields = {c: _field(c, v) for c, v in zip(node.columns, row)}
            writer.add_schema(fields)
        batch.append(_written(node.columns, row, fields, number))
        if len(batch) == _BATCH:
            writer.write_raw_data(batch)
            batch = []
    if fields is None:
        raise DatasetError("save: the dataset has no rows")
    if batch:
        writer.write_raw_data(batch)


def _field(name: str, v) -> dict:
    if isinstance(v, dict):
        raise DatasetError(f"save: column {name!r} holds dicts")
    if v.dtype.kind in "US":
        if v.size != 1:
            raise DatasetError(f"save: column {name!r} holds {v.size} texts; MindRecord takes one")
        return {"type": "string" if v.dtype.kind == "U" else "bytes"}
    kind = _KINDS.get(v.dtype.name)
    if kind is None:
        raise DatasetError(f"save: column {name!r} is of type {v.dtype}")
    return {"type": kind, "shape": [-1, *v.shape[1:]]} if v.ndim else {"type": kind}


def _written(columns, row, fields: dict, number: int) -> dict:
    made = {}
    for name, v in zip(columns, row):
        about = fields[name]
        if (
            _field(name, v).get("shape") != about.get("shape")
            or v.dtype.name == "uint64"
            and (v.size and int(v.max()) > np.iinfo(np.int64).max)
        ):
            raise DatasetError(
                f"save: column {name!r} of row {number} has the shape {v.shape} and type {v.dtype}, "
                f"which is not as in the first row"
            )
        if about["type"] in ("string", "bytes"):
            made[name] = v.reshape(-1)[0].item() if about["type"] == "string" else v.tobytes()
        else:
            v = v.astype(about["type"])
            made[name] = v if v.ndim else v.item()
    return made
