"""What the examples share: their arguments, training with a progress bar, and pictures."""

from __future__ import annotations

import argparse
import os
import sys
import time

import numpy as np
from PIL import Image, ImageDraw
from tqdm import tqdm

import minds as ms


def arguments(file: str, about: str, **numbers: int) -> argparse.Namespace:
    """``--mode``, ``--device-target``, ``--out`` and numbers with these defaults; sets the context."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mode", choices=["graph", "pynative"], default="graph")
    parser.add_argument("--device-target", metavar="CPU|GPU|Ascend", default="CPU")
    out = os.path.join(os.path.dirname(os.path.abspath(file)), "out")
    parser.add_argument("--out", metavar="DIR", default=out, help="where the pictures go")
    for name, number in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=number, help=f"default {number}")
    args = parser.parse_args()
    mode = ms.GRAPH_MODE if args.mode == "graph" else ms.PYNATIVE_MODE
    ms.set_context(mode=mode, device_target=args.device_target)
    ms.set_seed(1)
    os.makedirs(args.out, exist_ok=True)
    return args


def train(step, batches, count: int, told: str = "loss") -> list[float]:
    """Call ``step`` with ``count`` batches; the losses."""
    losses, begin = [], time.perf_counter()
    with tqdm(total=count, unit="step", ncols=90, file=sys.stderr) as bar:
        for _, batch in zip(range(count), batches):
            losses.append(float(step(*batch)))
            bar.set_postfix_str(f"{told} {np.mean(losses[-20:]):.4f}", refresh=False)
            bar.update()
    seconds = time.perf_counter() - begin
    print(
        f"{count} steps in {seconds:.0f} s: {told} {losses[0]:.4f} to {np.mean(losses[-20:]):.4f}"
    )
    return losses


def grey(image: np.ndarray) -> Image.Image:
    """An image (H, W) of numbers in [-1, 1] or (H, W, 3) of bytes, large enough to be seen."""
    if image.ndim == 2:
        image = ((image.clip(-1, 1) + 1) * 127.5).astype(np.uint8)
    times = max(1, 96 // image.shape[0])
    return Image.fromarray(image).resize(
        (image.shape[1] * times, image.shape[0] * times), Image.Resampling.NEAREST
    )


def sheet(rows: list, path: str) -> None:
    """Draw rows of images to a file."""
    pictures = [[grey(image) for image in row] for row in rows]
    w, h = pictures[0][0].size
    whole = Image.new("RGB", ((w + 4) * len(pictures[0]), (h + 4) * len(pictures)), "white")
    for y, row in enumerate(pictures):
        for x, picture in enumerate(row):
            whole.paste(picture, (x * (w + 4) + 2, y * (h + 4) + 2))
    whole.save(path)


def curve(values: list, path: str, title: str) -> None:
    """Draw how a number changed, with its smoothed course, to a file."""
    w, h, values = 640, 360, np.array(values)
    low, high = values.min(), max(values.max(), values.min() + 1e-9)
    width = max(len(values) // 50, 1)
    smooth = np.convolve(values, np.ones(width) / width, "valid")
    picture = Image.new("RGB", (w, h), "white")
    draw = ImageDraw.Draw(picture)
    for line, colour, start in ((values, "lightblue", 0), (smooth, "navy", width // 2)):
        points = [
            (
                20 + (w - 40) * (i + start) / max(len(values) - 1, 1),
                30 + (h - 50) * (high - v) / (high - low),
            )
            for i, v in enumerate(line)
        ]
        draw.line(points * 2 if len(points) == 1 else points, fill=colour, width=2)
    draw.text((20, 8), f"{title}: {values[0]:.3f} to {smooth[-1]:.3f}", fill="black")
    picture.save(path)


def digits() -> np.ndarray:
    """scikit-learn's 1,797 handwritten digits, (N, 8, 8) in [-1, 1]."""
    from sklearn.datasets import load_digits

    return (load_digits().images / 8 - 1).astype(np.float32)


def likeness(made: np.ndarray, real: np.ndarray) -> float:
    """The Fréchet distance of two sets of images, taken as normal distributions of their pixels."""
    a, b = (x.reshape(len(x), -1).astype(np.float64) for x in (made, real))
    cov_a, cov_b = np.cov(a.T), np.cov(b.T)
    values, ways = np.linalg.eigh(cov_b)
    half = ways * np.sqrt(values.clip(0)) @ ways.T
    both = np.sqrt(np.linalg.eigvalsh(half @ cov_a @ half).clip(0)).sum()
    apart = ((a.mean(0) - b.mean(0)) ** 2).sum()
    return float(apart + np.trace(cov_a + cov_b) - 2 * both)
