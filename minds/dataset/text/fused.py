"""Transforms of text that follow one another as one: strings between them stay a list."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..transforms.base import one_by_one
from .base import TextTransform, Tokenizer


class FusedText:
    """A tokenizer and the transforms behind it: what comes out is what they give one after the other.

    Args:
        transforms (list[TextTransform]): at least two.
    """

    def __init__(self, transforms: list):
        self.transforms = transforms

    def __call__(self, *values):
        if len(values) > 1:
            return one_by_one(self.transforms, values)
        return self.many(values)[0]

    def many(self, values: list) -> list[np.ndarray]:
        """What each of ``values`` becomes."""
        arrays = [self.transforms[0]._accept(v) for v in values]
        if any(a.ndim for a in arrays):
            return [one_by_one(self.transforms, (v,)) for v in values]
        made = [[a.item()] for a in arrays]
        for transform in self.transforms:
            made = transform._of_lists(made)
        if self.transforms[-1]._gives_text:
            return [np.array(words, np.str_) for words in made]
        return made


def fused_text(transforms: list[Callable]) -> list[Callable]:
    """``transforms`` with each tokenizer and what can join it as one."""
    made, run = [], []

    def close():
        made.extend([FusedText(run)] if len(run) > 1 else run)

    for transform in transforms:
        text = isinstance(transform, TextTransform)
        # Behind what gives no strings nothing joins: it would take no list.
        if run and text and run[-1]._gives_text and transform._joins(True):
            run.append(transform)
            continue
        close()
        starts = isinstance(transform, Tokenizer) and transform._joins(False)
        run = [transform] if starts else []
        if not starts:
            made.append(transform)
    close()
    return made
