"""Settings of a `Cell` and of all cells below it, and its hooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..base import dtype as dt
from ..base.errors import complain
from ..transforms import last_call
from . import hooks
from .precision import CellPrecision

if TYPE_CHECKING:
    from .cell import Cell


class Settings:
    """Methods of `Cell` on how it runs."""

    # ---- settings

    def set_train(self, mode: bool = True) -> Cell:
        """Set ``training`` here and below, which layers such as Dropout and BatchNorm obey.

        Args:
            mode (bool): whether the network is trained. Default True.

        Returns:
            Cell: this cell.

        Raises:
            TypeError: ``mode`` is no bool.

        Examples:
            >>> from minds import nn
            >>> nn.Dropout(p=0.5).set_train().training
            True
        """
        if not isinstance(mode, bool):
            raise complain(
                TypeError, f"set_train: mode has type {type(mode).__name__}", expected="a bool"
            )
        for _, cell in self.cells_and_names():
            cell.training = mode
            cell.__dict__.update(_phase="train" if mode else "predict")
        return self

    def set_grad(self, requires_grad: bool = True) -> Cell:
        """Say that this cell will be called, and that its gradient with respect to parameters will be
        asked for with the same arguments then. The gradient goes back through that call: what the cell
        does besides computing, such as moving averages and masks that it draws, is done once. (Every
        cell can be differentiated without this; then it is computed again.) In PyNative mode a call is
        kept in memory until its gradient is taken or the cell is called again.

        Args:
            requires_grad (bool): whether it will. Default True.

        Returns:
            Cell: this cell.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().set_grad().requires_grad
            True
        """
        self.requires_grad = bool(requires_grad)
        if requires_grad:
            self._plain = False
        else:
            last_call.forget(self)
        return self

    def to_float(self, dst_type: dt.DType) -> Cell:
        """Compute in a float dtype here and below: inputs and parameters are cast, the parameters
        keep their dtype.

        Args:
            dst_type (dtype): float16, bfloat16 or float32.

        Returns:
            Cell: this cell.

        Raises:
            ValueError: another dtype.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> from minds import ops
            >>> nn.Dense(2, 1).to_float(ms.float16)(ops.ones((1, 2))).dtype
            Float16
        """
        if dst_type not in (dt.float16, dt.float32, dt.bfloat16):
            raise complain(
                ValueError,
                f"to_float: dst_type is {dst_type!r}",
                expected="float16, bfloat16 or float32",
            )
        for _, cell in self.cells_and_names():
            cell._precision, cell._plain = CellPrecision(dst_type), False
            cell.add_flags(
                fp16=dst_type is dt.float16,
                fp32=dst_type is dt.float32,
                bf16=dst_type is dt.bfloat16,
            )
        hooks.changed()
        return self

    def get_mixed_precision_type(self) -> dt.DType | None:
        """The dtype that `to_float` was given, or None.

        Returns:
            dtype: the dtype, or None.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> nn.ReLU().to_float(ms.float16).get_mixed_precision_type()
            Float16
        """
        return self._precision and self._precision.inputs

    def add_flags(self, **flags) -> Cell:
        """Set flags, which are also attributes.

        Args:
            flags (Any): names and values.

        Returns:
            Cell: this cell.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().add_flags(level=3).level
            3
        """
        self._flags.update(flags)
        for name, value in flags.items():
            setattr(self, name, value)
        return self

    def add_flags_recursive(self, **flags) -> Cell:
        """Set flags here and below, as `add_flags`.

        Args:
            flags (Any): names and values.

        Returns:
            Cell: this cell.

        Examples:
            >>> from minds import nn
            >>> nn.SequentialCell(nn.ReLU()).add_flags_recursive(level=3)[0].level
            3
        """
        for _, cell in self.cells_and_names():
            cell.add_flags(**flags)
        return self

    def get_flags(self) -> dict:
        """The flags that were set.

        Returns:
            dict[str, Any]: names and values.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().add_flags(level=3).get_flags()
            {'level': 3}
        """
        return self._flags

    def recompute(self, mode: bool = True, **kwargs) -> Cell:
        """Compute this cell's inner values again for the gradient instead of keeping them
        (`minds.recompute`): less memory, more time, the same numbers.

        Args:
            mode (bool): whether to. Default True.
            kwargs (Any): MindSpore's settings for parallel training, without effect.

        Returns:
            Cell: this cell.

        Raises:
            TypeError: ``mode`` is no bool.

        Examples:
            >>> from minds import nn
            >>> from minds import ops
            >>> net = nn.SequentialCell(nn.Dense(2, 2).recompute(), nn.ReLU())
            >>> net(ops.ones((1, 2))).shape
            (1, 2)
        """
        if not isinstance(mode, bool):
            raise complain(
                TypeError, f"recompute: mode has type {type(mode).__name__}", expected="a bool"
            )
        hooks.recompute(self, mode)
        return self

    def set_jit_config(self, jit_config) -> None:
        """Settings of MindSpore's compiler levels: accepted, without effect.

        Args:
            jit_config (JitConfig): the settings.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> nn.ReLU().set_jit_config(ms.JitConfig(jit_level="O1"))
        """

    @property
    def cls_name(self) -> str:
        """The name of the class.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().cls_name
            'ReLU'
        """
        return type(self).__name__

    # ---- hooks: called in PyNative mode, compiled in graph mode

    @property
    def _forward_pre_hook(self) -> dict:
        """The functions that run before `construct`, by number; MindSpore's libraries look for them."""
        return dict(enumerate(h.fn for h in vars(self).get("_hooks", {}).get("forward_pre", ())))

    @property
    def _forward_hook(self) -> dict:
        """The functions that run after `construct`, by number."""
        return dict(enumerate(h.fn for h in vars(self).get("_hooks", {}).get("forward", ())))

    def register_forward_pre_hook(
        self, hook_fn: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> hooks.HookHandle:
        """Call a function before `construct`: ``hook_fn(cell, inputs)``, which may return other
        inputs.

        Args:
            hook_fn (Callable): the hook; compiled with the cell in graph mode.
            prepend (bool): run it before those that the cell has. Default False.
            with_kwargs (bool): it is called as ``hook_fn(cell, inputs, kwargs)`` and returns
                ``(inputs, kwargs)`` or None. Default False.

        Returns:
            HookHandle: its ``remove()`` takes the hook away.

        Raises:
            TypeError: ``hook_fn`` cannot be called.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.ReLU()
            >>> _ = net.register_forward_pre_hook(lambda cell, inputs: (inputs[0] + 1,))
            >>> print(net(ms.Tensor([1.0])))
            [2.]
        """
        return hooks.register(self, "forward_pre", hook_fn, prepend, with_kwargs)

    def register_forward_hook(
        self,
        hook_fn: Callable,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> hooks.HookHandle:
        """Call a function after `construct`: ``hook_fn(cell, inputs, output)``, which may return
        another output.

        Args:
            hook_fn (Callable): the hook; compiled with the cell in graph mode.
            prepend (bool): run it before those that the cell has. Default False.
            with_kwargs (bool): it is called as ``hook_fn(cell, inputs, kwargs, output)``. Default
                False.
            always_call (bool): in PyNative mode call it also where `construct` raised, with output
                None. Default False.

        Returns:
            HookHandle: its ``remove()`` takes the hook away.

        Raises:
            TypeError: ``hook_fn`` cannot be called.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.ReLU()
            >>> _ = net.register_forward_hook(lambda cell, inputs, output: output * 10)
            >>> print(net(ms.Tensor([1.0])))
            [10.]
        """
        return hooks.register(self, "forward", hook_fn, prepend, with_kwargs, always_call)

    def register_backward_pre_hook(self, hook_fn: Callable) -> hooks.HookHandle:
        """Call a function on the gradients of the outputs: ``hook_fn(cell, grad_outputs)``, which
        may return others.

        Args:
            hook_fn (Callable): the hook; compiled with the cell in graph mode.

        Returns:
            HookHandle: its ``remove()`` takes the hook away.

        Raises:
            TypeError: ``hook_fn`` cannot be called.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.ReLU()
            >>> _ = net.register_backward_pre_hook(lambda cell, grads: (grads[0] * 10,))
            >>> print(ms.grad(net)(ms.Tensor([1.0])))
            [10.]
        """
        return hooks.register(self, "backward_pre", hook_fn)

    def register_backward_hook(self, hook_fn: Callable) -> hooks.HookHandle:
        """Call a function on the gradients of the inputs:
        ``hook_fn(cell, grad_inputs, grad_outputs)``, which may return others.

        Args:
            hook_fn (Callable): the hook; compiled with the cell in graph mode.

        Returns:
            HookHandle: its ``remove()`` takes the hook away.

        Raises:
            TypeError: ``hook_fn`` cannot be called.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.ReLU()
            >>> _ = net.register_backward_hook(lambda cell, grads, outs: (grads[0] * 10,))
            >>> print(ms.grad(net)(ms.Tensor([1.0])))
            [10.]
        """
        return hooks.register(self, "backward", hook_fn)


__all__ = ["Settings"]
