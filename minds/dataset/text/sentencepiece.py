"""Pieces of words by SentencePiece, through its package, which need not be installed."""

from __future__ import annotations

import io
import os
from enum import IntEnum

import numpy as np

from ...base.errors import complain
from ..arguments import check_type, takes, unsigned
from .base import TextTransform, fault


def _package():
    """The package `sentencepiece`.

    Raises:
        ImportError: it is not installed.
    """
    try:
        import sentencepiece
    except ImportError:
        said = "SentencePiece needs the package 'sentencepiece', which is not installed"
        raise complain(ImportError, said, cure="pip install sentencepiece") from None
    return sentencepiece


class SentencePieceModel(IntEnum):
    """How pieces are chosen.

    Examples:
        >>> from minds.dataset import text
        >>> text.SentencePieceModel.BPE.value
        1
    """

    UNIGRAM = 0
    BPE = 1
    CHAR = 2
    WORD = 3


class SPieceTokenizerLoadType(IntEnum):
    """Where a model comes from.

    Examples:
        >>> from minds.dataset import text
        >>> text.SPieceTokenizerLoadType.FILE.value
        0
    """

    FILE = 0
    MODEL = 1


class SPieceTokenizerOutType(IntEnum):
    """What a tokenizer gives.

    Examples:
        >>> from minds.dataset import text
        >>> text.SPieceTokenizerOutType.INT.value
        1
    """

    STRING = 0
    INT = 1


class SentencePieceVocab:
    """A model of SentencePiece's, made by `from_file` or `from_dataset`; it needs the package
    ``sentencepiece``.

    Examples:
        >>> from minds.dataset import text
        >>> text.SentencePieceVocab().model is None
        True
    """

    def __init__(self):
        self.model = None

    @classmethod
    def from_dataset(cls, dataset, col_names, vocab_size, character_coverage, model_type, params):
        """A model trained on the strings of a dataset.

        Args:
            dataset (Dataset): what is read, once.
            col_names (list[str]): columns of strings.
            vocab_size (int): how many pieces.
            character_coverage (float): which part of the characters has pieces.
            model_type (SentencePieceModel): how pieces are chosen.
            params (dict): more arguments of SentencePiece's trainer.

        Returns:
            SentencePieceVocab: the model.

        Raises:
            TypeError: an argument has a wrong type.
            ImportError: ``sentencepiece`` is not installed.
            RuntimeError: SentencePiece refuses to train.

        Examples:
            >>> from minds.dataset import text
            >>> callable(text.SentencePieceVocab.from_dataset)
            True
        """
        check_type("col_names", col_names, (list, tuple))
        for i, name in enumerate(col_names):
            check_type(f"col_names[{i}]", name, (str,))
        if vocab_size is None:
            raise complain(TypeError, "vocab_size must be provided.")
        rows = dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
        sentences = (s for row in rows for name in col_names for s in row[name].ravel().tolist())
        return cls._trained(
            vocab_size, character_coverage, model_type, params, sentence_iterator=sentences
        )

    @classmethod
    def from_file(cls, file_path, vocab_size, character_coverage, model_type, params):
        """A model trained on the lines of files.

        Args:
            file_path (list[str]): the files.
            vocab_size (int): how many pieces.
            character_coverage (float): which part of the characters has pieces.
            model_type (SentencePieceModel): how pieces are chosen.
            params (dict): more arguments of SentencePiece's trainer.

        Returns:
            SentencePieceVocab: the model.

        Raises:
            TypeError: an argument has a wrong type.
            ImportError: ``sentencepiece`` is not installed.
            RuntimeError: there is no such file, or SentencePiece refuses to train.

        Examples:
            >>> from minds.dataset import text
            >>> callable(text.SentencePieceVocab.from_file)
            True
        """
        check_type("file_path", file_path, (list,))
        for path in file_path:
            if not os.path.isfile(path):
                raise fault(f"SentencePieceVocab: The file {path} does not exist.")
        paths = {"input": ",".join(file_path)}
        return cls._trained(vocab_size, character_coverage, model_type, params, **paths)

    @classmethod
    def _trained(cls, vocab_size, character_coverage, model_type, params, **source):
        unsigned("vocab_size", vocab_size)
        check_type("character_coverage", character_coverage, (float,))
        check_type("model_type", model_type, (str, SentencePieceModel))
        check_type("params", params, (dict,))
        kind = model_type.name if isinstance(model_type, SentencePieceModel) else model_type
        written = io.BytesIO()
        try:
            _package().SentencePieceTrainer.train(
                **source,
                model_writer=written,
                vocab_size=vocab_size,
                character_coverage=character_coverage,
                model_type=kind.lower(),
                minloglevel=2,
                **params,
            )
        except (RuntimeError, OSError, ValueError) as e:
            raise fault(f"SentencePieceVocab: the training failed: {e}") from None
        made = cls()
        made.model = written.getvalue()
        return made

    @classmethod
    def save_model(cls, vocab, path, filename):
        """Write a model to a file.

        Args:
            vocab (SentencePieceVocab): the model.
            path (str): the folder.
            filename (str): the name of the file.

        Raises:
            TypeError: an argument has a wrong type.
            RuntimeError: the model was not made, or the file cannot be written.

        Examples:
            >>> from minds.dataset import text
            >>> callable(text.SentencePieceVocab.save_model)
            True
        """
        check_type("vocab", vocab, (SentencePieceVocab,))
        check_type("path", path, (str,))
        check_type("filename", filename, (str,))
        if vocab.model is None:
            raise fault("SentencePieceVocab: the model was not made by from_file or from_dataset")
        try:
            with open(os.path.join(path, filename), "wb") as file:
                file.write(vocab.model)
        except OSError as e:
            raise fault(f"SentencePieceVocab: the model cannot be written: {e}") from None


