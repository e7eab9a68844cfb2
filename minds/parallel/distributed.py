"""Data parallel training of a network in PyNative mode, by hooks of its weights."""

from __future__ import annotations

from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..base.world import place_in, ranks_of
from ..ir import build
from ..nn.cell import Cell
from ..ops.agreement import agree
from ..ops.define import P

__path__: list = []  # there are paths below this module (`compat.paths`)


class DistributedDataParallel(Cell):
    """A network each of whose gradients is, as soon as it is made, averaged over the processes of a group.

    Args:
        module (Cell): the network.
        init_sync (bool): whether all processes begin with the parameters of the group's first one.
            Default: True.
        process_group (str): the group. Default: None, all processes.
        bucket_cap_mb (int): accepted; gradients go one by one. Default: None.
        find_unused_parameters (bool): accepted; what is not used in one process must not be in the others.
            Default: False.
        average_in_collective (bool): whether gradients are divided behind their sum, or before it.
            Default: False.
        static_graph (bool): accepted. Default: False.
        reducer_mode (str): accepted. Default: ``"CppReducer"``.

    Inputs:
        - **inputs** (Any) - of ``module``.

    Outputs:
        What ``module`` gives.

    Raises:
        TypeError: ``module`` is no Cell.
        ValueError: there is no such group.
        RuntimeError: it is compiled.

    Examples:
        >>> from minds import nn, ops
        >>> from minds.parallel.distributed import DistributedDataParallel
        >>> DistributedDataParallel(nn.Dense(2, 1))(ops.ones((4, 2))).shape
        (4, 1)
    """

    def __init__(
        self,
        module,
        init_sync=True,
        process_group=None,
        bucket_cap_mb=None,
        find_unused_parameters=False,
        average_in_collective=False,
        static_graph=False,
        reducer_mode="CppReducer",
    ):
        super().__init__(auto_prefix=False)
        if not isinstance(module, Cell):
            what = f"DistributedDataParallel: module has type {type(module).__name__}"
            raise complain(TypeError, what, expected="a Cell")
        ranks = ranks_of(process_group, "DistributedDataParallel")
        place_in(ranks, "DistributedDataParallel")
        self.module = module
        if len(ranks) == 1:
            return
        if init_sync:
            agree(module.get_parameters(), ranks)

        def averaged(grad):
            if average_in_collective:
                return P.all_reduce(grad, "sum", ranks) / len(ranks)
            return P.all_reduce(grad / len(ranks), "sum", ranks)

        for p in module.trainable_params():
            p.register_hook(averaged)

    def construct(self, *inputs, **named):
        if build.current() is not None:
            raise complain(
                RuntimeError,
                "DistributedDataParallel: it works in PyNative mode alone",
                cure='compiled: set_auto_parallel_context(parallel_mode="data_parallel")',
            )
        return self.module(*inputs, **named)


__all__ = ["DistributedDataParallel"]
_guard(__name__)
