"""`FileReader`: all rows of MindRecord files; `MindPage`: rows by the value of an indexed field."""

from __future__ import annotations

import json

from .errors import MRMDefineCategoryError, MRMGetMetaError, ParamValueError
from .names import check_consumers, check_names, type_error
from .shard import index_fields, open_shards


def check_columns(columns, layout) -> list[str]:
    """``columns``, or all fields.

    Raises:
        MRMGetMetaError: one is no field.
    """
    for c in columns or ():
        if c not in layout.fields:
            raise MRMGetMetaError(
                f"Invalid data, column name: {c} can not found in schema. Please check the "
                "'column_list'."
            )
    return list(columns or layout.fields)


class FileReader:
    """Reads all rows of MindRecord files.

    Args:
        file_name (str, list[str]): one of the files that were written together, or just the files of a
            list.
        num_consumer (int): accepted: rows are read as they are asked for. Default: 4.
        columns (list[str], optional): the fields to read. Default: all.
        operator (None): accepted.

    Raises:
        RuntimeError: a file is missing or damaged, or has no such field.

    Examples:
        >>> import os, tempfile
        >>> from minds.mindrecord import FileReader, FileWriter
        >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
        >>> writer = FileWriter(path)
        >>> writer.add_schema({"x": {"type": "int32"}, "y": {"type": "string"}})
        >>> writer.write_raw_data([{"x": 1, "y": "a"}, {"x": 2, "y": "b"}])
        >>> writer.commit()
        >>> reader = FileReader(path, columns=["y"])
        >>> list(reader.get_next()), reader.len()
        ([{'y': 'a'}, {'y': 'b'}], 2)
    """

    def __init__(self, file_name, num_consumer: int = 4, columns=None, operator=None):
        check_consumers(num_consumer)
        names = check_names(file_name)
        if columns is not None and not isinstance(columns, list):
            raise type_error("columns", "list")
        self._shards = open_shards(names)
        self._columns = check_columns(columns, self._shards[0].layout)
        self._length = sum(map(len, self._shards))
        self._open = True

    def get_next(self):
        """The rows, one after the other.

        Yields:
            dict: field → value.

        Raises:
            RuntimeError: a row is damaged.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import FileReader, FileWriter
            >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
            >>> writer = FileWriter(path)
            >>> writer.add_schema({"x": {"type": "int32"}})
            >>> writer.write_raw_data([{"x": 1}, {"x": 2}])
            >>> writer.commit()
            >>> list(FileReader(path).get_next())
            [{'x': 1}, {'x': 2}]
        """
        wanted = frozenset(self._columns)
        for shard in self._shards:
            for i in range(len(shard)):
                if not self._open:
                    return
                yield shard.row(i, wanted)

    def close(self) -> None:
        """Close the files; no row is read any more.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import FileReader, FileWriter
            >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
            >>> writer = FileWriter(path)
            >>> writer.add_schema({"x": {"type": "int32"}})
            >>> writer.commit()
            >>> FileReader(path).close()
        """
        self._open = False
        for shard in self._shards:
            shard.close()

    def schema(self) -> dict:
        """The fields of a row.

        Returns:
            dict: as they were given to `FileWriter.add_schema`.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import FileReader, FileWriter
            >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
            >>> writer = FileWriter(path)
            >>> writer.add_schema({"x": {"type": "int32"}})
            >>> writer.commit()
            >>> FileReader(path).schema()
            {'x': {'type': 'int32'}}
        """
        return {n: dict(a) for n, a in self._shards[0].layout.fields.items()}

    def len(self) -> int:
        """The number of rows.

        Returns:
            int: of all files.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import FileReader, FileWriter
            >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
            >>> writer = FileWriter(path)
            >>> writer.add_schema({"x": {"type": "int32"}})
            >>> writer.commit()
            >>> FileReader(path).len()
            0
        """
        return self._length


