"""Layer-wise rates around another optimiser."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...tensor import Parameter, Tensor
from ..layer import checks
from .optimizer import Optimizer
from .rules import check_gradients


class LARS(Optimizer):
    r"""Scales each parameter's gradient so that the step is a part of the parameter's norm:
    :math:`g' = \frac{c\,\|p\|}{\|g\| + \lambda\|p\| + \epsilon}(g + \lambda p)`.

    Args:
        optimizer (Optimizer): takes the scaled gradients; its weight decay λ is applied here.
        epsilon (float): above 0. Default 1e-5.
        coefficient (float): c. Default 0.001.
        use_clip (bool): never scale up, relative to the learning rate. Default False.
        lars_filter (Callable): which parameters are scaled. Default: those without ``LayerNorm``
            and ``bias`` in their names.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: ``optimizer`` is no Optimizer, or another argument has a wrong type.
        ValueError: a coefficient is not positive.

    Source: You et al., Large Batch Training of Convolutional Networks, 2017.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([4.0]), name="w")
        >>> _ = nn.LARS(nn.SGD([w], 1.0), coefficient=0.5, epsilon=1e-9)((ms.Tensor([10.0]),))
        >>> w.asnumpy().round(4).tolist()
        [2.0]
    """

    def __init__(
        self,
        optimizer,
        epsilon=1e-5,
        coefficient=0.001,
        use_clip=False,
        lars_filter=lambda p: "LayerNorm" not in p.name and "bias" not in p.name,
    ):
        if not isinstance(optimizer, Optimizer):
            raise complain(
                TypeError,
                f"LARS: optimizer has type {type(optimizer).__name__}",
                expected="an Optimizer",
            )
        # MindSpore's checkpoints hold these two, which nothing reads.
        super().__init__(0.0, [Parameter(Tensor(0.0), name="fake_param")])
        self.learning_rate = Parameter(Tensor(0.0, dt.float32), name="fake_lr")
        self.opt, self.global_step = optimizer, optimizer.global_step
        self.parameters = optimizer.parameters
        self.epsilon = float(checks.float_in("LARS", "epsilon", epsilon, 0, float("inf"), "()"))
        self.coefficient = float(
            checks.float_in("LARS", "coefficient", coefficient, 0, float("inf"), "()")
        )
        self.use_clip = checks.boolean("LARS", "use_clip", use_clip)
        if self.use_clip:
            self.origin_learning_rate = optimizer.learning_rate
        self.lars_flag = tuple(bool(lars_filter(p)) for p in self.parameters)
        # Decay of scaled parameters happens before the scaling, so the optimiser must not apply it
        # again.
        self.decay_flags = tuple(f and s for f, s in zip(optimizer.decay_flags, self.lars_flag))
        optimizer.decay_flags = tuple(
            f and not s for f, s in zip(optimizer.decay_flags, self.lars_flag)
        )
        optimizer.exec_weight_decay = any(optimizer.decay_flags)

    def construct(self, gradients):
        check_gradients(self.cls_name, self.parameters, gradients)
        decay, rates = self.opt._decays(), self.opt._rates()
        found = ()
        for p, g, d, flag, scaled, lr in zip(
            self.parameters, gradients, decay, self.decay_flags, self.lars_flag, rates
        ):
            found = found + (self._scale(p, g, d if flag else 0.0, lr) if scaled else g,)
        return self.opt(found)

    def _scale(self, p, g, decay, lr):
        size, length = (
            ops.sqrt(ops.sum(p * p)),
            ops.sqrt(ops.sum(g * g)) / self.opt.loss_scale,
        )
        rate = self.coefficient * size / (length + decay * size + self.epsilon)
        rate = ops.select(ops.logical_and(size > 0, length > 0), rate, ops.ones_like(rate))
        if self.use_clip:
            rate = ops.minimum(rate / lr, 1.0)
        return (g + p * (decay * self.opt.loss_scale)) * rate


__all__ = ["LARS"]
