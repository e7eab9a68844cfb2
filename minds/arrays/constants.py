"""What MindSpore asks of a tensor, and what has one answer here: data exists from the start."""

from __future__ import annotations

from ..base.errors import complain


def check_const_arg(what: str, const_arg) -> None:
    """Raise TypeError, in the name of ``what``, unless ``const_arg`` is a bool."""
    if not isinstance(const_arg, bool):
        said = f"{what}: the type of 'const_arg' should be 'bool'"
        raise complain(TypeError, f"{said}, got {const_arg!r}")


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

        Raises:
            TypeError: ``const_arg`` is no bool.

        Examples:
            >>> import minds as ms
            >>> print(ms.Tensor([1.0]).set_const_arg())
            [1.]
        """
        check_const_arg("set_const_arg", const_arg)
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

    @property
    def delta_seed(self) -> int:
        """0: data exists from the start.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).delta_seed
            0
        """
        return 0

    @property
    def init_finished(self) -> bool:
        """True: data exists from the start.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).init_finished
            True
        """
        return True

    @property
    def param_info(self):
        """What describes a tensor that is a parameter: a Parameter describes itself. Subclasses of
        Tensor may be given a `ParamInfo`; of other tensors this is None.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).param_info is None
            True
            >>> ms.Parameter([1.0], name="w").param_info.name
            'w'
        """
        return getattr(self, "__dict__", {}).get("param_info")

    @param_info.setter
    def param_info(self, info) -> None:
        vars(self)["param_info"] = info

    @property
    def parent_tensor_(self) -> None:
        """None: a tensor has no other one for a parent.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).parent_tensor_ is None
            True
        """
        return None

    @property
    def index_of_parent_(self) -> None:
        """None: a tensor has no other one for a parent.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).index_of_parent_ is None
            True
        """
        return None

    @property
    def symbolic_shape(self) -> None:
        """None: the sizes of a tensor are known.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).symbolic_shape is None
            True
        """
        return None

    def flush_from_cache(self) -> None:
        """Nothing happens: the elements are in memory.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).flush_from_cache()
        """

    def wait_pipeline(self) -> None:
        """Nothing happens: a result is there when its call returns, or waits by itself.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).wait_pipeline()
        """

    def set_init_flag(self, flag: bool) -> None:
        """Nothing happens: data exists from the start.

        Args:
            flag (bool): without effect.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).set_init_flag(True)
        """

    def set_cast_dtype(self, dtype=None) -> None:
        """Nothing happens: what is kept is in the tensor's dtype.

        Args:
            dtype (dtype): without effect.

        Examples:
            >>> import minds as ms
            >>> ms.Tensor([1.0]).set_cast_dtype()
        """


class DescribesItself:
    """What only a Parameter has of these."""

    __slots__ = ()

    @property
    def param_info(self):
        """This parameter, which describes itself.

        Examples:
            >>> import minds as ms
            >>> ms.Parameter(ms.Tensor([1.0]), name="w").param_info.name
            'w'
        """
        return self

    @param_info.setter
    def param_info(self, info) -> None:
        self.name, self.requires_grad = info.name, info.requires_grad

    def add_pipeline_stage(self, stage: int) -> None:
        """Accepted: cells know their stages (`pipeline_stage`), and a parameter lies where it is used.

        Args:
            stage (int): a stage, at least 0.

        Raises:
            TypeError: ``stage`` is no int of at least 0.

        Examples:
            >>> import minds as ms
            >>> ms.Parameter(ms.Tensor([1.0]), name="w").add_pipeline_stage(1)
        """
        if type(stage) is not int or stage < 0:
            what = f"add_pipeline_stage: stage is {stage!r}"
            raise complain(TypeError, what, expected="an int of at least 0")
