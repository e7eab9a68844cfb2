"""Networks that find objects, with their losses."""

from __future__ import annotations

import numpy as np
from table import Row, Small, images

from minds import Tensor, models
from minds.models.detection.centernet import centernet_loss
from minds.models.detection.retinanet import retinanet_loss
from minds.models.detection.ssd import ssd_loss
from minds.models.detection.yolov3 import YOLOv3Loss
from minds.models.detection.yolov5 import YOLOv5Loss


def objects(size: int, masks: bool = False, learned: bool = False):
    """Two images with two objects and one; ``learned``: the network itself takes them."""

    def draw(rng):
        x = images(2, 3, size, size)(rng)
        boxes = np.array(
            [
                [[4, 6, size // 2, size // 3], [size // 3, size // 4, size - 2, size - 9]],
                [[size // 4, 3, size // 2 + 5, size - 20], [0, 0, 0, 0]],
            ],
            np.float32,
        )
        found = [Tensor(boxes), Tensor(np.array([[0, 1], [1, -1]], np.int32))]
        if masks:
            found.append(Tensor(rng.randint(0, 2, (2, 2, size, size)).astype(np.float32)))
        return (*x, *found) if learned else x, () if learned else tuple(found)

    return draw


def judged_by(loss, name: str, **settings):
    """A loss that needs to know the network's grids."""
    judge = []

    def call(out, boxes, labels):
        if not judge:
            judge.append(loss(models.create(name, **settings), (64, 64)))
        return judge[0](out, boxes, labels)

    return call


def total(losses):
    """The sum of what a network says is wrong."""
    return sum(losses)


SMALL = {"stem": 4, "width": 8, "num_classes": 3}
RCNN = {**SMALL, "inner": 16, "room": (20, 10)}
V3 = {"width": 2, "layers": (1, 1, 1, 1, 1), "num_classes": 2}
V5 = {"width": 0.03, "num_classes": 2}
ROWS = [
    Row("ssd300_vgg16", 35_641_826, "torchvision", images(1, 3, 300, 300),
        ((1, 8732, 91), (1, 8732, 4), (8732, 4)),
        Small({"width": 2, "num_classes": 3}, objects(300), ssd_loss)),
    Row("retinanet_resnet50", 34_014_999, "torchvision, norms frozen", images(1, 3, 128, 128),
        ((1, 3069, 91), (1, 3069, 4), (3069, 4))),
    Row("retinanet_resnet18", 21_038_871, "resnet18's stages in retinanet_resnet50's place",
        images(1, 3, 128, 128), ((1, 3069, 91), (1, 3069, 4), (3069, 4)),
        Small(SMALL, objects(128), retinanet_loss)),
    Row("centernet_resnet18", 15_820_372, "resnet18, 16·256·(512+256+256) + 3·512, three heads",
        images(1, 3, 64, 64), ((1, 80, 16, 16), (1, 2, 16, 16), (1, 2, 16, 16)),
        Small({**SMALL, "inner": 4}, objects(64), centernet_loss, 2e-4)),
    Row("centernet_resnet50", 34_443_348, "resnet50, 16·256·(2048+256+256) + 3·512, three heads",
        images(1, 3, 64, 64), ((1, 80, 16, 16), (1, 2, 16, 16), (1, 2, 16, 16))),
    Row("yolov3", 61_949_149, "the authors' yolov3.cfg", images(1, 3, 64, 64),
        ((1, 252, 85), (252, 5)), Small(V3, objects(64), judged_by(YOLOv3Loss, "yolov3", **V3))),
    Row("yolov5n", 1_872_157, "Ultralytics 6.0", images(1, 3, 64, 64), ((1, 252, 85), (252, 5)),
        Small(V5, objects(64), judged_by(YOLOv5Loss, "yolov5n", **V5))),
    Row("yolov5s", 7_235_389, "Ultralytics 6.0", images(1, 3, 64, 64), ((1, 252, 85), (252, 5))),
    Row("yolov5m", 21_190_557, "Ultralytics 6.0", images(1, 3, 64, 64), ((1, 252, 85), (252, 5))),
    Row("yolov5l", 46_563_709, "Ultralytics 6.0", images(1, 3, 64, 64), ((1, 252, 85), (252, 5))),
    Row("fasterrcnn_resnet50_fpn", 41_755_286, "torchvision, norms frozen", images(1, 3, 64, 64),
        ((1000, 91), (1000, 364), (1, 1000, 4), (1, 1000))),
    Row("fasterrcnn_resnet18_fpn", 28_730_006, "resnet18's stages in fasterrcnn_resnet50_fpn's place",
        images(1, 3, 64, 64), ((1000, 91), (1000, 364), (1, 1000, 4), (1, 1000)),
        Small(RCNN, objects(64, learned=True), total)),
    Row("maskrcnn_resnet50_fpn", 44_401_393, "torchvision, norms frozen", images(1, 3, 64, 64),
        ((1000, 91), (1000, 364), (1, 1000, 4), (1, 1000))),
    Row("maskrcnn_resnet18_fpn", 31_376_113, "resnet18's stages in maskrcnn_resnet50_fpn's place",
        images(1, 3, 64, 64), ((1000, 91), (1000, 364), (1, 1000, 4), (1, 1000)),
        Small(RCNN, objects(64, masks=True, learned=True), total)),
]  # fmt: skip
