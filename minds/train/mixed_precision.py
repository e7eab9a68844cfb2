"""Networks that compute in half precision where it is safe: levels, and lists of classes.

Parameters keep float32; what is cast is cast in the program, so gradients arrive in float32 too.
The levels and lists are MindSpore's (`mindspore.amp`).
"""

from __future__ import annotations

import functools
import types

from .. import nn, ops
from ..base import dtype as dt
from ..base.errors import complain
from ..nn import Cell
from ..nn.precision import CellPrecision
from ..ops import autocast, tensor_hooks
from ..ops.autocast import Autocast
from ..ops.primitive import Primitive

LEVELS = ("O0", "O1", "O2", "O3", "auto")

WHITE_LIST = (
    *(nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.Conv1dTranspose, nn.Conv2dTranspose, nn.Conv3dTranspose),
    *(nn.Dense, nn.LSTMCell, nn.RNNCell, nn.GRUCell),
    *(ops.Conv2D, ops.Conv3D, ops.Conv2DTranspose, ops.Conv3DTranspose, ops.Conv2DBackpropInput),
    *(ops.MatMul, ops.BatchMatMul, ops.PReLU, ops.ReLU, ops.Ger),
)
BLACK_LIST = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm)

_OPS_OF = {
    "Conv2D": "conv2d",
    "Conv3D": "conv2d",
    "Conv2DTranspose": "conv2d_dx",
    "Conv3DTranspose": "conv2d_dx",
    "Conv2DBackpropInput": "conv2d_dx",
    "MatMul": "matmul",
    "BatchMatMul": "matmul",
    "ReLU": "relu",
}
"""The ops that class spellings stand for, also where they are called as functions. Of other classes
only calls of their objects count.
"""

_AUTO_LOW = frozenset(("conv2d", "conv2d_dx", "matmul"))
_AUTO_HIGH = frozenset(
    """acos asin batch_norm batch_norm_infer cosh cumprod cumsum erfinv exp expm1 layer_norm log log1p
    log_softmax nll pow prod reciprocal rsqrt sinh softmax sum tan""".split()
)


def get_white_list() -> list:
    """The classes that level O1 computes in half precision.

    Returns:
        list[type]: a copy; cells and class spellings of ops.

    Examples:
        >>> from minds import amp, nn
        >>> nn.Dense in amp.get_white_list()
        True
    """
    return list(WHITE_LIST)


def get_black_list() -> list:
    """The cells that level O2 computes in float32.

    Returns:
        list[type]: a copy.

    Examples:
        >>> from minds import amp, nn
        >>> nn.LayerNorm in amp.get_black_list()
        True
    """
    return list(BLACK_LIST)


def auto_mixed_precision(network, amp_level: str = "O0", dtype: dt.DType = dt.float16):
    """Let a network compute in half precision, as a level says.

    Parameters keep their dtype, and their gradients have it too.

    Args:
        network (Cell, function): it is changed; a function, for ``"auto"`` only, is wrapped.
        amp_level (str): ``"O0"``: nothing changes. ``"O1"``: the cells and ops of `get_white_list`
            compute in ``dtype`` and give float32. ``"O2"``: all but the cells of `get_black_list`
            compute in ``dtype``; the network gives float32. ``"O3"``: all cells do. ``"auto"``: products and
            convolutions compute in ``dtype``; norms, exponentials, logarithms, powers, sums and
            products in float32; the other ops in what they are given. Default ``"O0"``.
        dtype (dtype): float16 or bfloat16. Default float16.

    Returns:
        Cell or function: the network.

    Raises:
        TypeError: ``network`` is no Cell, nor a function with ``"auto"``.
        ValueError: another level or dtype.

    Examples:
        >>> from minds import amp, nn, ops
        >>> net = amp.auto_mixed_precision(nn.Dense(2, 1), "O3")
        >>> net(ops.ones((1, 2))).dtype, net.weight.dtype
        (Float32, Float32)
    """
    _check(network, dtype, amp_level)
    if amp_level == "O1":
        _by_white_list(network, WHITE_LIST, dtype)
    elif amp_level == "O2":
        _by_black_list(network, BLACK_LIST, dtype)
    elif amp_level == "O3":
        _by_black_list(network, (), dtype)
    elif amp_level == "auto":
        cast = Autocast(dtype, _AUTO_LOW, _AUTO_HIGH)
        if not isinstance(network, Cell):
            return _CastFunction(network, cast)
        _set(network, network._precision or CellPrecision(), ops=cast)
    return network


