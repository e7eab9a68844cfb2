"""Text in JSON or a file per row: CLUE, SQuAD, IMDB."""

from __future__ import annotations

import json
import os

import numpy as np

from ...base.errors import complain
from ..collection import COMMON, OF_FILES, Collection, Files, file_bytes
from ..image_sets.folders import listed
from ..pipeline import DatasetError
from ..record_sets.tfrecord import patterns

_PAIR = {"sentence1": "sentence1", "sentence2": "sentence2"}
_NEWS = {"sentence": "sentence", "keywords": "keywords"}
_SPANS = {n: f"target/{n}" for n in ("span1_index", "span2_index", "span1_text", "span2_text")} | {
    "idx": "idx",
    "text": "text",
}
_ABSTRACT = {"id": "id", "abst": "abst", "keyword": "keyword"}
# Per task the columns of the test part and of the others, each with its path in a line.
_CLUE = {
    "AFQMC": ({"id": "id"} | _PAIR, _PAIR | {"label": "label"}),
    "TNEWS": ({"id": "id"} | _NEWS, {"label": "label", "label_desc": "label_desc"} | _NEWS),
    "IFLYTEK": (
        {"id": "id", "sentence": "sentence"},
        {"label": "label", "label_des": "label_des", "sentence": "sentence"},
    ),
    "CMNLI": ({"id": "id"} | _PAIR, _PAIR | {"label": "label"}),
    "WSC": (_SPANS, _SPANS | {"label": "label"}),
    "CSL": (_ABSTRACT, _ABSTRACT | {"label": "label"}),
}


class CLUEDataset(Files):
    """Rows of a task of CLUE from files with a line of JSON per row.

    Source: Xu et al., CLUE: A Chinese Language Understanding Evaluation Benchmark, 2020.
    """

    parameters = f"dataset_files, task='AFQMC', usage='train', {OF_FILES}"
    columns = tuple(sorted(_CLUE["AFQMC"][1]))
    checks = {
        "dataset_files": patterns,
        "task": lambda n, v: _one(n, v, tuple(_CLUE)),
        "usage": lambda n, v: _one(n, v, ("train", "test", "eval")),
    }
    about = {
        "task": "str): AFQMC, TNEWS, IFLYTEK, CMNLI, WSC or CSL",
        "usage": "str): train, test or eval",
    }

    def _paths(self, a) -> dict:
        return dict(sorted(_CLUE[a.task][a.usage != "test"].items()))

    def _columns_of(self, a):
        return tuple(self._paths(a))

    def _files(self, a):
        return a.dataset_files

    def _read(self, a, path):
        paths = [p.split("/") for p in self._paths(a).values()]
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                    yield tuple([_at(row, p) for p in paths])
                except (ValueError, KeyError, TypeError, OverflowError) as e:
                    raise DatasetError(
                        f"Invalid json file, failed to parse {path} at line {number}: {e!r}"
                    ) from e


def _one(name: str, value, allowed: tuple):
    if value not in allowed:
        *first, last = (repr(v) for v in allowed)
        raise complain(ValueError, f"{name} should be {', '.join(first)} or {last}.")
    return value


def _at(row: dict, path: list) -> np.ndarray:
    for key in path:
        row = row[key]
    if isinstance(row, bool) or not isinstance(row, (int, str, list, float)):
        raise TypeError(f"{'/'.join(path)} is {row!r}")
    return np.array(row, np.uint32) if isinstance(row, int) else np.array(row)


class SQuADDataset(Files):
    """Contexts, questions, answers (str) and where they begin (uint32) of SQuAD 1.1 or 2.0.

    Source: Rajpurkar et al., SQuAD: 100,000+ Questions for Machine Comprehension of Text, 2016.
    """

    parameters, usages = f"dataset_dir, usage=None, {OF_FILES}", ("train", "dev", "all")
    columns = ("context", "question", "text", "answer_start")

    def _files(self, a):
        parts = ("train", "dev") if a.usage in (None, "all") else (a.usage,)
        names = [f"{p}-v{v}.json" for p in parts for v in ("1.1", "2.0")]
        found = [os.path.join(a.dataset_dir, n) for n in names]
        return [f for f in found if os.path.isfile(f)]

    def _read(self, a, path):
        try:
            data = json.loads(file_bytes(path).decode("utf-8"))["data"]
            for article in data:
                for paragraph in article["paragraphs"]:
                    for question in paragraph["qas"]:
                        yield self._row(paragraph["context"], question)
        except (ValueError, KeyError, TypeError, OverflowError) as e:
            raise DatasetError(f"SQuADDataset: {path} is damaged: {e!r}") from e

    @staticmethod
    def _row(context: str, question: dict) -> tuple:
        answers = question["answers"]
        texts = [a["text"] for a in answers] or [""]
        starts = np.array([a["answer_start"] for a in answers], np.int64)
        return (
            np.array(context),
            np.array(question["question"]),
            np.array(texts),
            starts.astype(np.uint32) if len(starts) else np.array([2**32 - 1], np.uint32),
        )


class IMDBDataset(Collection):
    """Reviews (str) and labels (int32, 0 is negative) of IMDB.

    Source: Maas et al., Learning Word Vectors for Sentiment Analysis, 2011.
    """

    parameters, usages = f"dataset_dir, usage=None, {COMMON}", ("train", "test", "all")
    columns = ("text", "label")

    def _entries(self, a):
        return [
            (path, np.int32(label))
            for part in (("train", "test") if a.usage in (None, "all") else (a.usage,))
            for name, label in (("pos", 1), ("neg", 0))
            for path in listed(os.path.join(a.dataset_dir, part, name))
        ]

    def _row(self, a, entry):
        return np.array(file_bytes(entry[0]).decode("utf-8")), entry[1]
