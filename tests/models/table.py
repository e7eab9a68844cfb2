"""What a row of the zoo's table says. Rows are in ``rows_AREA.py``, a list ``ROWS`` each; test_models.py
derives its tests from them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from minds import Tensor, nn, ops


@dataclasses.dataclass(frozen=True)
class Small:
    """A network that trains in a second: one of a family, made small.

    ``settings`` are arguments of the constructor; ``batch`` draws the tensors that the network is called
    with, and those that ``loss`` takes behind its result.
    """

    settings: dict
    batch: Callable[[np.random.RandomState], tuple[tuple, tuple]]
    loss: Callable = ops.cross_entropy
    rate: float = 1e-3


@dataclasses.dataclass(frozen=True)
class Row:
    """A constructor: how many parameters are trained and who says so, and what is put in and comes out
    (shapes) of a network with the constructor's own settings.

    ``inputs`` draws a forward's arguments.
    """

    name: str
    parameters: int
    source: str
    inputs: Callable[[np.random.RandomState], tuple]
    out: tuple
    small: Small | None = None


def images(*shape: int) -> Callable[[np.random.RandomState], tuple]:
    """Draws one argument, an image or several."""
    return lambda rng: (Tensor(rng.standard_normal(shape).astype(np.float32)),)


def labelled(
    *shape: int, classes: int = 4
) -> Callable[[np.random.RandomState], tuple[tuple, tuple]]:
    """Draws images and their classes."""

    def draw(rng):
        return images(*shape)(rng), (Tensor(rng.randint(0, classes, shape[0]).astype(np.int32)),)

    return draw


def shapes(out) -> tuple:
    """The shape of a tensor, or of each of several."""
    return tuple(map(shapes, out)) if isinstance(out, (tuple, list)) else out.shape


class WithLoss(nn.Cell):
    """The loss of a network, of what a row's batch draws."""

    def __init__(self, net: nn.Cell, loss: Callable, inputs: int):
        super().__init__()
        self.net, self.loss, self.inputs = net, loss, inputs

    def construct(self, *args):
        return self.loss(self.net(*args[: self.inputs]), *args[self.inputs :])
