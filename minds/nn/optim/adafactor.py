"""Adam's second moments kept as a row and a column."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain, expect
from ...parameters import ParameterTuple
from ...tensor import Parameter
from ..layer import checks
from .optimizer import Optimizer
from .rules import check_gradients, update


def _root_mean_square(x):
    return ops.sqrt(ops.mean(ops.square(x)))


class AdaFactor(Optimizer):
    r"""Steps scaled by moving averages of squared gradients, of which matrices keep those of rows and
    columns alone: :math:`u = g / \sqrt{\hat v}`, where :math:`\hat v` is the product of both averages by
    the mean of the rows', bounded by :math:`u / \max(1, \mathrm{RMS}(u) / d)`.

    Args:
        params (list[Parameter], list[dict]): parameters or groups of them; see `Optimizer`.
        learning_rate (float, int, Tensor, Iterable, LearningRateSchedule): see `Optimizer`; None with
            ``relative_step``. Default None.
        eps (tuple[float]): added to squared gradients, and the least scale of a parameter. Default
            (1e-30, 1e-3).
        clip_threshold (float): d, the bound of a step's root mean square. Default 1.0.
        decay_rate (float): in (0, 1): the averages forget by :math:`1 - t^{-decay}`. Default 0.8.
        beta1 (float): of the average of steps; 0 or None for none. Default 0.9.
        weight_decay (float): in [0, 1). Default 0.
        scale_parameter (bool): scale the rate by the root mean square of the parameter. Default True.
        relative_step (bool): the rate is :math:`\min(0.01, 1 / \sqrt t)`. Default True.
        warmup_init (bool): it is at most 1e-6 t instead of 0.01. Default False.
        compression (bool): keep averages in float16. Default False.
        loss_scale (float): gradients are divided by it. Default 1.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per parameter, in their order and of their shapes.

    Outputs:
        True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a rate is given with ``relative_step``, or none without it, or ``warmup_init`` is
            without it; a coefficient is out of range.

    Source: Shazeer and Stern, Adafactor: Adaptive Learning Rates with Sublinear Memory Cost, 2018.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = nn.AdaFactor([w], beta1=0.0)((ms.Tensor([3.0]),))
        >>> print(w.asnumpy().round(4))
        [0.99]
    """

    def __init__(
        self,
        params,
        learning_rate=None,
        eps=(1e-30, 1e-3),
        clip_threshold=1.0,
        decay_rate=0.8,
        beta1=0.9,
        weight_decay=0.0,
        scale_parameter=True,
        relative_step=True,
        warmup_init=False,
        compression=False,
        loss_scale=1.0,
    ):
        name = "AdaFactor"
        for flag, value in (
            ("scale_parameter", scale_parameter),
            ("relative_step", relative_step),
            ("warmup_init", warmup_init),
            ("compression", compression),
        ):
            checks.boolean(name, flag, value)
        self._check_rates(learning_rate, relative_step, warmup_init)
        super().__init__(
            0.0 if learning_rate is None else learning_rate, params, weight_decay, loss_scale
        )
        expect(isinstance(eps, (tuple, list)), "eps", "a tuple", TypeError, got=eps)
        expect(len(eps) == 2, "eps", "two numbers", got=eps)
        infinite = float("inf")
        self.eps = tuple(float(checks.float_in(name, "eps", e, 0, infinite)) for e in eps)
        self.clip_threshold = checks.float_in(name, "clip_threshold", clip_threshold, 0, infinite)
        self.decay_rate = checks.float_in(name, "decay_rate", decay_rate, 0, 1, "()")
        self.beta1 = float(checks.number_in(name, "beta1", beta1 or 0.0, 0, infinite))
        # MindSpore scales neither a schedule's rate by the parameter nor by the step.
        number = learning_rate is None or isinstance(learning_rate, (int, float))
        self.scale_parameter = scale_parameter and number
        self.relative_step, self.warmup_init = relative_step and number, warmup_init
        self.exp_avg = self._state("exp_avg") if self.beta1 else ()
        self._factors(compression)
        self.step = Parameter(ops.zeros((1,), dt.float32), name="afactor_step")

    @staticmethod
    def _check_rates(rate, relative: bool, warmup: bool) -> None:
        for wrong, what, cure in (
            (
                rate is not None and relative,
                "learning_rate with relative_step",
                "relative_step=False",
            ),
            (
                rate is None and not relative,
                "no learning_rate",
                "learning_rate, or relative_step=True",
            ),
            (warmup and not relative, "warmup_init without relative_step", "relative_step=True"),
        ):
            if wrong:
                raise complain(ValueError, f"AdaFactor: {what}", cure=f"pass {cure}")

    def _factors(self, compression: bool) -> None:
        """The averages of rows and columns, and of the elements of what is no matrix."""

        def state(kind: str, p, shape: tuple, dtype):
            return Parameter(ops.zeros(shape, dtype), name=f"{kind}_{p.name}")

        rows, columns, each = [], [], []
        for p in self.parameters:
            matrix, one, shape = len(p.shape) > 1, (1,), tuple(p.shape)
            rows.append(state("exp_avg_sq_row", p, shape[:-1] if matrix else one, p.dtype))
            columns.append(
                state("exp_avg_sq_col", p, shape[:-2] + shape[-1:] if matrix else one, p.dtype)
            )
            kept = dt.float16 if compression and not matrix else p.dtype
            each.append(state("exp_avg_sq", p, one if matrix else shape, kept))
        self.exp_avg_sq_row, self.exp_avg_sq_col = ParameterTuple(rows), ParameterTuple(columns)
        self.exp_avg_sq = ParameterTuple(each)

    def construct(self, gradients):
        check_gradients(self.cls_name, self.parameters, gradients)
        gradients = self.gradients_centralization(self.scale_grad(gradients))
        rates, decay = self._rates(), self._decays()
        self._advance()
        step = self.step + 1.0
        ops.assign(self.step, step)
        step = ops.reshape(step, ())
        forget = 1.0 - ops.pow(step, -self.decay_rate)
        for i, (p, g, lr) in enumerate(zip(self.parameters, gradients, rates)):
            wide = ops.cast(p, dt.float32)
            if self.relative_step:
                most = 1e-6 * step if self.warmup_init else ops.full((), 1e-2, dtype=dt.float32)
                lr = ops.minimum(most, 1.0 / ops.sqrt(step))
            if self.scale_parameter:
                lr = lr * ops.maximum(_root_mean_square(wide), self.eps[1])
            moved = self._scaled(i, ops.cast(g, dt.float32), forget)
            moved = moved / ops.maximum(_root_mean_square(moved) / self.clip_threshold, 1.0) * lr
            if self.beta1:
                moved = self.exp_avg[i] * self.beta1 + moved * (1.0 - self.beta1)
                update(self.exp_avg[i], moved)
            if self.exec_weight_decay:
                wide = wide - wide * (decay[i] * lr)
            update(p, wide - moved)
        return True

    def _scaled(self, i: int, g, forget):
        """The gradient by the root of the average of its squares."""
        squares = ops.square(g) + self.eps[0]
        if g.ndim < 2:
            mean = self.exp_avg_sq[i] * forget + squares * (1.0 - forget)
            update(self.exp_avg_sq[i], mean)
            return g / ops.sqrt(mean)
        rows = self.exp_avg_sq_row[i] * forget + ops.mean(squares, -1) * (1.0 - forget)
        columns = self.exp_avg_sq_col[i] * forget + ops.mean(squares, -2) * (1.0 - forget)
        update(self.exp_avg_sq_row[i], rows)
        update(self.exp_avg_sq_col[i], columns)
        share = ops.sqrt(rows / ops.mean(rows, -1, True))
        return g / ops.expand_dims(share, -1) / ops.expand_dims(ops.sqrt(columns), -2)


__all__ = ["AdaFactor"]
