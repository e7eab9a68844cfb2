"""What a `Cell` holds beside its parameters: buffers, tensors that are part of its state but are
not trained; and its state as a dict.
"""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Iterator

from ..base.boundary import checked
from ..base.errors import complain
from ..base.kinds import shown
from ..tensor import Parameter, Tensor

_Incompatible = namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])


class Buffers:
    """Methods of `Cell` on buffers and on the state."""

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
                TypeError, f"register_buffer: name has type {type(name).__name__}", expected="a str"
            )
        if not name or "." in name:
            raise complain(
                KeyError,
                f"register_buffer: name is {name!r}",
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
                AttributeError, f"get_buffer: {type(cell).__name__} has no buffer {name!r}"
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

    def state_dict(
        self, *args, destination: dict | None = None, prefix: str = "", keep_vars: bool = False
    ) -> OrderedDict:
        """Parameters and persistent buffers by name.

        Args:
            args (Any): ignored.
            destination (dict): where they are put. Default None, a new one.
            prefix (str): stands before each name. Default "".
            keep_vars (bool): without effect.

        Returns:
            OrderedDict[str, Tensor]: the Parameters and buffers themselves.

        Examples:
            >>> from minds import nn
            >>> list(nn.Dense(2, 1).state_dict())
            ['weight', 'bias']
        """
        out = OrderedDict() if destination is None else destination
        for path, cell in self.cells_and_names():
            start = f"{prefix}{path}." if path else prefix
            for name, p in cell._params.items():
                if p is not None:
                    out[start + name] = p
            for name, persistent in cell.__dict__.get("_buffers", {}).items():
                if persistent and getattr(cell, name) is not None:
                    out[start + name] = getattr(cell, name)
        return out

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
            TypeError: a value is no Tensor.

        Examples:
            >>> from minds import nn
            >>> a, b = nn.Dense(2, 1), nn.Dense(2, 1)
            >>> b.load_state_dict(a.state_dict()).missing_keys
            []
        """
        own = self.state_dict()
        missing, unexpected = (
            [n for n in own if n not in state_dict],
            [n for n in state_dict if n not in own],
        )
        if strict and (missing or unexpected):
            raise complain(
                RuntimeError,
                f"load_state_dict: missing {missing}, unexpected {unexpected}",
                expected="the names of this cell's state",
                cure="pass strict=False to take what fits",
            )
        for name, held in own.items():
            given = state_dict.get(name)
            if given is None:
                continue
            if not isinstance(given, Tensor):
                what = f"load_state_dict: {name} is {shown(given)}"
                raise complain(TypeError, what, expected="a Tensor")
            if given.shape != held.shape:
                raise complain(
                    RuntimeError,
                    f"load_state_dict: {name} has shape {held.shape}, the value {given.shape}",
                )
            if isinstance(held, Parameter):
                held.set_data(given)
            else:
                held.copy_(given)
        return _Incompatible(missing, unexpected)

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


__all__ = ["Buffers"]
