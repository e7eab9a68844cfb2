"""MindRecord: MindSpore's own files of rows, written, read and made from other files."""

from ..base.boundary import guard as _guard
from . import errors
from .converters import CsvToMR, ImageNetToMR, MnistToMR, TFRecordToMR
from .reader import FileReader, MindPage
from .writer import FileWriter, MSRStatus

SUCCESS, FAILED = MSRStatus.SUCCESS, MSRStatus.FAILED
# The exceptions, as `from minds.mindrecord import ParamValueError` asks for them.
globals().update({name: getattr(errors, name) for name in errors.__all__})

__all__ = [
    "FAILED",
    "SUCCESS",
    "CsvToMR",
    "FileReader",
    "FileWriter",
    "ImageNetToMR",
    "MindPage",
    "MnistToMR",
    "TFRecordToMR",
    "errors",
]
_guard(__name__)
