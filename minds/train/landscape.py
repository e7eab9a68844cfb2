"""`SummaryLandscape`: the loss over a plane through the weights of a training."""

from __future__ import annotations

import json
import os
import shutil

import numpy as np

from ..base.errors import complain
from ..tensor import Tensor
from .serialization import load_checkpoint
from .summary import SummaryRecord
from .summary.trail import FOLDER, METADATA, settings

_MARGIN = 0.2  # of the plane around the path, of the path's length


class SummaryLandscape:
    """Computes the loss over planes: for each interval of steps or epochs that `SummaryCollector` kept, the
    plane that shows most of the path of the weights; for the last weights, one of random directions. What
    is found are arrays in a file ``landscape_*.npz`` and a picture that TensorBoard shows.

    Args:
        summary_dir (str): the folder that `SummaryCollector` wrote, with ``collect_landscape``.

    Raises:
        TypeError: ``summary_dir`` is no str.

    Examples:
        >>> import os, tempfile
        >>> import numpy as np
        >>> import minds as ms
        >>> from minds import nn, train
        >>> folder = tempfile.mkdtemp()
        >>> x = np.random.default_rng(0).normal(size=(32, 2)).astype(np.float32)
        >>> data = ms.dataset.NumpySlicesDataset((x, x[:, :1]), ["x", "y"]).batch(8)
        >>> def make():
        ...     net = nn.Dense(2, 1)
        ...     return train.Model(net, nn.MSELoss(), metrics={"Loss": train.Loss()}), net, data, None
        >>> landscape = {"unit": "step", "intervals": [[1, 2, 3, 4]], "landscape_size": 4}
        >>> keep = train.SummaryCollector(folder, collect_specified_data={"collect_landscape": landscape})
        >>> net = nn.Dense(2, 1)
        >>> train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1)).train(1, data, keep)
        >>> planes = train.SummaryLandscape(folder)
        >>> planes.gen_landscapes_with_multi_process(make)
        >>> np.load(os.path.join(folder, "landscape_1.npz"))["loss"].shape
        (4, 4)
    """

    def __init__(self, summary_dir: str):
        if not isinstance(summary_dir, str):
            said = f"SummaryLandscape: summary_dir is {summary_dir!r}"
            raise complain(TypeError, said, expected="a str")
        self._folder = os.path.realpath(summary_dir)
        self._kept = os.path.join(self._folder, FOLDER)

    def clean_ckpt(self) -> None:
        """Remove the weights that were kept.

        Examples:
            >>> import tempfile
            >>> from minds import train
            >>> train.SummaryLandscape(tempfile.mkdtemp()).clean_ckpt()
        """
        shutil.rmtree(self._kept, ignore_errors=True)

    def gen_landscapes_with_multi_process(
        self, callback_fn, collect_landscape=None, device_ids=None, output=None
    ) -> None:
        """Compute the landscapes; the work is one process's.

        Args:
            callback_fn (Callable): gives (Model, network, dataset, metrics); the model's metrics have a
                `Loss`, and the dataset is batched.
            collect_landscape (dict, optional): takes the place of what the collector was told.
            device_ids (list[int], optional): accepted.
            output (str, optional): where files are written. Default: the folder of the summary.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: a setting is out of range; or no weights were kept for an interval.
            FileNotFoundError: nothing was kept in the folder.

        Examples:
            >>> import tempfile
            >>> from minds import train
            >>> try:
            ...     train.SummaryLandscape(tempfile.mkdtemp()).gen_landscapes_with_multi_process(print)
            ... except FileNotFoundError as e:
            ...     print("train_metadata.json" in str(e))
            True
        """
        if not callable(callback_fn):
            kind = type(callback_fn).__name__
            raise complain(TypeError, f"callback_fn has type {kind}", expected="a function")
        settings(collect_landscape or {}, {})
        path = os.path.join(self._kept, METADATA)
        if not os.path.exists(path):
            said = f"SummaryLandscape: {path} does not exist"
            cure = "train with SummaryCollector's collect_landscape first"
            raise complain(FileNotFoundError, said, cure=cure)
        with open(path, encoding="utf-8") as f:
            said = json.load(f)
        files = said.pop("model_params_file_map")
        wanted = settings(collect_landscape or {}, said)
        create, lists = wanted["create_landscape"], wanted["intervals"]
        planes = [self._path(i, files) for i in lists] if create.get("train", True) else []
        if create.get("result", True) and lists:
            planes.append(self._random(lists[-1], files))
        output = self._folder if output is None else output
        os.makedirs(output, exist_ok=True)
        with SummaryRecord(output) as record:
            for number, plane in enumerate(planes, 1):
                found = plane.measured(callback_fn, wanted["landscape_size"], wanted["num_samples"])
                np.savez(os.path.join(output, f"landscape_{number}.npz"), **found)
                record.add_value("image", f"landscape_{number}", Tensor(picture(found["loss"])))
            record.record(0)

    def _weights(self, numbers: list, files: dict) -> list[dict]:
        missing = [n for n in numbers if str(n) not in files]
        if missing:
            raise complain(
                ValueError,
                f"SummaryLandscape: the weights of {', '.join(map(str, missing))} were not kept",
                cure="give SummaryCollector the same intervals and unit, and train for as long",
            )
        loaded = [load_checkpoint(files[str(n)]) for n in numbers]
        return [{k: p.asnumpy() for k, p in found.items() if is_weight(k)} for found in loaded]

    def _path(self, numbers: list, files: dict) -> Plane:
        """The plane of the principal directions of a path."""
        kept = self._weights(numbers, files)
        flat = np.stack([np.concatenate([a.ravel() for a in w.values()]) for w in kept])
        moves = (flat - flat[-1]).astype(np.float64)
        directions = np.linalg.svd(moves, full_matrices=False)[2]
        if len(directions) < 2:
            directions = np.vstack([directions, np.zeros_like(directions[0])])
        return Plane(kept[-1], directions[:2], moves @ directions[:2].T)

    def _random(self, numbers: list, files: dict) -> Plane:
        """A plane of random directions through the last weights, scaled like each of them."""
        last = self._weights(numbers[-1:], files)[0]
        rng = np.random.default_rng(0)
        directions = []
        for _ in range(2):
            parts = [rng.normal(size=a.shape) for a in last.values()]
            scaled = [
                d * np.linalg.norm(a) / np.linalg.norm(d) for d, a in zip(parts, last.values())
            ]
            directions.append(np.concatenate([d.ravel() for d in scaled]))
        return Plane(last, np.stack(directions), np.array([[-1.0, -1.0], [1.0, 1.0], [0.0, 0.0]]))


