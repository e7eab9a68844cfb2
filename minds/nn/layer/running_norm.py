"""What torch's batch normalisations share. (It stands here, since helper methods of cells in `mint` run
on nodes as they are: what `_normalise` reads there of its cell would be no guard of the program.)
"""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...common.initializer import initializer
from ...ops import P
from ...tensor import Parameter, Tensor
from ..cell import Cell
from . import checks
from .arithmetic import normalise_batch, normalise_together
from .batch_norm import sharing


class RunningNorm(Cell):
    """Batch normalisation over all dimensions but the second, with the parameters of torch.

    Invariant: ``running = (1 - momentum)·running + momentum·batch`` after each training step.
    """

    ranks: tuple[int, ...] = ()
    together = False
    """Whether the statistics are those of all processes."""

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        dtype=None,
    ):
        super().__init__()
        name, dtype = self.cls_name, dtype or dt.float32
        self.num_features = checks.positive_int(name, "num_features", num_features)
        self.eps = checks.number_in(name, "eps", eps, 0, 1)
        self.momentum = (
            None if momentum is None else checks.number_in(name, "momentum", momentum, 0, 1)
        )
        self.affine = checks.boolean(name, "affine", affine)
        self.track_running_stats = checks.boolean(name, "track_running_stats", track_running_stats)

        def made(wanted, first, key):
            if not wanted:
                return None
            trained = key in ("weight", "bias")
            return Parameter(initializer(first, [num_features], dtype), key, requires_grad=trained)

        self.weight = made(affine, "ones", "weight")
        self.bias = made(affine, "zeros", "bias")
        self.running_mean = made(track_running_stats, "zeros", "running_mean")
        self.running_var = made(track_running_stats, "ones", "running_var")
        self.num_batches_tracked = None
        if track_running_stats:
            self.num_batches_tracked = Parameter(
                Tensor(0, dt.int64), "num_batches_tracked", requires_grad=False
            )

    def construct(self, input):
        if input.ndim not in self.ranks:
            checks.refuse_rank(self.cls_name, input, self.ranks)
        weight, bias = self.weight, self.bias
        if not self.affine:
            weight = ops.ones((self.num_features,), dt.float32)
            bias = ops.zeros((self.num_features,), dt.float32)
        if not self.track_running_stats:
            return ops.cast(P.batch_norm(input, weight, bias, self.eps)[0], input.dtype)
        if not self.training:
            mean, variance = self.running_mean, self.running_var
            out = P.batch_norm_infer(input, weight, bias, mean, variance, self.eps)
            return ops.cast(out, input.dtype)
        ops.assign_add(self.num_batches_tracked, 1)
        share = self.momentum
        if share is None:
            share = 1.0 / ops.cast(self.num_batches_tracked, dt.float32)
        return self._normalise(input, weight, bias, share)

    def _normalise(self, input, weight, bias, share):
        ranks = sharing(None) if self.together else ()
        count = max(len(ranks), 1) * (input.size // self.num_features)
        # A single element has no unbiased variance; its biased one, 0, is kept instead.
        unbiased = count / (count - 1) if count > 1 else 1.0
        statistics = (self.running_mean, self.running_var)
        if len(ranks) > 1:
            keep = (1.0 - share, share, share * unbiased)
            return normalise_together(input, weight, bias, self.eps, statistics, keep, ranks)
        parts = (share, share * unbiased)
        return normalise_batch(input, weight, bias, self.eps, *statistics, 1.0 - share, parts)

    def extend_repr(self):
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, track_running_stats={self.track_running_stats}"
        )


__all__ = ["RunningNorm"]
