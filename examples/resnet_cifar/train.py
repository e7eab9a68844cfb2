"""Train ResNet-18 on 32×32 colour images, with augmentation, a cosine schedule, checkpoints and, if
wanted, bfloat16.

python train.py                   generated textures in ten classes, about two minutes on two cores
python train.py --data DIR        CIFAR-10, from its binary files in DIR (then also: --epochs 30)
python train.py --bf16            products and convolutions in bfloat16
python train.py --resume          go on after the last finished epoch of an earlier run
python train.py --mode pynative   the same step by step, for debugging
python train.py --device-target GPU (or Ascend)
"""

import argparse
import os
import sys

import numpy as np
from PIL import Image, ImageDraw
from tqdm import tqdm

import minds as ms
import minds.dataset as ds
from minds import amp, nn
from minds.common.initializer import HeNormal
from minds.dataset import transforms, vision

HERE = os.path.dirname(os.path.abspath(__file__))
SEED = 1
BATCH = 64
EXPECTED = (
    0.9  # the accuracy on the generated images that a run with the default settings must reach
)
TEXTURES = [
    *("wide rows", "narrow rows", "wide columns", "narrow columns", "wide diagonals"),
    *("narrow diagonals", "wide checks", "narrow checks", "rings", "spots"),
]
CIFAR = "airplane automobile bird cat deer dog frog horse ship truck".split()


def conv(inputs: int, outputs: int, size: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(
        inputs, outputs, size, stride, pad_mode="same", weight_init=HeNormal(mode="fan_out")
    )


class BasicBlock(nn.Cell):
    """Two convolutions beside a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.conv1, self.norm1 = conv(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs)
        self.conv2 = conv(outputs, outputs, 3)
        # Zeros at first: the block is the identity, and deep nets begin to learn at once.
        self.norm2 = nn.BatchNorm2d(outputs, gamma_init="zeros")
        self.shortcut = None
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.SequentialCell(
                conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs)
            )
        self.relu = nn.ReLU()

    def construct(self, x):
        y = self.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return self.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class ResNet18(nn.Cell):
    """ResNet-18 for small images: no stride and no pooling at the input. (He et al., 2015.)"""

    def __init__(self, classes: int = 10, width: int = 64):
        super().__init__()
        self.stem = nn.SequentialCell(conv(3, width, 3), nn.BatchNorm2d(width), nn.ReLU())
        blocks, inputs = [], width
        for stage in range(4):
            for n in range(2):
                outputs = width * 2**stage
                blocks.append(BasicBlock(inputs, outputs, 2 if stage and n == 0 else 1))
                inputs = outputs
        self.blocks = nn.SequentialCell(blocks)
        self.head = nn.Dense(inputs, classes)

    def construct(self, x):
        x = self.blocks(self.stem(x))
        return self.head(x.mean((2, 3)))


def waves(rng: np.random.Generator, kind: int) -> np.ndarray:
    """One texture, (32, 32) in [-1, 1]: its place is random, so no pixel tells the class."""
    y, x = np.mgrid[:32, :32] + rng.uniform(0, 32, (2, 1, 1))
    period = (9, 5)[kind % 2] * rng.uniform(0.9, 1.1)
    turn = 2 * np.pi / period
    if kind < 2:
        return np.sin(turn * y)
    if kind < 4:
        return np.sin(turn * x)
    if kind < 6:
        return np.sin(turn * (x + rng.choice([-1, 1]) * y) / np.sqrt(2))
    if kind < 8:
        return np.sign(np.sin(turn * x) * np.sin(turn * y))
    cy, cx = rng.uniform(8, 24, 2)
    if kind == 8:
        y, x = np.mgrid[:32, :32]
        return np.sin(turn * np.hypot(y - cy, x - cx))
    return 2 * np.maximum(0, np.sin(turn * x) * np.sin(turn * y)) ** 0.5 - 1


def textures(count: int, seed: int) -> ds.Dataset:
    """Images (32, 32, 3) in bytes: a texture in two random colours under noise; labels 0 to 9."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(count) % 10)
    images = np.empty((count, 32, 32, 3), np.uint8)
    for i, kind in enumerate(labels):
        mixed = (waves(rng, kind)[..., np.newaxis] + 1) / 2
        one, other = rng.uniform(0, 255, (2, 3))
        image = mixed * one + (1 - mixed) * other + rng.normal(0, 12, (32, 32, 3))
        images[i] = image.clip(0, 255)
    return ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=False)


def batches(data: ds.Dataset, training: bool) -> ds.Dataset:
    """Normalised float32 images (N, 3, 32, 32), int32 labels (N,); for training shuffled, shifted
    and flipped.
    """
    steps = []
    if training:
        steps = [vision.RandomCrop((32, 32), padding=4), vision.RandomHorizontalFlip()]
        data = data.shuffle(data.get_dataset_size())
    steps += [
        vision.Rescale(1 / 255, 0.0),
        vision.Normalize([0.491, 0.482, 0.447], [0.247, 0.243, 0.262]),
        vision.HWC2CHW(),
    ]
    data = data.map(steps, "image", num_parallel_workers=2)
    data = data.map(transforms.TypeCast(ms.int32), "label")
    return data.batch(BATCH, drop_remainder=training)