class Plane:
    """Weights, two directions, and points of the plane: the path, whose last one is the weights."""

    def __init__(self, weights: dict, directions: np.ndarray, path: np.ndarray):
        self.weights, self.directions, self.path = weights, directions, path

    def at(self, x: float, y: float) -> dict[str, np.ndarray]:
        """The weights at a point."""
        move, begin, found = x * self.directions[0] + y * self.directions[1], 0, {}
        for name, a in self.weights.items():
            found[name] = (a + move[begin : begin + a.size].reshape(a.shape)).astype(a.dtype)
            begin += a.size
        return found

    def measured(self, callback_fn, size: int, samples: int) -> dict[str, np.ndarray]:
        """The loss over the plane and along the path."""
        model, network, dataset, _ = callback_fn()
        parameters = {p.name: p for p in network.get_parameters()}
        rows = dataset.take(max(samples // (dataset.get_batch_size() or 1), 1))

        def loss(x: float, y: float) -> float:
            for name, a in self.at(x, y).items():
                if name in parameters:
                    parameters[name].set_data(Tensor(a))
            found = model.eval(rows)
            return float(next(v for k, v in found.items() if k.lower() == "loss"))

        low, high = self.path.min(0), self.path.max(0)
        margin = _MARGIN * np.maximum(high - low, 1e-6)
        xs, ys = (np.linspace(a, b, size) for a, b in zip(low - margin, high + margin))
        surface = np.array([[loss(x, y) for x in xs] for y in ys])
        along = np.array([loss(x, y) for x, y in self.path])
        return {"x": xs, "y": ys, "loss": surface, "path": self.path, "path_loss": along}


def is_weight(name: str) -> bool:
    """Whether a parameter is one of the network's, not of the optimizer's state."""
    return ("weight" in name or "bias" in name) and "moment" not in name


def picture(surface: np.ndarray) -> np.ndarray:
    """A surface as an image (1, 3, H, W) from blue, low, to red, high; by the logarithm of the loss."""
    height = np.log(surface - surface.min() + 1e-6 * (np.ptp(surface) or 1))
    part = (height - height.min()) / (np.ptp(height) or 1)
    channels = np.stack([part, 1 - 2 * np.abs(part - 0.5), 1 - part])
    return channels[None].astype(np.float32)


__all__ = ["SummaryLandscape"]
