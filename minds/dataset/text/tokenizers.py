"""Tokenizers: one string becomes many, by characters, white space, scripts, expressions and words."""

from __future__ import annotations

import re
import unicodedata

import numpy as np

from ...base.errors import complain
from ..arguments import NotNone, Worded, flag, takes, unsigned, word
from ..recorded import Recorded
from .base import Tokenizer, fault
from .scripts import script_of
from .strings import normal_form
from .unicode import WHITE, NormalizeForm, casefold, compiled, normalize
from .vocab import Vocab


class UnicodeCharTokenizer(Tokenizer):
    """A string as its characters.

    Args:
        with_offsets (bool): whether the first byte of each token and the byte behind it are given
            too. Default: False.

    Raises:
        TypeError: ``with_offsets`` is no bool.
        RuntimeError: the value is no scalar string (raised when the transform is called).

    Examples:
        >>> from minds.dataset import text
        >>> text.UnicodeCharTokenizer()("a b").tolist()
        ['a', ' ', 'b']
    """

    @takes(with_offsets=flag)
    def __init__(self, with_offsets=False):
        pass

    def _spans(self, s):
        return ((i, i + 1) for i in range(len(s)))


def runs(s: str, key):
    """The maximal runs of characters of one key: first character, character behind, key."""
    begin, last = 0, None
    for i, c in enumerate(s):
        here = key(c)
        if i and here != last:
            yield begin, i, last
            begin = i
        last = here
    if s:
        yield begin, len(s), last


_NOT_WHITE = re.compile(f"[^{re.escape(''.join(sorted(WHITE)))}]+")


class WhitespaceTokenizer(Tokenizer):
    """A string split at white space.

    Args:
        with_offsets (bool): whether the first byte of each token and the byte behind it are given
            too. Default: False.

    Raises:
        TypeError: ``with_offsets`` is no bool.
        RuntimeError: the value is no scalar string (raised when the transform is called).

    Examples:
        >>> from minds.dataset import text
        >>> text.WhitespaceTokenizer()("Welcome   to Beijing!").tolist()
        ['Welcome', 'to', 'Beijing!']
    """

    @takes(with_offsets=flag)
    def __init__(self, with_offsets=False):
        pass

    def _spans(self, s):
        return [found.span() for found in _NOT_WHITE.finditer(s)]

    def _tokens(self, s):
        return _NOT_WHITE.findall(s)


class UnicodeScriptTokenizer(Tokenizer):
    """A string split where the script changes: Latin, Han, common characters such as digits, …

    Args:
        keep_whitespace (bool): whether white space is a token. Default: False.
        with_offsets (bool): whether the first byte of each token and the byte behind it are given
            too. Default: False.

    Raises:
        TypeError: an argument is no bool.
        RuntimeError: the value is no scalar string (raised when the transform is called).

    Examples:
        >>> from minds.dataset import text
        >>> text.UnicodeScriptTokenizer()("北京 2008 go").tolist()
        ['北京', '2008', 'go']
    """

    @takes(keep_whitespace=flag, with_offsets=flag)
    def __init__(self, keep_whitespace=False, with_offsets=False):
        pass

    def _spans(self, s):
        for a, b, (white, _) in runs(s, lambda c: (c in WHITE, script_of(c))):
            if self.keep_whitespace or not white:
                yield a, b


class RegexTokenizer(Tokenizer):
    """A string split where a regular expression matches.

    Args:
        delim_pattern (str): what is between the tokens, in ICU's syntax.
        keep_delim_pattern (str): what is between and matches this is a token too. Default: "".
        with_offsets (bool): whether the first byte of each token and the byte behind it are given
            too. Default: False.

    Raises:
        ValueError: ``delim_pattern`` is None.
        TypeError: an argument has a wrong type.
        RuntimeError: a pattern is no regular expression, or the value no scalar string (raised when
            the transform is called).

    Examples:
        >>> from minds.dataset import text
        >>> text.RegexTokenizer("[ |,]")("Welcome |, To |, Beijing!").tolist()
        ['Welcome', 'To', 'Beijing!']
    """

    @takes(delim_pattern=NotNone(word), keep_delim_pattern=word, with_offsets=flag)
    def __init__(self, delim_pattern, keep_delim_pattern="", with_offsets=False):
        pass

    def _spans(self, s):
        keep = self.keep_delim_pattern and compiled(self.keep_delim_pattern, "RegexTokenizer")
        at = 0
        for m in compiled(self.delim_pattern, "RegexTokenizer").finditer(s):
            if at < m.start():
                yield at, m.start()
            if keep and m.end() > m.start() and keep.fullmatch(m.group()):
                yield m.span()
            at = m.end()
        if at < len(s):
            yield at, len(s)


