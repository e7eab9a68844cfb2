"""`schedule`: which steps a profiler records."""

from __future__ import annotations

from ..base.errors import complain
from .names import ProfilerAction


class schedule:
    """Which steps a profiler records: after ``skip_first`` steps, again and again ``wait`` without,
    ``warmup`` to get going, and ``active`` that are recorded and saved.

    Args:
        wait (int): steps that are not recorded.
        active (int): steps that are.
        warmup (int): steps before these, that are not saved. Default: 0.
        repeat (int): how often; 0: as long as there are steps. Default: 0.
        skip_first (int): steps before all. Default: 0.

    Raises:
        TypeError: a number is no int.
        ValueError: a number is negative, or ``active`` is 0.

    Examples:
        >>> from minds.profiler import schedule
        >>> steps = schedule(wait=1, warmup=1, active=2)
        >>> [steps(n).name for n in range(4)]
        ['NONE', 'WARM_UP', 'RECORD', 'RECORD_AND_SAVE']
    """

    def __init__(
        self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0
    ):
        given = {
            "wait": wait,
            "active": active,
            "warmup": warmup,
            "repeat": repeat,
            "skip_first": skip_first,
        }
        for name, n in given.items():
            low = int(name == "active")
            if isinstance(n, bool) or not isinstance(n, int):
                raise complain(TypeError, f"schedule: {name} is {n!r}", expected="an int")
            if n < low:
                raise complain(ValueError, f"schedule: {name} is {n}", expected=f"at least {low}")
        self.wait, self.active, self.warmup = wait, active, warmup
        self.repeat, self.skip_first = repeat, skip_first

    def __call__(self, step: int) -> ProfilerAction:
        if step < 0:
            raise complain(ValueError, f"schedule: step is {step}", expected="at least 0")
        at, length = step - self.skip_first, self.wait + self.warmup + self.active
        if at < 0 or 0 < self.repeat <= at // length or at % length < self.wait:
            return ProfilerAction.NONE
        at %= length
        if at < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        return ProfilerAction.RECORD if at < length - 1 else ProfilerAction.RECORD_AND_SAVE

    def to_dict(self) -> dict:
        """The numbers by name.

        Returns:
            dict: they.

        Examples:
            >>> from minds.profiler import schedule
            >>> schedule(wait=0, active=2).to_dict()["active"]
            2
        """
        names = ("wait", "active", "warmup", "repeat", "skip_first")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        said = ("wait", "active", "warmup", "repeat", "skip_first")
        return f"Schedule({', '.join(f'{n}={getattr(self, n)!r}' for n in said)})"


__all__ = ["schedule"]
