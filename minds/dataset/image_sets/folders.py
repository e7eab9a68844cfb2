"""Images whose class is the folder, or the list, that they are in."""

from __future__ import annotations

import os

import numpy as np

from .. import source_arguments as arguments
from ..collection import COMMON, DECODED, Collection, image, text_file
from ..matlab import read_mat
from ..pipeline import DatasetError

ENDINGS = (".jpg", ".jpeg", ".png", ".bmp")


def listed(folder: str, endings=None) -> list[str]:
    """The files below a folder, in order; those with certain ``endings`` only."""
    found = []
    for root, folders, files in os.walk(folder):
        folders.sort()
        found += [
            os.path.join(root, f)
            for f in sorted(files)
            if endings is None or f.lower().endswith(endings)
        ]
    return found


def subfolders(folder: str) -> list[str]:
    """The names of the folders in a folder, in order."""
    return sorted(e.name for e in os.scandir(folder) if e.is_dir())


class Labelled(Collection):
    """Entries are (path, label)."""

    columns = ("image", "label")

    def _row(self, a, entry):
        decrypt = getattr(a, "decrypt", None)
        return image(entry[0], a.decode, decrypt), np.asarray(entry[1])


class ImageFolderDataset(Labelled):
    """Images (uint8) and labels (int32) from a folder that has one folder per class."""

    parameters = (
        "dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, "
        "extensions=None, class_indexing=None, decode=False, num_shards=None, shard_id=None, "
        "cache=None, decrypt=None"
    )

    def _entries(self, a):
        names = subfolders(a.dataset_dir)
        self._classes = a.class_indexing or {n: i for i, n in enumerate(names)}
        return [
            (path, np.int32(self._classes[n]))
            for n in names
            if n in self._classes
            for path in listed(os.path.join(a.dataset_dir, n), a.extensions)
        ]


class Caltech256Dataset(Labelled):
    """Images (uint8) and labels (int32) of Caltech 256: folders such as ``001.ak47``.

    Source: Griffin, Holub, Perona, Caltech-256 Object Category Dataset, 2007.
    """

    parameters = f"dataset_dir, {DECODED}"

    def _entries(self, a):
        return [
            (path, np.int32(i))
            for i, n in enumerate(subfolders(a.dataset_dir))
            for path in listed(os.path.join(a.dataset_dir, n), ENDINGS)
        ]


class Caltech101Dataset(Collection):
    """Images (uint8) of Caltech 101 with their class (int64), the outline of the object, or both.

    Source: Fei-Fei, Fergus, Perona, One-Shot Learning of Object Categories, 2006.
    """

    parameters = (
        "dataset_dir, target_type=None, num_samples=None, num_parallel_workers=1, shuffle=None, "
        "decode=False, sampler=None, num_shards=None, shard_id=None"
    )
    columns = ("image", "category", "annotation")
    checks = {"target_type": ("category", "annotation", "all")}
    about = {"target_type": "str, optional): category, annotation, or all. Default: category"}
    label_column = "category"
    _outlines = {
        "Faces": "Faces_2",
        "Faces_easy": "Faces_3",
        "Motorbikes": "Motorbikes_16",
        "airplanes": "Airplanes_Side_2",
    }

    def _columns_of(self, a):
        if a.target_type in (None, "category"):
            return self.columns[:2]
        return self.columns if a.target_type == "all" else self.columns[::2]

    def _entries(self, a):
        folder = os.path.join(a.dataset_dir, "101_ObjectCategories")
        names = [n for n in subfolders(folder) if n != "BACKGROUND_Google"]
        return [
            (path, i, n)
            for i, n in enumerate(names)
            for path in listed(os.path.join(folder, n), ENDINGS)
        ]

    def _row(self, a, entry):
        path, number, name = entry
        made = {"image": image(path, a.decode), "category": np.int64(number)}
        columns = self._columns_of(a)
        if "annotation" in columns:
            outline = os.path.basename(path).replace("image", "annotation")
            outline = os.path.join(
                a.dataset_dir,
                "Annotations",
                self._outlines.get(name, name),
                os.path.splitext(outline)[0] + ".mat",
            )
            made["annotation"] = read_mat("Caltech101Dataset", outline, ("obj_contour",))[
                "obj_contour"
            ]
        return tuple(made[c] for c in columns)


class OmniglotDataset(Labelled):
    """Images (uint8) and labels (int32) of Omniglot: a folder per alphabet, in it one per character.

    Source: Lake, Salakhutdinov, Tenenbaum, Human-level concept learning, 2015.
    """

    parameters = (
        "dataset_dir, background=None, num_samples=None, num_parallel_workers=None, shuffle=None, "
        "decode=False, sampler=None, num_shards=None, shard_id=None, cache=None"
    )
    checks = {"background": lambda n, v: v if v is None else arguments.of_type(n, v, bool)}
    about = {
        "background": "bool, optional): the background set or the evaluation set. Default: True"
    }

    def _entries(self, a):
        part = "images_evaluation" if a.background is False else "images_background"
        folder = os.path.join(a.dataset_dir, part)
        characters = [
            os.path.join(folder, alphabet, c)
            for alphabet in subfolders(folder)
            for c in subfolders(os.path.join(folder, alphabet))
        ]
        return [
            (path, np.int32(i)) for i, c in enumerate(characters) for path in listed(c, ENDINGS)
        ]


