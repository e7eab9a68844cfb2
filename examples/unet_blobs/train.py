"""Train a U-Net to find round cells in noisy pictures that this file draws.

python train.py                     under a minute on two cores
python train.py --mode pynative     the same step by step
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import arguments, curve, sheet, train

import minds as ms
from minds import models, nn, ops

SIZE, BATCH = 64, 8
EXPECTED = 0.8  # intersection over union that a run with the default settings must reach


def picture(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A picture (H, W) of ellipses under noise and uneven light, and where they are."""
    y, x = np.mgrid[:SIZE, :SIZE]
    mask = np.zeros((SIZE, SIZE), bool)
    for _ in range(rng.integers(2, 7)):
        cy, cx = rng.uniform(8, SIZE - 8, 2)
        a, b, turn = *rng.uniform(4, 10, 2), rng.uniform(0, np.pi)
        u = (x - cx) * np.cos(turn) + (y - cy) * np.sin(turn)
        v = (y - cy) * np.cos(turn) - (x - cx) * np.sin(turn)
        mask |= (u / a) ** 2 + (v / b) ** 2 < 1
    light = 0.4 * np.sin(rng.uniform(0, 6) + rng.uniform(0.03, 0.1) * (x + rng.uniform(-1, 1) * y))
    image = np.where(mask, 0.35, -0.35) + light + rng.normal(0, 0.35, mask.shape)
    return image.astype(np.float32), mask.astype(np.int32)


def batch(rng: np.random.Generator, count: int = BATCH) -> tuple[ms.Tensor, ms.Tensor]:
    images, masks = zip(*[picture(rng) for _ in range(count)])
    return ms.Tensor(np.stack(images)[:, None]), ms.Tensor(np.stack(masks))


def main() -> None:
    args = arguments(__file__, __doc__, steps=200)
    net = models.unet_same(width=8, depth=3)
    rates = nn.cosine_decay_lr(1e-4, 5e-3, args.steps, 1, args.steps)
    opt = nn.Adam(net.trainable_params(), rates)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, ops.cross_entropy), opt).set_train()
    rng = np.random.default_rng(1)
    losses = train(step, iter(lambda: batch(rng), None), args.steps)
    curve(losses, os.path.join(args.out, "loss.png"), "loss")

    net.set_train(False)
    images, masks = batch(np.random.default_rng(2), 32)
    said, masks = net(images).asnumpy().argmax(1), masks.asnumpy()
    iou = ((said == 1) & (masks == 1)).sum() / ((said == 1) | (masks == 1)).sum()
    shown = [images.asnumpy()[:8, 0], masks[:8] * 2.0 - 1, said[:8] * 2.0 - 1]
    path = os.path.join(args.out, "found.png")
    sheet(shown, path)
    print(f"intersection over union {iou:.4f}; pictures, truth and answers in {path}")
    if args.steps == 200 and iou < EXPECTED:
        sys.exit(f"expected {EXPECTED} and more")


if __name__ == "__main__":
    main()
