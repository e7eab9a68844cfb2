"""Special functions under torch's names."""

from ..ops import functional as F
from .nn.functional import log_softmax

erfc, exp2, expm1, log1p, round, sinc = F.erfc, F.exp2, F.expm1, F.log1p, F.round, F.sinc

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]