class LSUNDataset(Labelled):
    """Images (uint8) and labels (uint32) of LSUN: folders such as ``bedroom_train``.

    Source: Yu et al., LSUN, 2015.
    """

    parameters = (
        "dataset_dir, usage=None, classes=None, num_samples=None, num_parallel_workers=None, "
        "shuffle=None, decode=False, sampler=None, num_shards=None, shard_id=None, cache=None"
    )
    usages = ("train", "test", "valid", "all")
    about = {"classes": "list[str], optional): the classes. Default: all"}
    checks = {"classes": lambda n, v: _class_names(n, v)}

    def _entries(self, a):
        folders = subfolders(a.dataset_dir)
        if a.usage == "test":
            folder = os.path.join(a.dataset_dir, "test")
            return [(path, np.uint32(0)) for path in listed(folder, ENDINGS)]
        ends = {"train": ["_train"], "valid": ["_val"]}.get(a.usage, ["_train", "_val"])
        names = a.classes or sorted({f.rpartition("_")[0] for f in folders if "_" in f})
        made = []
        for e, end in enumerate(ends):
            for i, name in enumerate(
                names, e * len(names)
            ):  # a number per folder, as MindSpore counts
                if a.classes and name + end not in folders:
                    raise DatasetError(f"LSUNDataset: there is no folder {name + end}")
                folder = os.path.join(a.dataset_dir, name + end)
                made += [(path, np.uint32(i)) for path in listed(folder, ENDINGS)]
        return made


def _class_names(name: str, value):
    if value is None:
        return None
    return [arguments.word(f"{name}[{n}]", n) for n in arguments.of_type(name, value, list)]


class RenderedSST2Dataset(Labelled):
    """Images (uint8) and labels (uint32) of Rendered SST-2: 0 is negative, 1 positive.

    Source: Socher et al., Recursive Deep Models for Semantic Compositionality, 2013.
    """

    parameters, usages = f"dataset_dir, usage=None, {DECODED}", ("train", "val", "test", "all")

    def _entries(self, a):
        parts = {"val": ["valid"]}.get(a.usage, [a.usage])
        if a.usage in (None, "all"):
            parts = [p for p in subfolders(a.dataset_dir) if p in ("train", "valid", "test")]
        return [
            (path, np.uint32(label))
            for part in parts
            for label, name in enumerate(("negative", "positive"))
            for path in listed(os.path.join(a.dataset_dir, part, name), ENDINGS)
        ]


class SUN397Dataset(Labelled):
    """Images (uint8) and labels (uint32) of SUN397; the classes are the lines of ``ClassName.txt``.

    Source: Xiao et al., SUN Database, 2010.
    """

    parameters = f"dataset_dir, {DECODED}"

    def _entries(self, a):
        path = os.path.join(a.dataset_dir, "ClassName.txt")
        with text_file(path) as f:
            names = [line.strip() for line in f if line.strip()]
        return [
            (path, np.uint32(i))
            for i, n in enumerate(names)
            for path in listed(os.path.join(a.dataset_dir, n.lstrip("/")), ENDINGS)
        ]


class Food101Dataset(Collection):
    """Images (uint8) and the names of their classes (str) of Food-101: lists in ``meta``.

    Source: Bossard, Guillaumin, Van Gool, Food-101, 2014.
    """

    parameters, usages = f"dataset_dir, usage=None, {DECODED}", ("train", "test", "all")
    columns = ("image", "label")

    def _entries(self, a):
        made = []
        for part in ("train", "test") if a.usage in (None, "all") else (a.usage,):
            path = os.path.join(a.dataset_dir, "meta", f"{part}.txt")
            with text_file(path) as f:
                names = [line.strip() for line in f if line.strip()]
            made += [
                (os.path.join(a.dataset_dir, "images", f"{n}.jpg"), n.split("/")[0]) for n in names
            ]
        return made

    def _row(self, a, entry):
        return image(entry[0], a.decode), np.array(entry[1])


class Places365Dataset(Labelled):
    """Images (uint8) and labels (uint32) of Places365: lists such as ``places365_train_standard.txt``.

    Source: Zhou et al., Places: A 10 million Image Database for Scene Recognition, 2017.
    """

    parameters = f"dataset_dir, usage=None, small=True, decode=False, {COMMON}"
    usages = ("train-standard", "train-challenge", "val")
    checks = {"small": lambda n, v: arguments.of_type(n, v, bool)}
    about = {"small": "bool): images of 256×256, or those of full size"}

    def _entries(self, a):
        usage, size = a.usage or "train-standard", "256" if a.small else "large"
        folder = f"val_{size}" if usage == "val" else f"data_{size}_{usage.partition('-')[2]}"
        path = os.path.join(a.dataset_dir, f"places365_{usage.replace('-', '_')}.txt")
        made = []
        with text_file(path) as f:
            for line in filter(None, map(str.strip, f)):
                name, label = line.rsplit(" ", 1)
                file = os.path.join(a.dataset_dir, folder, name.lstrip("/"))
                made.append((file, np.uint32(int(label))))
        return made
