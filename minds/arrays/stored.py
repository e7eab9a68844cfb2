"""How a tensor is stored, in MindSpore's words: its memory as bytes, and where it might be kept."""

from __future__ import annotations

import numpy as np

from .. import _core
from ..base import devices
from ..base.errors import class_of, complain


class UntypedStorage:
    """The memory of a tensor as bytes: what `Tensor.untyped_storage` gives.

    Args:
        tensor (Tensor): the tensor.

    Examples:
        >>> import minds as ms
        >>> ms.Tensor([1.0, 2.0]).untyped_storage().nbytes()
        8
    """

    def __init__(self, tensor):
        self._tensor = tensor

    def nbytes(self) -> int:
        """How many bytes there are.

        Returns:
            int: the number.

        Examples:
            >>> ms.Tensor([1.0]).untyped_storage().nbytes()
            4
        """
        return self._tensor.nbytes

    size = nbytes

    def element_size(self) -> int:
        """1: the bytes are counted.

        Returns:
            int: 1.

        Examples:
            >>> ms.Tensor([1.0]).untyped_storage().element_size()
            1
        """
        return 1

    def data_ptr(self) -> int:
        """The address of the first byte.

        Returns:
            int: the address in the host's memory.

        Examples:
            >>> x = ms.Tensor([1.0])
            >>> x.untyped_storage().data_ptr() == x.data_ptr()
            True
        """
        return self._tensor.data_ptr()

    @property
    def device(self) -> str:
        """Where the bytes are.

        Examples:
            >>> ms.Tensor([1.0]).untyped_storage().device
            'CPU'
        """
        return self._tensor.device

    def is_shared(self) -> bool:
        """False: the memory belongs to this process.

        Returns:
            bool: False.

        Examples:
            >>> ms.Tensor([1.0]).untyped_storage().is_shared()
            False
        """
        return False

    def copy_(self, source: UntypedStorage) -> UntypedStorage:
        """Take the bytes of another storage.

        Args:
            source (UntypedStorage): of as many bytes.

        Returns:
            UntypedStorage: this one.

        Raises:
            TypeError: ``source`` is none.
            ValueError: it has more or fewer bytes.

        Examples:
            >>> x = ms.Tensor([1.0])
            >>> _ = x.untyped_storage().copy_(ms.Tensor([2.0]).untyped_storage())
            >>> print(x)
            [2.]
        """
        if not isinstance(source, UntypedStorage):
            what = f"copy_: source has type {class_of(source)}"
            raise complain(TypeError, what, expected="an UntypedStorage")
        self._expect("copy_", source.nbytes())
        x, raw = self._tensor, source._tensor._raw().reshape(-1).view(np.uint8)
        same = raw.view(x.dtype.np).reshape(x.shape)
        x.assign_value(_core.wrap(_core.Array.from_numpy(same, x.dtype.code)))
        return self

    def resize_(self, size: int) -> UntypedStorage:
        """Keep the size: the memory of a tensor does not grow and shrink by itself.

        Args:
            size (int): the number of bytes that there are.

        Returns:
            UntypedStorage: this one.

        Raises:
            ValueError: ``size`` is another.

        Examples:
            >>> _ = ms.Tensor([1.0]).untyped_storage().resize_(4)
        """
        self._expect("resize_", size)
        return self

    def _expect(self, of: str, size) -> None:
        if size != self.nbytes():
            raise complain(
                ValueError, f"{of}: {size} bytes", expected=f"{self.nbytes()}, as the tensor has"
            )


