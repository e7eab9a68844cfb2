"""MindRecord files from CSV, TFRecord, MNIST and folders of images."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import os

import numpy as np

from ..base.errors import BackendError
from ..records import tfrecord
from .errors import PathNotExistsError
from .names import check_name
from .writer import FileWriter, MSRStatus

_BATCH = 256


class Converter:
    """What converters share: rows are written in batches, and what fails is raised.

    Args:
        destination (str): the MindRecord file.
        partition_number (int): how many files share the rows.
    """

    def __init__(self, destination: str, partition_number: int = 1):
        check_name(destination)
        if not isinstance(partition_number, int) or isinstance(partition_number, bool):
            raise ValueError("The parameter partition_number must be int")
        self.destination, self.partition_number = destination, partition_number

    def _write(self, name: str, schema: dict, rows, about: str, index=None) -> None:
        writer = FileWriter(name, self.partition_number)
        writer.add_schema(schema, about)
        if index:
            writer.add_index(index)
        try:
            rows = iter(rows)
            while batch := list(itertools.islice(rows, _BATCH)):
                writer.write_raw_data(batch)
            writer.commit()
        except BaseException:
            writer.discard()
            raise

    def run(self) -> MSRStatus:
        """Write the files.

        Returns:
            MSRStatus: ``SUCCESS``.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import CsvToMR
            >>> source = os.path.join(tempfile.mkdtemp(), "a.csv")
            >>> with open(source, "w") as f:
            ...     _ = f.write("x\\n1\\n")
            >>> CsvToMR(source, source + ".mindrecord").run().name
            'SUCCESS'
        """
        raise NotImplementedError

    def transform(self) -> MSRStatus:
        """Write the files.

        Returns:
            MSRStatus: ``SUCCESS``.

        Raises:
            RuntimeError: a file cannot be read or written.

        Examples:
            >>> import os, tempfile
            >>> from minds.mindrecord import CsvToMR, FileReader
            >>> folder = tempfile.mkdtemp()
            >>> source, made = os.path.join(folder, "a.csv"), os.path.join(folder, "a.mindrecord")
            >>> with open(source, "w") as f:
            ...     _ = f.write("x,y\\n1,a\\n2,b\\n")
            >>> CsvToMR(source, made).transform().name
            'SUCCESS'
            >>> list(FileReader(made).get_next())
            [{'x': 1, 'y': 'a'}, {'x': 2, 'y': 'b'}]
        """
        return self.run()


class CsvToMR(Converter):
    """A CSV file whose first line has the columns' names, as MindRecord files. A column is int64,
    float64 or int32 (for true and false) if all of its values are, else text.

    Args:
        source (str): the CSV file.
        destination (str): the MindRecord file.
        columns_list (list[str], optional): the columns to write. Default: all.
        partition_number (int): how many files share the rows. Default: 1.

    Raises:
        ValueError: an argument is wrong.
        RuntimeError: a name of a file is wrong.

    Examples:
        >>> import os, tempfile
        >>> from minds.mindrecord import CsvToMR, FileReader
        >>> folder = tempfile.mkdtemp()
        >>> source, made = os.path.join(folder, "a.csv"), os.path.join(folder, "a.mindrecord")
        >>> with open(source, "w") as f:
        ...     _ = f.write("x,y\\n1,a\\n2,b\\n")
        >>> _ = CsvToMR(source, made, ["x"]).transform()
        >>> list(FileReader(made).get_next())
        [{'x': 1}, {'x': 2}]
    """

    def __init__(
        self,
        source: str,
        destination: str,
        columns_list: list | None = None,
        partition_number: int = 1,
    ):
        check_name(source)
        if columns_list and (
            not isinstance(columns_list, list) or not all(isinstance(c, str) for c in columns_list)
        ):
            raise ValueError("The parameter columns_list must be list of str.")
        super().__init__(destination, partition_number)
        self.source, self.columns_list = source, columns_list
        FileWriter(destination, partition_number)  # which checks its arguments

    def run(self) -> MSRStatus:
        if not os.path.exists(self.source):
            raise OSError(f"Csv file {self.source} do not exist.")
        with open(self.source, encoding="utf-8", newline="") as f:
            names, *rows = [row for row in csv.reader(f) if row] or [[]]
        wanted = self.columns_list or names
        for column in wanted:
            if column not in names:
                raise RuntimeError(
                    f"The parameter columns_list is illegal, column {column} does not exist."
                )
            if column.isdigit():
                raise ValueError(
                    f"The first line content: {column} of the CSV file is used as a column name and "
                    "does not allow starting with a number."
                )
        if not wanted:
            raise RuntimeError("Failed to generate schema from csv file.")
        for number, row in enumerate(rows, 2):
            if len(row) != len(names):
                raise RuntimeError(
                    f"{self.source}: row {number} has {len(row)} values for {len(names)} columns"
                )
        columns = {c: _typed([row[names.index(c)] for row in rows]) for c in wanted}
        schema = {c: {"type": kind} for c, (kind, _) in columns.items()}
        values = zip(*(v for _, v in columns.values()))
        made = (dict(zip(columns, row)) for row in values)
        self._write(self.destination, schema, made, "csv_schema", list(columns))
        return MSRStatus.SUCCESS


_TRUTH = {"true": 1, "True": 1, "TRUE": 1, "false": 0, "False": 0, "FALSE": 0}


def _typed(texts: list[str]) -> tuple[str, list]:
    """The type of a column and its values."""
    if texts and all(t in _TRUTH for t in texts):
        return "int32", [_TRUTH[t] for t in texts]
    try:
        values = [int(t) for t in texts]
        if all(-(2**63) <= v < 2**63 for v in values):
            return "int64", values
    except ValueError:
        pass
    try:
        return "float64", [float(t) if t else float("nan") for t in texts]
    except ValueError:
        return "string", texts


class TFRecordToMR(Converter):
    """A TFRecord file as MindRecord files, without TensorFlow.

    Args:
        source (str): the TFRecord file.
        destination (str): the MindRecord file.
        feature_dict (dict): name → an object with ``shape`` and ``dtype``, as
            `tf.io.FixedLenFeature`; a dtype may be its name.
        bytes_fields (list[str], optional): features of text that are bytes. Default: none.

    Raises:
        ValueError: an argument is wrong.
        RuntimeError: a name of a file is wrong.

    Examples:
        >>> import os, tempfile, types
        >>> from minds.mindrecord import FileReader, TFRecordToMR
        >>> from minds.records import tfrecord
        >>> folder = tempfile.mkdtemp()
        >>> source, made = os.path.join(folder, "a.tf"), os.path.join(folder, "a.mindrecord")
        >>> tfrecord.write(source, [tfrecord.write_example({"x": [5], "y": b"ab"})])
        >>> about = {
        ...     "x": types.SimpleNamespace(shape=[], dtype="int64"),
        ...     "y": types.SimpleNamespace(shape=[], dtype="string"),
        ... }
        >>> _ = TFRecordToMR(source, made, about).transform()
        >>> list(FileReader(made).get_next())
        [{'x': 5, 'y': 'ab'}]
    """

    _types = {
        "string": "string",
        "float16": "float32",
        "float32": "float32",
        "float64": "float64",
        **dict.fromkeys(("int8", "uint8", "int16", "uint16", "int32", "bool"), "int32"),
        **dict.fromkeys(("uint32", "int64", "uint64"), "int64"),
    }

    def __init__(self, source: str, destination: str, feature_dict: dict, bytes_fields=None):
        if not isinstance(source, str):
            raise ValueError("Parameter source must be string.")
        if not isinstance(destination, str):
            raise ValueError("Parameter destination must be string.")
        check_name(source)
        super().__init__(destination)
        if not feature_dict or not isinstance(feature_dict, dict):
            raise ValueError("Parameter feature_dict is None or not dict.")
        if not all(hasattr(v, "shape") and hasattr(v, "dtype") for v in feature_dict.values()):
            raise ValueError(
                f"Parameter feature_dict: {feature_dict} only support FixedLenFeature."
            )
        self.source, self.feature_dict = source, feature_dict
        self.bytes_fields = self._checked(bytes_fields)
        self.schema = {_valid(n): self._field(n, v) for n, v in feature_dict.items()}

    def _checked(self, fields) -> list[str]:
        if fields is not None and not isinstance(fields, list):
            raise ValueError(f"Parameter bytes_fields: {fields} must be list(str).")
        for f in fields or ():
            if not isinstance(f, str):
                raise ValueError(f"Parameter bytes_fields's item: {f} is not str.")
            if f not in self.feature_dict:
                raise ValueError(f"Parameter bytes_fields's item: {f} is not in feature_dict.")
            if self._kind(f) != "string":
                raise ValueError(f"Parameter bytes_field: {f} should be tf.string in feature_dict.")
        return list(fields or ())

    def _kind(self, name: str) -> str:
        dtype = self.feature_dict[name].dtype
        kind = str(getattr(dtype, "name", dtype))
        if kind not in self._types:
            raise ValueError(f"Type {kind} is not supported in MindRecord.")
        return self._types[kind]

    def _field(self, name: str, feature) -> dict:
        if name in self.bytes_fields:
            return {"type": "bytes"}
        shape, kind = list(feature.shape), self._kind(name)
        if not shape:
            return {"type": kind}
        if len(shape) != 1:
            raise ValueError(f"Parameter len(feature_dict[{name}].shape) should be 1.")
        if shape[0] < 1:
            raise ValueError(f"Parameter feature_dict[{name}].shape[0] should > 0")
        if kind == "string":
            raise ValueError(
                f"Parameter feature_dict[{name}].dtype is tf.string which shape[0] is not None. It is "
                "not supported."
            )
        return {"type": kind, "shape": shape}

    def tfrecord_iterator(self):
        """The rows as they are written.

        Yields:
            dict: name → value.

        Raises:
            ValueError: a feature is missing, or has another type or number of elements.

        Examples:
            >>> import os, tempfile, types
            >>> from minds.mindrecord import TFRecordToMR
            >>> from minds.records import tfrecord
            >>> source = os.path.join(tempfile.mkdtemp(), "a.tf")
            >>> tfrecord.write(source, [tfrecord.write_example({"x": [5]})])
            >>> about = {"x": types.SimpleNamespace(shape=[], dtype="int64")}
            >>> list(TFRecordToMR(source, source + ".mindrecord", about).tfrecord_iterator())
            [{'x': 5}]
        """
        for number, record in enumerate(tfrecord.records(self.source)):
            found = tfrecord.example(record, set(self.feature_dict))
            yield {_valid(n): self._value(n, found.get(n), number) for n in self.feature_dict}

    def _value(self, name: str, value, number: int):
        about = self.schema[_valid(name)]
        text, wanted = isinstance(value, list), about.get("shape", [1])[0]
        if value is None or len(value) != wanted:
            raise ValueError(
                f"The response key: {name}, value: {value} from TFRecord (row {number}) should have "
                f"{wanted} elements."
            )
        if text != (about["type"] in ("string", "bytes")):
            raise ValueError(f"feature {name} of row {number} is not of type {about['type']}")
        if text:
            return value[0] if about["type"] == "bytes" else value[0].decode("utf-8")
        if (
            about["type"][0] == "i"
            and value.dtype.kind != "i"
            or (about["type"][0] == "f" and value.dtype.kind != "f")
        ):
            raise ValueError(
                f"feature {name} of row {number} holds {value.dtype}, not {about['type']}"
            )
        value = value.astype(about["type"])
        return value if "shape" in about else value[0].item()

    def run(self) -> MSRStatus:
        self._write(
            self.destination, self.schema, self.tfrecord_iterator(), "TFRecord to MindRecord"
        )
        return MSRStatus.SUCCESS


def _valid(name: str) -> str:
    """A feature's name as that of a field."""
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)


