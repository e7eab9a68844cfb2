"""The layers, by family; `minds.nn` exports them all."""

from ...base.late import all_of, late

__getattr__, __dir__ = late(__name__, {}, (), all_of("nn"))
