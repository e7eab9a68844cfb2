"""The training step of a network: loss, gradients, update, and loss scaling where it is asked
for.
"""

from __future__ import annotations

from .. import nn
from ..base.boundary import guard as _guard
from ..base.errors import complain
from .loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager


def build_train_network(
    network, optimizer, loss_fn=None, level: str = "O0", boost_level: str = "O0", **kwargs
):
    """A cell whose call is one training step and gives the loss.

    Args:
        network (Cell): the network; without ``loss_fn`` its output is the loss.
        optimizer (Optimizer, None): updates the parameters; None only computes the loss.
        loss_fn (Cell, optional): gets the network's output and the label.
        level (str): ``"O0"``, float32.
        boost_level (str): ``"O0"``.
        kwargs (Any): ``loss_scale_manager``, a LossScaleManager that scales the loss; others are
            ignored.

    Returns:
        Cell: the step.

    Raises:
        ValueError: ``level`` or ``boost_level`` is not supported.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> from minds import train
        >>> net = nn.Dense(2, 1, "zeros", "zeros")
        >>> opt = nn.SGD(net.trainable_params(), 0.1)
        >>> step = train.build_train_network(net, opt, nn.MSELoss())
        >>> print(step(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0]])))
        9.0
    """
    if level != "O0" or boost_level != "O0":
        raise complain(
            ValueError,
            f"build_train_network: level is {level!r}, boost_level {boost_level!r}",
            expected="'O0': mixed precision is not supported yet",
        )
    if loss_fn is not None:
        network = nn.WithLossCell(network, loss_fn)
    if optimizer is None:
        return network
    manager = kwargs.get("loss_scale_manager")
    if manager is None:
        return nn.TrainOneStepCell(network, optimizer)
    update = manager.get_update_cell()
    if update is None:
        return nn.TrainOneStepCell(network, optimizer, manager.get_loss_scale())
    return nn.TrainOneStepWithLossScaleCell(network, optimizer, update)


__all__ = [
    "DynamicLossScaleManager",
    "FixedLossScaleManager",
    "LossScaleManager",
    "build_train_network",
]
_guard(__name__)
