"""What a `Cell` holds beside its parameters: buffers, tensors that are part of its state but are
not trained.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator

from ..base.errors import complain
from ..tensor import Tensor

# Functions of a cell, a name and a buffer: what one returns, if anything, is kept instead.
_REGISTRATION_HOOKS: dict[int, Callable] = {}


class RegistrationHandle:
    """What `register_cell_buffer_registration_hook` returns."""

    def __init__(self, hook: Callable):
        _REGISTRATION_HOOKS[id(self)] = hook

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        _REGISTRATION_HOOKS.pop(id(self), None)


def register_cell_buffer_registration_hook(hook: Callable) -> RegistrationHandle:
    """Call a function whenever a cell gets a buffer.

    Args:
        hook (Callable): of the cell, the buffer's name and the buffer; a Tensor that it returns is kept
            instead.

    Returns:
        RegistrationHandle: its ``remove()`` takes the function away.

    Raises:
        TypeError: ``hook`` is no function.

    Examples:
        >>> import minds as ms
        >>> from minds.nn import cell
        >>> handle = cell.register_cell_buffer_registration_hook(lambda cell, name, buffer: buffer * 2)
        >>> net = ms.nn.Cell()
        >>> net.register_buffer("b", ms.Tensor([3]))
        >>> handle.remove()
        >>> print(net.b)
        [6]
    """
    if not callable(hook):
        raise complain(
            TypeError,
            f"register_cell_buffer_registration_hook: hook has type {type(hook).__name__}",
            expected="a function",
        )
    return RegistrationHandle(hook)


class Buffers:
    """Methods of `Cell` on buffers."""

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Keep a tensor as attribute ``name``, as part of the state.

        Args:
            name (str): the attribute.
            tensor (Tensor | None): the buffer; None reserves the name.
            persistent (bool): whether `state_dict` lists it. Default True.

        Raises:
            TypeError: ``name`` is no str, or ``tensor`` no Tensor.
            KeyError: the name is empty, holds a dot, or belongs to another attribute.

        Examples:
            >>> from minds import Tensor, nn
            >>> net = nn.Cell()
            >>> net.register_buffer("count", Tensor([0]))
            >>> [n for n, _ in net.named_buffers()]
            ['count']
        """
        if not isinstance(name, str):
            raise complain(
                TypeError,
                f"register_buffer: buffer name should be a string, not {type(name).__name__}",
                expected="a str",
            )
        if not name or "." in name:
            raise complain(
                KeyError,
                f'register_buffer: name is {name!r}; it can\'t be empty or contain "."',
                expected="a non-empty str without a dot",
            )
        held = self.__dict__.setdefault("_buffers", OrderedDict())
        if hasattr(self, name) and name not in held:
            raise complain(KeyError, f"register_buffer: {type(self).__name__} already has {name!r}")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise complain(
                TypeError,
                f"register_buffer: tensor has type {type(tensor).__name__}",
                expected="a Tensor",
            )
        for hook in _REGISTRATION_HOOKS.values():
            changed = hook(self, name, tensor)
            tensor = tensor if changed is None else changed
        held[name] = persistent
        setattr(self, name, tensor)

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of a name.

        Args:
            target (str): the name, after the path of its cell: ``"cell.subcell.name"``.

        Returns:
            Tensor: the buffer.

        Raises:
            AttributeError: there is none.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.Cell()
            >>> net.register_buffer("count", ms.Tensor([0]))
            >>> print(net.get_buffer("count"))
            [0]
        """
        path, _, name = target.rpartition(".")
        cell = self.get_sub_cell(path)
        if name not in cell.__dict__.get("_buffers", ()):
            raise complain(
                AttributeError,
                f"get_buffer: {type(cell).__name__} has no attribute or buffer {name!r}",
            )
        return getattr(cell, name)

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator:
        """The buffers with their names.

        Args:
            prefix (str): stands before each name. Default "".
            recurse (bool): also those of the sub-cells. Default True.
            remove_duplicate (bool): each tensor once. Default True.

        Returns:
            Iterator[tuple[str, Tensor]]: names and buffers.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.Cell()
            >>> net.register_buffer("count", ms.Tensor([0]))
            >>> [name for name, _ in net.named_buffers("net")]
            ['net.count']
        """
        seen = set()
        for path, cell in self.cells_and_names() if recurse else (("", self),):
            for name in cell.__dict__.get("_buffers", ()):
                value = getattr(cell, name)
                if value is None or remove_duplicate and id(value) in seen:
                    continue
                seen.add(id(value))
                yield ".".join(n for n in (prefix, path, name) if n), value

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers.

        Args:
            recurse (bool): also those of the sub-cells. Default True.

        Returns:
            Iterator[Tensor]: each once.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.Cell()
            >>> net.register_buffer("count", ms.Tensor([0]))
            >>> [b.shape for b in net.buffers()]
            [(1,)]
        """
        return (v for _, v in self.named_buffers(recurse=recurse))

    def to(self, dtype=None, **kwargs):
        """Parameters and buffers of floating point as another type; the cell itself is returned.

        Args:
            dtype (dtype): of floating point; None and names of devices change nothing. Default
                None.
            kwargs (Any): ``dtype`` by name; others are ignored.

        Returns:
            Cell: this cell.

        Examples:
            >>> import minds as ms
            >>> ms.nn.Dense(2, 1).to(ms.float16).weight.dtype
            Float16
        """
        dtype = kwargs.pop("dtype", dtype)
        if dtype is not None and not isinstance(dtype, str):
            for v in [*self.get_parameters(), *self.buffers()]:
                if v.dtype.is_float:
                    v.set_dtype(dtype)
        return self

    @property
    def param_prefix(self) -> str:
        """What the names of this cell's parameters begin with, after `update_cell_prefix`.

        Examples:
            >>> from minds import nn
            >>> net = nn.SequentialCell(nn.Dense(1, 1))
            >>> net.update_cell_prefix()
            >>> net[0].param_prefix
            '0'
        """
        return self.__dict__.get("_param_prefix", "")

    def update_cell_prefix(self) -> None:
        """Tell each sub-cell its place, see `param_prefix`.

        Examples:
            >>> from minds import nn
            >>> net = nn.SequentialCell(nn.SequentialCell(nn.Dense(1, 1)))
            >>> net.update_cell_prefix()
            >>> net[0][0].param_prefix
            '0.0'
        """
        for path, cell in self.cells_and_names():
            cell.__dict__["_param_prefix"] = path

    def set_data_parallel(self):
        """This cell: there is nothing to set on one device.

        Returns:
            Cell: this cell.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().set_data_parallel()
            ReLU()
        """
        return self


__all__ = ["Buffers", "register_cell_buffer_registration_hook"]
