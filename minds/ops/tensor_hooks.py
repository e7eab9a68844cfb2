"""Hooks on tensors: functions that see, and may replace, the gradient of a tensor.

On the tape a hook runs once the gradient of its tensor is complete. In compiled code it is
compiled: it stands behind the value as the gradient of an identity.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable

from ..base.errors import complain
from ..tensor import Parameter, Tensor

registered: dict[int, tuple[weakref.ref, list]] = {}
"""The hooks of tensors by their identity; empty if none has any."""
changes = [0]
"""How often a parameter or a cell got or lost a hook: compiled programs contain those."""


class Handle:
    """What `Tensor.register_hook` returns.

    Examples:
        >>> handle = Tensor([1.0]).register_hook(lambda grad: grad * 2)
        >>> handle.remove()
    """

    def __init__(self, tensor: Tensor, fns: list, fn: Callable):
        self._entry, self._fns, self._tensor = (fn,), fns, weakref.ref(tensor)

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        if self._entry is None:
            return
        self._fns.remove(self._entry[0])
        self._entry = None
        if not self._fns:
            _drop(self._fns)
        changes[0] += isinstance(self._tensor(), Parameter)


def changed() -> None:
    """To be called when a cell got or lost a hook."""
    changes[0] += 1


def of(t: Tensor) -> tuple:
    """The hooks of a tensor, in the order in which they run."""
    found = registered.get(id(t))
    return tuple(found[1]) if found is not None and found[0]() is t else ()


def share(t: Tensor, new: Tensor) -> Tensor:
    """``new``, which stands for ``t``, with its hooks."""
    found = registered.get(id(t))
    if found is not None and found[0]() is t:
        _keep(new, found[1])
    return new


def _keep(t: Tensor, fns: list) -> None:
    key = id(t)
    registered[key] = (weakref.ref(t, lambda _: registered.pop(key, None)), fns)


def _drop(fns: list) -> None:
    """Forget the tensors that share ``fns``, which is empty: where none has a hook, calls are short."""
    for key in [key for key, (_, found) in registered.items() if found is fns]:
        del registered[key]


def applied(t: Tensor, grad: Tensor) -> Tensor:
    """The gradient of ``t`` as its hooks make it."""
    for fn in of(t):
        changed = fn(grad)
        if changed is None:
            continue
        if not isinstance(changed, Tensor):
            raise complain(
                TypeError,
                f"register_hook: the hook returned {type(changed).__name__}",
                expected="a Tensor or None",
            )
        grad = changed
    return grad


def register_hook(self: Tensor, hook: Callable) -> Handle:
    """Let ``hook(grad)`` see the gradient of this tensor, and replace it unless it returns None.

    Args:
        hook (Callable): takes the gradient, returns a Tensor or None.
    Returns:
        Handle: its ``remove()`` takes the hook away.
    Raises:
        TypeError: ``hook`` cannot be called.

    Examples:
        >>> import minds as ms
        >>> def f(x):
        ...     y = x * x
        ...     y.register_hook(lambda grad: grad * 10)
        ...     return y
        >>> float(ms.grad(f)(ms.Tensor(3.0)))
        60.0
    """
    if not callable(hook):
        raise complain(
            TypeError,
            f"register_hook: hook has type {type(hook).__name__}",
            expected="a function",
        )
    if id(self) not in registered:
        _keep(self, [])
    fns = registered[id(self)][1]
    fns.append(hook)
    changes[0] += isinstance(self, Parameter)
    return Handle(self, fns, hook)


def hooks(self: Tensor) -> list:
    """The hooks that this tensor has.

    Examples:
        >>> Tensor([1.0]).hooks()
        []
    """
    return list(of(self))


Tensor.register_hook, Tensor.hooks = register_hook, hooks

__all__ = [
    "Handle",
    "applied",
    "changes",
    "hooks",
    "of",
    "register_hook",
    "registered",
    "share",
]
