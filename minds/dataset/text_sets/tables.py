"""Text in tables: CSV, and collections in files of CSV or TSV."""

from __future__ import annotations

import csv
import os

import numpy as np

from ...base.errors import complain
from .. import source_arguments as arguments
from ..collection import OF_FILES, Files
from ..pipeline import DatasetError
from ..record_sets.tfrecord import patterns
from .lines import LAST

_LONGEST = 1 << 24
_KINDS = {int: np.int32, float: np.float32, str: None}


def rows_of(path: str, delimiter: str = ","):
    """(line, values) of each row of a table that is not empty."""
    csv.field_size_limit(_LONGEST)
    with open(path, encoding="utf-8", newline="") as f:
        reader = csv.reader(f, delimiter=delimiter)
        try:
            for values in reader:
                if values:
                    yield reader.line_num, values
        except csv.Error as e:
            raise DatasetError(
                f"failed to parse csv file: {path} at line {reader.line_num}: {e}"
            ) from e


def _delimiter(name: str, value) -> str:
    arguments.of_type(name, value, str)
    if len(value) != 1 or value in '"\r\n':
        raise complain(ValueError, f"{name} is invalid.")
    return value


def _defaults(name: str, value):
    if value is None:
        return None
    if not isinstance(value, list):
        raise complain(TypeError, f"{name} should be type of list.")
    for v in value:
        if type(v) not in _KINDS:
            raise complain(TypeError, f"column type in {name} is invalid.")
    return value


def _names(name: str, value):
    if value is None or value == []:
        return None
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise complain(TypeError, f"{name} should be a list of str.")
    if len(set(value)) != len(value):
        raise DatasetError(f"'{name}' : Invalid parameter, duplicate column names are not allowed.")
    return value


class CSVDataset(Files):
    """Rows of CSV files. The first line has the columns' names unless ``column_names`` is given; values
    are str, or of the type of a column's default: int32 or float32.
    """

    parameters = (
        f"dataset_files, field_delim=',', column_defaults=None, column_names=None, {OF_FILES}"
    )
    columns: tuple = ()
    checks = {
        "dataset_files": patterns,
        "field_delim": _delimiter,
        "column_defaults": _defaults,
        "column_names": _names,
    }
    about = {
        "field_delim": "str): what separates values. Default: ','",
        "column_defaults": "list, optional): an int, float or str per column, for its type and for "
        "what is empty. Default: all columns are str",
        "column_names": "list[str], optional): the columns. Default: the first line of the file",
    }

    def _files(self, a):
        return a.dataset_files

    def _columns_of(self, a):
        if a.column_names is not None:
            return tuple(a.column_names)
        _, names = next(rows_of(a.dataset_files[0], a.field_delim), (0, ()))
        if not names:
            raise DatasetError(
                "CSVDataset: Invalid data, CSVDataset API can't read the data file (interface mismatch "
                f"or no data found). Check csv file path: {a.dataset_files[0]}"
            )
        return tuple(_names("column_names", list(names)))

    def _read(self, a, path):
        columns = self._columns_of(a)
        defaults = list(a.column_defaults or ())
        if len(defaults) > len(columns):
            raise DatasetError(
                f"CSVDataset: {path}: there are {len(defaults)} column_defaults for {len(columns)} columns"
            )
        defaults += [""] * (len(columns) - len(defaults))
        kinds = [_KINDS[type(d)] for d in defaults]
        rows = rows_of(path, a.field_delim)
        if a.column_names is None:
            next(rows, None)
        for number, values in rows:
            try:
                row = [
                    np.asarray(v if k is None else k(v or d))
                    for v, k, d in zip(values, kinds, defaults)
                ]
            except (ValueError, OverflowError) as e:
                raise DatasetError(
                    f"Invalid csv, csv file: {path} parse failed at line {number}, type does not "
                    f"match: {e}"
                ) from e
            if len(values) != len(columns):
                raise DatasetError(
                    f"Invalid file, failed to parse csv file: {path} at line {number}. Error message: "
                    f"Invalid columns, there are {len(values)} values for {len(columns)} columns"
                )
            yield tuple(row)

    def _count(self, a, path):
        return sum(1 for _ in rows_of(path, a.field_delim)) - (a.column_names is None)


