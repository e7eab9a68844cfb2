"""What a compilation begins with, imported when something is first compiled: interpreting the source, and
the list of steps.
"""

from ..base.late import late

__getattr__, __dir__ = late(
    __name__,
    {"jit.parsing": "parse", "jit.pipeline": "STEPS build quietly"},
    public=False,
)