def accuracy_of(net: nn.Cell, data: ds.Dataset) -> tuple[float, list]:
    """The share of right answers, and the wrong ones: (image, label, answer)."""
    net.set_train(False)
    right, total, wrong = 0, 0, []
    for images, labels in data.create_tuple_iterator(num_epochs=1):
        said, labels = net(images).asnumpy().argmax(1), labels.asnumpy()
        right, total = right + int((said == labels).sum()), total + len(labels)
        wrong += [
            (images[int(i)].asnumpy(), labels[i], said[i]) for i in np.flatnonzero(said != labels)
        ]
    net.set_train(True)
    return right / total, wrong


def draw_mistakes(wrong: list, names: list, path: str, most: int = 8) -> None:
    """Draw wrongly classified images, with what they are and what the network said."""
    shown = wrong[:most]
    sheet = Image.new("RGB", (150 * max(len(shown), 1), 180), "white")
    draw = ImageDraw.Draw(sheet)
    for i, (image, label, answer) in enumerate(shown):
        image = image.transpose(1, 2, 0)
        pixels = np.uint8(255 * (image - image.min()) / np.ptp(image))
        sheet.paste(Image.fromarray(pixels).resize((128, 128)), (150 * i + 11, 10))
        draw.text((150 * i + 11, 143), f"is {names[label]},\nsaid {names[answer]}", fill="black")
    sheet.save(path)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mode", choices=["graph", "pynative"], default="graph")
    parser.add_argument("--device-target", metavar="CPU|GPU|Ascend", default="CPU")
    parser.add_argument("--data", metavar="DIR", help="a folder with CIFAR-10's binary files")
    parser.add_argument("--images", type=int, default=2560, help="how many are generated")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--width", type=int, help="channels of the first stage: 32, with --data 64")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument(
        "--out", metavar="DIR", default=os.path.join(HERE, "out"), help="where the results go"
    )
    return parser.parse_args()


def main() -> None:
    args = options()
    ms.set_context(
        mode=ms.GRAPH_MODE if args.mode == "graph" else ms.PYNATIVE_MODE,
        device_target=args.device_target,
    )
    ms.set_seed(SEED)
    if args.data:
        training, testing = (
            ds.Cifar10Dataset(args.data, usage, shuffle=False) for usage in ("train", "test")
        )
    else:
        training, testing = textures(args.images, SEED), textures(512, SEED + 1)
    names = CIFAR if args.data else TEXTURES
    train_data, test_data = batches(training, True), batches(testing, False)
    os.makedirs(args.out, exist_ok=True)
    checkpoint = os.path.join(args.out, "resnet18.ckpt")

    net = ResNet18(width=args.width or (64 if args.data else 32))
    if args.bf16:
        amp.auto_mixed_precision(net, "auto", ms.bfloat16)
    steps = train_data.get_dataset_size()
    rates = nn.cosine_decay_lr(0.0, 0.1, args.epochs * steps, steps, args.epochs)
    optimizer = nn.Momentum(
        net.trainable_params(), learning_rate=rates, momentum=0.9, weight_decay=5e-4
    )
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()

    first = 0
    if args.resume:
        saved = ms.load_checkpoint(checkpoint)
        first = int(saved.pop("epoch"))
        saved.pop("learning_rate")  # the schedule is that of this run
        ms.load_param_into_net(step, saved)
    print(f"{len(training)} images to train on, {len(testing)} to test, {args.mode} mode")
    for epoch in range(first, args.epochs):
        losses = []
        rows = train_data.create_tuple_iterator(num_epochs=1)
        bar = tqdm(rows, f"epoch {epoch + 1}/{args.epochs}", total=steps, unit="step", ncols=100)
        for images, labels in bar:
            losses.append(float(step(images, labels)))
            bar.set_postfix_str(f"loss {np.mean(losses):.4f}", refresh=False)
        # With the optimizer's moments and step, so that training can go on from here.
        ms.save_checkpoint(step, checkpoint, append_dict={"epoch": epoch + 1})

    accuracy, wrong = accuracy_of(net, test_data)
    picture = os.path.join(args.out, "mistakes.png")
    draw_mistakes(wrong, names, picture)
    print(f"test accuracy {accuracy:.2%}; {len(wrong)} mistakes, drawn in {picture}")
    if not args.data and (args.images, args.epochs) == (2560, 6) and accuracy < EXPECTED:
        sys.exit(f"expected {EXPECTED:.0%} and more")


if __name__ == "__main__":
    main()
