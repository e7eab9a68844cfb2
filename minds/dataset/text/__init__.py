"""Transforms of text: tokenizers, vocabularies, vectors of words, and what changes strings."""

import numpy as np

from ...base.boundary import guard as _guard
from ...base.errors import complain as _complain
from .jieba import JiebaMode, JiebaTokenizer
from .sentencepiece import (
    SentencePieceModel,
    SentencePieceTokenizer,
    SentencePieceVocab,
    SPieceTokenizerLoadType,
    SPieceTokenizerOutType,
)
from .sequences import AddToken, Ngram, SlidingWindow, Truncate, TruncateSequencePair
from .strings import CaseFold, FilterWikipediaXML, NormalizeUTF8, RegexReplace, ToNumber
from .tokenizers import (
    BasicTokenizer,
    BertTokenizer,
    PythonTokenizer,
    RegexTokenizer,
    UnicodeCharTokenizer,
    UnicodeScriptTokenizer,
    WhitespaceTokenizer,
    WordpieceTokenizer,
)
from .unicode import NormalizeForm
from .vectors import CharNGram, FastText, GloVe, ToVectors, Vectors
from .vocab import Lookup, Vocab


def to_bytes(array, encoding: str = "utf8"):
    """Strings as bytes.

    Args:
        array (numpy.ndarray): of str.
        encoding (str): how characters become bytes. Default: "utf8".

    Returns:
        numpy.ndarray: of bytes.

    Raises:
        ValueError: ``array`` is no array.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import text
        >>> text.to_bytes(np.array(["é"])).tolist()
        [b'\\xc3\\xa9']
    """
    if not isinstance(array, np.ndarray):
        raise _complain(ValueError, "input should be a NumPy array.")
    return np.char.encode(array, encoding)


def to_str(array, encoding: str = "utf8"):
    """Bytes as strings.

    Args:
        array (numpy.ndarray): of bytes.
        encoding (str): how bytes become characters. Default: "utf8".

    Returns:
        numpy.ndarray: of str.

    Raises:
        TypeError: ``array`` is no array.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import text
        >>> text.to_str(np.array([b"a"])).tolist()
        ['a']
    """
    if not isinstance(array, np.ndarray):
        raise _complain(TypeError, "input should be a NumPy array.")
    return np.char.decode(array, encoding)


__all__ = [
    "JiebaMode",
    "JiebaTokenizer",
    "AddToken",
    "BasicTokenizer",
    "BertTokenizer",
    "CaseFold",
    "CharNGram",
    "FastText",
    "FilterWikipediaXML",
    "GloVe",
    "Lookup",
    "Ngram",
    "NormalizeForm",
    "NormalizeUTF8",
    "PythonTokenizer",
    "RegexReplace",
    "RegexTokenizer",
    "SPieceTokenizerLoadType",
    "SPieceTokenizerOutType",
    "SentencePieceModel",
    "SentencePieceTokenizer",
    "SentencePieceVocab",
    "SlidingWindow",
    "ToNumber",
    "ToVectors",
    "Truncate",
    "TruncateSequencePair",
    "UnicodeCharTokenizer",
    "UnicodeScriptTokenizer",
    "Vectors",
    "Vocab",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
    "to_bytes",
    "to_str",
]
_guard(__name__)