def _model(name: str, value) -> None:
    said = f"{name} is not an instance of str or text.SentencePieceVocab."
    check_type(said, value, (str, SentencePieceVocab))


def _out_type(name: str, value) -> None:
    check_type(
        f"{name} is not an instance of SPieceTokenizerOutType", value, (SPieceTokenizerOutType,)
    )


class SentencePieceTokenizer(TextTransform):
    """A string split into the pieces of a model of SentencePiece's; it needs the package
    ``sentencepiece``.

    Args:
        mode (str, SentencePieceVocab): the model, or the path of its file.
        out_type (SPieceTokenizerOutType): whether pieces or their numbers are given.

    Raises:
        TypeError: an argument has a wrong type.
        ImportError: ``sentencepiece`` is not installed (raised when the transform is called).
        RuntimeError: there is no such file or no model in it, or the value is no scalar string
            (raised when the transform is called).

    Examples:
        >>> from minds.dataset import text
        >>> op = text.SentencePieceTokenizer("m.model", text.SPieceTokenizerOutType.STRING)
        >>> op.mode
        'm.model'
    """

    _not_text = "the input shape should be scalar and the input datatype should be string."

    @takes(mode=_model, out_type=_out_type)
    def __init__(self, mode, out_type):
        self._processor = None

    def __getstate__(self):
        return {**self.__dict__, "_processor": None}

    def _loaded(self):
        if self._processor is None:
            model = self.mode
            if isinstance(model, str):
                if not os.path.isfile(model):
                    raise fault(f"SentencePieceTokenizer: The file {model} does not exist.")
                with open(model, "rb") as file:
                    data = file.read()
            else:
                data = model.model
            if not data:
                raise fault("SentencePieceTokenizer: the model is empty")
            try:
                self._processor = _package().SentencePieceProcessor(model_proto=data)
            except RuntimeError as e:
                raise fault(f"SentencePieceTokenizer: there is no model: {e}") from None
        return self._processor

    def _make(self, a):
        if a.ndim:
            raise fault(self._refusal(a))
        strings = self.out_type == SPieceTokenizerOutType.STRING
        made = self._loaded().encode(a.item(), out_type=str if strings else int)
        return np.array(made, np.str_ if strings else np.int32)
