"""`nn.layer.normalization`: the layers that normalise, and the base of those of batches, by which models tell
them from others.
"""

from ..base.late import all_of, late
from ..nn.layer.batch_norm import _BatchNorm as _BatchNorm

__all__ = []
__getattr__, __dir__ = late(__name__, {}, (), all_of("nn"))
