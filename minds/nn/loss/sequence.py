"""Losses of sequences, of sets of labels, and of samples of many classes."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...ops.define import P
from ..layer import checks
from .base import LossBase


class CTCLoss(LossBase):
    """Connectionist temporal classification; see `ops.ctc_loss`.

    Args:
        blank (int): the class of the blank. Default 0.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.
        zero_infinity (bool): targets that are too long give 0 instead of infinity. Default False.

    Inputs:
        - **log_probs** (Tensor[(T, N, C) or (T, C)]) - logarithms of probabilities.
        - **targets** (Tensor[(N, S) or (S,), int]) - class ids without blanks.
        - **input_lengths** (Tensor[(N,), int], tuple[int]), **target_lengths** (Tensor[(N,), int],
          tuple[int]) - how much of each row counts.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of shape (N,).

    Raises:
        TypeError: ``zero_infinity`` is no bool.
        ValueError: another reduction.

    Source: Graves et al., Connectionist Temporal Classification, 2006.

    Examples:
        >>> from minds import Tensor, nn, ops
        >>> x = ops.log(Tensor([[[0.6, 0.4]], [[0.5, 0.5]]]))
        >>> print(nn.CTCLoss(reduction="none")(x, Tensor([[1]]), Tensor([2]), Tensor([1])).asnumpy().round(4))
        [0.3567]
    """

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__(reduction)
        self.blank, self.reduction = blank, reduction
        self.zero_infinity = checks.boolean("CTCLoss", "zero_infinity", zero_infinity)

    def construct(self, log_probs, targets, input_lengths, target_lengths):
        single = log_probs.ndim == 2
        if single:
            log_probs, targets = ops.expand_dims(log_probs, 1), ops.reshape(targets, (1, -1))
            if not isinstance(input_lengths, (tuple, list)):
                input_lengths = ops.reshape(input_lengths, (1,))
                target_lengths = ops.reshape(target_lengths, (1,))
        loss = ops.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )[0]
        return ops.reshape(loss, ()) if single else loss


class MultilabelMarginLoss(LossBase):
    """The hinges between true and other classes; see `ops.multilabel_margin_loss`.

    Args:
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.

    Inputs:
        - **x** (Tensor[(N, C) or (C,)]) - the scores.
        - **target** (Tensor[(N, C) or (C,), int]) - the true classes; -1 ends them.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of shape (N,) or ().

    Raises:
        ValueError: another reduction.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.MultilabelMarginLoss()(ms.Tensor([[0.5, 0.25, 1.0]]), ms.Tensor([[2, -1, 0]])))
        0.25
    """

    def __init__(self, reduction="mean"):
        super().__init__(reduction)
        self.reduction = reduction

    def construct(self, x, target):
        return ops.multilabel_margin_loss(x, target, self.reduction)


class SampledSoftmaxLoss(LossBase):
    """The cross entropy among the true classes and some that are sampled, for many classes.

    Args:
        num_sampled (int): how many classes are sampled.
        num_classes (int): how many there are.
        num_true (int): how many true ones each sample has. Default 1.
        sampled_values (tuple): samples and expected counts as `ops.log_uniform_candidate_sampler`
            gives them; drawn each time by default.
        remove_accidental_hits (bool): sampled classes that are true ones do not count. Default
            True.
        seed (int): of the samples. Default 0.
        reduction (str): ``mean``, ``sum`` or ``none``. Default none.

    Inputs:
        - **weights** (Tensor[(C, D)]), **biases** (Tensor[(C,)]) - of the classes.
        - **labels** (Tensor[(N,) or (N, num_true), int]) - the true classes.
        - **logits** (Tensor[(N, D)]) - the features of the samples.

    Outputs:
        Tensor, of shape (N,) if the reduction is ``none``, else of rank 0.

    Raises:
        TypeError: a number of classes is no int.
        ValueError: one is not positive, or another reduction.

    Source: Jean et al., On Using Very Large Target Vocabulary, 2014.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> from minds import ops
        >>> loss = nn.SampledSoftmaxLoss(num_sampled=4, num_classes=7)
        >>> loss(ops.ones((7, 10)), ops.ones(7), ms.Tensor([0, 1, 2]), ops.ones((3, 10))).shape
        (3,)
    """

    def __init__(
        self,
        num_sampled,
        num_classes,
        num_true=1,
        sampled_values=None,
        remove_accidental_hits=True,
        seed=0,
        reduction="none",
    ):
        super().__init__(reduction)
        self.num_sampled = checks.positive_int("SampledSoftmaxLoss", "num_sampled", num_sampled)
        self.num_classes = checks.positive_int("SampledSoftmaxLoss", "num_classes", num_classes)
        self.num_true = checks.positive_int("SampledSoftmaxLoss", "num_true", num_true)
        self.sampled_values, self.remove_accidental_hits, self.seed = (
            sampled_values,
            remove_accidental_hits,
            seed,
        )

    def construct(self, weights, biases, labels, logits):
        labels = ops.reshape(ops.cast(labels, dt.int64), (-1, self.num_true))
        found = self.sampled_values
        if found is None:
            found = ops.log_uniform_candidate_sampler(
                labels, self.num_true, self.num_sampled, True, self.num_classes, self.seed
            )
        sampled, true_count, sampled_count = found
        flat = ops.reshape(labels, (-1,))
        mine = ops.reshape(P.gather(weights, flat, 0), (-1, self.num_true, weights.shape[1]))
        true = ops.sum(mine * ops.expand_dims(logits, 1), -1) + ops.reshape(
            P.gather(biases, flat, 0), (-1, self.num_true)
        )
        others = P.matmul(logits, P.gather(weights, sampled, 0), False, True) + P.gather(
            biases, sampled, 0
        )
        if self.remove_accidental_hits:
            hit = ops.any(
                ops.equal(ops.expand_dims(labels, 2), ops.reshape(sampled, (1, 1, -1))), 1
            )
            others = ops.select(hit, others - 1e9, others)
        both = ops.concat((true - ops.log(true_count), others - ops.log(sampled_count)), 1)
        share = 1.0 / self.num_true
        return self._reduce(-ops.sum(P.log_softmax(both, 1)[:, : self.num_true] * share, 1))


__all__ = ["CTCLoss", "MultilabelMarginLoss", "SampledSoftmaxLoss"]
