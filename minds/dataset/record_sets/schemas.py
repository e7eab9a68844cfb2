"""`Schema`: the columns of a dataset, with dtypes and shapes."""

from __future__ import annotations

import json

import numpy as np

from ...base import dtype as dt
from ...base.errors import complain
from .. import source_arguments as arguments
from ..pipeline import DatasetError

_NAMES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 string".split()
)


class Schema:
    """The columns of the rows of a `TFRecordDataset` or a `RandomDataset`.

    Args:
        schema_file (str, optional): a file of JSON. Default: None, no columns.

    Raises:
        TypeError: ``schema_file`` is no str.
        ValueError: there is no such file.
        RuntimeError: it is no schema.

    Examples:
        >>> import minds.dataset as ds
        >>> schema = ds.Schema()
        >>> schema.add_column("label", "int32", [1])
        >>> [c["name"] for c in schema.columns]
        ['label']
    """

    def __init__(self, schema_file: str | None = None):
        self.columns: list[dict] = []
        self.dataset_type, self.num_rows = "Random", 0
        if schema_file is not None:
            path = arguments.file("schema_file", schema_file)
            with open(path, encoding="utf-8") as f:
                try:
                    found = json.load(f)
                except ValueError as e:
                    raise DatasetError(f"Schema: {path} is no JSON: {e}") from e
            self.from_json(found)

    def add_column(self, name: str, de_type, shape: list | None = None) -> None:
        """Add a column.

        Args:
            name (str): its name.
            de_type (str, dtype): its dtype; ``"string"`` for text.
            shape (list[int], optional): its shape; -1 for an open size. Default: None, any shape of
                one dimension.

        Raises:
            TypeError: an argument has a wrong type, or the dtype is unknown.
            ValueError: there is such a column.

        Examples:
            >>> import minds.dataset as ds
            >>> schema = ds.Schema()
            >>> schema.add_column("x", "float32", [2, -1])
            >>> schema.columns[0]["rank"]
            2
        """
        arguments.of_type("name", name, str)
        if not name:
            raise complain(ValueError, "Input name is empty.")
        kind = de_type if isinstance(de_type, str) else dt.of(de_type).name
        if kind not in _NAMES:
            raise complain(TypeError, f"Unknown column type: {kind}.")
        if any(c["name"] == name for c in self.columns):
            raise complain(ValueError, f"column {name!r} is there already")
        column = {"name": name, "rank": 1, "type": kind}
        if shape is not None:
            for n in arguments.of_type("shape", shape, list):
                arguments.of_type("shape", n, int)
            column["rank"], column["shape"] = len(shape), list(shape)
        self.columns.append(column)

    def parse_columns(self, columns) -> None:
        """Take the columns of a list or dict.

        Args:
            columns (list[dict], dict): ``{"name": …, "type": …, "shape": …}`` each, or by name.

        Raises:
            TypeError: the type of a column is unknown.
            RuntimeError: ``columns`` is none of these, or a column lacks its name or type, or has another
                key.

        Examples:
            >>> import minds.dataset as ds
            >>> schema = ds.Schema()
            >>> schema.parse_columns({"x": {"type": "int32", "shape": []}})
            >>> schema.columns[0]["type"]
            'int32'
        """
        self.columns = []
        if isinstance(columns, dict):
            columns = [{"name": n, **c} for n, c in sorted(columns.items())]
        if not isinstance(columns, list):
            raise complain(
                RuntimeError,
                "columns must be dict or list, columns contain name, type, shape(optional).",
            )
        for column in columns:
            unknown = set(column) - {"name", "type", "shape", "rank", "t_impl"}
            if unknown:
                raise DatasetError(f"Unknown field {', '.join(sorted(unknown))} of a column")
            for key in ("name", "type"):
                if key not in column:
                    raise DatasetError(f"Column's {key} is missing")
            self.add_column(column["name"], column["type"], column.get("shape"))

    def to_json(self) -> str:
        """The schema as JSON.

        Returns:
            str: JSON.

        Examples:
            >>> import minds.dataset as ds
            >>> schema = ds.Schema()
            >>> schema.add_column("x", "int32")
            >>> '"rank": 1' in schema.to_json()
            True
        """
        made: dict = {"columns": self.columns}
        if self.num_rows:
            made["numRows"] = self.num_rows
        return json.dumps(made, indent=2, sort_keys=True)

    def from_json(self, json_obj: dict) -> None:
        """Take a schema.

        Args:
            json_obj (dict): with ``columns``, and perhaps ``datasetType`` and ``numRows``.

        Raises:
            RuntimeError: it has no columns, or another key.

        Examples:
            >>> import minds.dataset as ds
            >>> schema = ds.Schema()
            >>> schema.from_json({"numRows": 2, "columns": {"x": {"type": "int32"}}})
            >>> schema.num_rows
            2
        """
        arguments.of_type("json_obj", json_obj, dict)
        unknown = set(json_obj) - {"datasetType", "numRows", "columns"}
        if unknown:
            raise DatasetError(f"Unknown schema item: {', '.join(sorted(unknown))}")
        if "columns" not in json_obj:
            raise DatasetError("Columns are missing.")
        self.dataset_type = json_obj.get("datasetType", self.dataset_type)
        rows = json_obj.get("numRows", 0)
        if not isinstance(rows, int) or rows < 0:
            raise DatasetError("numRows must be greater than or equal to 0")
        self.num_rows = rows
        self.parse_columns(json_obj["columns"])

    def __str__(self) -> str:
        return self.to_json()


def schema_of(name: str, value) -> Schema | None:
    """``value`` as a schema: one, the path of one, or None."""
    if value is None or isinstance(value, Schema):
        return value
    return Schema(arguments.file(name, value))


def shaped(name: str, values: np.ndarray, shape) -> np.ndarray:
    """``values`` in the shape of a column.

    Raises:
        DatasetError: they have another number of elements.
    """
    if shape is None:
        return values
    known = int(np.prod([n for n in shape if n >= 0]))
    opened = sum(n < 0 for n in shape)
    if opened > 1 or (values.size % known if opened and known else values.size != known):
        raise DatasetError(
            f"column {name!r} has {values.size} elements for the shape {list(shape)}"
        )
    return values.reshape(shape)
