"""What MindSpore asks of a tensor, and what has one answer here: data exists from the start."""

from __future__ import annotations


class AlwaysSo:
    """Properties and methods with the same answer for every tensor."""

    __slots__ = ()
    _part_of = "Tensor"

    @property
    def has_init(self) -> bool:
        """False: data exists from the start.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).has_init
            False
        """
        return False

    @property
    def init(self) -> None:
        """None: data exists from the start.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).init is None
            True
        """
        return None

    @property
    def init_flag(self) -> bool:
        """False: data exists from the start.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).init_flag
            False
        """
        return False

    @property
    def const_arg(self) -> bool:
        """False: contents are run-time data.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).const_arg
            False
        """
        return False

    @property
    def virtual_flag(self) -> bool:
        """False: data exists from the start.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).virtual_flag
            False
        """
        return False

    @property
    def is_meta(self) -> bool:
        """False: data exists from the start.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).is_meta
            False
        """
        return False

    def storage_offset(self) -> int:
        """0: a tensor begins where its memory begins.

        Returns:
            int: 0.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).storage_offset()
            0
        """
        return 0

    def set_const_arg(self, const_arg: bool = True):
        """This tensor: contents are run-time data, unless a program asks for their value.

        Args:
            const_arg (bool): without effect.

        Returns:
            Tensor: this one.

        Examples:
            >>> import minds as ms
            >>> print(ms.Tensor([1.0]).set_const_arg())
            [1.]
        """
        return self

    def is_pinned(self) -> bool:
        """False: memory of the host is not pinned.

        Returns:
            bool: False.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).is_pinned()
            False
        """
        return False

    def is_shared(self) -> bool:
        """False: the memory belongs to this process.

        Returns:
            bool: False.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).is_shared()
            False
        """
        return False

    def data_sync(self, wait: bool = True) -> None:
        """Nothing happens: the elements are in the memory of the host.

        Args:
            wait (bool): without effect.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).data_sync()
        """

    def init_data(self, *args, **kwargs):
        """This tensor: its data exists from the start.

        Args:
            args (Any), kwargs (Any): without effect.

        Returns:
            Tensor: this one.

        Examples:
            >>> import minds as ms
            >>> print(ms.Tensor([1.0]).init_data())
            [1.]
        """
        return self

    @property
    def data(self):
        """This tensor.

        Examples:
            >>> import minds as ms
            >>> x = ms.Tensor([1.0])
            >>> x.data is x
            True
        """
        return self
