"""Floor 8: functions of functions: gradients, pullbacks, Jacobians, `vmap`, recomputation."""

from ..base.late import late

__getattr__, __dir__ = late(__name__, {}, ("traced",))
