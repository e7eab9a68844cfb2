"""Weights and inputs that every framework can be given, and the networks that are compared with a reference;
NumPy only.

`CASES` says by name: the constructor of the zoo, its settings, and the arrays that are put in. The reference
of the same name is in ``record_logits.py``, which writes what it answers to ``logits.json``.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np


def value(i: int, shape: tuple, norm: bool) -> np.ndarray:
    """The i-th parameter: uniform within √3/√(fan in); of a norm's factors around 1, of other vectors
    around 0.
    """
    rng = np.random.RandomState(1000 + i)
    if len(shape) < 2:
        return (rng.uniform(-0.1, 0.1, shape) + norm).astype(np.float32)
    bound = math.sqrt(3 / math.prod(shape[1:]))
    return rng.uniform(-bound, bound, shape).astype(np.float32)


def ids(*shape: int, vocabulary: int = 50) -> np.ndarray:
    return np.random.RandomState(7).randint(1, vocabulary, shape).astype(np.int32)


def images(*shape: int) -> np.ndarray:
    return np.random.RandomState(7).uniform(0, 1, shape).astype(np.float32)


def told(arrays) -> list[list[float]]:
    """What is kept of results: of each at most 24 elements spread over it, and the mean magnitude."""
    kept = []
    for a in arrays:
        a = np.asarray(a, np.float64).ravel()
        places = np.linspace(0, a.size - 1, min(a.size, 24)).astype(int)
        kept.append([float(f"{v:.6g}") for v in (*a[places], np.abs(a).mean())])
    return kept


@dataclasses.dataclass(frozen=True)
class Case:
    """A network of the zoo that is compared: how it is made, what is put in, and by ``call`` what of it is
    compared. Those of full size only with ``--whole``.
    """

    name: str
    settings: dict
    inputs: Callable[[], tuple]
    call: Callable = lambda net, *inputs: (net(*inputs),)
    whole: bool = False


BOXES = np.array([[[3, 5, 60, 120], [0, 0, 128, 128], [70, 20, 90, 44]]], np.float32)


def boxed(net, x, boxes):
    """What a network of proposals says of the anchors, and of given boxes."""
    levels = net.backbone(x)
    scores, ways = net.rpn.head(levels)
    return scores[0], ways[-1], *net.roi_heads(levels, boxes, x.shape[2:])


def masked(net, x, boxes):
    """The same, and the masks."""
    return *boxed(net, x, boxes), net.masks_in(x, boxes)


BERT = {"layers": 2, "width": 32, "heads": 4, "vocabulary": 50, "longest": 20}
LLAMA = {
    "layers": 2,
    "width": 32,
    "heads": 4,
    "kv_heads": 2,
    "inner": 48,
    "vocabulary": 50,
    "tied": False,
}

CASES = {
    "bert": Case(
        "bert_base", BERT, lambda: (ids(2, 9), ids(2, 9) % 2, COUNTS), lambda net, *x: net(*x)
    ),
    "bert_masked": Case("bert_base_masked", BERT, lambda: (ids(2, 9), ids(2, 9) % 2, COUNTS)),
    "gpt2": Case(
        "gpt2",
        {"layers": 2, "width": 32, "heads": 4, "vocabulary": 50, "longest": 20},
        lambda: (ids(2, 9),),
    ),
    "llama": Case("llama_15m", LLAMA, lambda: (ids(2, 9),)),
    "mixtral": Case("mixtral_8x13m", {**LLAMA, "experts": 4}, lambda: (ids(2, 9),)),
    "t5": Case(
        "t5_small",
        {"layers": 2, "width": 32, "heads": 4, "size": 8, "inner": 48, "vocabulary": 50},
        lambda: (ids(2, 40), ids(2, 30), np.ones((2, 40), np.int32)),
    ),
    "deeplab": Case("deeplabv3_resnet50", {}, lambda: (images(1, 3, 64, 64),), whole=True),
    "retinanet": Case(
        "retinanet_resnet18",
        {"num_classes": 3},
        lambda: (images(1, 3, 128, 128),),
        lambda net, x: net(x)[:2],
    ),
    "ssd": Case(
        "ssd300_vgg16", {}, lambda: (images(1, 3, 300, 300),), lambda net, x: net(x), whole=True
    ),
    "fasterrcnn": Case(
        "fasterrcnn_resnet50_fpn", {}, lambda: (images(1, 3, 128, 128), BOXES), boxed, whole=True
    ),
    "maskrcnn": Case(
        "maskrcnn_resnet50_fpn", {}, lambda: (images(1, 3, 128, 128), BOXES), masked, whole=True
    ),
}

COUNTS = np.ones((2, 9), np.int32)
COUNTS[1, 6:] = 0
