"""`minds.common.parameter`: MindSpore's place for `Parameter` and `ParameterTuple`."""

from ..tensor import Parameter, ParameterTuple

__all__ = ["Parameter", "ParameterTuple"]
