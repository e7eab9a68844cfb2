"""`_c_expression`, MindSpore's native module: the names in it that its tests and models import."""

from __future__ import annotations

import types

from ..common import dtype as typing
from ..tensor import Tensor

TensorPy = Tensor
security = types.SimpleNamespace(enable_security=lambda: False)

__all__ = ["Tensor", "TensorPy", "security", "typing"]
