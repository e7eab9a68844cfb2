"""Transforms of text: what MindSpore 2.10 gives for the same values, and its errors."""

import importlib.util

import numpy as np
import pytest

import minds as ms
import minds.dataset as ds
from minds.dataset import text

VOCAB = text.Vocab.from_list(
    ["am", "mak", "##ing", "small", "mistake", "##s", "un", "##aff", "##able", "i", "床", "前"],
    ["<pad>", "[UNK]"],
)
WORDS = "Héllo 北京 a1, [SEP]!"

TOKENS = [
    (text.UnicodeCharTokenizer(), "a 北\t", ["a", " ", "北", "\t"]),
    (text.UnicodeCharTokenizer(), "", [""]),
    (text.WhitespaceTokenizer(), "a\u3000b\tc\xa0d\u200be", ["a", "b", "c", "d\u200be"]),
    (text.WhitespaceTokenizer(), "  ", [""]),
    (text.UnicodeScriptTokenizer(), WORDS, ["Héllo", "北京", "a", "1,", "[", "SEP", "]!"]),
    (text.UnicodeScriptTokenizer(), "e\u0301ー々", ["e", "\u0301", "ー", "々"]),
    (text.UnicodeScriptTokenizer(True), "北 京", ["北", " ", "京"]),
    (text.BasicTokenizer(), WORDS, ["Héllo", "北", "京", "a1", ",", "[SEP]", "!"]),
    (text.BasicTokenizer(True, True), "É É", ["e", " ", "e"]),
    (text.BasicTokenizer(preserve_unused_token=False), "[PAD]", ["[", "PAD", "]"]),
    (text.BasicTokenizer(True), "[UNK] ﬁ\u200dx[unused7]", ["[UNK]", "fix", "[unused7]"]),
    (text.BertTokenizer(VOCAB), "am making mistakes", "am mak ##ing mistake ##s".split()),
    (text.BertTokenizer(VOCAB, lower_case=True), "I unaffable", "i un ##aff ##able".split()),
    (text.WordpieceTokenizer(VOCAB, unknown_token=""), ["unam", "ami"], ["unam", "ami"]),
    (text.WordpieceTokenizer(VOCAB), ["床", "床前"], ["床", "[UNK]"]),
    (text.WordpieceTokenizer(VOCAB, max_bytes_per_token=4), "small", ["[UNK]"]),
    (text.RegexTokenizer("[ |,]"), "Welcome |, To", ["Welcome", "To"]),
    (text.RegexTokenizer("To", "To"), "aToToc", ["a", "To", "To", "c"]),
    (text.RegexTokenizer(r"[^\p{Han}a-c]"), "ab京xc", ["ab京", "c"]),
    (text.RegexTokenizer(r"\P{L}+", r"\P{Nd}+"), "a1b--c", ["a", "b", "--", "c"]),
    (text.CaseFold(), ["ß", "ΣΑΣ", "\xad a"], ["ss", "σασ", " a"]),
    (text.NormalizeUTF8(), ["ﬁ", "2⁵"], ["fi", "25"]),
    (text.NormalizeUTF8(text.NormalizeForm.NFD), "é", "e\u0301"),
    (text.RegexReplace("a(b)?", "[$1\\$]"), "abac", "[b$][$]c"),
    (text.RegexReplace("a", "", False), ["banana", "b"], ["bnana", "b"]),
    (text.FilterWikipediaXML(), "A &nbsp;10 <b>x</b>", "a one zero"),
    (text.FilterWikipediaXML(), "#REDIRECT [[x]]", ""),
    (text.AddToken("T", False), [["a"], ["b"]], [["a", "T"], ["b", "T"]]),
    (text.Ngram([2, 5]), ["a", "b"], ["a b", ""]),
    (text.Ngram(3, ("_", 9), ("x", 1), "-"), ["a"], ["_-_-a", "_-a-x"]),
    (text.SlidingWindow(2, -1), [1, 2, 3], [[1, 2], [2, 3]]),
    (text.SlidingWindow(4), [1, 2, 3], []),
    (text.Truncate(2), [["a", "b", "c"]], [["a", "b"]]),
    (text.Lookup(VOCAB, "[UNK]", ms.float16), [["am", "x"]], [[2.0, 1.0]]),
    (text.ToNumber(ms.int8), ["1", "-5", " 3.5", "12abc", "0x10"], [1, -5, 3, 12, 0]),
    (text.ToNumber(ms.float32), ["1e3", "0x1.8p2", ".5"], [1000.0, 6.0, 0.5]),
]


