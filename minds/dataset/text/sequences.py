"""Transforms of sequences of tokens: more of them, fewer, or windows of them."""

from __future__ import annotations

import numpy as np

from ...base.errors import complain
from ..arguments import Number, Typed, boolean, check_type, positive_int, string, takes
from ..recorded import Recorded
from .base import EachValue, TextTransform, fault


class AddToken(TextTransform):
    """A token before or behind each sequence.

    Args:
        token (str): the token.
        begin (bool): whether it comes before. Default: True.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: the token is empty, or the value no vector or matrix of strings (raised when
            the transform is called).

    Examples:
        >>> from minds.dataset import text
        >>> text.AddToken("[CLS]")(["a", "b"]).tolist()
        ['[CLS]', 'a', 'b']
    """

    _not_text = "input tensor type should be string."

    @takes(token=string, begin=boolean)
    def __init__(self, token, begin=True):
        pass

    def _make(self, a):
        if not self.token:
            raise fault("AddToken: Parameter token is not provided.")
        if a.ndim not in (1, 2):
            raise fault("AddToken: input tensor rank should be 1 or 2.")
        token = np.full((*a.shape[:-1], 1), self.token)
        return np.concatenate([token, a] if self.begin else [a, token], axis=-1)


def _lengths(name: str, value) -> None:
    """The rule for the lengths of n-grams.

    Raises:
        TypeError: a length is no int.
        ValueError: a length is not positive, or there is none.
    """
    lengths = [value] if isinstance(value, int) else value
    if not isinstance(lengths, list) or not lengths:
        raise complain(ValueError, f"{name} needs to be a non-empty list of positive integers.")
    for i, length in enumerate(lengths):
        check_type(f"gram[{i}]", length, (int,))
        if length <= 0:
            raise complain(ValueError, f"Input gram_{i} must be greater than 0.")


def _padding(name: str, value) -> None:
    """The rule for a token and how often it comes.

    Raises:
        ValueError: it is another thing.
    """
    fits = isinstance(value, tuple) and len(value) == 2
    if not fits or not isinstance(value[0], str) or not isinstance(value[1], int):
        said = "needs to be a tuple of (str, int) str is pad token and int is pad_width."
        raise complain(ValueError, f"{name} {said}")
    if value[1] < 0:
        raise complain(ValueError, "padding width need to be positive numbers.")


class Ngram(TextTransform):
    """All runs of n neighbouring tokens, joined.

    Args:
        n (int, list[int]): the numbers of tokens.
        left_pad (tuple): a token that comes before the others, and how often; at most n - 1 times
            for runs of n. Default: ``("", 0)``.
        right_pad (tuple): the same behind the others. Default: ``("", 0)``.
        separator (str): what is between the tokens of a run. Default: " ".

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a length is not positive, or a padding negative.
        RuntimeError: the value is no vector of strings (raised when the transform is called).

    Examples:
        >>> from minds.dataset import text
        >>> text.Ngram([1, 2])(["a", "b", "c"]).tolist()
        ['a', 'b', 'c', 'a b', 'b c']
    """

    _not_text = "input is not a 1D data with string datatype."

    @takes(n=_lengths, left_pad=_padding, right_pad=_padding, separator=string)
    def __init__(self, n, left_pad=("", 0), right_pad=("", 0), separator=" "):
        self.ngrams = [n] if isinstance(n, int) else n

    def _make(self, a):
        if a.ndim != 1:
            raise fault(f"Ngram: {self._not_text}")
        made = []
        for n in self.ngrams:
            left = [self.left_pad[0]] * min(self.left_pad[1], n - 1)
            right = [self.right_pad[0]] * min(self.right_pad[1], n - 1)
            tokens = [*left, *a.tolist(), *right]
            runs = [self.separator.join(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
            made += runs or [""]
        return np.array(made)


class SlidingWindow(EachValue):
    """All windows of neighbouring elements of a vector.

    Args:
        width (int): the elements of a window.
        axis (int): 0 or -1. Default: 0.

    Raises:
        TypeError: an argument is no int.
        ValueError: ``width`` is not positive.
        RuntimeError: the value is no vector, or ``axis`` another (raised when the transform is
            called).

    Examples:
        >>> from minds.dataset import text
        >>> text.SlidingWindow(2)([1, 2, 3]).tolist()
        [[1, 2], [2, 3]]
    """

    @takes(width=positive_int, axis=Typed(int))
    def __init__(self, width, axis=0):
        pass

    def _make(self, a):
        if a.ndim != 1:
            said = f"SlidingWindow supports 1D input only for now, but got {a.ndim}D."
            raise fault(f"SlidingWindow: {said}")
        if self.axis not in (0, -1):
            said = f"The parameter axis supports 0 or -1 only for now, but got {self.axis}."
            raise fault(f"SlidingWindow: {said}")
        if len(a) < self.width:
            return np.empty(0, a.dtype)
        return np.lib.stride_tricks.sliding_window_view(a, self.width).copy()


class Truncate(EachValue):
    """The first elements of each sequence.

    Args:
        max_seq_len (int): how many at most.

    Raises:
        TypeError: it is no int.
        ValueError: it is not positive.
        RuntimeError: the value is no vector or matrix (raised when the transform is called).

    Examples:
        >>> from minds.dataset import text
        >>> text.Truncate(2)(["a", "b", "c"]).tolist()
        ['a', 'b']
    """

    @takes(max_seq_len=positive_int)
    def __init__(self, max_seq_len):
        pass

    def _make(self, a):
        if a.ndim not in (1, 2):
            raise fault("Truncate: the input tensor should be of dimension 1 or 2.")
        return a[..., : self.max_seq_len]


class TruncateSequencePair(Recorded):
    """Two vectors, shortened until they have together no more elements than they may.

    The longer one loses an element from its end, the second where they are equal, again and again.

    Args:
        max_length (int): how many elements both may have together.

    Raises:
        TypeError: ``max_length`` is no int.
        RuntimeError: it is negative, or the values are not two vectors (raised when the transform is
            called).

    Examples:
        >>> from minds.dataset import text
        >>> [v.tolist() for v in text.TruncateSequencePair(3)(["a", "b", "c"], ["d"])]
        [['a', 'b'], ['d']]
    """

    @takes(max_length=Number((int,)))
    def __init__(self, max_length):
        pass

    def __call__(self, *values):
        if self.max_length < 0:
            said = f"The parameter max_length must be greater than or equal to 0: {self.max_length}"
            raise fault(f"TruncateSequencePair : {said}")
        if len(values) != 2:
            raise fault(f"TruncateSequencePair: Expected two inputs, but got {len(values)} inputs.")
        a, b = map(np.asarray, values)
        if a.ndim != 1 or b.ndim != 1:
            raise fault("TruncateSequencePair: both data column should be of rank 1.")
        kept = min(len(b), max(self.max_length // 2, self.max_length - len(a)))
        return a[: self.max_length - kept], b[:kept]
