"""MindRecord: MindSpore's own files of rows, written, read and made from other files."""

from ..base.boundary import guard as _guard
from . import errors
from .reader import FileReader, MindPage
from .writer import FileWriter, MSRStatus

SUCCESS, FAILED = MSRStatus.SUCCESS, MSRStatus.FAILED
__all__ = ["FAILED", "SUCCESS", "FileReader", "FileWriter", "MindPage", "errors"]
_guard(__name__)
