"""`FileWriter`: rows into shards."""

from __future__ import annotations

import contextlib
import logging
import os
from enum import IntEnum

from . import schema as schemas
from .errors import (
    MindRecordException,
    MRMAddSchemaError,
    MRMCommitError,
    MRMDefineIndexError,
    MRMGetMetaError,
    MRMInvalidHeaderSizeError,
    MRMInvalidPageSizeError,
    MRMOpenError,
    MRMSetHeaderError,
    MRMWriteDatasetError,
    ParamValueError,
)
from .names import check_name, type_error
from .schema import BlobLayout
from .shard import (
    DEFAULT_HEADER,
    DEFAULT_PAGE,
    HEADER_SIZES,
    PAGE_SIZES,
    VERSION,
    ShardWriter,
    index_fields,
    read_header,
)

_log = logging.getLogger("minds")


class MSRStatus(IntEnum):
    """How an operation of MindRecord ended.

    Examples:
        >>> from minds.mindrecord import SUCCESS
        >>> int(SUCCESS)
        0
    """

    SUCCESS = 0
    FAILED = 1


class FileWriter:
    """Writes rows to MindRecord files, which MindSpore reads too.

    Args:
        file_name (str): the file; with several shards a number is appended to it.
        shard_num (int): how many files share the rows, 1 to 1000. Default: 1.
        overwrite (bool): whether files of these names are replaced. Default: False.

    Raises:
        RuntimeError: an argument is wrong, or a file exists.

    Examples:
        >>> import os, tempfile
        >>> from minds.mindrecord import FileReader, FileWriter
        >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
        >>> writer = FileWriter(path)
        >>> writer.add_schema({"name": {"type": "string"}, "data": {"type": "bytes"}})
        >>> writer.write_raw_data([{"name": "a", "data": b"12"}, {"name": "b", "data": b"345"}])
        >>> writer.commit()
        >>> [row["data"] for row in FileReader(path).get_next()]
        [b'12', b'345']
    """

    def __init__(self, file_name: str, shard_num: int = 1, overwrite: bool = False):
        check_name(file_name)
        if shard_num is None:
            raise ParamValueError("Parameter shard_num is None.")
        if not isinstance(shard_num, int) or isinstance(shard_num, bool):
            raise ParamValueError("Parameter shard_num's type is not int.")
        if not 1 <= shard_num <= 1000:
            raise ParamValueError(
                f"Parameter shard_num's value: {shard_num} should between 1 and 1000."
            )
        if not isinstance(overwrite, bool):
            raise ParamValueError("Parameter overwrite's type is not bool.")
        digits = len(str(shard_num - 1))
        self._paths = (
            [file_name]
            if shard_num == 1
            else [f"{file_name}{i:0{digits}}" for i in range(shard_num)]
        )
        self._overwrite, self._fresh, self._committed = overwrite, True, False
        self._desc, self._layout, self._indexed = "", None, None
        self._sizes = [DEFAULT_HEADER, DEFAULT_PAGE]
        self._shards: list[ShardWriter] = []
        self._parallel, self._turn = None, 0
        self._failed = False

    @classmethod
    def open_for_append(cls, file_name: str) -> FileWriter:
        """A writer that appends to files that were committed.

        Args:
            file_name (str): one of the files.

        Returns:
            FileWriter: which needs no schema.

        Raises:
            RuntimeError: there is no such file, or it is damaged.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import FileReader, FileWriter
            >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
            >>> writer = FileWriter(path)
            >>> writer.add_schema({"x": {"type": "int32"}})
            >>> writer.write_raw_data([{"x": 1}])
            >>> writer.commit()
            >>> writer = FileWriter.open_for_append(path)
            >>> writer.write_raw_data([{"x": 2}])
            >>> writer.commit()
            >>> [row["x"] for row in FileReader(path).get_next()]
            [1, 2]
        """
        check_name(file_name)
        folder = os.path.dirname(file_name)
        paths = [os.path.join(folder, a) for a in read_header(file_name)["shard_addresses"]]
        headers = [read_header(p) for p in paths]
        made = cls(file_name)
        made._paths, made._fresh = paths, False
        made._layout = BlobLayout(headers[0]["schema"][0]["schema"])
        made._indexed = index_fields(headers[0])
        made._open_shards(headers)
        return made

    def add_schema(self, content: dict, desc: str | None = None) -> None:
        """Say which fields a row has.

        Args:
            content (dict): name → ``{"type": t}`` with t one of ``int32``, ``int64``, ``float32``,
                ``float64``, ``string``, ``bytes``, or ``{"type": t, "shape": [-1, 2]}`` for an array
                of numbers.
            desc (str, optional): what the rows are. Default: None.

        Raises:
            RuntimeError: ``content`` is no schema, or there is one.

        Examples:
            >>> from minds.mindrecord import FileWriter
            >>> writer = FileWriter("a.mindrecord")
            >>> writer.add_schema({"x": {"type": "float32", "shape": [-1]}}, "vectors")
        """
        fields = schemas.checked(content)
        if self._layout is not None:
            raise MRMAddSchemaError("there is one already.")
        self._layout, self._desc = BlobLayout(fields), desc or ""

    def add_index(self, index_fields: list) -> None:
        """Say by which fields rows are found; all numbers and texts if this is not called.

        Args:
            index_fields (list[str]): fields that are numbers or texts.

        Raises:
            RuntimeError: a field is none of these, or is named twice.

        Examples:
            >>> from minds.mindrecord import FileWriter
            >>> writer = FileWriter("a.mindrecord")
            >>> writer.add_schema({"x": {"type": "int32"}, "y": {"type": "bytes"}})
            >>> writer.add_index(["x"])
        """
        if not isinstance(index_fields, list):
            raise type_error("index_fields", "list")
        if self._layout is None:
            raise MRMGetMetaError("use 'add_schema' first.")
        for field in index_fields:
            if not isinstance(field, str):
                raise type_error("index field", "str")
            if field in self._layout.blob:
                raise MRMDefineIndexError(
                    f"Failed to set field {field} since it's not primitive type."
                )
            if field not in self._layout.raw:
                raise MRMDefineIndexError(
                    f"Invalid input, 'index_fields': {field} can not found in schema: "
                    f"{self._layout.fields}. Please use 'add_index' function to add proper "
                    "'index_fields'."
                )
            if field in (self._indexed or ()):
                raise MRMDefineIndexError(
                    f"The 'index_fields': {field} is added repeatedly. Please remove the redundant "
                    "'add_index' function."
                )
            self._indexed = [*(self._indexed or ()), field]

    def set_header_size(self, header_size: int) -> None:
        """Set the room for the header.

        Args:
            header_size (int): bytes, a multiple of 4 from 16 kB to 128 MB. Default 16 MB.

        Raises:
            RuntimeError: it is out of range.

        Examples:
            >>> from minds.mindrecord import FileWriter
            >>> FileWriter("a.mindrecord").set_header_size(1 << 15)
        """
        self._set_size(0, "header", header_size, HEADER_SIZES, MRMInvalidHeaderSizeError)

    def set_page_size(self, page_size: int) -> None:
        """Set the size of a page, which limits the size of a row.

        Args:
            page_size (int): bytes, a multiple of 4 from 32 kB to 256 MB. Default 32 MB.

        Raises:
            RuntimeError: it is out of range.

        Examples:
            >>> from minds.mindrecord import FileWriter
            >>> FileWriter("a.mindrecord").set_page_size(1 << 26)
        """
        self._set_size(1, "page", page_size, PAGE_SIZES, MRMInvalidPageSizeError)

    def _set_size(self, place: int, what: str, value, limits: tuple, kind: type) -> None:
        if not isinstance(value, int) or isinstance(value, bool):
            raise type_error(f"{what}_size", "int")
        if not limits[0] <= value <= limits[1]:
            raise kind(
                f"Invalid data, {what} size: {value} should be in range [{limits[0]} bytes, "
                f"{limits[1]} bytes]."
            )
        if value % 4:
            raise kind(f"Invalid data, {what} size {value} should be divided by four.")
        if self._shards:
            raise kind("rows were written already.")
        self._sizes[place] = value

    def write_raw_data(self, raw_data: list, parallel_writer: bool = False) -> None:
        """Write rows. One that does not fit the schema is left out, with a warning in the log. Where the
        files cannot be written they are removed, or as they were if they were opened to append.

        Args:
            raw_data (list[dict]): rows, each with all fields.
            parallel_writer (bool): whether all rows of this call go to one shard, the next call's to
                the next. Default: False, they are spread over the shards.

        Raises:
            TypeError: ``parallel_writer`` is no bool.
            RuntimeError: no row fits the schema, or the file cannot be written.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import FileReader, FileWriter
            >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
            >>> writer = FileWriter(path)
            >>> writer.add_schema({"x": {"type": "int32"}})
            >>> writer.write_raw_data([{"x": 1}, {"x": 2}])
            >>> writer.commit()
            >>> FileReader(path).len()
            2
        """
        if not isinstance(parallel_writer, bool):
            raise TypeError("The parameter `parallel_writer` must be bool.")
        if self._parallel not in (None, parallel_writer):
            raise MRMWriteDatasetError(
                "The parameter `parallel_writer` must be consistent during use."
            )
        self._parallel = parallel_writer
        if not isinstance(raw_data, list):
            raise type_error("raw_data", "list")
        if self._committed:
            raise MRMWriteDatasetError(
                "Not allowed to call `write_raw_data` on flushed MindRecord files. When creating "
                "new MindRecord files, please remove `commit` before `write_raw_data`. In other "
                "cases, when appending to existing MindRecord files, please call "
                "`open_for_append` first and then `write_raw_data`."
            )
        for row in raw_data:
            if not isinstance(row, dict):
                raise type_error("raw_data item", "dict")
        self._check_schema()
        rows = self._fitting(raw_data)
        if not rows:
            raise MRMWriteDatasetError(
                "There is no valid data which can be written by 'write_raw_data' to mindrecord "
                "file. Please check the abnormal input data indicated in the warning log above."
            )
        self._open()
        packed = [(shard, shard.pack(part)) for shard, part in self._shares(rows) if part]
        with self._whole():
            for shard, part in packed:
                shard.append(part)

    @contextlib.contextmanager
    def _whole(self):
        """What fails inside leaves no files, or those that were appended to as they were."""
        try:
            yield
        except BaseException:
            self.discard()
            raise

    def _fitting(self, rows: list) -> list:
        kept = []
        for i, row in enumerate(rows):
            wrong = self._layout.misfit(row)
            if wrong is None:
                kept.append(row)
            else:
                _log.warning("for schema, %d th data is wrong, %s", i, wrong)
        return kept

    def _shares(self, rows: list):
        if self._parallel:
            self._turn += 1
            return [(self._shards[(self._turn - 1) % len(self._shards)], rows)]
        each, more = divmod(len(rows), len(self._shards))
        ends = [(i + 1) * each + min(i + 1, more) for i in range(len(self._shards))]
        return [(s, rows[begin:end]) for s, begin, end in zip(self._shards, [0, *ends], ends)]

    def _open(self) -> None:
        """Make the files, unless they are open."""
        if self._failed:
            raise MRMWriteDatasetError("an earlier write failed or was discarded.")
        if self._shards:
            return
        self._check_schema()
        names = [n for p in self._paths for n in (p, f"{p}.db")]
        found = [n for n in names if os.path.exists(n)]
        if found and not self._overwrite:
            raise MRMOpenError(
                "Invalid file, mindrecord files already exist. Please check file path: "
                f"{found[0]}. If you do not want to keep the files, set the 'overwrite' parameter "
                "to True and try again."
            )
        try:
            for n in found:
                os.remove(n)
        except OSError as e:
            raise MRMOpenError(f"{e}") from e
        if self._indexed is None:
            self._indexed = list(self._layout.raw)
        self._open_shards([self._header(i) for i in range(len(self._paths))])

    def _open_shards(self, headers: list[dict]) -> None:
        with self._whole():
            for path, header in zip(self._paths, headers):
                self._shards.append(ShardWriter(path, header, self._fresh))

    def _check_schema(self) -> None:
        if self._layout is None:
            raise MRMSetHeaderError(
                "Invalid data, schema is not found in header, please use 'add_schema' to add a "
                "schema for new mindrecord files."
            )

    def _header(self, shard: int) -> dict:
        fields = {
            "blob_fields": self._layout.blob,
            "desc": self._desc,
            "schema": self._layout.fields,
        }
        return {
            "header_size": self._sizes[0],
            "index_fields": [{"index_field": n, "schema_id": 0} for n in self._indexed] or None,
            "page": [],
            "page_size": self._sizes[1],
            "compression_size": 0,
            "schema": [fields],
            "shard_addresses": [os.path.basename(p) for p in self._paths],
            "shard_id": shard,
            "statistics": None,
            "version": VERSION,
        }

    def commit(self) -> None:
        """Write headers and indices, and close the files.

        Raises:
            RuntimeError: nothing can be written, or it was called before.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import FileWriter
            >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
            >>> writer = FileWriter(path)
            >>> writer.add_schema({"x": {"type": "int32"}})
            >>> writer.commit()
            >>> os.path.exists(path + ".db")
            True
        """
        if self._committed:
            raise MRMCommitError("it was committed already.")
        self._open()
        saved = sum(shard.saved for shard in self._shards)
        with self._whole():
            for shard in self._shards:
                shard.commit(saved)
        for shard in self._shards:
            shard.close()
        self._committed = True

    def discard(self) -> None:
        """Close the files without what was written since they were opened: new ones are removed. Without
        effect after `commit`.

        Raises:
            RuntimeError: a file that was appended to cannot be written.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import FileWriter
            >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
            >>> writer = FileWriter(path)
            >>> writer.add_schema({"x": {"type": "int32"}})
            >>> writer.write_raw_data([{"x": 1}])
            >>> writer.discard()
            >>> os.path.exists(path)
            False
        """
        if self._committed:
            return
        self._failed, errors = True, []
        for shard in self._shards:
            try:
                shard.discard()
            except MRMWriteDatasetError as e:
                errors.append(e)
        if errors:
            raise errors[0]


__all__ = ["FileWriter", "MSRStatus", "MindRecordException"]