def custom_mixed_precision(network, *, white_list=None, black_list=None, dtype=dt.float16):
    """Let a network compute in half precision, as one of two lists says.

    Args:
        network (Cell): it is changed.
        white_list (list[type], optional): the cells and class spellings of ops that compute in
            ``dtype`` and give float32.
        black_list (list[type], optional): the cells that compute in float32; all others compute in
            ``dtype``, and the network gives float32.
        dtype (dtype): float16 or bfloat16. Default float16.

    Returns:
        Cell: the network.

    Raises:
        TypeError: ``network`` is no Cell, or a list holds something else than classes of cells (or of
            ops, in ``white_list``).
        ValueError: none or both of the lists are given, or another dtype.

    Examples:
        >>> from minds import amp, nn, ops
        >>> white = amp.get_white_list()
        >>> white.remove(nn.Dense)
        >>> net = amp.custom_mixed_precision(nn.Dense(2, 1), white_list=white)
        >>> net(ops.ones((1, 2))).dtype
        Float32
    """
    name = "custom_mixed_precision"
    _check(network, dtype, name=name)
    if (white_list is None) == (black_list is None):
        raise complain(ValueError, f"{name}: white_list or black_list", expected="one of them")
    if white_list is not None:
        _by_white_list(network, _classes(white_list, "white_list", (Cell, Primitive)), dtype)
    else:
        _by_black_list(network, _classes(black_list, "black_list", (Cell,)), dtype)
    return network


class _CastFunction:
    """A function whose ops are cast."""

    def __init__(self, fn, cast: Autocast):
        self.__wrapped__, self.cast = fn, cast
        functools.update_wrapper(self, fn)

    def __call__(self, *args, **kwargs):
        with autocast.region(self.cast):
            return self.__wrapped__(*args, **kwargs)

    def _emit(self, ip, args, kwargs):
        """In compiled code."""
        with autocast.region(self.cast):
            return ip.call(self.__wrapped__, args, kwargs)


def _check(network, dtype, level: str | None = None, name: str = "auto_mixed_precision"):
    if level is not None and level not in LEVELS:
        raise complain(
            ValueError,
            f"{name}: amp_level is {level!r}",
            expected=f"one of {', '.join(map(repr, LEVELS))}",
        )
    function = level == "auto" and isinstance(network, (types.FunctionType, types.MethodType))
    if not isinstance(network, Cell) and not function:
        wanted = "a Cell, or a function" if level == "auto" else "a Cell"
        raise complain(
            TypeError, f"{name}: network has type {type(network).__name__}", expected=wanted
        )
    if dtype not in autocast.HALVES:
        raise complain(ValueError, f"{name}: dtype is {dtype!r}", expected="float16 or bfloat16")


def _classes(given, name: str, bases: tuple) -> tuple:
    if not isinstance(given, list):
        raise complain(
            TypeError,
            f"custom_mixed_precision: {name} has type {type(given).__name__}",
            expected="a list",
        )
    for c in given:
        if not isinstance(c, type) or not issubclass(c, bases):
            raise complain(
                TypeError,
                f"custom_mixed_precision: {name} holds {c!r}",
                expected=f"classes of {' and '.join(b.__name__ for b in bases)}",
            )
    return tuple(given)


def _set(cell: Cell, before: CellPrecision, **changes) -> None:
    cell._precision, cell._plain = before._replace(**changes), False
    tensor_hooks.changed()


def _by_white_list(network: Cell, classes: tuple, dtype: dt.DType) -> None:
    cells = tuple(c for c in classes if issubclass(c, Cell))
    called = {c for c in classes if c not in cells}
    low = frozenset(_OPS_OF[c.__name__] for c in called if c.__name__ in _OPS_OF)
    others = frozenset(c for c in called if c.__name__ not in _OPS_OF)
    for _, cell in list(network.cells_and_names()):
        if isinstance(cell, cells):
            cell.to_float(dtype)
            _set(cell, cell._precision, outputs=dt.float32)
    _set(
        network,
        network._precision or CellPrecision(),
        ops=Autocast(dtype, low, classes=others, restores=True),
    )


def _by_black_list(network: Cell, classes: tuple, dtype: dt.DType) -> None:
    network.to_float(dtype)
    keep_float32(network, classes, dtype)
    _set(network, network._precision, outputs=dt.float32)


def keep_float32(network: Cell, classes: tuple, dtype: dt.DType) -> None:
    """The cells of ``classes`` below ``network`` compute in float32, and give ``dtype``."""
    for cell in network.name_cells().values():
        if cell is None or cell is network:
            continue
        if isinstance(cell, classes):
            cell.to_float(dt.float32)
            _set(cell, cell._precision, outputs=dtype)
        else:
            keep_float32(cell, classes, dtype)


def keep_batch_norm(network: Cell, dtype: dt.DType) -> None:
    """The norms of a network that computes in ``dtype`` compute in float32."""
    keep_float32(network, BLACK_LIST, dtype)


__all__ = ["auto_mixed_precision", "custom_mixed_precision", "get_black_list", "get_white_list"]