@pytest.mark.parametrize("op,value,expected", TOKENS)
def test_values(op, value, expected):
    assert op(value).tolist() == expected


OFFSETS = [
    (text.WhitespaceTokenizer(True), " é 北京", [1, 4], [3, 10]),
    (text.UnicodeCharTokenizer(True), "é北", [0, 2], [2, 5]),
    (text.RegexTokenizer("x", "x", True), "axb", [0, 1, 2], [1, 2, 3]),
    (text.WhitespaceTokenizer(True), "", [0], [0]),
    (text.BertTokenizer(VOCAB, with_offsets=True), "am making", [0, 3, 6], [2, 6, 9]),
    (text.WordpieceTokenizer(VOCAB, with_offsets=True), ["unx", "am"], [0, 0], [3, 2]),
]


@pytest.mark.parametrize("op,value,begin,end", OFFSETS)
def test_offsets(op, value, begin, end):
    tokens, first, limit = op(value)
    assert (first.tolist(), limit.tolist()) == (begin, end) and len(tokens) == len(begin)
    assert first.dtype == limit.dtype == np.uint32


def test_pairs_lose_from_the_longer():
    a, b = list("abcd"), list("efg")
    kept = [tuple(len(v) for v in text.TruncateSequencePair(m)(a, b)) for m in range(9)]
    assert kept == [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 3), (4, 3)]


REFUSED = [
    (
        lambda: text.AddToken(1),
        TypeError,
        r"Argument token with value 1 is not of type \[<class 'str'",
    ),
    (lambda: text.AddToken("a", 1), TypeError, "Argument begin with value 1 is not of type"),
    (lambda: text.Truncate(True), TypeError, r"is not of type \(<class 'int'>,\), but got"),
    (
        lambda: text.Truncate(0),
        ValueError,
        r"Input max_seq_len is not within .* of \[1, 2147483647\]",
    ),
    (lambda: text.SlidingWindow(0), ValueError, "Input width is not within the required interval"),
    (lambda: text.Ngram([]), ValueError, "n needs to be a non-empty list of positive integers"),
    (lambda: text.Ngram([0]), ValueError, "Input gram_0 must be greater than 0"),
    (lambda: text.Ngram(1, ("a", -1)), ValueError, "padding width need to be positive numbers"),
    (lambda: text.Lookup(3), TypeError, "vocab is not an instance of text.Vocab."),
    (lambda: text.NormalizeUTF8(3), TypeError, "Wrong input type for normalization_form"),
    (lambda: text.WordpieceTokenizer(None), ValueError, "vocab is not provided"),
    (lambda: text.BertTokenizer(1), TypeError, "Wrong input type for vocab, should be text.Vocab"),
    (
        lambda: text.BasicTokenizer(1),
        TypeError,
        "Wrong input type for lower_case, should be boolean",
    ),
    (lambda: text.RegexTokenizer(None), ValueError, "delim_pattern is not provided"),
    (lambda: text.ToNumber(ms.bool_), TypeError, "data_type: Bool is not numeric data type"),
    (lambda: text.ToVectors(3), TypeError, "Argument vectors with value 3 is not of type"),
    (lambda: text.PythonTokenizer(3), TypeError, "tokenizer is not a callable Python function"),
    (lambda: text.WhitespaceTokenizer()(["a"]), RuntimeError, "the input shape should be scalar"),
    (lambda: text.CaseFold()(1), RuntimeError, "CaseFold: input is not string datatype"),
    (lambda: text.BasicTokenizer()(["a"]), RuntimeError, "but got a tensor with rank: 1"),
    (
        lambda: text.SlidingWindow(1, 1)([1]),
        RuntimeError,
        "axis supports 0 or -1 only for now, but got 1",
    ),
    (lambda: text.RegexReplace("(", "a")("x"), RuntimeError, "create icu RegexMatcher failed"),
    (lambda: text.Lookup(VOCAB)("x"), RuntimeError, 'token: "x" doesn\'t exist in vocab'),
    (lambda: text.Lookup(VOCAB, "y")("x"), RuntimeError, '"y" doesn\'t exist in vocab'),
    (
        lambda: text.TruncateSequencePair(1)([1]),
        RuntimeError,
        "Expected two inputs, but got 1 inputs",
    ),
    (
        lambda: text.ToNumber(ms.int8)("300"),
        RuntimeError,
        r"300 will be out of bounds .* \[-128, 127\]",
    ),
    (lambda: text.ToNumber(ms.int8)("x"), RuntimeError, 'it is invalid to convert "x" to a number'),
    (lambda: text.Vocab().vocab(), RuntimeError, "The Vocab has not built yet, got type"),
    (lambda: text.Vocab.from_list(["a", "a"]), ValueError, "word_list contains duplicate word: a"),
    (lambda: text.Vocab.from_list(["a"], ["a"]), ValueError, "contain duplicate word :{'a'}"),
    (lambda: text.Vocab.from_dict({"a": -1}), ValueError, "Input word_id is not within"),
    (lambda: text.Vocab.from_file("/nope"), RuntimeError, "Get real path failed, path=/nope"),
    (lambda: VOCAB.ids_to_tokens([-1]), ValueError, r"Input ids\[0\] is not within"),
    (lambda: VOCAB.tokens_to_ids([1]), TypeError, r"Argument tokens\[0\] with value 1"),
]


