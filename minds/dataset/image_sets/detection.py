"""Images with boxes and what is in them: KITTI, COCO, VOC, and lists of a manifest."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as xml

import numpy as np

from ...base.errors import complain
from .. import source_arguments as arguments
from ..collection import DECODED, Collection, image, text_file
from ..pipeline import DatasetError
from .folders import ENDINGS, listed

_FILENAME = "_meta-filename"


class KITTIDataset(Collection):
    """Images (uint8) of KITTI and what is known of each object in them.

    Source: Geiger, Lenz, Urtasun, Are we ready for Autonomous Driving?, 2012.
    """

    parameters, usages = f"dataset_dir, usage=None, {DECODED}", ("train", "test")
    columns = (
        "image",
        "label",
        "truncated",
        "occluded",
        "alpha",
        "bbox",
        "dimensions",
        "location",
        "rotation_y",
    )
    label_column = ""
    # Where a line of a label file has a column, and its dtype.
    _places = (
        (1, 2, "f4"),
        (2, 3, "u4"),
        (3, 4, "f4"),
        (4, 8, "f4"),
        (8, 11, "f4"),
        (11, 14, "f4"),
    )
    _places += ((14, 15, "f4"),)

    def _columns_of(self, a):
        return self.columns[:1] if a.usage == "test" else self.columns

    def _entries(self, a):
        part = "testing" if a.usage == "test" else "training"
        folder = os.path.join(a.dataset_dir, "data_object_image_2", part, "image_2")
        made = []
        for path in listed(folder, ENDINGS):
            stem = os.path.splitext(os.path.basename(path))[0]
            made.append(
                (
                    path,
                    os.path.join(
                        a.dataset_dir, "data_object_label_2", part, "label_2", f"{stem}.txt"
                    ),
                )
            )
        if a.usage != "test":
            read = [(path, self._lines(labels)) for path, labels in made]
            names = sorted({line[0] for _, lines in read for line in lines})
            numbers = {n: i for i, n in enumerate(names)}
            made = [(path, self._objects(lines, numbers)) for path, lines in read]
        return made

    @staticmethod
    def _lines(path: str) -> list:
        with text_file(path) as f:
            lines = [line.split() for line in f if line.strip()]
        if not lines or any(len(line) < 15 for line in lines):
            raise DatasetError(f"KITTIDataset: {path}: a line has less than 15 values")
        return lines

    def _objects(self, lines: list, numbers: dict) -> tuple:
        columns = [np.array([numbers[line[0]] for line in lines], np.uint32)[:, None]]
        for begin, end, kind in self._places:
            values = np.array([[float(v) for v in line[begin:end]] for line in lines])
            columns.append(values.astype(kind))
        return tuple(columns)

    def _row(self, a, entry):
        pixels = image(entry[0], a.decode)
        return (pixels,) if a.usage == "test" else (pixels, *entry[1])


class VOCDataset(Collection):
    """Images (uint8) of PASCAL VOC with a segmentation (uint8), or with boxes (float32) and labels,
    difficult and truncated marks (uint32).

    Source: Everingham et al., The PASCAL Visual Object Classes (VOC) Challenge, 2010.
    """

    parameters = (
        "dataset_dir, task='Segmentation', usage='train', class_indexing=None, num_samples=None, "
        "num_parallel_workers=None, shuffle=None, decode=False, sampler=None, num_shards=None, "
        "shard_id=None, cache=None, extra_metadata=False, decrypt=None"
    )
    columns = ("image", "target")
    label_column = ""
    checks = {"task": arguments.word, "usage": arguments.word}
    about = {
        "task": "str): Segmentation or Detection",
        "usage": "str): the list of names in ImageSets, as train, val, trainval",
    }

    def _columns_of(self, a):
        detection = ("image", "bbox", "label", "difficult", "truncate")
        columns = detection if a.task == "Detection" else self.columns
        return (*columns, _FILENAME) if a.extra_metadata else columns

    def _entries(self, a):
        if a.task not in ("Segmentation", "Detection"):
            raise complain(ValueError, f"Invalid task : {a.task}.")
        detection = a.task == "Detection"
        if a.class_indexing is not None and not detection:
            raise complain(ValueError, "class_indexing is only valid in 'Detection' task.")
        path = os.path.join(
            a.dataset_dir, "ImageSets", "Main" if detection else a.task, f"{a.usage}.txt"
        )
        if not os.path.isfile(path):
            raise complain(
                ValueError, f"The file {os.path.abspath(path)} does not exist or permission denied!"
            )
        with text_file(path) as f:
            names = [line.split()[0] for line in f if line.strip()]
        if not detection:
            self._classes = {}
            return [self._path(a, "JPEGImages", n, "jpg") for n in names]
        read = [(n, self._boxes(self._path(a, "Annotations", n, "xml"))) for n in names]
        found = sorted({b[0] for _, boxes in read for b in boxes})
        self._classes = a.class_indexing or {n: i for i, n in enumerate(found)}
        made = []
        for n, boxes in read:
            kept = [b for b in boxes if b[0] in self._classes]
            if kept:
                made.append((self._path(a, "JPEGImages", n, "jpg"), kept))
        return made

    @staticmethod
    def _path(a, folder: str, name: str, ending: str) -> str:
        return os.path.join(a.dataset_dir, folder, f"{name}.{ending}")

    @staticmethod
    def _boxes(path: str) -> list:
        """(class, box, difficult, truncated) of each object of an annotation."""
        try:
            root = xml.parse(path).getroot()
        except (OSError, xml.ParseError) as e:
            raise DatasetError(f"VOCDataset: {path}: {e}") from e
        made = []
        for o in root.findall("object"):
            box = o.find("bndbox")
            if o.find("name") is None or box is None:
                raise DatasetError(f"VOCDataset: {path}: an object has no name or no bndbox")
            edges = [float(box.findtext(n, "nan")) for n in ("xmin", "ymin", "xmax", "ymax")]
            if not all(v >= 0 for v in edges) or edges[2] <= edges[0] or edges[3] <= edges[1]:
                raise DatasetError(f"VOCDataset: {path}: a box is {edges}")
            size = [edges[0], edges[1], edges[2] - edges[0], edges[3] - edges[1]]
            marks = [int(o.findtext(n, "0")) for n in ("difficult", "truncated")]
            made.append((o.findtext("name"), size, *marks))
        return made

    def _row(self, a, entry):
        path, boxes = entry if isinstance(entry, tuple) else (entry, None)
        made = [image(path, a.decode, a.decrypt)]
        if boxes is None:
            stem = os.path.splitext(os.path.basename(path))[0]
            made.append(image(self._path(a, "SegmentationClass", stem, "png"), a.decode, a.decrypt))
        else:
            made += [
                np.array([b[1] for b in boxes], np.float32),
                np.array([[self._classes[b[0]]] for b in boxes], np.uint32),
                np.array([[b[2]] for b in boxes], np.uint32),
                np.array([[b[3]] for b in boxes], np.uint32),
            ]
        return (*made, np.array(_stem(path))) if a.extra_metadata else tuple(made)


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


class CocoDataset(Collection):
    """Images (uint8) of COCO with the annotations of a task.

    Source: Lin et al., Microsoft COCO: Common Objects in Context, 2014.
    """

    parameters = (
        "dataset_dir, annotation_file, task='Detection', num_samples=None, "
        "num_parallel_workers=None, shuffle=None, decode=False, sampler=None, num_shards=None, "
        "shard_id=None, cache=None, extra_metadata=False, decrypt=None"
    )
    columns = ("image", "bbox", "category_id", "iscrowd")
    label_column = ""
    checks = {"task": arguments.word}
    about = {"task": "str): Detection, Stuff, Keypoint, Panoptic or Captioning"}
    _columns = {
        "Detection": ("image", "bbox", "category_id", "iscrowd"),
        "Stuff": ("image", "segmentation", "iscrowd"),
        "Keypoint": ("image", "keypoints", "num_keypoints"),
        "Panoptic": ("image", "bbox", "category_id", "iscrowd", "area"),
        "Captioning": ("image", "captions"),
    }

    def _columns_of(self, a):
        if a.task not in self._columns:
            raise complain(ValueError, f"Invalid task type: {a.task}.")
        columns = self._columns[a.task]
        return (*columns, _FILENAME) if a.extra_metadata else columns

    def _entries(self, a):
        self._columns_of(a)
        try:
            with text_file(a.annotation_file) as f:
                data = json.load(f)
            names = {i["id"]: i["file_name"] for i in data["images"]}
            self._classes = {} if a.task == "Captioning" else self._named(a, data)
            found: dict = {}
            for annotation in data["annotations"]:
                if annotation["image_id"] in names:
                    found.setdefault(annotation["image_id"], []).append(annotation)
            return [
                (
                    os.path.join(a.dataset_dir, names[i]),
                    getattr(self, f"_{a.task.lower()}")(found[i]),
                )
                for i in names
                if i in found
            ]
        except (KeyError, TypeError, AttributeError, ValueError) as e:
            if isinstance(e, DatasetError):
                raise
            raise DatasetError(f"CocoDataset: {a.annotation_file} is damaged: {e!r}") from e

    @staticmethod
    def _named(a, data: dict) -> dict:
        panoptic = a.task == "Panoptic"
        return {
            c["name"]: [c["id"], c["isthing"]] if panoptic else [c["id"]]
            for c in data.get("categories", ())
        }

    @staticmethod
    def _column(values, dtype=np.uint32) -> np.ndarray:
        return np.array(values, dtype).reshape(-1, 1)

    def _detection(self, found: list) -> tuple:
        return (
            np.array([f["bbox"] for f in found], np.float32),
            self._column([f["category_id"] for f in found]),
            self._column([f.get("iscrowd", 0) for f in found]),
        )

    def _stuff(self, found: list) -> tuple:
        outlines, crowds = [], []
        for f in found:
            part = f["segmentation"]
            parts = [part["counts"]] if isinstance(part, dict) else part
            outlines += parts
            crowds.append(f.get("iscrowd", 0))
        longest = max(map(len, outlines), default=0)
        table = np.full((len(outlines), longest), -1, np.float32)
        for row, values in zip(table, outlines):
            row[: len(values)] = values
        return table, self._column(crowds)

    def _keypoint(self, found: list) -> tuple:
        points = np.array([f["keypoints"] for f in found], np.float32)
        return points, self._column([f["num_keypoints"] for f in found])

    def _panoptic(self, found: list) -> tuple:
        parts = [s for f in found for s in f["segments_info"]]
        return (
            np.array([s["bbox"] for s in parts], np.float32),
            self._column([s["category_id"] for s in parts]),
            self._column([s.get("iscrowd", 0) for s in parts]),
            self._column([s["area"] for s in parts]),
        )

    def _captioning(self, found: list) -> tuple:
        return (np.array([[f["caption"]] for f in found]),)

    def _row(self, a, entry):
        path, values = entry
        made = (image(path, a.decode, a.decrypt), *values)
        return (*made, np.array(_stem(path))) if a.extra_metadata else made


class ManifestDataset(Collection):
    """Images (uint8) and labels (int32) that the lines of a manifest (JSON) name."""

    parameters = (
        "dataset_file, usage='train', num_samples=None, num_parallel_workers=None, shuffle=None, "
        "sampler=None, class_indexing=None, decode=False, num_shards=None, shard_id=None, "
        "cache=None"
    )
    columns, usages = ("image", "label"), ("train", "eval", "inference")

    def _entries(self, a):
        made, names = [], set()
        with text_file(a.dataset_file) as f:
            for number, line in enumerate(f, 1):
                if not line.strip():
                    continue
                try:
                    about = json.loads(line)
                    source, usage = about["source"], about.get("usage", "")
                    labels = [n["name"] for n in about.get("annotation", ())]
                except (ValueError, KeyError, TypeError, AttributeError) as e:
                    raise DatasetError(
                        f"ManifestDataset: {a.dataset_file}: line {number} is damaged: {e!r}"
                    ) from e
                if usage.lower() == a.usage:
                    made.append((source, labels))
                    names.update(labels)
        known = a.class_indexing or {n: i for i, n in enumerate(sorted(names))}
        self._classes = known
        return [
            (source, [known[n] for n in labels])
            for source, labels in made
            if all(n in known for n in labels)
        ]

    @staticmethod
    def _place(a):
        return a.dataset_file

    def _row(self, a, entry):
        path, labels = entry
        made = np.array(labels, np.int32)
        return image(path, a.decode), made[0] if len(made) == 1 else made
