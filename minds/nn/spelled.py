"""Methods of `Cell` that scripts written for MindSpore call and that say how a network is spread over
devices or found in files: settings that are kept and have no effect on one device.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from ..base.errors import complain, expect
from ..base.kinds import shown
from ..ops.define import P
from . import hooks

if TYPE_CHECKING:
    from .cell import Cell


class Spelled:
    """Methods of `Cell` with MindSpore's names."""

    @property
    def cell_init_args(self) -> str:
        """A word for the arguments that the cell was made with.

        Raises:
            TypeError: set to what is no str.
        """
        return vars(self).get("_cell_init_args", "")

    @cell_init_args.setter
    def cell_init_args(self, value: str) -> None:
        if not isinstance(value, str):
            raise complain(
                TypeError, f"cell_init_args: it is set to {shown(value)}", expected="a str"
            )
        self.__dict__["_cell_init_args"] = value

    @property
    def pipeline_stage(self):
        """The stage of a pipeline that the cell belongs to; ``"NONE"`` before it is set.

        Raises:
            TypeError: set to what is no int.
            ValueError: set to a negative int.
        """
        return vars(self).get("_pipeline_stage", "NONE")

    @pipeline_stage.setter
    def pipeline_stage(self, value: int) -> None:
        self._set_below("pipeline_stage", value)

    def _set_below(self, name: str, value: int) -> None:
        """Set a number that is not negative here and below."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise complain(TypeError, f"{name}: it is set to {shown(value)}", expected="an int")
        if value < 0:
            raise complain(ValueError, f"{name}: it is set to {value}", expected="0 or more")
        for _, cell in self.cells_and_names():
            cell.__dict__[f"_{name}"] = value

    cell_type = None
    enable_backward_hook = grad_ops_label = is_top_cell = False

    @property
    def pipeline_segment(self):
        """The segment of a pipeline's stage that the cell belongs to; ``"NONE"`` before it is set.

        Raises:
            TypeError: set to what is no int.
            ValueError: set to a negative int.
        """
        return vars(self).get("_pipeline_segment", "NONE")

    @pipeline_segment.setter
    def pipeline_segment(self, value: int) -> None:
        self._set_below("pipeline_segment", value)

    @property
    def phase(self) -> str:
        """A word for what the network is used for: ``"train"``, ``"predict"`` after ``set_train(False)``, or
        what it was set to.

        Examples:
            >>> from minds import nn
            >>> net = nn.ReLU().set_train(False)
            >>> net.phase
            'predict'
        """
        return vars(self).get("_phase", "train")

    @phase.setter
    def phase(self, value: str) -> None:
        self.__dict__["_phase"] = value

    @property
    def bprop_debug(self) -> bool:
        """Whether MindSpore shall run the cell's ``bprop`` in Python: kept, and without effect.

        Raises:
            TypeError: set to what is no bool.
        """
        return vars(self).get("_bprop_debug", False)

    @bprop_debug.setter
    def bprop_debug(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise complain(
                TypeError, f"bprop_debug: it is set to {shown(value)}", expected="a bool"
            )
        self.__dict__["_bprop_debug"] = value

    def parameters_broadcast_dict(self, recurse: bool = True) -> OrderedDict:
        """The parameters that all devices share, by name: those without ``layerwise_parallel``.

        Args:
            recurse (bool): also of the cells below. Default True.

        Returns:
            OrderedDict[str, Parameter]: names and parameters.

        Examples:
            >>> from minds import nn
            >>> list(nn.Dense(2, 1).parameters_broadcast_dict())
            ['weight', 'bias']
        """
        found = self.get_parameters(recurse)
        return OrderedDict((p.name, p) for p in found if not p.layerwise_parallel)

    def remove_redundant_parameters(self) -> None:
        """Nothing happens: no parameter is redundant.

        Examples:
            >>> from minds import nn
            >>> nn.Dense(2, 1).remove_redundant_parameters()
        """

    def offload(self, backward_prefetch="Auto") -> None:
        """Ask MindSpore to keep what gradients read on the host; without effect. To keep less, call
        `recompute`, or keep it otherwise by `register_saved_tensors_hooks`.

        Args:
            backward_prefetch (str, int): ``"Auto"`` or a positive int; without effect.

        Raises:
            TypeError: ``backward_prefetch`` is neither.
            ValueError: it is another str, or no positive int.

        Examples:
            >>> from minds import nn
            >>> nn.Dense(2, 1).offload(2)
        """
        if isinstance(backward_prefetch, bool) or not isinstance(backward_prefetch, (str, int)):
            what = f"offload: backward_prefetch is {shown(backward_prefetch)}"
            raise complain(TypeError, what, expected="'Auto' or an int")
        word = isinstance(backward_prefetch, str)
        fits = backward_prefetch == "Auto" if word else backward_prefetch > 0
        expect(fits, "backward_prefetch", "'Auto' or a positive int", got=repr(backward_prefetch))

    def to_empty(self, *, device=None, recurse: bool = True) -> Cell:
        """This cell: its parameters have their memory from the start.

        Args:
            device (str): without effect. Default None.
            recurse (bool): without effect. Default True.

        Returns:
            Cell: this cell.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().to_empty()
            ReLU()
        """
        return self

    @property
    def has_bprop(self) -> bool:
        """Whether the class defines its own derivative.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().has_bprop
            False
        """
        return self._derivative() is not None

    def set_comm_fusion(self, fusion_type: int, recurse: bool = True) -> Cell:
        """Set ``comm_fusion`` of the trainable parameters.

        Args:
            fusion_type (int): the group in which gradients are exchanged; not negative.
            recurse (bool): also of the cells below. Default True.

        Returns:
            Cell: this cell.

        Raises:
            TypeError: ``fusion_type`` is no int.
            ValueError: it is negative.

        Examples:
            >>> from minds import nn
            >>> nn.Dense(2, 1).set_comm_fusion(2).weight.comm_fusion
            2
        """
        if isinstance(fusion_type, bool) or not isinstance(fusion_type, int):
            what = f"set_comm_fusion: fusion_type is {shown(fusion_type)}"
            raise complain(TypeError, what, expected="an int")
        expect(fusion_type >= 0, "fusion_type", "0 or more", got=fusion_type)
        for param in self.trainable_params(recurse):
            param.comm_fusion = fusion_type
        return self

    def set_broadcast_flag(self, mode: bool = True) -> Cell:
        """Set the flag ``broadcast_flag`` here and below.

        Args:
            mode (bool): its value. Default True.

        Returns:
            Cell: this cell.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().set_broadcast_flag().get_flags()
            {'broadcast_flag': True}
        """
        return self.add_flags_recursive(broadcast_flag=mode)

    def set_boost(self, boost_type: str) -> Cell:
        """Set the flag of a way to train faster here and below.

        Args:
            boost_type (str): ``"less_bn"``.

        Returns:
            Cell: this cell.

        Raises:
            ValueError: another value.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().set_boost("less_bn").get_flags()
            {'less_bn': True}
        """
        expect(boost_type == "less_bn", "boost_type", "'less_bn'", got=repr(boost_type))
        return self.add_flags_recursive(less_bn=True)

    def cast_inputs(self, inputs: tuple, dst_type) -> tuple:
        """Tensors of floating point as another dtype.

        Args:
            inputs (tuple): the values.
            dst_type (dtype): the dtype.

        Returns:
            tuple: of the same length.

        Raises:
            TypeError: ``inputs`` is no tuple or list.

        Examples:
            >>> import minds as ms
            >>> ms.nn.ReLU().cast_inputs((ms.Tensor([1.0]),), ms.float16)[0].dtype
            Float16
        """
        if not isinstance(inputs, (tuple, list)):
            what = f"cast_inputs: inputs has type {type(inputs).__name__}"
            raise complain(TypeError, what, expected="a tuple")
        dtypes = (getattr(v, "dtype", None) for v in inputs)
        floats = [d is not None and d.is_float for d in dtypes]
        return tuple(P.cast(v, dst_type) if f else v for v, f in zip(inputs, floats))

    def run_construct(self, cast_inputs: tuple, kwargs: dict):
        """What `construct` gives, whatever the mode and without hooks.

        Args:
            cast_inputs (tuple): its arguments by position.
            kwargs (dict): its arguments by name.

        Returns:
            Any: what `construct` returns.

        Examples:
            >>> import minds as ms
            >>> print(ms.nn.ReLU().run_construct((ms.Tensor([-1.0, 2.0]),), {}))
            [0. 2.]
        """
        return self.construct(*cast_inputs, **kwargs)

    def generate_scope(self) -> None:
        """Give each cell below the path of names that leads to it, see `get_scope`.

        Examples:
            >>> from minds import nn
            >>> net = nn.SequentialCell(nn.ReLU())
            >>> net.generate_scope()
            >>> net[0].get_scope()
            'Default/0-ReLU'
        """
        self._set_scope("Default")

    def _set_scope(self, scope: str) -> None:
        self.__dict__["_scope"] = scope
        for name, cell in self.name_cells().items():
            cell._set_scope(f"{scope}/{name}-{cell.cls_name}")

    def get_scope(self) -> str | None:
        """The path of names that leads to this cell, or None before `generate_scope`.

        Returns:
            str: such as ``"Default/0-ReLU"``; ``"recompute_"`` before it where `recompute` was set.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().get_scope() is None
            True
        """
        scope = vars(self).get("_scope")
        return f"recompute_{scope or ''}" if vars(self).get("_recomputed") else scope

    def check_names_and_refresh_name(self) -> None:
        """Name the parameters by their cells where two of them share a name.

        Raises:
            ValueError: two share one still.

        Examples:
            >>> from minds import nn
            >>> nn.Dense(2, 1).check_names_and_refresh_name()
        """
        names = [p.name for _, p in self.parameters_and_names()]
        if len(set(names)) < len(names):
            self.update_parameters_name()
            self.check_names()

    def register_saved_tensors_hooks(self, pack_hook, unpack_hook) -> None:
        """Let hooks keep what gradients will read of the tensors of `construct`, as
        `minds.register_saved_tensors_hooks`. Two more take the place of these.

        Args:
            pack_hook (Callable): takes a tensor, and gives what is kept.
            unpack_hook (Callable): takes that, and gives a tensor of the same shape and dtype.

        Raises:
            TypeError: one of them cannot be called.

        Examples:
            >>> import minds as ms
            >>> net = ms.nn.Tanh()
            >>> net.register_saved_tensors_hooks(lambda t: t * 0.0, lambda t: t)
            >>> float(ms.grad(net)(ms.Tensor(1.0)))  # 1 - 0²
            1.0
        """
        hooks.keep_by(self, pack_hook, unpack_hook)

    def update_cell_type(self, cell_type: str) -> None:
        """Set the attribute ``cell_type``.

        Args:
            cell_type (str): such as ``"second-order"``.

        Examples:
            >>> from minds import nn
            >>> net = nn.ReLU()
            >>> net.update_cell_type("second-order")
            >>> net.cell_type
            'second-order'
        """
        self.cell_type = cell_type


__all__ = ["Spelled"]
