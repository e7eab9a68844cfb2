"""`Model` for the second-order optimiser THOR."""

from __future__ import annotations

from ..base.errors import complain
from ..nn import Cell
from ..nn.optim.thor import Thor
from ..nn.second_order import ConvertNetUtils
from .callback import Callback
from .model import Model


class _ByTurns(Callback):
    """Lets layers and optimiser compute their factors at the first of so many steps."""

    def __init__(self, network: Cell, frequency: int):
        super().__init__()
        cells = [c for _, c in network.cells_and_names()]
        self.cells = [c for c in cells if hasattr(c, "thor")]
        self.frequency, self.done = frequency, 0

    def on_train_step_begin(self, run_context) -> None:
        """Before a step."""
        for cell in self.cells:
            cell.thor = self.done % self.frequency == 0
        self.done += 1


class ModelThor(Model):
    """`Model` whose optimiser is that of `nn.thor`: its factors are computed every ``frequency`` steps.

    Args:
        network (Cell), loss_fn (Cell), optimizer (Optimizer), args (Any), kwargs (Any): as of `Model`; the
            optimizer may be that of a ``network`` which is a `TrainOneStepCell`.

    Raises:
        TypeError: there is no such optimizer.

    Examples:
        >>> import minds as ms
        >>> from minds import nn, ops, train
        >>> net, rates = nn.SequentialCell(nn.Dense(2, 1)), ms.Tensor([0.01] * 9)
        >>> optimizer = nn.thor(net, rates, rates, 0.9, batch_size=4, frequency=2)
        >>> model = train.ConvertModelUtils.convert_to_thor_model(
        ...     None, net, nn.MSELoss(), optimizer)
        >>> data = ms.dataset.NumpySlicesDataset(
        ...     (ops.ones((8, 2)).asnumpy(), ops.ones((8, 1)).asnumpy())).batch(4)
        >>> model.train(2, data)
    """

    def __init__(self, network, loss_fn=None, optimizer=None, *args, **kwargs):
        super().__init__(network, loss_fn, optimizer, *args, **kwargs)
        self._thor = optimizer or getattr(network, "optimizer", None)
        if not isinstance(self._thor, Thor):
            kind = type(self._thor).__name__
            raise complain(
                TypeError, f"ModelThor: optimizer has type {kind}", expected="that of nn.thor"
            )

    def _run_training(
        self, epoch, dataset, callbacks, initial_epoch, resume, mode, sinks, *evaluation
    ):
        """As of `Model`, step by step: what is sunk would compute the factors at each."""
        if sinks and sinks != dataset.get_dataset_size():
            raise complain(
                ValueError,
                f"ModelThor: sink_size is {sinks}",
                expected=f"-1 or the size of the dataset, {dataset.get_dataset_size()}",
            )
        given = callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
        turns = _ByTurns(self._train_network, self._thor.frequency)
        callbacks = [turns, *[c for c in given if c is not None]]
        super()._run_training(
            epoch, dataset, callbacks, initial_epoch, resume, mode, None, *evaluation
        )


class ConvertModelUtils:
    """Makes a `Model` that knows the second-order optimiser.

    Examples:
        >>> from minds import nn, ops, train
        >>> net, rates = nn.SequentialCell(nn.Dense(2, 1)), ms.Tensor([0.01] * 9)
        >>> optimizer = nn.thor(net, rates, rates, 0.9)
        >>> model = train.Model(net, nn.MSELoss(), optimizer)
        >>> model = train.ConvertModelUtils.convert_to_thor_model(
        ...     model, net, nn.MSELoss(), optimizer)
        >>> type(model).__name__
        'ModelThor'
    """

    @staticmethod
    def convert_to_thor_model(
        model,
        network,
        loss_fn=None,
        optimizer=None,
        metrics=None,
        amp_level="O0",
        loss_scale_manager=None,
        keep_batchnorm_fp32=False,
    ):
        """A Model whose optimiser computes its factors every ``frequency`` steps.

        Args:
            model (Model): is given back where the optimiser is not that of `nn.thor`.
            network (Cell): the network; or a `TrainOneStepCell`, and nothing more.
            loss_fn (Cell), optimizer (Optimizer), metrics (dict, set), amp_level (str),
                loss_scale_manager (LossScaleManager), keep_batchnorm_fp32 (bool): as of `Model`.

        Returns:
            Model: the new one.

        Examples:
            >>> from minds import nn, train
            >>> net = nn.Dense(2, 1)
            >>> model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
            >>> train.ConvertModelUtils.convert_to_thor_model(model, net) is model
            True
        """
        whole = isinstance(getattr(network, "optimizer", None), Thor)
        if whole:
            return ModelThor(network)
        if not isinstance(optimizer, Thor):
            return model
        return ModelThor(
            network,
            loss_fn,
            optimizer,
            metrics,
            amp_level=amp_level,
            loss_scale_manager=loss_scale_manager,
            keep_batchnorm_fp32=keep_batchnorm_fp32,
        )


__all__ = ["ConvertModelUtils", "ConvertNetUtils", "ModelThor"]
