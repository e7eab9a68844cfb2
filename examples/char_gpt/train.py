"""Train a small GPT-2 on the letters of Python's own documentation, and let it write.

python train.py                     about a minute on two cores
python train.py --mode pynative     the same step by step
"""

import os
import pydoc_data.topics
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import arguments, curve, train

import minds as ms
from minds import models, nn, ops
from minds.models.parts.generation import generate

LENGTH, BATCH = 64, 16
PROMPTS = "The statement ", "An expression ", "If the object ", "This function "
EXPECTED = 2.8  # bits per letter that a run with the default settings must reach


class LanguageLoss(nn.Cell):
    """The cross entropy of the next letter."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, ids, following):
        logits = self.net(ids)
        return ops.cross_entropy(logits.reshape(-1, logits.shape[-1]), following.reshape(-1))


def batches(ids: np.ndarray, seed: int):
    """Pieces of the text, and the same one letter further."""
    rng = np.random.default_rng(seed)
    while True:
        starts = rng.integers(0, len(ids) - LENGTH - 1, BATCH)
        pieces = np.stack([ids[s : s + LENGTH + 1] for s in starts])
        yield ms.Tensor(pieces[:, :-1]), ms.Tensor(pieces[:, 1:])


def main() -> None:
    args = arguments(__file__, __doc__, steps=600, letters=50)
    text = "\n".join(pydoc_data.topics.topics.values())
    letters = sorted(set(text))
    number = {c: i for i, c in enumerate(letters)}
    ids = np.array([number[c] for c in text], np.int32)
    cut = len(ids) * 9 // 10
    print(f"{len(ids)} letters, {len(letters)} different ones, {args.mode} mode")

    net = models.gpt2(
        layers=3, width=96, heads=4, vocabulary=len(letters), longest=LENGTH, dropout=0.0
    )
    loss = LanguageLoss(net)
    warm = max(args.steps // 10, 1)
    rates = nn.warmup_lr(2e-3, warm, 1, warm)
    rates += nn.cosine_decay_lr(1e-4, 2e-3, args.steps - warm, 1, args.steps - warm)
    step = nn.TrainOneStepCell(loss, nn.Adam(net.trainable_params(), rates)).set_train()
    losses = train(step, batches(ids[:cut], 1), args.steps)
    curve(losses, os.path.join(args.out, "loss.png"), "loss")

    loss.set_train(False)
    held = [float(loss(*batch)) for _, batch in zip(range(20), batches(ids[cut:], 2))]
    bits = np.mean(held) / np.log(2)
    given = ms.Tensor(np.array([[number[c] for c in prompt] for prompt in PROMPTS], np.int32))
    written = generate(net, given, args.letters, temperature=0.6, top_k=40)
    story = "\n\n".join("".join(letters[i] for i in row) for row in written)
    with open(os.path.join(args.out, "written.txt"), "w") as f:
        f.write(story)
    print(f"\n{story}\n\n{bits:.3f} bits per letter of text not seen before; curve in {args.out}")
    if args.steps == 600 and bits > EXPECTED:
        sys.exit(f"expected {EXPECTED} and less")


if __name__ == "__main__":
    main()