class MindPage:
    """Reads rows by the value of an indexed field, a page at a time.

    Args:
        file_name (str, list[str]): one of the files that were written together, or just the files of a
            list.
        num_consumer (int): accepted. Default: 4.

    Raises:
        RuntimeError: a file is missing or damaged.

    Examples:
        >>> import os, tempfile
        >>> from minds.mindrecord import FileWriter, MindPage
        >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
        >>> writer = FileWriter(path)
        >>> writer.add_schema({"label": {"type": "int32"}, "data": {"type": "bytes"}})
        >>> writer.write_raw_data([{"label": i % 2, "data": bytes([65 + i])} for i in range(4)])
        >>> writer.commit()
        >>> pages = MindPage(path)
        >>> pages.category_field = "label"
        >>> [row["data"] for row in pages.read_at_page_by_name("1", 0, 10)]
        [b'B', b'D']
    """

    def __init__(self, file_name, num_consumer: int = 4):
        check_consumers(num_consumer)
        self._shards = open_shards(check_names(file_name))
        self._candidates = index_fields(self._shards[0].header)
        self._field: str | None = None
        self._places: dict[str, list] = {}

    @property
    def candidate_fields(self) -> list[str]:
        """The indexed fields.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import FileWriter, MindPage
            >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
            >>> writer = FileWriter(path)
            >>> writer.add_schema({"label": {"type": "int32"}})
            >>> writer.commit()
            >>> MindPage(path).candidate_fields
            ['label']
        """
        return list(self._candidates)

    @property
    def category_field(self) -> str | None:
        """The field whose values are categories.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import FileWriter, MindPage
            >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
            >>> writer = FileWriter(path)
            >>> writer.add_schema({"label": {"type": "int32"}})
            >>> writer.commit()
            >>> pages = MindPage(path)
            >>> pages.category_field = "label"
            >>> pages.category_field
            'label'
        """
        return self._field

    @category_field.setter
    def category_field(self, category_field: str) -> None:
        if not isinstance(category_field, str):
            raise type_error("category_fields", "str")
        if category_field not in self._candidates:
            raise MRMDefineCategoryError(
                f"Field '{category_field}' is not a candidate category field."
            )
        self._field = category_field
        found: dict[str, list] = {}
        for s, shard in enumerate(self._shards):
            for row, value in enumerate(shard.values(category_field)):
                found.setdefault(str(value), []).append((s, row))
        self._places = {name: found[name] for name in sorted(found)}

    def read_category_info(self) -> str:
        """The categories and how many rows each has.

        Returns:
            str: JSON.

        Raises:
            RuntimeError: `category_field` is not set.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import FileWriter, MindPage
            >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
            >>> writer = FileWriter(path)
            >>> writer.add_schema({"label": {"type": "int32"}})
            >>> writer.write_raw_data([{"label": 7}])
            >>> writer.commit()
            >>> pages = MindPage(path)
            >>> pages.category_field = "label"
            >>> pages.read_category_info()
            '{"categories":[{"count":1,"id":0,"name":"7"}],"key":"label_0"}'
        """
        self._need_field()
        listed = [
            {"count": len(rows), "id": i, "name": name}
            for i, (name, rows) in enumerate(self._places.items())
        ]
        made = {"categories": listed, "key": f"{self._field}_0"}
        return json.dumps(made, separators=(",", ":"), ensure_ascii=False)

    def read_at_page_by_id(self, category_id: int, page: int, num_row: int) -> list[dict]:
        """Rows of a category by its number.

        Args:
            category_id (int): as `read_category_info` counts.
            page (int): which page, counted from 0.
            num_row (int): rows per page.

        Returns:
            list[dict]: at most ``num_row`` rows.

        Raises:
            RuntimeError: there is no such category, or an argument is wrong.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import FileWriter, MindPage
            >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
            >>> writer = FileWriter(path)
            >>> writer.add_schema({"label": {"type": "int32"}})
            >>> writer.write_raw_data([{"label": 7}])
            >>> writer.commit()
            >>> pages = MindPage(path)
            >>> pages.category_field = "label"
            >>> pages.read_at_page_by_id(0, 0, 1)
            [{'label': 7}]
        """
        if not isinstance(category_id, int) or category_id < 0:
            raise ParamValueError("Category id should be int and greater than or equal to 0.")
        _check_page(page, num_row)
        self._need_field()
        if category_id >= len(self._places):
            raise MRMDefineCategoryError(
                f"Invalid data, category_id: {category_id} must be in the range "
                f"[0, {len(self._places)}]."
            )
        return self._read(list(self._places)[category_id], page, num_row)

    def read_at_page_by_name(self, category_name: str, page: int, num_row: int) -> list[dict]:
        """Rows of a category by its name.

        Args:
            category_name (str): the value of the field, as text.
            page (int): which page, counted from 0.
            num_row (int): rows per page.

        Returns:
            list[dict]: at most ``num_row`` rows.

        Raises:
            RuntimeError: there is no such category, or an argument is wrong.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import FileWriter, MindPage
            >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
            >>> writer = FileWriter(path)
            >>> writer.add_schema({"label": {"type": "int32"}})
            >>> writer.write_raw_data([{"label": 7}])
            >>> writer.commit()
            >>> pages = MindPage(path)
            >>> pages.category_field = "label"
            >>> pages.read_at_page_by_name("7", 0, 1)
            [{'label': 7}]
        """
        if not isinstance(category_name, str):
            raise ParamValueError("Category name should be str.")
        _check_page(page, num_row)
        self._need_field()
        if category_name not in self._places:
            raise MRMDefineCategoryError(f"category_name: {category_name} could not found.")
        return self._read(category_name, page, num_row)

    def _need_field(self) -> None:
        if self._field is None:
            raise MRMDefineCategoryError("Invalid data, field: is invalid; set category_field.")

    def _read(self, name: str, page: int, num_row: int) -> list[dict]:
        picked = self._places[name][page * num_row : (page + 1) * num_row]
        wanted = frozenset(self._shards[0].layout.fields)
        return [self._shards[s].row(i, wanted) for s, i in picked]


def _check_page(page, num_row) -> None:
    if not isinstance(page, int) or page < 0:
        raise ParamValueError("Page should be int and greater than or equal to 0.")
    if not isinstance(num_row, int) or num_row <= 0:
        raise ParamValueError("num_row should be int and greater than 0.")


__all__ = ["FileReader", "MindPage", "check_columns"]
