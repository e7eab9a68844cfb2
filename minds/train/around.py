"""Cells around an optimizer that change what it gets or what it leaves: gradients of several steps added up,
clipped gradients, an average of the weights. They are optimizers to `Model` and to `nn.TrainOneStepCell`,
their state is saved with a checkpoint, and they are compiled with the step.
"""

from __future__ import annotations

from .. import ops
from ..base import dtype as dt
from ..base.boundary import checked
from ..base.errors import complain
from ..nn import Cell
from ..parameters import ParameterTuple
from ..tensor import Parameter, Tensor


class AroundOptimizer(Cell):
    """Shared by all: the optimizer inside, whose parameters and rate they show."""

    def __init__(self, optimizer):
        super().__init__(auto_prefix=False)
        name = type(self).__name__
        if not isinstance(optimizer, Cell) or not hasattr(optimizer, "parameters"):
            said = f"{name}: optimizer has type {type(optimizer).__name__}"
            raise complain(TypeError, said, expected="an Optimizer")
        self.optimizer, self.parameters = optimizer, optimizer.parameters

    @property
    def learning_rate(self):
        """That of the optimizer.

        Examples:
            >>> import minds as ms
            >>> from minds import nn, train
            >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
            >>> float(train.ClippedGradients(nn.SGD([w], 0.5), value=1.0).learning_rate)
            0.5
        """
        return self.optimizer.learning_rate

    def get_lr(self):
        """The rate of the next update.

        Returns:
            Tensor: it.

        Examples:
            >>> import minds as ms
            >>> from minds import nn, train
            >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
            >>> float(train.ClippedGradients(nn.SGD([w], 0.5), value=1.0).get_lr())
            0.5
        """
        return self.optimizer.get_lr()

    def _copies(self, prefix: str, make) -> ParameterTuple:
        """A parameter of its own for each of the optimizer's."""
        return ParameterTuple(
            [
                Parameter(make(p), name=f"{prefix}.{p.name}", requires_grad=False)
                for p in self.parameters
            ]
        )


class GradientAccumulation(AroundOptimizer):
    """Adds up the gradients of some steps, and updates with their mean in the last one: what a batch that
    many times as large would do where the loss is a mean.

    Args:
        optimizer (Cell): updates with the mean.
        steps (int): how many steps, at least 1.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``steps`` is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import nn, train
        >>> w = ms.Parameter(ms.Tensor([4.0]), name="w")
        >>> optimizer = train.GradientAccumulation(nn.SGD([w], 1.0), 2)
        >>> _ = optimizer((ms.Tensor([1.0]),))
        >>> print(w.asnumpy())
        [4.]
        >>> _ = optimizer((ms.Tensor([3.0]),))
        >>> print(w.asnumpy())
        [2.]
    """

    def __init__(self, optimizer, steps: int):
        super().__init__(optimizer)
        if isinstance(steps, bool) or not isinstance(steps, int):
            said = f"GradientAccumulation: steps is {steps!r}"
            raise complain(TypeError, said, expected="an int")
        if steps < 1:
            raise complain(
                ValueError, f"GradientAccumulation: steps is {steps}", expected="1 or more"
            )
        self.steps = steps
        self.sums = self._copies("accumulated", lambda p: ops.zeros(p.shape, p.dtype))
        self.count = Parameter(Tensor(0, dt.int32), name="accumulated_steps", requires_grad=False)

    def construct(self, gradients):
        for total, g in zip(self.sums, gradients):
            ops.assign_add(total, ops.cast(g, total.dtype))
        ops.assign(self.count, self.count + 1)
        if self.count >= self.steps:
            self.optimizer(tuple([total / self.steps for total in self.sums]))
            for total in self.sums:
                ops.assign(total, ops.zeros_like(total))
            ops.assign(self.count, ops.zeros_like(self.count))
        return True


