"""Names of MindSpore's root that say which device is meant, or exchange tensors."""

from __future__ import annotations

from collections import namedtuple

from ..base.errors import complain
from ..base.options import get_context
from ..tensor import Tensor
from .context import set_device

DeviceInfo = namedtuple("DeviceInfo", "device_target device_id")


def get_current_device() -> DeviceInfo:
    """The device that operations run on.

    Returns:
        DeviceInfo: a pair, ``device_target`` and ``device_id``.

    Examples:
        >>> import minds as ms
        >>> tuple(ms.get_current_device())
        ('CPU', 0)
    """
    return DeviceInfo(get_context("device_target"), get_context("device_id") or 0)


class DeviceCtx:
    """A context in which operations run on a device.

    Args:
        name (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``. (Tensors without values, MindSpore's ``"meta"``, are
            not built; `nn.Cell.to_empty` has nothing to do.)
        device_id (int): its number. Default None, 0.

    Raises:
        ValueError: ``name`` is none of these, ``device_id`` is negative, or there is no such device.

    Examples:
        >>> import minds as ms
        >>> with ms.DeviceCtx("CPU"):
        ...     print(ms.ops.ones((1,)))
        [1.]
    """

    def __init__(self, name: str, device_id: int | None = None):
        self.name, self.device_id, self._before = name, device_id, []

    def __enter__(self) -> DeviceCtx:
        if self.name not in ("CPU", "GPU", "Ascend"):
            what = f"DeviceCtx: name is {self.name!r}"
            raise complain(ValueError, what, expected="'CPU', 'GPU' or 'Ascend'")
        if self.device_id is not None and self.device_id < 0:
            what = f"DeviceCtx: device_id is {self.device_id}"
            raise complain(ValueError, what, expected="0 or more")
        before = get_current_device()
        if before != (self.name, self.device_id or 0):
            set_device(self.name, self.device_id)
        self._before.append(before)
        return self

    def __exit__(self, *error) -> None:
        before = self._before.pop()
        if before != get_current_device():
            set_device(*before)


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchange what two tensors hold: shape, dtype and elements.

    Args:
        t1 (Tensor): the one.
        t2 (Tensor): the other one, of the same class.

    Raises:
        TypeError: one of them is no Tensor.
        RuntimeError: one is a Parameter and the other is not.

    Examples:
        >>> import minds as ms
        >>> x, y = ms.Tensor([1.0]), ms.Tensor([2, 3])
        >>> ms.swap_tensors(x, y)
        >>> print(x, y)
        [2 3] [1.]
    """
    for name, t in (("t1", t1), ("t2", t2)):
        if not isinstance(t, Tensor):
            what = f"swap_tensors: {name} has type {type(t).__name__}"
            raise complain(TypeError, what, expected="a Tensor")
    if type(t1) is not type(t2):
        what = f"swap_tensors: t1 is a {type(t1).__name__}, t2 a {type(t2).__name__}"
        raise complain(RuntimeError, what, expected="two of one class")
    held = Tensor(t1)
    t1.assign_value(t2)
    t2.assign_value(held)


__all__ = ["DeviceCtx", "DeviceInfo", "get_current_device", "swap_tensors"]
