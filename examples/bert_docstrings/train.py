"""Train a small BERT on the docstrings of NumPy as a masked language model, then fine-tune it to tell from a
sentence in which part of NumPy it stands; and without the first step, to see what that is worth.

python train.py                     a minute and a half on two cores
python train.py --mode pynative     the same step by step
"""

import collections
import os
import re
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import arguments, curve, train

import minds as ms
from minds import models, nn, ops

PARTS = (np.linalg, np.fft, np.random, np.ma, np.polynomial)
LENGTH, BATCH, MASK, UNKNOWN, FIRST = 24, 32, 1, 2, 3
SIZES = {"layers": 2, "width": 64, "heads": 4, "longest": LENGTH, "dropout": 0.1}
EXPECTED = 0.68  # accuracy that a run with the default settings must reach


def sentences() -> list[tuple[list[str], int]]:
    """Sentences of docstrings as words, and which part of NumPy they are from; each sentence once."""
    found = collections.defaultdict(set)
    for number, part in enumerate(PARTS):
        for name in dir(part):
            text = getattr(getattr(part, name), "__doc__", None) or ""
            for sentence in re.split(r"(?<=[.:])\s+|\n\s*\n", text):
                words = re.findall(r"[a-z_]+|\d+|[^\sa-z\d]", sentence.lower())
                if len(words) >= 5:
                    found[tuple(words[: LENGTH - 1])].add(number)
    return [(list(words), *of) for words, of in sorted(found.items()) if len(of) == 1]


def numbered(rows: list, count: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Ids (N, LENGTH) of the most frequent words, each sentence behind a first token; 0 is padding."""
    often = collections.Counter(w for words, _ in rows for w in words).most_common(count)
    number = {w: i for i, (w, _) in enumerate(often, FIRST + 1)}
    ids = np.zeros((len(rows), LENGTH), np.int32)
    for row, (words, _) in zip(ids, rows):
        row[: len(words) + 1] = [FIRST, *(number.get(w, UNKNOWN) for w in words)]
    return ids, np.array([label for _, label in rows], np.int32), len(number) + FIRST + 1


class MaskedLoss(nn.Cell):
    """The cross entropy of the words that were masked."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, ids, counts, labels):
        logits = self.net(ids, None, counts)
        return ops.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1))


class ClassLoss(nn.Cell):
    """The cross entropy of the sentences' classes."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, ids, counts, labels):
        return ops.cross_entropy(self.net(ids, None, counts), labels)


def masked(ids: np.ndarray, rng: np.random.Generator):
    """Sentences with a seventh of their words masked, and what these are."""
    while True:
        rows = ids[rng.integers(0, len(ids), BATCH)]
        hidden = (rng.random(rows.shape) < 0.15) & (rows > FIRST)
        yield tuple(
            map(
                ms.Tensor,
                (np.where(hidden, MASK, rows), counted(rows), np.where(hidden, rows, -100)),
            )
        )


def told(ids: np.ndarray, labels: np.ndarray, rng: np.random.Generator):
    """Sentences and their classes."""
    while True:
        rows = rng.integers(0, len(ids), BATCH)
        yield ms.Tensor(ids[rows]), ms.Tensor(counted(ids[rows])), ms.Tensor(labels[rows])


def counted(ids: np.ndarray) -> np.ndarray:
    return (ids > 0).astype(np.float32)


def learn(loss: nn.Cell, batches, steps: int, rate: float) -> list[float]:
    warm = max(steps // 10, 1)
    rates = nn.warmup_lr(rate, warm, 1, warm)
    rates += nn.cosine_decay_lr(0.0, rate, steps - warm, 1, steps - warm)
    opt = nn.Adam(loss.trainable_params(), rates)
    return train(nn.TrainOneStepCell(loss, opt).set_train(), batches, steps)


def accuracy(net: nn.Cell, ids: np.ndarray, labels: np.ndarray) -> float:
    said = net.set_train(False)(ms.Tensor(ids), None, ms.Tensor(counted(ids))).asnumpy()
    return float((said.argmax(1) == labels).mean())


def main() -> None:
    args = arguments(__file__, __doc__, steps=800, tuning=200)
    rows = sentences()
    ids, labels, vocabulary = numbered(rows, 1200)
    rng = np.random.default_rng(1)
    order = rng.permutation(len(ids))
    test, known = order[:400], order[400:900]
    print(f"{len(ids)} sentences, {vocabulary} words, {len(known)} labelled, {args.mode} mode")

    reader = models.bert_base_masked(vocabulary=vocabulary, **SIZES)
    losses = learn(MaskedLoss(reader), masked(ids[order[400:]], rng), args.steps, 1e-3)
    curve(losses, os.path.join(args.out, "loss.png"), "masked words' loss")

    results = []
    for taught in (True, False):
        net = models.bert_base_classifier(vocabulary=vocabulary, num_classes=len(PARTS), **SIZES)
        if taught:
            weights = {p.name: p for p in reader.bert.get_parameters()}
            ms.load_param_into_net(net, weights)
        learn(ClassLoss(net), told(ids[known], labels[known], rng), args.tuning, 1e-3)
        results.append(accuracy(net, ids[test], labels[test]))
    print(f"accuracy {results[0]:.4f} fine-tuned, {results[1]:.4f} without what it read before")
    if (args.steps, args.tuning) == (800, 200) and results[0] < EXPECTED:
        sys.exit(f"expected {EXPECTED} and more")


if __name__ == "__main__":
    main()