class ClippedGradients(AroundOptimizer):
    """Limits the gradients before the update; what is given first in this list is done first.

    Args:
        optimizer (Cell): gets the clipped gradients.
        value (float, optional): each element lies between its negative and it.
        norm (float, optional): each gradient is scaled so that its Euclidean norm is at most this.
        global_norm (float, optional): all are scaled by one factor so that the norm of all together is at
            most this.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a limit is not positive, or none is given.

    Examples:
        >>> import minds as ms
        >>> from minds import nn, train
        >>> w = ms.Parameter(ms.Tensor([4.0]), name="w")
        >>> _ = train.ClippedGradients(nn.SGD([w], 1.0), value=0.5)((ms.Tensor([9.0]),))
        >>> print(w.asnumpy())
        [3.5]
    """

    @checked
    def __init__(self, optimizer, value=None, norm=None, global_norm=None):
        super().__init__(optimizer)
        limits = {"value": value, "norm": norm, "global_norm": global_norm}
        given = {k: v for k, v in limits.items() if v is not None}
        if not given:
            raise complain(
                ValueError, "ClippedGradients: no limit is given", expected="one of three"
            )
        for name, limit in given.items():
            if not limit > 0:
                said = f"ClippedGradients: {name} is {limit}"
                raise complain(ValueError, said, expected="a positive number")
        self.value, self.norm, self.global_norm = value, norm, global_norm

    def construct(self, gradients):
        found = tuple(gradients)
        if self.value is not None:
            found = tuple([ops.clip_by_value(g, -self.value, self.value) for g in found])
        if self.norm is not None:
            found = tuple([self._within(g, self.norm) for g in found])
        if self.global_norm is not None:
            found = ops.clip_by_global_norm(found, self.global_norm)
        return self.optimizer(found)

    @staticmethod
    def _within(g, limit):
        length = ops.sqrt(ops.sum(ops.square(g)))
        return g * (limit / ops.maximum(length, limit))


class AveragedWeights(AroundOptimizer):
    r"""Keeps an exponential moving average of the weights: after each update
    :math:`a \leftarrow d\,a + (1 - d)\,w`. `swap` exchanges weights and averages; the callback
    `EvaluateAverages` does so around evaluations.

    Args:
        optimizer (Cell): updates the weights.
        decay (float): d, in [0, 1]. Default: 0.999.
        warmup (bool): whether d is at most (1 + n) / (10 + n) after n updates, so that the first weights are
            soon forgotten. Default: ``False``.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``decay`` is out of range.

    Examples:
        >>> import minds as ms
        >>> from minds import nn, train
        >>> w = ms.Parameter(ms.Tensor([4.0]), name="w")
        >>> optimizer = train.AveragedWeights(nn.SGD([w], 1.0), 0.5)
        >>> _ = optimizer((ms.Tensor([2.0]),))
        >>> optimizer.swap()
        >>> print(w.asnumpy())
        [3.]
    """

    @checked
    def __init__(self, optimizer, decay: float = 0.999, warmup: bool = False):
        super().__init__(optimizer)
        if not 0 <= decay <= 1:
            raise complain(ValueError, f"AveragedWeights: decay is {decay}", expected="in [0, 1]")
        self.decay, self.warmup = decay, warmup
        self.averages = self._copies("average", lambda p: Tensor(p.asnumpy().copy(), p.dtype))
        self.updates = Parameter(
            Tensor(0, dt.float32), name="averaged_updates", requires_grad=False
        )

    def construct(self, gradients):
        done = self.optimizer(gradients)
        ops.assign(self.updates, self.updates + 1)
        keep = self.decay
        if self.warmup:
            keep = ops.minimum((1 + self.updates) / (10 + self.updates), self.decay)
        for a, w in zip(self.averages, self.parameters):
            ops.assign(a, ops.cast(a + (w - a) * (1 - keep), a.dtype))
        return done

    def swap(self) -> None:
        """Exchange the weights and their averages.

        Examples:
            >>> import minds as ms
            >>> from minds import nn, train
            >>> w = ms.Parameter(ms.Tensor([4.0]), name="w")
            >>> train.AveragedWeights(nn.SGD([w], 1.0)).swap()
        """
        for a, w in zip(self.averages, self.parameters):
            held = Tensor(w.asnumpy().copy(), w.dtype)
            w.set_data(Tensor(a.asnumpy().copy(), a.dtype))
            a.set_data(held)


__all__ = ["AveragedWeights", "ClippedGradients", "GradientAccumulation"]
