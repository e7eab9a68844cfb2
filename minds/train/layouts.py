"""How the parameters of a `Model` would lie among processes, without training."""

from __future__ import annotations

from ..base.errors import complain
from ..base.options import is_divided


class LaidOut:
    """The methods of `Model` that compile its cells for several processes and tell their layouts."""

    def infer_train_layout(
        self, train_dataset, dataset_sink_mode: bool = True, sink_size: int = -1
    ) -> dict:
        """How parameters and states lie when this trains.

        Args:
            train_dataset (Dataset): batches of the training; the first one is read.
            dataset_sink_mode (bool), sink_size (int): accepted.

        Returns:
            dict: `Cell.parameter_layout_dict` of the training step.

        Raises:
            RuntimeError: programs are not divided.
        """
        _expect_divided("infer_train_layout")
        self.build(train_dataset)
        return self.train_network.parameter_layout_dict

    def infer_predict_layout(self, *predict_data, skip_backend_compile: bool = False) -> dict:
        """How parameters lie when this predicts.

        Args:
            predict_data (Tensor ...): the network's inputs.
            skip_backend_compile (bool): accepted. Default: False.

        Returns:
            dict: `Cell.parameter_layout_dict` of the network.

        Raises:
            RuntimeError: programs are not divided.
        """
        _expect_divided("infer_predict_layout")
        self.predict_network.set_train(False)
        self.predict_network.compile(*predict_data)
        return self.predict_network.parameter_layout_dict


def _expect_divided(name: str) -> None:
    if not is_divided():
        raise complain(
            RuntimeError,
            f"Model.{name}: programs are not divided",
            cure='set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=…)',
        )


__all__ = ["LaidOut"]
