"""A network with its own settings of how it is divided among processes."""

from __future__ import annotations

from ..base.errors import complain
from ..compat import context
from ..compat.checkpoint_parts import expect_strategy_path
from ..nn.cell import Cell

_MODES = {
    "semi_auto": ("semi_auto_parallel", "recursive_programming"),
    "sharding_propagation": ("auto_parallel", "sharding_propagation"),
    "recursive_programming": ("auto_parallel", "recursive_programming"),
    "dynamic_programming": ("auto_parallel", "dynamic_programming"),
}


class AutoParallel(Cell):
    """A network, such as a training step, that is divided among processes as is said here, whatever
    `set_auto_parallel_context` says.

    Args:
        network (Cell): the network. It is called by this, not within another.
        parallel_mode (str): ``"semi_auto"``, or where layouts are searched ``"recursive_programming"`` or
            ``"dynamic_programming"``, which find the same; ``"sharding_propagation"`` searches nothing:
            layouts follow from those that the network says. Default: ``"semi_auto"``.

    Inputs:
        - **inputs** (Any) - of ``network``.

    Outputs:
        What ``network`` gives.

    Raises:
        TypeError: ``network`` is no Cell.
        ValueError: there is no such mode.

    Examples:
        >>> from minds import nn, ops
        >>> from minds.parallel.auto_parallel import AutoParallel
        >>> net = AutoParallel(nn.Dense(2, 1, weight_init="ones"))
        >>> net.dataset_strategy("full_batch")
        >>> net(ops.ones((1, 2))).shape
        (1, 1)
    """

    def __init__(self, network, parallel_mode="semi_auto"):
        super().__init__(auto_prefix=False)
        if not isinstance(network, Cell):
            what = f"AutoParallel: network has type {type(network).__name__}"
            raise complain(TypeError, what, expected="a Cell")
        if parallel_mode not in _MODES:
            expected = ", ".join(map(repr, _MODES))
            what = f"AutoParallel: parallel_mode is {parallel_mode!r}"
            raise complain(ValueError, what, expected=expected)
        self.network = network
        mode, search = _MODES[parallel_mode]
        self.__dict__["_division"] = {"parallel_mode": mode, "search_mode": search}

    def construct(self, *inputs):
        return self.network(*inputs)

    def __call__(self, *args, **kwargs):
        with self._divided():
            return self.network(*args, **kwargs)

    def compile(self, *args, **kwargs) -> None:
        """`Cell.compile` of the network."""
        with self._divided():
            self.network.compile(*args, **kwargs)

    def _divided(self):
        return context.parallel_settings(**self.__dict__["_division"])

    def _set(self, **settings) -> None:
        now = {**self.__dict__["_division"], **settings}
        with context.parallel_settings(**now):  # what is wrong is refused here
            self.__dict__["_division"] = now

    def dataset_strategy(self, config) -> None:
        """How the arguments are divided: ``"data_parallel"``, ``"full_batch"``, or a strategy for each.

        Args:
            config (str, tuple): as ``dataset_strategy`` of `set_auto_parallel_context`.
        """
        self._set(dataset_strategy=config)

    def hsdp(
        self, shard_size: int = -1, threshold: int = 64, optimizer_level: str = "level1"
    ) -> None:
        """Divide the states of the optimiser among processes that would hold the same.

        Args:
            shard_size (int): in how many parts at most; -1, as many as there are processes. Default: -1.
            threshold (int): weights of fewer kilobytes stay whole. Default: 64.
            optimizer_level (str): ``"level1"``, ``"level2"``, or ``"level3"`` for the weights too.
                Default: ``"level1"``.
        """
        config = {
            "optimizer_weight_shard_size": shard_size,
            "parallel_optimizer_threshold": threshold,
            "optimizer_level": optimizer_level,
        }
        self._set(enable_parallel_optimizer=True, parallel_optimizer_config=config)

    def pipeline(
        self,
        stages: int = 1,
        output_broadcast: bool = False,
        interleave: bool = False,
        scheduler: str = "1f1b",
    ) -> None:
        """Divide the network in stages, as `Cell.pipeline_stage` says.

        Args:
            stages (int): how many groups of devices there are. Default: 1.
            output_broadcast (bool): accepted; all stages get the result. Default: False.
            interleave (bool): whether a group has several stages. Default: False.
            scheduler (str): ``"1f1b"``, ``"gpipe"`` or ``"zero_bubble_v"``. Default: ``"1f1b"``.
        """
        config = {"pipeline_interleave": interleave, "pipeline_scheduler": scheduler}
        self._set(pipeline_stages=stages, pipeline_config=config)

    def save_param_strategy_file(self, file_path: str) -> None:
        """Write the layouts of what is compiled.

        Args:
            file_path (str): the strategy file.
        """
        self._set(strategy_ckpt_save_file=file_path)

    def load_param_strategy_file(self, file_path: str) -> None:
        """Take the layouts of parameters from a file.

        Args:
            file_path (str): the strategy file.
        """
        self._set(strategy_ckpt_load_file=file_path)

    def save_operator_strategy_file(self, file_path: str) -> None:
        """Write the layouts of parameters, from which those of ops follow.

        Args:
            file_path (str): the file, from the root, which ends in ``.json``.

        Raises:
            TypeError: ``file_path`` is no str.
            KeyError: it is no such path.
        """
        expect_strategy_path("AutoParallel.save_operator_strategy_file", "file_path", file_path)
        self._set(strategy_ckpt_save_file=file_path)

    def load_operator_strategy_file(self, file_path: str) -> None:
        """Take the layouts of parameters, from which those of ops follow, from a file.

        Args:
            file_path (str): the file, from the root, which ends in ``.json``.

        Raises:
            TypeError: ``file_path`` is no str.
            KeyError: it is no such path.
        """
        expect_strategy_path("AutoParallel.load_operator_strategy_file", "file_path", file_path)
        self._set(strategy_ckpt_load_file=file_path)

    def disable_strategy_file_only_for_trainable_params(self) -> None:
        """Accepted: a strategy file tells of all parameters."""

    def no_init_parameters_in_compile(self) -> None:
        """Accepted: parameters have their values when they are made."""

    def transformer_opt(self, file_path: str | None) -> None:
        """Accepted: what goes on beside what, minds itself chooses.

        Args:
            file_path (str): a file.
        """

    def dump_local_norm(self, file_path: str) -> None:
        """Accepted, as `print_local_norm`.

        Args:
            file_path (str): a folder.
        """

    def enable_device_local_norm(self) -> None:
        """Accepted, as `print_local_norm`."""

    def enable_gradients_mean(self) -> None:
        """Accepted: the gradient is that of the loss of one process."""

    def comm_fusion(self, config) -> None:
        """Accepted: minds itself chooses what collectives send together.

        Args:
            config (dict): as ``comm_fusion`` of `set_auto_parallel_context`.
        """
        self._set(comm_fusion=config)

    def set_group_ckpt_save_file(self, file_path: str) -> None:
        """Accepted: a strategy file tells who has the same part.

        Args:
            file_path (str): a file.
        """
        self._set(group_ckpt_save_file=file_path)

    def enable_fp32_communication(self) -> None:
        """Accepted: sums of half precision are added up in float32."""

    def disable_gradient_fp32_sync(self) -> None:
        """Accepted: sums of half precision are added up in float32."""

    def disable_loss_repeated_mean(self) -> None:
        """Accepted: a gradient is that of one process."""

    def print_local_norm(self) -> None:
        """Accepted; `ops.Print` of a norm of a gradient in the step prints it."""

    def get_pipeline_stages(self) -> int:
        """How many stages there are.

        Returns:
            int: the number.
        """
        return self.__dict__["_division"].get("pipeline_stages", 1)


__all__ = ["AutoParallel"]
