"""What a pipeline is, as JSON: each kind of node has a function that says what it is. Keys are MindSpore's;
the parameters of transforms are those of their constructors.
"""

from __future__ import annotations

import json
import os

from ..base.errors import complain
from . import joined, nodes, padding, samplers, values
from .callbacks import CallbackNode
from .handle import workers_of
from .pipeline import Operation
from .recorded import Recorded, arguments_of
from .shuffles import Shuffle
from .sources import SampledNode
from .sync import SyncNode

OF_CHOICE = ("num_samples", "shuffle", "sampler", "num_shards", "shard_id")
"""The parameters of a source that say which rows it gives."""
SHUFFLES = {"false": 0, "files": 1, "global": 2, "infile": 3, "partial": 4, "adaptive": 5}
EMPTY = {
    "class_indexing": {},
    "extensions": [],
    "column_names": [],
    "columns_list": [],
    "num_samples": 0,
    "num_shards": 1,
    "shard_id": 0,
}
"""What stands for an argument that is not given."""
_QUEUE = 16  # what MindSpore says of every stage


def described(node: Operation) -> dict:
    """A node and what is below it.

    Raises:
        TypeError: something of it has no form in JSON.
    """
    if isinstance(node, CallbackNode):
        return described(node.children[0])
    children = [described(c) for c in node.children]
    source = getattr(node, "source", None)
    if source is not None:
        said = _source(node, *source)
    else:
        said = next((say(node) for kind, say in _SAY.items() if isinstance(node, kind)), None)
        if said is None:
            said = {"op_type": "GeneratorDataset" if not children else type(node).__name__}
    return dict(sorted({"children": children, **said}.items()))


def _names(node, places, of=None) -> list[str]:
    return [(of or node.children[0]).columns[i] for i in places]


def _map(n: nodes.MapNode) -> dict:
    return {
        "op_type": "Map",
        "operations": [values.operation(op) for op in n.operations],
        "input_columns": _names(n, n.inputs),
        "output_columns": list(n.outputs),
        "num_parallel_workers": n.workers,
        "connector_queue_size": _QUEUE,
        "callback": [],
    }


def _batch(n: nodes.BatchNode) -> dict:
    if callable(n.batch) or n.fn is not None or n.pad:
        what = (
            "per_batch_map" if n.fn else "a function as batch_size" if callable(n.batch) else "pads"
        )
        return {"op_type": "Batch", "unsupported": what}
    return {
        "op_type": "Batch",
        "batch_size": n.batch,
        "drop_remainder": n.drop,
        "input_columns": [],
        "output_columns": [],
        "num_parallel_workers": n.workers,
        "connector_queue_size": _QUEUE,
    }


def _slice(n: nodes.SliceNode) -> dict:
    if n.end is None:
        return {"op_type": "Skip", "count": n.begin}
    if n.begin == 0:
        return {"op_type": "Take", "count": n.end}
    return {"op_type": "Slice", "begin": n.begin, "end": n.end}


def _project(n: nodes.ProjectNode) -> dict:
    chosen = _names(n, n.places)
    if list(n.columns) == chosen:
        return {"op_type": "Project", "columns": chosen}
    pairs = [(a, b) for a, b in zip(chosen, n.columns) if a != b]
    old, new = ([p[i] for p in pairs] for i in (0, 1))
    return {"op_type": "Rename", "input_columns": old, "output_columns": new}


_SAY = {
    nodes.MapNode: _map,
    nodes.BatchNode: _batch,
    nodes.SliceNode: _slice,
    nodes.ProjectNode: _project,
    nodes.ShuffleNode: lambda n: {
        "op_type": "Shuffle",
        "buffer_size": n.buffer_size,
        "reset_each_epoch": n.frozen_seed is None,
    },
    nodes.RepeatNode: lambda n: {"op_type": "Repeat", "count": -1 if n.count is None else n.count},
    joined.ZipNode: lambda n: {"op_type": "Zip", "connector_queue_size": _QUEUE},
    joined.ConcatNode: lambda n: {"op_type": "Concat", "connector_queue_size": _QUEUE},
    nodes.FilterNode: lambda n: {
        "op_type": "Filter",
        "input_columns": _names(n, n.inputs),
        "predicate": "pyfunc",
    },
    padding.BucketNode: lambda n: {"op_type": "BucketBatchByLength"},
    nodes.FlatMapNode: lambda n: {"op_type": "FlatMap"},
    SyncNode: lambda n: {"op_type": "SyncWait"},
}


def _source(node, name: str, given: dict) -> dict:
    """A dataset of files: its arguments, with what chooses its rows as a sampler where it has one."""
    said = {k: EMPTY.get(k) if v is None else v for k, v in given.items() if k != "cache"}
    if "num_parallel_workers" in said:
        said["num_parallel_workers"] = workers_of(said["num_parallel_workers"])
    if isinstance(said.get("dataset_files"), str):
        said["dataset_files"] = [said["dataset_files"]]
    chosen = _sampler(node.sampler) if isinstance(node, SampledNode) else None
    if chosen is not None:
        said = {k: v for k, v in said.items() if k not in OF_CHOICE}
        said["sampler"] = chosen
    elif "shuffle" in said:
        said["shuffle"] = SHUFFLES[_shuffle(said["shuffle"]).value]
    said = {k: values.plain(v) for k, v in said.items() if v is not None}
    return {"op_type": name, "connector_queue_size": _QUEUE, **said}


def _shuffle(value) -> Shuffle:
    if isinstance(value, Shuffle):
        return value
    return Shuffle.GLOBAL if value or value is None else Shuffle.FALSE


def _sampler(s) -> dict | None:
    """What a sampler is; None for one that MindSpore has no name for."""
    if not isinstance(s, Recorded) or getattr(samplers, type(s).__name__, None) is not type(s):
        return None
    said = {k: values.plain(v) for k, v in arguments_of(s).items() if not callable(v)}
    said = {k: _counted(k, v) for k, v in said.items()}
    if isinstance(s, samplers.RandomSampler):
        said = {k: v for k, v in said.items() if k != "shuffle"}
        said |= {"reshuffle_each_epoch": True, "shuffle_mode": SHUFFLES["global"]}
    elif isinstance(s, samplers.DistributedSampler):
        said["shuffle_mode"] = SHUFFLES["global" if said.pop("shuffle") else "false"]
    child = [] if s.child is None else [_sampler(s.child)]
    more = {"child_sampler": child} if child else {}
    return dict(sorted({"sampler_name": type(s).__name__, **said, **more}.items()))


def _counted(name: str, value):
    if name in ("num_samples", "start_index") and value is None:
        return 0
    return value["array"] if isinstance(value, dict) and "array" in value else value


def saved(name: str, node: Operation, path: str | None) -> dict:
    """The description of a pipeline, also written to ``path`` where that is given.

    Raises:
        TypeError: ``path`` is no path; a number would name an open file.
        OSError: it cannot be written.
    """
    said = described(node)
    if path is not None and not isinstance(path, (str, os.PathLike)):
        raise complain(TypeError, f"{name}: the file is a {type(path).__name__}", expected="a path")
    if path:
        with open(path, "w", encoding="utf-8") as f:
            f.write(json.dumps(said, separators=(",", ":"), sort_keys=True) + "\n")
    return said