class MnistToMR(Converter):
    """The compressed files of MNIST as ``…_train.mindrecord`` and ``…_test.mindrecord``, of labels
    (int64) and images (JPEG, by Pillow).

    Args:
        source (str): the folder of ``train-images-idx3-ubyte.gz`` and so on.
        destination (str): how the files begin.
        partition_number (int): how many files share the rows. Default: 1.

    Raises:
        ValueError: an argument is wrong.
        RuntimeError: a name of a file is wrong.

    Examples:
        >>> from minds.mindrecord import MnistToMR
        >>> MnistToMR("folder", "digits").partition_number
        1
    """

    def __init__(self, source: str, destination: str, partition_number: int = 1):
        check_name(source)
        super().__init__(destination, partition_number)
        self.source = source

    def _rows(self, part: str):
        arrays = []
        for kind, head in (("images-idx3", 16), ("labels-idx1", 8)):
            path = os.path.join(self.source, f"{part}-{kind}-ubyte.gz")
            try:
                with gzip.open(path, "rb") as f:
                    data = f.read()
            except (OSError, EOFError) as e:
                raise PathNotExistsError(f"{path}: {e}") from e
            count = int.from_bytes(data[4:8], "big")
            body = np.frombuffer(data, np.uint8, offset=head)
            size = 28 * 28 if head == 16 else 1
            if len(body) != count * size:
                raise PathNotExistsError(f"{path} has {len(body)} bytes for {count} rows")
            arrays.append(body.reshape(count, 28, 28) if head == 16 else body)
        if len(arrays[0]) != len(arrays[1]):
            raise PathNotExistsError(f"{len(arrays[0])} images, but {len(arrays[1])} labels")
        for pixels, label in zip(*arrays):
            yield {"label": int(label), "data": jpeg(pixels, "MnistToMR")}

    def run(self) -> MSRStatus:
        schema = {"label": {"type": "int64"}, "data": {"type": "bytes"}}
        for part, name in (("train", "train"), ("t10k", "test")):
            path = f"{self.destination}_{name}.mindrecord"
            self._write(path, schema, self._rows(part), "mnist_schema", ["label"])
        return MSRStatus.SUCCESS


