"""What all transforms of text share: how they take a row's value, and how tokens are given back."""

from __future__ import annotations

import itertools

import numpy as np

from ...base.errors import complain
from ..recorded import Recorded
from ..transforms.base import as_array, given


def fault(said: str) -> Exception:
    """The error for data that a transform cannot take."""
    return complain(RuntimeError, said)


def strings(values) -> np.ndarray:
    """A list of str as an array; an empty one as one empty string, as MindSpore's tokenizers do."""
    return np.array(values or [""])


class EachValue(Recorded):
    """Base of the transforms that make something of each value on its own: `_make`."""

    def __call__(self, *values):
        made = tuple([self._make(self._accept(v)) for v in given(values)])
        return made[0] if len(made) == 1 else made

    def _accept(self, value) -> np.ndarray:
        return as_array(value)

    def _make(self, a: np.ndarray):
        """What an array becomes."""
        raise NotImplementedError


class TextTransform(EachValue):
    """Base of the transforms that take strings only."""

    _not_text = "input is not string datatype."
    _gives_text = True

    def _accept(self, value):
        a = as_array(value)
        if a.dtype.kind != "U":
            raise fault(self._refusal(a))
        return a

    def _refusal(self, a) -> str:
        """What is said of an array that is refused."""
        return f"{type(self).__name__}: {self._not_text}"

    def _joins(self, follows: bool) -> bool:
        """Whether `_of_list` makes the transform of a list of strings; it ``follows`` another one."""
        return False

    def _of_list(self, words: list[str]) -> list[str]:
        """What becomes of the strings of an array of rank 1, or of the one string of a scalar."""
        raise NotImplementedError

    def _of_lists(self, lists: list[list[str]]) -> list:
        """`_of_list` of each of many."""
        return [self._of_list(words) for words in lists]


class EachString(TextTransform):
    """Base of the transforms that change every string of an array on its own: `_change`."""

    def _change(self, s: str) -> str:
        """What a string becomes."""
        raise NotImplementedError

    def _joins(self, follows):
        return follows  # a tokenizer, behind which the rank is known

    def _of_list(self, words):
        return [self._change(s) for s in words]

    def _make(self, a):
        return np.array(self._of_list(a.ravel().tolist()), dtype=np.str_).reshape(a.shape)


class Tokenizer(TextTransform):
    """Base of the tokenizers of one string: `_split`, or `_spans` where tokens are parts of the string.

    The attribute ``with_offsets`` says whether the places of the tokens are given too: where they
    begin and end in the UTF-8 bytes of the string.
    """

    with_offsets = False
    _ranks = (0,)
    _not_text = "the input shape should be scalar and the input datatype should be string."

    def _make(self, a):
        if a.ndim not in self._ranks:
            raise fault(self._refusal(a))
        texts = a.ravel().tolist()
        if not self.with_offsets:
            return np.array(self._of_list(texts))
        found = [piece for s in texts for piece in self._split(s)]
        tokens = strings([token for token, _, _ in found])
        ends = [[piece[i] for piece in found] or [0] for i in (1, 2)]
        return tokens, np.array(ends[0], np.uint32), np.array(ends[1], np.uint32)

    def _joins(self, follows):
        return not self.with_offsets and (1 if follows else 0) in self._ranks

    def _of_list(self, words):
        """The tokens of all strings; where there are none an empty one, as MindSpore's give it."""
        return [token for s in words for token in self._tokens(s)] or [""]

    def _tokens(self, s: str) -> list[str]:
        """The tokens of a string without their places."""
        if type(self)._split is not Tokenizer._split:
            return [token for token, _, _ in self._split(s)]
        return [s[begin:end] for begin, end in self._spans(s)]  # no need of places in bytes

    def _split(self, s: str):
        """The tokens of a string, each with its first byte and the byte behind it."""
        where = range(len(s) + 1)
        if not s.isascii():
            where = [0, *itertools.accumulate(len(c.encode()) for c in s)]
        for begin, end in self._spans(s):
            yield s[begin:end], where[begin], where[end]

    def _spans(self, s: str):
        """The first character of each token and the character behind it."""
        raise NotImplementedError
