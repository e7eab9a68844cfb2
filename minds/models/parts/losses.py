"""Losses of detectors."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt


def count(mask):
    """How many are true, at least 1."""
    return ops.maximum(ops.sum(mask.astype(dt.float32)), 1.0)


def focal(logits, targets, alpha: float = 0.25, gamma: float = 2.0):
    """The cross entropy of each logit, less for what is right already (Lin et al., Focal Loss for Dense
    Object Detection, 2017).
    """
    wrong = ops.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    chances = ops.sigmoid(logits)
    right = chances * targets + (1 - chances) * (1 - targets)
    share = alpha * targets + (1 - alpha) * (1 - targets)
    return share * (1 - right) ** gamma * wrong


def classes(labels, number: int):
    """One-hot rows (..., number) of float32; zeros for labels below 0."""
    hot = ops.one_hot(ops.maximum(labels, 0), number).astype(dt.float32)
    return hot * ops.expand_dims((labels >= 0).astype(dt.float32), -1)


def within(values, mask):
    """The sum of the values (N, A) or (N, A, D) where the mask (N, A) is true."""
    mask = mask.astype(values.dtype)
    return ops.sum(values * (mask if values.ndim == mask.ndim else ops.expand_dims(mask, -1)))
