"""Train a DCGAN on the digits that come with scikit-learn, and let it draw.

python train.py                     about a minute on two cores
python train.py --mode pynative     the same step by step
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import arguments, curve, digits, likeness, sheet, train

import minds as ms
from minds import models, nn
from minds.models.generative.dcgan import DiscriminatorLoss, GeneratorLoss

BATCH, NOISE = 32, 32
EXPECTED = 8.0  # Fréchet distance that a run with the default settings must reach


def main() -> None:
    args = arguments(__file__, __doc__, steps=600)
    real = digits().repeat(2, 1).repeat(2, 2)[:, None]  # 16×16
    generator = models.dcgan_generator(noise=NOISE, width=16, channels=1, size=16)
    discriminator = models.dcgan_discriminator(width=16, channels=1, size=16)
    steps = [
        nn.TrainOneStepCell(
            loss(generator, discriminator), nn.Adam(net.trainable_params(), 5e-4, beta1=0.5)
        ).set_train()
        for loss, net in ((DiscriminatorLoss, discriminator), (GeneratorLoss, generator))
    ]
    rng = np.random.default_rng(1)

    def noise(count: int) -> ms.Tensor:
        return ms.Tensor(rng.standard_normal((count, NOISE)).astype(np.float32))

    def both(images) -> float:
        steps[0](images, noise(BATCH))
        return float(steps[1](noise(BATCH)))

    def drawn():
        while True:
            yield (ms.Tensor(real[rng.integers(0, len(real), BATCH)]),)

    print(f"{len(real)} digits, {args.mode} mode")
    losses = train(both, drawn(), args.steps, "the generator's loss")
    curve(losses, os.path.join(args.out, "loss.png"), "the generator's loss")

    generator.set_train(False)
    made = generator(noise(500)).asnumpy()
    small = made.reshape(-1, 8, 2, 8, 2).mean((2, 4))
    distance = likeness(small, digits())
    random = likeness(rng.uniform(-1, 1, small.shape), digits())
    path = os.path.join(args.out, "made.png")
    sheet([made[10 * i : 10 * i + 10, 0] for i in range(5)], path)
    print(f"distance to real digits {distance:.3f}, of noise {random:.3f}; made digits in {path}")
    if args.steps == 600 and distance > EXPECTED:
        sys.exit(f"expected {EXPECTED} and less")


if __name__ == "__main__":
    main()
