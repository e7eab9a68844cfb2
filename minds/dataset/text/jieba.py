"""`JiebaTokenizer`: words of Chinese text, from a dictionary and a hidden Markov model in jieba's files.

The dictionary has a line per word, ``word frequency tag``; the model's file has the probabilities of the
states B, E, M and S, of their transitions, and for each state those of characters.
"""

from __future__ import annotations

import math
import os
from enum import IntEnum

from ...base.errors import complain
from ..arguments import Typed, check_type, flag, takes
from .base import Tokenizer, fault

_SEPARATORS = frozenset(" \t\n，。")
_NEVER = -3.14e100  # the logarithm of what the model does not know
_B, _E, _M, _S = range(4)


class JiebaMode(IntEnum):
    """How `JiebaTokenizer` finds words.

    Examples:
        >>> from minds.dataset import text
        >>> text.JiebaMode.MIX.name
        'MIX'
    """

    MIX = 0
    MP = 1
    HMM = 2


class WordDictionary:
    """Words with the logarithms of their probabilities.

    Args:
        path (str): the file of the dictionary.
    """

    def __init__(self, path: str):
        counts: dict[str, float] = {}
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                parts = line.split()
                if len(parts) != 3:
                    raise fault(
                        f"JiebaTokenizer: {path}, line {number}: a word, a number and a tag"
                    )
                counts[parts[0]] = float(parts[1])
        if not counts:
            raise fault(f"JiebaTokenizer: {path} has no words")
        self.total = sum(counts.values())
        self.weights = {w: math.log(n / self.total) for w, n in counts.items()}
        ordered = sorted(self.weights.values())
        self.least, self.median = ordered[0], ordered[len(ordered) // 2]
        self.longest = max(map(len, self.weights))

    def add(self, word: str, count: int) -> None:
        """A word of the user's; without a count it weighs as the median does."""
        self.weights[word] = math.log(count / self.total) if count else self.median
        self.longest = max(self.longest, len(word))

    def split(self, s: str) -> list[str]:
        """The words whose product of probabilities is the largest."""
        best, end = [0.0] * (len(s) + 1), [0] * len(s)
        for i in range(len(s) - 1, -1, -1):
            best[i], end[i] = self.weights.get(s[i], self.least) + best[i + 1], i + 1
            for j in range(i + 2, min(i + self.longest, len(s)) + 1):
                weight = self.weights.get(s[i:j])
                if weight is not None and weight + best[j] > best[i]:
                    best[i], end[i] = weight + best[j], j
        found, i = [], 0
        while i < len(s):
            found.append(s[i : end[i]])
            i = end[i]
        return found


class WordModel:
    """A hidden Markov model of where words begin and end.

    Args:
        path (str): the file of the model.
    """

    def __init__(self, path: str):
        with open(path, encoding="utf-8") as f:
            lines = [s.strip() for s in f if s.strip() and not s.startswith("#")]
        if len(lines) != 9:
            raise fault(f"JiebaTokenizer: {path} has {len(lines)} lines of numbers, not 9")
        try:
            self.start = [float(x) for x in lines[0].split()]
            self.moves = [[float(x) for x in s.split()] for s in lines[1:5]]
            self.shows = [self._probabilities(s) for s in lines[5:]]
        except ValueError as e:
            raise fault(f"JiebaTokenizer: {path}: {e}") from None
        if any(len(row) != 4 for row in (self.start, *self.moves)):
            raise fault(f"JiebaTokenizer: {path}: each state has four probabilities")

    @staticmethod
    def _probabilities(line: str) -> dict[str, float]:
        # A character may be a colon or a comma.
        parts = (s.rpartition(":") for s in line.replace(",", "\0").split("\0") if ":" in s)
        return {c: float(n) for c, _, n in parts}

    def split(self, s: str) -> list[str]:
        """The words: Latin letters with digits, numbers, and by the model what is between them."""
        found, i, begin = [], 0, 0
        while i < len(s):
            end = _latin(s, i)
            if end == i:
                i += 1
                continue
            found += self._by_states(s[begin:i]) + [s[i:end]]
            i = begin = end
        return found + self._by_states(s[begin:])

    def _by_states(self, s: str) -> list[str]:
        if not s:
            return []
        likely = [self.start[k] + self.shows[k].get(s[0], _NEVER) for k in range(4)]
        before: list[list[int]] = []
        for c in s[1:]:
            found = [self._best(likely, to, c) for to in range(4)]
            before.append([k for _, k in found])
            likely = [weight for weight, _ in found]
        state = _E if likely[_E] >= likely[_S] else _S
        states = [state]
        for back in reversed(before):
            states.append(back[states[-1]])
        found, begin = [], 0
        for i, at in enumerate(reversed(states), 1):
            if at in (_E, _S):
                found.append(s[begin:i])
                begin = i
        return found + [s[begin:]] * (begin < len(s))

    def _best(self, likely: list, to: int, c: str) -> tuple[float, int]:
        """The weight of the likeliest way to show ``c`` in a state, and the state before; E where none is
        likelier than never, as in jieba.
        """
        show, weight, state = self.shows[to].get(c, _NEVER), _NEVER, _E
        for k in range(4):
            way = likely[k] + self.moves[k][to] + show
            if way > weight:
                weight, state = way, k
        return weight, state


def _latin(s: str, i: int) -> int:
    """Where the word of ASCII that begins at ``i`` ends; ``i`` if none does."""
    c = s[i]
    if not c.isascii():
        return i
    end = i + 1
    if c.isalpha():
        while end < len(s) and s[end].isascii() and s[end].isalnum():
            end += 1
    elif c.isdigit():
        while end < len(s) and (s[end].isascii() and s[end].isdigit() or s[end] == "."):
            end += 1
    return end


class JiebaTokenizer(Tokenizer):
    """Splits Chinese text into words.

    Args:
        hmm_path (str): the file of the hidden Markov model.
        mp_path (str): the file of the dictionary.
        mode (JiebaMode): ``MP``, the most probable words of the dictionary; ``HMM``, by the model; ``MIX``,
            what the dictionary leaves as single characters by the model. Default: ``JiebaMode.MIX``.
        with_offsets (bool): whether the places of the words are given too. Default: ``False``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a file is missing.
        RuntimeError: a file has another form.

    Examples:
        >>> import os, tempfile
        >>> from minds.dataset import text
        >>> folder = tempfile.mkdtemp()
        >>> words, model = (os.path.join(folder, n) for n in ("words", "model"))
        >>> _ = open(words, "w").write("明月光 5 n\\n床 3 n\\n前 3 f\\n")
        >>> _ = open(model, "w").write("0 0 0 0\\n" * 5 + "床:-1\\n" * 4)
        >>> text.JiebaTokenizer(model, words, text.JiebaMode.MP)("床前明月光").tolist()
        ['床', '前', '明月光']
    """

    @takes(mode=Typed(JiebaMode), with_offsets=flag)
    def __init__(self, hmm_path, mp_path, mode=JiebaMode.MIX, with_offsets=False):
        for name, path in (("hmm_path", hmm_path), ("mp_path", mp_path)):
            check_type(name, path, (str,))
            if not os.path.isfile(path):
                raise complain(ValueError, f" jieba mode file {path} is not exist.")
        self.mode, self.with_offsets = mode, with_offsets
        self._words, self._model = WordDictionary(mp_path), WordModel(hmm_path)

    def add_word(self, word: str, freq: int | None = None) -> None:
        """Add a word to the dictionary.

        Args:
            word (str): the word.
            freq (int, optional): how often it comes. Default: as the median of the others.

        Raises:
            TypeError: ``word`` is no str, or ``freq`` no int.
            ValueError: ``word`` is empty, or ``freq`` negative.

        Examples:
            >>> from minds.dataset import text
            >>> hasattr(text.JiebaTokenizer, "add_word")
            True
        """
        check_type("word", word, (str,))
        if not word:
            raise complain(ValueError, "word is not provided.")
        if freq is not None:
            check_type("freq", freq, (int,))
            if freq < 0:
                raise complain(ValueError, f"freq is {freq}", expected="at least 0")
        self._words.add(word, freq or 0)

    def add_dict(self, user_dict) -> None:
        """Add words to the dictionary.

        Args:
            user_dict (str, dict[str, int]): the words with how often they come, or a file with a line
                ``word number`` for each; other lines are ignored.

        Raises:
            TypeError: ``user_dict`` is neither.
            ValueError: there is no such file.

        Examples:
            >>> from minds.dataset import text
            >>> hasattr(text.JiebaTokenizer, "add_dict")
            True
        """
        if isinstance(user_dict, dict):
            for word, freq in user_dict.items():
                self.add_word(word, freq)
            return
        if not isinstance(user_dict, str):
            kind = type(user_dict).__name__
            raise complain(TypeError, f"user_dict has type {kind}", expected="a str or a dict")
        if not os.path.isfile(user_dict):
            raise complain(ValueError, f"user dict file {user_dict} is not exist.")
        with open(user_dict, encoding="utf-8") as f:
            for line in f:
                parts = line.split()
                if len(parts) == 2 and parts[1].isdigit():
                    self.add_word(parts[0], int(parts[1]))

    def _split(self, s):
        at = 0
        for word in self._cut(s):
            yield word, at, at + len(word.encode())
            at += len(word.encode())

    def _cut(self, s: str) -> list[str]:
        found, begin = [], 0
        for i, c in enumerate(s):
            if c in _SEPARATORS:
                found += [*self._piece(s[begin:i]), c]
                begin = i + 1
        return found + self._piece(s[begin:])

    def _piece(self, s: str) -> list[str]:
        """The words of what is between separators."""
        if not s or self.mode == JiebaMode.HMM:
            return self._model.split(s)
        words = self._words.split(s)
        if self.mode == JiebaMode.MP:
            return words
        found, single = [], ""
        for word in words:
            if len(word) == 1:
                single += word
                continue
            found += [*self._model.split(single), word]
            single = ""
        return found + self._model.split(single)


__all__ = ["JiebaMode", "JiebaTokenizer"]
