"""Text by lines: plain files, Penn Treebank, WikiText, EnWik9; words with tags: CoNLL-2000, UDPOS."""

from __future__ import annotations

import os

import numpy as np

from ..collection import OF_FILES, Files
from ..record_sets.tfrecord import patterns

LAST = OF_FILES.replace("num_parallel_workers=None, ", "").replace(
    ", cache=None", ", num_parallel_workers=None, cache=None"
)
PARTS = ("train", "test", "valid", "all")


def lines(path: str):
    """The lines of a file that are not empty, without their end."""
    with open(path, encoding="utf-8", newline="\n") as f:
        for line in f:
            line = line.rstrip("\n")
            if line:
                yield line


class TextFileDataset(Files):
    """The lines (str) of text files; empty ones are left out."""

    parameters, columns = f"dataset_files, {OF_FILES}", ("text",)
    checks = {"dataset_files": patterns}

    def _files(self, a):
        return a.dataset_files

    def _read(self, a, path):
        return ((np.array(line),) for line in lines(path))


class _Parts(Files):
    """Files of parts, named by ``_named``: part → name."""

    _named: dict[str, str] = {}

    def _files(self, a):
        parts = self._named if a.usage in (None, "all") else (a.usage,)
        return [os.path.join(a.dataset_dir, self._named[p]) for p in parts]


class PennTreebankDataset(_Parts):
    """The lines (str) of the Penn Treebank's ``ptb.train.txt``, ``ptb.test.txt``, ``ptb.valid.txt``.

    Source: Marcus, Santorini, Marcinkiewicz, Building a large annotated corpus of English, 1993.
    """

    parameters, columns, usages = f"dataset_dir, usage=None, {OF_FILES}", ("text",), PARTS
    _named = {p: f"ptb.{p}.txt" for p in ("test", "train", "valid")}

    def _read(self, a, path):
        return ((np.array(line),) for line in lines(path))


class WikiTextDataset(_Parts):
    """The lines (str) of WikiText's ``wiki.train.tokens``, ``wiki.test.tokens``, ``wiki.valid.tokens``.

    Source: Merity et al., Pointer Sentinel Mixture Models, 2016.
    """

    parameters, columns, usages = f"dataset_dir, usage=None, {OF_FILES}", ("text",), PARTS
    _named = {p: f"wiki.{p}.tokens" for p in ("test", "train", "valid")}

    def _read(self, a, path):
        return ((np.array(line),) for line in lines(path))


class EnWik9Dataset(Files):
    """The lines (str) of EnWik9, the file ``enwik9``.

    Source: Mahoney, Large Text Compression Benchmark, 2006.
    """

    parameters, columns = f"dataset_dir, {OF_FILES}", ("text",)

    def _files(self, a):
        return [os.path.join(a.dataset_dir, "enwik9")]

    def _read(self, a, path):
        with open(path, encoding="utf-8", newline="\n") as f:
            for line in f:
                yield (np.array(line.rstrip("\n")),)


def _sentences(path: str, columns: int, separator: str | None):
    """The columns of the words between blank lines."""
    rows: list[list[str]] = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            words = line.rstrip("\r\n").split(separator)
            if not line.strip():
                if rows:
                    yield tuple(np.array(c) for c in zip(*rows))
                rows = []
            elif len(words) < columns:
                raise ValueError(f"line {number} has {len(words)} columns of {columns}")
            else:
                rows.append(words[:columns])
    if rows:
        yield tuple(np.array(c) for c in zip(*rows))


class CoNLL2000Dataset(_Parts):
    """Sentences of CoNLL-2000: words, their tags, and chunks (str), one array each.

    Source: Tjong Kim Sang, Buchholz, Introduction to the CoNLL-2000 Shared Task, 2000.
    """

    parameters, usages = f"dataset_dir, usage=None, {LAST}", ("train", "test", "all")
    columns, _named = (
        ("word", "pos_tag", "chunk_tag"),
        {p: f"{p}.txt" for p in ("test", "train")},
    )

    def _read(self, a, path):
        return _sentences(path, 3, " ")


class UDPOSDataset(_Parts):
    """Sentences of UDPOS: words, universal tags, and Stanford's tags (str), one array each.

    Source: Nivre et al., Universal Dependencies, 2016.
    """

    parameters, usages = f"dataset_dir, usage=None, {LAST}", PARTS
    columns = ("word", "universal", "stanford")
    _named = {
        "test": "en-ud-tag.v2.test.txt",
        "train": "en-ud-tag.v2.train.txt",
        "valid": "en-ud-tag.v2.dev.txt",
    }

    def _read(self, a, path):
        return _sentences(path, 3, "\t")
