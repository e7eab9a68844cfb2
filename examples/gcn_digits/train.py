"""Tell handwritten digits by ten labels of each class and a graph of which digits look alike: a graph
convolutional network, beside the same network without edges.

python train.py                     seconds on two cores
python train.py --mode pynative     the same step by step
"""

import os
import sys

import numpy as np
from PIL import Image, ImageDraw
from sklearn.datasets import load_digits
from sklearn.neighbors import kneighbors_graph

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import arguments, train

import minds as ms
from minds import models, nn, ops

EXPECTED = 0.95  # accuracy that a run with the default settings must reach
COLOURS = "red green blue orange purple brown pink gray olive cyan".split()


class LabelledLoss(nn.Cell):
    """The cross entropy of those nodes whose class is known."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x, edges, nodes, labels):
        return ops.cross_entropy(ops.gather(self.net(x, edges), nodes, 0), labels)


def learn(x, edges, known, labels, steps: int) -> np.ndarray:
    """The logits of all nodes."""
    net = models.gcn(inputs=x.shape[1], num_classes=10, hidden=64)
    opt = nn.Adam(net.trainable_params(), 0.01, weight_decay=5e-4)
    step = nn.TrainOneStepCell(LabelledLoss(net), opt).set_train()
    batch = ms.Tensor(x), ms.Tensor(edges), ms.Tensor(known), ms.Tensor(labels[known])
    train(step, iter(lambda: batch, None), steps)
    return net.set_train(False)(*batch[:2]).asnumpy()


def draw(logits: np.ndarray, edges: np.ndarray, labels: np.ndarray, path: str) -> None:
    """Nodes where the two strongest directions of the logits put them, in the colours of their classes."""
    centred = logits - logits.mean(0)
    place = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
    place = 20 + 760 * (place - place.min(0)) / np.ptp(place, 0)
    picture = Image.new("RGB", (800, 800), "white")
    pen = ImageDraw.Draw(picture)
    for a, b in edges.T[:: max(len(edges[0]) // 4000, 1)]:
        pen.line([*place[a], *place[b]], fill="#eeeeee")
    for (x, y), label in zip(place, labels):
        pen.text((x - 3, y - 6), str(label), fill=COLOURS[label])
    picture.save(path)


def main() -> None:
    args = arguments(__file__, __doc__, steps=200)
    bunch = load_digits()
    x, labels = (bunch.data / 16).astype(np.float32), bunch.target.astype(np.int32)
    near = kneighbors_graph(x, 8).tocoo()
    edges = np.unique(
        np.concatenate(([near.row, near.col], [near.col, near.row]), 1), axis=1
    ).astype(np.int32)
    order = np.random.default_rng(1).permutation(len(x))
    known = np.concatenate([order[labels[order] == c][:10] for c in range(10)]).astype(np.int32)
    rest = np.setdiff1d(np.arange(len(x)), known)
    print(f"{len(x)} digits, {edges.shape[1]} edges, {len(known)} labels, {args.mode} mode")

    logits = learn(x, edges, known, labels, args.steps)
    alone = learn(x, edges[:, :0], known, labels, args.steps)
    accuracy, without = (
        float((found.argmax(1)[rest] == labels[rest]).mean()) for found in (logits, alone)
    )
    path = os.path.join(args.out, "graph.png")
    draw(logits, edges, labels, path)
    print(f"accuracy {accuracy:.4f}, without edges {without:.4f}; the graph in {path}")
    if args.steps == 200 and accuracy < EXPECTED:
        sys.exit(f"expected {EXPECTED} and more")


if __name__ == "__main__":
    main()