_UNUSED = re.compile(r"\[(?:CLS|SEP|UNK|PAD|MASK|unused\d+)\]")
_ALONE = re.compile(
    "[!-/:-@\\[-`{-~\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f"
    "\U0002b740-\U0002b81f\U0002b820-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f]"
)


class BasicTokenizer(Tokenizer):
    """A string split as BERT does: at white space, punctuation, and around each ideograph.

    Args:
        lower_case (bool): whether the string is folded to lower case and loses its accents; it is
            not brought to ``normalization_form`` then. Default: False.
        keep_whitespace (bool): whether white space is a token. Default: False.
        normalization_form (NormalizeForm): what the string is brought to. Default:
            ``NormalizeForm.NONE``.
        preserve_unused_token (bool): whether ``[CLS]``, ``[SEP]``, ``[UNK]``, ``[PAD]``, ``[MASK]``
            and ``[unused7]`` stay as they are. Default: True.
        with_offsets (bool): whether the first byte of each token and the byte behind it, in the
            string as it is split, are given too. Default: False.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: the value is no scalar string (raised when the transform is called).

    Examples:
        >>> from minds.dataset import text
        >>> text.BasicTokenizer(lower_case=True)("Été à 北京! [SEP]").tolist()
        ['ete', 'a', '北', '京', '!', '[SEP]']
    """

    @takes(
        lower_case=flag,
        keep_whitespace=flag,
        preserve_unused_token=flag,
        with_offsets=flag,
        normalization_form=normal_form,
    )
    def __init__(
        self,
        lower_case=False,
        keep_whitespace=False,
        normalization_form=NormalizeForm.NONE,
        preserve_unused_token=True,
        with_offsets=False,
    ):
        pass

    def _refusal(self, a):
        if a.ndim:
            rank = f"but got a tensor with rank: {a.ndim}"
            return f"BasicTokenizer: the input should be a scalar, {rank}"
        return "BasicTokenizer: the input should be of type string."

    def _split(self, s):
        return super()._split(self._prepared(s))

    def _spans(self, s):
        at = 0
        for begin, end in self._kept(s):
            yield from self._plain(s, at, begin)
            if end > begin:
                yield begin, end
            at = end

    def _kept(self, s):
        """The places of the tokens that stay as they are, and the end."""
        if self.preserve_unused_token:
            yield from (m.span() for m in _UNUSED.finditer(s))
        yield len(s), len(s)

    def _plain(self, s, begin, end):
        def kind(i):
            c = s[i]
            if c in WHITE:
                return -1
            return i if _ALONE.match(c) or unicodedata.category(c)[0] == "P" else -2

        for a, b, found in runs(range(begin, end), kind):
            if found != -1 or self.keep_whitespace:
                yield begin + a, begin + b

    def _prepared(self, s):
        parts, at = [], 0
        for begin, end in self._kept(s):
            parts += [self._folded(s[at:begin]), s[begin:end]]
            at = end
        s = "".join(parts) if self.lower_case else normalize(s, self.normalization_form)
        return "".join([" " if unicodedata.category(c) in ("Cc", "Cf") else c for c in s])

    def _folded(self, s):
        s = unicodedata.normalize("NFD", casefold(s))
        return "".join([c for c in s if unicodedata.category(c) != "Mn"])


class WordpieceTokenizer(Tokenizer):
    """Words split into the longest pieces that a vocabulary has.

    Args:
        vocab (Vocab): the pieces.
        suffix_indicator (str): what a piece that does not begin a word begins with. Default: "##".
        max_bytes_per_token (int): longer words are not split. Default: 100.
        unknown_token (str): what a word becomes that cannot be split; empty if it stays as it is.
            Default: "[UNK]".
        with_offsets (bool): whether the first byte of each token in its word and the byte behind it
            are given too. Default: False.

    Raises:
        ValueError: ``vocab`` is None, or ``max_bytes_per_token`` is out of range.
        TypeError: an argument has a wrong type.
        RuntimeError: the value is no string or vector of strings (raised when the transform is
            called).

    Examples:
        >>> from minds.dataset import text
        >>> vocab = text.Vocab.from_list(["want", "##ed", "un", "##want"])
        >>> text.WordpieceTokenizer(vocab)(["unwanted", "want", "sun"]).tolist()
        ['un', '##want', '##ed', 'want', '[UNK]']
    """

    _ranks = (0, 1)
    _not_text = "The input shape should be 1D scalar the input datatype should be string."

    @takes(
        vocab=NotNone(Worded(Vocab, "text.Vocab object")),
        suffix_indicator=word,
        unknown_token=word,
        with_offsets=flag,
        max_bytes_per_token=unsigned,
    )
    def __init__(
        self,
        vocab,
        suffix_indicator="##",
        max_bytes_per_token=100,
        unknown_token="[UNK]",
        with_offsets=False,
    ):
        self._ids = vocab.vocab()

    def _split(self, s):
        size = len(s.encode())
        unknown = self.unknown_token or s
        if size > self.max_bytes_per_token:
            return [(unknown, 0, len(unknown.encode()))]
        pieces, at, byte = [], 0, 0
        while at < len(s):
            for end in range(len(s), at, -1):
                piece = (self.suffix_indicator if at else "") + s[at:end]
                if piece in self._ids:
                    break
            else:
                return [(unknown, 0, size)]
            behind = byte + len(s[at:end].encode())
            pieces.append((piece, byte, behind))
            at, byte = end, behind
        return pieces


