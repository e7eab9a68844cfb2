"""What MindSpore calls experimental."""

from ..base.late import late as _late

__getattr__, __dir__ = _late(__name__, {}, ("optim",))
