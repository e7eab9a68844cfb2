"""Rows that come from no file: padding, random rows; and files in clouds, which are refused."""

from __future__ import annotations

import numpy as np

from ...base.errors import complain
from .. import source_arguments as arguments
from ..arguments import check_type
from ..collection import Declared
from ..pipeline import DatasetError, as_value
from ..rows_of_files import EntriesNode
from ..samplers import choose
from .schemas import Schema, schema_of


class PaddedDataset(Declared):
    """Rows that are given, to be added to those of another dataset."""

    parameters = "padded_samples"
    columns: tuple = ()
    about = {"padded_samples": "list[dict]): rows of arrays, all of the same columns"}
    checks = {"padded_samples": lambda n, v: _samples(n, v)}

    def _node_of(self, a):
        rows = a.padded_samples
        columns = tuple(rows[0])
        return EntriesNode(
            "PaddedDataset",
            columns,
            rows,
            lambda row: [row[c] for c in columns],
            lambda row: "the given rows",
            choose(None, False, None, None, None),
            1,
        )


def _samples(name: str, value) -> list:
    check_type(name, value, (list,))
    if not value:
        raise complain(ValueError, "padded_samples cannot be empty.")
    for row in value:
        arguments.of_type(f"{name}[…]", row, dict)
        if not row or row.keys() != value[0].keys():
            raise complain(ValueError, "padded_samples have different columns, or none.")
        for column, v in row.items():
            arguments.of_type("column_name", column, str)
            as_value(v, f"PaddedDataset: column {column!r}")
    return value


class RandomDataset(Declared):
    """Random rows by a schema, the same in every epoch."""

    parameters = (
        "total_rows=None, schema=None, columns_list=None, num_samples=None, "
        "num_parallel_workers=None, cache=None, shuffle=None, num_shards=None, shard_id=None"
    )
    columns = ("c0",)
    checks = {
        "total_rows": lambda n, v: 10 if v is None else arguments.between(n, v, 1),
        "schema": schema_of,
        "columns_list": lambda n, v: v if v is None else arguments.of_type(n, v, list),
    }
    about = {
        "total_rows": "int, optional): how many rows. Default: 10",
        "schema": "str, Schema, optional): the columns. Default: one of int32",
        "columns_list": "list[str], optional): the columns to make. Default: all",
    }

    def _node_of(self, a):
        schema = a.schema
        if schema is None:
            schema = Schema()
            schema.add_column("c0", "int32", [1])
        about = {c["name"]: c for c in schema.columns}
        for name in a.columns_list or ():
            if name not in about:
                raise DatasetError(f"RandomDataset: the schema has no column {name!r}")
        columns = tuple(a.columns_list or about)

        def make(number: int):
            rng = np.random.default_rng((number, 5489))
            return [_random(rng, about[c]) for c in columns]

        return EntriesNode(
            "RandomDataset",
            columns,
            range(a.total_rows),
            make,
            lambda number: "random rows",
            choose(None, bool(a.shuffle), a.num_samples, a.num_shards, a.shard_id),
            1,
            a.cache,
        )


def _random(rng, about: dict) -> np.ndarray:
    shape = [max(n, 1) for n in about.get("shape") or ([1] if "shape" not in about else [])]
    if about["type"] == "string":
        return np.array("".join(chr(97 + c) for c in rng.integers(0, 26, 8)))
    kind = np.dtype(about["type"])
    if kind.kind == "f":
        return rng.random(shape).astype(kind)
    if kind.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    limits = np.iinfo(kind)
    return rng.integers(limits.min, limits.max, shape, kind, endpoint=True)


class OBSMindDataset(Declared):
    """MindRecord files in cloud storage: refused. Copy them to a folder and use `MindDataset`."""

    parameters = (
        "dataset_files, server, ak, sk, sync_obs_path, columns_list=None, shuffle=True, "
        "num_shards=None, shard_id=None, shard_equal_rows=True"
    )
    columns: tuple = ()
    about = {
        "server": "str): where the storage is",
        "ak": "str): an access key",
        "sk": "str): a secret key",
        "sync_obs_path": "str): a path of the storage",
        "columns_list": "list[str], optional): the columns",
        "shard_equal_rows": "bool): whether rows are shared",
    }

    def _checked(self, name, value):
        return value

    def _node_of(self, a):
        raise complain(
            NotImplementedError,
            "OBSMindDataset: minds reads no cloud storage",
            expected="files of this machine",
            cure="copy them and use MindDataset",
        )