class Stored:
    """Methods of `Tensor` that say where it is stored."""

    __slots__ = ()
    _part_of = "Tensor"

    def untyped_storage(self) -> UntypedStorage:
        """The memory as bytes.

        Returns:
            UntypedStorage: it.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).untyped_storage().size()
            4
        """
        return UntypedStorage(self)

    storage = untyped_storage

    def set_(self, source):
        """Take the shape, dtype and elements of another tensor.

        Args:
            source (Tensor): the other one; its elements are copied.

        Returns:
            Tensor: this one.

        Raises:
            TypeError: ``source`` is no Tensor.

        Examples:
            >>> import minds as ms
            >>> print(ms.Tensor([1.0]).set_(ms.Tensor([2, 3])))
            [2 3]
        """
        if not isinstance(source, Stored):
            what = f"set_: source has type {class_of(source)}"
            raise complain(TypeError, what, expected="a Tensor")
        return self.assign_value(source)

    def requires_grad_(self, requires_grad: bool = True):
        """Set whether a Parameter is trained; of another tensor, whose gradient `grad` takes where it is
        asked for, nothing changes.

        Args:
            requires_grad (bool): whether it is. Default True.

        Returns:
            Tensor: this one.

        Raises:
            TypeError: ``requires_grad`` is no bool.

        Examples:
            >>> import minds as ms
            >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
            >>> w.requires_grad_(False).requires_grad
            False
        """
        if not isinstance(requires_grad, bool):
            what = f"requires_grad_: requires_grad has type {class_of(requires_grad)}"
            raise complain(TypeError, what, expected="a bool")
        if hasattr(self, "requires_grad"):
            self.requires_grad = requires_grad
        return self

    def to_(self, to: str, non_blocking: bool = False):
        """This tensor, which is on the host.

        Args:
            to (str): ``"CPU"``.
            non_blocking (bool): makes no difference. Default False.

        Returns:
            Tensor: this one.

        Raises:
            ValueError: ``to`` is another device: a tensor is copied to that by `Tensor.to`.

        Examples:
            >>> import minds as ms
            >>> print(ms.Tensor([1.0]).to_("CPU"))
            [1.]
        """
        if to != "CPU" or devices.shown(self._array.device) != "CPU":
            raise complain(
                ValueError,
                f"to_: to is {to!r}, the tensor is on {self.device}",
                expected="'CPU' and a tensor there",
                cure="use x.to(device), which gives another tensor",
            )
        return self

    @staticmethod
    def from_dlpack(dlpack):
        """A Tensor that shares the memory of another framework's, as `minds.from_dlpack`.

        Args:
            dlpack (Any): an object with ``__dlpack__``, or a capsule.

        Returns:
            Tensor: of the same shape and dtype.

        Raises:
            TypeError: ``dlpack`` is neither, or has a dtype that minds lacks.

        Examples:
            >>> import minds as ms
            >>> import numpy as np
            >>> print(ms.Tensor.from_dlpack(np.array([1.0])))
            [1.]
        """
        array = _core.Array.from_dlpack(dlpack)
        if not array.device.is_host:
            devices.used.add(array.device.label)
        return _core.wrap(array)

    def to_dlpack(self):
        """A capsule with the memory, for one consumer.

        Returns:
            Any: the capsule.

        Examples:
            >>> import minds as ms
            >>> print(ms.from_dlpack(ms.Tensor([1.0]).to_dlpack()))
            [1.]
        """
        return self._array.__dlpack__()

    def index(self, indices: tuple):
        """The elements at some places, as ``x[indices]``.

        Args:
            indices (tuple[Tensor], list[Tensor]): a tensor of places for each of the first dimensions.

        Returns:
            Tensor: the elements.

        Raises:
            TypeError: ``indices`` is neither a tuple nor a list.

        Examples:
            >>> import minds as ms
            >>> print(ms.Tensor([[1, 2], [3, 4]]).index((ms.Tensor([1]), ms.Tensor([0]))))
            [3]
        """
        if not isinstance(indices, (tuple, list)):
            what = f"index: indices has type {class_of(indices)}"
            raise complain(TypeError, what, expected="a tuple of Tensors")
        return self[tuple(indices)]

    def assign_value_cpp(self, value):
        """`Tensor.assign_value` under another name.

        Args:
            value (Tensor): of any shape and dtype, copied.

        Returns:
            Tensor: this one.

        Examples:
            >>> import minds as ms
            >>> print(ms.Tensor([1.0]).assign_value_cpp(ms.Tensor([2])))
            [2]
        """
        return self.assign_value(value)

    def pin_memory(self):
        """Refused: memory is pinned for Ascend devices.

        Raises:
            RuntimeError: always.

        Examples:
            >>> import minds as ms
            >>> x = ms.Tensor([1.0])
            >>> x = x.pin_memory() if ms.get_context("device_target") == "Ascend" else x
        """
        raise complain(
            RuntimeError, "pin_memory: it is for Ascend devices", cure="leave it out; x.to copies"
        )

    def delete_(self):
        """Refused: the memory of a tensor is given back when nothing holds it.

        Raises:
            RuntimeError: always.

        Examples:
            >>> import minds as ms
            >>> x = ms.Tensor([1.0])
            >>> del x
        """
        raise complain(RuntimeError, "delete_: it is for Ascend devices", cure="write del x")

    def _load(self) -> None:
        """Bring what is on the host to the device: tensors are where programs run."""

    def offload(self, file_path=None, release: bool = True):
        """Refused: tensors are kept in memory.

        Args:
            file_path (str): without effect.
            release (bool): without effect.

        Raises:
            RuntimeError: always.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).offload_file_path()
            ''
        """
        raise complain(
            RuntimeError, "offload: tensors are kept in memory", cure="use minds.save_checkpoint"
        )

    def offload_file_path(self) -> str:
        """``""``: tensors are kept in memory.

        Returns:
            str: ``""``.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).offload_file_path()
            ''
        """
        return ""


__all__ = ["Stored", "UntypedStorage"]
