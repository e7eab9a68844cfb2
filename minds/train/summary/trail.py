"""`Trail`: the weights of a training at some of its steps or epochs, for `SummaryLandscape`."""

from __future__ import annotations

import json
import os

from ...base.errors import complain
from ..serialization import save_checkpoint

FOLDER, METADATA = "ckpt_dir", "train_metadata.json"
_UNITS = ("epoch", "step")
_DEFAULTS = {
    "landscape_size": 40,
    "unit": "step",
    "create_landscape": {"train": True, "result": True},
    "num_samples": 2048,
    "intervals": [],
}


def settings(given: dict, base: dict | None = None) -> dict:
    """What `given` says of landscapes, over ``base`` or the defaults.

    Raises:
        TypeError: a value has a wrong type.
        ValueError: a key is unknown, or a value out of range.
    """
    if not isinstance(given, dict):
        raise complain(TypeError, f"collect_landscape is {given!r}", expected="a dict")
    unknown = set(given) - set(_DEFAULTS)
    if unknown:
        said = f"collect_landscape has the keys {', '.join(map(repr, sorted(unknown)))}"
        raise complain(ValueError, said, expected=", ".join(_DEFAULTS))
    made = (base or _DEFAULTS) | given
    if made["unit"] not in _UNITS:
        raise complain(ValueError, f"unit is {made['unit']!r}", expected="'epoch' or 'step'")
    for name, low, high in (("landscape_size", 3, 256), ("num_samples", 1, 2**31 - 1)):
        value = made[name]
        if isinstance(value, bool) or not isinstance(value, int):
            raise complain(TypeError, f"{name} is {value!r}", expected="an int")
        if not low <= value <= high:
            raise complain(ValueError, f"{name} is {value}", expected=f"in [{low}, {high}]")
    create = made["create_landscape"]
    if not isinstance(create, dict) or not all(isinstance(v, bool) for v in create.values()):
        raise complain(TypeError, f"create_landscape is {create!r}", expected="a dict of bools")
    lists = made["intervals"]
    if not isinstance(lists, list) or not all(isinstance(i, list) for i in lists):
        raise complain(TypeError, f"intervals is {lists!r}", expected="a list of lists")
    if any(len(i) < 3 or not all(isinstance(n, int) for n in i) for i in lists):
        raise complain(ValueError, f"intervals is {lists}", expected="at least three ints in each")
    return made


class Trail:
    """Saves the weights where an interval asks for them, and afterwards what was saved.

    Args:
        folder (str): of the summary.
        given (dict): as of `settings`.
    """

    def __init__(self, folder: str, given: dict):
        self.settings = settings(given)
        self._folder = os.path.join(os.path.realpath(folder), FOLDER)
        self._wanted = {n for interval in self.settings["intervals"] for n in interval}
        self._files: dict[str, str] = {}

    def reached(self, unit: str, number: int, network) -> None:
        """A step or an epoch has ended."""
        if unit != self.settings["unit"] or number not in self._wanted:
            return
        os.makedirs(self._folder, exist_ok=True)
        path = os.path.join(self._folder, f"{unit}_{number}.ckpt")
        save_checkpoint(network, path)
        self._files[str(number)] = path

    def finish(self) -> None:
        """Write which files there are."""
        os.makedirs(self._folder, exist_ok=True)
        said = self.settings | {"model_params_file_map": self._files}
        with open(os.path.join(self._folder, METADATA), "w", encoding="utf-8") as f:
            json.dump(said, f)


__all__ = ["FOLDER", "METADATA", "Trail", "settings"]
