"""Vocabularies: which number a word has."""

from __future__ import annotations

import collections
import itertools

import numpy as np

from ...base import dtype as dt
from ...base.errors import complain
from ..arguments import INT32, Number, check_type, takes
from ..transforms.base import stands_for_text
from .base import TextTransform, fault

_IDS = Number((int, np.integer), 0, INT32)
_SIZES = Number((int,))


def _words(name: str, value) -> None:
    """The rule for a list of different words.

    Raises:
        TypeError: it is no list of str.
        ValueError: a word comes twice.
    """
    check_type(name, value, (list,))
    seen = set()
    for w in value:
        check_type(name, w, (str,))
        if w in seen:
            raise complain(ValueError, f"{name} contains duplicate word: {w}.")
        seen.add(w)


def _positive(name: str, value) -> None:
    if value is not None:
        _SIZES(name, value)
        if value <= 0:
            raise complain(ValueError, f"Input {name} must be greater than 0.")


def _common(special_tokens, special_first) -> None:
    if special_tokens is not None:
        _words("special_tokens", special_tokens)
    check_type("special_first", special_first, (bool,))


def _range(freq_range) -> tuple:
    """``freq_range`` with numbers for its ends.

    Raises:
        TypeError: it is no tuple.
        ValueError: it is no interval.
    """
    if freq_range is None:
        return 0, np.inf
    check_type("freq_range", freq_range, (tuple,))
    if len(freq_range) != 2:
        raise complain(ValueError, "freq_range needs to be a tuple of 2 element.")
    if any(n is not None and not isinstance(n, int) for n in freq_range):
        said = "freq_range needs to be either None or a tuple of 2 integers or an int and a None."
        raise complain(ValueError, said)
    low, high = 0 if freq_range[0] is None else freq_range[0], freq_range[1]
    high = np.inf if high is None else high
    if low < 0 or low > high:
        said = "frequency range [a,b] should be 0 <= a <= b (a,b are inclusive)."
        raise complain(ValueError, said)
    return low, high


