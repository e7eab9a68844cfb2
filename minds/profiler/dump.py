"""`set_dump`: what goes into cells and primitives and comes out of them, and their gradients, as files
of NumPy.
"""

from __future__ import annotations

import json
import os
import time

import numpy as np

from ..base.errors import complain
from ..nn import Cell
from ..ops.primitive import Primitive
from ..tensor import Tensor
from ..transforms.host_callback import host

_ENVIRONMENT = "MINDSPORE_DUMP_CONFIG"


class _Settings:
    """What the file that ``MINDSPORE_DUMP_CONFIG`` names says.

    Raises:
        ValueError: the file has no form that is known.
        OSError: it cannot be read.
    """

    def __init__(self, path: str):
        with open(path, encoding="utf-8") as f:
            said = json.load(f)
        said = said.get("common_dump_settings") if isinstance(said, dict) else None
        if not isinstance(said, dict) or not os.path.isabs(str(said.get("path", ""))):
            what = f"set_dump: {path} has no common_dump_settings with an absolute path"
            raise complain(ValueError, what)
        self.chooses = said.get("dump_mode", 0) == 2
        self.folder = os.path.join(said["path"], "rank_0", str(said.get("net_name", "Net")), "0")
        self._iterations = str(said.get("iteration", "all"))
        which = said.get("input_output", 0)
        self.sides = {0: ("input", "output"), 1: ("input",), 2: ("output",)}.get(which)
        if self.sides is None or said.get("saved_data", "tensor") != "tensor":
            what = f"set_dump: {path} asks for input_output {which!r}, saved_data"
            raise complain(
                ValueError, f"{what} {said.get('saved_data')!r}", expected="0, 1 or 2; 'tensor'"
            )
        self._ranges = [self._range(path, part) for part in self._iterations.split("|")]

    @staticmethod
    def _range(path: str, part: str) -> tuple:
        if part == "all":
            return 0, float("inf")
        first, _, last = part.partition("-")
        if not first.isdigit() or not (last or first).isdigit():
            raise complain(
                ValueError, f"set_dump: {path} has the iteration {part!r}", expected="as '0|5-8'"
            )
        return int(first), int(last or first)

    def takes(self, iteration: int) -> bool:
        return any(first <= iteration <= last for first, last in self._ranges)


def _tensors(values) -> list[Tensor]:
    """The tensors of nested tuples, lists and dicts."""
    if isinstance(values, Tensor):
        return [values]
    if isinstance(values, dict):
        values = list(values.values())
    if not isinstance(values, (tuple, list)):
        return []
    return [t for v in values for t in _tensors(v)]


class _Dump:
    """Writes what one cell sees; counts its calls.

    Args:
        cell (Cell): the cell.
        kind (str): the type in the names of its files.
        name (str): the name in them.
        settings (_Settings): where they go.
    """

    def __init__(self, cell: Cell, kind: str, name: str, settings: _Settings):
        self._settings, self._name, self._calls = settings, f"{kind}.{name}", -1
        before, after = self._writer("input", ""), self._writer("output", "")
        grad_in, grad_out = self._writer("output", "Grad"), self._writer("input", "Grad")

        def backward(cell, grads, outs):
            grad_out(outs)
            grad_in(grads)

        self.handles = [
            cell.register_forward_pre_hook(lambda cell, inputs: before(inputs)),
            cell.register_forward_hook(lambda cell, inputs, output: after(output)),
            cell.register_backward_hook(backward),
        ]

    def _writer(self, side: str, kind: str):
        def write(*values):
            self._calls += side == "input" and not kind
            settings = self._settings
            if side not in settings.sides or not settings.takes(self._calls):
                return
            folder = os.path.join(settings.folder, str(self._calls))
            os.makedirs(folder, exist_ok=True)
            now = time.time_ns() // 1000
            type_, _, name = self._name.partition(".")
            for slot, tensor in enumerate(_tensors(values)):
                file = f"{type_}{kind}.{name}.0.0.{now}.{side}.{slot}.DefaultFormat.npy"
                a = tensor.asnumpy()
                a = a if a.dtype.kind in "biufc" else a.astype(np.float32)
                np.save(os.path.join(folder, file), a)

        return host(write, out=None)


