"""THOR: natural gradients by layer, with Kronecker factors that are kept for some steps."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...ops.define import P
from ...parameters import ParameterTuple
from ...tensor import Parameter, Tensor
from ..layer import checks
from ..layer.basic import ClipByNorm
from ..layer.norm import LayerNorm
from ..layer.thor import Conv2dThor, DenseThor, EmbeddingLookupThor, EmbeddingThor
from ..second_order import ConvertNetUtils
from .optimizer import Optimizer
from .rules import check_gradients, decayed, momentum, update

_BLOCK = 128
"""Larger factors are taken to be zero outside of blocks of this size along the diagonal."""


def _blocks(size: int) -> tuple[int, int]:
    """How many blocks, and of which size, a factor of ``size`` rows has."""
    each = min(size, _BLOCK)
    return -(-size // each), each


def _inverse(matrix):
    """The inverses of the blocks along the diagonal, the last one of which is filled up by the
    identity.
    """
    size = matrix.shape[0]
    count, each = _blocks(size)
    rest = count * each - size
    found = []
    for i in range(count):
        high = min(size, (i + 1) * each)
        block = matrix[i * each : high, i * each : high]
        if i == count - 1 and rest:
            block = P.pad(block, ((0, rest), (0, rest)), 0)
            block = block + ops.diag(ops.cast(ops.arange(each) >= each - rest, dt.float32))
        found.append(block)
    return ops.inverse(ops.stack(found))


def _times(inverse, rows):
    """The product of the block diagonal matrix and ``rows``."""
    count, each, _ = inverse.shape
    size, wide = rows.shape
    padded = P.pad(rows, ((0, count * each - size), (0, 0)), 0)
    found = ops.matmul(inverse, ops.reshape(padded, (count, each, wide)))
    return ops.reshape(found, (count * each, wide))[:size]


class Thor(Optimizer):
    """What `thor` gives.

    Args:
        net, learning_rate, damping, momentum, weight_decay, loss_scale, batch_size, use_nesterov,
            decay_filter, enable_clip_grad, frequency: as of `thor`.

    Inputs:
        - **gradients** (tuple[Tensor]) - one per trained parameter.

    Outputs:
        True.
    """

    def __init__(
        self,
        net,
        learning_rate,
        damping,
        momentum,
        weight_decay=0.0,
        loss_scale=1.0,
        batch_size=32,
        use_nesterov=False,
        decay_filter=None,
        enable_clip_grad=False,
        frequency=100,
    ):
        _check(momentum, frequency, learning_rate)
        super().__init__(
            learning_rate, [p for p in net.get_parameters() if p.requires_grad], 0.0, loss_scale
        )
        self.momentum = Parameter(Tensor(momentum, dt.float32), "momentum")
        self.use_nesterov = checks.boolean("thor", "use_nesterov", use_nesterov)
        self.damping, self.frequency, self.thor = damping, frequency, True
        self.clip = ClipByNorm() if enable_clip_grad else None
        self.covariance_scale = float(batch_size) ** 2 / float(loss_scale) ** 2
        self.batch_size = float(batch_size)
        self.moments = self._state("moments")
        chosen = decay_filter or (lambda p: True)
        self.decays = (float(weight_decay),) * len(self.parameters)
        self.decayed = tuple(weight_decay > 0 and bool(chosen(p)) for p in self.parameters)
        self.cov_step = Parameter(Tensor([0], dt.int32), "cov_step", requires_grad=False)
        self._find_layers(net)

    def _find_layers(self, net) -> None:
        """Which layer each parameter is of, and the place of its inverses."""
        layer_of, self.normed = {}, set()
        for _, cell in net.cells_and_names():
            if isinstance(cell, (Conv2dThor, DenseThor)):
                layer_of[id(cell.weight)] = cell
            elif isinstance(cell, (EmbeddingThor, EmbeddingLookupThor)):
                layer_of[id(cell.embedding_table)] = cell
            elif isinstance(cell, LayerNorm):
                self.normed |= {id(p) for p in cell.get_parameters(expand=False)}
        self.layers = tuple(layer_of.get(id(p)) for p in self.parameters)
        self.normed = tuple(id(p) in self.normed for p in self.parameters)
        matrices_a, matrices_g, self.place = [], [], []
        for layer in self.layers:
            self.place.append(len(matrices_a) if layer is not None else -1)
            if layer is not None:
                for kind, made in (("a", matrices_a), ("g", matrices_g)):
                    shape = getattr(layer, f"matrix_{kind}").shape
                    if len(shape) == 2:
                        count, each = _blocks(shape[0])
                        shape = (count, each, each)
                    name = f"matrix_{kind}_inv_{len(made)}"
                    made.append(Parameter(ops.zeros(shape, dt.float32), name, requires_grad=False))
        self.matrix_a, self.matrix_g = ParameterTuple(matrices_a), ParameterTuple(matrices_g)

    def get_frequency(self) -> int:
        """Every how many steps the factors are computed.

        Returns:
            int: the steps.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> rates = ms.Tensor([0.1, 0.1])
            >>> nn.thor(nn.Dense(2, 1), rates, rates, 0.9, frequency=4).get_frequency()
            4
        """
        return self.frequency

    def construct(self, gradients):
        check_gradients(self.cls_name, self.parameters, gradients)
        gradients = self.scale_grad(gradients)
        last = self.damping.shape[0] - 1
        damping = ops.gather(self.damping, ops.clamp(self.cov_step, 0, last), 0)
        damping = ops.sqrt(ops.reshape(ops.cast(damping, dt.float32), ()))
        ops.assign(self.cov_step, self.cov_step + 1)
        natural = []
        for i, g in enumerate(gradients):
            if self.layers[i] is not None:
                g = self._natural(self.layers[i], self.place[i], g, damping)
            elif self.normed[i]:
                g = g / (g * g / self.batch_size + damping)
            natural.append(g)
        natural = decayed(self.parameters, natural, self.decays, self.decayed)
        if self.clip is not None:
            natural = tuple([self.clip(g, Tensor(1.0)) for g in natural])
        rates = self._rates()
        self._advance()
        nesterov = self.use_nesterov
        momentum(self.parameters, natural, self.moments, rates, self.momentum, None, nesterov)
        return True

    def _natural(self, layer, i: int, g, damping):
        """The gradient between the inverse factors, which are computed anew while ``thor`` is true."""
        inverse_a, inverse_g = self.matrix_a[i], self.matrix_g[i]
        if self.thor:
            inverse_a, inverse_g = self._factors(layer, damping)
            update(self.matrix_a[i], inverse_a)
            update(self.matrix_g[i], inverse_g)
        rows = ops.reshape(g, (g.shape[0], -1))
        if len(inverse_a.shape) == 1:
            found = ops.transpose(rows * ops.reshape(inverse_a, (-1, 1)), (1, 0))
            return ops.transpose(_times(inverse_g, found), (1, 0))
        found = ops.transpose(_times(inverse_g, rows), (1, 0))
        return ops.reshape(ops.transpose(_times(inverse_a, found), (1, 0)), g.shape)

    def _factors(self, layer, damping):
        a, g = layer.matrix_a, layer.matrix_g * self.covariance_scale
        if len(a.shape) == 1:
            a = 1.0 / (a / self.batch_size + damping)
            return a, _inverse(g + damping * ops.eye(g.shape[0]))
        damping_a = damping_g = damping
        if isinstance(layer, Conv2dThor):
            damping_a = damping / ops.sqrt(ops.reshape(layer.a_normalizer, ()))
            damping_g = damping / ops.sqrt(ops.reshape(layer.g_normalizer, ()))
        a = _inverse(a + damping_a * ops.eye(a.shape[0]))
        g = _inverse(g + damping_g * ops.eye(g.shape[0]))
        if isinstance(layer, Conv2dThor):
            share = ops.rsqrt(ops.reshape(layer.a_normalizer, ()))
            a, g = a * share, g * share
        return a, g


def _check(momentum, frequency, learning_rate) -> None:
    checks.float_in("thor", "momentum", momentum, 0, float("inf"))
    checks.int_at_least("thor", "frequency", frequency, 2)
    if not isinstance(learning_rate, Tensor):
        kind = type(learning_rate).__name__
        raise complain(TypeError, f"thor: learning_rate has type {kind}", expected="a Tensor")


def thor(
    net,
    learning_rate,
    damping,
    momentum,
    weight_decay=0.0,
    loss_scale=1.0,
    batch_size=32,
    use_nesterov=False,
    decay_filter=lambda x: x.name not in [],
    split_indices=None,
    enable_clip_grad=False,
    frequency=100,
):
    r"""The optimiser THOR for a network, whose dense, convolutional and embedding layers are replaced by
    those that keep their factors: :math:`w = w - \eta (G + \sqrt\lambda I)^{-1} g (A + \sqrt\lambda I)^{-1}`,
    with momentum.

    Factors of more than 128 rows are taken for block diagonal. `ConvertModelUtils.convert_to_thor_model`
    gives a Model that computes the factors every ``frequency`` steps; others do at each.

    Args:
        net (Cell): the network; it is changed.
        learning_rate (Tensor[(steps,)]): η of each step.
        damping (Tensor[(steps,)]): λ of each step; the last holds for those behind.
        momentum (float): of the moving average, at least 0.
        weight_decay (float): multiplied with each parameter and added to its natural gradient.
            Default 0.
        loss_scale (float): gradients are divided by it. Default 1.
        batch_size (int): how many samples the loss is the mean of. Default 32.
        use_nesterov (bool): step ahead of the average. Default False.
        decay_filter (Callable): of a parameter, whether ``weight_decay`` holds for it. Default all.
        split_indices (list): for several devices; without effect. Default None.
        enable_clip_grad (bool): bound the norm of each natural gradient by 1. Default False.
        frequency (int): see above; at least 2. Default 100.

    Returns:
        Optimizer: to be called with the gradients.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``momentum`` is negative, or ``frequency`` below 2.

    Source: Chen et al., THOR, Trace-Based Hardware-Driven Layer-Oriented Natural Gradient Descent
        Computation, 2021.

    Examples:
        >>> import minds as ms
        >>> from minds import nn, ops
        >>> net = nn.SequentialCell(nn.Dense(2, 1))
        >>> rates = ms.Tensor([0.1, 0.1])
        >>> optimizer = nn.thor(net, rates, rates, 0.9, batch_size=4)
        >>> step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
        >>> step(ops.ones((4, 2)), ops.ones((4, 1))).shape
        ()
    """
    ConvertNetUtils().convert_to_thor_net(net)
    return Thor(
        net,
        learning_rate,
        damping,
        momentum,
        weight_decay,
        loss_scale,
        batch_size,
        use_nesterov,
        decay_filter,
        enable_clip_grad,
        frequency,
    )


__all__ = ["Thor", "thor"]
