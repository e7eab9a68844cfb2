"""Networks for the classes of pixels."""

from __future__ import annotations

import numpy as np
from table import Row, Small, images

from minds import Tensor
from minds.models.segmentation.deeplab import deeplab_loss


def pixels(*shape: int):
    """Images, and the class of each pixel."""

    def draw(rng):
        return images(*shape)(rng), (
            Tensor(rng.randint(0, 2, (shape[0], *shape[2:])).astype(np.int32)),
        )

    return draw


ROWS = [
    Row("unet", 31_030_658, "Ronneberger et al. 2015", images(1, 1, 188, 188), (1, 2, 4, 4)),
    Row("unet_same", 31_036_546, "the same with batch normalisation", images(1, 1, 64, 64),
        (1, 2, 64, 64), Small({"width": 4, "depth": 2}, pixels(2, 1, 16, 16))),
    Row("deeplabv3_resnet50", 42_004_074, "torchvision", images(1, 3, 64, 64), (1, 21, 64, 64),
        Small({"stem": 4, "width": 4, "layers": (1, 1, 1, 1), "num_classes": 2},
              pixels(2, 3, 32, 32), deeplab_loss, 1e-2)),
    Row("deeplabv3_resnet101", 60_996_202, "torchvision", images(1, 3, 64, 64), (1, 21, 64, 64)),
]  # fmt: skip
