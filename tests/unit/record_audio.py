"""Writes audio_reference.json with MindSpore's results of `audio_cases.py`; run it where MindSpore is
installed: `python tests/unit/record_audio.py`.
"""

import json
import os

import audio_cases
import mindspore.dataset.audio as audio
import numpy as np


def record(value):
    """The dtype, the shape and up to 30 evenly chosen elements of an array."""
    flat = value.ravel()
    chosen = flat[:: max(1, flat.size // 24)]
    digits = [float(f"{v:.9g}") for v in chosen.astype(np.float64)]
    return [str(value.dtype), list(value.shape), digits]


def main():
    found = {}
    for name, (make, value) in audio_cases.cases(audio).items():
        out = make()(value.copy())  # some of MindSpore's change their argument
        found[name] = [record(v) for v in (out if isinstance(out, tuple) else (out,))]
    for name, make in audio_cases.matrices(audio).items():
        found[name] = [record(make())]
    path = os.path.join(os.path.dirname(__file__), "audio_reference.json")
    with open(path, "w", encoding="utf-8") as file:
        rows = (f"{json.dumps(n)}: {json.dumps(v)}" for n, v in found.items())
        file.write("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