def _name(cell: Cell, below: str) -> str:
    """What a cell's parameters are called by, or where it is ``below`` the target."""
    first = next((p.name for p in cell.get_parameters(expand=False)), "")
    return (first.rpartition(".")[0] or below).replace(".", "_") or "self"


class _DumpedFunction(Cell):
    """The function of a primitive as a cell, which can have hooks."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, *args, **kwargs):
        return self.function(*args, **kwargs)


_dumps: dict[int, tuple[Cell | Primitive, _Dump]] = {}


def set_dump(target, enabled: bool = True) -> None:
    """Write what goes into a cell and the cells in it, or a primitive, what comes out, and the gradients of
    both, in either mode: files of NumPy. As in MindSpore it has an effect if the variable
    ``MINDSPORE_DUMP_CONFIG`` names a file whose ``dump_mode`` is 2: JSON with ``common_dump_settings``, of
    which ``path``, ``net_name``, ``iteration`` (such as ``"0|5-8"``, counted by the calls of each),
    ``input_output`` (0: both, 1, 2) are heeded.

    Files are called ``type.name.0.0.microseconds.input.0.DefaultFormat.npy``, with ``Grad`` behind the type
    for gradients, and lie in ``path/rank_0/net_name/0/iteration``.

    Args:
        target (Cell, Primitive): what to write.
        enabled (bool): whether it is written from now on. Default: True.

    Raises:
        ValueError: ``target`` is no cell or primitive, ``enabled`` no bool, or the file says what is not
            known.
        TypeError: ``target`` is a primitive of a class that a user wrote.
        OSError: the file cannot be read.

    Examples:
        >>> import json, os, tempfile
        >>> import minds as ms
        >>> from minds import nn
        >>> folder = tempfile.mkdtemp()
        >>> with open(f"{folder}/dump.json", "w") as f:
        ...     json.dump({"common_dump_settings": {"dump_mode": 2, "path": folder}}, f)
        >>> os.environ["MINDSPORE_DUMP_CONFIG"] = f"{folder}/dump.json"
        >>> net = nn.ReLU()
        >>> ms.set_dump(net)
        >>> _ = net(ms.Tensor([-1.0, 2.0]))
        >>> sorted(name.split(".")[5] for name in os.listdir(f"{folder}/rank_0/Net/0/0"))
        ['input', 'output']
        >>> ms.set_dump(net, False)
        >>> del os.environ["MINDSPORE_DUMP_CONFIG"]
    """
    if not isinstance(target, (Cell, Primitive)):
        what = 'The "target" parameter must be an instance of Cell or Primitive, but got an instance of '
        raise complain(ValueError, f"{what}{type(target)}.")
    if not isinstance(enabled, bool):
        raise complain(ValueError, 'The "enabled" parameter must be bool.')
    path = os.environ.get(_ENVIRONMENT)
    settings = _Settings(path) if path and enabled else None
    if isinstance(target, Primitive):
        _dump_primitive(target, enabled, settings)
        return
    for name, cell in target.cells_and_names():
        cell.add_flags(dump=enabled)
        _forget(cell)
        if settings is not None and settings.chooses:
            dump = _Dump(cell, type(cell).__name__, _name(cell, name), settings)
            _dumps[id(cell)] = cell, dump


def _forget(target) -> None:
    _, old = _dumps.pop(id(target), (None, None))
    for handle in old.handles if old is not None else ():
        handle.remove()


def _dump_primitive(target: Primitive, enabled: bool, settings: _Settings | None) -> None:
    if not hasattr(target, "function"):
        raise complain(
            TypeError,
            f"set_dump: {type(target).__name__} is a primitive of its own",
            expected="a Cell, or a primitive of ops",
            cure="name the cell that calls it",
        )
    target.add_prim_attr("dump", "true" if enabled else "false")
    _forget(target)
    if isinstance(target.function, _DumpedFunction):
        target.function = target.function.function
    if settings is not None and settings.chooses:
        target.function = _DumpedFunction(target.function)
        dump = _Dump(target.function, type(target).__name__, target.instance_name, settings)
        _dumps[id(target)] = target, dump


__all__ = ["set_dump"]
