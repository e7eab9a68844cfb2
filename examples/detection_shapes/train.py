"""Train a small YOLO v3 to find circles, squares and triangles in pictures that this file draws.

python train.py                     a minute and a half on two cores
python train.py --mode pynative     the same step by step
"""

import os
import sys

import numpy as np
from PIL import Image, ImageDraw

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import arguments, curve, sheet, train

import minds as ms
from minds import models, nn
from minds.models.detection.yolov3 import YOLOv3Loss, boxes_of, yolo_detections

SIZE, BATCH, MOST = 96, 8, 4
ANCHORS = tuple(tuple((n + d, n + d) for d in (0, 4, 8)) for n in (14, 24, 34))
NAMES = ("circle", "square", "triangle")
EXPECTED = 0.4  # mAP at an overlap of 0.5 that a run with the default settings must reach


def overlap(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Intersection over union with each of several boxes."""
    size = (np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])).clip(0)
    areas = [(b[..., 2:] - b[..., :2]).prod(-1) for b in (box, others)]
    return size.prod(-1) / (areas[0] + areas[1] - size.prod(-1))


def picture(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A picture (H, W, 3) in bytes, boxes (MOST, 4), and their classes, -1 for none."""
    image = Image.fromarray(rng.integers(0, 90, (SIZE, SIZE, 3), dtype=np.uint8))
    draw = ImageDraw.Draw(image)
    boxes, labels = np.zeros((MOST, 4), np.float32), np.full(MOST, -1, np.int32)
    for i in range(rng.integers(1, MOST + 1)):
        size = rng.uniform(16, 40)
        x, y = rng.uniform(1, SIZE - 1 - size, 2)
        box = np.array([x, y, x + size, y + size], np.float32)
        if overlap(box, boxes).max() > 0.05:
            continue
        boxes[i], labels[i] = box, rng.integers(3)
        colour = tuple(int(c) for c in rng.integers(120, 256, 3))
        if NAMES[labels[i]] == "circle":
            draw.ellipse([x, y, x + size, y + size], fill=colour)
        elif NAMES[labels[i]] == "square":
            draw.rectangle([x, y, x + size, y + size], fill=colour)
        else:
            draw.polygon([(x, y + size), (x + size, y + size), (x + size / 2, y)], fill=colour)
    return np.asarray(image), boxes, labels


def normal(images: np.ndarray) -> ms.Tensor:
    return ms.Tensor((images.transpose(0, 3, 1, 2) / 64 - 1).astype(np.float32))


def batch(rng: np.random.Generator) -> tuple:
    images, boxes, labels = zip(*[picture(rng) for _ in range(BATCH)])
    return normal(np.stack(images)), ms.Tensor(np.stack(boxes)), ms.Tensor(np.stack(labels))


class DetectionLoss(nn.Cell):
    """The network's loss."""

    def __init__(self, net):
        super().__init__()
        self.net, self.loss = net, YOLOv3Loss(net, (SIZE, SIZE))

    def construct(self, x, boxes, labels):
        return self.loss(self.net(x), boxes, labels)


def average_precision(found: list, wanted: list, which: int) -> float:
    """The area under precision over recall for a class, at an overlap of 0.5.

    ``found`` has boxes, scores and classes of each picture, ``wanted`` boxes and classes.
    """
    hits, total = [], sum(int((labels == which).sum()) for _, labels in wanted)
    for (boxes, scores, kinds), (truth, labels) in zip(found, wanted):
        left = truth[labels == which]
        for box, score in zip(boxes[kinds == which], scores[kinds == which]):
            much = overlap(box, left)
            hit = len(much) > 0 and much.max() >= 0.5
            hits.append((score, hit))
            if hit:
                left = np.delete(left, much.argmax(), 0)
    right = np.cumsum([hit for _, hit in sorted(hits, key=lambda pair: -pair[0])])
    precision = right / np.arange(1, len(right) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    return float(sum(best[np.diff(right, prepend=0) > 0]) / max(total, 1))


def framed(image: np.ndarray, found: tuple) -> np.ndarray:
    """The picture, twice as large, with boxes."""
    shown = Image.fromarray(image).resize((2 * SIZE, 2 * SIZE))
    draw = ImageDraw.Draw(shown)
    for box, score, kind in zip(*found):
        draw.rectangle([float(v) * 2 for v in box], outline="white")
        draw.text((float(box[0]) * 2, float(box[1]) * 2 - 11), f"{NAMES[kind]} {score:.2f}")
    return np.asarray(shown)


def main() -> None:
    args = arguments(__file__, __doc__, steps=400, pictures=64)
    net = models.yolov3(num_classes=3, width=8, layers=(1, 1, 1, 1, 1), anchors=ANCHORS)
    rates = nn.cosine_decay_lr(1e-5, 2e-3, args.steps, 1, args.steps)
    opt = nn.Adam(net.trainable_params(), rates)
    step = nn.TrainOneStepCell(DetectionLoss(net), opt).set_train()
    rng = np.random.default_rng(1)
    losses = train(step, iter(lambda: batch(rng), None), args.steps)
    curve(losses, os.path.join(args.out, "loss.png"), "loss")

    net.set_train(False)
    images, boxes, labels = zip(*[picture(rng) for _ in range(args.pictures)])
    found = []
    for i in range(0, len(images), BATCH):
        out = net(normal(np.stack(images[i : i + BATCH])))
        found += yolo_detections(out, boxes_of, least=0.1, threshold=0.45)
    scores = [average_precision(found, list(zip(boxes, labels)), c) for c in range(3)]
    sure = [tuple(column[f[1] > 0.3] for column in f) for f in found]
    path = os.path.join(args.out, "found.png")
    frames = [framed(image, f) for image, f in zip(images, sure)]
    sheet([frames[:4], frames[4:8]], path)
    parts = ", ".join(f"{name} {score:.3f}" for name, score in zip(NAMES, scores))
    print(f"mAP {np.mean(scores):.4f} ({parts}); pictures with boxes in {path}")
    if args.steps == 400 and np.mean(scores) < EXPECTED:
        sys.exit(f"expected {EXPECTED} and more")


if __name__ == "__main__":
    main()
