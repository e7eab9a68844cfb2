"""Weights and images for torchvision's networks and the zoo's, which torchvision's answers are recorded for
in ``torchvision_logits.json`` (``record_torchvision.py``). NumPy only.
"""

from __future__ import annotations

import math
import os
import zlib

import numpy as np

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torchvision_logits.json")
KEPT = 16
"""Of a thousand logits, those that are recorded lie evenly among them."""

SETTINGS = {
    "googlenet": {"aux_logits": False},
    "inception_v3": {"aux_logits": False},
    **{f"vit_{kind}": {"image_size": 64} for kind in ("b_16", "b_32", "l_16", "l_32")},
    "vit_h_14": {"image_size": 56},
}
"""What both constructors take."""

SIZES = {"inception_v3": 299, "inception_v4": 128}
"""Of images that are not of 64×64."""

QUICK = (
    "convnext_tiny densenet121 efficientnet_b0 googlenet inception_v3 mnasnet0_5 mobilenet_v2 "
    "mobilenet_v3_small regnet_x_400mf regnet_y_400mf resnet18 resnet50 shufflenet_v2_x0_5 squeezenet1_1 "
    "se_resnet50 swin_t"
).split()
"""What is compared without ``--whole``: small ones."""


def value(name: str, shape: tuple) -> np.ndarray:
    """A weight, by torch's name for it: factors and variances near 1, other vectors near 0, and matrices
    such that what they are multiplied with keeps its size.
    """
    rng = np.random.Generator(np.random.PCG64(zlib.crc32(name.encode())))
    drawn = rng.random(shape, dtype=np.float32) * 2 - 1
    last = name.rsplit(".", 1)[-1]
    if len(shape) == 1:
        return drawn * 0.1 + (last in ("weight", "running_var"))
    if last == "layer_scale":
        return drawn * 0.1 + 0.5
    return drawn * np.float32(math.sqrt(3 / math.prod(shape[1:])))


def image(name: str) -> np.ndarray:
    """What is put in."""
    size = SIZES.get(name) or SETTINGS.get(name, {}).get("image_size", 64)
    x = np.random.Generator(np.random.PCG64(7)).random((1, 3, size, size), dtype=np.float32)
    return x * 2 - 1


def kept(logits: np.ndarray) -> list[float]:
    """What is recorded: some logits, and the size of all."""
    [row] = np.asarray(logits, np.float64)
    places = np.linspace(0, row.size - 1, KEPT).astype(int)
    return [float(f"{v:.6g}") for v in (*row[places], np.sqrt((row**2).mean()))]
