"""Train a diffusion model on the digits that come with scikit-learn, and let it draw out of noise.

python train.py                     a minute and a half on two cores
python train.py --mode pynative     the same step by step
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import arguments, curve, digits, likeness, sheet, train

from minds import models, nn, ops
from minds.models.generative.ddpm import Diffusion

BATCH = 32
EXPECTED = 6.0  # Fréchet distance that a run with the default settings must reach


def main() -> None:
    args = arguments(__file__, __doc__, steps=400, made=100)
    real = digits()[:, None]
    net = models.ddpm_cifar(channels=1, width=32, scales=(1, 2), blocks=1, groups=8, dropout=0.0)
    rates = nn.cosine_decay_lr(1e-5, 2e-3, args.steps, 1, args.steps)
    step = nn.TrainOneStepCell(TimedLoss(net), nn.Adam(net.trainable_params(), rates)).set_train()
    diffusion, rng = Diffusion(100, 1e-3, 0.2), np.random.default_rng(1)

    def drawn():
        while True:
            yield diffusion.noisy(real[rng.integers(0, len(real), BATCH)], rng)

    print(f"{len(real)} digits, {diffusion.steps} steps of noise, {args.mode} mode")
    losses = train(step, drawn(), args.steps)
    curve(losses, os.path.join(args.out, "loss.png"), "loss")

    net.set_train(False)
    made = diffusion.sample(net, (args.made, 1, 8, 8))
    distance = likeness(made, real)
    random = likeness(rng.uniform(-1, 1, made.shape), real)
    path = os.path.join(args.out, "made.png")
    sheet([made[10 * i : 10 * i + 10, 0] for i in range(-(-min(args.made, 50) // 10))], path)
    print(f"distance to real digits {distance:.3f}, of noise {random:.3f}; made digits in {path}")
    if (args.steps, args.made) == (400, 100) and distance > EXPECTED:
        sys.exit(f"expected {EXPECTED} and less")


class TimedLoss(nn.Cell):
    """The mean squared error of the noise that is told."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x, times, noise):
        return ops.mse_loss(self.net(x, times), noise)


if __name__ == "__main__":
    main()