def jpeg(pixels: np.ndarray, who: str) -> bytes:
    """An image (H, W) or (H, W, 3) as JPEG, for the converter ``who``.

    Raises:
        BackendError: Pillow is not installed.
    """
    try:
        from PIL import Image
    except ImportError as e:
        raise BackendError(f"{who} needs Pillow: pip install pillow") from e
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "JPEG", quality=95)
    return out.getvalue()


class ImageNetToMR(Converter):
    """Folders of images as MindRecord files, of labels (int32), images (bytes) and names (str).

    Args:
        map_file (str): lines of a folder and its label, as ``n01440764 0``.
        image_dir (str): the folder of the folders.
        destination (str): the MindRecord file.
        partition_number (int): how many files share the rows. Default: 1.

    Raises:
        ValueError: an argument is wrong.
        RuntimeError: a name of a file is wrong.

    Examples:
        >>> import os, tempfile
        >>> from minds.mindrecord import FileReader, ImageNetToMR
        >>> folder = tempfile.mkdtemp()
        >>> os.mkdir(os.path.join(folder, "n01"))
        >>> with open(os.path.join(folder, "n01", "a.JPEG"), "wb") as f:
        ...     _ = f.write(b"pixels")
        >>> with open(os.path.join(folder, "map"), "w") as f:
        ...     _ = f.write("n01 7")
        >>> made = os.path.join(folder, "a.mindrecord")
        >>> _ = ImageNetToMR(os.path.join(folder, "map"), folder, made).transform()
        >>> list(FileReader(made).get_next())
        [{'file_name': 'a.JPEG', 'label': 7, 'data': b'pixels'}]
    """

    def __init__(self, map_file: str, image_dir: str, destination: str, partition_number: int = 1):
        check_name(map_file)
        check_name(image_dir)
        super().__init__(destination, partition_number)
        self.map_file, self.image_dir = map_file, image_dir

    def _rows(self):
        with open(self.map_file, encoding="utf-8") as f:
            labels = [line.split() for line in f if line.strip()]
        if not os.path.isdir(self.image_dir):
            raise PathNotExistsError(f"not valid image dir in {self.image_dir}")
        for name, label, *_ in labels:
            folder = os.path.join(self.image_dir, name)
            if not os.path.isdir(folder):
                continue
            for file in sorted(os.listdir(folder)):
                with open(os.path.join(folder, file), "rb") as f:
                    yield {"label": int(label), "file_name": file, "data": f.read()}

    def run(self) -> MSRStatus:
        if not os.path.exists(self.map_file):
            raise OSError(f"map file {self.map_file} not exists")
        schema = {
            "label": {"type": "int32"},
            "data": {"type": "bytes"},
            "file_name": {"type": "string"},
        }
        self._write(
            self.destination, schema, self._rows(), "imagenet_schema", ["label", "file_name"]
        )
        return MSRStatus.SUCCESS


__all__ = ["CsvToMR", "ImageNetToMR", "MnistToMR", "TFRecordToMR"]
