"""Images a second through a training pipeline: decode, RandomResizedCrop, flip, normalise, batch.

JPEG files like ImageNet's are generated. minds, a plain Pillow loop, torch's loader and MindSpore (where an
interpreter that has it is named) take turns, so that all meet the same machine. MindSpore runs in its own
process, which is told when to start.

    python benchmarks/data.py [--mindspore PYTHON] [--images 256] [--rounds 5] [--workers 1 2]
"""

import argparse
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
SIZE, BATCH = 224, 32


def make_files(folder: str, count: int) -> None:
    """JPEG files of about 500 by 375 pixels, with edges, gradients and noise."""
    from PIL import Image, ImageFilter

    rng = np.random.default_rng(0)
    os.makedirs(os.path.join(folder, "a"))
    for i in range(count):
        height, width = int(rng.integers(320, 420)), int(rng.integers(420, 560))
        small = rng.integers(0, 256, (height // 24, width // 24, 3)).astype(np.uint8)
        image = Image.fromarray(small).resize((width, height), Image.BICUBIC)
        noise = rng.normal(0, 14, (height, width, 3))
        pixels = np.clip(np.asarray(image) + noise, 0, 255).astype(np.uint8)
        image = Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(0.8))
        data = io.BytesIO()
        image.save(data, "jpeg", quality=92)
        with open(os.path.join(folder, "a", f"{i:05d}.jpg"), "wb") as f:
            f.write(data.getvalue())


def pipeline(ds, vision, folder: str, workers: int):
    """The same in minds and in MindSpore."""
    d = ds.ImageFolderDataset(folder, num_parallel_workers=workers, shuffle=True)
    steps = [
        vision.RandomCropDecodeResize(SIZE),
        vision.RandomHorizontalFlip(0.5),
        vision.Normalize(MEAN, STD),
        vision.HWC2CHW(),
    ]
    d = d.map(steps, ["image"], num_parallel_workers=workers)
    return d.batch(BATCH, drop_remainder=False)


def epoch(dataset) -> float:
    """Images a second over one epoch."""
    start, seen = time.perf_counter(), 0
    for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True):
        seen += len(row[0])
    return seen / (time.perf_counter() - start)


def mindspore_server(folder: str) -> None:
    """Measures an epoch for each line of standard input, which is a number of workers."""
    import mindspore.dataset as ds
    from mindspore.dataset import vision

    for line in sys.stdin:
        print("rate", epoch(pipeline(ds, vision, folder, int(line))), flush=True)


class MindSpore:
    def __init__(self, python: str, folder: str):
        how = [python, os.path.abspath(__file__), "--serve", folder]
        env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        self.process = subprocess.Popen(
            how, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env=env,
        )  # fmt: skip

    def __call__(self, workers: int) -> float:
        self.process.stdin.write(f"{workers}\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("rate"):
                return float(line.split()[1])
        raise RuntimeError("MindSpore ended")


def pillow_row(path: str, rng) -> np.ndarray:
    """One image by Pillow and NumPy."""
    from PIL import Image

    with open(path, "rb") as f:
        image = Image.open(io.BytesIO(f.read())).convert("RGB")
    side = rng.uniform(0.3, 1.0) ** 0.5
    w, h = int(image.width * side), int(image.height * side)
    x, y = int(rng.integers(image.width - w + 1)), int(rng.integers(image.height - h + 1))
    image = image.resize((SIZE, SIZE), Image.BILINEAR, (x, y, x + w, y + h))
    if rng.random() < 0.5:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    a = (np.asarray(image, np.float32) - np.float32(MEAN)) / np.float32(STD)
    return np.ascontiguousarray(a.transpose(2, 0, 1))


class PillowRows:
    """What torch's loader takes."""

    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return pillow_row(self.paths[i], np.random.default_rng(i))


def pillow_epoch(paths) -> float:
    start, rng = time.perf_counter(), np.random.default_rng(0)
    for i in range(0, len(paths), BATCH):
        np.stack([pillow_row(p, rng) for p in paths[i : i + BATCH]])
    return len(paths) / (time.perf_counter() - start)


def torch_epoch(paths, workers: int) -> float:
    from torch.utils.data import DataLoader

    loader = DataLoader(PillowRows(paths), BATCH, shuffle=True, num_workers=workers)
    start = time.perf_counter()
    seen = sum(len(batch) for batch in loader)
    return seen / (time.perf_counter() - start)


def decode_epoch(paths) -> float:
    """Decoding alone, in one thread: what bounds every pipeline."""
    from minds.dataset.vision import Decode

    decode, start = Decode(), time.perf_counter()
    for path in paths:
        with open(path, "rb") as f:
            decode(f.read())
    return len(paths) / (time.perf_counter() - start)


def main() -> None:
    import minds.dataset as ds
    from minds.dataset import vision

    parser = argparse.ArgumentParser()
    parser.add_argument("--mindspore", help="an interpreter that has MindSpore")
    parser.add_argument("--torch", action="store_true", help="measure torch's loader too")
    parser.add_argument("--images", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        make_files(folder, options.images)
        paths = sorted(os.path.join(folder, "a", f) for f in os.listdir(os.path.join(folder, "a")))
        runs = {
            "decode alone": lambda: decode_epoch(paths),
            "Pillow loop": lambda: pillow_epoch(paths),
        }
        server = MindSpore(options.mindspore, folder) if options.mindspore else None
        for w in options.workers:
            runs[f"minds, {w}"] = lambda w=w: epoch(pipeline(ds, vision, folder, w))
            if server:
                runs[f"MindSpore, {w}"] = lambda w=w: server(w)
            if options.torch:
                runs[f"torch, {w}"] = lambda w=w: torch_epoch(paths, w)
        rates = {name: [] for name in runs}
        for i in range(options.rounds + 1):
            for name, run in runs.items():
                rate = run()
                if i:  # the first round warms up
                    rates[name].append(rate)
        if server:
            server.process.stdin.close()
            server.process.wait()
    for name, found in rates.items():
        print(f"{name:16} {statistics.median(found):8.0f} images/s (most {max(found):.0f})")


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--serve":
        mindspore_server(sys.argv[2])
    else:
        main()
