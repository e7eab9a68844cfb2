"""Tensors of which a rolled loop sets items: who else may know them, and how they learn of it.

The loop carries such a tensor as a variable of its function. Callers that name it do not see it
while the loop is interpreted, and name what it has become behind it.
"""

from __future__ import annotations

from ..base.errors import ParseError, complain
from .merge import family
from .setitem import replaced
from .values import Missing, parts


class Away:
    """Tensors that a loop changes, out of sight of the callers who name them until it has ended."""

    def __init__(self, ip):
        self.ip, self.taken = ip, {}

    def take(self, name: str) -> None:
        """Hide the tensor that the function with the loop calls ``name``."""
        cure = f"pass what is needed to the function, or copy it before the loop: {name} = {name}.copy()"
        gone = Missing(
            ParseError,
            f"the tensor {name!r} is changed in a loop, and read there through a caller's name",
            cure,
        )
        self._exchange(self.ip.frames[-1].vars[name], gone)
        self.taken[name] = gone

    def put_back(self, vars: dict) -> None:
        """Let them name what ``vars`` hold now."""
        for name, gone in self.taken.items():
            self._exchange(gone, vars[name])

    def _exchange(self, old, new) -> None:
        for frame in self.ip.frames[:-1]:
            for name, value in list(frame.vars.items()):
                now = replaced(self.ip, value, old, new)
                if now is not value:
                    frame.vars[name] = now


def refuse_alias(ip, name: str, tensor, lost: bool) -> None:
    """A loop carries what is bound directly to the names of its function: a tensor that it changes
    must not be held elsewhere. Callers may name it, where it is known behind the loop what it is
    (not ``lost``).
    """
    for frame in ip.frames:
        own = frame is ip.frames[-1]
        for other, value in frame.vars.items():
            held = _held(value, (tuple,) if own else (tuple, list, dict))
            named = value is tensor and (own or not (lost or ip.nested))
            if any(v is tensor for v in held) and not named:
                raise complain(
                    ParseError,
                    f"the tensor {name!r} is changed in a loop, and {other!r} names or holds it "
                    "too",
                    cure=f"copy it before the loop: {name} = {name}.copy()",
                )


def _held(value, kinds: tuple) -> list:
    """``value``, and what it holds through these kinds of containers; lists in lists always
    count.
    """
    if (
        isinstance(value, kinds)
        or isinstance(value, (list, dict))
        and any(family(v) for v in parts(value).items)
    ):
        return [h for v in parts(value).items for h in _held(v, (tuple, list, dict))]
    return [value]


__all__ = ["Away", "refuse_alias"]