def _bytes(name: str, value) -> None:
    Worded(int, "int")(name, value)
    unsigned(name, value)


class BertTokenizer(Tokenizer):
    """A string split as by `BasicTokenizer`, and its words as by `WordpieceTokenizer`.

    Args:
        vocab (Vocab): as of `WordpieceTokenizer`.
        suffix_indicator (str): as of `WordpieceTokenizer`. Default: "##".
        max_bytes_per_token (int): as of `WordpieceTokenizer`. Default: 100.
        unknown_token (str): as of `WordpieceTokenizer`. Default: "[UNK]".
        lower_case (bool): as of `BasicTokenizer`. Default: False.
        keep_whitespace (bool): as of `BasicTokenizer`. Default: False.
        normalization_form (NormalizeForm): as of `BasicTokenizer`. Default: ``NormalizeForm.NONE``.
        preserve_unused_token (bool): as of `BasicTokenizer`. Default: True.
        with_offsets (bool): whether the first byte of each token and the byte behind it, in the
            string as it is split, are given too. Default: False.

    Raises:
        ValueError: ``vocab`` is None, or ``max_bytes_per_token`` is out of range.
        TypeError: an argument has a wrong type.
        RuntimeError: the value is no scalar string (raised when the transform is called).

    Examples:
        >>> from minds.dataset import text
        >>> vocab = text.Vocab.from_list(["i", "am", "mak", "##ing", "[SEP]"])
        >>> text.BertTokenizer(vocab, lower_case=True)("I am making [SEP]").tolist()
        ['i', 'am', 'mak', '##ing', '[SEP]']
    """

    @takes(
        vocab=NotNone(Worded(Vocab, "text.Vocab object"), "vacab is not provided."),
        suffix_indicator=word,
        max_bytes_per_token=_bytes,
        unknown_token=word,
        lower_case=flag,
        keep_whitespace=flag,
        preserve_unused_token=flag,
        with_offsets=flag,
        normalization_form=normal_form,
    )
    def __init__(
        self,
        vocab,
        suffix_indicator="##",
        max_bytes_per_token=100,
        unknown_token="[UNK]",
        lower_case=False,
        keep_whitespace=False,
        normalization_form=NormalizeForm.NONE,
        preserve_unused_token=True,
        with_offsets=False,
    ):
        self._words = BasicTokenizer(
            lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets
        )
        self._pieces = WordpieceTokenizer(
            vocab, suffix_indicator, max_bytes_per_token, unknown_token, with_offsets
        )

    def _refusal(self, a):
        return self._words._refusal(a)

    def _split(self, s):
        for token, first, _ in self._words._split(s):
            for piece, begin, end in self._pieces._split(token):
                yield piece, first + begin, first + end


class PythonTokenizer(Recorded):
    """A function of the user's as a tokenizer.

    Args:
        tokenizer (Callable): called with each string, returns its tokens; of an array all have as many.

    Raises:
        TypeError: ``tokenizer`` cannot be called, or the value is no array.
        RuntimeError: ``tokenizer`` raised (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import text
        >>> split = text.PythonTokenizer(str.split)
        >>> split(np.array("a b")).tolist()
        ['a', 'b']
    """

    def __init__(self, tokenizer):
        if not callable(tokenizer):
            raise complain(TypeError, "tokenizer is not a callable Python function.")
        self.tokenizer = tokenizer

    def __call__(self, in_array):
        if not isinstance(in_array, np.ndarray):
            raise complain(TypeError, f"input should be a NumPy array. Got {type(in_array)}.")
        if in_array.dtype.kind == "S":
            in_array = np.char.decode(in_array, "utf-8")
        try:
            found = [np.array(self.tokenizer(s), np.str_) for s in in_array.ravel().tolist()]
            return np.stack(found).reshape(*in_array.shape, -1)
        except Exception as e:
            name = getattr(self.tokenizer, "__name__", type(self.tokenizer).__name__)
            raise fault(f"Error occurred in Pyfunc [{name}], error message: {e}") from e
