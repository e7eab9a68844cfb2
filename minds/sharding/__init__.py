"""Programs on many devices: layouts, their propagation and search, and the parts that devices run."""

from ..base.late import late

__getattr__, __dir__ = late(__name__, {}, ("files", "overlap", "parts", "step"))
