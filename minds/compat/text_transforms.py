"""`dataset.text.transforms`: what it has besides the transforms of `dataset.text`."""

from __future__ import annotations

from ..base.late import given_out
from ..dataset import text
from ..dataset.transforms.base import Implementation, PyTensorOperation, TensorOperation

TextTensorOperation = TensorOperation
DE_C_INTER_NORMALIZE_FORM = {form: form for form in text.NormalizeForm}
"""The native engine's name of a form: here the form itself."""

globals().update(given_out(text))
__all__ = [
    "DE_C_INTER_NORMALIZE_FORM",
    "Implementation",
    "PyTensorOperation",
    "TensorOperation",
    "TextTensorOperation",
    *text.__all__,
]
