"""Vectors of words, read from files."""

from __future__ import annotations

import os

import numpy as np

from ...base.errors import complain
from ..arguments import Each, Optional, Typed, boolean, check_type, count, takes
from .base import TextTransform, fault


def _named(path: str) -> None:
    """Refuse names that MindSpore's files cannot have.

    Raises:
        ValueError: it is one.
    """
    name = os.path.basename(os.path.realpath(path))
    if set(name) & set("\\/:*?\"<>|`&';"):
        raise complain(ValueError, "filename should not contain \\/:*?\\\"<>|`&;\\'")
    if name.startswith(" ") or name.endswith(" "):
        raise complain(ValueError, "filename should not start/end with space.")


class Vectors:
    """Words and their vectors, from a file with a word and its numbers per line.

    Examples:
        >>> import os, tempfile
        >>> from minds.dataset import text
        >>> path = os.path.join(tempfile.mkdtemp(), "vectors.txt")
        >>> _ = open(path, "w").write("ok 0.5 1\\nno 2 3\\n")
        >>> text.ToVectors(text.Vectors.from_file(path))("ok").tolist()
        [0.5, 1.0]
    """

    _begins = _ends = ""

    def __init__(self, vectors: dict | None = None, dim: int = 0):
        self._vectors, self._dim = vectors or {}, dim

    @classmethod
    def from_file(cls, file_path: str, max_vectors: int | None = None):
        """The vectors of a file. A first line of two numbers is taken as a header.

        Args:
            file_path (str): a UTF-8 file.
            max_vectors (int, optional): how many are read. Default: all.

        Returns:
            Vectors: an instance of the class.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: ``max_vectors`` is negative.
            RuntimeError: there is no such file, its name is another than the class asks for, it is
                empty, or its vectors differ in length.

        Examples:
            >>> import os, tempfile
            >>> from minds.dataset import text
            >>> path = os.path.join(tempfile.mkdtemp(), "glove.6B.2d.txt")
            >>> _ = open(path, "w").write("ok 0.5 1\\n")
            >>> text.ToVectors(text.GloVe.from_file(path))(["ok", "no"]).tolist()
            [[0.5, 1.0], [0.0, 0.0]]
        """
        check_type("file_path", file_path, (str,))
        _named(file_path)
        Optional(count)("max_vectors", max_vectors)
        name = os.path.basename(file_path)
        if not (name.startswith(cls._begins) and name.endswith(cls._ends)):
            wanted = f"{cls._begins}*{cls._ends}"
            raise fault(f"{cls.__name__}: invalid file, can not find file '{wanted}', got {name}.")
        try:
            with open(file_path, encoding="utf-8") as file:
                lines = [line.split() for line in file]
        except OSError:
            raise fault(f"{cls.__name__}: get real path failed, path: {file_path}") from None
        if not lines:
            raise fault(f"{cls.__name__}: invalid file, file is empty.")
        if len(lines[0]) == 2 and len(lines) > 1 and len(lines[1]) != 2:
            del lines[0]
        return cls._read(lines, file_path, max_vectors or len(lines))

    @classmethod
    def _read(cls, lines, path, most):
        vectors, dim = {}, None
        for number, line in enumerate(line for line in lines if line):
            if len(vectors) == most:
                break
            try:
                vector = np.array(line[1:], np.float64).astype(np.float32)
            except ValueError:
                said = f"{path} has no numbers behind the word {line[0]!r}"
                raise fault(f"{cls.__name__}: invalid file, {said}.") from None
            dim = len(vector) if dim is None else dim
            if not dim or len(vector) != dim:
                raise fault(
                    f"{cls.__name__}: all vectors must have the same number of dimensions, but got "
                    f"dim {len(vector)} while expecting {dim}, in vector {number} of {path}"
                )
            if dim == 1:
                raise fault(f"{cls.__name__}: invalid file, token with 1-dimensional vector.")
            vectors.setdefault(line[0], vector)
        return cls(vectors, dim or 0)

    def look_up(self, word: str):
        """The vector of a word, or None."""
        return self._vectors.get(word)


class GloVe(Vectors):
    """Vectors from a file of GloVe's: ``glove.*.txt``.

    Examples:
        >>> from minds.dataset import text
        >>> issubclass(text.GloVe, text.Vectors)
        True
    """

    _begins, _ends = "glove.", ".txt"


class FastText(Vectors):
    """Vectors from a file of fastText's: ``*.vec``.

    Examples:
        >>> from minds.dataset import text
        >>> issubclass(text.FastText, text.Vectors)
        True
    """

    _ends = ".vec"


class CharNGram(Vectors):
    """Vectors of runs of two to four characters, from a file; a word's is the mean of those of its
    runs.

    Examples:
        >>> from minds.dataset import text
        >>> issubclass(text.CharNGram, text.Vectors)
        True
    """

    def look_up(self, word: str):
        chars = ["#BEGIN#", *word, "#END#"]
        grams = (
            f"{n}gram-{''.join(chars[i : i + n])}"
            for n in (2, 3, 4)
            for i in range(len(chars) - n + 1)
        )
        found = [self._vectors[g] for g in grams if g in self._vectors]
        return np.mean(found, axis=0, dtype=np.float32) if found else None


class ToVectors(TextTransform):
    """Words as their vectors.

    Args:
        vectors (Vectors): where they are.
        unk_init (list, tuple, optional): the vector of a word that is not there. Default: zeros.
        lower_case_backup (bool): whether words are looked up in lower case. Default: False.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: ``unk_init`` has another length than the vectors, or the value is no string
            (raised when the transform is called).

    Examples:
        >>> import os, tempfile
        >>> from minds.dataset import text
        >>> path = os.path.join(tempfile.mkdtemp(), "vectors.txt")
        >>> _ = open(path, "w").write("ok 0.5 1\\nno 2 3\\n")
        >>> text.ToVectors(text.Vectors.from_file(path), [9, 9])(["NO", "no"]).tolist()
        [[9.0, 9.0], [2.0, 3.0]]
    """

    _not_text = "input tensor type should be string."

    @takes(
        vectors=Typed(Vectors),
        unk_init=Optional(Each(Typed(int, float))),
        lower_case_backup=boolean,
    )
    def __init__(self, vectors, unk_init=None, lower_case_backup=False):
        pass

    def _make(self, a):
        dim = self.vectors._dim
        other = self.unk_init if self.unk_init else [0] * dim
        if len(other) != dim:
            sizes = f"unk_init: {len(other)} and vectors: {dim}"
            said = f"unk_init must be the same length as vectors, but got {sizes}"
            raise fault(f"ToVectors: {said}")
        words = [w.lower() if self.lower_case_backup else w for w in a.ravel().tolist()]
        found = [self.vectors.look_up(w) for w in words]
        made = np.array([other if v is None else v for v in found], np.float32).reshape(-1, dim)
        return made[0] if len(made) == 1 else made
