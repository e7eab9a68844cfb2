"""The index of a shard: an SQLite database beside it that says where each row is, and holds the
values of the indexed fields.
"""

from __future__ import annotations

import os
import sqlite3
from urllib.parse import quote

import numpy as np

from .errors import DamagedFile, MRMWriteDatasetError

_PLACES = (
    "ROW_ID PAGE_ID_RAW PAGE_OFFSET_RAW PAGE_OFFSET_RAW_END ROW_GROUP_ID PAGE_ID_BLOB "
    "PAGE_OFFSET_BLOB PAGE_OFFSET_BLOB_END"
).split()
_READ = ", ".join(n for n in _PLACES if n not in ("ROW_ID", "ROW_GROUP_ID"))
_TYPES = {
    "string": "TEXT",
    "int32": "INTEGER",
    "int64": "INTEGER",
    "float32": "REAL",
    "float64": "REAL",
}


class IndexWriter:
    """The index of one shard while it is written.

    Args:
        path (str): the database.
        fields (list[str]): the indexed fields.
        schema (dict): name → description.
        fresh (bool): whether the index begins empty.
    """

    def __init__(self, path: str, fields: list[str], schema: dict, fresh: bool):
        self.path, self._fields = path, fields
        try:
            self._db = sqlite3.connect(path)
        except sqlite3.Error as e:
            raise MRMWriteDatasetError(f"{path}: {e}") from e
        self._insert = f"INSERT INTO INDEXES VALUES ({','.join('?' * (8 + 2 * len(fields)))})"
        try:
            if fresh:
                self._make(schema)
        except MRMWriteDatasetError:
            self.close()
            raise

    def _make(self, schema: dict) -> None:
        columns = [f"{n} INT NOT NULL" for n in _PLACES]
        for i, n in enumerate(self._fields):
            columns += [f"INC_{i} INT", f'"{n}_0" {_TYPES[schema[n]["type"]]}']
        keys = ",".join(["ROW_ID", *(f"INC_{i}" for i in range(len(self._fields)))])
        self._run(f"CREATE TABLE INDEXES({','.join(columns)}, PRIMARY KEY({keys}))")
        self._run("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
        name = os.path.basename(self.path.removesuffix(".db"))
        self._run("INSERT INTO SHARD_NAME VALUES (?)", [(name,)])

    def add(self, rows: list[tuple]) -> None:
        """Rows of (place, …, place, values of the indexed fields)."""
        flat = []
        for *places, values in rows:
            for v in values:
                places += (0, v)
            flat.append(places)
        self._run(self._insert, flat)

    def _run(self, command: str, rows=None) -> None:
        try:
            if rows is None:
                self._db.execute(command)
            else:
                self._db.executemany(command, rows)
        except (sqlite3.Error, OverflowError) as e:
            raise MRMWriteDatasetError(f"{self.path}: {e}") from e

    def commit(self) -> None:
        """Let the rows be in the file.

        Raises:
            MRMWriteDatasetError: the disk is full.
        """
        try:
            self._db.commit()
        except sqlite3.Error as e:
            raise MRMWriteDatasetError(f"{self.path}: {e}") from e

    def forget(self, first: int) -> None:
        """Take rows from number ``first`` on out again.

        Raises:
            MRMWriteDatasetError: the file cannot be written.
        """
        self._run(f"DELETE FROM INDEXES WHERE ROW_ID >= {first}")
        self.commit()

    def close(self) -> None:
        """Close the file; rows that were not committed are not in it."""
        self._db.close()


def _query(path: str, command: str, values=()) -> list:
    if not os.path.isfile(path):
        raise DamagedFile(
            f"The input: {path} is not exists. Please check whether the meta file: {path} exists "
            "and do not rename the mindrecord file and meta file."
        )
    db = None
    try:
        db = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True)
        return db.execute(command, values).fetchall()
    except sqlite3.Error as e:
        raise DamagedFile(
            f"Invalid file, {path}: Failed to execute the sql [ {command} ] while verifying meta "
            f"file: {e}"
        ) from None
    finally:
        if db is not None:
            db.close()


def places(path: str) -> np.ndarray:
    """Where each row of a shard is: per row the page, begin and end of its raw and of its blob part.

    Raises:
        DamagedFile: there is no such index, or it belongs to another file.
    """
    named = _query(path, "SELECT NAME from SHARD_NAME;")
    shard = os.path.basename(path.removesuffix(".db"))
    if [n for (n,) in named] != [shard]:
        kept = os.path.join(os.path.dirname(path), str(named[0][0]) if named else "?")
        raise DamagedFile(
            f"Invalid file, mindrecord file: {kept} can not be found. Please check whether the "
            "mindrecord file exists and do not rename the mindrecord file."
        )
    rows = _query(path, f"SELECT {_READ} FROM INDEXES ORDER BY ROW_ID")
    try:
        return np.array(rows, np.int64).reshape(-1, 6)
    except (ValueError, TypeError, OverflowError) as e:
        raise DamagedFile(f"{path}: its places are no numbers ({e})") from None


def values(path: str, field: str) -> list:
    """The values of an indexed field, in the order of the rows.

    Raises:
        DamagedFile: there is no such index or field.
    """
    return [v for (v,) in _query(path, f'SELECT "{field}_0" FROM INDEXES ORDER BY ROW_ID')]
