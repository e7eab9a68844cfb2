"""The transforms that MindSpore 1.x had in Python, under the names of its module."""

from . import Compose, OneHot, RandomApply, RandomChoice, RandomOrder

ComposeOp, OneHotOp = Compose, OneHot
__all__ = ["Compose", "ComposeOp", "OneHotOp", "RandomApply", "RandomChoice", "RandomOrder"]
