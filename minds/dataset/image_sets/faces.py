"""Faces: CelebA, LFW, WIDER FACE."""

from __future__ import annotations

import os

import numpy as np

from ...base.errors import complain
from ..collection import DECODED, Collection, image, text_file
from ..pipeline import DatasetError


class CelebADataset(Collection):
    """Images (uint8) and 40 attributes (uint32, 0 or 1) of CelebA: ``list_attr_celeba.txt``, and
    ``list_eval_partition.txt`` for a part.

    Source: Liu et al., Deep Learning Face Attributes in the Wild, 2015.
    """

    parameters = (
        "dataset_dir, num_parallel_workers=None, shuffle=None, usage='all', sampler=None, "
        "decode=False, extensions=None, num_samples=None, num_shards=None, shard_id=None, "
        "cache=None, decrypt=None"
    )
    usages = ("all", "train", "valid", "test")
    columns = ("image", "attr")
    label_column = "attr"

    def _checked(self, name, value):
        if name == "usage" and value is None:
            return "all"
        if name == "usage" and value not in self.usages:
            raise complain(ValueError, "usage should be 'all', 'train', 'valid' or 'test'.")
        return super()._checked(name, value)

    def _entries(self, a):
        path = os.path.join(a.dataset_dir, "list_attr_celeba.txt")
        with text_file(path) as f:
            lines = [line.split() for line in f if line.strip()]
        if len(lines) < 2 or len(lines[0]) != 1 or int(lines[0][0]) != len(lines) - 2:
            raise DatasetError(f"CelebADataset: {path} does not begin with its number of rows")
        wanted = self._part(a, {line[0] for line in lines[2:]})
        return [
            (os.path.join(a.dataset_dir, name), np.array([v == "1" for v in values], np.uint32))
            for name, *values in lines[2:]
            if name in wanted and (a.extensions is None or name.lower().endswith(a.extensions))
        ]

    @staticmethod
    def _part(a, names: set) -> set:
        if a.usage == "all":
            return names
        number = {"train": "0", "valid": "1", "test": "2"}[a.usage]
        path = os.path.join(a.dataset_dir, "list_eval_partition.txt")
        with text_file(path) as f:
            return {n for n, part in (line.split() for line in f if line.strip()) if part == number}

    def _row(self, a, entry):
        return image(entry[0], a.decode, a.decrypt), entry[1]


class LFWDataset(Collection):
    """Faces of LFW: images with the person (uint32), or pairs of images and whether they show one
    person (uint32).

    Source: Huang et al., Labeled Faces in the Wild, 2007.
    """

    parameters = (
        "dataset_dir, task=None, usage=None, image_set=None, num_samples=None, "
        "num_parallel_workers=None, shuffle=None, decode=False, sampler=None, num_shards=None, "
        "shard_id=None, cache=None"
    )
    usages = ("10fold", "train", "test", "all")
    columns = ("image", "label")
    checks = {"task": ("people", "pairs"), "image_set": ("original", "funneled", "deepfunneled")}
    about = {
        "task": "str, optional): people or pairs. Default: people",
        "image_set": "str, optional): original, funneled or deepfunneled. Default: funneled",
    }
    _folders = {"original": "lfw", "funneled": "lfw_funneled", "deepfunneled": "lfw-deepfunneled"}
    _lists = {"10fold": [""], "train": ["DevTrain"], "test": ["DevTest"]}

    def _columns_of(self, a):
        return ("image1", "image2", "label") if a.task == "pairs" else self.columns

    def _entries(self, a):
        task = a.task or "people"
        folder = os.path.join(a.dataset_dir, self._folders[a.image_set or "funneled"])
        lines = []
        for end in self._lists.get(a.usage, ["DevTrain", "DevTest"]):
            with text_file(os.path.join(a.dataset_dir, f"{task}{end}.txt")) as f:
                lines += [line.split() for line in f if line.strip()]
        if task == "pairs":
            return [self._pair(folder, line) for line in lines if len(line) in (3, 4)]
        path = os.path.join(a.dataset_dir, "lfw-names.txt")
        with text_file(path) as f:
            numbers = {line.split()[0]: i for i, line in enumerate(f) if line.strip()}
        return [
            (self._face(folder, name, n), np.uint32(numbers[name]))
            for name, count in (line for line in lines if len(line) == 2 and line[0] in numbers)
            for n in range(1, self._count(name, count) + 1)
        ]

    @staticmethod
    def _count(name: str, count: str) -> int:
        if int(count) > 9999:  # files' names have four digits
            raise ValueError(f"{name} has {count} images")
        return int(count)

    @staticmethod
    def _face(folder: str, name: str, number) -> str:
        return os.path.join(folder, name, f"{name}_{int(number):04}.jpg")

    def _pair(self, folder: str, line: list) -> tuple:
        first, second = (line[0], line[1]), (line[0] if len(line) == 3 else line[2], line[-1])
        paths = self._face(folder, *first), self._face(folder, *second)
        return (*paths, np.uint32(len(line) == 3))

    def _row(self, a, entry):
        *paths, label = entry
        return *(image(p, a.decode) for p in paths), label


class WIDERFaceDataset(Collection):
    """Images (uint8) of WIDER FACE, and of each face its box and six properties (int32), in
    the order of the file. Its last three are invalid, occlusion and pose by the file's own description;
    their columns have the names that MindSpore gives them.

    Source: Yang et al., WIDER FACE: A Face Detection Benchmark, 2016.
    """

    parameters, usages = f"dataset_dir, usage=None, {DECODED}", ("train", "test", "valid", "all")
    columns = (
        "image",
        "bbox",
        "blur",
        "expression",
        "illumination",
        "occlusion",
        "pose",
        "invalid",
    )

    def _columns_of(self, a):
        return self.columns[:1] if a.usage == "test" else self.columns

    def _entries(self, a):
        split = os.path.join(a.dataset_dir, "wider_face_split")
        if a.usage == "test":
            folder = os.path.join(a.dataset_dir, "WIDER_test", "images")
            path = os.path.join(split, "wider_face_test_filelist.txt")
            with text_file(path) as f:
                return [(os.path.join(folder, line.strip()), None) for line in f if line.strip()]
        made = []
        for part in {"train": ["train"], "valid": ["val"]}.get(a.usage, ["train", "val"]):
            folder = os.path.join(a.dataset_dir, f"WIDER_{part}", "images")
            path = os.path.join(split, f"wider_face_{part}_bbx_gt.txt")
            with text_file(path) as f:
                lines = [line.strip() for line in f if line.strip()]
                at = 0
                while at < len(lines):
                    count = max(int(lines[at + 1]), 1)  # an image without a face has a row of zeros
                    faces = lines[at + 2 : at + 2 + count]
                    rows = [[int(v) for v in line.split()] for line in faces]
                    table = np.array(rows, np.int32).reshape(count, 10)
                    made.append((os.path.join(folder, lines[at]), table))
                    at += 2 + count
        return made

    def _row(self, a, entry):
        path, table = entry
        if table is None:
            return (image(path, a.decode),)
        return image(path, a.decode), table[:, :4], *table[:, 4:].T


__all__ = ["CelebADataset", "LFWDataset", "WIDERFaceDataset"]
