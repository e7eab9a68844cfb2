"""Images with masks, second images or captions: Cityscapes, DIV2K, Flickr, SBU, SBD, flowers, patches."""

from __future__ import annotations

import json
import os

import numpy as np

from ...base.errors import complain
from .. import source_arguments as arguments
from ..arguments import check_type
from ..collection import COMMON, Collection, file_bytes, image, text_file
from ..matlab import read_mat
from ..pipeline import DatasetError
from ..vision import Decode
from .folders import ENDINGS, listed, subfolders


class CityscapesDataset(Collection):
    """Images (uint8) of Cityscapes and what is in them (uint8), or the polygons (str, JSON).

    Source: Cordts et al., The Cityscapes Dataset for Semantic Urban Scene Understanding, 2016.
    """

    parameters = (
        "dataset_dir, usage='train', quality_mode='fine', task='instance', num_samples=None, "
        "num_parallel_workers=None, shuffle=None, decode=None, sampler=None, num_shards=None, "
        "shard_id=None, cache=None"
    )
    columns = ("image", "task")
    usages = ("train", "test", "val", "train_extra", "all")
    checks = {
        "quality_mode": ("fine", "coarse"),
        "task": ("instance", "semantic", "polygon", "color"),
    }
    about = {
        "quality_mode": "str): fine or coarse",
        "task": "str): instance, semantic, polygon or color",
    }
    label_column = ""
    _ends = {
        "instance": "instanceIds.png",
        "semantic": "labelIds.png",
        "polygon": "polygons.json",
        "color": "color.png",
    }
    _parts = {"fine": ("train", "test", "val"), "coarse": ("train", "train_extra", "val")}

    def _checked(self, name, value):
        if name == "usage":  # what is allowed depends on quality_mode
            check_type(name, value, (str,))
            return value
        return super()._checked(name, value)

    def _node_of(self, a):
        arguments.one_of("usage", a.usage, (*self._parts[a.quality_mode], "all"))
        return super()._node_of(a)

    def _entries(self, a):
        allowed = (*self._parts[a.quality_mode], "all")
        kind = "gtFine" if a.quality_mode == "fine" else "gtCoarse"
        made = []
        for part in allowed[:-1] if a.usage == "all" else (a.usage,):
            images = os.path.join(a.dataset_dir, "leftImg8bit", part)
            masks = os.path.join(a.dataset_dir, kind, part)
            for city in subfolders(images):
                for path in listed(os.path.join(images, city), (".png",)):
                    name = os.path.basename(path).replace("leftImg8bit.png", "")
                    mask = os.path.join(masks, city, f"{name}{kind}_{self._ends[a.task]}")
                    if not os.path.isfile(mask):
                        raise DatasetError(f"CityscapesDataset: there is no file {mask}")
                    made.append((path, mask))
        return made

    def _row(self, a, entry):
        path, mask = entry
        if a.task == "polygon":
            return image(path, a.decode), np.array(_compact(mask))
        return image(path, a.decode), image(mask, a.decode)