@pytest.mark.parametrize("call,kind,said", REFUSED)
def test_refused(call, kind, said):
    with pytest.raises(kind, match=said):
        call()


def rows():
    d = ds.NumpySlicesDataset({"t": ["a b a", "c d a b", "z"], "u": ["p", "q", "p"]}, shuffle=False)
    return d.map(text.WhitespaceTokenizer(), "t")


def test_vocabulary_of_a_dataset():
    made = text.Vocab.from_dataset(rows()).vocab()
    assert made == {"a": 0, "b": 1, "p": 2, "c": 3, "d": 4, "q": 5, "z": 6}
    made = text.Vocab.from_dataset(rows(), ["t", "u"], (2, None), 2, ["<s>"], False).vocab()
    assert made == {"a": 0, "b": 1, "<s>": 2}
    assert rows().build_vocab("t", None, 1, None, True).vocab() == {"a": 0}
    with pytest.raises(RuntimeError, match="column name: x does not exist"):
        text.Vocab.from_dataset(rows(), "x")
    with pytest.raises(RuntimeError, match="already in the vocab: a"):
        text.Vocab.from_dataset(rows(), "t", special_tokens=["a"])


def test_vocabulary_in_a_pipeline():
    vocab = text.Vocab.from_dataset(rows(), "t")
    d = rows().map([text.Lookup(vocab, data_type=ms.int64), text.Truncate(2)], "t").project("t")
    assert [t.tolist() for (t,) in d.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [
        [0, 1],
        [2, 3],
        [4],
    ]
    d = rows().project("u").map(text.UnicodeCharTokenizer(True), "u", ["token", "from", "to"])
    assert [r["to"].tolist() for r in d.create_dict_iterator(num_epochs=1, output_numpy=True)] == [
        [1]
    ] * 3


def test_vocabulary_of_a_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("a,1\nb,2\n c ,3\n")
    assert text.Vocab.from_file(str(path)).vocab() == {"a,1": 0, "b,2": 1, " c ,3": 2}
    made = text.Vocab.from_file(str(path), ",", 2, ["<u>"], False).vocab()
    assert made == {"a": 0, "b": 1, "<u>": 2}
    with pytest.raises(RuntimeError, match="contain duplicate word:a"):
        text.Vocab.from_file(str(path), ",", special_tokens=["a"])


def test_vectors(tmp_path):
    lines = "3 2\nok 0.1 0.2\n! 1 2\nOk 4 5\n"
    for kind, name in (
        (text.Vectors, "v.txt"),
        (text.GloVe, "glove.x.txt"),
        (text.FastText, "v.vec"),
    ):
        path = tmp_path / name
        path.write_text(lines)
        vectors = kind.from_file(str(path))
        np.testing.assert_array_equal(text.ToVectors(vectors)("ok"), np.float32([0.1, 0.2]))
        made = text.ToVectors(vectors, [9, 9], True)(["OK", "no"])
        np.testing.assert_array_equal(made, np.float32([[0.1, 0.2], [9, 9]]))
        made = text.ToVectors(kind.from_file(str(path), 2))(["Ok", "!"])
        np.testing.assert_array_equal(made, np.float32([[0, 0], [1, 2]]))
    with pytest.raises(RuntimeError, match="GloVe: invalid file, can not find file"):
        text.GloVe.from_file(str(tmp_path / "v.txt"))
    with pytest.raises(RuntimeError, match="got unk_init: 1 and vectors: 2"):
        text.ToVectors(vectors, [1])("a")
    (tmp_path / "bad.txt").write_text("a 1 2\nb 1\n")
    with pytest.raises(RuntimeError, match="all vectors must have the same number"):
        text.Vectors.from_file(str(tmp_path / "bad.txt"))


def test_vectors_of_runs_of_characters(tmp_path):
    path = tmp_path / "runs.txt"
    path.write_text("2gram-#BEGIN#o 4 5\n2gram-ok 7 8\n3gram-k#END# 1 1\n")
    vectors = text.CharNGram.from_file(str(path))
    made = text.ToVectors(vectors)(["ok", "zz"])
    np.testing.assert_array_equal(made, np.float32([[5.5, 6.5], [0, 0]]))


def test_sentencepiece(tmp_path):
    with pytest.raises(
        TypeError, match="mode is not an instance of str or text.SentencePieceVocab"
    ):
        text.SentencePieceTokenizer(3, text.SPieceTokenizerOutType.INT)
    with pytest.raises(TypeError, match="out_type is not an instance of SPieceTokenizerOutType"):
        text.SentencePieceTokenizer("a", 3)
    with pytest.raises(RuntimeError, match="The file a does not exist"):
        text.SentencePieceTokenizer("a", text.SPieceTokenizerOutType.INT)("x")
    lines = [f"the cat {i} sat on the mat and the dog ran after {i * 7} cats" for i in range(60)]
    data = ds.NumpySlicesDataset(lines, "text", shuffle=False)
    args = (["text"], 40, 0.9995, text.SentencePieceModel.UNIGRAM, {})
    if importlib.util.find_spec("sentencepiece") is None:
        with pytest.raises(ImportError, match="pip install sentencepiece"):
            text.SentencePieceVocab.from_dataset(data, *args)
        return
    vocab = text.SentencePieceVocab.from_dataset(data, *args)
    text.SentencePieceVocab.save_model(vocab, str(tmp_path), "m.model")
    out = text.SPieceTokenizerOutType
    pieces = text.SentencePieceTokenizer(vocab, out.STRING)("the cat sat")
    assert "".join(pieces.tolist()).replace("\u2581", " ").strip() == "the cat sat"
    ids = text.SentencePieceTokenizer(str(tmp_path / "m.model"), out.INT)("the cat sat")
    assert ids.dtype == np.int32 and len(ids) == len(pieces) and (ids < 40).all()


def test_transforms_that_follow_one_another_give_what_they_give_alone():
    """A tokenizer and what stands behind it hand on a list of strings instead of arrays."""
    vocab = text.Vocab.from_list(["a", "b", "##c", "[UNK]"])
    chains = [
        [text.WhitespaceTokenizer(), text.Lookup(vocab, "[UNK]"), lambda x: x + 1],
        [text.WhitespaceTokenizer(), text.CaseFold(), text.Lookup(vocab, "[UNK]", ms.int64)],
        [text.UnicodeCharTokenizer(), text.CaseFold()],
        [text.WhitespaceTokenizer(), text.WordpieceTokenizer(vocab), text.Lookup(vocab, "[UNK]")],
        [text.CaseFold(), text.WhitespaceTokenizer(), text.AddToken("T", True)],
    ]
    rows = ["a b", "B  a ", " ", "ac\tq"]
    for chain in chains:
        data = ds.NumpySlicesDataset(rows, ["t"], shuffle=False).map(chain, "t")
        for row, (made,) in zip(
            rows, data.create_tuple_iterator(num_epochs=1, output_numpy=True), strict=True
        ):
            wanted = np.array(row)
            for transform in chain:
                wanted = transform(wanted)
            assert made.dtype == wanted.dtype and made.tolist() == wanted.tolist()


def test_which_of_several_transforms_failed_is_said():
    data = ds.NumpySlicesDataset(["a", "q"], ["t"], shuffle=False)
    chain = [text.WhitespaceTokenizer(), text.Lookup(text.Vocab.from_list(["a"]))]
    with pytest.raises(RuntimeError, match=r"map operation: \[Lookup\] failed.*in row 1"):
        list(data.map(chain, "t").create_tuple_iterator(num_epochs=1))