class Vocab:
    """Words and their numbers; made by `from_list`, `from_dict`, `from_file` or `from_dataset`.

    Examples:
        >>> from minds.dataset import text
        >>> vocab = text.Vocab.from_list(["home", "behind"], special_tokens=["<unk>"])
        >>> vocab.vocab()
        {'<unk>': 0, 'home': 1, 'behind': 2}
        >>> vocab.tokens_to_ids(["behind", "home"]), vocab.ids_to_tokens(0)
        ([2, 1], '<unk>')
    """

    def __init__(self):
        self._ids = self._tokens = None

    @classmethod
    def _of(cls, ids: dict) -> Vocab:
        made = cls()
        made._ids, made._tokens = ids, {i: w for w, i in ids.items()}
        return made

    @classmethod
    def _numbered(cls, words, special_tokens, special_first: bool) -> Vocab:
        special = special_tokens or []
        words = [*special, *words] if special_first else [*words, *special]
        return cls._of({w: i for i, w in enumerate(words)})

    @classmethod
    def from_list(
        cls, word_list: list, special_tokens: list | None = None, special_first: bool = True
    ) -> Vocab:
        """A vocabulary of the words of a list, in its order.

        Args:
            word_list (list[str]): different words.
            special_tokens (list[str], optional): more words. Default: None.
            special_first (bool): whether these come first. Default: True.

        Returns:
            Vocab: with the numbers from 0.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: a word comes twice.

        Examples:
            >>> from minds.dataset import text
            >>> text.Vocab.from_list(["a", "b"]).vocab()
            {'a': 0, 'b': 1}
        """
        _words("word_list", word_list)
        _common(special_tokens, special_first)
        both = set(word_list) & set(special_tokens or [])
        if both:
            said = f"special_tokens and word_list contain duplicate word :{both}."
            raise complain(ValueError, said)
        return cls._numbered(word_list, special_tokens, special_first)

    @classmethod
    def from_dict(cls, word_dict: dict) -> Vocab:
        """A vocabulary of the words of a dict, with its numbers.

        Args:
            word_dict (dict): word → number, at least 0.

        Returns:
            Vocab: of these.

        Raises:
            TypeError: a word is no str, or a number no int.
            ValueError: a number is out of range.

        Examples:
            >>> from minds.dataset import text
            >>> text.Vocab.from_dict({"home": 3, "behind": 2}).tokens_to_ids("home")
            3
        """
        check_type("word_dict", word_dict, (dict,))
        for w, i in word_dict.items():
            check_type("word", w, (str,))
            Number((int,), 0, INT32)("word_id", i)
        return cls._of(dict(word_dict))

    @classmethod
    def from_file(
        cls,
        file_path: str,
        delimiter: str = "",
        vocab_size: int | None = None,
        special_tokens: list | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """A vocabulary of the lines of a file.

        Args:
            file_path (str): a UTF-8 file with a word per line.
            delimiter (str): what ends the word of a line. Default: "", the end of the line does.
            vocab_size (int, optional): how many words are read. Default: all.
            special_tokens (list[str], optional): more words. Default: None.
            special_first (bool): whether these come first. Default: True.

        Returns:
            Vocab: with the numbers from 0.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: ``vocab_size`` is not positive, or a special token comes twice.
            RuntimeError: there is no such file, or a word comes twice.

        Examples:
            >>> import os, tempfile
            >>> from minds.dataset import text
            >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
            >>> _ = open(path, "w").write("home 12\\nbehind 7\\n")
            >>> text.Vocab.from_file(path, " ").vocab()
            {'home': 0, 'behind': 1}
        """
        check_type("file_path", file_path, (str,))
        check_type("delimiter", delimiter, (str,))
        _positive("vocab_size", vocab_size)
        _common(special_tokens, special_first)
        try:
            with open(file_path, encoding="utf-8", newline="\n") as file:
                lines = [line.rstrip("\n") for line in itertools.islice(file, vocab_size)]
        except OSError:
            raise fault(f"Get real path failed, path={file_path}") from None
        words = [line.split(delimiter)[0] if delimiter else line for line in lines]
        seen = set()
        for w in words:
            if w in seen:
                raise fault(f"from_file: word_list contains duplicate word:{w}")
            seen.add(w)
        for w in special_tokens or []:
            if w in seen:
                said = f"special_tokens and word_list contain duplicate word:{w}"
                raise fault(f"from_file: {said}")
        return cls._numbered(words, special_tokens, special_first)

    @classmethod
    def from_dataset(
        cls,
        dataset,
        columns=None,
        freq_range: tuple | None = None,
        top_k: int | None = None,
        special_tokens: list | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """A vocabulary of the words of a dataset, the most frequent first, equals in their order as
        bytes.

        Args:
            dataset (Dataset): what is read, once.
            columns (str, list[str], optional): of strings. Default: all.
            freq_range (tuple, optional): how often a word comes at least and at most; None as an
                end leaves it open. Default: None.
            top_k (int, optional): how many words are taken at most. Default: all.
            special_tokens (list[str], optional): more words. Default: None.
            special_first (bool): whether these come first. Default: True.

        Returns:
            Vocab: with the numbers from 0.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: an argument is out of range.
            RuntimeError: a column does not exist or holds no strings, or a special token is among
                the words.

        Examples:
            >>> import minds.dataset as ds
            >>> from minds.dataset import text
            >>> d = ds.NumpySlicesDataset([["a", "b"], ["b", "c"]], "words", shuffle=False)
            >>> text.Vocab.from_dataset(d, "words").vocab()
            {'b': 0, 'a': 1, 'c': 2}
        """
        names = columns if isinstance(columns, list) or columns is None else [columns]
        for i, name in enumerate(names or []):
            check_type(f"col[{i}]", name, (str,))
        low, high = _range(freq_range)
        check_type("top_k", top_k, (int, type(None)))
        _positive("top_k", top_k)
        _common(special_tokens, special_first)
        counts = _counted(dataset, names or dataset.get_col_names())
        both = [w for w in special_tokens or [] if w in counts]
        if both:
            said = "Invalid special words, these special words are already in the vocab: "
            raise fault(said + " ".join(both))
        words = [w for w, n in counts.items() if low <= n <= high]
        words.sort(key=lambda w: (-counts[w], w))
        return cls._numbered(words[:top_k], special_tokens, special_first)

    def _built(self) -> dict:
        if self._ids is None:
            raise complain(
                RuntimeError,
                f"The Vocab has not built yet, got type {type(None)}. Use Vocab.from_dataset(), "
                "Vocab.from_list(), Vocab.from_file() or Vocab.from_dict() to build a Vocab.",
            )
        return self._ids

    def vocab(self) -> dict:
        """The words and their numbers.

        Returns:
            dict: word → number.

        Raises:
            RuntimeError: the vocabulary was not built.

        Examples:
            >>> from minds.dataset import text
            >>> text.Vocab.from_list(["a"]).vocab()
            {'a': 0}
        """
        return dict(self._built())

    def tokens_to_ids(self, tokens):
        """The numbers of words.

        Args:
            tokens (str, list[str], numpy.ndarray): the words.

        Returns:
            int, list[int]: the numbers, -1 for a word that is not there; of one word, its number.

        Raises:
            TypeError: ``tokens`` are no words.

        Examples:
            >>> from minds.dataset import text
            >>> text.Vocab.from_list(["a", "b"]).tokens_to_ids(["b", "x"])
            [1, -1]
        """
        ids = self._built()
        check_type("tokens", tokens, (str, list, np.ndarray))
        words = tokens.tolist() if isinstance(tokens, np.ndarray) else tokens
        words = [words] if isinstance(words, str) else words
        for i, w in enumerate(words):
            check_type(f"tokens[{i}]", w, (str, np.str_))
        found = [ids.get(w, -1) for w in words]
        return found[0] if len(found) == 1 else found

    def ids_to_tokens(self, ids):
        """The words of numbers.

        Args:
            ids (int, list[int], numpy.ndarray): the numbers.

        Returns:
            str, list[str]: the words, "" for a number that is not there; of one number, its word.

        Raises:
            TypeError: ``ids`` are no numbers.
            ValueError: one is out of range.

        Examples:
            >>> from minds.dataset import text
            >>> text.Vocab.from_list(["a", "b"]).ids_to_tokens([1, 0])
            ['b', 'a']
        """
        self._built()
        check_type("ids", ids, (int, list, np.ndarray))
        numbers = ids.tolist() if isinstance(ids, np.ndarray) else ids
        if isinstance(numbers, int):
            _IDS("ids", numbers)
            numbers = [numbers]
        for i, n in enumerate(numbers):
            _IDS(f"ids[{i}]", n)
        found = [self._tokens.get(int(n), "") for n in numbers]
        return found[0] if len(found) == 1 else found


def _counted(dataset, names) -> collections.Counter:
    """How often each string comes in the columns of a dataset.

    Raises:
        RuntimeError: a column does not exist, comes twice or holds no strings.
    """
    have = dataset.get_col_names()
    for name in names:
        if name not in have:
            raise fault(
                f"Invalid column name, column name: {name} does not exist, check existed column "
                "with dataset API 'get_col_names'"
            )
        if names.count(name) > 1:
            said = f"duplicate column names are not allowed: {name}"
            raise fault(f"BuildVocabNode: 'columns' : Invalid parameter, {said}")
    counts = collections.Counter()
    for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
        for name in names:
            if row[name].dtype.kind != "U":
                raise fault(
                    "Invalid datatype, 'build_vocab' only supports string type of input, but got "
                    f"numeric type: {row[name].dtype}"
                )
            counts.update(row[name].ravel().tolist())
    return counts


def _built_vocab(name: str, value) -> None:
    check_type(f"{name} is not an instance of text.Vocab.", value, (Vocab,))
    if value._ids is None:
        said = "vocab.c_vocab is not an instance of cde.Vocab."
        check_type(said, None, (Vocab,))


def _optional_word(name: str, value) -> None:
    if value is not None:
        check_type(name, value, (str,))


def _dtype(name: str, value) -> None:
    if not stands_for_text(value):  # which is refused when words are looked up
        check_type(name, value, (dt.DType,))


class Lookup(TextTransform):
    """Words as their numbers in a vocabulary.

    Args:
        vocab (Vocab): the vocabulary.
        unknown_token (str, optional): the word whose number those get that are not there. Default:
            None, these are an error.
        data_type (dtype): of the numbers. Default: ``minds.int32``.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: a word, or ``unknown_token``, is not in the vocabulary (raised when the
            transform is called).

    Examples:
        >>> from minds.dataset import text
        >>> vocab = text.Vocab.from_list(["home", "behind", "[UNK]"])
        >>> text.Lookup(vocab, "[UNK]")(["behind", "the"]).tolist()
        [1, 2]
    """

    _gives_text = False

    @takes(unknown_token=_optional_word, vocab=_built_vocab, data_type=_dtype)
    def __init__(self, vocab, unknown_token=None, data_type=dt.int32):
        self._ids = vocab.vocab()

    def _joins(self, follows):
        return follows

    def _make(self, a):
        return self._of_list(a.ravel().tolist()).reshape(a.shape)

    def _of_list(self, words):
        other = None
        if self.unknown_token is not None:
            other = self._ids.get(self.unknown_token)
            if other is None:
                raise fault(f'Lookup: "{self.unknown_token}" doesn\'t exist in vocab.')
        if stands_for_text(self.data_type) or self.data_type.kind not in "biuf":
            raise fault("Lookup : The parameter data_type must be numeric including bool.")
        known = self._ids.get
        found = [known(w, other) for w in words]
        if None in found:
            word = words[found.index(None)]
            said = f'token: "{word}" doesn\'t exist in vocab and no unknown token is specified.'
            raise fault(f"Lookup: invalid data, {said}")
        return np.array(found, np.int64).astype(self.data_type.np)

    def _of_lists(self, lists):
        numbers = self._of_list([w for words in lists for w in words])
        ends = itertools.accumulate(map(len, lists))
        return [numbers[end - len(words) : end] for words, end in zip(lists, ends)]
