"""One file of MindRecord: a header of JSON, then pages of one size. Blob pages hold arrays and byte
strings, raw pages the rest; a row has a part of one of each, and the index says where.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import weakref

from . import index
from .errors import (
    DamagedFile,
    MRMGetMetaError,
    MRMOpenError,
    MRMWriteDatasetError,
)
from .schema import BlobLayout

HEADER_SIZES, PAGE_SIZES = (16384, 134217728), (32768, 268435456)
DEFAULT_HEADER, DEFAULT_PAGE = 1 << 24, 1 << 25
VERSION = "3.0"


def read_header(path: str) -> dict:
    """The header of a file.

    Raises:
        DamagedFile: there is no such file, or it has no such header.
    """
    if not os.path.isfile(path):
        raise DamagedFile(
            f"The input: {path} is not exists. Invalid file, mindrecord file: {path} can not be "
            "found. Please check whether the mindrecord file exists and do not rename the "
            "mindrecord file."
        )
    with open(path, "rb") as f:
        size = f.read(8)
        length = int.from_bytes(size, "little")
        if len(size) < 8 or length > HEADER_SIZES[1]:
            raise DamagedFile(
                f"Invalid file, the size of mindrecord file header is larger than the upper limit. "
                f"{path} claims {length} bytes"
            )
        text = f.read(length)
    try:
        header = json.loads(text.decode("utf-8"))
        _check_header(header)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as e:
        raise DamagedFile(f"Invalid file, {path}: its header is damaged ({e})") from None
    return header


def _check_header(header: dict) -> None:
    for name, (low, high) in (("header_size", HEADER_SIZES), ("page_size", PAGE_SIZES)):
        if not low <= int(header[name]) <= high:
            raise ValueError(f"{name} is {header[name]}")
    schema = header["schema"][0]
    layout = BlobLayout(schema["schema"])
    if sorted(schema["blob_fields"]) != layout.blob:
        raise ValueError("blob_fields do not fit the schema")
    if not all(isinstance(a, str) for a in header["shard_addresses"]):
        raise ValueError("shard_addresses are no texts")
    for page in header["page"]:
        (int(page["page_id"]), int(page["page_size"]), page["page_type"])
    if not isinstance(header["index_fields"], (list, type(None))):
        raise ValueError("index_fields is no list")


def index_fields(header: dict) -> list[str]:
    """The indexed fields of a header."""
    return [f["index_field"] for f in header["index_fields"] or ()]


class ShardWriter:
    """A file while rows are appended to it.

    Args:
        path (str): the file.
        header (dict): its header; the pages in it are kept.
        fresh (bool): whether the file begins empty.
    """

    def __init__(self, path: str, header: dict, fresh: bool):
        self.path, self.header = path, header
        schema = header["schema"][0]["schema"]
        self.layout, self._indexed = BlobLayout(schema), index_fields(header)
        pages = header["page"]
        self.rows = max((p["end_row_id"] for p in pages), default=0)
        self._last = {p["page_type"]: p for p in pages}
        self._fresh, self._first, self._committed = fresh, self.rows, False
        self.saved, self._index = 0, None
        try:
            flags = os.O_RDWR | (os.O_CREAT | os.O_TRUNC if fresh else 0)
            self._file = os.open(path, flags, 0o644)
        except OSError as e:
            raise MRMOpenError(f"{path}: {e}") from e
        self._close = weakref.finalize(self, os.close, self._file)
        try:
            length = 8 + int.from_bytes(os.pread(self._file, 8, 0), "little")
            self._old = b"" if fresh else os.pread(self._file, length, 0)
            self._index = index.IndexWriter(f"{path}.db", self._indexed, schema, fresh)
        except (OSError, MRMWriteDatasetError) as e:
            self.discard()
            raise MRMOpenError(f"{path}: {e}") from e

    def pack(self, rows: list[dict]) -> list[tuple]:
        """Rows that fit the schema as `append` takes them.

        Raises:
            MRMWriteDatasetError: a row is larger than a page.
        """
        packed = [(*self.layout.pack(row), row) for row in rows]
        limit = self.header["page_size"]
        for raw, blob, _, _ in packed:
            for kind, part in (("blob", blob), ("raw_", raw)):
                if len(part) + 8 > limit:
                    raise MRMWriteDatasetError(
                        f"Invalid data, Page size: {limit} is too small to save a {kind} row. "
                        "Please try to use the mindrecord api 'set_page_size(value)' to enable "
                        f"larger page size, and the value range is in [{PAGE_SIZES[0]} bytes, "
                        f"{PAGE_SIZES[1]} bytes]."
                    )
        return packed

    def append(self, rows: list[tuple]) -> None:
        """Write rows that `pack` made.

        Raises:
            MRMWriteDatasetError: the disk is full, or the index refuses a value.
        """
        packed, used = [], {}
        for raw, blob, saved, row in rows:
            self.saved += saved
            page = self._room("BLOB_DATA", len(blob) + 8, used)
            packed.append((raw, blob, page, self._take(page, len(blob) + 8), row))
            self.rows += 1
            page["end_row_id"] = self.rows
        entries = []
        first = self.rows - len(rows)
        chunks: dict[tuple, list] = {}
        for number, (raw, blob, page, at, row) in enumerate(packed, first):
            raw_page = self._room("RAW_DATA", len(raw) + 8, used)
            raw_at = self._take(raw_page, len(raw) + 8)
            group = page["page_type_id"]
            if all(g["id"] != group for g in raw_page["row_group_ids"]):
                raw_page["row_group_ids"].append({"id": group, "offset": raw_at})
            for p, part in ((raw_page, raw), (page, blob)):
                chunk = chunks.setdefault((p["page_id"], used[p["page_id"]]), [])
                chunk += (struct.pack("<Q", len(part)), part)
            values = [
                row[n] if not hasattr(row[n], "item") else row[n].item() for n in self._indexed
            ]
            places = (raw_page["page_id"], raw_at, raw_at + 8 + len(raw), group)
            entries.append((number, *places, page["page_id"], at, at + 8 + len(blob), values))
        self._write(chunks)
        self._index.add(entries)

    def _room(self, kind: str, size: int, used: dict) -> dict:
        """The page that the next row's part of ``size`` bytes goes to; ``used``: page → where this call
        began to write.
        """
        page = self._last.get(kind)
        if page is None or page["page_size"] + size > self.header["page_size"]:
            page = self._new(kind, -1 if page is None else page["page_type_id"])
        used.setdefault(page["page_id"], page["page_size"])
        return page

    def _new(self, kind: str, last: int) -> dict:
        pages, blob = self.header["page"], kind == "BLOB_DATA"
        page = {
            "end_row_id": 0,
            "page_id": len(pages),
            "page_size": 0,
            "page_type": kind,
            "page_type_id": last + 1,
            "row_group_ids": [{"id": 0, "offset": 0}] if blob else [],
            "shard_id": self.header["shard_id"],
            "start_row_id": self.rows if blob else 0,
        }
        pages.append(page)
        self._last[kind] = page
        return page

    @staticmethod
    def _take(page: dict, size: int) -> int:
        at = page["page_size"]
        page["page_size"] += size
        return at

    def _write(self, chunks: dict) -> None:
        try:
            for (page, at), parts in chunks.items():
                begin = self.header["header_size"] + page * self.header["page_size"] + at
                self._write_at(begin, b"".join(parts))
        except OSError as e:
            raise MRMWriteDatasetError(f"{self.path}: {e}") from e

    def _write_at(self, begin: int, data: bytes) -> None:
        while data:
            n = os.pwrite(self._file, data, begin)
            data, begin = data[n:], begin + n

    def commit(self, saved: int) -> None:
        """Write the header and the index; ``saved``: the bytes that compression saved in all shards since
        they were opened.

        Raises:
            MRMWriteDatasetError: the header has no room, or the disk is full.
        """
        self.header["compression_size"] += saved
        text = json.dumps(self.header, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
        if len(text) + 8 > self.header["header_size"]:
            raise MRMWriteDatasetError(
                f"{self.path}: the header has {len(text)} bytes, more than set_header_size gave"
            )
        try:
            self._write_at(0, struct.pack("<Q", len(text)) + text)
            if os.fstat(self._file).st_size < self.header["header_size"]:
                os.truncate(self._file, self.header["header_size"])
        except OSError as e:
            raise MRMWriteDatasetError(f"{self.path}: {e}") from e
        self._index.commit()
        self._committed = True

    def close(self) -> None:
        """Close the file and its index, after `commit`.

        Raises:
            MRMWriteDatasetError: the system says only now that the disk is full.
        """
        try:
            self._close()
        except OSError as e:
            raise MRMWriteDatasetError(f"{self.path}: {e}") from e
        self._index.close()

    def discard(self) -> None:
        """Close the file and its index as they were before they were opened: files that were new are
        removed, of others the appended rows are not in the index, nor their pages in the header.
        """
        if not self._close.alive:
            return
        try:
            if not self._fresh:
                self._write_at(0, self._old)
                if self._committed:
                    self._index.forget(self._first)
        except OSError as e:
            raise MRMWriteDatasetError(f"{self.path}: {e}") from e
        finally:
            self._close()
            if self._index is not None:
                self._index.close()
            if self._fresh:
                for path in (self.path, f"{self.path}.db", f"{self.path}.db-journal"):
                    with contextlib.suppress(OSError):
                        os.remove(path)


class ShardReader:
    """A file that is read by rows, each of which is held against the file's length.

    Args:
        path (str): the file; its index is beside it.
    """

    def __init__(self, path: str):
        self.path, self.header = path, read_header(path)
        self.layout = BlobLayout(self.header["schema"][0]["schema"])
        self._places = index.places(f"{path}.db")
        try:
            self._file = os.open(path, os.O_RDONLY)
            self.close = weakref.finalize(self, os.close, self._file)
        except OSError as e:
            raise MRMOpenError(f"{path}: {e}") from e
        self._check()

    def __len__(self) -> int:
        return len(self._places)

    def _check(self) -> None:
        size, page = os.path.getsize(self.path), self.header["page_size"]
        for first in (0, 3):
            pages, begins, ends = self._places[:, first : first + 3].T
            if len(pages) and (
                min(pages.min(), begins.min()) < 0
                or pages.max() > size // page
                or (ends - begins).min() < 8
                or ends.max() > page
                or (self.header["header_size"] + pages * page + ends).max() > size
            ):
                raise DamagedFile(
                    f"Invalid file, {self.path}: a row lies beyond the end of the file, which has "
                    f"{size} bytes"
                )

    def row(self, number: int, names) -> dict:
        """The fields ``names`` of a row.

        Raises:
            DamagedFile: the row is damaged.
        """
        raw_page, raw_at, raw_end, page, at, end = self._places[number].tolist()
        try:
            raw = self._part(raw_page, raw_at, raw_end)
            blob = self._part(page, at, end) if self.layout.needs_blob(names) else b""
            return self.layout.unpack(raw, memoryview(blob), names)
        except DamagedFile as e:
            raise DamagedFile(f"Invalid file, {self.path}: row {number}: {e.error_msg}") from None

    def _part(self, page: int, begin: int, end: int) -> bytes:
        start = self.header["header_size"] + page * self.header["page_size"] + begin
        data = os.pread(self._file, end - begin, start)
        if len(data) != end - begin or int.from_bytes(data[:8], "little") != len(data) - 8:
            raise DamagedFile("its length is not what the index says")
        return data[8:]

    def values(self, field: str) -> list:
        """The values of an indexed field, in the order of the rows."""
        return index.values(f"{self.path}.db", field)


def open_shards(file_name) -> list[ShardReader]:
    """The shards that a name stands for: a file and those that were written with it, or just the
    files of a list.

    Raises:
        DamagedFile: one is missing or damaged, or they have different schemas.
    """
    if isinstance(file_name, str):
        folder = os.path.dirname(file_name)
        paths = [os.path.join(folder, a) for a in read_header(file_name)["shard_addresses"]]
        if os.path.basename(file_name) not in map(os.path.basename, paths):
            raise DamagedFile(
                f"Invalid file, mindrecord file: {paths[0] if paths else '?'} can not be found. "
                "Please check whether the mindrecord file exists and do not rename the mindrecord "
                "file."
            )
    else:
        paths = list(file_name)
    shards = [ShardReader(p) for p in paths]
    for s in shards[1:]:
        if s.layout.fields != shards[0].layout.fields:
            raise DamagedFile(
                f"Invalid file, the schemas of {shards[0].path} and {s.path} are different"
            )
        if s.header["page_size"] != shards[0].header["page_size"]:
            raise DamagedFile(
                f"Invalid file, the page sizes of {shards[0].path} and {s.path} are different: they were "
                "not written together"
            )
    if not shards:
        raise MRMGetMetaError("there is no file")
    return shards
