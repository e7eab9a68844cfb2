"""`serialize`, `deserialize`, `show` and `compare`: pipelines as JSON, and back."""

from __future__ import annotations

import json
import logging
import os

from ..base.errors import complain
from . import audio, nodes, samplers, text, transforms, values, vision
from .collection import SOURCES
from .datasets import Dataset, zip_datasets
from .describing import EMPTY, SHUFFLES, described, saved
from .handle import node_of
from .pipeline import DatasetError
from .shuffles import Shuffle

_HOMES = {"vision": vision, "transforms": transforms, "text": text, "audio": audio}
"""Where transforms and their enumerations are."""


def built(said: dict) -> Dataset:
    """The dataset that `described` gave ``said`` for.

    Raises:
        RuntimeError: the description is not one, or has what cannot be made again.
    """
    if not isinstance(said, dict) or "op_type" not in said:
        raise DatasetError("deserialize: Invalid data: a description without op_type")
    below = [built(c) for c in said.get("children", [])]
    name = said["op_type"]
    if "unsupported" in said or name in ("GeneratorDataset", "Filter", "BucketBatchByLength"):
        why = said.get("unsupported", "functions or data of the program")
        raise DatasetError(f"deserialize: {name} cannot be made again: it has {why}")
    if below and name in _MAKE:
        return _MAKE[name](below, said)
    cls = SOURCES.get(name)
    if below or cls is None:
        raise DatasetError(f"deserialize: Invalid data, unsupported operation type: {name}")
    return cls(**_arguments(cls, said))


def _arguments(cls, said: dict) -> dict:
    taken = {k: v for k, v in said.items() if k in cls.signature_.parameters}
    found = {k: values.made_of(v, _HOMES) for k, v in taken.items() if k != "sampler"}
    found = {k: v for k, v in found.items() if k not in EMPTY or v or v is False}
    if isinstance(found.get("shuffle"), int) and not isinstance(found["shuffle"], bool):
        numbers = {n: name for name, n in SHUFFLES.items()}
        found["shuffle"] = Shuffle(numbers[found["shuffle"]])
        found["shuffle"] = found["shuffle"] is not Shuffle.FALSE and found["shuffle"]
    if found.get("num_shards") == 1:
        found = {k: v for k, v in found.items() if k not in ("num_shards", "shard_id")}
    elif "num_shards" in found:
        found["shard_id"] = said["shard_id"]
    found = {k: list(v) if isinstance(v, tuple) and k in _LISTS else v for k, v in found.items()}
    return found | ({"sampler": _made_sampler(said["sampler"])} if "sampler" in said else {})


_LISTS = ("extensions", "column_names", "columns_list", "dataset_files", "column_defaults")


def _made_sampler(said: dict):
    cls = getattr(samplers, said["sampler_name"])
    rest = {k: v for k, v in said.items() if k not in ("sampler_name", "child_sampler")}
    mode = rest.pop("shuffle_mode", None)
    if cls is samplers.DistributedSampler:
        rest["shuffle"] = mode != SHUFFLES["false"]
    rest.pop("reshuffle_each_epoch", None)
    made = cls(**{k: v for k, v in rest.items() if v is not None})
    for child in said.get("child_sampler", []):
        made.add_child(_made_sampler(child))
    return made


def _mapped(below, said):
    operations = [values.operation_of(op, _HOMES) for op in said["operations"]]
    columns = said["input_columns"], said["output_columns"]
    return below[0].map(operations, *[c or None for c in columns], said["num_parallel_workers"])


_MAKE = {
    "Map": _mapped,
    "Batch": lambda below, said: below[0].batch(
        said["batch_size"], said["drop_remainder"], said["num_parallel_workers"]
    ),
    "Skip": lambda below, said: below[0].skip(said["count"]),
    "Take": lambda below, said: below[0].take(said["count"]),
    "Slice": lambda below, said: Dataset(
        nodes.SliceNode(node_of(below[0]), said["begin"], said["end"])
    ),
    "Repeat": lambda below, said: below[0].repeat(said["count"]),
    "Shuffle": lambda below, said: below[0].shuffle(said["buffer_size"]),
    "Project": lambda below, said: below[0].project(said["columns"]),
    "Rename": lambda below, said: below[0].rename(said["input_columns"], said["output_columns"]),
    "Zip": lambda below, said: zip_datasets(tuple(below)),
    "Concat": lambda below, said: below[0].concat(below[1:]),
}


def serialize(dataset, json_filepath: str = "") -> dict:
    """Describe a pipeline in JSON, so that `deserialize` can make it again. Of functions only the names are
    kept, and of data in memory nothing: such a pipeline is described, but not made again.

    Args:
        dataset (Dataset): the pipeline.
        json_filepath (str): the file to write; none where it is empty. Default: "".

    Returns:
        dict: the description.

    Raises:
        TypeError: ``dataset`` is none, or a transform has an argument that has no form in JSON.
        OSError: the file cannot be written.

    Examples:
        >>> import minds.dataset as ds
        >>> d = ds.FakeImageDataset(4, (2, 2, 3), shuffle=False).skip(1).batch(2)
        >>> said = ds.serialize(d)
        >>> said["op_type"], said["batch_size"], said["children"][0]["count"]
        ('Batch', 2, 1)
    """
    return saved("serialize", node_of(dataset), json_filepath)


def deserialize(input_dict: dict | None = None, json_filepath: str | None = None) -> Dataset | None:
    """Make the pipeline that `serialize` described.

    Args:
        input_dict (dict, optional): a description.
        json_filepath (str, optional): a file with one.

    Returns:
        Dataset: the pipeline; None where nothing is given.

    Raises:
        TypeError: ``input_dict`` is no dict.
        OSError: the file cannot be read.
        ValueError: it is no JSON.
        RuntimeError: it describes no pipeline, or one with functions or data of the program.

    Examples:
        >>> import minds.dataset as ds
        >>> d = ds.FakeImageDataset(4, (2, 2, 3), shuffle=False).batch(2)
        >>> len(ds.deserialize(ds.serialize(d)))
        2
    """
    if input_dict is not None:
        if not isinstance(input_dict, dict):
            kind = type(input_dict).__name__
            raise complain(TypeError, f"deserialize: input_dict has type {kind}", expected="a dict")
        return built(input_dict)
    if json_filepath is None:
        return None
    with open(os.fspath(json_filepath), encoding="utf-8") as f:
        return built(json.load(f))


def show(dataset, indentation: int = 2) -> None:
    """Log a pipeline's description, at the level INFO of the logger ``minds``.

    Args:
        dataset (Dataset): the pipeline.
        indentation (int): blanks per level. Default: 2.

    Raises:
        TypeError: ``dataset`` is none.

    Examples:
        >>> import minds.dataset as ds
        >>> ds.show(ds.FakeImageDataset(4))
    """
    said = json.dumps(described(node_of(dataset)), indent=indentation, sort_keys=True)
    logging.getLogger("minds").info(said)


def compare(pipeline1, pipeline2) -> bool:
    """Whether two pipelines are the same: their descriptions are.

    Args:
        pipeline1 (Dataset), pipeline2 (Dataset): the pipelines.

    Returns:
        bool: whether.

    Raises:
        TypeError: one is no Dataset.

    Examples:
        >>> import minds.dataset as ds
        >>> a = ds.FakeImageDataset(4)
        >>> ds.compare(a.batch(2), a.batch(2)), ds.compare(a.batch(2), a.batch(3))
        (True, False)
    """
    return described(node_of(pipeline1)) == described(node_of(pipeline2))


__all__ = ["compare", "deserialize", "serialize", "show"]
