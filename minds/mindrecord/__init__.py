"""MindRecord: MindSpore's own files of rows, written, read and made from other files."""

from ..base.boundary import guard as _guard
from . import errors
from .cifar import Cifar10ToMR, Cifar100ToMR
from .converters import CsvToMR, ImageNetToMR, MnistToMR, TFRecordToMR
from .encryption import set_dec_mode, set_enc_key, set_enc_mode
from .reader import FileReader, MindPage
from .writer import FileWriter, MSRStatus

SUCCESS, FAILED = MSRStatus.SUCCESS, MSRStatus.FAILED
# The exceptions, as `from minds.mindrecord import ParamValueError` asks for them.
globals().update({name: getattr(errors, name) for name in errors.__all__})

__all__ = [
    "FAILED",
    "SUCCESS",
    "Cifar100ToMR",
    "Cifar10ToMR",
    "CsvToMR",
    "FileReader",
    "FileWriter",
    "ImageNetToMR",
    "MindPage",
    "MnistToMR",
    "TFRecordToMR",
    "errors",
    "set_dec_mode",
    "set_enc_key",
    "set_enc_mode",
]
_guard(__name__)
