"""The state of a `Cell` as a dict: its parameters and persistent buffers, what a subclass adds, and
the hooks around saving and loading.
"""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping

from ..base.boundary import checked
from ..base.errors import complain
from ..base.kinds import shown
from ..tensor import Parameter, Tensor

_EXTRA = "_extra_state"


class KeysLeft(namedtuple("KeysLeft", ["missing_keys", "unexpected_keys"])):
    """What `Cell.load_state_dict` did not find, and what it had no place for."""

    __slots__ = ()

    def __repr__(self) -> str:
        return super().__repr__() if any(self) else "<All keys matched successfully>"

    __str__ = __repr__


class StateHandle:
    """What registering a hook of the state returns."""

    def __init__(self, hooks: list, hook: Callable):
        self._hooks, self._hook = hooks, hook

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)


class CellState:
    """Methods of `Cell` on its state."""

    def _state_hooks(self, kind: str) -> list:
        return vars(self).get("_hooks_of_state", {}).get(kind, ())

    def _register_state_hook(self, kind: str, hook: Callable) -> StateHandle:
        if not callable(hook):
            what = f"register_{kind}_hook: hook has type {type(hook).__name__}"
            raise complain(TypeError, what, expected="a function")
        held = vars(self).setdefault("_hooks_of_state", {}).setdefault(kind, [])
        held.append(hook)
        return StateHandle(held, hook)

    def state_dict(
        self, *args, destination: dict | None = None, prefix: str = "", keep_vars: bool = False
    ) -> OrderedDict:
        """Parameters, persistent buffers and what `get_extra_state` gives, by name.

        Args:
            args (Any): ``destination``, ``prefix`` and ``keep_vars`` by position.
            destination (dict): where they are put. Default None, a new one.
            prefix (str): stands before each name. Default "".
            keep_vars (bool): handed to the hooks; without effect besides. Default False.

        Returns:
            OrderedDict[str, Tensor]: the Parameters and buffers themselves.

        Raises:
            TypeError: ``destination`` is no dict, or ``prefix`` no str.

        Examples:
            >>> from minds import nn
            >>> list(nn.Dense(2, 1).state_dict())
            ['weight', 'bias']
        """
        given = dict(zip(("destination", "prefix", "keep_vars"), args))
        out = given.get("destination", destination)
        prefix, keep_vars = given.get("prefix", prefix), given.get("keep_vars", keep_vars)
        out = OrderedDict() if out is None else out
        for name, value, kind in (("destination", out, dict), ("prefix", prefix, str)):
            if not isinstance(value, kind):
                what = f"state_dict: {name} has type {type(value).__name__}"
                raise complain(TypeError, what, expected=f"a {kind.__name__}")
        for hook in self._state_hooks("state_dict_pre"):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(out, prefix, keep_vars)
        for name, cell in self._cells.items():
            if cell is not None:
                cell.state_dict(destination=out, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_hooks("state_dict_post"):
            hook(self, out, prefix, {})
        return out

    def _own_state(self) -> dict:
        """The parameters and persistent buffers of this cell alone, by attribute."""
        own = {n: p for n, p in self._params.items() if p is not None}
        for name, persistent in vars(self).get("_buffers", {}).items():
            if persistent and getattr(self, name) is not None:
                own[name] = getattr(self, name)
        return own

    def _save_to_state_dict(self, destination: dict, prefix: str, keep_vars: bool) -> None:
        """Put this cell's own state into ``destination``; a subclass may add to it."""
        for name, value in self._own_state().items():
            destination[prefix + name] = value
        if type(self).get_extra_state is not CellState.get_extra_state:
            destination[prefix + _EXTRA] = self.get_extra_state()

    @checked
    def load_state_dict(self, state_dict: dict, strict: bool = True):
        """Take parameters and buffers from a dict as `state_dict` gives it.

        Args:
            state_dict (dict): name to Tensor.
            strict (bool): the names must be the same. Default True.

        Returns:
            A pair of ``missing_keys`` and ``unexpected_keys``.

        Raises:
            RuntimeError: ``strict``, and names differ; or a shape differs.
            TypeError: ``state_dict`` is no dict, or a value is no Tensor.

        Examples:
            >>> from minds import nn
            >>> a, b = nn.Dense(2, 1), nn.Dense(2, 1)
            >>> b.load_state_dict(a.state_dict()).missing_keys
            []
        """
        if not isinstance(state_dict, Mapping):
            what = f"load_state_dict: state_dict has type {type(state_dict).__name__}"
            raise complain(TypeError, what, expected="a dict")
        missing, unexpected, errors = [], [], []
        self._load_below(OrderedDict(state_dict), "", missing, unexpected, errors)
        if strict and (missing or unexpected):
            raise complain(
                RuntimeError,
                f"load_state_dict: missing {missing}, unexpected {unexpected}",
                expected="the names of this cell's state",
                cure="pass strict=False to take what fits",
            )
        if errors:
            raise complain(RuntimeError, f"load_state_dict: {'; '.join(errors)}")
        return KeysLeft(missing, unexpected)

    def _load_below(self, state: dict, prefix: str, missing: list, unexpected: list, errors: list):
        """Load this cell and those below it, whose names in ``state`` begin with ``prefix``."""
        self._load_from_state_dict(state, prefix, {}, True, missing, unexpected, errors)
        for name, cell in self._cells.items():
            if cell is not None:
                start = f"{prefix}{name}."
                part = OrderedDict((k, v) for k, v in state.items() if k.startswith(start))
                cell._load_below(part, start, missing, unexpected, errors)
        left = KeysLeft(missing, unexpected)
        for hook in self._state_hooks("load_state_dict_post"):
            hook(self, left)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ) -> None:
        """Take this cell's own state, but not that of its cells; a subclass may do it in its way.

        What is missing, not expected and wrong is added to the three lists.
        """
        given = state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys
        for hook in self._state_hooks("load_state_dict_pre"):
            hook(self, *given, error_msgs)
        own = self._own_state()
        for name, held in own.items():
            if prefix + name not in state_dict:
                missing_keys.append(prefix + name)
                continue
            value = state_dict[prefix + name]
            if not isinstance(value, Tensor):
                what = f"load_state_dict: {prefix}{name} is {shown(value)}"
                raise complain(TypeError, what, expected="a Tensor")
            if value.shape != held.shape:
                error_msgs.append(f"{prefix}{name} has shape {held.shape}, the value {value.shape}")
            elif isinstance(held, Parameter):
                held.set_data(value)
            else:
                held.copy_(value)
        extra = prefix + _EXTRA
        if type(self).set_extra_state is not CellState.set_extra_state:
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            else:
                missing_keys.append(extra)
            own[_EXTRA] = None
        for key in state_dict:
            name = key.removeprefix(prefix)
            if key.startswith(prefix) and name not in own and name.split(".")[0] not in self._cells:
                unexpected_keys.append(key)

    def get_extra_state(self):
        """What a cell keeps beside parameters and buffers; defined by the subclass that has such a
        thing, with `set_extra_state`.

        Returns:
            Any: what `state_dict` lists as ``_extra_state``.

        Raises:
            RuntimeError: the class does not define it.
        """
        raise complain(RuntimeError, f"get_extra_state: {type(self).__name__} does not define it")

    def set_extra_state(self, state) -> None:
        """Take back what `get_extra_state` gave; defined by the subclass.

        Args:
            state (Any): what was kept.

        Raises:
            RuntimeError: the class does not define it.
        """
        raise complain(RuntimeError, f"set_extra_state: {type(self).__name__} does not define it")

    def register_state_dict_pre_hook(self, hook: Callable) -> StateHandle:
        """Call a function before `state_dict` lists this cell.

        Args:
            hook (Callable): called as ``hook(cell, prefix, keep_vars)``.

        Returns:
            StateHandle: its ``remove()`` takes the hook away.

        Raises:
            TypeError: ``hook`` cannot be called.

        Examples:
            >>> from minds import nn
            >>> net = nn.Dense(2, 1)
            >>> _ = net.register_state_dict_pre_hook(lambda cell, prefix, keep: print(cell.cls_name))
            >>> _ = net.state_dict()
            Dense
        """
        return self._register_state_hook("state_dict_pre", hook)

    def register_state_dict_post_hook(self, hook: Callable) -> StateHandle:
        """Call a function after `state_dict` listed this cell and those below it.

        Args:
            hook (Callable): called as ``hook(cell, state_dict, prefix, local_metadata)``; it may
                change the dict.

        Returns:
            StateHandle: its ``remove()`` takes the hook away.

        Raises:
            TypeError: ``hook`` cannot be called.

        Examples:
            >>> from minds import nn
            >>> net = nn.Dense(2, 1)
            >>> _ = net.register_state_dict_post_hook(lambda cell, state, *_: state.pop("bias"))
            >>> list(net.state_dict())
            ['weight']
        """
        return self._register_state_hook("state_dict_post", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> StateHandle:
        """Call a function before this cell takes its part of a state.

        Args:
            hook (Callable): called as ``hook(cell, state_dict, prefix, local_metadata, strict,
                missing_keys, unexpected_keys, error_msgs)``; it may change the dict and the lists.

        Returns:
            StateHandle: its ``remove()`` takes the hook away.

        Raises:
            TypeError: ``hook`` cannot be called.

        Examples:
            >>> from minds import nn
            >>> net = nn.Dense(2, 1)
            >>> _ = net.register_load_state_dict_pre_hook(lambda cell, state, *_: state.pop("more"))
            >>> net.load_state_dict({**net.state_dict(), "more": 1})
            <All keys matched successfully>
        """
        return self._register_state_hook("load_state_dict_pre", hook)

    def register_load_state_dict_post_hook(self, hook: Callable) -> StateHandle:
        """Call a function after this cell and those below it took their part of a state.

        Args:
            hook (Callable): called as ``hook(cell, incompatible_keys)``; it may change the lists
                ``missing_keys`` and ``unexpected_keys``.

        Returns:
            StateHandle: its ``remove()`` takes the hook away.

        Raises:
            TypeError: ``hook`` cannot be called.

        Examples:
            >>> from minds import nn
            >>> net = nn.Dense(2, 1)
            >>> _ = net.register_load_state_dict_post_hook(lambda cell, keys: keys[0].clear())
            >>> net.load_state_dict({"bias": net.bias})
            <All keys matched successfully>
        """
        return self._register_state_hook("load_state_dict_post", hook)


__all__ = ["CellState", "KeysLeft", "StateHandle"]
