"""Floor 7: compilation of functions and cells: what a program depends on, the steps, the cache."""

from ..base.late import late

__getattr__, __dir__ = late(__name__, {}, ("compile_cache",))
