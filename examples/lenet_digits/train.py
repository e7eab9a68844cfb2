"""Train LeNet-5 on handwritten digits, look at what it gets wrong, save it, and check the saved
file.

python train.py                   the 1,797 digits that come with scikit-learn, graph mode
python train.py --mode pynative   the same step by step, for debugging; the losses are the same
python train.py --data DIR        MNIST, from its four IDX files in DIR
python train.py --evaluate        only evaluate the checkpoint of an earlier run
python train.py --device-target GPU (or Ascend)
"""

import argparse
import os
import subprocess
import sys
import time

import numpy as np
from PIL import Image, ImageDraw
from tqdm import tqdm

import minds as ms
import minds.dataset as ds
from minds import nn, train
from minds.common.initializer import HeUniform
from minds.dataset import transforms, vision

HERE = os.path.dirname(os.path.abspath(__file__))
SEED = 1
BATCH = 32


class LeNet5(nn.Cell):
    """Two convolutions and three dense layers. (LeCun et al., 1998, with ReLU and max pooling.)"""

    def __init__(self, classes: int = 10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", weight_init=HeUniform(), has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", weight_init=HeUniform(), has_bias=True)
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.relu = nn.ReLU()
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(16 * 5 * 5, 120, weight_init=HeUniform())
        self.fc2 = nn.Dense(120, 84, weight_init=HeUniform())
        self.fc3 = nn.Dense(84, classes, weight_init=HeUniform())

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


