"""Text in two languages, line by line: Multi30k, IWSLT 2016 and 2017."""

from __future__ import annotations

import itertools
import os
import re

import numpy as np

from ...base.errors import complain
from .. import source_arguments as arguments
from ..collection import OF_FILES, Files
from ..pipeline import DatasetError
from .lines import LAST, PARTS


def _pairs(pairs):
    def check(name: str, value):
        if value is None:
            return None
        for i, v in enumerate(arguments.of_type(name, value, tuple, list)):
            arguments.word(f"{name}[{i}]", v)
        if tuple(value) not in pairs:
            raise complain(
                ValueError,
                f"Input {name} is not within the valid set of {[list(p) for p in pairs]}.",
            )
        return tuple(value)

    return check


class _Translations(Files):
    """Pairs of files; a file of the list is the path of the first and of the second, by a NUL."""

    columns = ("text", "translation")

    def _node_of(self, a):
        pairs = self._pairs_of(a)
        for path in (p for pair in pairs for p in pair):
            if not os.path.isfile(path):
                raise DatasetError(f"{type(self).__name__}: Invalid file, {path} does not exist")
        self._second = dict(pairs)
        return super()._node_of(a)

    def _files(self, a):
        return list(self._second)

    def _read(self, a, path):
        first, second = self._texts(path), self._texts(self._second[path])
        if len(first) != len(second):
            raise DatasetError(
                f"{type(self).__name__}: {path} has {len(first)} rows, but {self._second[path]} "
                f"has {len(second)}"
            )
        return ((np.array(x), np.array(y)) for x, y in zip(first, second))

    @staticmethod
    def _texts(path: str) -> list[str]:
        with open(path, encoding="utf-8") as f:
            return [line for line in f.read().split("\n") if line]


class Multi30kDataset(_Translations):
    """Captions (str) of Multi30k in English and German.

    Source: Elliott et al., Multi30K: Multilingual English-German Image Descriptions, 2016.
    """

    parameters = f"dataset_dir, usage=None, language_pair=None, {OF_FILES}"
    usages = PARTS
    checks = {"language_pair": _pairs([("en", "de"), ("de", "en")])}
    about = {"language_pair": "list[str], optional): from and to. Default: ['en', 'de']"}
    _places = {
        "train": ("training", "train"),
        "valid": ("validation", "val"),
        "test": ("mmt16_task1_test", "test"),
    }

    def _pairs_of(self, a):
        languages = a.language_pair or ("en", "de")
        parts = ("test", "train", "valid") if a.usage in (None, "all") else (a.usage,)
        return [
            tuple(os.path.join(a.dataset_dir, *self._places[p]) + f".{lang}" for lang in languages)
            for p in parts
        ]


_SEGMENT = re.compile(r"<seg[^>]*>(.*?)</seg>", re.DOTALL)
_ANNOTATION = re.compile(
    r"\s*</?(url|keywords|talkid|speaker|reviewer|translator|title|description|doc|refset|srcset|"
    r"mteval|transcript)\b"
)


class _Talks(_Translations):
    """Talks of IWSLT: training texts with lines of annotation, the other parts as XML."""

    @staticmethod
    def _texts(path: str) -> list[str]:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if path.endswith(".xml"):
            return [s.strip() for s in _SEGMENT.findall(text)]
        return [s.strip() for s in text.splitlines() if s.strip() and not _ANNOTATION.match(s)]

    def _talks(self, a, folder: str, mark: str, sets: dict) -> list:
        """The pairs of files; ``sets``: part → the names of its sets."""
        first, second = a.language_pair
        both = f"{first}-{second}"
        made = []
        for part in ("train", "valid", "test") if a.usage in (None, "all") else (a.usage,):
            if part == "train":
                names = [f"train.tags.{both}.{lang}" for lang in (first, second)]
                made.append(tuple(os.path.join(folder, n) for n in names))
                continue
            for s in sets[part]:
                names = [f"{mark}.TED.{s}.{both}.{lang}.xml" for lang in (first, second)]
                made.append(tuple(os.path.join(folder, n) for n in names))
        return made


_WITH_ENGLISH = [p for x in ("fr", "de", "cs", "ar") for p in (("en", x), (x, "en"))]


class IWSLT2016Dataset(_Talks):
    """Sentences (str) of talks and their translations, from IWSLT 2016.

    Source: Cettolo et al., The IWSLT 2016 Evaluation Campaign, 2016.
    """

    _sets = ("dev2010", "tst2010", "tst2011", "tst2012", "tst2013", "tst2014")
    parameters = (
        f"dataset_dir, usage=None, language_pair=None, valid_set=None, test_set=None, {LAST}"
    )
    usages = PARTS
    checks = {
        "language_pair": _pairs(_WITH_ENGLISH),
        "valid_set": _sets,
        "test_set": _sets,
    }
    about = {
        "language_pair": "list[str], optional): from and to. Default: ['de', 'en']",
        "valid_set": f"str, optional): {', '.join(_sets)}. Default: tst2013",
        "test_set": f"str, optional): {', '.join(_sets)}. Default: tst2014",
    }

    def _pairs_of(self, a):
        a.language_pair = a.language_pair or ("de", "en")
        first, second = a.language_pair
        folder = os.path.join(a.dataset_dir, "texts", first, second, f"{first}-{second}")
        sets = {"valid": [a.valid_set or "tst2013"], "test": [a.test_set or "tst2014"]}
        return self._talks(a, folder, "IWSLT16", sets)


_TWO_OF_FIVE = list(itertools.permutations(("en", "nl", "de", "it", "ro"), 2))


class IWSLT2017Dataset(_Talks):
    """Sentences (str) of talks and their translations, from IWSLT 2017.

    Source: Cettolo et al., Overview of the IWSLT 2017 Evaluation Campaign, 2017.
    """

    parameters, usages = f"dataset_dir, usage=None, language_pair=None, {LAST}", PARTS
    checks = {"language_pair": _pairs(_TWO_OF_FIVE)}
    about = {"language_pair": "list[str], optional): from and to. Default: ['de', 'en']"}

    def _pairs_of(self, a):
        a.language_pair = a.language_pair or ("de", "en")
        folder = os.path.join(
            a.dataset_dir, "texts", "DeEnItNlRo", "DeEnItNlRo", "DeEnItNlRo-DeEnItNlRo"
        )
        if not os.path.isdir(folder):
            folder = folder.replace(os.path.join("texts", ""), "")
        sets = {"valid": ["dev2010"], "test": ["tst2010"]}
        return self._talks(a, folder, "IWSLT17", sets)