class _Tables(Files):
    """``train.csv`` and ``test.csv`` without a first line of names."""

    usages = ("train", "test", "all")
    _order = ("test", "train")

    def _files(self, a):
        parts = self._order if a.usage in (None, "all") else (a.usage,)
        return [os.path.join(a.dataset_dir, f"{p}.csv") for p in parts]

    def _read(self, a, path):
        for number, values in rows_of(path):
            if len(values) != len(self.columns):
                raise DatasetError(
                    f"{type(self).__name__}: failed to parse csv file: {path} at line {number}: "
                    f"{len(values)} values for {len(self.columns)} columns"
                )
            yield tuple([np.array(v) for v in values])


class AGNewsDataset(_Tables):
    """Index, title and description (str) of AG News.

    Source: Zhang, Zhao, LeCun, Character-level Convolutional Networks for Text Classification, 2015.
    """

    parameters, columns = f"dataset_dir, usage=None, {OF_FILES}", ("index", "title", "description")


class AmazonReviewDataset(_Tables):
    """Label, title and content (str) of Amazon's reviews.

    Source: Zhang, Zhao, LeCun, Character-level Convolutional Networks for Text Classification, 2015.
    """

    parameters, columns = f"dataset_dir, usage=None, {OF_FILES}", ("label", "title", "content")


class DBpediaDataset(_Tables):
    """Class, title and content (str) of DBpedia's ontology classes.

    Source: Zhang, Zhao, LeCun, Character-level Convolutional Networks for Text Classification, 2015.
    """

    parameters, columns = f"dataset_dir, usage=None, {OF_FILES}", ("class", "title", "content")


class SogouNewsDataset(_Tables):
    """Index, title and content (str) of Sogou News.

    Source: Zhang, Zhao, LeCun, Character-level Convolutional Networks for Text Classification, 2015.
    """

    parameters, columns = f"dataset_dir, usage=None, {LAST}", ("index", "title", "content")
    _order = ("train", "test")


class YahooAnswersDataset(_Tables):
    """Class, title, content and answer (str) of Yahoo Answers.

    Source: Zhang, Zhao, LeCun, Character-level Convolutional Networks for Text Classification, 2015.
    """

    parameters = f"dataset_dir, usage=None, {OF_FILES}"
    columns = ("class", "title", "content", "answer")


class YelpReviewDataset(_Tables):
    """Label and text (str) of Yelp's reviews.

    Source: Zhang, Zhao, LeCun, Character-level Convolutional Networks for Text Classification, 2015.
    """

    parameters, columns = f"dataset_dir, usage=None, {LAST}", ("label", "text")
    _order = ("train", "test")


class SST2Dataset(Files):
    """Sentences of SST-2 and their labels (str): files of tab-separated values; the test part has no
    labels.

    Source: Socher et al., Recursive Deep Models for Semantic Compositionality, 2013.
    """

    parameters, usages = f"dataset_dir, usage=None, {OF_FILES}", ("train", "test", "dev")
    columns = ("sentence", "label")

    def _columns_of(self, a):
        return self.columns[:1] if a.usage == "test" else self.columns

    def _files(self, a):
        return [os.path.join(a.dataset_dir, f"{a.usage or 'train'}.tsv")]

    def _read(self, a, path):
        with open(path, encoding="utf-8", newline="\n") as f:
            next(f, None)
            for number, line in enumerate(f, 2):
                values = line.rstrip("\r\n").split("\t")
                if values == [""]:
                    continue
                if len(values) != 2:
                    raise DatasetError(
                        f"SST2Dataset: {path}: line {number} has {len(values)} columns"
                    )
                # The test part has an index and a sentence.
                yield tuple(map(np.array, values[1:] if a.usage == "test" else values))


class USPSDataset(Files):
    """Images (uint8, 16×16×1) and labels (uint32) of USPS: the lines of ``usps`` and ``usps.t``.

    Source: Hull, A database for handwritten text recognition research, 1994.
    """

    parameters, usages = f"dataset_dir, usage=None, {OF_FILES}", ("train", "test", "all")
    columns = ("image", "label")

    def _files(self, a):
        names = {"train": ["usps"], "test": ["usps.t"]}.get(a.usage, ["usps", "usps.t"])
        return [os.path.join(a.dataset_dir, n) for n in names]

    def _read(self, a, path):
        with open(path, encoding="ascii") as f:
            for number, line in enumerate(f, 1):
                label, *cells = line.split() or [None]
                if label is None:
                    continue
                if len(cells) != 256:
                    raise DatasetError(
                        f"USPSDataset: {path}: line {number} has {len(cells)} pixels"
                    )
                values = np.array([float(c.partition(":")[2]) for c in cells])
                pixels = ((values + 1) / 2 * 255).astype(np.uint8).reshape(16, 16, 1)
                yield pixels, np.uint32(int(label) - 1)