def digits() -> tuple[ds.Dataset, ds.Dataset]:
    """scikit-learn's digits, 80 % for training and 20 % for testing."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    # The 8×8 images have 17 grey levels; MNIST has 256.
    images = (bunch.images * (255 / 16)).astype(np.uint8)[..., np.newaxis]
    order = np.random.default_rng(SEED).permutation(len(images))
    cut = len(images) * 4 // 5
    return tuple(
        ds.NumpySlicesDataset({"image": images[part], "label": bunch.target[part]}, shuffle=False)
        for part in (order[:cut], order[cut:])
    )


def batches(data: ds.Dataset, training: bool) -> ds.Dataset:
    """Normalised float32 images (N, 1, 32, 32), int32 labels (N,); for training shuffled and
    shifted.
    """
    steps = [vision.Resize((32, 32))]
    if training:
        steps.append(vision.RandomCrop((32, 32), padding=2))
        data = data.shuffle(data.get_dataset_size())
    steps += [vision.Rescale(1 / 255, 0.0), vision.Normalize([0.31], [0.33]), vision.HWC2CHW()]
    data = data.map(steps, "image").map(transforms.TypeCast(ms.int32), "label")
    return data.batch(BATCH, drop_remainder=training)


class Progress(train.Callback):
    """A progress bar with loss, accuracy after the last epoch and time left; then a table of
    epochs.
    """

    def __init__(self, model: train.Model, test_data: ds.Dataset):
        self.model, self.test_data, self.rows, self.accuracy = model, test_data, [], "…"

    def on_train_begin(self, run_context):
        p = run_context.original_args()
        self.bar = tqdm(total=p.epoch_num * p.batch_num, unit="step", ncols=100)

    def on_train_epoch_begin(self, run_context):
        self.losses, self.begin = [], time.perf_counter()

    def on_train_step_end(self, run_context):
        p = run_context.original_args()
        self.losses.append(float(p.net_outputs))
        self.bar.set_postfix_str(
            f"loss {self.losses[-1]:.4f}, accuracy {self.accuracy}", refresh=False
        )
        self.bar.update()

    def on_train_epoch_end(self, run_context):
        accuracy = self.model.eval(self.test_data)["accuracy"]
        self.accuracy = f"{accuracy:.2%}"
        self.rows.append((np.mean(self.losses), accuracy, time.perf_counter() - self.begin))

    def on_train_end(self, run_context):
        self.bar.close()
        print("\nepoch      loss  accuracy  seconds")
        for number, (loss, accuracy, seconds) in enumerate(self.rows, 1):
            print(f"{number:5}  {loss:8.4f}  {accuracy:8.2%}  {seconds:7.2f}")


def draw_mistakes(model: train.Model, data: ds.Dataset, path: str, most: int = 10) -> int:
    """Draw wrongly classified images, with what they are and what the network said; return their
    number.
    """
    wrong = []
    for images, labels in data.create_tuple_iterator(num_epochs=1):
        said = model.predict(images).asnumpy().argmax(1)
        wrong += [
            (images.asnumpy()[i, 0], labels.asnumpy()[i], said[i])
            for i in np.flatnonzero(said != labels.asnumpy())
        ]
    shown = wrong[:most]
    sheet = Image.new("L", (110 * max(len(shown), 1), 130), 255)
    draw = ImageDraw.Draw(sheet)
    for i, (image, label, answer) in enumerate(shown):
        grey = np.uint8(255 * (image.max() - image) / (image.max() - image.min()))
        sheet.paste(Image.fromarray(grey).resize((96, 96)), (110 * i + 7, 7))
        draw.text((110 * i + 12, 110), f"is {label}, said {answer}", fill=0)
    sheet.save(path)
    return len(wrong)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mode", choices=["graph", "pynative"], default="graph")
    parser.add_argument("--device-target", metavar="CPU|GPU|Ascend", default="CPU")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--data", metavar="DIR", help="a folder with the four IDX files of MNIST")
    parser.add_argument(
        "--out", metavar="DIR", default=os.path.join(HERE, "out"), help="where the results go"
    )
    parser.add_argument(
        "--evaluate", action="store_true", help="evaluate the checkpoint and nothing else"
    )
    args = parser.parse_args()

    ms.set_context(
        mode=ms.GRAPH_MODE if args.mode == "graph" else ms.PYNATIVE_MODE,
        device_target=args.device_target,
    )
    ms.set_seed(SEED)
    if args.data:
        training, testing = (
            ds.MnistDataset(args.data, usage, shuffle=False) for usage in ("train", "test")
        )
    else:
        training, testing = digits()
    train_data, test_data = batches(training, True), batches(testing, False)
    os.makedirs(args.out, exist_ok=True)
    checkpoint = os.path.join(args.out, "lenet.ckpt")

    net = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    if args.evaluate:
        ms.load_checkpoint(checkpoint, net)
        model = train.Model(net, loss, metrics={"accuracy"})
        print(f"accuracy {model.eval(test_data)['accuracy']:.6f}")
        return

    steps = train_data.get_dataset_size()
    rates = nn.cosine_decay_lr(0.0, 0.02, args.epochs * steps, steps, args.epochs)
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=rates, momentum=0.9)
    model = train.Model(net, loss, optimizer, metrics={"accuracy"})
    print(f"{len(training)} images to train on, {len(testing)} to test, {args.mode} mode")
    model.train(args.epochs, train_data, callbacks=[Progress(model, test_data)])

    accuracy = model.eval(test_data)["accuracy"]
    picture = os.path.join(args.out, "mistakes.png")
    mistakes = draw_mistakes(model, test_data, picture)
    print(f"\ntest accuracy {accuracy:.2%}; {mistakes} mistakes, drawn in {picture}")

    ms.save_checkpoint(net, checkpoint)
    again = [
        sys.executable,
        os.path.abspath(__file__),
        "--evaluate",
        "--mode",
        args.mode,
        "--device-target",
        args.device_target,
        "--out",
        args.out,
    ]
    printed = subprocess.run(
        again + (["--data", args.data] if args.data else []),
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    if f"accuracy {accuracy:.6f}" not in printed:
        sys.exit(f"the reloaded checkpoint gave another result: {printed}")
    print(f"saved to {checkpoint}; a new process loaded it and found the same accuracy")


if __name__ == "__main__":
    main()
