"""The exceptions of MindRecord, named as MindSpore names them; all are RuntimeErrors."""

from __future__ import annotations


class MindRecordException(RuntimeError):
    """What all errors of MindRecord files are.

    Args:
        detail (str): what is wrong.

    Examples:
        >>> from minds.mindrecord import FileReader, errors
        >>> try:
        ...     FileReader("nothing.mindrecord")
        ... except errors.MindRecordException:
        ...     print("no such file")
        no such file
    """

    text = "{}"

    def __init__(self, detail: str = ""):
        self.error_msg = self.text.format(detail)
        super().__init__(f"[{type(self).__name__}]: {self.error_msg}")


class DamagedFile(MindRecordException):
    """A file that is missing, cut off, or not what its header or index says."""


def _kind(name: str, text: str) -> type:
    made = type(name, (MindRecordException,), {"text": text, "__module__": __name__})
    made.__doc__ = text.format("…")
    return made


_KINDS = {
    "ParamValueError": "Invalid parameter value. {}",
    "ParamTypeError": "Invalid parameter type. {}",
    "ParamMissError": "Param missing. '{}' is required.",
    "PathNotExistsError": "Invalid path. {}",
    "DbConnectionError": "Db connection is error. Detail: {}",
    "MRMOpenError": "MindRecord File could not open successfully. {}",
    "MRMOpenForAppendError": "MindRecord File could not open successfully for append. {}",
    "MRMInvalidPageSizeError": "Failed to set page size. {}",
    "MRMInvalidHeaderSizeError": "Failed to set header size. {}",
    "MRMSetHeaderError": "Failed to set header. {}",
    "MRMWriteDatasetError": "Failed to write dataset. {}",
    "MRMCommitError": "Failed to commit. {}",
    "MRMAddSchemaError": "Failed to add schema. {}",
    "MRMAddIndexError": "Failed to add index field. {}",
    "MRMGetMetaError": "Failed to get meta info. {}",
    "MRMInvalidSchemaError": "Schema format is error. Detail: {}",
    "MRMValidateDataError": "Raw data do not match the schema. Detail: {}",
    "MRMDefineIndexError": "Failed to define index field. Detail: {}",
    "MRMUnsupportedSchemaError": "Schema is not supported. Detail: {}",
    "MRMDefineCategoryError": "Failed to define category field. Detail: {}",
}
globals().update({name: _kind(name, text) for name, text in _KINDS.items()})

__all__ = ["DamagedFile", "MindRecordException", *_KINDS]