def _compact(path: str) -> str:
    """The JSON of a file without blanks."""
    data = json.loads(file_bytes(path).decode("utf-8"))
    return json.dumps(data, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


class DIV2KDataset(Collection):
    """Images of DIV2K and smaller ones of the same scenes (uint8).

    Source: Agustsson, Timofte, NTIRE 2017 Challenge on Single Image Super-Resolution, 2017.
    """

    parameters = (
        "dataset_dir, usage='train', downgrade='bicubic', scale=2, num_samples=None, "
        "num_parallel_workers=None, shuffle=None, decode=None, sampler=None, num_shards=None, "
        "shard_id=None, cache=None"
    )
    usages, columns = ("train", "valid", "all"), ("hr_image", "lr_image")
    checks = {
        "downgrade": ("bicubic", "unknown", "mild", "difficult", "wild"),
        "scale": lambda n, v: arguments.of_type(n, v, int),
    }
    about = {
        "downgrade": "str): bicubic, unknown, mild, difficult or wild",
        "scale": "int): 2, 3, 4 or 8",
    }
    _scales = {"bicubic": (2, 3, 4, 8), "unknown": (2, 3, 4)}

    def _entries(self, a):
        allowed = self._scales.get(a.downgrade, (4,))
        if a.scale not in (2, 3, 4, 8):
            raise complain(ValueError, "Input scale is not within the valid set of [2, 3, 4, 8].")
        if a.scale not in allowed:
            raise complain(
                ValueError,
                f"{a.downgrade} downgrade requires scale in {list(allowed)}: Input scale is not "
                f"within the valid set of {list(allowed)}.",
            )
        return [
            pair
            for part in (("train", "valid") if a.usage == "all" else (a.usage,))
            for pair in self._pairs(a, part)
        ]

    def _pairs(self, a, part: str):
        large = os.path.join(a.dataset_dir, f"DIV2K_{part}_HR")
        if a.downgrade in self._scales and a.scale != 8:
            small = os.path.join(f"DIV2K_{part}_LR_{a.downgrade}", f"X{a.scale}")
            mark = f"x{a.scale}"
        elif a.scale == 8:
            small, mark = f"DIV2K_{part}_LR_x8", "x8"
        else:
            small, mark = f"DIV2K_{part}_LR_{a.downgrade}", f"x4{a.downgrade[0]}"
        small = os.path.join(a.dataset_dir, small)
        for path in listed(large, (".png",)):
            stem = os.path.splitext(os.path.basename(path))[0]
            other = os.path.join(small, f"{stem}{mark}.png")
            if not os.path.isfile(other):
                raise DatasetError(f"DIV2KDataset: there is no file {other}")
            yield path, other

    def _row(self, a, entry):
        return image(entry[0], a.decode), image(entry[1], a.decode)


class FlickrDataset(Collection):
    """Images (uint8) of Flickr8k or Flickr30k with their five captions (str).

    Source: Young et al., From image descriptions to visual denotations, 2014.
    """

    parameters = (
        "dataset_dir, annotation_file, num_samples=None, num_parallel_workers=None, shuffle=None, "
        "decode=None, sampler=None, num_shards=None, shard_id=None, cache=None"
    )
    columns = ("image", "annotation")
    label_column = ""

    def _entries(self, a):
        found: dict[str, list] = {}
        with text_file(a.annotation_file) as f:
            for number, line in enumerate(f, 1):
                line = line.rstrip("\r\n")
                if not line:
                    continue
                name, tab, text = line.partition("\t")
                if not tab or "#" not in name:
                    raise DatasetError(
                        f"FlickrDataset: {a.annotation_file}: line {number} is no name#number, tab "
                        "and caption"
                    )
                name = name[: name.rindex("#")]
                if name.lower().endswith(ENDINGS):
                    found.setdefault(os.path.join(a.dataset_dir, name), []).append(text)
        return [(p, texts) for p, texts in sorted(found.items()) if os.path.isfile(p)]

    def _row(self, a, entry):
        return image(entry[0], a.decode), np.array(entry[1])


class SBUDataset(Collection):
    """Images (uint8) of the SBU Captioned Photo Dataset with their captions (str); rows are the
    images that are there.

    Source: Ordonez, Kulkarni, Berg, Im2Text, 2011.
    """

    parameters = (
        "dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False, "
        "sampler=None, num_shards=None, shard_id=None, cache=None"
    )
    columns = ("image", "caption")
    label_column = ""

    def _entries(self, a):
        texts = []
        for kind in ("urls", "captions"):
            path = os.path.join(a.dataset_dir, f"SBU_captioned_photo_dataset_{kind}.txt")
            with text_file(path) as f:
                texts.append([line.strip() for line in f.read().splitlines()])
        urls, captions = texts
        if len(urls) != len(captions):
            raise DatasetError(
                f"SBUDataset: {path}: there are {len(urls)} URLs, but {len(captions)} captions"
            )
        made = []
        for url, caption in zip(urls, captions):
            # An image is named after its URL behind "http://static.flickr.co".
            name = url[23:].replace("/", "_")
            path = os.path.join(a.dataset_dir, "sbu_images", name)
            if name and os.path.isfile(path):
                made.append((path, caption))
        return made

    def _row(self, a, entry):
        return image(entry[0], a.decode), np.array(entry[1])


class SBDataset(Collection):
    """Images (uint8) of the Semantic Boundaries Dataset with the classes' boundaries (20×H×W) or a
    segmentation (H×W); reads MATLAB's files by SciPy.

    Source: Hariharan et al., Semantic Contours from Inverse Detectors, 2011.
    """

    parameters = (
        "dataset_dir, task='Boundaries', usage='all', num_samples=None, num_parallel_workers=1, "
        "shuffle=None, decode=None, sampler=None, num_shards=None, shard_id=None"
    )
    usages, columns = ("train", "val", "train_noval", "all"), ("image", "task")
    checks = {"task": ("Boundaries", "Segmentation")}
    about = {"task": "str): Boundaries or Segmentation"}
    label_column = ""

    def _entries(self, a):
        names = []
        for part in ("train", "val") if a.usage == "all" else (a.usage,):
            with text_file(os.path.join(a.dataset_dir, f"{part}.txt")) as f:
                names += [line.strip() for line in f if line.strip()]
        return [os.path.join(a.dataset_dir, "img", f"{n}.jpg") for n in names]

    def _row(self, a, entry):
        stem = os.path.splitext(os.path.basename(entry))[0]
        path = os.path.join(a.dataset_dir, "cls", f"{stem}.mat")
        truth = read_mat("SBDataset", path, ("GTcls",))["GTcls"][0]
        pixels = image(entry, bool(a.decode))
        if a.task == "Segmentation":
            return pixels, np.asarray(truth["Segmentation"][0])
        parts = truth["Boundaries"][0]
        planes = [np.asarray(p[0].todense() if hasattr(p[0], "todense") else p[0]) for p in parts]
        return pixels, np.stack(planes)


class Flowers102Dataset(Collection):
    """Images (uint8) of Oxford's flowers with their class (uint32), and their segmentation (uint8);
    reads MATLAB's files by SciPy.

    Source: Nilsback, Zisserman, Automated Flower Classification over a Large Number of Classes, 2008.
    """

    parameters = (
        "dataset_dir, task='Classification', usage='all', num_samples=None, "
        "num_parallel_workers=1, shuffle=None, decode=False, sampler=None, num_shards=None, "
        "shard_id=None"
    )
    usages, columns = ("train", "valid", "test", "all"), ("image", "segmentation", "label")
    checks = {"task": ("Classification", "Segmentation")}
    about = {"task": "str): Classification or Segmentation"}

    def _columns_of(self, a):
        return self.columns if a.task == "Segmentation" else self.columns[::2]

    def _entries(self, a):
        name = "Flowers102Dataset"
        labels = read_mat(name, os.path.join(a.dataset_dir, "imagelabels.mat"), ("labels",))
        keys = {"train": ["trnid"], "valid": ["valid"], "test": ["tstid"]}
        keys = keys.get(a.usage, ["trnid", "tstid", "valid"])
        parts = read_mat(name, os.path.join(a.dataset_dir, "setid.mat"), keys)
        ids = np.concatenate([parts[k].reshape(-1) for k in keys]).astype(np.int64)
        classes = labels["labels"].reshape(-1)
        return [
            (
                os.path.join(a.dataset_dir, "jpg", f"image_{i:05}.jpg"),
                os.path.join(a.dataset_dir, "segmim", f"segmim_{i:05}.jpg"),
                np.uint32(int(classes[i - 1]) - 1),
            )
            for i in ids.tolist()
        ]

    def _row(self, a, entry):
        path, mask, label = entry
        if a.task == "Segmentation":
            return image(path, a.decode), image(mask, a.decode), label
        return image(path, a.decode), label


class PhotoTourDataset(Collection):
    """Patches (uint8, 64×64×1) of PhotoTour, or pairs of them and whether they match (uint32).

    Source: Brown, Hua, Winder, Discriminative Learning of Local Image Descriptors, 2011.
    """

    parameters = f"dataset_dir, name, usage=None, {COMMON}"
    usages, columns = ("train", "test"), ("image",)
    _places = ("notredame", "yosemite", "liberty")
    checks = {"name": (*_places, *(f"{p}_harris" for p in _places))}
    about = {"name": f"str): the place: {', '.join(checks['name'])}"}
    label_column = "matches"
    _across = 16

    def _columns_of(self, a):
        return ("image1", "image2", "matches") if a.usage == "test" else self.columns

    def _entries(self, a):
        folder = os.path.join(a.dataset_dir, a.name)
        with text_file(os.path.join(folder, "info.txt")) as f:
            count = sum(1 for line in f if line.strip())
        self._sheets: dict = {}
        if a.usage != "test":
            return [(folder, i) for i in range(count)]
        path = os.path.join(folder, "m50_100000_100000_0.txt")
        made = []
        with text_file(path) as f:
            for line in filter(None, map(str.strip, f)):
                first, one, _, second, other, *_ = map(int, line.split())
                if max(first, second) >= count:
                    raise DatasetError(f"PhotoTourDataset: {path}: there are only {count} patches")
                made.append((folder, first, second, np.uint32(one == other)))
        return made

    def _patch(self, folder: str, number: int) -> np.ndarray:
        sheet, place = divmod(number, self._across**2)
        if sheet not in self._sheets:
            path = os.path.join(folder, f"patches{sheet:04}.bmp")
            self._sheets[sheet] = Decode()(file_bytes(path))[..., :1]
        top, left = (64 * n for n in divmod(place, self._across))
        return self._sheets[sheet][top : top + 64, left : left + 64].copy()

    def _row(self, a, entry):
        folder, *numbers = entry
        if a.usage != "test":
            return (self._patch(folder, numbers[0]),)
        return self._patch(folder, numbers[0]), self._patch(folder, numbers[1]), numbers[2]
